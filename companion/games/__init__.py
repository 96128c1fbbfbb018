"""The games, one package each, and functions that work for any game of the catalogue.

Nothing here imports Flask, a clock, chance, a file or a database. In a game's package `sheet` and
`rules` know neither paper nor page; `layout` describes the paper, and `panel` the table page.

>>> from companion.games import record, scoring
>>> from companion.games.catalog import GAMES, SHEETS
>>> game = {"game": next(iter(GAMES)), "players": ["Ada", "Ben"], "actions": [{"do": "fly"}]}
>>> record.replay(record.parse({"format": record.RECORD_FORMAT, **game})).refusal.code
'bad-action'
>>> kind = next(iter(SHEETS.values()))
>>> scoring.scored(kind.marked(kind.usual_board, {}))["score"]["total"]
0
"""
