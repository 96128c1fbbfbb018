"""Reads the ink on a flattened sheet, as probabilities. It does not know the rules of a game."""
