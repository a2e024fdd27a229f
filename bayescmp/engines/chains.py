"""Runs the chains of a compiled program, a process each, and reads their draws.

`run_chains` runs programs linked with ``chain.cpp``, which says what they are given and write;
`sample` those of CmdStan, too.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from bayescmp.engines.base import FitRequest
from bayescmp.engines.processes import clean_ending, run_all
from bayescmp.engines.programs import plain, sample_stats

if TYPE_CHECKING:
    from tqdm import tqdm

__all__ = ["bar", "run_chains", "sample"]


def run_chains(
    executable: Path, request: FitRequest, source: str
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Draws and sampler statistics of a program's chains, (chain, draw, ...).

    Parameters
    ----------
    executable : Path
        The program, linked with ``chain.cpp``.
    request : FitRequest
        What to fit, and how.
    source : str
        Where the program comes from, for the error message.

    Returns
    -------
    draws, statistics : dict of str to ndarray

    Raises
    ------
    EngineError
        If a chain fails; the others are ended.
    """
    with clean_ending(), tempfile.TemporaryDirectory(prefix="bayescmp-") as folder:
        commands = _chains(executable, request, Path(folder))
        sample(commands, request, Path(folder), source, _iteration)
        return _gather(*_read(commands), request.keep)


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
    """Write data or initial values as Stan reads them; the path, for a command."""
    path.write_text(json.dumps(plain(values)))
    return str(path)


def sample(
    commands: Sequence[Sequence[str]],
    request: FitRequest,
    folder: Path,
    source: str,
    iteration: Callable[[str], int],
) -> None:
    """Run the chains side by side, with a bar where the request asks for one.

    Parameters
    ----------
    commands : sequence of sequence of str
        A chain's each.
    request : FitRequest
        What they sample.
    folder : Path
        Where they write.
    source : str
        Where the program comes from, for the error message.
    iteration : callable
        How far a chain is, by what it has printed.

    Raises
    ------
    EngineError
        If a chain fails; the others are ended.
    """
    s = request.settings
    total = s.chains * (s.warmup + s.draws)
    with bar(f"{request.model}: sampling", total, request.progress) as shown:

        def watch(outputs: Sequence[Path]) -> None:
            if request.progress:
                texts = (p.read_text(errors="replace") for p in outputs if p.is_file())
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
    """What Stan says is wrong, in a line; it may say elsewhere why it refuses the first values."""
    refusals = re.findall("Rejecting initial value:.*?(?=Initialization|$)", output + errors, re.S)
    message = refusals[-1] if "Initialization failed" in errors and refusals else errors
    return " ".join(message.split())[-2000:]


def _iteration(printed: str) -> int:
    lines = printed.split("\n")
    return int(lines[-2]) if len(lines) > 1 else 0  # text after the last newline is unfinished


def _read(commands: Sequence[Sequence[str]]) -> tuple[list[str], list[np.ndarray]]:
    names = Path(commands[0][-2]).read_text().splitlines()
    return names, [np.fromfile(c[-1]).reshape(-1, len(names)) for c in commands]


def _gather(
    names: Sequence[str], tables: Sequence[np.ndarray], keep: Mapping[str, bool]
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Draws and sampler statistics of all chains, (chain, draw, ...).

    Parameters
    ----------
    names : sequence of str
        Columns of the tables, as Stan calls them: "delta.1", "delta.2".
    tables : sequence of ndarray of shape (draw, column)
        A chain's each.
    keep : mapping of str to bool
        Variables to return, and whether each is a scalar.

    Returns
    -------
    draws, statistics : dict of str to ndarray
    """
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
    """A variable's draws; Stan writes arrays and matrices with the first index moving fastest."""
    values = np.stack([table[:, at] for table in tables])
    if scalar:
        return values[..., 0]
    shape = [int(i) for i in names[at[-1]].split(".")[1:]] if at else [0]
    axes = (0, 1, *range(1 + len(shape), 1, -1))
    return np.ascontiguousarray(values.reshape(*values.shape[:2], *shape[::-1]).transpose(axes))


@contextlib.contextmanager
def bar(title: str, total: int | None, progress: bool) -> Iterator[tqdm[NoReturn]]:
    """A tqdm bar over iterations; with no total, as for a build, it shows the time that passes."""
    from tqdm.auto import tqdm

    layout = None if total else "{desc}, {elapsed}"
    with tqdm(
        total=total, desc=title, disable=not progress, leave=False, bar_format=layout
    ) as shown:
        yield shown
