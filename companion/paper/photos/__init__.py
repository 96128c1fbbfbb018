"""The way of a photo: sent, waiting for a reader, read, and its sheets put into a review."""
