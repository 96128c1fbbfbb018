"""Game records (`companion-record/1`): from JSON, to JSON, and replayed action by action.

The format is what PGN is for chess. `companion.cli` reads the files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from companion.core.game import Game
from companion.core.position import Position
from companion.core.refusal import Refusal, Unusable, bad_action
from companion.core.values import Document, Options, Player, clean_name, is_whole
from companion.games.catalog import GAMES

RECORD_FORMAT: Final = "companion-record/1"
REPLAY_FORMAT: Final = "companion-replay/1"


@dataclass(frozen=True)
class Record:
    """A whole game as a list of actions. The actions have not been checked."""

    game: Game
    players: tuple[Player, ...]
    options: Options
    actions: tuple[object, ...]
    rules: int = 1  # the number of the rules by which it was played

    def first_position(self) -> Position:
        first: Position = self.game.start(self.players, self.options)
        return first

    def document(self) -> Document:
        """The `companion-record/1` object.

        >>> name = next(iter(GAMES))
        >>> document = {"format": RECORD_FORMAT, "game": name, "players": ["Ada", "Ben"]}
        >>> parse({**document, "actions": []}).document()["options"]
        {}
        """
        return {
            "format": RECORD_FORMAT,
            "game": self.game.name,
            **rules_field(self.rules),
            "players": list(self.players),
            "options": dict(self.options),
            "actions": list(self.actions),
        }


def rules_field(number: int) -> Document:
    """The field `rules` of a record, or of a match's start; the first rules have none."""
    return {} if number == 1 else {"rules": number}


@dataclass(frozen=True)
class Replay:
    """How far a record went: `accepted` actions, and the refusal of the next one, if any."""

    position: Position
    accepted: int
    refusal: Refusal | None

    def document(self) -> Document:
        """The `companion-replay/1` object."""
        position = self.position
        refused = self.refusal and {
            "index": self.accepted,
            "code": self.refusal.code,
            "message": self.refusal.message,
        }
        return {
            "format": REPLAY_FORMAT,
            "accepted": self.accepted,
            "refused": refused,
            "turn": {"number": position.turn, "active": position.active},
            "over": position.over,
            "winners": list(position.winners()),
            "sheets": {player: position.sheet(player) for player in position.players},
            "scores": {player: position.score(player) for player in position.players},
        }


def parse(document: object) -> Record:
    """The record in a JSON document.

    Raises:
        Unusable: another format or shape, an unknown game or option, a player count that the game
            does not allow, or names that are empty or not unique. `NewerRules`, see `by_rules`.

    >>> parse({"format": RECORD_FORMAT, "game": "chess"})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    companion.core.refusal.Unusable: Unknown game. The games are: ...
    """
    if not isinstance(document, dict):
        raise Unusable("A game record is a JSON object.")
    if document.get("format") != RECORD_FORMAT:
        raise Unusable(f"This is not a game record of the format '{RECORD_FORMAT}'.")
    name, actions = document.get("game"), document.get("actions")
    if not isinstance(name, str) or name not in GAMES:
        raise Unusable(f"Unknown game. The games are: {', '.join(GAMES)}.")
    if not isinstance(actions, list):
        raise Unusable("'actions' must be a list.")
    number = document.get("rules", 1)
    if not is_whole(number) or number < 1:
        raise Unusable("'rules' must be a whole number from 1.")
    game = GAMES[name].by_rules(number)
    return Record(
        game=game,
        rules=number,
        players=_players(game, document.get("players")),
        options=checked_options(game, document.get("options", {})),
        actions=tuple(actions),
    )


def _players(game: Game, raw: object) -> tuple[Player, ...]:
    if not isinstance(raw, list):
        raise Unusable("'players' must be a list of names.")
    if not game.min_players <= len(raw) <= game.max_players:
        raise Unusable(
            f"{game.name} is for {game.min_players} to {game.max_players} players, not {len(raw)}."
        )
    names = tuple(name for name in map(clean_name, raw) if name is not None)
    if len(names) != len(raw):
        raise Unusable("Every player needs a name that is not empty and can be printed.")
    if len(set(names)) != len(names):
        raise Unusable("The players' names must differ from each other.")
    return names


def checked_options(game: Game, raw: object) -> Options:
    """All the game's options with defaults filled in; raises `Unusable` as `parse` does.

    >>> game = next(game for game in GAMES.values() if game.options)
    >>> checked_options(game, {}) == {name: values[0] for name, values in game.options.items()}
    True
    """
    if not isinstance(raw, Mapping):
        raise Unusable("'options' must be an object.")
    known = {**game.options, **game.more_options}
    for option, value in raw.items():
        if option not in known:
            raise Unusable(f"{game.name} has no option '{option}'.")
        if not _fits(value, known[option]):
            listed = known[option] if isinstance(known[option], tuple) else ("others",)
            raise Unusable(f"The option '{option}' must be one of: {', '.join(map(str, listed))}.")
    raw = game.agreed(raw)
    chosen = {option: raw.get(option, default(allowed)) for option, allowed in known.items()}
    return {
        option: value
        for option, value in chosen.items()
        if option in game.options or value != default(known[option])
    }


def _fits(value: object, allowed: Any) -> bool:
    if type(value) is not type(default(allowed)):
        return False
    return value in ("", allowed(value)) if callable(allowed) else value in allowed


def default(allowed: Any) -> Any:
    """The default of an option with these values."""
    return "" if callable(allowed) else allowed[0]


def play_action(position: Position, action: object) -> Position | Refusal:
    """Plays an action whose outer shape has not been checked yet; see `Position.play`.

    >>> start = next(iter(GAMES.values())).start(("Ada", "Ben"), {})
    >>> play_action(start, ["roll"]).code
    'bad-action'
    """
    if not isinstance(action, Mapping) or not isinstance(action.get("do"), str):
        return bad_action("An action must be an object that says what to 'do'.")
    return position.play(action)


def replay(record: Record) -> Replay:
    """Plays every action in order and stops at the first refused one.

    >>> game = next(iter(GAMES.values()))
    >>> dice = game.start(("Ada", "Ben"), {}).next_roll
    >>> roll = dice.roll({die.part: 3 for die in dice.dice})
    >>> stopped = replay(Record(game, ("Ada", "Ben"), {}, (roll, {**roll, "by": "Ben"})))
    >>> stopped.accepted, stopped.refusal.code
    (1, 'not-your-turn')
    """
    position, accepted = record.first_position(), 0
    for result in positions(position, record.actions):
        if isinstance(result, Refusal):
            return Replay(position, accepted, result)
        position, accepted = result, accepted + 1
    return Replay(position, accepted, None)


def positions(first: Position, actions: Iterable[object]) -> Iterator[Position | Refusal]:
    """The position after each action, from `first` on, until one is refused.

    >>> start = next(iter(GAMES.values())).start(("Ada", "Ben"), {})
    >>> [refused] = positions(start, [{"do": "fly"}, {"do": "next"}])
    >>> refused.code
    'bad-action'
    """
    position = first
    for action in actions:
        result = play_action(position, action)
        yield result
        if isinstance(result, Refusal):
            return
        position = result
