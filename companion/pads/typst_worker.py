"""Typst in a process of its own: JSON on standard input, a PDF on standard output.

    python typst_worker.py FONTS [--system-fonts]

The JSON has the `document` in Typst's language, which gets the `pages` as `sys.inputs.pages`. Typst
opens no address, and of files only what lies in the working directory, which is empty.
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    """Makes the PDF, or ends the process with a reason."""
    import typst

    inputs = json.load(sys.stdin.buffer)
    try:
        made = typst.compile(
            inputs["document"].encode(),
            sys_inputs={"pages": inputs["pages"]},
            font_paths=[sys.argv[1]],
            ignore_system_fonts="--system-fonts" not in sys.argv,
        )
    except typst.TypstError as error:
        sys.exit(str(error))
    sys.stdout.buffer.write(made)


if __name__ == "__main__":
    main()
