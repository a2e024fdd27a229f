"""Other programs' results, a file a family of programs."""
