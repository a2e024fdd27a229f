"""Aggregates over tasks of runs with seeds of their own."""
