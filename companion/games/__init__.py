"""The games, one package each, and functions that work for any game of the catalogue.

Nothing here imports Flask, a clock, chance, a file or a database. In a game's package `sheet` and
`rules` know neither paper nor page; `layout` describes the paper, and `panel` the table page.

>>> from companion.games import record, scoring
>>> from companion.games.catalog import GAMES, SHEETS

A record is replayed until an action is refused.

>>> replay = record.replay(
...     record.parse(
...         {
...             "format": record.RECORD_FORMAT,
...             "game": next(iter(GAMES)),
...             "players": ["Ada", "Ben"],
...             "actions": [{"do": "fly", "by": "Ada"}],
...         }
...     )
... )
>>> replay.accepted, replay.refusal.code
(0, 'bad-action')

A sheet is scored from its public document.

>>> kind = next(iter(SHEETS.values()))
>>> blank = kind.marked(kind.usual_board, {}).document
>>> scoring.scored(scoring.filled_sheet(blank))["score"]["total"]
0
"""
