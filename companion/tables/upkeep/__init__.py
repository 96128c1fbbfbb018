"""Care for the whole database: tidying, deletion of tables, backups."""
