"""The engines of each game, in a module with the name of its package."""
