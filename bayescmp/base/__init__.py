"""Helpers for every module, independent of scores: arguments, arrays, files, processes."""
