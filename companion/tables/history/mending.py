"""Changing finished matches afterwards: sheets, names, date, and who played.

Totals and winners follow, and each change is kept with its time; see `changes`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy.engine import Connection

from companion.core.refusal import Unusable
from companion.core.result import Result
from companion.core.result import won as won_by
from companion.core.values import Document
from companion.games import standings
from companion.games.scoring import filled_sheet
from companion.games.standings import KeptSheet
from companion.tables.database.schema import finished_matches as rows
from companion.tables.database.times import to_milliseconds
from companion.tables.history.exchange import TOTALS
from companion.tables.history.visible import FinishedMatch, changeable_match
from companion.tables.ledger import finished
from companion.tables.ledger.events import encode
from companion.tables.ledger.finished import Participant
from companion.tables.ledger.match_changes import MOST_ITEMS, Item, Pair, differences, keep, paired
from companion.tables.ledger.names import check_free, checked_name, cleaned_line, cleaned_text
from companion.tables.ledger.store import Store
from companion.tables.refusals import Refused


@dataclass(frozen=True, slots=True)
class Details:
    """All that can be mended in a match beside its sheets."""

    ended: datetime
    place: str
    notes: str
    players: tuple[tuple[str, int | None], ...]
    """(name, total) of every player who was not deleted, in order, and then of new ones.

    The total counts where there is no sheet. There an empty name in place of one takes the player
    out; a player without a name stays.
    """


def mend_sheets(
    store: Store, device: str, match_id: str, sheets: Sequence[tuple[str | None, KeptSheet]]
) -> None:
    """Puts these sheets in place of those of all players who were not deleted."""
    with store.database.write(exclusive_table=rows) as connection:
        match = changeable_match(connection, device, match_id)
        names: list[str] = []
        players: list[Participant] = []
        for raw, sheet in sheets:
            name = None if raw is None else _free_name(raw, names)
            total = sheet.result.total if sheet.is_countable else None
            told = [player.written for player in match.players if name and player.name == name]
            written = None if not told or told[0] == total else told[0]
            players.append(Participant(name, total, False, sheet.document, written))
        deleted = [player for player in match.players if player.is_deleted]
        if not 1 <= len(players) + len(deleted) <= match.game.max_players:
            raise Unusable(
                f"{match.game.name} is for at most {match.game.max_players} players,"
                f" not {len(players) + len(deleted)}."
            )
        write(store, connection, match, [*players, *deleted])


def mend_details(store: Store, device: str, match_id: str, details: Details) -> None:
    """Changes date, place, notes and names, and totals where there is no sheet.

    Raises:
        Refused: `bad-name`, `name-taken`; `bad-date` for a time to come; `bad-total`.
        Unusable: nobody would be left, or too many.
    """
    with store.database.write(exclusive_table=rows) as connection:
        match = changeable_match(connection, device, match_id)
        ended = to_milliseconds(details.ended)
        # A form has minutes; the same minute is the same moment.
        if ended // 60_000 == to_milliseconds(match.ended_at) // 60_000:
            ended = to_milliseconds(match.ended_at)
        elif not 0 <= ended <= store.now():
            raise Refused("bad-date")
        # Each name is compared with all others, so they are counted before that.
        _check_count(match, len(details.players))
        players = _renamed(match, details.players)
        if all(player.is_deleted for player in players):
            raise Unusable("Nobody would be left in this game.")
        _check_count(match, len(players))
        values = {
            "place": cleaned_line(details.place),
            "notes": cleaned_text(details.notes),
        }
        write(store, connection, match, players, ended=ended, texts=values)


def _check_count(match: FinishedMatch, count: int) -> None:
    if count > match.game.max_players:
        raise Unusable(f"{match.game.name} is for at most {match.game.max_players} players.")


def _renamed(match: FinishedMatch, entries: Sequence[tuple[str, int | None]]) -> list[Participant]:
    """The match's players with the names and totals of a form; deleted ones stay."""
    players: list[Participant] = []
    left = iter(entries)
    names: list[str] = []
    for player in match.players:
        if player.is_deleted:
            players.append(player)
            continue
        raw, total = next(left, (player.name or "", player.total))
        has_sheet = player.filled_document is not None
        is_open = player.name is None and not raw.strip()
        if not raw.strip() and not has_sheet and not is_open:
            continue
        name = None if is_open else _free_name(raw, names)
        if has_sheet or total == player.total:
            players.append(named(player, name))
        else:
            players.append(replace(player, name=name, total=_checked_total(total), sheet=None))
    for raw, total in left:
        if raw.strip():
            name = _free_name(raw, names)
            players.append(Participant(name, _checked_total(total), False, None))
    return players


