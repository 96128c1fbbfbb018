"""A run of the training that is stopped goes on where it was."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from companion.vision.ink.cells import SIDE
from training.cells import CLASSES, GROUPS, Cells, Job, kept

JOB: Job = ("marks", 256, Path("handwriting"), "train", (1, 1, 0, 0))


def random_cells(job: Job) -> Cells:
    rng = np.random.default_rng(job[-1])
    count = job[1]
    return Cells(
        rng.integers(0, 256, (count, 1, SIDE, SIDE), np.uint8),
        rng.integers(0, len(CLASSES["marks"]), count),
        np.full(count, GROUPS.index("value")),
    )


def never(job: Job) -> Cells:
    raise AssertionError(f"{job} was drawn before")


def test_finished_drawings_are_not_repeated(tmp_path: Path) -> None:
    drawn = kept(tmp_path, random_cells, JOB)
    again = kept(tmp_path, never, JOB)
    assert all(np.array_equal(vars(drawn)[name], vars(again)[name]) for name in vars(drawn))
    with pytest.raises(AssertionError, match="drawn before"):
        kept(tmp_path, never, ("numbers", *JOB[1:]))


def test_a_training_resumes_after_the_last_whole_epoch(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="only the extra `training` has it")
    from training.train import train

    cells, told = random_cells(JOB), list[str]()

    def stopped(text: str) -> None:
        told.append(text)
        if len(told) == 2:
            raise KeyboardInterrupt

    state = tmp_path / "kept" / "marks.pt"
    with pytest.raises(KeyboardInterrupt):
        train("marks", cells, cells, 1, stopped, epochs=2, keep=state)
    gone_on = train("marks", cells, cells, 1, told.append, epochs=2, keep=state)
    at_once = train("marks", cells, cells, 1, lambda _: None, epochs=2)
    assert [text.split(",")[0] for text in told] == [f"marks: epoch {at}" for at in (1, 2, 2)]
    for name, weights in at_once.state_dict().items():
        assert np.array_equal(weights, gone_on.state_dict()[name]), name
