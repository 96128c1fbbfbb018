"""Attacks on a server of one's own, on loopback: what they do to honest phones."""
