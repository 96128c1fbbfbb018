"""The Qwinto sheet, and the rules and panel parts that both Qwinto games share."""
