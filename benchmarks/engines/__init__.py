"""Engines of others, against which the rules of games are compared."""
