"""examples/permutation_power.py: its data, its table, its picture."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
TABLE = EXAMPLES / "data" / "permutation_power.csv"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location(
        "permutation_power", EXAMPLES / "permutation_power.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_data_of_section_4(script):
    """Means (1, 0) and (-1, 0), unit variances, the correlation asked for within a class."""
    X = np.concatenate([script.two_classes(0.6, seed)[0] for seed in range(200)])
    y = np.concatenate([script.two_classes(0.6, seed)[1] for seed in range(200)])
    for label in (1, -1):
        rows = X[y == label]
        assert len(rows) == 20_000
        np.testing.assert_allclose(rows.mean(axis=0), [label, 0], atol=0.03)
        np.testing.assert_allclose(np.cov(rows.T), [[1, 0.6], [0.6, 1]], atol=0.04)


def test_a_small_part_is_made(script, capsys):
    table = script.power([0.0], 3, 1, None, ["naive Bayes"])
    committed = pd.read_csv(TABLE)
    assert list(table.columns) == list(committed.columns)
    same = committed[(committed["rho"] == 0) & (committed["classifier"] == "naive Bayes")]
    np.testing.assert_allclose(table["error"], same["error"], atol=0.011)
    assert "naive Bayes" in capsys.readouterr().out


def test_picture_of_the_committed_table(script, tmp_path):
    script.main(["--read-only", "--plot", str(tmp_path / "figure3.png")])
    assert (tmp_path / "figure3.png").read_bytes().startswith(b"\x89PNG")
