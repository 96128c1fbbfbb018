"""Finds pads in a photo by their printed markers; looks at nothing that lies between them."""
