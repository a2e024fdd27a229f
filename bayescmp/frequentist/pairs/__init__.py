"""Families of comparisons."""
