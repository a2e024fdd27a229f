"""The cmdstan engine: CmdStan compiles a program into the user's cache and runs its chains.

CmdStan is driven by its makefile and its command line, as CmdStanPy does it, and under our own
supervision. CmdStanPy itself would take longer to import than most fits, and leaves a folder where
a signal ends it; it only installs CmdStan.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from bayescmp.engines.base import Availability, Fit, FitRequest
from bayescmp.engines.cache import build_key, built_once, cache_root
from bayescmp.engines.chains import bar, gather, sample, write
from bayescmp.engines.processes import clean_ending, run_all
from bayescmp.engines.programs import program_names, program_text
from bayescmp.errors import EngineError

__all__ = ["FOLDER", "CmdStanEngine"]

#: Where CmdStanPy installs CmdStan.
FOLDER = Path("~/.cmdstan")
#: Flags of stanc that the programs are compiled with; they are part of the cache key.
STANC = ("--O1",)


class CmdStanEngine:
    """Stan through CmdStan."""

    name = "cmdstan"
    independent = False

    def available(self) -> Availability:
        """A CmdStan that can compile: its path, stanc, sources, make and a compiler."""
        root = _root()
        if root is None:
            return Availability(False, needs="CmdStan; get it with: bayescmp install-cmdstan")
        missing = _missing_parts(root)
        if missing:
            return Availability(False, needs=f"CmdStan at {root} cannot compile: no {missing}")
        return Availability(True, f"CmdStan {_version(root)}")

    def supports(self, model: str) -> bool:
        """Every program."""
        return model in program_names()

    def fit(self, request: FitRequest) -> Fit:
        """Compile the program unless it is in the cache, and run its chains."""
        with clean_ending():
            executable = compiled(request.model, progress=request.progress)
            with tempfile.TemporaryDirectory(prefix="bayescmp-") as folder:
                commands, tables = _chains(executable, request, Path(folder))
                sample(commands, request, Path(folder), "CmdStan", _iteration)
                draws, stats = gather(*_read(tables, request), request.keep)
        return Fit(self.name, self.available().version, draws, stats)


# -- the installation --------------------------------------------------------------------------


def _root() -> Path | None:
    """The CmdStan that the environment names, or the latest that was installed."""
    named = os.environ.get("CMDSTAN")
    if named:
        return Path(named)
    return max(FOLDER.expanduser().glob("cmdstan-[0-9]*"), key=_release, default=None)


def _release(root: Path) -> tuple[list[int], float]:
    """Orders "cmdstan-2.36.0-rc1" before "cmdstan-2.36.0"."""
    version, _, candidate = root.name.removeprefix("cmdstan-").partition("-rc")
    numbers = [int(digits) for digits in re.findall(r"\d+", version)]
    return numbers, int(candidate) if candidate.isdigit() else np.inf


def _version(root: Path) -> str:
    """The version that its makefile says it is."""
    text = (root / "makefile").read_text(encoding="utf-8", errors="replace")
    version = re.search(r"^CMDSTAN_VERSION *:= *(\S+)", text, re.M)
    return version[1] if version else "of unknown version"


def _missing_parts(root: Path) -> str:
    """What a CmdStan lacks to compile (prophet, for one, ships a tree with no sources)."""
    parts = {
        "makefile": (root / "makefile").is_file(),
        "bin/stanc": (root / f"bin/stanc{_suffix()}").is_file(),
        "src/cmdstan/main.cpp": (root / "src/cmdstan/main.cpp").is_file(),
        "make": any(map(shutil.which, ("make", "mingw32-make"))),
        "C++ compiler": any(
            map(shutil.which, (os.environ.get("CXX", "g++"), "g++", "clang++", "c++"))
        ),
    }
    return ", ".join(name for name, there in parts.items() if not there)


def _suffix() -> str:
    return ".exe" if os.name == "nt" else ""


# -- building a program ------------------------------------------------------------------------


def compiled(model: str, *, progress: bool = False) -> Path:
    """Executable of a program, compiled if it is not in the cache.

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
    root, text = _root(), program_text(model)
    if root is None:
        raise EngineError("no CmdStan; get it with: bayescmp install-cmdstan")
    key = build_key(text, *STANC, _version(root), str(root))

    def build(work: Path) -> Path:
        with bar(f"{model}: compiling (once)", None, progress):
            return _build(root, model, text, work)

    return built_once(cache_root() / "cmdstan" / f"{model}-{key}{_suffix()}", build)


