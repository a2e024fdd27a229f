"""What every room uses and knows of no score: arguments, arrays, files, processes."""
