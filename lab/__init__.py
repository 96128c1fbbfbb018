"""Tools for the tests, and no tests."""
