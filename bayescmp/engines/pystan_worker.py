"""The process in which PyStan builds and samples; started by the pystan engine, never by hand.

A process of its own keeps PyStan's event loop out of notebooks, its messages off the terminal and
its fits out of the user's cache, and can be killed at any moment without harm. It reads pickled
jobs from its standard input and answers with pickled (kind, payload) pairs on what was its
standard output.
"""

from __future__ import annotations

import io
import os
import pickle
import re
import select
import shutil
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, BinaryIO

import numpy as np

STATS = {"divergent__": "diverging", "treedepth__": "tree_depth", "energy__": "energy",
         "lp__": "lp"}  # fmt: skip


class Chatter(io.StringIO):
    """Takes what PyStan prints: hands on the iterations that it counts and keeps the rest."""

    def __init__(self, moved: Callable[[int], None]) -> None:
        super().__init__()
        self.moved = moved

    def write(self, text: str) -> int:
        """Keep the text, and report any ``(done/total)`` in it."""
        for done in re.findall(r"\((\d+)/\d+\)", text):
            self.moved(int(done))
        return super().write(text)


def serve(jobs: BinaryIO, answers: BinaryIO) -> None:
    """Answer jobs until there are no more."""

    def answer(kind: str, payload: Any) -> None:
        pickle.dump((kind, payload), answers)
        answers.flush()

    while True:
        try:
            job = pickle.load(jobs)
        except EOFError:
            return
        chatter = Chatter(lambda done: answer("progress", done))
        sys.stdout = sys.stderr = chatter
        try:
            answer("done", _work(**job))
        except Exception as error:
            answer("failed", f"{error}\n{chatter.getvalue()[-2000:]}".strip())


def _work(text: str, data: dict[str, Any], built: str, seed: int, sample: dict[str, Any] | None,
          keep: dict[str, bool]) -> Any:  # fmt: skip
    """Build a program into the folder ``built``, or sample the one that is built there."""
    import httpstan.cache
    import httpstan.models

    import stan

    folder = httpstan.cache.model_directory(httpstan.models.calculate_model_name(text))
    if sample is None:
        stan.build(text, data=data)
        return _store(folder, Path(built))
    if not folder.is_dir():
        shutil.copytree(built, folder, copy_function=os.symlink)
    try:
        fit = stan.build(text, data=data, random_seed=seed).sample(**sample)
        return _arrays(fit, sample, keep)
    finally:
        shutil.rmtree(folder / "fits", ignore_errors=True)


def _store(folder: Path, built: Path) -> None:
    """Copy what sampling needs of a built program: not the sources and objects."""
    built.mkdir(parents=True)
    for file in folder.iterdir():
        if file.suffix in (".so", ".pyd", ".log"):
            shutil.copy2(file, built)


def _arrays(fit: Any, sample: dict[str, Any], keep: dict[str, bool]) -> Any:
    """Draws and sampler statistics as (chain, draw, ...); PyStan has (..., draw * chain)."""
    shape = (sample["num_samples"], sample["num_chains"])

    def by_chain(values: np.ndarray, scalar: bool) -> np.ndarray:
        values = np.asarray(values)
        values = np.moveaxis(values.reshape(*values.shape[:-1], *shape), (-1, -2), (0, 1))
        return np.ascontiguousarray(values[..., 0] if scalar else values)

    draws = {name: by_chain(fit[name], scalar) for name, scalar in keep.items()}
    stats = {ours: by_chain(fit[theirs], True) for theirs, ours in STATS.items()}
    return draws, {k: v.astype(bool) if k == "diverging" else v for k, v in stats.items()}


class Store:
    """In place of the compression with which PyStan stores what its samplers send.

    Draws are read back at once, so they are not compressed; the gradients and momenta that come
    with them, two thirds of all that is sent, are dropped.
    """

    def __init__(self, level: int, wbits: int) -> None:
        self.gzip = zlib.compressobj(level=0, wbits=wbits)
        self.kept: bool | None = None

    def compress(self, chunk: bytes) -> bytes:
        """Take the next chunk; the first says what this connection sends."""
        if self.kept is None:
            self.kept = b'"topic":"diagnostic"' not in chunk[:60]
        return self.gzip.compress(chunk) if self.kept else b""

    def flush(self) -> bytes:
        """What is left."""
        return self.gzip.flush() if self.kept else b""


def _hurry() -> None:
    """Spare PyStan what it does in vain, where it works as in the versions we know.

    It stores draws through `Store`; and its loop over the samplers' sockets does not wait for one
    sampler, ten milliseconds at a time, while the others are held up by their full buffers.
    """
    import httpstan.services_stub as stub

    if getattr(stub, "zlib", None) is zlib:
        names = {"Z_BEST_SPEED": zlib.Z_BEST_SPEED, "MAX_WBITS": zlib.MAX_WBITS}
        stub.zlib = SimpleNamespace(compressobj=Store, _Compress=Store, **names)
    if getattr(stub, "select", None) is select:
        stub.select = SimpleNamespace(select=lambda r, w, x, _: select.select(r, w, x, 0))


def main() -> None:
    """Keep the pipes to the parent for the answers, and send all other output nowhere."""
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    import httpstan.cache

    # PyStan works in a folder of this process's own, which the parent removes: the draws that it
    # stores beside a program would fill the user's cache.
    root = Path(sys.argv[1])
    httpstan.cache.cache_directory = lambda: root
    _hurry()
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
