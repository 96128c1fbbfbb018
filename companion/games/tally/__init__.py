"""The tally, a sheet for games that are played without one."""
