"""Mutated files, sent as photos: each is read or refused with a sentence, and the app goes on.

`python -m lab.photos.fuzz 2000 [SEED]` sends that many and counts the outcomes.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from itertools import islice
from pathlib import Path

from companion.vision.worker.loop import READER
from lab.pages import is_sentence
from lab.phones import Phone
from lab.photos.bad_pictures import mutations
from lab.photos.sending import look, read, reading_app

AT_ONCE = 10
"""Photos in one request; more than the app takes from one device at a time would be refused."""


def main(count: int, seed: int) -> Counter[str]:
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, reading_app(Path(folder)) as (app, tables):
        app.config["READER"] = READER
        files = mutations(count, seed)
        while batch := list(islice(files, AT_ONCE)):
            phone = Phone(app)
            review_id = read(phone, *batch)
            phone.page(f"/review/{review_id}/")
            review = look(tables, phone, review_id)
            assert len(review.photos) == len(batch)
            found["sheets"] += len(review.sheets)
            shown = {sheet.photo for sheet in review.sheets}
            for photo in review.photos:
                assert photo.id in shown or photo.troubles
                for trouble in photo.troubles:
                    text = trouble["sentence"]["text"]
                    assert is_sentence(text.replace("%(", "(")), text
                    found[trouble["code"]] += 1
    return found


if __name__ == "__main__":
    print(dict(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0).most_common()))
