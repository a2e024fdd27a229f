"""The cmdstan engine: CmdStan compiles a program into the user's cache, CmdStanPy reads draws."""

from __future__ import annotations

import atexit
import contextlib
import functools
import logging
import os
import re
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from bayescmp.engines import chains
from bayescmp.engines.base import Availability, Fit, FitRequest
from bayescmp.engines.processes import clean_ending, remove_at_end, run_all
from bayescmp.errors import EngineError

#: The folder in which cmdstanpy installs CmdStan.
FOLDER = Path("~/.cmdstan")
#: Flags the programs are compiled with; they are part of the cache key.
CPP_OPTIONS: dict[str, bool | str] = {}
STANC_OPTIONS: dict[str, bool | str] = {"O1": True}


class CmdStanEngine(chains.StanEngine):
    """Stan through CmdStan."""

    name = "cmdstan"
    how = "by Hamiltonian Monte Carlo in CmdStan"

    def available(self) -> Availability:
        """Whether there is a CmdStan that can compile: path, stanc, sources, make, a compiler."""
        # Importing cmdstanpy costs half a second: look first whether there can be a CmdStan.
        if not os.environ.get("CMDSTAN") and not FOLDER.expanduser().is_dir():
            return Availability(False, needs=f"CmdStan; get it with: {_command()}")
        _load_cmdstanpy()
        import cmdstanpy

        try:
            root = Path(cmdstanpy.cmdstan_path())
        except ValueError as error:
            reason = str(error).split(",")[0]
            return Availability(False, needs=f"CmdStan ({reason}); get it with: {_command()}")
        missing = _missing_parts(root)
        if missing:
            return Availability(False, needs=f"CmdStan at {root} cannot compile: no {missing}")
        return Availability(True, f"CmdStan {_version()}, cmdstanpy {cmdstanpy.__version__}")

    def fit(self, request: FitRequest) -> Fit:
        """Compile the program unless it is in the cache, and run its chains."""
        with clean_ending(), _quiet():
            executable = find_or_compile(request.model, progress=request.progress)
            with tempfile.TemporaryDirectory(prefix="bayescmp-") as folder:
                draws, stats = _sample(executable, request, Path(folder))
        return Fit(self.name, self.available().version, draws, stats)


