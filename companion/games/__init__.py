"""The rules, pure and immutable: position and action → new position or a named refusal.

Nothing here imports Flask, a clock, chance, a file or a database, nor anything else of ours.
"""
