"""The `bayescmp` command: `parser.py` has the shared options, most modules one command."""
