"""Alembic's scripts. `companion.tables.database` runs them; see there."""
