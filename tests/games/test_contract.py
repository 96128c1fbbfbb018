"""The contract of a game's package: what tables, pages and records need of any game.

Whole random games of each game in the catalogue, and of a toy that is in none (`toy.py`).
"""

from __future__ import annotations

import copy
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import FrozenInstanceError, replace
from functools import cache
from itertools import islice, pairwise, product
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from flask import Flask

from companion.core.game import Game
from companion.core.refusal import Unusable
from companion.core.rolling import BY_APP, ROLLED
from companion.core.sheet import AnySheetKind, Blank, Box, Paper
from companion.core.words import Sentence
from companion.games import record, standings
from companion.games.catalog import GAMES, PACKAGES, SHEETS
from companion.games.legal import legal_actions
from companion.tables import Tables
from companion.tables.play.access import join_link
from companion.tables.play.lobby import set_setting, start
from companion.tables.play.roller import roll
from lab import layouts, play, sheets, toy, wrong
from lab.pages import Page
from lab.phones import Phone
from lab.play import code, entry, said, some_action
from lab.tables import Evening
from tests.e2e.stage import app_with_toys

ALL: dict[str, Game] = {**GAMES, toy.GAME.name: toy.GAME, toy.OF_ALL.name: toy.OF_ALL}
KINDS: dict[str, AnySheetKind] = {game.sheet.name: game.sheet for game in ALL.values()}
ROOT = Path(__file__).resolve().parents[2]
NAMES = ("%(player)s", "100 %% {x}", "Zoë", "%s", "6")
"""Names are never used as format strings."""
NO_NAMES: tuple[Any, ...] = (None, True, 1, 1.5, [], ["Ada"], {}, "", " \t", "\ud800")
UNKNOWN = ("Nobody", "zoë", "Zo ë", "%(dice)s", "0", "Zoë\u200b", "Zoë" * 1_000)
LOOKED_AT = 12
"""Positions that are looked at closely at a game's beginning; about as many are later."""
SEEDS = 2
"""Random games of each number of players in which kinds of positions are sought."""
MOST_KINDS = 60
"""Limit of the kinds of positions that are drawn."""
LAST_ACTIONS = 3
GERMAN = {"Accept-Language": "de"}
LONGEST_STEP = 75
"""Limit of the letters in a line that explains a step."""

each_game = pytest.mark.parametrize("game", ALL.values(), ids=lambda game: game.name)


