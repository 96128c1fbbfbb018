"""The way of a photo: sent, waiting for a reader, read, and its sheets put into a review.

`sending` takes photos in, `photo_queue` keeps those that wait in PostgreSQL and reads them on any
machine, and `outcome` writes into the review what became of them. No pixel is seen here, and no
page is made.
"""
