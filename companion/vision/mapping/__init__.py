"""Maps points of the paper, however it is bent, to the photo: pure mathematics.

No pixel is looked at here.
"""
