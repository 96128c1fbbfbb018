"""A printing press: sheets as publishers print them, each one differently."""
