"""Words for finished results: phrases, summaries and the forms they are written in."""
