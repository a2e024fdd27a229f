"""Child processes that end when we do: compilers and chains."""

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

#: Seconds between two looks at the processes.
POLL = 0.005


def run_all(
    commands: Sequence[Sequence[str]],
    folder: Path,
    *,
    what: str,
    at_once: int,
    watch: Callable[[Sequence[Path]], None] = lambda _: None,
) -> None:
    """Run commands side by side; whatever interrupts us kills them and all that they started.

    Parameters
    ----------
    commands : sequence of sequence of str
        Each a program with its arguments.
    folder : Path
        Where their output is kept while they run.
    what : str
        What they do, for the error message.
    at_once : int
        How many run at a time.
    watch : callable
        Called now and then with the files of their standard outputs.

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
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
            start_new_session=True,  # a Ctrl-C is for us to act on
        )  # fmt: skip


def _check(code: int, output: Path, what: str) -> None:
    if code == 0:
        return
    said = output.with_suffix(".err").read_text(errors="replace").strip()[-2000:]
    if code < 0:
        said = f"its process died ({signal.Signals(-code).name}: out of memory, or killed) {said}"
    raise EngineError(f"{what} failed: {said or f'exit code {code}'}")


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process with its children: a compiler's are where its work is done."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
    process.wait()
