"""Runs the migrations on the connection that `engine` hands over."""

from alembic import context

from companion.tables.database.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
)
context.run_migrations()
