"""Photographed and typed sheets on their way to a game in the history.

`review` is what a person looks through, `sheets` one sheet of it, `photos` what becomes of a photo
that was sent, `saving` how the game gets into the history. No page is made here.
"""
