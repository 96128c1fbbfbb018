"""Random games: the rules and a naive referee must agree at every step, also on nonsense."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from companion.core.refusal import Refusal
from companion.games.qwinto import sheet as qwinto
from companion.games.qwinto.sheet import QwintoSheet
from companion.games.qwinto_dice.rules import QwintoDice
from tests.kit import games
from tests.kit.games import NAMES
from tests.kit.oracles.qwinto import Paper, Referee, place_of

SEEDS = st.integers(0, 2**32 - 1)


def played(seed: int) -> tuple[Referee, list[QwintoDice]]:
    """A whole game, compared at every step; and the positions from the first to the last."""
    chance = random.Random(seed)
    referee = Referee(list(NAMES[: chance.randint(2, 6)]))
    positions = [games.table(*referee.players)]
    for action in games.whole_game(referee, chance):
        positions.append(games.play_both(positions[-1], referee, action))
        games.compare(positions[-1], referee)
    return referee, positions


@given(SEEDS)
@games.steady(25)
def test_a_whole_game_is_what_the_referee_sees(seed: int) -> None:
    _, positions = played(seed)
    assert positions[-1].over
    assert not any(position.over for position in positions[:-1])


@given(SEEDS)
@games.steady(8)
def test_exactly_the_open_fields_may_be_written(seed: int) -> None:
    """All twenty-seven fields are tried for everybody, after every third action or so."""
    chance = random.Random(seed)
    referee = Referee(list(NAMES[: chance.randint(2, 4)]))
    position = games.table(*referee.players)
    for action in games.whole_game(referee, chance):
        position = games.play_both(position, referee, action)
        if chance.random() < 0.3:
            for player in referee.players:
                games.compare_open_fields(position, referee, player)
    for player in referee.players:
        assert position.open_fields(player) == ()


@given(SEEDS)
@games.steady(4)
def test_nothing_illegal_is_accepted_and_nothing_legal_refused(seed: int) -> None:
    """Everything that could ever be legal is tried in some positions of a game and after it."""
    chance = random.Random(seed)
    referee = Referee(list(NAMES[: chance.randint(2, 3)]))
    position = games.table(*referee.players)
    for action in games.whole_game(referee, chance):
        position = games.play_both(position, referee, action)
        if chance.random() < 0.1:
            _try_everything(position, referee)
    _try_everything(position, referee)


def _try_everything(position: QwintoDice, referee: Referee) -> None:
    for action in referee.every_action():
        reasons = referee.why_not(action)
        result = position.play(action)
        if isinstance(result, Refusal):
            assert result.code in reasons, f"{action}: {result.code} is not in {reasons}"
        else:
            assert not reasons, f"accepted in spite of {reasons}: {action}"


@given(games.lawful_sheets(), st.sampled_from(qwinto.COLORS), st.integers(1, 9), st.integers(1, 18))
@games.steady(300)
def test_a_number_fits_where_the_sheet_stays_without_a_fault(
    sheet: dict[str, Any], color: str, field: int, number: int
) -> None:
    place = place_of(color, field)
    assert place is not None
    reasons = Paper.of(sheet).why_not(place, number)
    mine = QwintoSheet.from_document(sheet)
    refusal = qwinto.refusal(mine, color, field, number)
    assert (refusal.code in reasons) if refusal else not reasons
    assert (field in qwinto.open_fields(mine, color, number)) == (not reasons)
    if not reasons:
        assert mine.write(color, field, number).problems() == ()


@given(st.data(), st.integers(0, 4))
@games.steady(600)
def test_one_action_in_the_middle_of_a_game_is_judged_alike(
    data: st.DataObject, steps: int
) -> None:
    """Shorter than a game and therefore more of them: every refusal comes up here."""
    sheets = {player: data.draw(games.lawful_sheets().filter(unfinished)) for player in NAMES[:2]}
    referee = Referee(list(NAMES[:2]), already=sheets)
    position = games.table(*NAMES[:2], **sheets)
    chance = random.Random(data.draw(SEEDS))
    for action, _ in zip(games.whole_game(referee, chance), range(steps), strict=False):
        position = games.play_both(position, referee, action)
    position = games.play_both(position, referee, data.draw(games.actions(referee.players)))
    position = games.play_both(position, referee, games.NEXT)
    games.compare(position, referee)


def unfinished(sheet: dict[str, Any]) -> bool:
    return not Paper.of(sheet).ends_the_game()


class Game(RuleBasedStateMachine):
    """A game in which anything may come in at any time, and a failing one is made short."""

    @initialize(count=st.integers(2, 4), failed=st.sampled_from([0, 0, 3]), data=st.data())
    def sit_down(self, count: int, failed: int, data: st.DataObject) -> None:
        # A finished sheet at the start of a turn is no game: the turn before has ended it.
        sheet = st.just(games.document(failed=failed)) | games.lawful_sheets().filter(unfinished)
        players = list(NAMES[:count])
        sheets = {player: data.draw(sheet) for player in players}
        self.referee = Referee(players, already=sheets)
        self.position = games.table(*players, **sheets)

    @rule(data=st.data())
    def something_legal(self, data: st.DataObject) -> None:
        story = self.referee.story()
        legal = self.referee.legal()
        kinds = sorted({action["do"] for action in legal})
        assert bool(kinds) != story.over
        if kinds:
            kind = data.draw(st.sampled_from(kinds))
            actions = [action for action in legal if action["do"] == kind]
            self._play(data.draw(st.sampled_from(actions)))

    @rule(data=st.data())
    def anything(self, data: st.DataObject) -> None:
        self._play(data.draw(games.actions(self.referee.players)))

    @precondition(lambda self: self.referee.story().rolls)
    @rule(
        data=st.data(),
        row=st.sampled_from(qwinto.COLORS),
        field=st.integers(1, 9),
    )
    def somebody_writes(self, data: st.DataObject, row: str, field: int) -> None:
        self._play(games.write(data.draw(st.sampled_from(self.referee.players)), row, field))

    def _play(self, action: Any) -> None:
        self.position = games.play_both(self.position, self.referee, action)

    @invariant()
    def both_see_the_same(self) -> None:
        games.compare(self.position, self.referee)
        for player in self.referee.players:
            games.compare_open_fields(self.position, self.referee, player)


def test_anything_may_come_in_at_any_time() -> None:
    run_state_machine_as_test(Game, settings=games.steady(60, stateful_step_count=25))


def test_the_random_games_end_in_both_ways() -> None:
    """Or the properties above would say nothing about one of them."""
    ends = set()
    for seed in range(6):
        story = played(seed)[0].story()
        ends.add(any(paper.failed == 4 for paper in story.papers.values()))
    assert ends == {True, False}
