"""Servers that run beside a benchmark, and the phones that ask them over HTTP."""
