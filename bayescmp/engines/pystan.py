"""The pystan engine: the same programs, built with the Stan inside PyStan 3's wheels.

The wheels contain stanc, the headers and the library to link with. A program is compiled with
them and with ``chain.cpp`` into an executable of its own, as CmdStan does it. PyStan's own way to
run it (a web server that passes on every draw as JSON, in an event loop of its own) takes twice as
long as the sampling, cannot be stopped, and keeps seeded fits in the user's cache.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import platform
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from bayescmp.engines.base import Availability, Fit, FitRequest
from bayescmp.engines.processes import run_all
from bayescmp.engines.programs import (
    build_key,
    built_once,
    cache_root,
    plain,
    program_names,
    program_text,
    sample_stats,
)
from bayescmp.errors import EngineError

if TYPE_CHECKING:
    from tqdm import tqdm

__all__ = ["PyStanEngine"]

#: The flags of httpstan, the part of PyStan that contains Stan, less its threads: each chain is a
#: process.
FLAGS = ("-O3", "-std=c++17", "-w", "-D_REENTRANT", "-DBOOST_DISABLE_ASSERTS",
         "-DBOOST_PHOENIX_NO_VARIADIC_EXPRESSION", "-D_GLIBCXX_USE_CXX11_ABI=0")  # fmt: skip
STANC = ("--O1",)
RUNNER = Path(__file__).with_name("chain.cpp")


class PyStanEngine:
    """Stan through PyStan 3."""

    name = "pystan"
    independent = False

    def available(self) -> Availability:
        """PyStan 3 and a C++ compiler."""
        if (
            importlib.util.find_spec("stan") is None
            or importlib.util.find_spec("httpstan") is None
        ):
            return Availability(
                False, needs="PyStan 3; get it with: pip install 'bayescmp[pystan]'"
            )
        if not _compiler():
            return Availability(False, needs="a C++ compiler (PyStan 3 itself is installed)")
        return Availability(True, f"PyStan {version('pystan')}, httpstan {version('httpstan')}")

    def supports(self, model: str) -> bool:
        """Every program."""
        return model in program_names()

    def fit(self, request: FitRequest) -> Fit:
        """Build the program unless it is in the cache, and run its chains."""
        executable = built(request.model, progress=request.progress)
        with tempfile.TemporaryDirectory(prefix="bayescmp-") as folder:
            commands = _chains(executable, request, Path(folder))
            _sample(commands, request, Path(folder))
            draws, stats = _gather(commands, request)
        return Fit(self.name, self.available().version, draws, stats)


# -- building ----------------------------------------------------------------------------------


def _compiler() -> list[str]:
    """The C++ compiler's command; empty if there is none."""
    preferred = shlex.split(os.environ.get("CXX", ""))
    for command in (preferred, ["g++"], ["clang++"], ["c++"]):
        if command and shutil.which(command[0]):
            return command
    return []


def _stan() -> Path:
    """Folder in which PyStan's wheels keep Stan."""
    home = importlib.util.find_spec("httpstan")
    if home is None or home.origin is None:
        raise EngineError("PyStan 3 is not installed: pip install 'bayescmp[pystan]'")
    return Path(home.origin).parent


def _key(text: str) -> str:
    """Key of a built program: its text, how it is built and run, and what it is linked to."""
    return build_key(
        text, *FLAGS, *STANC, RUNNER.read_text(encoding="utf-8"), version("httpstan"),
        platform.machine(), sys.platform, str(_stan()),
    )  # fmt: skip


def built(model: str, *, progress: bool = False) -> Path:
    """Executable of a program, which is built if it is not in the cache.

    Parameters
    ----------
    model : str
        Name of the program.
    progress : bool
        Whether to show that it is being compiled.

    Returns
    -------
    Path

    Raises
    ------
    EngineError
        If it does not compile.
    """
    text, cache = program_text(model), cache_root() / "pystan"
    runner = cache / f"chain-{_key('')}.o"

    def build(folder: Path) -> Path:
        with _bar(f"{model}: compiling (once)", None, progress):
            return _build(model, text, runner, folder)

    return built_once(cache / f"{model}-{_key(text)}", build)


