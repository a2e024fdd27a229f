"""Two algorithms, several data sets by their means."""
