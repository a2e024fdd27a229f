"""Readers of other programs' results: one file a format, a line each in `registry`."""
