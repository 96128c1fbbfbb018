"""What every game, sheet and panel has in common.

Nothing here knows a single game, nor Flask, clocks, chance, files or databases.
"""
