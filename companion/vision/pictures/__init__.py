"""From the bytes of a file to an upright picture. Nothing here finds or reads a sheet."""
