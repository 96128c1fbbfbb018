"""A table's pages: start, lobby, play, and the parts that are pushed to phones.

No rule is judged here.
"""
