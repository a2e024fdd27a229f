"""Worker processes of joblib's own: deaf to Ctrl-C, and gone with what started them."""

from __future__ import annotations

import functools
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["deaf", "end_with", "watching"]


@functools.cache
def end_with(parent: int) -> None:
    """In a worker process of joblib's own: end when the process that started it has.

    One that is killed can't tell its workers, which would solve what was dispatched and then wait
    five minutes for more.

    Parameters
    ----------
    parent : int
        Its number, which a worker that is late could no longer ask for.
    """
    if multiprocessing.current_process().name.startswith("Loky"):
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(1)


def watching() -> dict[str, object]:
    """Options of `joblib.Parallel` by which its own workers watch us before they have a task."""
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend()
    loky = type(backend).__name__ == "LokyBackend"
    return {"initializer": end_with, "initargs": (os.getpid(),)} if loky else {}


@contextmanager
def deaf() -> Iterator[None]:
    """Have processes that are started meanwhile ignore Ctrl-C, which reaches them as well as us.

    They would each print where it met them. Ours, if it comes meanwhile, comes afterwards.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
