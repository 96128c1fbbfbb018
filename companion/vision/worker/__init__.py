"""Reads photos in processes of their own: `pool` starts them, `loop` runs in each of them.

Neither knows what is done with a photo: `loop` gets the name of the module that reads it.
"""
