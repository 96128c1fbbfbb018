"""The games: one room each, and what is told of any of them by the catalogue.

Nothing here imports Flask, a clock, chance, a file or a database. In a room `sheet` and `rules` are
pure; `layout` says where things stand on paper, and `panel` what the table page shows.
"""
