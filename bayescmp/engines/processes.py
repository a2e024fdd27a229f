"""Child processes that do not outlive us: compilers and chains."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import IO

from bayescmp.errors import EngineError

#: Seconds between two polls of the processes.
POLL = 0.005

#: A shell that reads which process groups there are. When we end without a word, as by SIGKILL, it
#: kills them and removes their folder and those of `remove_at_end`.
WATCHDOG = """
groups=
while read -r word; do
    [ "$word" = done ] && exit
    groups="$groups -$word"
done
for group in $groups; do kill -s KILL -- "$group"; done
rm -rf -- "$@"
"""

#: A shell that writes its number, which is its group's, to the watchdog, and becomes the command.
#: If we wrote it, a SIGKILL could come before. If someone killed the watchdog, no more than the
#: inner shell dies of it.
REPORTED = '(echo "$$" >&0) 2>/dev/null; exec "$@" </dev/null'

#: Signals that end a process which does not heed them; Windows has no SIGHUP.
_ENDING = ("SIGTERM", "SIGHUP")

#: Folders to remove when a signal ends the process, each with its process.
_FOLDERS: list[tuple[int, Path]] = []


class _Ended(BaseException):
    """Raised where a signal asks the process to end."""


@contextlib.contextmanager
def clean_ending() -> Iterator[None]:
    """Clean up on SIGTERM and SIGHUP as on Ctrl-C, unless the caller has a handler."""
    received: list[int] = []

    def unwind(number: int, frame: FrameType | None) -> None:
        if not received:  # a second one does not interrupt the cleaning up
            received.append(number)
            raise _Ended

    ours = [n for n in _signals(*_ENDING) if signal.getsignal(n) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, unwind)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)
        if received:
            for folder in _folders():
                shutil.rmtree(folder, ignore_errors=True)
            signal.raise_signal(received[0])


def remove_at_end(folder: Path) -> None:
    """Have `clean_ending` and `run_all` remove a folder of this process when a signal ends us."""
    _FOLDERS.append((os.getpid(), folder))


def _folders() -> list[Path]:
    """List the folders of this process: a fork does not touch its parent's folders."""
    return [folder for owner, folder in _FOLDERS if owner == os.getpid()]


def _signals(*names: str) -> list[signal.Signals]:
    """Return those of the named signals that exist here, and that a handler could receive."""
    if threading.current_thread() is not threading.main_thread():  # others get no signals
        return []
    return [getattr(signal, name) for name in names if hasattr(signal, name)]


def run_all(
    commands: Sequence[Sequence[str]],
    folder: Path,
    *,
    what: str,
    at_once: int,
    watch: Callable[[Sequence[Path]], object] = lambda _: None,
    complaint: Callable[[str, str], str] = lambda output, errors: errors.strip()[-2000:],
) -> None:
    """Run commands side by side; none of them, nor what they started, outlives us.

    An interruption kills them, and so does our own end, even by SIGKILL (except on Windows). If
    one fails, the others are killed, and EngineError is raised. `folder` for their output is
    removed if we are killed; `what` they do, and `complaint` (from their output), are for the
    message; `at_once` run at the same time; `watch` is called at every poll with their output
    files.
    """
    outputs = [folder / f"{i}.out" for i in range(len(commands))]
    waiting = list(range(len(commands)))
    running: dict[int, subprocess.Popen[bytes]] = {}
    with _watchdog(folder) as watchdog, _all_killed(running):
        while waiting or running:
            while waiting and len(running) < at_once:
                with _hold_signals():
                    i = waiting.pop(0)
                    running[i] = _start(commands[i], outputs[i], what, watchdog)
            with _hold_signals():  # an exception during a poll would leave the process locked
                ended = [i for i, process in running.items() if process.poll() is not None]
            for i in ended:
                if code := running.pop(i).returncode:
                    raise EngineError(
                        f"{what} failed: {_explain_failure(code, outputs[i], complaint)}"
                    )
            watch(outputs)
            time.sleep(POLL)


@contextlib.contextmanager
def _all_killed(running: Mapping[int, subprocess.Popen[bytes]]) -> Iterator[None]:
    """Kill what still runs when the block ends."""
    try:
        yield
    finally:
        with _hold_signals():
            for process in running.values():
                _kill(process)


@contextlib.contextmanager
def _hold_signals() -> Iterator[None]:
    """Hold back signals until the block ends, so that no process starts without a record of it."""
    held: list[int] = []
    before = {number: signal.getsignal(number) for number in _signals("SIGINT", *_ENDING)}
    # handlers that are not functions are left to the system
    handlers = {number: handler for number, handler in before.items() if callable(handler)}
    try:
        for number in handlers:
            signal.signal(number, lambda number, frame: held.append(number))
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if held:
            signal.raise_signal(held[0])


@contextlib.contextmanager
def _watchdog(folder: Path) -> Iterator[IO[bytes] | None]:
    """Yield what processes write their numbers to: their groups are killed if we just vanish."""
    if os.name != "posix":
        yield None
        return
    # In a separate session, so that it survives when we and our group are killed.
    shell = subprocess.Popen(
        ["/bin/sh", "-c", WATCHDOG, "watchdog", str(folder), *map(str, _folders())],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert shell.stdin is not None
    try:
        yield shell.stdin
    finally:
        with contextlib.suppress(BrokenPipeError):  # someone killed it
            shell.stdin.write(b"done\n")
        with contextlib.suppress(BrokenPipeError):
            shell.stdin.close()
        shell.wait()


def _start(
    command: Sequence[str], output: Path, what: str, watchdog: IO[bytes] | None
) -> subprocess.Popen[bytes]:
    if shutil.which(command[0]) is None:
        raise EngineError(
            f"{what} failed: {command[0]}: there is no program of this name, or it may not be run"
        )
    reported = command if watchdog is None else ["/bin/sh", "-c", REPORTED, "sh", *command]
    with output.open("wb") as out, output.with_suffix(".err").open("wb") as err:
        try:
            return subprocess.Popen(
                reported,
                stdin=watchdog or subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,  # so that Ctrl-C reaches only us: we kill it
                env={**os.environ, "TMPDIR": str(output.parent)},  # a killed compiler leaves files
            )
        except OSError as error:
            raise EngineError(f"{what} failed: {command[0]}: {error.strerror}") from error


def _explain_failure(code: int, output: Path, complaint: Callable[[str, str], str]) -> str:
    files = output, output.with_suffix(".err")
    message = complaint(*(path.read_text(errors="replace") for path in files))
    if code < 0:
        name = signal.Signals(-code).name
        return f"its process died ({name}: out of memory, or killed) {message}".rstrip()
    disk = output.parent.parent  # the folder of the output will be gone
    return message or f"exit code {code} without a message: is the disk of {str(disk)!r} full?"


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and its children: a compiler's children do the work."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
    process.wait()
