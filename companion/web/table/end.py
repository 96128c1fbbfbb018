"""The end of a game: who has won and by what, the podium, and the best of one who played alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from flask_babel import gettext, ngettext
from markupsafe import Markup

from companion.core.game import Game
from companion.core.result import Result
from companion.core.sheet import Term
from companion.core.values import Player
from companion.core.words import Sentence, minus
from companion.tables import FinishedMatch, Participant, Refused, Seat, Table
from companion.tables.history.feats import Feat
from companion.web.page.context import current_tables
from companion.web.page.language import join_names, say
from companion.web.page.security import device
from companion.web.table.all_turns import steps
from companion.web.table.course import course_of
from companion.web.table.shared_view import position_of, seat_named
from companion.web.table.sheet_drawing import draw

SERIES_SHOWN: Final = 4  # Players in whose series those without a win are named, too


@dataclass(frozen=True)
class FinalView:
    """One player's sheet at the end of the game."""

    seat: Seat
    name: str
    total: int
    is_winner: bool
    # The place from 1; players with equal results share one, and those after them lose as many
    place: int
    drawing: Markup | None
    terms: tuple[Term, ...]


class _Outcome(NamedTuple):
    """Who has won a match, and by what."""

    totals: Mapping[Player, int]
    winners: Sequence[Player]
    results: Mapping[Player, Result]


@dataclass(frozen=True)
class SoloResult:
    """The heading of a solo game's end, and the game's own rating of it."""

    points: int
    headline: str
    rating: Sentence | None


def end_context(table: Table, silent_phones: Set[str]) -> dict[str, Any]:
    """The template's values for a game that is over.

    Args:
        silent_phones: see `Tables.silent_phones`.
    """
    position, match = position_of(table), match_of(table)
    outcome = _outcome(table, match)
    winners = outcome.winners
    present = {name: outcome.results[name] for name in position.present}
    players = _final_views(table, outcome)
    mine = [seat.name for seat in table.seats if seat.mine]
    return {
        "table": table,
        "match": match,
        "feats": feats_in_words(match, mine) if match and len(players) > 1 else (),
        "position": position,
        "panel": table.game.panel,
        "ranking": sorted(players, key=lambda player: player.place),
        "has_podium": bool(winners) and len(players) > 1,
        "winners": winners,
        "winner_names": join_names(winners) if winners else "",
        **steps(table),
        "tie": tie_of(present, winners) if position.over else None,
        "solo_result": solo_result_at(table, match, outcome.totals) if position.over else None,
        "course": course_of(table),
        "silent_phones": silent_phones,
    }


def _outcome(table: Table, match: FinishedMatch | None) -> _Outcome:
    """The outcome of a table's match.

    They are the history's if the rules have changed since: a finished game keeps its totals.
    """
    position = position_of(table)
    winners = position.winners()
    results = {name: position.result_of(name) for name in position.players}
    totals = {name: position.score(name)["total"] for name in position.players}
    saved = _saved(match, position.players)
    now = {name: (total, name in winners) for name, total in totals.items()}
    if not saved or now == {name: (player.total, player.won) for name, player in saved.items()}:
        return _Outcome(totals, winners, results)
    kept = {name: player.total or 0 for name, player in saved.items()}
    sign = -1 if table.game.lowest_wins else 1
    results = {name: Result(sign * total) for name, total in kept.items()}
    won = tuple(name for name, player in saved.items() if player.won)
    return _Outcome(kept, won, results)


def _final_views(table: Table, outcome: _Outcome) -> list[FinalView]:
    position = position_of(table)
    places = places_of(outcome.results, outcome.winners, position.present)
    players = []
    for name in position.players:
        drawing, terms = _drawn(table, name)
        view = FinalView(
            seat=seat_named(table, name),
            name=name,
            total=outcome.totals[name],
            is_winner=name in outcome.winners,
            place=places[name],
            drawing=drawing,
            terms=terms,
        )
        players.append(view)
    return players


def _drawn(table: Table, name: Player) -> tuple[Markup | None, tuple[Term, ...]]:
    """(a player's sheet, what it scores); (None, ()) in a game without sheets."""
    filled = table.game.filled(position_of(table), name)
    if filled is None:
        return None, ()
    marks = table.game.panel.marks(position_of(table), name)
    title = gettext("Sheet of %(player)s", player=name)
    return draw(filled, {}, title, marks), filled.terms


def _saved(
    match: FinishedMatch | None, players: Collection[Player]
) -> Mapping[Player, Participant]:
    """The players as the history has them; none where somebody has edited the match there."""
    if match is None or match.edited is not None:
        return {}
    saved = {player.name: player for player in match.players if player.name is not None}
    return saved if saved.keys() == set(players) else {}


def places_of(
    results: Mapping[Player, Result], winners: Collection[Player], present: Collection[Player]
) -> Mapping[Player, int]:
    """Each player's place: 1 and the number of those who did better.

    Players who left early are behind all who played on: few rounds make few points.
    """
    worth = {name: (name in winners, name in present, result) for name, result in results.items()}
    best_first = sorted(worth.values(), reverse=True)
    return {name: 1 + best_first.index(own) for name, own in worth.items()}


