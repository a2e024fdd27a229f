"""The ladder: algorithms in order, what is decided of pairs, and by how much the first leads."""
