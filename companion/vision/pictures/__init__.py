"""Turns the bytes of a file into an upright picture. Nothing here finds or reads a sheet."""
