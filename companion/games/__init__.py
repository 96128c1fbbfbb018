"""The games, one package each, and functions that work for any game of the catalogue.

Nothing here imports Flask, a clock, chance, a file or a database. In a game's package `sheet` and
`rules` know neither paper nor page; `layout` describes the paper, and `panel` the table page.
"""
