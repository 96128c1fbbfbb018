"""Random games: the rules and a naive referee must agree at every step, also on nonsense."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from companion.games.qwixx.rules import Qwixx
from tests.kit import qwixx
from tests.kit.games import NAMES, steady
from tests.kit.oracles.qwixx import Referee

SEEDS = st.integers(0, 2**32 - 1)


def played(seed: int) -> tuple[Referee, list[Qwixx]]:
    """A whole game, compared at every step; and the positions from the first to the last."""
    chance = random.Random(seed)
    referee = Referee(list(NAMES[: chance.randint(2, 5)]))
    positions = [qwixx.table(*referee.players)]
    for action in qwixx.whole_game(referee, chance):
        positions.append(qwixx.play_both(positions[-1], referee, action))
        qwixx.compare(positions[-1], referee)
    return referee, positions


@given(SEEDS)
@steady(6)
def test_a_whole_game_is_what_the_referee_sees(seed: int) -> None:
    """The fingerprint changes with what all share, and nothing else."""
    _, positions = played(seed)
    assert positions[-1].over
    assert not any(position.over for position in positions[:-1])
    for before, after in pairwise(positions):
        was, now = (
            (at.turn, at.white, at.colored, at.in_color_step, at.over) for at in (before, after)
        )
        assert (before.fingerprint == after.fingerprint) == (was == now)


def test_the_random_games_end_in_every_way() -> None:
    """Or the properties above would say nothing about one of them."""
    ends = set()
    for seed in range(5):
        position = played(seed)[1][-1]
        ends.add("rows" if len(position.closed) >= 2 else "failed")
        ends.add("in the color step" if position.in_color_step else "in the white step")
    assert ends == {"rows", "failed", "in the white step", "in the color step"}


@given(SEEDS)
@steady(2)
def test_nothing_illegal_is_accepted_and_nothing_legal_refused(seed: int) -> None:
    """Everything that could ever be legal is tried in some positions of a game and after it."""
    chance = random.Random(seed)
    referee = Referee(list(NAMES[: chance.randint(2, 3)]))
    position = qwixx.table(*referee.players)
    for action in qwixx.whole_game(referee, chance):
        position = qwixx.play_both(position, referee, action)
        if chance.random() < 0.06:
            _try_every_entry(position, referee)
    _try_every_entry(position, referee)


def _try_every_entry(position: Qwixx, referee: Referee) -> None:
    for action in referee.every_entry():
        assert (qwixx.code(position, action) or "legal") in (referee.why_not(action) or {"legal"})
    for player in referee.players:
        qwixx.compare_open_crosses(position, referee, player)


@given(st.data(), st.integers(0, 4))
@steady(150)
def test_one_action_in_the_middle_of_a_game_is_judged_alike(
    data: st.DataObject, steps: int
) -> None:
    """Shorter than a game and therefore more of them: every refusal comes up here."""
    players = list(NAMES[:2])
    sheets = {players[0]: data.draw(qwixx.lawful_sheets())}
    referee = Referee(players, already=sheets)
    position = qwixx.table(*players, **sheets)
    chance = random.Random(data.draw(SEEDS))
    for action, _ in zip(qwixx.whole_game(referee, chance), range(steps), strict=False):
        position = qwixx.play_both(position, referee, action)
    position = qwixx.play_both(position, referee, data.draw(qwixx.actions(players)))
    position = qwixx.play_both(position, referee, qwixx.NEXT)
    qwixx.compare(position, referee)


class Game(RuleBasedStateMachine):
    """A game in which anything may come in at any time, and a failing one is made short."""

    @initialize(count=st.integers(2, 3), data=st.data())
    def sit_down(self, count: int, data: st.DataObject) -> None:
        players = list(NAMES[:count])
        sheets = {players[0]: data.draw(qwixx.lawful_sheets())}
        self.referee = Referee(players, already=sheets)
        self.position = qwixx.table(*players, **sheets)

    @rule(data=st.data(), seed=SEEDS)
    def something_legal(self, data: st.DataObject, seed: int) -> None:
        story = self.referee.story()
        if story["phase"] == "roll":
            self._play(qwixx.lucky_roll(story, random.Random(seed)))
            return
        legal = self.referee.legal_entries()
        assert bool(legal) != (story["phase"] == "over")
        if legal:
            self._play(data.draw(st.sampled_from(legal)))

    @rule(data=st.data())
    def anything(self, data: st.DataObject) -> None:
        self._play(data.draw(qwixx.actions(self.referee.players)))

    def _play(self, action: Any) -> None:
        self.position = qwixx.play_both(self.position, self.referee, action)

    @invariant()
    def both_see_the_same(self) -> None:
        qwixx.compare(self.position, self.referee)


def test_anything_may_come_in_at_any_time() -> None:
    run_state_machine_as_test(Game, settings=steady(20, stateful_step_count=20))
