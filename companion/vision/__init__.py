"""Reads photographed score sheets.

`picture` opens a photo, `finding` locates its pads by their markers, `flattening` rectifies each
pad, `cells` and `networks` read its fields, and `weighing` combines these readings with the rules.
`reader` runs all steps. Nothing here knows Flask, a table or a single game.
"""
