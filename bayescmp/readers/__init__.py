"""Readers of other programs' results: one file per format, a line each in `registry`."""