def _free_name(raw: str, names: list[str]) -> str:
    """The name, cleaned; raises `Refused` when it is among the names, to which it is added."""
    name = checked_name(raw)
    check_free(name, names)
    names.append(name)
    return name


def named(player: Participant, name: str | None) -> Participant:
    """The player with another name, also over the column of a sheet that players share."""
    sheet = player.filled_document
    if name and sheet is not None:
        sheet = filled_sheet(sheet).named([name]).document
        return replace(player, name=name, sheet=sheet)
    return replace(player, name=name)


def _checked_total(total: int | None) -> int | None:
    if total is not None and total not in TOTALS:
        raise Refused("bad-total")
    return total


def write(
    store: Store,
    connection: Connection,
    match: FinishedMatch,
    players: Sequence[Participant],
    *,
    ended: int | None = None,
    texts: Mapping[str, str] | None = None,
) -> None:
    """Writes a match as it is now, and what is different."""
    before = to_milliseconds(match.ended_at)
    pairs = paired(match.players, players)
    items = list(differences(pairs))
    values: dict[str, Any] = dict(texts or {})
    if items:
        is_renamed_only = all(item.what == "name" for item in items)
        counted = players if is_renamed_only else _with_winners(match, players)
        values["players"] = finished.encode_players(tuple(counted))
        # The record holds every action as it was played.
        values["record"] = _renamed_record(match.record, pairs) if is_renamed_only else None
    if ended is not None and ended != before:
        items.insert(0, Item("ended", before=before, after=ended))
        values["ended_at"] = ended
        if match.started_at is not None:
            started = to_milliseconds(match.started_at) + ended - before
            values["started_at"] = max(started, 0)
    if values:
        connection.execute(rows.update().where(rows.c.id == match.id).values(**values))
    if items:
        keep(connection, match.id, items[:MOST_ITEMS], store.now())


def _with_winners(match: FinishedMatch, players: Sequence[Participant]) -> tuple[Participant, ...]:
    """The players, with the winners that follow from the sheets now.

    A deleted player who won has no total any more; only somebody who shared that win still has it.
    """
    deleted_won = any(player.won and player.is_deleted for player in players)
    if any(not player.is_deleted and player.total is None for player in players):
        return tuple(replace(player, won=False) for player in players)
    won = iter(won_by([_result(match, player) for player in players if not player.is_deleted]))
    enough = len(players) >= match.game.min_players
    shared = {player.name for player in match.players if player.won}
    return tuple(
        player
        if player.is_deleted
        else replace(
            player, won=enough and next(won) and (not deleted_won or player.name in shared)
        )
        for player in players
    )


def _result(match: FinishedMatch, player: Participant) -> Result:
    if player.sheet is not None:
        return standings.read(match.game, player.sheet).result
    return Result(player.total or 0)


def _renamed_record(record: Document | None, pairs: Sequence[Pair]) -> str | None:
    """The record with the players' new names, for a row."""
    if record is None:
        return None
    names = {old.name: new.name for old, new in pairs if old and new}
    actions = [
        {**action, "by": names.get(action["by"], action["by"])} if "by" in action else action
        for action in record["actions"]
    ]
    players = [names.get(name, name) for name in record["players"]]
    return encode({**record, "players": players, "actions": actions})
