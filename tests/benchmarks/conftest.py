"""A line of the table of speeds beside peers: printed, and kept where `peers.py` collects them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

#: The environment's variable that names the file of lines.
LINES = "BAYESCMP_SPEED_LINES"


@pytest.fixture
def beside(
    request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> Callable[..., float]:
    """``beside(job, peer, theirs, ours)``: seconds, or another unit, of which less is better.

    The peer is the name of its distribution. How many times as good ours is, is returned.
    """

    def add(
        job: str, peer: str, theirs: float, ours: float, *, unit: str = "s", more: bool = False
    ) -> float:
        times = ours / theirs if more else theirs / ours
        named = f"{peer} {version(peer)}"
        with capsys.disabled():
            print(f"\n{job}: {named} {theirs:.3g} {unit}, here {ours:.3g}: {times:.3g} times")
        if os.environ.get(LINES):
            line = {
                "job": job,
                "peer": named,
                "theirs": theirs,
                "ours": ours,
                "unit": unit,
                "times": times,
                "file": request.path.name,
            }
            with Path(os.environ[LINES]).open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        return times

    return add


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Where lines are collected, only the tests that make one are run."""
    if os.environ.get(LINES):
        items[:] = [i for i in items if "beside" in getattr(i, "fixturenames", ())]
