"""A comparison of skore; the fixture is by the real program (make_fixtures.py)."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold

import bayescmp as bc

FIXTURE = Path(__file__).parent / "skore.csv"


def test_the_table_of_a_comparison():
    scores = bc.Scores.read(FIXTURE, resampling="5-fold", dataset="iris")
    raw = pd.read_csv(FIXTURE, index_col=0).loc["accuracy"]
    differences = scores.differences("dummy", "tree", "accuracy")
    assert differences.x[0] == pytest.approx(
        [raw[f"tree_split_{i}"] - raw[f"dummy_split_{i}"] for i in range(5)]
    )
    assert differences.datasets == ("iris",)
    assert [scores.direction(m).arrow for m in scores.metrics] == ["↑", "↑", "↓"]


def test_the_table_does_not_tell_the_splits():
    with pytest.raises(bc.InputError, match="the table of skore does not say how"):
        bc.Scores.read(FIXTURE)


def _report(seed):
    parts = list(KFold(5, shuffle=True, random_state=seed).split(np.zeros(50)))
    return SimpleNamespace(split_indices=parts)


def _comparison(reports):
    frame = pd.read_csv(FIXTURE, index_col=0)
    summary = SimpleNamespace(frame=lambda aggregate: frame)
    return SimpleNamespace(reports_=reports, metrics=SimpleNamespace(summarize=lambda: summary))


def test_a_report_brings_its_splits():
    scores = bc.Scores.read(_comparison({"dummy": _report(0), "tree": _report(0)}))
    assert str(scores.resampling.of("data")) == "rho 0.2: 5 folds, by the items tested"
    with pytest.raises(bc.InputError, match="test on different items in split 1"):
        bc.Scores.read(_comparison({"dummy": _report(0), "tree": _report(1)}))
    with pytest.raises(bc.InputError, match="is of single splits"):
        bc.Scores.read(_comparison({"dummy": SimpleNamespace(), "tree": _report(1)}))


def test_means_are_refused():
    with pytest.raises(bc.InputError, match="aggregate=None"):
        bc.Scores.read(pd.read_csv(FIXTURE).assign(mean_tree=1.0))
