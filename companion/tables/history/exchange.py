"""Finished matches in files: `companion-history/1` as JSON, and CSV for spreadsheets.

Pure: `history` decides who may see which match, and where it is kept. A file holds identities and
no owners, so that the same matches make the same bytes wherever they are kept.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from companion.core.game import Game
from companion.core.position import Position
from companion.core.refusal import NewerRules, Unusable
from companion.core.values import Document, is_whole
from companion.games import record as records
from companion.games import standings
from companion.games.catalog import GAMES
from companion.games.others import find_game, kept_game
from companion.games.record import Record
from companion.games.standings import KeptSheet
from companion.tables.database.columns import LATEST, from_milliseconds, is_id, to_milliseconds
from companion.tables.ledger.events import encode
from companion.tables.ledger.names import checked_name, cleaned_line, cleaned_text, require_free
from companion.tables.ledger.saved import SOURCES, Participant, SavedMatch, final_players
from companion.tables.play.records import played
from companion.tables.refusals import Refused

_NAME: Final = "companion-history/"
FORMAT: Final = f"{_NAME}1"

MOST_MATCHES: Final = 10_000  # Matches in one file: three a day for nine years

MOST_BYTES: Final = 32 * 1024 * 1024  # Size of one file; a match played in the app is about 10 kB

# Tolerated difference between two clocks; the time zone of one may be unknown
CLOCK_SLACK_MS: Final = 14 * 60 * 60 * 1000

# Totals that a player can have: of other games, such as pinball, or the sum of many rounds
TOTALS: Final = range(-99_999_999, 100_000_000)


def _document(match: SavedMatch) -> Document:
    """The match as an object of `companion-history/1`."""
    started = match.started_at
    # Earlier versions import a file only if each `record` in it is complete.
    record = None if match.record is None else json.loads(match.record)
    is_unfinished = record is not None and match.is_unfinished
    return {
        "game": match.game.name,
        "source": match.source,
        "started": None if started is None else _iso(to_milliseconds(started)),
        "ended": _iso(to_milliseconds(match.ended_at)),
        "place": match.place,
        "notes": match.notes,
        "id": match.identity,
        "changed": _iso(match.changed) if match.changed else None,
        "players": [player.document() for player in match.players],
        **({"record": None, "unfinished": record} if is_unfinished else {"record": record}),
    }


def to_json(matches: Iterable[SavedMatch]) -> bytes:
    """A `companion-history/1` file, one match a line, the oldest first."""
    games = ",\n".join(line for line, _ in _oldest_first(matches))
    return f'{{"format":"{FORMAT}","games":[\n{games}\n]}}\n'.encode("ascii")


def parse(raw: bytes, now: int) -> Iterator[SavedMatch | Refused]:
    """The matches in a `companion-history/1` file, in its order, or why one cannot be taken in.

    Totals and winners are worked out again from the record or the sheets, if there are any; with a
    record by earlier rules they stay as they were saved. A sheet that breaks the rules was not
    played in the app, which would have refused it: it is kept as it is written, as a typed one.
    With a number that nobody can write it has no total, and its match no winner.

    Args:
        now: milliseconds since 1970; no match has ended later.

    Raises:
        Refused: `large-history`, `cut-off-history`, `damaged-history`, `newer-history`, or
            `no-history` for a file of another program.
    """
    if len(raw) > MOST_BYTES:
        raise too_large()
    try:
        document = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise _damage(raw, error) from error
    kind = document.get("format") if isinstance(document, dict) else None
    if kind != FORMAT:
        is_newer = isinstance(kind, str) and kind.startswith(_NAME)
        raise Refused("newer-history") if is_newer else Refused("no-history")
    games = document.get("games")
    if not isinstance(games, list):
        raise Refused("damaged-history")
    if len(games) > MOST_MATCHES:
        raise too_large()
    known: set[str] = set()
    for raw_game in games:
        match = _match_or_fault(raw_game, now)
        if isinstance(match, SavedMatch) and match.identity in known:
            match = Refused("game-twice")
        elif isinstance(match, SavedMatch):
            known.add(match.identity)
        yield match


def too_large() -> Refused:
    """The refusal of a file with more than a restore takes."""
    return Refused("large-history", megabytes=MOST_BYTES // 1024 // 1024, games=MOST_MATCHES)


def _damage(raw: bytes, error: Exception) -> Refused:
    """The refusal of a file that is not JSON: a part of a history, a damaged one, or none."""
    if _NAME.encode() not in raw[:200]:
        return Refused("no-history")
    if not isinstance(error, json.JSONDecodeError):
        return Refused("damaged-history")
    is_at_end = error.pos >= len(error.doc.rstrip()) - len("\\u1234")
    is_cut_off = is_at_end or "Unterminated" in error.msg
    return Refused("cut-off-history") if is_cut_off else Refused("damaged-history")


def _oldest_first(matches: Iterable[SavedMatch]) -> list[tuple[str, SavedMatch]]:
    """(the line in a file, the match)."""
    lines = [(encode_sorted(_document(match)), match) for match in matches]
    return sorted(lines, key=lambda pair: (pair[1].ended_at, pair[0]))


def _match_or_fault(raw: object, now: int) -> SavedMatch | Refused:
    try:
        return _parsed(raw, now)
    except NewerRules:
        return Refused("newer-rules")
    except Unusable:
        return Refused("odd-game")
    except Refused as refused:
        if refused.index is not None:
            return Refused("illegal-game", number=refused.index + 1)
        return refused


def _parsed(raw: object, now: int) -> SavedMatch:
    if not isinstance(raw, dict):
        raise Unusable("A game is a JSON object.")
    game, source = find_game(raw.get("game")), raw.get("source")
    if game is None:
        raise Refused("unknown-game")
    if source not in SOURCES:
        raise Unusable(f"'source' must be one of: {', '.join(SOURCES)}.")
    place, notes = raw.get("place", ""), raw.get("notes", "")
    if not isinstance(place, str) or not isinstance(notes, str):
        raise Unusable("'place' and 'notes' must be texts.")
    started, ended = _times(raw, now)
    identity, changed = _identity(raw), _time(raw.get("changed"))
    unfinished = raw.get("unfinished") is not None
    raw_record = raw["unfinished"] if unfinished else raw.get("record")
    record: str | None = None
    if raw_record is None:
        players, is_sound = _players(game, raw.get("players"))
    else:
        played_by, position = _record(game, raw_record)
        if position.over == unfinished:
            raise Unusable("'record' must be of this game, to its end, and 'unfinished' before it.")
        players, is_sound = final_players(position), True
        if played_by.rules < GAMES[played_by.game.name].rules:
            players = _as_saved(game, players, raw.get("players"))
        record = encode(played_by.document())
    return SavedMatch(
        game=game,
        source=source if is_sound or source != "app" else "typed",
        started_at=None if started is None else from_milliseconds(started),
        ended_at=from_milliseconds(ended),
        place=cleaned_line(place),
        notes=cleaned_text(notes),
        players=players,
        record=record,
        identity=identity,
        changed=min(changed or 0, now + CLOCK_SLACK_MS),
    )


def _times(raw: Document, now: int) -> tuple[int | None, int]:
    """(start, end) of a match in milliseconds since 1970; None for an unknown start."""
    started, ended = _time(raw.get("started")), _time(raw.get("ended"))
    if ended is None or (started is not None and started > ended):
        raise Unusable("'ended' must be a time, and not before 'started'.")
    if ended > now + CLOCK_SLACK_MS:
        raise Refused("future-game", ended=_iso(ended)[:10], today=_iso(now)[:10])
    return started, ended


def _identity(raw: Document) -> str:
    # Files of versions before 1.0 have no identities; the same file is known again by its content.
    content = hashlib.sha256(encode_sorted(raw).encode()).hexdigest()
    identity = raw.get("id", content)
    if not is_id(identity):
        raise Unusable("'id' must be 1 to 64 letters and digits.")
    return str(identity)


def _record(game: Game, raw: object) -> tuple[Record, Position]:
    """A match's record and its last position."""
    record = records.parse(raw)
    last = played(record)[-1]  # which refuses actions that cannot be encoded
    if kept_game(record.game, record.game.options_at(last, record.options)).name != game.name:
        raise Unusable("'record' must be of this game.")
    for name in last.players:
        checked_name(name)
    return record, last


