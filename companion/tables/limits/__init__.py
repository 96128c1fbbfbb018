"""Limits on what a device or a network address may do or keep."""
