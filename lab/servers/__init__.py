"""Programs beside the tests: the app as a process, its fronts and proxies, PostgreSQL."""
