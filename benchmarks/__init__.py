"""Benchmarks: `python -m benchmarks`. They print figures and never pass or fail; see README.md."""