def _as_saved(game: Game, players: Sequence[Participant], raw: object) -> tuple[Participant, ...]:
    """The players of a record by earlier rules, with the totals that the match was saved with."""
    saved = raw if isinstance(raw, list) else []
    if [one.get("name") for one in saved if isinstance(one, dict)] != [one.name for one in players]:
        raise Unusable("'players' must be those of the record.")
    kept = []
    for player, entry in zip(players, saved, strict=True):
        kept.append(replace(player, total=_total(entry.get("total")), won=entry.get("won") is True))
    _require_best_won(game, kept)
    return tuple(kept)


def _players(game: Game, raw: object) -> tuple[tuple[Participant, ...], bool]:
    """The players of a match without a record, and whether all their sheets keep the rules."""
    if not isinstance(raw, list) or not 1 <= len(raw) <= game.max_players:
        raise Unusable(f"'players' must be a list of one to {game.max_players} players.")
    players: list[Participant] = []
    sheets: list[KeptSheet] = []
    names: list[str] = []
    is_of_somebody, is_sound, is_countable = False, True, True
    for entry in raw:
        player, sheet = _player(game, entry)
        if player.name:
            require_free(player.name, names)
            names.append(player.name)
        players.append(player)
        is_of_somebody |= bool(player.name) or player.total is not None or sheet is not None
        if sheet is not None:
            sheets.append(sheet)
            is_sound &= not sheet.has_problems
            is_countable &= sheet.is_countable
    if not is_of_somebody:
        raise Unusable("Nobody in it has a name or a total.")
    if not is_countable:
        return tuple(replace(player, won=False) for player in players), is_sound
    if len(sheets) == len(players):
        wins = standings.winners(game, [sheet.result for sheet in sheets])
        for place, has_won in enumerate(wins):
            players[place] = replace(players[place], won=has_won)
    _require_best_won(game, players)
    return tuple(players), is_sound


