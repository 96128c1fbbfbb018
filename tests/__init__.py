"""The tests; they mirror `companion/`. A package, so that no installed `tests` is taken for it."""
