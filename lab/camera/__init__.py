"""A photo: bent paper on a table, lamps and shadows, a lens, a sensor, a JPEG."""
