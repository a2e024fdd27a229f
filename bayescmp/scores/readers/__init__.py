"""Other programs' results: one module for each family of programs."""
