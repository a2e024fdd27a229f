"""Two algorithms, runs with seeds of their own."""
