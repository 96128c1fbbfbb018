"""Tables of numbers: found by their lines and by their digits, read cell by cell.

A table is searched for only in a photo without any other sheet. `ruling` has the lines' segments,
`lattice` the lines and where they cross, `completing` those of which too little was seen, `digits`
the ink that may be digits, `columns` the rows and columns in which they stand, whether lines are
drawn or not, `edges` where these lie, `trimming` which lines are the table's, `cells` what is in
each, `numbers` and `hand` what it says, `grid` which of it are heads, `refusals` what is no table
of points, `sums` what their sums say of them, `known` the sheets in a table whose rows are known,
`beside` what was left out; `examining` reads some cells, and `finding` does it all.
"""
