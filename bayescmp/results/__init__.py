"""Parts of every answer: posteriors, diagnostics, verdicts, the order of algorithms."""
