"""The pystan engine: the same programs, compiled with what PyStan 3's wheels contain.

PyStan's own way to run a program (a web server that passes on every draw as JSON) takes twice as
long as the sampling, and cannot be stopped. So a program is compiled with httpstan's stanc,
headers and TBB, and with ``chain.cpp``, into a separate executable. ``lean.hpp`` replaces Stan's
headers, on which a compiler spends most of its time; a program that does not compile with it gets
all of them.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from bayescmp.engines import chains
from bayescmp.engines.base import Availability, Fit, FitRequest
from bayescmp.engines.processes import clean_ending, run_all
from bayescmp.errors import EngineError

# Compiles Stan programs with what PyStan's wheels contain: stanc, the headers, Intel's TBB.


#: The origin of Stan, in messages.
SOURCE = "Stan from PyStan's wheels"

#: The flags of httpstan without those for threads: each chain is a process.
FLAGS = ("-O3", "-std=c++17", "-w", "-D_REENTRANT", "-DBOOST_DISABLE_ASSERTS",
         "-DBOOST_PHOENIX_NO_VARIADIC_EXPRESSION", "-D_GLIBCXX_USE_CXX11_ABI=0")  # fmt: skip
#: GCC collects its garbage more often than it otherwise would where memory is plentiful.
GNU_FLAGS = ("--param=ggc-min-expand=10", "--param=ggc-min-heapsize=32768")
STANC = ("--O1",)
HERE = Path(__file__).parent
RUNNER, LEAN = HERE / "chain.cpp", HERE / "lean.hpp"


def missing_tools() -> str:
    """Say what is missing to compile a program, and how to get it; empty if nothing is."""
    wheels, tools = importlib.util.find_spec("httpstan") is not None, chains.compiler_commands()
    if wheels and not tools:
        return ""
    named, get = os.environ.get("CXX"), " && ".join(tools)
    which = f"the C++ compiler that CXX names, {named!r}" if named else "a C++ compiler"
    if wheels:
        return f"{which} (PyStan's wheels are installed); get it with: {get}"
    what, first = (f" and {which}", f"{get} && ") if tools else ("", "")
    return f"PyStan's wheels{what}; get them with: {first}pip install pystan httpstan"


def stan_version() -> str:
    """Return the version of the wheel."""
    return f"{SOURCE}, httpstan {version('httpstan')}"


def _home() -> Path:
    """Return the folder in which PyStan's wheels keep Stan."""
    spec = importlib.util.find_spec("httpstan")
    if spec is None or spec.origin is None:
        raise EngineError(f"no {missing_tools()}")
    return Path(spec.origin).parent


def program_key(text: str) -> str:
    """Make a built program's key from its text, its build and run settings, and its libraries."""
    return chains.build_key(
        text, *FLAGS, *GNU_FLAGS, *STANC, *chains.compiler(), version("httpstan"), str(_home()),
        *(path.read_text(encoding="utf-8") for path in (RUNNER, LEAN)),
        platform.machine(), sys.platform,
    )  # fmt: skip


def find_or_build(model: str, *, progress: bool = False) -> Path:
    """Return the executable of a program, which is built if it is not in the cache."""
    text = chains.program_text(model)

    def build(folder: Path) -> Path:
        with chains.bar(f"{model}: compiling (once)", None, progress):
            library = f"-Wl,-rpath,{_home() / 'lib'}"
            return _link(model, text, folder, [library])

    return chains.built_once(
        chains.cache_root() / "pystan" / f"{model}-{program_key(text)}", build
    )


def link_portable(model: str, text: str, folder: Path) -> Path:
    """Link a program that runs next to a copy of `tbb`, with no C++ library installed."""
    beside = "@loader_path" if sys.platform == "darwin" else "$ORIGIN"
    static = [] if sys.platform == "darwin" else ["-static-libstdc++", "-static-libgcc"]
    options = [f"-Wl,-rpath,{beside}", "-Wl,-S", *static]
    return _link(model, text, folder, options)


