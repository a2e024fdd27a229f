"""Compiled Stan programs: their text, the cache of builds, chains, the draws read back.

The text is inside the installed package, else in stan/ next to it. `run_chains` runs programs
linked with ``chain.cpp``, which states their input and output; `sample` also CmdStan's. A platform
wheel carries compiled programs, with the TBB library, from ``BAYESCMP_BUNDLE_STAN=1 pip wheel .``
(``hatch_build.py``).
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import re
import shlex
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from bayescmp.engines.base import Availability, Fit, FitRequest
from bayescmp.engines.processes import clean_ending, run_all
from bayescmp.errors import EngineError

if TYPE_CHECKING:
    from tqdm import tqdm


# Stan programs: their text, their input, and their reports on the sampler.


_PACKAGE = Path(__file__).resolve().parent.parent

#: Statistics of the sampler: our name, Stan's name, and the type of its values.
_STATISTICS = (
    ("diverging", "divergent__", bool),
    ("tree_depth", "treedepth__", float),
    ("energy", "energy__", float),
    ("lp", "lp__", float),
)


@functools.cache
def _folder() -> Path:
    """Find the programs: a wheel holds them in bayescmp/stan, a checkout has stan/."""
    for folder in (_PACKAGE / "stan", _PACKAGE.parent / "stan"):
        if any(folder.glob("*.stan")):
            return folder
    raise EngineError(
        f"the Stan programs are missing from {_PACKAGE / 'stan'}: reinstall the package"
    )


def program_names() -> list[str]:
    """List the names of all programs, without their ending."""
    return sorted(path.stem for path in _folder().glob("*.stan"))


def program_path(model: str) -> Path:
    """Return a program's file; an unknown name is an EngineError."""
    path = _folder() / f"{model}.stan"
    if not path.is_file():
        raise EngineError(f"no Stan program {model!r}; there are: {', '.join(program_names())}")
    return path


def program_text(model: str) -> str:
    """Read a program, with its included files inserted."""
    path = program_path(model)

    def included(line: re.Match[str]) -> str:
        return (path.parent / line[1]).read_text(encoding="utf-8")

    text = path.read_text(encoding="utf-8")
    return re.sub(r"^#include (\S+)\n", included, text, flags=re.MULTILINE)


# Input and output of a program.


def convert_arrays(values: Mapping[str, object]) -> dict[str, object]:
    """Turn arrays among data or initial values into lists, ready for JSON."""
    return {
        k: v.tolist() if isinstance(v, (np.ndarray, np.generic)) else v for k, v in values.items()
    }


def sample_stats(column: Callable[[str], np.ndarray]) -> dict[str, np.ndarray]:
    """Read the sampler's statistics, under our names, from Stan's columns."""
    return {ours: column(theirs).astype(kind) for ours, theirs, kind in _STATISTICS}


# The cache of compiled programs: each is built once, moved in whole, and checked when it is used.
#
# Its contents are run, so no other user may write to it. Next to each build, a file of the same
# name with the ending ".sum" has its checksum and mode; a build that differs is made again.


#: This package's files in the cache: builds, their checksums and locks, unfinished builds.
_OURS = re.compile(r"\w+-[0-9a-f]{16}(\.o|\.exe)?(\.sum|\.lock)?|building-\w+")


def cache_root() -> Path:
    """Return the folder of compiled programs, ``BAYESCMP_CACHE`` or in the user's cache folder."""
    from platformdirs import user_cache_path

    root = os.environ.get("BAYESCMP_CACHE")
    return Path(root) if root else user_cache_path("bayescmp")


