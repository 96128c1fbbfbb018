"""The Qwinto sheet, and what both games that are played on it share."""
