"""The photo simulator prints every edition, and knows what people wrote on it."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from benchmarks import reading, reading_figures
from benchmarks.photos import simulate
from benchmarks.photos.faint import Versions, faint_marks
from benchmarks.photos.filling import written_card
from benchmarks.photos.judge import JudgedField, judge, parse_outcome
from benchmarks.photos.play import random_sheet
from benchmarks.photos.printing.cards import printed_card
from benchmarks.photos.shot import KINDS, PUBLISHED, Shot
from benchmarks.photos.writing.hands import FOLDER, Glyph, Hand
from companion.core.edition import Edition
from companion.games.editions import editions
from tests.kit.camera.obstacles import OBSTRUCTIONS, THINGS
from tests.kit.wide import first_of

SCALE = 4.0

every_edition = pytest.mark.parametrize("edition", editions(), ids=lambda each: each.name)
every_board = pytest.mark.parametrize(
    ("edition", "board"),
    [(edition, board) for edition in editions() for board in edition.papers],
    ids=lambda each: getattr(each, "name", each),
)
needs_handwriting = pytest.mark.skipif(
    not (FOLDER / "mnist.npz").is_file(), reason="the handwriting is not in the repository"
)


@pytest.fixture(scope="module")
def hand() -> Hand:
    """Ten digits that are all a slanting stroke."""
    stroke = np.linspace((0.0, 0.0), (0.4, 1.0), 20).astype(np.float32)
    return {digit: (Glyph((stroke,), None, 0.4, 1.0),) for digit in range(10)}


@every_board
def test_what_is_printed_lies_where_the_edition_says(edition: Edition, board: str) -> None:
    """In each printing, fields of one colour resemble each other more than those of another."""
    for seed in range(3):
        card = printed_card(edition, board, np.random.default_rng(seed), SCALE, careful=True)
        picture = cv2.GaussianBlur(card.picture, (0, 0), 0.3 * SCALE)
        tones: dict[tuple[int, int, int], list[np.ndarray]] = {}
        for name in edition.landmarks:
            box = next(field.box for field in card.paper.fields if field.id == name)
            printed = edition.prints[board][name]
            if printed.star:
                continue
            # Beside the middle, where discs and letters are.
            x = (box.x + box.width * 0.3 + card.at[0]) * SCALE
            y = (box.center[1] + card.at[1]) * SCALE
            tones.setdefault(printed.fill, []).append(picture[int(y), int(x)])
        means = {fill: np.mean(found, axis=0) for fill, found in tones.items()}
        for fill, found in tones.items():
            apart = [
                float(np.abs(mean - means[fill]).max())
                for other, mean in means.items()
                if other != fill
            ]
            spread = max(float(np.abs(tone - means[fill]).max()) for tone in found)
            assert spread < min(apart, default=0.15), (fill, seed)


@every_edition
def test_ink_is_on_marked_fields_alone(edition: Edition, hand: Hand) -> None:
    board = next(iter(edition.papers))
    kind = f"{edition.sheet.name}:{board}" if board else edition.sheet.name
    filled = random_sheet(kind, np.random.default_rng(5))
    rng = np.random.default_rng(7)
    pad = written_card(filled, edition, hand, rng, SCALE, careful=True)
    bare = printed_card(edition, board, np.random.default_rng(7), SCALE, careful=True).picture
    assert pad.picture.shape == bare.shape
    inked = np.abs(np.log(pad.picture + 0.01) - np.log(bare + 0.01)).max(axis=2) > 0.15
    assert pad.edition == edition.name
    for field in pad.paper.fields:
        x, y = int((field.box.x + pad.pad.x) * SCALE), int((field.box.y + pad.pad.y) * SCALE)
        w, h = int(field.box.width * SCALE), int(field.box.height * SCALE)
        share = float(inked[y + h // 4 : y + 3 * h // 4, x + w // 4 : x + 3 * w // 4].mean())
        mark = filled.marks[field.id]
        if mark in (None, False, "open"):
            assert share < 0.2, field.id
        elif mark != "circled":
            assert share > 0.0, field.id
    places = {blank.id for blank in edition.paper(board).blanks}
    assert set(pad.written) <= places


def small(seed: int, *kinds: str, obstruction: str = "") -> Shot:
    return simulate(seed, "usual", kinds, megapixels=0.8, obstruction=obstruction)


@needs_handwriting
@pytest.mark.parametrize("kind", first_of(PUBLISHED, PUBLISHED[-1]))
def test_a_photo_of_a_publishers_sheet(kind: str) -> None:
    shot = small(3, kind)
    again = small(3, kind)
    assert shot.jpeg == again.jpeg
    (truth,) = shot.truths
    assert f"{truth.sheet}@{truth.edition}" == kind
    rows, columns = shot.photo.shape[:2]
    corners = np.array(truth.corners)
    area = cv2.contourArea(corners.astype(np.float32))
    assert area > 0.15 * rows * columns
    for x, y in truth.centers.values():
        assert cv2.pointPolygonTest(corners.astype(np.float32), (x, y), False) > 0
    assert not truth.hidden


@pytest.mark.wide
@needs_handwriting
def test_an_obstructed_photo_names_what_it_hides() -> None:
    hidden = {
        obstruction: sum(
            len(small(seed, PUBLISHED[0], obstruction=obstruction).truths[0].hidden)
            for seed in range(4)
        )
        for obstruction in {*OBSTRUCTIONS, *THINGS}
    }
    assert hidden.pop("beneath") == 0
    assert all(hidden.values()), hidden


@pytest.mark.parametrize(
    ("depth", "noise", "is_seen"), [(12, 1, True), (12, 16, False), (2, 1, False)]
)
def test_a_mark_is_seen_by_its_contrast_and_the_noise(
    depth: float, noise: float, is_seen: bool
) -> None:
    """A stroke of 5 mm; between the print and the sheet's edge, which are no marks."""
    rng = np.random.default_rng(3)
    quiet = np.full((160, 160), 150, np.uint8)
    cv2.rectangle(quiet, (50, 50), (110, 110), 20, 3)
    quiet[:, :45] = 90
    bare = np.clip(quiet + rng.normal(0, noise, quiet.shape), 0, 255).astype(np.uint8)
    stroke = cv2.line(np.zeros_like(bare), (65, 65), (94, 94), 255, 3, cv2.LINE_AA)
    inked = np.round(bare - depth * (stroke / 255.0)).clip(0, 255).astype(np.uint8)
    areas = {
        "stroke": np.array([(56, 56), (104, 56), (104, 104), (56, 104)]),
        "beside": np.array([(112, 56), (158, 56), (158, 104), (112, 104)]),
    }
    found = list(faint_marks(Versions(inked, bare, quiet), areas, 8.0))
    assert found == (["beside"] if is_seen else ["stroke", "beside"])


