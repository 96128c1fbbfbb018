"""The simulators of training and benchmarks: sheets filled in, drawn, photographed and judged."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial

import cv2
import numpy as np
import pytest

from benchmarks import reading, reading_figures
from benchmarks.games import SheetFilling, begin, first_tapped_game, sheet_filling
from benchmarks.photos import simulate
from benchmarks.photos.faint import Versions, faint_marks
from benchmarks.photos.filling import inked, written_card
from benchmarks.photos.judge import JudgedField, judge, parse_outcome
from benchmarks.photos.play import random_sheet
from benchmarks.photos.printing.cards import printed_card
from benchmarks.photos.shot import KINDS, PUBLISHED
from benchmarks.photos.writing.hands import FOLDER, Glyph, Hand
from benchmarks.photos.writing.pens import PENS, InkLayer
from companion.core.edition import Edition
from companion.core.sheet import AnySheetKind, SheetKind
from companion.core.values import Action
from companion.games.catalog import SHEETS
from companion.games.editions import editions
from companion.games.record import RECORD_FORMAT, parse, replay
from companion.vision.core import FLAT_PX_PER_MM
from lab.camera.obstacles import OBSTRUCTIONS, THINGS
from lab.photos.publishers import each_board
from training import camera
from training.games import SheetTraining, sheet_training
from training.sheets.editions import drawn
from training.writing.pens import PX_PER_MM, Canvas, pencil

SCALE = 4.0

every_sheet = pytest.mark.parametrize(
    ("sheet", "board"),
    [(sheet, board) for sheet in SHEETS.values() for board in sheet.every_board],
    ids=lambda value: value.name if isinstance(value, SheetKind) else value,
)
every_edition = pytest.mark.parametrize("edition", editions(), ids=lambda edition: edition.name)
needs_handwriting = pytest.mark.skipif(
    not (FOLDER / "mnist.npz").is_file(), reason="the handwriting is not in the repository"
)

# Every sheet of the catalogue has its modules in `training/games` and `benchmarks/games`


@every_sheet
def test_training_and_the_benchmarks_fill_in_every_sheet(sheet: AnySheetKind, board: str) -> None:
    training, paper = sheet_training(sheet), sheet.paper(board)
    assert isinstance(training, SheetTraining)
    assert isinstance(sheet_filling(sheet), SheetFilling)
    for seed in range(5):
        # `random_sheet` itself checks the marks against the document that they make.
        filled, again = (
            random_sheet(f"{sheet.name}:{board}", np.random.default_rng(seed)) for _ in range(2)
        )
        assert filled == again
        assert set(filled.marks) == {field.id for field in paper.fields}
        assert set(filled.sums) <= {blank.id for blank in paper.blanks}
        assert 1 <= filled.player_count <= len(paper.names)
        marks = training.random_marks(paper.fields, np.random.default_rng(seed))
        assert sheet.marked(board, marks).marks is not None
    lettered = {field.color for field in paper.fields if field.letter}
    assert not training.letters or lettered <= set(training.letters)


def test_the_server_benchmarks_tap_a_legal_game() -> None:
    game = first_tapped_game()
    tapped = begin(game, ("Ada", "Ben"), random.Random(1))
    actions: list[Action] = []
    while not tapped.position.over:
        _, tap = tapped.tap()
        if "replaces" in tap:
            actions.pop()
        actions.append(tap["action"])
    record = {"format": RECORD_FORMAT, "game": game.name, "options": {}}
    played = replay(parse({**record, "players": ["Ada", "Ben"], "actions": actions}))
    assert played.refusal is None
    assert played.position.over


# Publishers' sheets as training draws them


@every_edition
def test_a_drawing_has_the_colors_of_the_sheet_where_its_fields_are(edition: Edition) -> None:
    board = edition.sheet.usual_board
    paper = edition.paper(board)
    far = []
    for seed in range(3):
        picture = drawn(edition, board, np.random.default_rng(seed))
        size = (round(side * PX_PER_MM) for side in (paper.height, paper.width))
        assert picture.shape == (*size, 3)
        for field in paper.fields:
            x, y = (round(at * PX_PER_MM) for at in (field.box.x + 1.6, field.box.center[1]))
            fill = edition.prints[board][field.id].fill
            far.append(np.abs(picture[y, x][::-1].astype(float) - fill).mean())
    assert np.median(far) < 40


def test_the_same_seed_gives_the_same_drawing() -> None:
    edition = editions()[0]
    board = edition.sheet.usual_board
    flats = []
    for _ in range(2):
        rng = np.random.default_rng(7)
        picture = drawn(edition, board, rng)
        settings = camera.settings(rng)
        flats.append(camera.photographed_and_flattened(picture, settings, rng, is_coated=True))
    assert np.array_equal(*flats)
    paper = edition.paper(board)
    rows, columns = (round(side * FLAT_PX_PER_MM) for side in (paper.height, paper.width))
    assert flats[0].shape == (rows, columns, 3)
    assert flats[0].std() > 10


@pytest.mark.parametrize(
    ("opacity", "noise", "is_seen"), [(1.0, 2.0, True), (0.15, 2.0, True), (0.15, 60.0, False)]
)
def test_a_pencil_is_seen_unless_noise_is_stronger(
    opacity: float, noise: float, is_seen: bool
) -> None:
    edition = editions()[0]
    board = edition.sheet.usual_board
    box, empty = (field.box for field in edition.paper(board).fields[:2])
    rng = np.random.default_rng(3)
    bare = drawn(edition, board, rng)
    canvas = Canvas(bare.copy(), 0.0, 0.0)
    way = np.array([(box.x, box.y), (box.x + box.width, box.y + box.height)], np.float32)
    canvas.draw([way], replace(pencil(rng, opacity), width=0.6), rng)
    settings = replace(camera.settings(rng), noise=noise, focus=0.0, motion=0.0, exposure=1.0)
    assert camera.ink_seen(bare, canvas.picture, [box, empty], settings) == [is_seen, False]


# Publishers' sheets as the benchmarks print and photograph them


@each_board
def test_the_print_is_where_the_edition_says(edition: Edition, board: str) -> None:
    """In each printing, fields of one colour resemble each other more than those of another."""
    for seed in range(3):
        card = printed_card(edition, board, np.random.default_rng(seed), SCALE, careful=True)
        picture = cv2.GaussianBlur(card.picture, (0, 0), 0.3 * SCALE)
        boxes = {field.id: field.box for field in card.paper.fields}
        tones: dict[tuple[int, int, int], list[np.ndarray]] = {}
        for name in edition.landmarks:
            box, printed = boxes[name], edition.prints[board][name]
            if not printed.star:
                # Beside the middle, where discs and letters are.
                x = (box.x + box.width * 0.3 + card.at[0]) * SCALE
                y = (box.center[1] + card.at[1]) * SCALE
                tones.setdefault(printed.fill, []).append(picture[int(y), int(x)])
        means = {fill: np.mean(found, axis=0) for fill, found in tones.items()}
        for fill, found in tones.items():
            apart = (
                np.abs(mean - means[fill]).max() for other, mean in means.items() if other != fill
            )
            spread = max(np.abs(tone - means[fill]).max() for tone in found)
            assert spread < min(apart, default=0.15), (fill, seed)


def test_a_thin_red_pen_hardly_shows_on_red() -> None:
    """What the card's surface reflects over the ink is most of its blue and green."""
    changes = []
    for tone in ((0.85, 0.85, 0.85), (0.03, 0.03, 0.55)):
        layer = InkLayer(20, 20, SCALE)
        layer.density[:] = 1
        bare = np.full((*layer.density.shape, 3), tone, np.float32)
        ghost, rng = InkLayer(20, 20, SCALE), np.random.default_rng(1)
        seen = inked(bare.copy(), layer, ghost, PENS["thin red"], rng)
        changes.append(np.log(bare / seen).mean(axis=(0, 1)))
    on_white, on_red = changes
    assert on_white[:2].min() > 0.8
    assert on_red[:2].max() < 0.4 * on_white[:2].min()
    assert 0.1 < on_red[2] < 0.3


