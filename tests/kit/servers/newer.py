"""`python -m tests.kit.servers.newer serve …`: a later version, with one more migration.

COMPANION_TEST_MIGRATIONS names the folder that `migrations` has made.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from sqlalchemy.engine import Connection

from companion.cli import main
from companion.tables.database import engine, schema

VERSION: Final = "9.1.0"
REVISION: Final = "9001"
FOLDER: Final = "COMPANION_TEST_MIGRATIONS"

MIGRATION: Final = """
import sqlalchemy as sa
from alembic import op

revision = "{revision}"
down_revision = "{before}"
works_with = "{works_with}"


def upgrade():
    op.add_column("tables", sa.Column("mood", sa.Text, nullable=False, server_default="merry"))
"""


def migrations(folder: Path, works_with: str) -> Path:
    """Today's migrations and another one, beside which the program of `works_with` goes on."""
    made = folder / "migrations"
    shutil.copytree(Path(engine.__file__).with_name("migrations"), made)
    text = MIGRATION.format(revision=REVISION, before=schema.HEAD, works_with=works_with)
    (made / "versions" / f"v{REVISION}.py").write_text(text, "utf-8")
    return made


def become_newer(made: Path, put: Callable[[Any, str, Any], None] = setattr) -> None:
    """Makes this process one of the later version."""
    usual = engine.alembic_config

    def config(connection: Connection) -> Any:
        found = usual(connection)
        found.set_main_option("script_location", str(made))
        return found

    put(engine, "alembic_config", config)
    put(engine, "__version__", VERSION)
    put(schema, "HEAD", REVISION)


if __name__ == "__main__":
    become_newer(Path(os.environ[FOLDER]))
    sys.exit(main())
