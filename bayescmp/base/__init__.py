"""Helpers of every module that know nothing of scores: arguments, arrays, files, processes."""
