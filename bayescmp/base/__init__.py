"""What everything stands on, and knows of no score: arguments, arrays, files, processes."""