class Played(NamedTuple):
    """A random game: each position before its action, and the last one."""

    game: Game
    positions: tuple[Any, ...]
    actions: tuple[dict[str, Any], ...]

    @property
    def steps(self) -> Iterator[tuple[Any, dict[str, Any]]]:
        """Some positions with the action that follows."""
        steps = list(zip(self.positions, self.actions, strict=False))
        yield from steps[:LOOKED_AT]
        yield from steps[LOOKED_AT :: len(steps) // LOOKED_AT + 1]

    @property
    def looked_at(self) -> Iterator[Any]:
        """Some positions, the last one among them."""
        yield from (position for position, _ in self.steps)
        yield self.positions[-1]


def moves_of(game: Game) -> Any:
    return toy if game.name in toy.GAMES else play.moves_of(game.name)


@cache
def played(game: Game, seed: int = 1, players: int = 3) -> Played:
    chance = random.Random(seed)
    moves = moves_of(game)
    names = NAMES[: min(game.max_players, max(game.min_players, players))]
    position = game.start(names, {name: values[0] for name, values in game.options.items()})
    positions, actions = [position], []
    while not position.over or position.deciding:
        close = game.close and {**game.close, "by": position.active}
        if close and chance.random() < 0.1 and not code(position, close):
            actions.append(close)
        else:
            actions.append(some_action(position, moves, chance))
        position = play.after(position, actions[-1])
        positions.append(position)
    return Played(game, tuple(positions), tuple(actions))


def is_signed(game: Game, action: dict[str, Any]) -> bool:
    """Whether the action has to name its player."""
    return "by" in action and action["do"] != (game.close or {}).get("do")


# Records and positions


@pytest.mark.parametrize("name", GAMES)
def test_a_replayed_record_is_the_same_game(name: str) -> None:
    game, positions, actions = played(GAMES[name])
    options = {option: values[0] for option, values in game.options.items()}
    made = record.Record(game, positions[0].players, options, actions)
    document = json.loads(json.dumps(made.document()))
    parsed = record.parse(document)
    assert parsed.document() == document
    replay = record.replay(parsed)
    assert (replay.accepted, replay.refusal) == (len(actions), None)
    assert replay.position == positions[-1]
    assert hash(replay.position) == hash(positions[-1])
    assert (positions[0], *record.positions(positions[0], actions)) == positions
    printed = json.loads(json.dumps(replay.document()))
    assert set(printed["sheets"]) == set(printed["scores"]) == set(positions[-1].players)


@each_game
def test_positions_never_change_and_can_be_kept_in_sets(game: Game) -> None:
    """Positions stay the same when the played action or a returned document is changed."""
    _, positions, actions = played(game)
    for position, action in zip(positions, actions, strict=False):
        looked, hashed, given = repr(position), hash(position), copy.deepcopy(action)
        after = position.play(given)
        assert given == action
        scribble(given)
        assert after == position.play(action)
        assert (repr(position), hash(position)) == (looked, hashed)
    assert len(set(positions)) == len(positions)
    changed: Any = positions[0]
    with pytest.raises(FrozenInstanceError):
        changed.over = True
    for player in changed.players:
        sheet = changed.sheet(player)
        scribble(changed.sheet(player))
        assert changed.sheet(player) == sheet


def scribble(value: Any) -> None:
    """Changes everything inside that can be changed."""
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            scribble(inner)
    if isinstance(value, list):
        value.append("x")
    else:
        value["x"] = "y"


@each_game
def test_turns_and_steps_are_counted_and_the_fingerprint_covers_what_all_share(
    game: Game,
) -> None:
    story = played(game)
    positions, first = story.positions, story.positions[0]
    assert (first.turn, first.step, first.active) == (1, 1, first.players[0])
    for before, after in pairwise(positions):
        assert after.step - before.step in (0, 1)
        assert after.turn - before.turn in (0, 1)
        if after.step == before.step and not after.over:
            joined = set(after.present) - set(before.present)
            assert set(after.awaited) - joined <= set(before.awaited)
        else:
            assert after.fingerprint != before.fingerprint
    for position, action in zip(positions, story.actions, strict=False):
        others = set(position.awaited) - {position.active}
        if action.get("by") in others and len(position.awaited) > 1:
            assert position.play(action).fingerprint == position.fingerprint, "a sheet of one's own"
    for position in positions:
        assert position.over == (not position.awaited) == bool(position.winners())
        assert position.active in position.players
        assert not position.awaited or set(position.awaited) <= set(position.players)


@each_game
def test_the_best_result_wins(game: Game) -> None:
    last = played(game).positions[-1]
    assert last.over, "or the rest proves nothing"
    results = {player: last.result_of(player) for player in last.players}
    assert last.winners() == tuple(
        player for player in last.players if results[player] == max(results.values())
    )


# Refusals


@each_game
def test_an_action_without_a_known_do_is_a_bad_action(game: Game) -> None:
    known = [f" {do}" for do in game.panel.actions] + [do.title() for do in game.panel.actions]
    known += {do for other in ALL.values() for do in other.panel.actions} - set(game.panel.actions)
    for position in played(game).looked_at:
        for action in (None, True, 1, "roll", [], [{"do": "next"}], {}, {"by": "6"}):
            assert code(position, action) == "bad-action", action
        for do in (*NO_NAMES, *known, "undo"):
            assert code(position, {"do": do, "by": position.active}) == "bad-action", do


@each_game
def test_an_action_is_made_by_somebody_at_the_table(game: Game) -> None:
    for position, action in played(game).steps:
        if not is_signed(game, action):
            continue
        unsigned = {key: value for key, value in action.items() if key != "by"}
        assert code(position, unsigned) == "bad-action"
        for name in NO_NAMES:
            assert code(position, {**action, "by": name}) == "bad-action", name
        for name in UNKNOWN:
            assert code(position, {**action, "by": name}) == "unknown-player", name
        for by in (f" {action['by']}\n", f"\u00a0{action['by']}\u2003"):
            assert position.play({**action, "by": by}) == position.play(action)


@each_game
def test_anyone_may_close_a_step_and_fields_that_are_not_needed_are_ignored(game: Game) -> None:
    story = played(game)
    others = {field: 7 for action in story.actions for field in action} | {"time": "12:00"}
    not_beside = getattr(moves_of(game), "NOT_BESIDE", {})
    for position, action in story.steps:
        refused = {other for field in action for other in not_beside.get(field, ())}
        for field in refused:
            assert code(position, {**action, field: 7}) == "bad-action"
        ignored = {field: value for field, value in others.items() if field not in refused}
        assert position.play({**ignored, **action}) == position.play(action)
        if not is_signed(game, action):
            for by in ("Nobody", None, 7, []):
                assert position.play({**action, "by": by}) == position.play(action)


@each_game
def test_nothing_is_allowed_after_the_end(game: Game) -> None:
    _, positions, actions = played(game)
    may_follow = positions[-1].AFTER_END
    last = {action["do"]: action for action in actions if action["do"] not in may_follow}
    assert {code(positions[-1], action) for action in last.values()} == {"game-over"}


@each_game
def test_everybody_acts_once_in_a_step_and_nobody_begins_for_another(game: Game) -> None:
    """In games whose players may pass; the rules decide who begins a turn."""
    story = played(game)
    for position in story.looked_at:
        if position.over or game.pass_action(position.active) is None:
            continue
        for player in position.players:
            refused = code(position, game.pass_action(player))
            if player in position.awaited:
                assert refused in (None, "wrong-moment")
            else:
                assert refused in ("already-acted", "not-your-turn")
        closed = {"active-must-act"} if position.active in position.awaited else {None}
        assert code(position, game.close) in closed
        dice = position.next_roll
        if dice is not None:
            roll = dice.roll({die.part: die.faces[0] for die in dice.dice})
            for other in set(position.players) - {position.active}:
                assert code(position, {**roll, "by": other}) == "not-your-turn"


@each_game
def test_a_wrong_value_anywhere_in_an_action_is_refused(game: Game) -> None:
    """Each field of each action that was legal is left out, of another type, or out of its range.

    `OUT_OF_RANGE` in a game's moves has the codes of the last: values and names that do not exist,
    and one item twice.
    """
    story = played(game)
    types = wrong.types(story.actions)
    may_lack, out_of_range = set[str](), defaultdict[str, set[str | None]](set)
    for position, action in first_of_each_kind(story):
        fields = {name: value for name, value in action.items() if name not in ("do", "by")}
        for name in fields:
            lacking = code(position, {key: action[key] for key in action if key != name})
            assert lacking in (None, "bad-action", "wrong-moment"), name
            may_lack |= {name} if lacking is None else set()
        for path, value in wrong.places(fields):
            for other in wrong.of_type(value, types[wrong.field(path)]):
                refused = code(position, wrong.put(action, path, other))
                assert refused == "bad-action", (path, other)
            for other in wrong.of_range(value):
                out_of_range[str(path[0])].add(code(position, wrong.put(action, path, other)))
    moves = moves_of(game)
    assert may_lack == getattr(moves, "MAY_LACK", set())
    known = moves.OUT_OF_RANGE
    if moves is toy:  # it has several games
        known = {part: known[part] for part in out_of_range}
    assert out_of_range == known


def first_of_each_kind(story: Played) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The first three of each kind of action, with the position before it."""
    kinds = Counter[tuple[str, ...]]()
    for position, action in zip(story.positions, story.actions, strict=False):
        kind = (action["do"], *sorted(action))
        kinds[kind] += 1
        if kinds[kind] <= 3:
            yield position, action


# The panel


def shape(sentence: Any) -> object:
    """What a sentence says, without its names and numbers."""
    inside = [shape(value) for value in sentence.values.values() if isinstance(value, Sentence)]
    return (sentence.text, *inside)


def seen_on(game: Game, story: Played, number: int) -> Iterator[object]:
    """What a page shows after so many actions: its sentences, and what can be tapped."""
    panel, position = game.panel, story.positions[number]
    yield "players", len(position.players)
    yield "end", position.over, len(story.actions) - number < LAST_ACTIONS
    if number:
        yield "after", *sorted(story.actions[number - 1])
    for sentence in (*panel.news(position), *panel.ended(position)):
        yield "news", shape(sentence)
    for here in ([], *([player] for player in position.players), position.players):
        yield "hint", len(here), shape(panel.hint(position, here))
        for sentence in (*game.guide.now(position, here), game.guide.step(position, here)):
            yield "guide", sentence and shape(sentence)
    for player in position.players:
        for tap in panel.taps(position, player).values():
            yield "tap", tap.is_open, tap.costs, bool(tap.choices), bool(tap.ghost)
        yield "button", panel.passing(position, player)
        yield "choice", panel.player_facts(position, player) is None
        for thing in panel.left(position, player):
            yield "left", shape(thing.name), thing.count > 0
        filled = game.filled(position, player)
        for term in filled.terms if filled else ():
            yield "term", shape(term.name), term.won_at, term.so_far_at, term.points > 0
    dice, call = position.next_roll, panel.call_texts(position)
    yield "dice", dice and (len(dice.dice), dice.left), call and shape(call.under_way)


def kinds_of_positions(game: Game) -> Iterator[tuple[Played, int]]:
    """(random game, number of actions) after which a page shows something for the first time."""
    seen = set[str]()
    sizes = {min(game.max_players, max(game.min_players, size)) for size in (1, 2, 3)}
    for seed, size in product(range(SEEDS), sizes):
        story = played(game, seed, size)
        for number in range(len(story.positions)):
            shown = {repr(thing) for thing in seen_on(game, story, number)}
            if shown - seen:
                seen |= shown
                yield story, number


@each_game
def test_a_page_is_drawn_for_every_kind_of_position(
    game: Game, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """On one phone for all and on two, with the correction of the last entry.

    A page leaves out a sentence that cannot be said, and logs it.
    """
    url = f"sqlite:///{tmp_path / 'pages.sqlite3'}"
    with closing(Tables(url)) as tables, app_with_toys(tables) as app:
        for story, number in islice(kinds_of_positions(game), MOST_KINDS):
            try:
                draw_pages(app, tables, story, number)
                # A browser test before it in the same process may leave a task behind.
                assert not [log.getMessage() for log in caplog.records if log.name != "asyncio"]
            except Exception as fault:
                position = story.positions[number]
                hint = said(game.panel.hint(position))
                fault.add_note(f"In turn {position.turn}, after {number} actions: {hint}")
                raise


def draw_pages(app: Flask, tables: Tables, story: Played, number: int) -> None:
    game, names = story.game, story.positions[0].players
    record = play.record_of(names, [*story.actions[:number]], game.name)
    host, guest = Phone(app), Phone(app)
    evening = Evening(tables, tables.import_record(host.device, record), host.device)
    path, entries = f"/t/{evening.id}/", evening.read().entries
    host.page(path, headers=GERMAN)
    if entries and not game.panel.actions[entries[-1].action["do"]].is_undone_only:
        host.page(f"{path}turns/{entries[-1].id}", headers=GERMAN)
    link = evening.change(join_link)
    for name in names[1:]:
        tables.enter(link.id, guest.device, seat=evening.seat(name))
    for phone in (host, guest) if names[1:] else ():
        phone.page(path, headers=GERMAN)


def test_any_player_rolls_where_a_game_says_so_and_a_turn_of_all_has_hints_without_a_pass(
    tmp_path: Path,
) -> None:
    """On phones that write on their own sheets only, and then on one phone for all."""
    tables = Tables(f"sqlite:///{tmp_path / 'pages.sqlite3'}")
    with app_with_toys(tables) as app:
        host, ben = Phone(app), Phone(app)
        players = [("Ada", "red"), ("Ben", "blue"), ("Cleo", "green")]
        table_id = tables.create(host.device, toy.OF_ALL.name, players=players)
        evening = Evening(tables, table_id, host.device)
        evening.change(start)
        for setting, is_on in (("roller", True), ("shared_entry", False)):
            evening.change(set_setting, setting, is_on)

        def seen(phone: Phone) -> tuple[str, str, bool, list[tuple[str, str]]]:
            """The hint's text, who rolls, whether dice are shown, and the hint of each sheet."""
            page = Page(phone.get(f"/t/{table_id}/").text)
            (hint,) = [one for one in page.all("p") if one.attrs.get("data-drawn") == "hint"]
            each = []
            for one in page.having("data-of"):
                each.append((str(one.attrs["data-said"]), str(one.attrs["data-then"])))
            rolls = str(page.one(id="table").attrs["data-rolls"])
            return " ".join(hint.text.split()), rolls, bool(page.all(id="dice")), each

        evening.tap(action=evening.read().position.roll([1, 2, 3]))
        hint, _, _, each = seen(host)
        assert hint == "Ada: cross a number"
        assert each == [
            ("Ada: cross a number", ". Then Ben"),
            ("Ben: cross a number", ". Then Ada"),
            ("Cleo: cross a number", ". Then Ada"),
        ]
        evening.undo()

        link = evening.change(join_link)
        tables.enter(link.id, ben.device, seat=evening.seat("Ben"))
        own = evening.on(ben.device)
        assert seen(ben) == ("Roll, then tap the dice", "yes", True, [])
        own.tap(dice={"dice.0": 3}, moment=own.read().moment)
        own.change(roll, [], own.read().moment)
        hint, *_ = seen(ben)
        assert hint == "Your turn: cross a number. Waiting for Ada and Cleo, too"
        number = own.read().position.fitting("Ben")[0]
        own.do({"do": "cross", "by": "Ben", "number": number})
        hint, *_ = seen(ben)
        assert hint == "Waiting for Ada, Cleo"
    tables.close()


@each_game
def test_taps_agree_with_the_rules(game: Game) -> None:
    """Taps on open fields are legal, and those on other fields are refused."""
    for position in played(game).looked_at:
        for player in position.players:
            filled = game.filled(position, player)
            fields = {field.id for field in filled.layout.fields} if filled else set()
            taps = game.panel.taps(position, player)
            assert taps.keys() <= fields
            assert not taps or player in position.awaited
            for name, tap in taps.items():
                assert tap.action["by"] == player, name
                actions = [{**tap.action, **more} for _, more in tap.choices] or [tap.action]
                legal = {code(position, action) is None for action in actions}
                assert legal == {tap.is_open or tap.costs or bool(tap.choices)}, name
            assert game.panel.marks(position, player).keys() <= fields
            for thing in game.panel.left(position, player):
                assert said(thing.name)
                assert said(thing.sign)
                assert thing.count >= 0 or not thing.color, "points, not things"
            assert game.panel.player_facts(position, player) is None or player in position.awaited
            writings = game.panel.writings(position, player)
            assert all(code(position, action) is None for action in islice(writings, 30))


@each_game
def test_legal_actions_have_every_entry_of_a_random_game(game: Game) -> None:
    close = (game.close or {}).get("do")
    for position, action in played(game).steps:
        legal = [dict(each) for each in legal_actions(game, position)]
        assert all(code(position, each) is None for each in legal[:30] + legal[-30:])
        if action["do"] == close:
            assert game.close in legal
        elif action["do"] in {each["do"] for each in legal} and "points" not in action:
            assert action in legal


@each_game
def test_buttons_are_there_when_their_actions_are_allowed(game: Game) -> None:
    for position in played(game).looked_at:
        for player in position.players:
            button, action = game.panel.passing(position, player), game.pass_action(player)
            assert (button is not None) == (action is not None and code(position, action) is None)
            if button and action:
                assert said(button.text)
                passed = position.play(action)
                lost = position.score(player)["total"] - passed.score(player)["total"]
                assert button.costs == (lost > 0)
                before, after = (game.filled(at, player) for at in (position, passed))
                taps = game.panel.taps(position, player).items()
                costing = {name for name, tap in taps if tap.costs}
                has_fields = any(field.id == "failed.1" for field in before.layout.fields)
                assert bool(costing) == (button.costs and has_fields)
                assert costing <= after.marks.keys() - before.marks.keys(), "its cross goes there"
        if game.close:
            assert said(game.panel.closing(position).text)


@each_game
def test_dice_rolled_by_the_app_are_a_roll(game: Game) -> None:
    chance = random.Random(3)
    rolled = 0
    for position in played(game).looked_at:
        dice = position.next_roll
        if dice is None:
            continue
        rolled += 1
        assert all(said(die.name) for die in dice.dice)
        some = dice.dice[: chance.randint(1, len(dice.dice))] if dice.is_chosen else dice.dice
        action = dice.roll({die.part: chance.choice(die.faces) for die in some})
        assert code(position, {**action, ROLLED: BY_APP}) is None
        words = said(game.panel.describe(position, {**action, ROLLED: BY_APP}))
        assert words == f"{said(game.panel.describe(position, action))} (rolled by the app)"
    assert bool(rolled) == game.has_dice


@each_game
def test_words_for_every_action_and_position(game: Game) -> None:
    story = played(game)
    for position, action in story.steps:
        for before in (position, None):
            words = said(game.panel.describe(before, action))
            assert action.get("by", action.get("player", "")) in words
    for position in story.looked_at:
        for here in ([], *([player] for player in position.players), position.players):
            assert said(game.panel.hint(position, here))
            assert all(said(sentence) for sentence in game.guide.now(position, here))
            step = game.guide.step(position, here)
            assert step is None or said(step)
        assert all(said(sentence) for sentence in game.panel.news(position))
        call = game.panel.call_texts(position)
        if call:
            assert all(said(sentence) for sentence in (call.under_way, call.again)) and call.short
    last = story.positions[-1]
    assert said(game.panel.hint(last)) == "The game is over."
    assert [said(reason) for reason in game.panel.ended(last)]
    assert not game.panel.news(last)
    known = {action["do"] for action in story.actions}
    assert known | set(getattr(moves_of(game), "OF_OPTIONS", ())) == set(game.panel.actions)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_the_guide_says_how_to_act_with_sentences_of_the_rules(game: Game) -> None:
    """It explains each step of a first game in one line, which fits even a lying phone."""
    known = [sentence for _, sentences in game.guide.chapters for sentence in sentences]
    assert all(said(sentence).endswith(".") for sentence in known)
    steps = set[str]()
    for position in played(game).positions:
        assert game.guide.step(position, []) is None
        for player in position.players:
            now = game.guide.now(position, [player])
            assert all(sentence in known for sentence in now)
            assert now or player != position.active or player not in position.awaited
            step = game.guide.step(position, [player])
            assert not (step and position.over)
            steps |= {step.text} if step else set()
    assert len(steps) >= 2, "one for whoever is asked, another one later"
    assert max(map(len, steps)) <= LONGEST_STEP
    example = game.guide.example
    assert (example is not None) == game.has_sheet
    assert example is None or game.sheet.filled(example).problems == ()


@each_game
def test_an_entry_can_be_picked_again(game: Game) -> None:
    """A picker's parts are JSON, and its action is of the entry's kind."""
    story = played(game)
    steps = zip(story.positions, story.actions, strict=False)
    entries = [entry(action, at.turn, str(number)) for number, (at, action) in enumerate(steps)]
    for position, action in story.steps:
        assert game.panel.facts(position, entries[: story.positions.index(position)])
        picker = game.panel.picker(position, entry(action, position.turn))
        if picker is None:
            continue
        template = json.loads(str(picker["action"]))
        assert template["do"] in game.panel.actions
        assert isinstance(json.loads(str(picker.get("json", "{}"))), dict)
        assert set(str(picker["needs"]).split())


@each_game
def test_an_adapted_action_is_allowed(game: Game) -> None:
    story = played(game)
    for position, _ in story.steps:
        for action in story.actions[:40]:
            adapted = game.adapt(position, action)
            assert adapted is None or code(position, adapted) is None


# Sheets


each_paper = pytest.mark.parametrize(
    ("kind", "board"),
    [(kind, board) for kind in KINDS.values() for board in kind.every_board],
    ids=[f"{name}-{board}" for name, kind in KINDS.items() for board in kind.every_board],
)


@each_paper
def test_a_sheet_and_its_pad_are_laid_out_well(kind: AnySheetKind, board: str) -> None:
    found = layouts.faults(kind, board)
    assert not found, "\n".join(("", *found))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"at": (10.0, 13.0)}, "field '1' and the place of the names' code are less than"),
        (
            {"width": 150.0},
            "blank 'date' reaches 25 mm beyond the pad's margin of 2 mm at the right.",
        ),
        (
            {"blanks": (Blank("sum.total", Box(176, 68, 9, 7), None),)},
            "blank 'sum.total' lies over the bottom-right marker with its",
        ),
    ],
)
def test_a_fault_of_a_pad_is_reported_in_words(change: dict[str, Any], sentence: str) -> None:
    class Wrong(toy.ToyKind):
        def paper(self, board: str) -> Paper:
            return replace(super().paper(board), **change)

    assert sentence in "\n".join(layouts.faults(Wrong(), ""))


