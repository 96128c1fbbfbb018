"""Sheets as they are printed and filled in, each with the classes of what stands in its fields.

Nothing here photographs them.
"""
