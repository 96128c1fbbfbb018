"""Alembic's scripts. `companion.tables.database.engine` runs them; see there."""
