"""Where a point of the paper lies in the photo, however the paper is bent: pure mathematics.

No pixel is looked at here.
"""
