"""Two algorithms, several data sets, several metrics."""
