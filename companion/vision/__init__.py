"""Reads photographed score sheets.

A photo is opened (`picture`), its pads are found by their markers (`finding`), each is flattened
(`flattening`), its fields are read (`cells`, `networks`) and weighed with the rules (`weighing`);
`reader` does all of it. Nothing here knows Flask, a table or a single game.
"""
