"""Photos for tests: filled-in pads, photographed; bad files; and a reader that stands in."""
