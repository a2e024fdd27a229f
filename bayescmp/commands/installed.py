"""`bayescmp tests`, `engines` and `install-cmdstan`: what there is, and how to get the rest."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bayescmp.base.checks import check_whole
from bayescmp.commands.shared import Arguments
from bayescmp.commands.table import command
from bayescmp.errors import EngineError

# `bayescmp tests`: the catalogue, one line per test.


@command(
    "tests",
    "--frequentist --json",
    {"--json": "print as JSON"},
)
def list_tests(args: Arguments) -> None:
    """List the Bayesian tests, what each takes, and its frequentist twins.

    The names that --test takes, in the order in which --test auto prefers them.
    """
    import pandas as pd

    table = pd.DataFrame(_frequentist() if args.frequentist else _bayesian())
    if args.json:
        print(json.dumps(table.to_dict(orient="records"), indent=2))
    else:
        print(table.to_string(index=False))


def _frequentist() -> list[dict[str, str]]:
    from bayescmp.catalogue import SCOPES, frequentist_tests

    return [
        {
            "test": test.name,
            "of": SCOPES[test.scope],
            "a small p supports": test.claims,
            "next to it": test.equivalence,
        }
        for test in frequentist_tests()
    ]


def _bayesian() -> list[dict[str, str]]:
    from bayescmp.catalogue import Span, bayesian_tests, twins_of

    def many(span: Span) -> str:
        least, most = span
        return f"{least}" if least == most else f"{least} or more" if most is None else str(span)

    return [
        {
            "test": test.name,
            "metrics": many(test.metrics),
            "algorithms": many(test.algorithms),
            "data sets": many(test.datasets),
            "scores on each": many((test.folds, None)),
            "twins": ", ".join(dict.fromkeys(twin.name for twin in twins_of(test))),
        }
        for test in bayesian_tests()
    ]


# `bayescmp engines` and `bayescmp install-cmdstan`: what can fit, and how to get the rest.


@command(
    "engines",
    "--json --clear-cache",
    {"--json": "print as JSON"},
)
def list_engines(args: Arguments) -> None:
    """List which engines are available, and what each missing one needs.

    Engines in the order in which --engine auto tries them.
    """
    from bayescmp.engines import engines
    from bayescmp.engines.chains import cache_root, clear_cache, our_entries

    root, size = cache_root(), sum(map(_size, our_entries()))
    if args.clear_cache:
        clear_cache()
        freed = size - sum(map(_size, our_entries()))
        print(f"removed {freed / 1e6:.0f} MB of compiled programs from {root}")
        return
    states = {name: engine.available() for name, engine in engines().items()}
    if args.json:
        print(json.dumps({name: vars(a) for name, a in states.items()}, indent=2))
        return
    for name, a in states.items():
        state = f"ready    {a.version}" if a.ok else f"missing  needs {a.needs}"
        print(f"{name:<12} {state}")
    print(f"compiled programs: {size / 1e6:.0f} MB in {root} (remove with --clear-cache)")


def _size(path: Path) -> int:
    files = [path, *path.rglob("*")] if path.is_dir() else [path]
    return sum(file.lstat().st_size for file in files if file.is_symlink() or file.is_file())


@command(
    "install-cmdstan",
    "--version --cores",
)
def install_cmdstan(args: Arguments) -> None:
    """Download and build CmdStan (needs a C++ toolchain and some minutes).

    Runs cmdstanpy's installer.
    """
    import cmdstanpy

    from bayescmp.engines.cmdstan import install_commands

    check_whole("--cores", args.cores)
    commands = install_commands()
    if len(commands) > 1:
        raise EngineError(
            "CmdStan is built with make and a C++ compiler (the one that CXX names, if set), and "
            f"this machine lacks one; get it with: {' && '.join(commands)}"
        )
    try:
        with _no_empty_folder():
            done = cmdstanpy.install_cmdstan(
                version=args.cmdstan_version, cores=args.cores, progress=True
            )
    except Exception as error:  # the installer raises whatever its download or build met
        raise EngineError(_explain(error)) from error
    if not done:
        raise EngineError(_explain(None))
    print(f"CmdStan is installed in {cmdstanpy.cmdstan_path()}")


@contextmanager
def _no_empty_folder() -> Iterator[None]:
    """Remove the folder that the installer makes first, where nothing came into it."""
    from bayescmp.engines.cmdstan import FOLDER

    folder = FOLDER.expanduser()
    there = folder.exists()
    try:
        yield
    finally:
        if not there:
            with suppress(OSError):  # not made, or not empty
                folder.rmdir()


def _explain(error: BaseException | None) -> str:
    why = f" ({error})" if error else ""
    return (
        f"CmdStan was not installed{why}. Its releases are downloaded from GitHub and built with "
        "make and a C++ compiler: check that this machine reaches github.com and has both. "
        "Without it, the hierarchical test runs on the built-in engine, and every program on "
        "the Stan in PyStan's wheels: pip install pystan httpstan"
    )
