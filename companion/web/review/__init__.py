"""Photographed and typed sheets until they are saved: the pages around `companion.paper`."""