def tie_of(results: Mapping[Player, Result], winners: Collection[Player]) -> Sentence | None:
    """The sentence about a tie for the win, broken or not; None without a tie."""
    best = max(result.total for result in results.values())
    breakers, name_of_tie = [], None
    for name, result in results.items():
        if result.total == best:
            breakers.append(f"{name} {result.tie}")
            name_of_tie = name_of_tie or result.tie_name
    if len(breakers) < 2:
        return None
    if len(breakers) == len(winners):
        return Sentence("Equal points, and nothing breaks the tie.")
    if name_of_tie is None:
        return Sentence("Equal points. The players have said who won.")
    values = {"what": name_of_tie, "numbers": ", ".join(breakers)}
    # Translators: what decides a tie, and how much of it each has: "Jokers left: Anna 3, Ben 1".
    return Sentence("Equal points. %(what)s: %(numbers)s", values)


def match_of(table: Table) -> FinishedMatch | None:
    """A table's match as the history has it; None when somebody has just undone the last entry."""
    history = current_tables().history
    try:
        return history.match(device(), history.match_at(device(), table.id, table.number))
    except Refused:
        return None


def solo_result_at(
    table: Table, match: FinishedMatch | None, totals: Mapping[Player, int]
) -> SoloResult | None:
    """The result of a table's finished match; None unless one person has played it."""
    if len(totals) != 1:
        return None
    [(name, total)] = totals.items()
    game = match.game if match else table.game
    return _solo_result(game, name, total, match.id if match else "")


def feats_in_words(match: FinishedMatch, mine: Collection[str] = ()) -> list[str]:
    """The remarkable facts of a match, the most remarkable first.

    Args:
        mine: the players of a phone; a single one also sees the personal best.
    """
    own = [player for player in match.players if player.name in mine]
    best = _best_so_far(match, own[0]) if len(own) == 1 else ""
    texts = [best] if best else []
    shown = ("personal-record", own[0].name) if best else None
    for feat in current_tables().history.feats(device(), match.id):
        if (feat.what, feat.player) != shown:
            texts.append(_feat(feat, say(match.title)))
    return texts


def _best_so_far(found: FinishedMatch, player: Participant) -> str:
    """The player's total beside the best of all games before; empty after the first one."""
    if found.is_unfinished or player.total is None or player.name is None:
        return ""
    best = current_tables().history.best(device(), found.game, player.name, found.id, alone=False)
    if best is None:
        return ""
    numbers = {"points": minus(player.total), "best": minus(best)}
    if player.total != best and found.game.best((player.total, best)) == player.total:
        return gettext("Your best so far was %(best)s – %(points)s is a new best!", **numbers)
    if player.total == best:
        return gettext("Equal to your best so far: %(best)s.", **numbers)
    return gettext("Your best so far: %(best)s.", **numbers)


def _feat(feat: Feat, title: str) -> str:
    values = {"player": feat.player, "game": title}
    if feat.what == "streak":
        return ngettext(
            "%(player)s has won %(num)s time in a row.",
            "%(player)s has won %(num)s times in a row.",
            feat.number,
            **values,
        )
    if feat.what == "series":
        return _series(feat.wins)
    values |= {"number": minus(feat.number), "before": minus(feat.before)}
    if feat.what == "table-record":
        return gettext(
            "%(player)s sets a record in %(game)s: %(number)s, up from %(before)s.", **values
        )
    return gettext("%(player)s has never had as many: %(number)s, up from %(before)s.", **values)


def _series(wins: Sequence[tuple[str, int]]) -> str:
    """The number of wins of each player, such as "Ada 3 : 2 Ben"."""
    if len(wins) == 2:
        (first, more), (second, fewer) = wins
        score = f"{first} {more} : {fewer} {second}"
    else:
        shown = [one for one in wins if one[1]] if len(wins) > SERIES_SHOWN else wins
        score = " · ".join(f"{name} {count}" for name, count in shown)
    # Translators: how often each of the same players has won this game: "Ada 3 : 2 Ben".
    return gettext("Games won so far: %(score)s", score=score)


def solo_result_in(match: FinishedMatch) -> SoloResult | None:
    """The result of a match of the history; None unless one person has played it."""
    is_solo = len(match.players) == match.game.min_players == 1 and not match.game.lowest_wins
    if not is_solo or match.is_unfinished:
        return None
    (player,) = match.players
    if player.total is None:
        return None
    return _solo_result(match.game, player.name, player.total, match.id)


def _solo_result(game: Game, name: str | None, points: int, match_id: str) -> SoloResult:
    history = current_tables().history
    best = history.best(device(), game, name, match_id, alone=True) if name else None
    return SoloResult(points, _headline(game, points, best), game.rating(points))


def _headline(game: Game, total: int, best: int | None) -> str:
    """The points, beside the best of the person's other games, such as "30 points, …"."""
    numbers = {"points": minus(total), "best": "" if best is None else minus(best)}
    if best is None:
        return ngettext("%(points)s point", "%(points)s points", total, **numbers)
    if total != best and game.best((total, best)) == total:
        return ngettext(
            "%(points)s point: a new best, up from %(best)s",
            "%(points)s points: a new best, up from %(best)s",
            total,
            **numbers,
        )
    if total == best:
        return ngettext(
            "%(points)s point, equal to your best",
            "%(points)s points, equal to your best",
            total,
            **numbers,
        )
    return ngettext(
        "%(points)s point, your best is %(best)s",
        "%(points)s points, your best is %(best)s",
        total,
        **numbers,
    )