@each_game
def test_a_players_sheet_makes_round_trips(game: Game) -> None:
    for position in played(game).looked_at:
        for player in position.players:
            filled = game.filled(position, player)
            if filled is None:
                kept = standings.read(game, position.sheet(player))
                assert kept.document == position.sheet(player)
                assert kept.result.total == position.score(player)["total"]
                continue
            assert filled.document == position.sheet(player)
            assert filled.score == position.score(player)
            assert filled.problems == ()
            assert filled.result.total == filled.score["total"]
            assert filled.result.total == sum(term.points for term in filled.terms)
            assert all(said(term.name) for term in filled.terms)
            assert game.sheet.filled(json.loads(json.dumps(filled.document))) == filled


@pytest.mark.parametrize("name", SHEETS)
def test_a_wrong_value_anywhere_in_a_document_is_unusable(name: str) -> None:
    """Of another type, twice, or out of every range; a number a little off may be a problem."""
    documents = [sheets.written(kind, board) for kind, board in sheets.KINDS if kind.name == name]
    types = wrong.types(documents)
    blank = SHEETS[name].marked(SHEETS[name].usual_board, {}).document
    may_be_open = {(field,) for field, value in blank.items() if value is None}
    for path, value in wrong.places(documents[0]):
        open_or_not = {int, type(None)} if path in may_be_open else set()
        others = list(wrong.of_type(value, types[wrong.field(path)] | open_or_not))
        if isinstance(value, int):
            others += [-(10**30), 10**30]
            for near in (-1, 99):
                with suppress(Unusable):
                    sheets.scored(wrong.put(documents[0], path, near))
        # Names may be any, and more rounds follow.
        elif not SHEETS[name].sharing or path == ("sheet",) or types[(*path, 0)] == {str}:
            others += wrong.of_range(value)
        for other in others:
            if other is None and isinstance(path[-1], int):
                continue  # where nothing is written
            with pytest.raises(Unusable) as unusable:
                sheets.scored(wrong.put(documents[0], path, other))
            assert str(unusable.value).endswith("."), (path, other)


