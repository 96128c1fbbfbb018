"""Filled-in sheets of each kind: one without a problem, and one of a player with fewer points."""
