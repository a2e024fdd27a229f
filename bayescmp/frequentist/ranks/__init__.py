"""Several algorithms, several data sets."""
