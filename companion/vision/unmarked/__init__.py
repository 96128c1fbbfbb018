"""Finds and rectifies sheets without markers: the publishers' editions.

`blobs` finds compact areas, `lattices` those that lie in rows and columns, `placing` says which
edition and board a lattice belongs to, by its colours, and `rectifying` flattens it. Where fields
touch each other, `bands`, `barred` and `bending` do so with the long bars behind their rows.
`search` runs all of it.
"""
