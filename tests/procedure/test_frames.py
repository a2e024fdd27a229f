"""Tables of a procedure: each row is the single test of its data set and pair."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.procedure import procedure
from tests.procedure.cases import declared, many


@pytest.fixture(scope="module")
def case():
    frame, x = many(q=3, L=3, n=10, p=1, spread=2.0)
    return procedure(declared(frame), metrics="m0"), x[..., 0]


def test_rows_of_the_omnibus_are_anovas(case):
    result, x = case
    assert result.omnibus["dataset"].tolist() == ["d0", "d1", "d2"]
    for i, row in enumerate(result.omnibus.itertuples()):
        single = f.anova(x[i], rho=float(result.rho[i]))
        assert row.statistic == pytest.approx(single.statistic)
        assert row.pvalue == pytest.approx(single.pvalue)
        assert row.reject == (single.pvalue < result.alpha)


def test_rows_of_pairs_are_tukeys_in_the_order_of_data_sets(case):
    result, x = case
    pairs = result.pairwise
    assert pairs["dataset"].tolist() == [d for d in ("d0", "d1", "d2") for _ in range(3)]
    assert list(zip(pairs["first"], pairs["second"], strict=True))[:3] == [
        ("A1", "A2"), ("A1", "A3"), ("A2", "A3"),
    ]  # fmt: skip
    for i in range(3):
        single = f.tukey(x[i], rho=float(result.rho[i]))
        here = pairs[pairs["dataset"] == f"d{i}"]
        assert here["adjusted"].to_numpy() == pytest.approx(single.adjusted)
        # one metric, higher better: the risk is its negative
        means = x[i].mean(axis=1)
        assert here["difference"].iloc[0] == pytest.approx(means[1] - means[0])


def test_winners_are_the_better_of_pairs_that_differ(case):
    result, _ = case
    for row in result.pairwise.itertuples():
        better = row.second if row.difference > 0 else row.first
        assert row.winner == (better if row.different else "")


def test_mean_risks_have_a_column_an_algorithm(case):
    result, x = case
    assert list(result.risk.columns) == ["dataset", "A1", "A2", "A3"]
    assert result.risk[["A1", "A2", "A3"]].to_numpy() == pytest.approx(-x.mean(axis=2))


def test_several_metrics_have_dimensions_and_one_has_none(case):
    result, _ = case
    assert result.dimensions is None
    frame, _ = many(q=2, L=3, n=12, p=2, spread=3.0)
    both = procedure(declared(frame), metrics=("m0", "m1"))
    assert both.dimensions["dataset"].tolist() == ["d0", "d1"]
    assert set(both.dimensions["dimension"]) <= {0, 1, 2}
    single = f.manova(
        bc.scores_blocks(declared(frame), metrics=["m0", "m1"], dataset="d0"), block=True
    )
    assert both.dimensions["dimension"].iloc[0] == single.dimension()
    assert np.isnan(both.pairwise["difference"]).all()
