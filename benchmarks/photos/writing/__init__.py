"""People's handwriting: their digits, pens, slips, and what they write into a sheet's fields."""
