"""Rectifies a pad and checks that it can be read, by its printed outlines. No ink is read here."""