def build_key(*parts: str) -> str:
    """Make the key of a build in the cache from everything that can change it."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def built_once(target: Path, build: Callable[[Path], Path]) -> Path:
    """Return the result of `build`, from the cache if it is there and unchanged.

    `build` makes it in the folder that it is given, and returns its path; it is moved to `target`
    in whole. Failures leave nothing behind, and of several processes one builds. EngineError if
    the cache cannot be used, or others than its owner can write to it.
    """
    from filelock import FileLock

    with _explain_cache(target):
        _check_folder(target.parent)
        if _is_sound(target):
            return target
        with clean_ending(), FileLock(f"{target}.lock"):
            if not _is_sound(target):
                _build(target, build)
    return target


def _build(target: Path, build: Callable[[Path], Path]) -> None:
    with tempfile.TemporaryDirectory(prefix="building-", dir=target.parent) as folder:
        made = build(Path(folder))
        made.chmod(made.stat().st_mode & ~0o022)
        (note := Path(folder, "note")).write_text(_fingerprint(made))
        # The build first: it is not trusted until its checksum is there.
        os.replace(made, target)
        os.replace(note, _sum(target))


def _sum(target: Path) -> Path:
    return target.with_name(f"{target.name}.sum")


def _is_sound(target: Path) -> bool:
    """Return whether a build is there, and unchanged."""
    try:
        return stat.S_ISREG(target.lstat().st_mode) and (
            _sum(target).read_text() == _fingerprint(target)
        )
    except (OSError, UnicodeDecodeError):
        return False


def _fingerprint(path: Path) -> str:
    """Return checksum and mode of a file."""
    content = hashlib.sha256(path.read_bytes()).hexdigest()
    return f"{content} {stat.S_IMODE(path.stat().st_mode):o}\n"


def _check_folder(folder: Path) -> None:
    """Make the folder, for us alone; refuse one that others can write to."""
    for path in (folder.parent, folder):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.name != "posix":
            continue
        state = path.stat()
        if state.st_mode & 0o022:
            raise EngineError(
                f"others can write to the cache of compiled programs, {path}: make it yours with "
                f"'chmod go-w {path}', or name another folder with BAYESCMP_CACHE"
            )
        if state.st_uid not in (os.geteuid(), 0):
            raise EngineError(
                f"the cache of compiled programs, {path}, belongs to another user: name another "
                "folder with BAYESCMP_CACHE"
            )


@contextlib.contextmanager
def _explain_cache(target: Path) -> Iterator[None]:
    """Say in one line what is wrong with the cache."""
    try:
        yield
    except OSError as error:
        raise EngineError(
            f"the cache of compiled programs cannot be used: {error.strerror or error}: "
            f"{error.filename or target}; remove it, or name another folder with BAYESCMP_CACHE"
        ) from error


def our_entries() -> list[Path]:
    """List files and folders of the cache that this package made."""
    folders = [cache_root() / engine for engine in ("cmdstan", "pystan")]
    return sorted(
        path
        for folder in folders
        if folder.is_dir() and not folder.is_symlink()
        for path in folder.iterdir()
        if _OURS.fullmatch(path.name)
    )


def clear_cache() -> None:
    """Remove what this package made, and the folders that are then empty."""
    for path in our_entries():
        with contextlib.suppress(OSError):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
    for folder in (cache_root() / "cmdstan", cache_root() / "pystan", cache_root()):
        with contextlib.suppress(OSError):
            folder.rmdir()


# The tools for compiling programs: a C++ compiler, and the command that installs one here.


#: Commands that install a compiler and make, by installer.
_INSTALLERS = {
    "apt": "apt install g++ make",
    "dnf": "dnf install gcc-c++ make",
    "zypper": "zypper install gcc-c++ make",
    "pacman": "pacman -S gcc make",
    "xcode-select": "xcode-select --install",
    "conda": "conda install -c conda-forge cxx-compiler make",
}


def compiler() -> list[str]:
    """Return the C++ compiler's command, as CXX names it where set; empty if there is none."""
    try:
        named = shlex.split(os.environ.get("CXX", ""))
    except ValueError:  # an unmatched quotation mark
        return []
    return named if named and shutil.which(named[0]) else [] if named else _own_compiler()


def compiler_commands(*tools: str) -> list[str]:
    """List commands that install a C++ compiler and these tools, where this machine has none."""
    unset = ["unset CXX"] if os.environ.get("CXX") and not compiler() else []
    if (compiler() or _own_compiler()) and all(map(shutil.which, tools)):
        return unset
    here = [command for name, command in _INSTALLERS.items() if shutil.which(name)]
    return [*unset, here[0] if here else _INSTALLERS["conda"]]


def _own_compiler() -> list[str]:
    return next(([c] for c in ("g++", "clang++", "c++") if shutil.which(c)), [])


# Runs the chains of a compiled program, one process per chain, and reads their draws.


