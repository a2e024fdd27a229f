"""The subcommands of the `bayescmp` command: each module has ``register`` and ``run``."""
