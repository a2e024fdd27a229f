"""Readers of other programs' results: one file per format, listed in `registry`."""
