"""The sentence about a tie at the end of a match."""

from __future__ import annotations

from flask import Flask

from companion.core.result import Result
from companion.core.words import N_, Sentence
from companion.tables import Table
from companion.web.table.podium import final_result


def init_app(app: Flask) -> None:
    app.jinja_env.globals.update(tie_at=tie_at)


def tie_at(table: Table) -> Sentence | None:
    """The sentence about a tie for the win, broken or not; None without a tie."""
    position = table.position
    if position is None or not position.over:
        return None
    results: dict[str, Result] = {}
    for name in position.players:
        results[name] = final_result(position, name, table.game.filled(position, name))
    best = max(result.total for result in results.values())
    tied = {name: result for name, result in results.items() if result.total == best}
    if len(tied) < 2:
        return None
    if len(tied) == len(position.winners()):
        return Sentence(N_("Equal points, and nothing breaks the tie."))
    name_of_tie = next(result.tie_name for result in tied.values())
    numbers = ", ".join(f"{name} {result.tie}" for name, result in tied.items())
    values = {"what": name_of_tie or "", "numbers": numbers}
    # Translators: what decides a tie, and how much of it each has: "Jokers left: Anna 3, Ben 1".
    return Sentence(N_("Equal points. %(what)s: %(numbers)s"), values)
