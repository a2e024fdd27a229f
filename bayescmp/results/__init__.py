"""What every answer is made of: posteriors, diagnostics, verdicts, the order of algorithms."""