def test_an_invisible_mark_is_not_an_error() -> None:
    field = JudgedField("a", "cross", True, False, 0.99, unsure=False)
    assert field.silent
    assert not replace(field, faint=True).silent


@every_edition
def test_ink_is_on_marked_fields_alone(edition: Edition) -> None:
    """In a hand whose ten digits are all a slanting stroke."""
    stroke = np.linspace((0.0, 0.0), (0.4, 1.0), 20).astype(np.float32)
    hand: Hand = {digit: (Glyph((stroke,), None, 0.4, 1.0),) for digit in range(10)}
    board = edition.sheet.usual_board
    filled = random_sheet(f"{edition.sheet.name}:{board}", np.random.default_rng(5))
    pad = written_card(filled, edition, hand, np.random.default_rng(7), SCALE, careful=True)
    bare = printed_card(edition, board, np.random.default_rng(7), SCALE, careful=True).picture
    inked = np.abs(np.log(pad.picture + 0.01) - np.log(bare + 0.01)).max(axis=2) > 0.15
    assert pad.edition == edition.name
    for field in pad.paper.fields:
        x, y = int((field.box.x + pad.pad.x) * SCALE), int((field.box.y + pad.pad.y) * SCALE)
        w, h = int(field.box.width * SCALE), int(field.box.height * SCALE)
        share = inked[y + h // 4 : y + 3 * h // 4, x + w // 4 : x + 3 * w // 4].mean()
        mark = filled.marks[field.id]
        assert share < 0.2 if mark in (None, False, "open") else share > 0 or mark == "circled"
    assert set(pad.written) <= {blank.id for blank in edition.paper(board).blanks}


@needs_handwriting
def test_a_photo_of_a_publishers_sheet(capsys: pytest.CaptureFixture[str]) -> None:
    """One that was not read has an outcome, too, that can be kept."""
    shot, again = (simulate(3, "usual", PUBLISHED[-1:], megapixels=0.5) for _ in range(2))
    assert shot.jpeg == again.jpeg
    (truth,) = shot.truths
    assert f"{truth.sheet}@{truth.edition}" == PUBLISHED[-1]
    corners = np.array(truth.corners, np.float32)
    assert cv2.contourArea(corners) > 0.15 * shot.photo[..., 0].size
    assert all(
        cv2.pointPolygonTest(corners, center, False) > 0 for center in truth.centers.values()
    )
    assert not truth.hidden
    (outcome,) = judge(shot, PUBLISHED[-1:], None, 0.1, "broken")
    assert (outcome.found, outcome.edition) == (False, truth.edition)
    assert parse_outcome(outcome.line()) == outcome
    reading_figures.report([outcome])
    assert "  3, 'usual'" in capsys.readouterr().out


@pytest.mark.wide
@needs_handwriting
def test_an_obstructed_photo_names_what_it_hides() -> None:
    shot = partial(simulate, difficulty="usual", sheets=PUBLISHED[:1], megapixels=0.5)
    hidden = {
        kind: sum(len(shot(seed, obstruction=kind).truths[0].hidden) for seed in range(4))
        for kind in {*OBSTRUCTIONS, *THINGS}
    }
    assert hidden.pop("beneath") == 0
    assert all(hidden.values()), hidden


@pytest.mark.parametrize(
    ("depth", "noise", "is_seen"), [(12, 1, True), (12, 16, False), (2, 1, False)]
)
def test_a_mark_is_seen_by_its_contrast_and_the_noise(
    depth: float, noise: float, is_seen: bool
) -> None:
    """A stroke of 5 mm."""
    grain = np.random.default_rng(3).normal(0, noise, (160, 160))
    quiet = np.full((160, 160), 150, np.uint8)
    stroke = cv2.line(np.zeros_like(quiet), (65, 65), (94, 94), 255, 3, cv2.LINE_AA)
    bare = np.clip(quiet + grain, 0, 255).astype(np.uint8)
    inked = np.round(bare - depth * (stroke / 255.0)).clip(0, 255).astype(np.uint8)
    area = np.array([(56, 56), (104, 56), (104, 104), (56, 104)])
    found = faint_marks(Versions(inked, bare, quiet), {"stroke": area}, 8.0)
    assert list(found) == ([] if is_seen else ["stroke"])


def test_a_run_has_every_edition_alone_and_among_our_own_pads() -> None:
    tasks = list(reading.published_tasks(60, 1))
    assert {kind for task in tasks for kind in task.kinds} >= {*PUBLISHED}
    assert any(set(task.kinds) & {*KINDS} for task in tasks)
    assert sum("@" in kind for task in tasks for kind in task.kinds) >= 60
    assert {task.difficulty for task in tasks} == {"usual", "hard"}
    hidden = list(reading.obstructed_tasks(24, 1))
    assert {task.obstruction for task in hidden} == {*OBSTRUCTIONS}
    assert {task.kinds for task in hidden} == {(kind,) for kind in PUBLISHED}