def tbb() -> Path:
    """Return the library that every program is linked to."""
    names = ("libtbb.so.2", "libtbb.dylib")
    return next(path for name in names if (path := _home() / "lib" / name).is_file())


def _objects(model: str, text: str) -> list[Path]:
    """Return what a program is linked from: itself and what runs its chains, from the cache."""
    cache = chains.cache_root() / "pystan"
    program = chains.built_once(
        cache / f"{model}-{program_key(text)}.o", lambda folder: _translate(model, text, folder)
    )
    runner = chains.built_once(
        cache / f"chain-{program_key('')}.o",
        lambda folder: _compile(RUNNER, folder / "chain.o", folder, "chain"),
    )
    return [program, runner]


def _translate(model: str, text: str, folder: Path) -> Path:
    """Make the object of a program."""
    source = folder / f"{model}.stan"
    source.write_text(text, encoding="utf-8")
    cpp = source.with_suffix(".cpp")
    # The file's name in Stan's messages: the temporary folder is gone when they are read.
    named = ["--name", f"{model}_model", f"--filename-in-msg={source.name}", f"--o={cpp}"]
    stanc = [str(_home() / "stanc"), *STANC, *named, str(source)]
    _run(stanc, folder, model)
    return _compile(cpp, source.with_suffix(".o"), folder, model)


def _link(model: str, text: str, folder: Path, options: Sequence[str]) -> Path:
    executable = folder / model
    libraries = [f"-L{_home() / 'lib'}", "-ltbb", *options]
    command = [*chains.compiler(), *map(str, _objects(model, text)), "-o", str(executable)]
    _run([*command, *libraries], folder, model)
    return executable


def _compile(cpp: Path, target: Path, folder: Path, name: str) -> Path:
    """Compile with the headers that our programs need, or else with all of Stan's."""
    command = [*chains.compiler(), *FLAGS, *_gnu_flags(), f"-I{_home() / 'include'}", "-c"]
    ends = [str(cpp), "-o", str(target)]
    try:
        _run([*command, *_lean(cpp), *ends], folder, name)
    except EngineError:
        _run([*command, *ends], folder, name)
    return target


def _lean(cpp: Path) -> list[str]:
    """Return options that put our header, and the distributions a program names, before it."""
    names = set(re.findall(r"\b\w+_(?:lpdf|lpmf|lcdf|lccdf|cdf|rng)\b", cpp.read_text()))
    distributions = (f"stan/math/prim/prob/{name}.hpp" for name in sorted(names))
    there = [name for name in distributions if (_home() / "include" / name).is_file()]
    return [part for header in (str(LEAN), *there) for part in ("-include", header)]


def _gnu_flags() -> Sequence[str]:
    """Return parameters that GCC has, and Clang, which may call itself g++, has not."""
    names = subprocess.run(
        [*chains.compiler(), "--version"], capture_output=True, text=True
    ).stdout
    return () if "clang" in names.lower() else GNU_FLAGS


def _run(command: Sequence[str], folder: Path, name: str) -> None:
    run_all([command], folder, what=f"{SOURCE}: building {name!r}", at_once=1)


# The pystan engine: the same programs, built with the Stan inside PyStan 3's wheels.


class PyStanEngine(chains.StanEngine):
    """Stan from PyStan's wheels."""

    name = "pystan"

    def available(self) -> Availability:
        """Return whether PyStan's wheels and a C++ compiler are there."""
        missing = missing_tools()
        if missing:
            return Availability(False, needs=missing)
        return Availability(True, stan_version())

    def fit(self, request: FitRequest) -> Fit:
        """Build the program unless it is in the cache, and run its chains."""
        with clean_ending():
            executable = find_or_build(request.model, progress=request.progress)
            draws, stats = chains.run_chains(executable, request, SOURCE)
        return Fit(self.name, stan_version(), draws, stats)
