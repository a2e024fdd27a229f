"""Child processes: side by side, and none left when one fails or we are interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bayescmp.engines.processes import clean_ending, run_all
from bayescmp.errors import EngineError
from tests.rows import each_row

SLEEP = "import os, sys, time; print(os.getpid(), flush=True); time.sleep(60)"


def python(code: str) -> list[str]:
    return [sys.executable, "-S", "-E", "-c", code]


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_no_more_run_at_once_than_asked(tmp_path):
    code = "import os, time; open('{0}', 'w').close(); time.sleep(0.2); os.remove('{0}')"
    marks = [tmp_path / f"running-{i}" for i in range(4)]
    most = 0

    def watch(outputs) -> None:
        nonlocal most
        most = max(most, sum(mark.exists() for mark in marks))

    run_all([python(code.format(m)) for m in marks], tmp_path, what="x", at_once=2, watch=watch)
    assert most == 2
    assert not any(mark.exists() for mark in marks)


def test_what_a_killed_compiler_leaves_goes_with_the_folder(tmp_path):
    code = "import os; open(os.path.join(os.environ['TMPDIR'], 'cc1.s'), 'w').close()"
    run_all([python(code)], tmp_path, what="x", at_once=1)
    assert (tmp_path / "cc1.s").is_file()


def test_a_failure_names_the_task_and_the_message(tmp_path):
    with pytest.raises(EngineError, match="sampling 'm' failed: out of luck"):
        run_all(
            [python("import sys; sys.exit('out of luck')")],
            tmp_path,
            what="sampling 'm'",
            at_once=1,
        )
    with pytest.raises(EngineError, match="exit code 3"):
        run_all([python("import sys; sys.exit(3)")], tmp_path, what="x", at_once=1)
    with pytest.raises(EngineError, match="x failed: /no/such/program: there is no program"):
        run_all([["/no/such/program"]], tmp_path, what="x", at_once=1)
    with pytest.raises(EngineError, match="SIGKILL: out of memory, or killed"):
        run_all([python("import os; os.kill(os.getpid(), 9)")], tmp_path, what="x", at_once=1)


@each_row("end", [KeyboardInterrupt, EngineError])
def test_none_is_left_behind(tmp_path, end):
    pids = []

    def watch(outputs) -> None:
        pids[:] = [int(text) for path in outputs if path.exists() and (text := path.read_text())]
        if len(pids) == 2 and end is KeyboardInterrupt:
            raise KeyboardInterrupt

    commands = [python(SLEEP), python(SLEEP)]
    if end is EngineError:
        commands[1] = python(
            "import os; print(os.getpid(), flush=True); import time; time.sleep(0.5); os.abort()"
        )
    started = time.monotonic()
    with pytest.raises(end):
        run_all(commands, tmp_path, what="x", at_once=2, watch=watch)
    assert time.monotonic() - started < 30  # the sleepers would take 60 s
    assert len(pids) == 2
    assert not any(map(is_alive, pids))


@pytest.fixture(params=["SIGINT", "SIGTERM", "SIGHUP"])
def interrupt(request):
    """Sends a signal whose handler raises KeyboardInterrupt."""
    number = getattr(signal, request.param)

    def ended(number, frame):
        raise KeyboardInterrupt

    before = signal.signal(number, ended)
    try:
        yield lambda: signal.raise_signal(number)
        assert signal.getsignal(number) is ended
    finally:
        signal.signal(number, before)


def test_a_signal_amid_a_start_leaves_none_behind(monkeypatch, tmp_path, interrupt):
    """The process exists, and nobody has written down its number yet."""
    started = []

    class Interrupted(subprocess.Popen):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            if SLEEP in self.args:
                started.append(self)
                interrupt()

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_all([python(SLEEP)] * 2, tmp_path, what="x", at_once=2)
    assert len(started) == 1
    assert not is_alive(started[0].pid)


def test_a_signal_amid_a_poll_waits_until_it_is_done(monkeypatch, tmp_path, interrupt):
    """`Popen.poll` takes a lock: an exception amid it leaves it taken, and our wait has no end."""
    polled, poll = [], subprocess.Popen.poll

    def interrupted(process):
        if not polled:
            polled.append("begun")
            interrupt()
            polled.append("done")
        return poll(process)

    monkeypatch.setattr(subprocess.Popen, "poll", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_all([python(SLEEP)], tmp_path, what="x", at_once=1)
    assert polled == ["begun", "done"]


# A child with a child of its own, as a compiler has; the temporary folder is named on the way.
RUNS = """
import signal, sys, tempfile
from pathlib import Path
from bayescmp.engines import processes
from bayescmp.engines.processes import clean_ending, run_all
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # ignored under nohup
with clean_ending(), tempfile.TemporaryDirectory(dir=sys.argv[1]) as folder:
    run_all([["sh", "-c", "echo $$; sleep 60 & echo $!; wait"]], Path(folder), what="x", at_once=1)
"""


# We are killed as soon as the child is there, before another line of ours has run.
KILLED = """
import os, signal, subprocess, sys
from pathlib import Path
from bayescmp.engines import processes
class Killed(subprocess.Popen):
    def __init__(self, command, **options):
        super().__init__(command, **options)
        if "60" in command:
            print(self.pid, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
subprocess.Popen = Killed
processes.run_all([["sleep", "60"]], Path(sys.argv[1]), what="x", at_once=1)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_kill_amid_a_start_leaves_none_behind(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", KILLED, tmp_path],
        cwd=Path(__file__).parents[2],
        capture_output=True,
    )
    assert done.returncode == -signal.SIGKILL
    wait_for(lambda: not is_running(int(done.stdout)))
    wait_for(lambda: not tmp_path.exists())


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@each_row("name", ["SIGINT", "SIGHUP", "SIGKILL"])
def test_whatever_ends_us_leaves_no_process_and_no_folder(tmp_path, name):
    number = getattr(signal, name)
    ours = subprocess.Popen(
        [sys.executable, "-c", RUNS, tmp_path],
        cwd=Path(__file__).parents[2],
        stderr=subprocess.PIPE,
    )
    pids: list[int] = []
    wait_for(lambda: len(pids.extend(written(tmp_path)) or pids) >= 2)
    ours.send_signal(number)
    _, stderr = ours.communicate(timeout=30)
    assert ours.returncode == -number  # it is seen from outside what ended us
    assert (b"Traceback" in stderr) == (name == "SIGINT")
    wait_for(lambda: not any(map(is_running, pids)))
    wait_for(lambda: not any(tmp_path.iterdir()))


def written(folder: Path) -> list[int]:
    """Both process numbers, once they are printed."""
    lines = [line for path in folder.glob("*/0.out") for line in path.read_text().splitlines()]
    return [int(line) for line in lines] if len(lines) == 2 else []


def is_running(pid: int) -> bool:
    """Whether a process, which is not ours to wait for, does more than wait to be buried."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True)
    return state.stdout.strip()[:1] not in ("", "Z")


def wait_for(condition) -> None:
    for _ in range(600):
        if condition():
            return
        time.sleep(0.05)
    pytest.fail("it did not happen in 30 s")


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_handler_of_the_callers_own_stays():
    received = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: received.append(number))
    try:
        with clean_ending():
            signal.raise_signal(signal.SIGTERM)
        assert received == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_handlers_are_as_before_when_nothing_came():
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)]
    with clean_ending():
        assert signal.getsignal(signal.SIGHUP) != signal.SIG_DFL
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)] == before
