"""Child processes that do not outlive us: compilers and chains."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from bayescmp.errors import EngineError

__all__ = ["run_all"]

#: Seconds between two polls of the processes.
POLL = 0.005


def run_all(
    commands: Sequence[Sequence[str]],
    folder: Path,
    *,
    what: str,
    at_once: int,
    watch: Callable[[Sequence[Path]], None] = lambda _: None,
) -> None:
    """Run commands side by side; an interruption kills them and all that they started.

    Parameters
    ----------
    commands : sequence of sequence of str
        Each a program with its arguments.
    folder : Path
        Where to write their output while they run.
    what : str
        What they do, for the error message.
    at_once : int
        How many run at the same time.
    watch : callable
        Called at every poll with the files of their standard outputs.

    Raises
    ------
    EngineError
        If one of them fails; the others are killed.
    """
    outputs = [folder / f"{i}.out" for i in range(len(commands))]
    waiting, running = list(range(len(commands))), dict[int, subprocess.Popen[bytes]]()
    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                i = waiting.pop(0)
                running[i] = _start(commands[i], outputs[i])
            for i, process in list(running.items()):
                if process.poll() is not None:
                    del running[i]
                    _check(process.returncode, outputs[i], what)
            watch(outputs)
            time.sleep(POLL)
    finally:
        for process in running.values():
            _kill(process)


def _start(command: Sequence[str], output: Path) -> subprocess.Popen[bytes]:
    with output.open("wb") as out, output.with_suffix(".err").open("wb") as err:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,  # so that Ctrl-C reaches only us: we kill it
        )


def _check(code: int, output: Path, what: str) -> None:
    if code == 0:
        return
    message = output.with_suffix(".err").read_text(errors="replace").strip()[-2000:]
    if code < 0:
        name = signal.Signals(-code).name
        message = f"its process died ({name}: out of memory, or killed) {message}"
    raise EngineError(f"{what} failed: {message or f'exit code {code}'}")


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and its children: those of a compiler do the work."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
    process.wait()
