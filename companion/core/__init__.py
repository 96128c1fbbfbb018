"""Types and helpers shared by all games, sheets and panels.

Nothing here knows a single game, nor Flask, clocks, chance, files or databases.
"""
