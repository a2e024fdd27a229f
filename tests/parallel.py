"""The suite on all cores: its tests are shared out among workers, Stan programs built meanwhile.

A run of whole folders is distributed, a stretch of files a worker; a run of single files or tests,
of benchmarks, with ``-s``, ``--pdb`` or ``-n 0`` is not. Files that need a compiled Stan program
come last, and one worker has a process beside it that compiles those that are not in the cache.
A test that comes to its program too early waits for it, or compiles the next one itself.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import pytest

#: The Stan programs that the fast suite samples from; the slow tests need all.
FAST = ("robust_correlated_t", "hierarchical_correlated_t")
#: No more workers than this, however many cores there are: each takes some 400 MB.
MOST_WORKERS = 8


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def is_distributable(config: pytest.Config) -> bool:
    """Whether to share out a run of which nobody said how many processes it takes."""
    option = config.option
    if getattr(option, "numprocesses", 0) is not None or hasattr(config, "workerinput"):
        return False  # no xdist, a number given, or a worker already
    if option.usepdb or option.capture == "no" or option.collectonly:
        return False
    if "benchmark" in option.markexpr.replace("not benchmark", ""):
        return False
    return all(Path(path).is_dir() for path in config.args)


def keep_cores() -> None:
    """The cores are the workers': what takes long in a test starts no processes or threads."""
    for count in ("LOKY_MAX_CPU_COUNT", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(count, "1")


def read_news_of_arviz() -> None:
    """Let ArviZ note that it has warned today: in a file that two workers cannot write at once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import arviz  # noqa: F401


def keep_bytecode() -> None:
    """The suite starts some hundred interpreters: what one compiles, the next ones read."""
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def needs_stan(item: pytest.Item) -> bool:
    return "stan_engine" in getattr(item, "fixturenames", ()) or bool(
        item.get_closest_marker("stan")
    )


def stan_last(items: list[pytest.Item]) -> bool:
    """Bring the files that need Stan to the end; whether there are any."""
    files = {item.path for item in items if needs_stan(item)}
    items.sort(key=lambda item: item.path in files)
    return bool(files)


def start_builds(root: Path, *models: str) -> subprocess.Popen[bytes]:
    """Compile the missing programs in a process of its own, which no test's patches reach."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.parallel", *models],
        cwd=root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def stop(process: subprocess.Popen[bytes]) -> None:
    """Interrupt the builds, if they still run: they remove what is half done."""
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGINT)
    process.wait()


def build(names: Sequence[str], models: Sequence[str] = ()) -> None:
    """Compile programs, or all, for every Stan engine; a failure is for tests to report."""
    from bayescmp.engines import cmdstan, pystan
    from bayescmp.engines.chains import program_names
    from bayescmp.errors import EngineError

    compile_ = {"pystan": pystan.find_or_build, "cmdstan": cmdstan.find_or_compile}
    for model in models or program_names():
        for engine in names:
            with contextlib.suppress(EngineError):
                compile_[engine](model)


if __name__ == "__main__":
    from tests.conftest import stan_engines

    signal.signal(signal.SIGINT, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):
        build(stan_engines(), sys.argv[1:])
