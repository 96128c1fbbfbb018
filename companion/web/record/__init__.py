"""The pages of finished games: history, people, results to share, corrections."""
