"""What the ink on a flattened sheet means, as probabilities. The rules of a game are not asked."""
