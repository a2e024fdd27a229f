"""Two algorithms, one data set, several metrics."""
