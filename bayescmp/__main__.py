"""``python -m bayescmp``: the `bayescmp` command."""

from bayescmp.commands.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
