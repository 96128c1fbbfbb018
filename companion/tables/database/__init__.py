"""The database: engine, schema, migrations, and the bus between processes.

It knows no table of players.
"""
