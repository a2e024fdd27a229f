"""The two targets, ranks and nested sets of the best."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayesian import bootstrap

# the second is best on two of three data sets, by little; the first on one, by much
MEANS = [[0.50, 0.51, 0.10], [0.60, 0.61, 0.20], [0.90, 0.40, 0.30]]


@pytest.fixture(scope="module")
def posterior():
    return bootstrap(MEANS, rope=0.02, seed=1, draws=20_000)


def test_best_next_and_best_on_average_differ(posterior):
    assert posterior.best()["A2"] == pytest.approx(2 / 3, abs=0.01)
    # on average A2 leads if 0.5 w3 < 0.01 (w1 + w2), that is w3 < 1/51, w3 ~ Beta(1, 2)
    expected = 1 - (1 - 1 / 51) ** 2
    assert posterior.best("average")["A2"] == pytest.approx(expected, abs=0.005)


def test_ranks_sum_to_one_and_agree_with_first_places(posterior):
    for on in ("next", "average"):
        ranks = posterior.ranks(on)
        np.testing.assert_allclose([ranks.sum(axis=0), ranks.sum(axis=1)], 1)
        assert ranks[1].to_dict() == pytest.approx(posterior.best(on))
        table = posterior.ranking(on)
        assert posterior.best_errors(on) == pytest.approx(table["se_best"].to_dict())
        expected = ranks.to_numpy() @ [1, 2, 3]
        np.testing.assert_allclose(table.loc[list(ranks.index), "expected_rank"], expected)
    table = posterior.ranking()
    assert table.loc["A3", ["rank_low", "rank_high"]].tolist() == [3, 3]
    assert table.loc["A2", ["rank_low", "rank_high"]].tolist() == [1, 2]


def test_top_sets_are_nested_with_their_joint_probabilities(posterior):
    sets = posterior.top_sets()
    # A1 is always within 0.02 of the best, A2 on two of three, the third never
    assert sets["members"].tolist() == [("A1",), ("A1", "A2"), ("A1", "A2", "A3")]
    assert sets["p_joint"].tolist() == pytest.approx([1, 2 / 3, 0], abs=0.01)
    assert posterior.top_set(0.6) == ("A1", "A2")
    assert posterior.top_set(0.9) == ("A1",)
    assert posterior.top_set(0.6, rope=0) == ("A2",)
    assert posterior.top_set(0.7, rope=0) == ()
    with pytest.raises(bc.InputError, match="threshold"):
        posterior.top_set(1.5)


def test_errors_are_those_of_repeated_runs():
    runs = [bootstrap(MEANS, rope=0.02, seed=s, draws=400) for s in range(80)]
    spread = np.std([list(r.best().values()) for r in runs], axis=0, ddof=1)
    reported = runs[0].ranking()["se_best"].loc[["A1", "A2"]].to_numpy()
    np.testing.assert_allclose(reported, spread[:2], rtol=0.25)
    assert (runs[0].ranking()["se_best"] > 0).all()
    assert (runs[0].rank_errors() > 0).all(axis=None)


def test_effects_are_relative_to_all(posterior):
    summary = posterior.summary()
    assert summary["mean"].sum() == pytest.approx(0, abs=1e-12)
    lead = np.mean(MEANS, axis=0) - np.mean(MEANS)
    np.testing.assert_allclose(summary["mean"], lead, atol=0.01)
