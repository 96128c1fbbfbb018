"""The modules in `static/js/`: what a browser gets is the modules, joined."""

from __future__ import annotations

import posixpath
import re
import subprocess
import sys
from pathlib import Path

import pytest

from companion.web.assets.scripts import joined, modules_of
from lab.phones import Phone

FOLDER = Path(__file__).resolve().parents[3] / "static" / "js"
MODULES = sorted(FOLDER.rglob("*.js"))
ENTRIES = ("table", "photo", "offline", "result")
IMPORT = re.compile(r'^import \{([^}]*)\} from "(.+)\.js";$', re.MULTILINE)
TOP_LEVEL = re.compile(
    r"^(?:export )?(?:(?:async )?function|class|const|let) (\w+|\$+|[{\[][^}\]]*)", re.MULTILINE
)


def join(folder: Path, **modules: str) -> str:
    """The joined script of the module `entry`, as Node.js prints what it says."""
    for name, text in modules.items():
        (folder / f"{name}.js").write_text(text)
    node = Path(sys.executable).with_name("node")
    command, script = [node, "--input-type=module", "-"], joined(folder, "entry")
    done = subprocess.run(command, input=script, capture_output=True, text=True, check=False)
    return done.stdout or done.stderr


def test_a_module_comes_after_those_that_it_imports_and_once(tmp_path: Path) -> None:
    printed = join(
        tmp_path,
        entry='import "./b.js";\nimport "./a.js";\nconsole.log("entry");\n',
        a='import "./b.js";\nconsole.log("a");\n',
        b='console.log("b");\n',
    )
    assert printed.split() == ["b", "a", "entry"]


def test_names_that_are_not_exported_stay_in_their_module(tmp_path: Path) -> None:
    printed = join(
        tmp_path,
        entry='import { shown } from "./a-b.js";\nconst key = "entry";\n'
        "console.log(shown(), key);\n",
        **{"a-b": 'const key = "a";\nexport const shown = () => key;\n'},
    )
    assert printed.split() == ["a", "entry"]


def test_every_kind_of_export(tmp_path: Path) -> None:
    printed = join(
        tmp_path,
        entry='import {\n  A,\n  b,\n  c,\n  $,\n} from "./a.js";\n'
        "c().then((three) => console.log(new A().one, b(), three, $));\n",
        a="export class A {\n  one = 1;\n}\nexport function b() {\n  return 2;\n}\n"
        "export async function c() {\n  return 3;\n}\nexport const $ = 4;\n",
    )
    assert printed.split() == ["1", "2", "3", "4"]


def test_comments_stay_here_and_nothing_else_does(tmp_path: Path) -> None:
    printed = join(
        tmp_path,
        entry='// first\n/**\n * Two.\n * @type {string}\n */\nconst two = "https://x/**";\n'
        "  // third\nconsole.log(two, /** @type {any} */ (3)); // 4 * 5\n",
    )
    assert printed.split() == ["https://x/**", "3"]


def test_texts_and_patterns_keep_their_blanks(tmp_path: Path) -> None:
    printed = join(
        tmp_path,
        entry='const a = 1;\nconst text = "x = y, {z} ; }";\n'
        "const shown = `${a + 1} = ${a}, ( )`;\n"
        'if (a > 0) {\n  console.log(text, shown, "p = q".replace(/p = |; }/g, "+"), a - -a);\n}\n',
    )
    assert printed == "x = y, {z} ; } 2 = 1, ( ) +q 2\n"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_module_uses_what_can_be_joined(path: Path) -> None:
    """Each import and export is in one of the forms that are looked for."""
    rest = joined(FOLDER, str(path.relative_to(FOLDER).with_suffix("")))
    assert not re.search(r"^\s*(?:import|export)\b|\bawait import\(|/\*", rest, re.MULTILINE)


@pytest.mark.parametrize("entry", ENTRIES)
def test_no_module_hides_a_name_that_a_later_one_imports(entry: str) -> None:
    """In a joined script a module sees the names of all modules before it, the nearest first."""
    owner: dict[str, str] = {}
    for module in modules_of(FOLDER, entry):
        text = (FOLDER / f"{module}.js").read_text()
        for names, address in IMPORT.findall(text):
            source = posixpath.normpath(posixpath.join(posixpath.dirname(module), address))
            for name in re.findall(r"[\w$]+", names):
                assert owner[name] == source, f"{owner[name]} hides {name} from {module}"
        for found in TOP_LEVEL.findall(text):
            owner.update(dict.fromkeys(re.findall(r"[\w$]+", found), module))


def test_every_module_is_on_a_page() -> None:
    """Each is an entry or imported by one."""
    on_pages: set[str] = set()
    for entry in ENTRIES:
        on_pages.update(modules_of(FOLDER, entry))
    assert on_pages == {path.relative_to(FOLDER).with_suffix("").as_posix() for path in MODULES}


def test_an_unknown_module(phone: Phone) -> None:
    for path in ("/static/js/none.js", "/static/js/..%2fapp.js", "/static/js/%2e%2e.js"):
        assert phone.get(path).status_code == 404


def test_the_first_page_needs_no_script(phone: Phone) -> None:
    assert phone.page("/").all("script") == []