def _build(root: Path, model: str, text: str, work: Path) -> Path:
    """Compile a program in a folder, by CmdStan's makefile."""
    with _for_make(work) as folder:
        source = folder / f"{model}.stan"
        source.write_text(text, encoding="utf-8")
        made = source.with_suffix(_suffix())
        what = f"compiling {model!r} by CmdStan"
        run_all([_make(root, source, made)], folder, what=what, at_once=1, complaint=_complaint)
        return Path(shutil.move(made, work / f"{model}.built"))


def _make(root: Path, source: Path, made: Path) -> list[str]:
    """The command that compiles a program."""
    make = os.environ.get("MAKE", "mingw32-make" if os.name == "nt" else "make")
    # The file's name in Stan's messages: the temporary folder is gone when they are read.
    flags = [f"STANCFLAGS+={flag}" for flag in (f"--filename-in-msg={source.name}", *STANC)]
    return [make, "-C", str(root), *flags, made.as_posix()]


def _complaint(output: str, errors: str) -> str:
    """What a compiler says is wrong, without make's line on which file it was making."""
    return re.sub(r"^make(\[\d+\])?: .*\n?", "", errors, flags=re.M).strip()[-2000:]


@contextlib.contextmanager
def _for_make(work: Path) -> Iterator[Path]:
    """A folder whose path make understands: `work`, or a temporary one where it has a space."""
    if " " not in str(work):
        yield work
        return
    with tempfile.TemporaryDirectory(prefix="bayescmp-") as folder:
        if " " in folder:
            raise EngineError(
                f"CmdStan's make takes no path with a space: set BAYESCMP_CACHE (now "
                f"{str(cache_root())!r}) or TMPDIR (now {tempfile.gettempdir()!r}) to one without"
            )
        yield Path(folder)


# -- running its chains ------------------------------------------------------------------------


def _chains(
    executable: Path, request: FitRequest, folder: Path
) -> tuple[list[list[str]], list[Path]]:
    """The command of each chain, and the table that it writes."""
    s = request.settings
    data = write(folder / "data.json", request.data)
    commands, tables = [], []
    for chain in range(1, s.chains + 1):
        tables.append(folder / f"chain-{chain}.csv")
        inits = request.inits[chain - 1 : chain]
        start = [f"init={write(folder / f'init-{chain}.json', init)}" for init in inits]
        commands.append([
            str(executable), f"id={chain}", "random", f"seed={request.seed}",
            "data", f"file={data}", *start,
            "output", f"file={tables[-1]}", "sig_figs=17",  # all that a draw has
            "method=sample", f"num_samples={s.draws}", f"num_warmup={s.warmup}",
            "algorithm=hmc", "engine=nuts", f"max_depth={s.max_treedepth}",
            "adapt", "engaged=1", f"delta={s.adapt_delta}",
        ])  # fmt: skip
    return commands, tables


def _iteration(printed: str) -> int:
    """How far a chain says that it is: "Iteration:  300 / 2000 [ 15%]  (Warmup)"."""
    counts = re.findall(r"Iteration: +(\d+) /", printed)
    return int(counts[-1]) if counts else 0


def _read(paths: Sequence[Path], request: FitRequest) -> tuple[list[str], list[np.ndarray]]:
    """Names of the columns, and the draws of each chain."""
    names: list[str] = []
    tables = []
    try:
        for path in paths:
            with path.open() as file:
                names = next(line for line in file if line[0] != "#").strip().split(",")
                rows = [line for line in file if line[0] not in "#\n"]  # the rest are remarks
            if len(rows) != request.settings.draws:
                raise ValueError("rows are missing")
            tables.append(np.loadtxt(rows, delimiter=",", ndmin=2))
    except (StopIteration, ValueError) as error:
        raise EngineError(f"CmdStan did not write all draws of {request.model!r}") from error
    return names, tables
