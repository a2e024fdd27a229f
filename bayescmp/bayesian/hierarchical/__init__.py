"""Two algorithms, several data sets with their folds."""
