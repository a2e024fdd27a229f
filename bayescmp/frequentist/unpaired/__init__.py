"""Algorithms with runs of their own seeds, which do not pair."""