# The catalogue


PARTS_OF_A_GAME = (
    "companion/games/{}/rules.py",
    "companion/games/{}/panel.py",
    "templates/games/{}/panel.html",
    "templates/games/{}/art.svg",
    "lab/moves/{}.py",
    "tests/games/{}/oracle.py",
)
PARTS_OF_A_SHEET = (
    "companion/games/{}/layout.py",
    "companion/games/{}/sheet.py",
    "training/games/{}.py",
    "benchmarks/games/{}.py",
    "lab/filled/{}.py",
)


@pytest.mark.every_game
def test_packages_have_their_parts_under_one_name() -> None:
    wanted = [part.format(room) for room in PACKAGES for part in PARTS_OF_A_GAME]
    wanted += [part.format(sheet) for sheet in SHEETS for part in PARTS_OF_A_SHEET]
    assert [path for path in wanted if not (ROOT / path).exists()] == []


@pytest.mark.every_game
def test_games_and_sheets_go_by_their_public_names() -> None:
    assert [game.name for game in GAMES.values()] == list(GAMES)
    assert all(SHEETS[game.sheet.name] is game.sheet for game in GAMES.values())


@pytest.mark.every_game
def test_the_numbers_in_the_markers_are_the_sheets_own() -> None:
    numbers = [sheet.number for sheet in SHEETS.values()]
    assert len(set(numbers)) == len(numbers)
    assert all(0 <= number <= 6 for number in numbers)
