"""Two confusion matrices."""
