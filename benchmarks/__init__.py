"""What is measured: `python -m benchmarks`. Nothing here passes or fails; see README.md."""