@functools.cache
def _load_cmdstanpy() -> None:
    """Import CmdStanPy, so that the folder it then makes is removed when a signal ends us."""
    if "cmdstanpy" in sys.modules:  # its user's
        return
    folder = Path(tempfile.mkdtemp(prefix="bayescmp-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    remove_at_end(folder)
    before, tempfile.tempdir = tempfile.tempdir, str(folder)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "IProgress not found")  # of tqdm, in a notebook
            import cmdstanpy  # noqa: F401
    finally:
        tempfile.tempdir = before


def _version() -> str:
    from cmdstanpy.utils import cmdstan_version

    return ".".join(map(str, cmdstan_version() or ("unknown",)))


def _missing_parts(root: Path) -> str:
    """Name what a CmdStan lacks to compile (prophet, for one, ships a tree with no sources)."""
    parts = {
        "bin/stanc": (root / f"bin/stanc{_suffix()}").is_file(),
        "src/cmdstan/main.cpp": (root / "src/cmdstan/main.cpp").is_file(),
        "make": any(map(shutil.which, ("make", "mingw32-make"))),
        "C++ compiler": bool(chains.compiler()),
    }
    return ", ".join(name for name, there in parts.items() if not there)


def install_commands() -> list[str]:
    """List what installs CmdStan here: first the tools that build it, except on Windows."""
    tools = [] if os.name == "nt" else chains.compiler_commands("make")
    return [*tools, "bayescmp install-cmdstan"]


def _command() -> str:
    return " && ".join(install_commands())


def find_or_compile(model: str, *, progress: bool = False) -> Path:
    """Return the executable of a program, which is compiled if it is not in the cache."""
    _load_cmdstanpy()
    text = chains.program_text(model)
    target = chains.cache_root() / "cmdstan" / f"{model}-{_key(text)}{_suffix()}"

    def build(work: Path) -> Path:
        with chains.bar(f"{model}: compiling (once)", None, progress) as shown:
            return _build(model, text, work, lambda _: shown.update(0))

    return chains.built_once(target, build)


def _suffix() -> str:
    return ".exe" if os.name == "nt" else ""


def _key(text: str) -> str:
    """Make a compiled program's key: its text, the flags, and the CmdStan it was built with."""
    import cmdstanpy

    flags = (repr(CPP_OPTIONS), repr(STANC_OPTIONS))
    return chains.build_key(text, *flags, _version(), cmdstanpy.cmdstan_path())


def _build(model: str, text: str, work: Path, watch: Callable[[Sequence[Path]], object]) -> Path:
    """Compile a program in a folder, by CmdStan's makefile."""
    with _for_make(work) as folder:
        source = folder / f"{model}.stan"
        source.write_text(text, encoding="utf-8")
        made = source.with_suffix(_suffix())
        what = f"compiling {model!r} by CmdStan"
        make = [_make(source, made)]
        run_all(make, folder, what=what, at_once=1, watch=watch, complaint=_complaint)
        return Path(shutil.move(made, work / f"{model}.built"))


def _make(source: Path, made: Path) -> list[str]:
    """Return the command that compiles a program, as CmdStanPy would give it."""
    import cmdstanpy
    from cmdstanpy.compilation import CompilerOptions

    options = CompilerOptions(stanc_options=dict(STANC_OPTIONS), cpp_options=CPP_OPTIONS)
    options.validate()
    make = os.environ.get("MAKE", "mingw32-make" if os.name == "nt" else "make")
    flags = options.compose(filename_in_msg=source.name)
    return [make, "-C", cmdstanpy.cmdstan_path(), *flags, made.as_posix()]


def _complaint(output: str, errors: str) -> str:
    """Return a compiler's complaint, without make's line on the file being made."""
    return re.sub(r"^make(\[\d+\])?: .*\n?", "", errors, flags=re.M).strip()[-2000:]


@contextlib.contextmanager
def _for_make(work: Path) -> Iterator[Path]:
    """Yield a folder whose path make understands: `work`, or a temporary one if it has a space."""
    if " " not in str(work):
        yield work
        return
    with tempfile.TemporaryDirectory(prefix="bayescmp-") as folder:
        if " " in folder:
            raise EngineError(
                f"CmdStan's make takes no path with a space: set BAYESCMP_CACHE (now "
                f"{str(chains.cache_root())!r}) or TMPDIR (now {tempfile.gettempdir()!r}) to one "
                "without"
            )
        yield Path(folder)


def _sample(
    executable: Path, request: FitRequest, folder: Path
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    import cmdstanpy

    commands, tables = chain_commands(executable, request, folder)
    chains.sample(commands, request, folder, "CmdStan", _iteration)
    try:
        fit = cmdstanpy.from_csv(tables, method="sample")
    except (RuntimeError, ValueError) as error:
        raise EngineError(f"CmdStan did not write all draws of {request.model!r}") from error
    shape = (request.settings.chains, request.settings.draws)
    draws = {name: _by_chain(fit.stan_variable(name), shape) for name in request.keep}
    columns = fit.method_variables()
    return draws, chains.sample_stats(lambda name: np.asarray(columns[name]).T)


def chain_commands(
    executable: Path, request: FitRequest, folder: Path
) -> tuple[list[list[str]], list[str]]:
    """Return each chain's command, as CmdStanPy would give it, and the files that they write."""
    from cmdstanpy.cmdstan_args import CmdStanArgs, SamplerArgs

    s = request.settings
    numbers = range(1, s.chains + 1)
    starts = zip(numbers, request.inits, strict=False)
    arguments = CmdStanArgs(
        request.model,
        str(executable),
        list(numbers),
        SamplerArgs(
            iter_warmup=s.warmup,
            iter_sampling=s.draws,
            adapt_delta=s.adapt_delta,
            max_treedepth=s.max_treedepth,
        ),
        data=_write_data(folder / "data.json", request.data),
        seed=request.seed,
        inits=[_write_data(folder / f"init-{i}.json", start) for i, start in starts] or None,
        output_dir=folder,
        sig_figs=17,  # all that a draw has
    )
    tables = [str(folder / f"chain-{i}.csv") for i in numbers]
    return [arguments.compose_command(i, table) for i, table in enumerate(tables)], tables


def _write_data(path: Path, values: Mapping[str, object]) -> str:
    from cmdstanpy import write_stan_json

    write_stan_json(path, chains.convert_arrays(values))
    return str(path)


def _iteration(printed: str) -> int:
    """Read a chain's progress: from "Iteration:  300 / 2000 [ 15%]  (Warmup)"."""
    counts = re.findall(r"Iteration: +(\d+) /", printed)
    return int(counts[-1]) if counts else 0


def _by_chain(values: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Separate the chains, which CmdStanPy lays one after the other."""
    return values.reshape(*shape, *values.shape[1:])


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep CmdStanPy's log to errors: a proposal rejected in warm-up is nothing unusual."""
    _load_cmdstanpy()
    from cmdstanpy.utils import get_logger

    log = get_logger()  # which sets its level when it is first called
    before = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(before)
