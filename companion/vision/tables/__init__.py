"""Ruled tables of numbers: found by their lines, read cell by cell.

A table is sought only in a photo without any other sheet. `ruling` has the lines' segments,
`lattice` the lines and where they cross, `cells` what stands between them, `grid` which of it are
numbers, `sums` what their sums say of them, `known` the sheets in a table whose rows are known;
`finding` does it all.
"""
