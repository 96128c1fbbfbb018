"""Types and helpers shared by all games, sheets and panels.

Nothing here knows any single game, Flask, clocks, chance, files or databases.

>>> from companion.games.catalog import GAMES
>>> start = next(iter(GAMES.values())).start(("Ada", "Ben"), {})
>>> start.active, start.turn, start.over
('Ada', 1, False)
>>> start.play({"do": "fly", "by": "Ada"}).message
"This game has no action 'fly'."
"""
