"""Photographed and typed sheets on their way to a game in the history.

`review` holds the sheets that a person looks through, `review_sheet` a single sheet and
`paper_game` those of one game; `photos` has the way of a photo from upload to review, and `saving`
puts the game into the history. No page is made here.
"""
