"""Tables of scores: read, check and pair them; metrics, folds, ropes, differences, blocks."""
