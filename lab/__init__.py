"""Tools for the tests. Nothing here tests anything."""
