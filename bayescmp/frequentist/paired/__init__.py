"""Two algorithms, one data set, one metric."""
