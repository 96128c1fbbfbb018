"""Tables of numbers: found by their lines and by their digits, read cell by cell.

A table is sought only in a photo without any other sheet. `ruling` has the lines' segments,
`lattice` the lines and where they cross, `columns` the rows and columns in which digits stand,
whether lines are drawn or not, `cells` what stands in each, `grid` which of it are numbers, `sums`
what their sums say of them, `known` the sheets in a table whose rows are known, `beside` what was
left out; `finding` does it all.
"""
