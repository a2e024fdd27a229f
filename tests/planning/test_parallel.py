"""Tasks on several processes."""

from __future__ import annotations

import operator
import os
import signal
import subprocess
import sys
import time

import pytest

from bayescmp.planning.parallel import run_all


def test_results_come_in_order_and_the_bar_is_called_as_asked(capsys):
    tasks = [(i, 2) for i in range(8)]
    wanted = [i**2 for i in range(8)]
    assert run_all(operator.pow, tasks, n_jobs=1, title="powers", progress=False) == wanted
    assert capsys.readouterr().err == ""
    assert run_all(operator.pow, tasks, n_jobs=2, title="powers", progress=True) == wanted
    assert "powers" in capsys.readouterr().err


def test_an_interruption_reaches_the_caller():
    def interrupted(i):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_all(interrupted, [(1,), (2,)], n_jobs=1, title="", progress=False)


#: Each task writes the number of its process, and takes longer than the test.
LONG = """
import os, signal, sys, time
from bayescmp.planning.parallel import run_all

signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background

def task(i):
    with open(sys.argv[1], "a") as file:
        file.write(f"{os.getpid()}\\n")
    time.sleep(300)

run_all(task, [(i,) for i in range(4)], n_jobs=2, title="", progress=False)
"""


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def until(happened, seconds=60):
    end = time.monotonic() + seconds
    while not happened() and time.monotonic() < end:
        time.sleep(0.05)
    return happened()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no process groups")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_us_and_say_nothing(number, tmp_path):
    """Ctrl-C goes to the whole group, a SIGKILL to us alone."""
    pids = tmp_path / "pids"
    with subprocess.Popen([sys.executable, "-c", LONG, str(pids)], start_new_session=True,
                          stderr=subprocess.PIPE, text=True) as main:  # fmt: skip
        assert until(lambda: pids.exists() and len(pids.read_text().split()) == 2)
        workers = [int(pid) for pid in pids.read_text().split()]
        if number == signal.SIGINT:
            os.killpg(main.pid, number)
        else:
            main.kill()
        assert until(lambda: main.poll() is not None)
        assert until(lambda: not any(map(is_alive, workers)))
        if number == signal.SIGINT:
            assert main.stderr.read().count("Traceback") == 1  # ours
