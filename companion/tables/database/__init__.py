"""The database: engine, schema, migrations, and the bus between processes."""
