"""Makes companion/tables/ledger/confusables.tsv: characters that look like another one.

usage: python tools/make-confusables.py confusables.txt
The file is Unicode's: https://www.unicode.org/Public/security/latest/confusables.txt
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final
from unicodedata import category, normalize

OUT: Final = Path(__file__).parents[1] / "companion/tables/ledger/confusables.tsv"
HEADER: Final = """\
# Characters that look like what stands before them: an extract of Unicode's confusables.txt,
# UTS 39, version {version}, without those that NFKC folds or no name may have. {copyright}
# Terms of use: LICENSE.confusables.txt. Made by tools/make-confusables.py.
"""


def main() -> None:
    text = Path(sys.argv[1]).read_text("utf-8-sig")
    lines = text.splitlines()
    found = dict(line.removeprefix("# ").split(" ", 1) for line in lines[:9] if " " in line[2:])
    looks: dict[str, str] = {}
    for line in lines:
        if line and not line.startswith("#"):
            char, target = (
                "".join(chr(int(code, 16)) for code in part.split()) for part in line.split(";")[:2]
            )
            if is_in_names(char) and target.isprintable():
                # The table's l is upper case, too, and its m two letters.
                as_seen = "I" if target == "l" and char.isupper() else target.replace("rn", "m")
                looks[as_seen] = looks.get(as_seen, "") + char
    header = HEADER.format(version=found["Version:"], copyright=lines[2].removeprefix("# "))
    rows = (f"{seen}\t{''.join(sorted(chars))}\n" for seen, chars in sorted(looks.items()))
    OUT.write_text(header + "".join(rows), "utf-8")


def is_in_names(char: str) -> bool:
    """Whether a name may have it as it is, and ASCII has it not."""
    is_folded = normalize("NFKC", char) != char or normalize("NFD", char) != char
    return not (char.isascii() or is_folded or category(char)[0] in "CZ")


if __name__ == "__main__":
    main()