def run_chains(
    executable: Path, request: FitRequest, source: str
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Run the chains of a program linked with ``chain.cpp``; return draws, sampler statistics.

    By name, (chain, draw, ...). `source` is the program's origin. A failure ends all chains.
    """
    with clean_ending(), tempfile.TemporaryDirectory(prefix="bayescmp-") as folder:
        commands = _chains(executable, request, Path(folder))
        sample(commands, request, Path(folder), source, _iteration)
        names = Path(commands[0][-2]).read_text().splitlines()
        tables = [np.fromfile(command[-1]).reshape(-1, len(names)) for command in commands]
        return _gather(names, tables, request.keep)


def _chains(executable: Path, request: FitRequest, folder: Path) -> list[list[str]]:
    """Return each chain's command; the last two arguments are the files that it writes."""
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
    """Write data or initial values as Stan reads them; return the path, for a command."""
    path.write_text(json.dumps(convert_arrays(values)))
    return str(path)


def sample(
    commands: Sequence[Sequence[str]],
    request: FitRequest,
    folder: Path,
    source: str,
    iteration: Callable[[str], int],
) -> None:
    """Run the chains in parallel, one command per chain, with a bar if the request has `progress`.

    They write to `folder`; `iteration` reads a chain's progress from its output; `source` is the
    program's origin. If a chain fails, the others are ended, and EngineError is raised.
    """
    s = request.settings
    total = s.chains * (s.warmup + s.draws)
    with bar(f"{request.model}: sampling", total, request.progress) as shown:

        def watch(outputs: Sequence[Path]) -> None:
            if request.progress:
                texts = (file.read_text(errors="replace") for file in outputs if file.is_file())
                shown.update(max(0, sum(map(iteration, texts)) - shown.n))

        run_all(
            commands,
            folder,
            what=f"{source}: sampling {request.model!r}",
            at_once=os.cpu_count() or 1,
            watch=watch,
            complaint=_complaint,
        )


def _complaint(output: str, errors: str) -> str:
    """Return Stan's error in a line; why it refuses the first values may stand elsewhere."""
    refusal = "(?is)Rejecting initial value:.*?(?=(?:User-specified )?Initialization|$)"
    refusals = re.findall(refusal, output + errors)
    message = refusals[-1] if "initialization failed" in errors.lower() and refusals else errors
    return " ".join(message.split())[-2000:]


def _iteration(printed: str) -> int:
    lines = printed.split("\n")
    return int(lines[-2]) if len(lines) > 1 else 0  # text after the last newline is unfinished


def _gather(
    names: Sequence[str], tables: Sequence[np.ndarray], keep: Mapping[str, bool]
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Gather draws and statistics, (chain, draw, ...), from tables with Stan's column `names`."""
    columns: dict[str, list[int]] = {}
    for i, name in enumerate(names):
        columns.setdefault(name.split(".")[0], []).append(i)
    draws = {
        name: _variable(tables, columns.get(name, []), names, scalar)
        for name, scalar in keep.items()
    }
    return draws, sample_stats(lambda name: _variable(tables, columns[name], names, True))


def _variable(
    tables: Sequence[np.ndarray], at: list[int], names: Sequence[str], scalar: bool
) -> np.ndarray:
    """Gather a variable's draws; in Stan's arrays and matrices the first index moves fastest."""
    values = np.stack([table[:, at] for table in tables])
    if scalar:
        return values[..., 0]
    shape = [int(i) for i in names[at[-1]].split(".")[1:]] if at else [0]
    axes = (0, 1, *range(1 + len(shape), 1, -1))
    return np.ascontiguousarray(values.reshape(*values.shape[:2], *shape[::-1]).transpose(axes))


def bar(title: str, total: int | None, progress: bool) -> tqdm[NoReturn]:
    """Show a tqdm bar over iterations; with no total, as for a build, it shows the time."""
    from tqdm.auto import tqdm

    layout = None if total else "{desc}, {elapsed}"
    return tqdm(total=total, desc=title, disable=not progress, leave=False, bar_format=layout)


# The bundled engine: the Stan programs that a platform wheel carries, compiled.


class StanEngine:
    """Shared parts of the engines that run Stan programs."""

    independent = False
    how = "by Hamiltonian Monte Carlo in Stan"

    def supports(self, model: str) -> bool:
        """Return whether there is such a program; all are supported."""
        return (_folder() / f"{model}.stan").is_file()


#: The folder in a wheel with the programs, TBB, and VERSION, which names their Stan.
FOLDER = Path(__file__).parents[1] / "_programs"


class BundledEngine(StanEngine):
    """Stan with no compiler: the wheel carries compiled programs."""

    name = "bundled"

    def available(self) -> Availability:
        """Return whether every program is there, and executable."""
        if not all(os.access(FOLDER / model, os.X_OK) for model in program_names()):
            return Availability(
                False,
                needs="a wheel that carries compiled programs; make one, where there is a C++ "
                "compiler, with: BAYESCMP_BUNDLE_STAN=1 pip wheel .",
            )
        return Availability(True, (FOLDER / "VERSION").read_text(encoding="utf-8").strip())

    def fit(self, request: FitRequest) -> Fit:
        """Run the program's chains."""
        draws, stats = run_chains(FOLDER / request.model, request, "bundled Stan program")
        return Fit(self.name, self.available().version, draws, stats)