def test_a_mark_that_nobody_sees_is_no_error() -> None:
    field = JudgedField("a", "cross", True, False, 0.99, unsure=False)
    assert field.silent
    assert not replace(field, faint=True).silent


@needs_handwriting
def test_a_sheet_that_was_not_read_is_an_outcome_that_can_be_kept(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shot = small(5, PUBLISHED[0])
    (outcome,) = judge(shot, [PUBLISHED[0]], None, 0.1, "broken")
    assert not outcome.found
    assert outcome.edition == shot.truths[0].edition
    assert parse_outcome(outcome.line()) == outcome
    reading_figures.report([outcome])
    assert "  5, 'usual'" in capsys.readouterr().out


def test_a_run_has_every_edition_alone_and_among_our_own_pads() -> None:
    tasks = list(reading.published_tasks(60, 1))
    assert {kind for task in tasks for kind in task.kinds} >= {*PUBLISHED}
    assert any(set(task.kinds) & {*KINDS} for task in tasks)
    assert sum("@" in kind for task in tasks for kind in task.kinds) >= 60
    assert {task.difficulty for task in tasks} == {"usual", "hard"}
    hidden = list(reading.obstructed_tasks(24, 1))
    assert {task.obstruction for task in hidden} == {*OBSTRUCTIONS}
    assert {task.kinds for task in hidden} == {(kind,) for kind in PUBLISHED}
