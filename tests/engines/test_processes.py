"""Child processes: side by side, and none left when one fails or we are interrupted."""

from __future__ import annotations

import os
import sys
import time

import pytest

from bayescmp.engines.processes import run_all
from bayescmp.errors import EngineError

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


def test_a_failure_names_the_task_and_the_message(tmp_path):
    with pytest.raises(EngineError, match="sampling 'm' failed: out of luck"):
        run_all([python("import sys; sys.exit('out of luck')")], tmp_path, what="sampling 'm'",
                at_once=1)  # fmt: skip
    with pytest.raises(EngineError, match="exit code 3"):
        run_all([python("import sys; sys.exit(3)")], tmp_path, what="x", at_once=1)
    with pytest.raises(EngineError, match="SIGKILL: out of memory, or killed"):
        run_all([python("import os; os.kill(os.getpid(), 9)")], tmp_path, what="x", at_once=1)


@pytest.mark.parametrize("end", [KeyboardInterrupt, EngineError])
def test_none_is_left_behind(tmp_path, end):
    pids = []

    def watch(outputs) -> None:
        pids[:] = [int(text) for path in outputs if path.exists() and (text := path.read_text())]
        if len(pids) == 2 and end is KeyboardInterrupt:
            raise KeyboardInterrupt

    commands = [python(SLEEP), python(SLEEP)]
    if end is EngineError:
        commands[1] = python("import os; print(os.getpid(), flush=True); import time; "
                             "time.sleep(0.5); os.abort()")  # fmt: skip
    started = time.monotonic()
    with pytest.raises(end):
        run_all(commands, tmp_path, what="x", at_once=2, watch=watch)
    assert time.monotonic() - started < 30  # the sleepers would take 60 s
    assert len(pids) == 2
    assert not any(map(is_alive, pids))
