"""One run of a Stan engine."""
