"""The examples in the docstrings run, and print what they say."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def _modules() -> list[str]:
    files = sorted((ROOT / "bayescmp").rglob("*.py"))
    return [
        ".".join(f.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for f in files
        if ">>> " in f.read_text()
    ]


@pytest.mark.usefixtures("without_cmdstan")
@pytest.mark.parametrize("name", _modules())
def test_examples_of(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    old = {"legacy": "1.25"} if np.__version__ >= "2" else {}  # numpy 2 prints np.float64(0.5)
    with np.printoptions(precision=4, **old):
        result = doctest.testmod(importlib.import_module(name), optionflags=OPTIONS)
    plt.close("all")
    assert result.attempted > 0
    assert result.failed == 0
