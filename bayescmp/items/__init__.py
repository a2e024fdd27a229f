"""Items: a benchmark's questions or a test set's cases, one row each."""
