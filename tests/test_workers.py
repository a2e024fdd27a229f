"""Worker processes of joblib's own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from bayescmp.workers import deaf, end_with, watching

ROOT = Path(__file__).parents[1]
BLOCKED = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signal masks")


@POSIX
def test_what_is_started_meanwhile_ignores_an_interruption():
    for context, wanted in ((deaf, "True"), (None, "False")):
        command = [sys.executable, "-I", "-S", "-c", BLOCKED]
        if context is None:
            done = subprocess.run(command, capture_output=True, text=True, check=True)
        else:
            with context():
                done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == wanted


@pytest.fixture
def heeded():
    """Python's own handling of Ctrl-C: a run in the background inherits that it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@POSIX
@pytest.mark.usefixtures("heeded")
def test_our_own_interruption_comes_afterwards():
    reached = []

    def interrupted():
        with deaf():
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            reached.append("the end")

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert reached
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_only_workers_watch():
    """This process is none: it does not end with one that is not there."""
    assert end_with(-1) is None
    assert watching() == {"initializer": end_with, "initargs": (os.getpid(),)}


def test_all_workers_watch():
    sources = [path.read_text("utf-8") for path in (ROOT / "bayescmp").rglob("*.py")]
    calls = [call for text in sources for call in re.findall(r"(?<!`)\bParallel\(.*", text)]
    assert len(calls) >= 6
    assert [call for call in calls if "**watching()" not in call] == []
