"""The rules of each game in short: what they say at every moment of a game."""

from __future__ import annotations

import pytest

from companion.core.words import english
from companion.games.catalog import GAMES
from companion.games.record import play_action
from tests.kit.play import some_game

NAMES = ("Tim", "Sarah")


@pytest.mark.parametrize("name", GAMES)
def test_the_example_is_a_sheet_without_a_problem(name: str) -> None:
    example = GAMES[name].guide.example
    assert (example is not None) == GAMES[name].has_sheet
    if example is not None:
        assert GAMES[name].sheet.filled(example).problems == ()


@pytest.mark.parametrize("name", GAMES)
def test_who_can_act_is_told_how(name: str) -> None:
    """At every moment, and with sentences of the rules only."""
    game = GAMES[name]
    known = [sentence for _, sentences in game.guide.chapters for sentence in sentences]
    position = game.start(NAMES, {option: values[0] for option, values in game.options.items()})
    for action in some_game(name, 3, 60, NAMES):
        for player in position.waiting:
            now = game.guide.now(position, [player])
            assert all(sentence in known for sentence in now)
            assert now or player != position.active
        assert game.guide.now(position, []) is not None
        after = play_action(position, action)
        assert not hasattr(after, "code")
        position = after
    assert all(sentence.translated(english, "").endswith(".") for sentence in known)


LONGEST_STEP = 75
"""Letters; a lying phone has room for as many."""


@pytest.mark.parametrize("name", GAMES)
def test_each_step_of_a_first_game_is_explained_in_one_line(name: str) -> None:
    game = GAMES[name]
    position = game.start(NAMES, {option: values[0] for option, values in game.options.items()})
    said = set()
    for action in some_game(name, 3, 3000, NAMES):
        steps = {player: game.guide.step(position, [player]) for player in NAMES}
        assert game.guide.step(position, []) is None
        said |= {step.text for step in steps.values() if step}
        position = play_action(position, action)
    assert len(said) >= 3
    assert max(map(len, said)) <= LONGEST_STEP
    assert all(game.guide.step(position, [player]) is None for player in NAMES)
