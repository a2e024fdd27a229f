"""What `.ci/run` counts as a failure, and that other kernels really are others."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.rows import each_row
from tests.sources import ROOT

RUN = (ROOT / ".ci" / "run").read_text() if (ROOT / ".ci" / "run").exists() else ""
pytestmark = [
    pytest.mark.skipif(not RUN, reason="an unpacked source distribution has no .ci"),
    pytest.mark.skipif(not shutil.which("timeout"), reason="GNU timeout is not installed"),
]


def in_time(command, seconds=30):
    """The exit status, and what is printed, of a command that has so many seconds."""
    function = RUN[RUN.index("in_time() {") : RUN.index("\n}\n", RUN.index("in_time() {")) + 2]
    script = f"set -euo pipefail\n{function}\nin_time it {seconds} {command}\necho after"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout.split("\n")[:-1]


@each_row("code", [1, 124, 137])
def test_every_exit_status_of_the_command_itself_is_a_failure(code):
    assert in_time(f"bash -c 'exit {code}'") == (code, [f"it: exit status {code}"])


def test_a_killed_command_is_a_failure():
    assert in_time("bash -c 'kill -KILL $$'") == (137, ["it: exit status 137"])


def test_the_end_of_its_time_is_reported_and_what_is_done_passes():
    assert in_time("sleep 30", seconds=1) == (0, ["it: the time was up after 1 s", "after"])
    assert in_time("true") == (0, ["after"])


def test_only_calibration_may_be_cut_short():
    calls = [line.split()[:2] for line in RUN.splitlines() if "in_time " in line]
    assert [call for call in calls if call[0] == "in_time"] == [["in_time", "calibration"]]


def switched(**given):
    """The outcome of a command under other kernels than those of an environment."""
    ours = ("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES", "GLIBC_TUNABLES")
    return subprocess.run(
        [sys.executable, str(ROOT / "tests" / "kernels.py"), sys.executable, "-c", "print('ran')"],
        env={k: v for k, v in os.environ.items() if k not in ours} | given,
        capture_output=True,
        text=True,
        timeout=60,
    )  # fmt: skip


@pytest.mark.skipif(sys.platform != "linux", reason="kernels are switched as Linux wheels do it")
def test_nothing_runs_unless_every_kernel_is_another():
    done = switched()
    assert (done.returncode, done.stderr) == (0, "")
    *lines, last = done.stdout.splitlines()
    assert last == "ran"
    assert {line.split(":")[0] for line in lines} >= {"BLAS of numpy.libs", "BLAS of scipy.libs"}
    kept = switched(OPENBLAS_CORETYPE="Prescott")
    assert kept.returncode == 1
    assert "ran" not in kept.stdout
    assert kept.stderr.startswith("not switched: BLAS of ")
