"""Many answers at once: compare, cross-check, decide by a procedure, plan, vary."""
