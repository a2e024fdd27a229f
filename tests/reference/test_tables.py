"""Facts restated here are those of the reference data; rows rebuilt have their statistics."""

import json

import numpy as np
import pandas as pd
import pytest

from tests.conftest import beside_the_checkout
from tests.reference.make_facts import facts, statistics
from tests.reference.tables import CLASSIFIERS, TABLES, rebuild, rows_of


def test_rows_have_the_mean_and_the_scatter_asked_for():
    rng = np.random.default_rng(1)
    x = 1 - rng.exponential(0.02, size=(30, 5)) @ rng.random((5, 5))
    x = np.clip(x, 0.5, 1)
    e = x - x.mean(axis=0)
    rows = rows_of(x.mean(axis=0), e.T @ e, 30)
    assert rows.min() >= 0
    assert rows.max() <= 1
    assert rows.mean(axis=0) == pytest.approx(x.mean(axis=0), abs=1e-12)
    assert np.cov(rows.T, ddof=0) * 30 == pytest.approx(e.T @ e, abs=1e-11)


def test_a_mean_beyond_the_range_has_no_rows():
    with pytest.raises(ValueError, match="no rows in"):
        rows_of(np.array([1.01, 0.5]), np.eye(2), 10)


def test_columns_that_never_differ_stay_equal():
    x = np.random.default_rng(1).random((10, 2))
    e = x[:, [0, 1, 0]] - x[:, [0, 1, 0]].mean(axis=0)
    rows = rows_of(x[:, [0, 1, 0]].mean(axis=0), e.T @ e, 10)
    assert np.array_equal(rows[:, 0], rows[:, 2])
    assert not np.array_equal(rows[:, 0], rows[:, 1])


def test_rebuilt_rows_have_the_statistics_they_come_from(tmp_path):
    stored = pd.read_csv(TABLES / "uci54_statistics.csv").to_numpy()
    data = rebuild(tmp_path)
    assert statistics(data).to_numpy() == pytest.approx(stored, rel=1e-9, abs=1e-11)
    accuracies = pd.read_csv(data / "accuracy_10x10cv_uci54.csv")["accuracy"]
    assert accuracies.between(0, 1).all()


def test_means_are_those_of_the_table_of_means():
    """Two files of the source: it rounded its accuracies to five digits, its means to seven."""
    blocks = pd.read_csv(TABLES / "uci54_statistics.csv")
    names = list(CLASSIFIERS)
    weighted = blocks[names].mul(blocks["folds"], axis=0).groupby(blocks["dataset_id"]).sum() / 100
    printed = pd.read_csv(TABLES / "accuracy_means_uci54.csv").set_index("dataset_id")[names]
    assert weighted.to_numpy() == pytest.approx(printed.to_numpy(), abs=1e-5)


def test_facts_are_up_to_date():
    """Where the reference data stand beside the checkout; elsewhere the files can be read."""
    reference = beside_the_checkout()
    if reference is None:
        entries = json.loads((TABLES / "expected.json").read_text(encoding="utf-8"))
        assert all(entry["source"] for entry in entries)
        return
    for name, text in facts(reference).items():
        if name == "uci54_statistics.csv":  # sums in another order end in another digit
            continue
        assert (TABLES / name).read_text(encoding="utf-8") == text, name
    fresh = statistics(reference / "data").to_numpy()
    stored = pd.read_csv(TABLES / "uci54_statistics.csv").to_numpy()
    assert stored == pytest.approx(fresh, rel=1e-8, abs=1e-12)