def _require_best_won(game: Game, players: Sequence[Participant]) -> None:
    """Raises `Unusable` where a winner's total is not the best one."""
    if any(player.is_deleted for player in players):
        return  # without the record, nothing says whether the best had left before the end
    totals = [player.total for player in players if player.total is not None]
    best = game.best(totals) if totals else None
    for player in players:
        if player.won and player.total is not None and player.total != best:
            raise Unusable(f"It says that somebody won with {player.total} points against {best}.")


def _player(game: Game, entry: object) -> tuple[Participant, KeptSheet | None]:
    if not isinstance(entry, dict) or not isinstance(entry.get("won"), bool):
        raise Unusable("A player is an object that says who has 'won'.")
    name = None if entry.get("name") is None else checked_name(entry["name"])
    if entry.get("sheet") is None:
        return Participant(name, _total(entry.get("total")), entry["won"], None), None
    sheet = standings.read(game, entry["sheet"])
    total = _total(sheet.result.total) if sheet.is_countable else None
    written = _total(entry.get("written"))
    return Participant(name, total, entry["won"], sheet.document, written), sheet


def _total(raw: object) -> int | None:
    """A player's total; None when it was deleted with the person."""
    if raw is None:
        return None
    if not is_whole(raw) or raw not in TOTALS:
        raise Unusable(
            f"'total' must be null or a whole number from {TOTALS.start} to {TOTALS.stop - 1}."
        )
    return raw


def _time(raw: object) -> int | None:
    """A time in ISO 8601 with a zone, as milliseconds since 1970; None if there is no time."""
    if raw is None:
        return None
    try:
        read = datetime.fromisoformat(raw) if isinstance(raw, str) else None
    except ValueError:
        read = None
    if read is None or read.tzinfo is None:
        raise Unusable("A time is written like 2026-11-21T20:15:00.000Z.")
    milliseconds = to_milliseconds(read)
    if not 0 <= milliseconds <= LATEST:
        raise Unusable("A time must be from 1970 to 9999.")
    return milliseconds


def _iso(at: int) -> str:
    """Milliseconds since 1970 in ISO 8601."""
    seconds, rest = divmod(at, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:03}Z"


# The CSV's columns. Programs read the titles, too, so they are not translated.
COLUMNS: Final = (
    "game_number", "ended_utc", "minutes", "game", "source", "place", "player", "total", "won",
    "notes",
)  # fmt: skip


def to_csv(matches: Iterable[SavedMatch], separator: str = ",") -> bytes:
    """The matches as CSV, one line a player, safe to open in a spreadsheet.

    It is not a backup: apostrophes that `escape_formula` adds stay, and notes are on one line. All
    numbers are whole, so that no country's decimal sign is in them.

    Args:
        separator: a comma, or a semicolon for countries whose numbers have a decimal comma.
    """
    out = io.StringIO()
    # Texts are quoted and numbers are not, so that a spreadsheet distinguishes them.
    writer = csv.writer(out, delimiter=separator, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(COLUMNS)
    for number, (_, match) in enumerate(_oldest_first(matches), start=1):
        minutes = "" if match.minutes is None else match.minutes
        for player in match.players:
            writer.writerow(
                (
                    number,
                    f"{match.ended_at:%Y-%m-%d %H:%M:%S}",
                    minutes,
                    match.game.name if match.game.name in GAMES else escape_formula(match.title),
                    match.source,
                    escape_formula(match.place),
                    escape_formula(player.name or ""),
                    "" if player.total is None else player.total,
                    int(player.won),
                    escape_formula(BREAK.join(match.notes.splitlines())),
                )
            )
    # Spreadsheets take a file for UTF-8 only when it begins with a byte order mark.
    return ("\ufeff" + out.getvalue()).encode()


# Replaces a line break: spreadsheets that split at semicolons do not know that it is quoted
BREAK: Final = " / "

# A place at which some spreadsheet begins a cell, before something that it runs as a formula.
# Spreadsheets split at commas, at semicolons (German and Spanish ones), at tabs and at line breaks.
# Formulas begin with the characters of OWASP's list, their full-width forms, and what Lotus and DDE
# add to it; spaces and quotation marks before them are passed over.
_FORMULA: Final = re.compile(
    "(^|[,;\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029])"
    "(?=[ '\"\u00a0\u1680\u2000-\u200d\u202f\u205f\u3000\ufe0e\ufe0f\ufeff]*"
    "[=+\\-@|%＝＋－＠\t\r\n\0])"
)


def escape_formula(text: str) -> str:
    """A cell's text, with an apostrophe before a possible formula of a spreadsheet."""
    return _FORMULA.sub(r"\1'", text)


def encode_sorted(document: Document) -> str:
    """JSON in ASCII: a record may hold half a surrogate pair, which no encoding takes."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"))