def _build(model: str, text: str, runner: Path, folder: Path) -> Path:
    """Translate, compile and link a program; the runner's object is kept for the next one."""
    home, source, executable = _stan(), folder / f"{model}.stan", folder / model
    source.write_text(text, encoding="utf-8")
    what = f"PyStan: building {model!r}"
    cpp, new_runner = f"{executable}.cpp", str(folder / "chain.o")
    # The file's name in Stan's messages: the temporary folder is gone when they are read.
    named = ["--name", f"{model}_model", f"--filename-in-msg={source.name}", f"--o={cpp}"]
    run_all([[str(home / "stanc"), *STANC, *named, str(source)]], folder, what=what, at_once=1)
    compile_ = [*_compiler(), *FLAGS, f"-I{home / 'include'}", "-c"]
    commands = [[*compile_, cpp, "-o", f"{executable}.o"]]
    if not runner.is_file():
        commands.append([*compile_, str(RUNNER), "-o", new_runner])
    run_all(commands, folder, what=what, at_once=2)
    if os.path.exists(new_runner):
        os.replace(new_runner, runner)
    libraries = [f"-L{home / 'lib'}", "-ltbb", f"-Wl,-rpath,{home / 'lib'}"]
    link = [*_compiler(), f"{executable}.o", str(runner), "-o", str(executable)]
    run_all([[*link, *libraries]], folder, what=what, at_once=1)
    return executable


# -- sampling ----------------------------------------------------------------------------------


def _chains(executable: Path, request: FitRequest, folder: Path) -> list[list[str]]:
    """The command of each chain; the last two arguments are the files that it writes."""
    s = request.settings
    data = _write(folder / "data.json", request.data)
    commands = []
    for chain in range(1, s.chains + 1):
        start = request.inits[chain - 1] if request.inits else {}
        init = _write(folder / f"init-{chain}.json", start)
        numbers = (request.seed, chain, s.warmup, s.draws, s.adapt_delta, s.max_treedepth)
        files = (str(folder / f"{part}-{chain}") for part in ("names", "draws"))
        commands.append([str(executable), data, init, *map(str, numbers), *files])
    return commands


def _write(path: Path, values: Mapping[str, object]) -> str:
    path.write_text(json.dumps(plain(values)))
    return str(path)


def _sample(commands: Sequence[Sequence[str]], request: FitRequest, folder: Path) -> None:
    s = request.settings
    total = s.chains * (s.warmup + s.draws)
    with _bar(f"{request.model}: sampling", total, request.progress) as bar:

        def watch(outputs: Sequence[Path]) -> None:
            if request.progress:
                done = sum(_iteration(path) for path in outputs if path.is_file())
                bar.update(max(0, done - bar.n))

        run_all(
            commands, folder, what=f"PyStan: sampling {request.model!r}",
            at_once=os.cpu_count() or 1, watch=watch,
        )  # fmt: skip


def _iteration(path: Path) -> int:
    lines = path.read_text().split("\n")
    return int(lines[-2]) if len(lines) > 1 else 0  # text after the last newline is unfinished


def _gather(
    commands: Sequence[Sequence[str]], request: FitRequest
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Draws and sampler statistics of all chains, (chain, draw, ...)."""
    columns: dict[str, list[int]] = {}
    names = Path(commands[0][-2]).read_text().splitlines()
    for i, name in enumerate(names):
        columns.setdefault(name.split(".")[0], []).append(i)
    tables = [np.fromfile(c[-1]).reshape(-1, len(names)) for c in commands]
    draws = {
        name: _variable(tables, columns.get(name, []), names, scalar)
        for name, scalar in request.keep.items()
    }
    return draws, sample_stats(lambda name: _variable(tables, columns[name], names, True))


def _variable(
    tables: Sequence[np.ndarray], at: list[int], names: Sequence[str], scalar: bool
) -> np.ndarray:
    """A variable's draws; Stan writes arrays and matrices with the first index moving fastest."""
    values = np.stack([table[:, at] for table in tables])
    if scalar:
        return values[..., 0]
    shape = [int(i) for i in names[at[-1]].split(".")[1:]] if at else [0]
    axes = (0, 1, *range(1 + len(shape), 1, -1))
    return np.ascontiguousarray(values.reshape(*values.shape[:2], *shape[::-1]).transpose(axes))


@contextlib.contextmanager
def _bar(title: str, total: int | None, progress: bool) -> Iterator[tqdm[NoReturn]]:
    """A tqdm bar over iterations; with no total, as for a build, it only shows its title."""
    from tqdm.auto import tqdm

    with tqdm(total=total, desc=title, disable=not progress, leave=False) as bar:
        yield bar
