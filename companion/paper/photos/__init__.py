"""A photo's path: sent, queued, read, and its sheets put into a review."""
