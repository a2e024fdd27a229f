"""Several algorithms, one data set."""
