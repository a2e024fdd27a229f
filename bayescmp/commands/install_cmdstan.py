"""`bayescmp install-cmdstan`: CmdStan, downloaded and built."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from bayescmp.base.checks import check_whole
from bayescmp.commands.parser import Parser
from bayescmp.commands.shared import Arguments
from bayescmp.errors import EngineError

USAGE = "[options]"
EXAMPLE = "--cores 4"


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    add, release = parser.add_argument, "the release, e.g. 2.36.0"
    add("--version", dest="cmdstan_version", metavar="RELEASE", help=release)
    add("--cores", type=int, default=2, help="processes to build with (default 2)")


def run(args: Arguments) -> None:
    """Download and build CmdStan by cmdstanpy's installer.

    This needs a C++ compiler, make and some minutes.
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
    """Remove the folder that the installer makes first, if it is empty."""
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
