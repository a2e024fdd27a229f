"""Summaries of results whose own modules write no text."""
