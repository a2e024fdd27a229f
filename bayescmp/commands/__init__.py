"""The `bayescmp` command: `table.py` has all options, each other file a family of commands."""
