"""How each game is played at random: its actions, the useful ones first."""
