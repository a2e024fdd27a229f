"""Which of several algorithms is best, and where that can't be asked."""

from __future__ import annotations

import pytest

import bayescmp as bc
from bayescmp.comparison.best import best_lines, best_of
from bayescmp.text import probability
from bayescmp.verdict import Rope


@pytest.fixture
def scores(table):
    return bc.Scores(table)


def test_it_is_the_bootstrap_and_its_lines_quote_it(scores):
    best = best_of(scores, "accuracy", Rope(-0.05, 0.05), 1, None)
    own = bc.bayesian.bootstrap(scores, metric="accuracy", rope=0.05, seed=1)
    assert best.overview().equals(own.overview())
    _, following, average, *_ = best_lines(best)
    for line, on in ((following, "next"), (average, "average")):
        name, p = own.ranking(on).index[0], own.ranking(on)["p_best"].iloc[0]
        assert f": {name} {probability(p)}" in line


@pytest.mark.parametrize("rope", [Rope(-0.05, 0.05), Rope(-0.01, 0.05)])
def test_two_algorithms_one_data_set_and_lopsided_ropes_have_no_best(scores, rope):
    two, one = scores.select(algorithms=["knn", "svm"]), scores.select(datasets=["iris"])
    assert best_of(two, "accuracy", rope, 1, None) is None
    assert best_of(one, "accuracy", rope, 1, None) is None
    assert (best_of(scores, "accuracy", rope, 1, None) is None) == (rope.low == -0.01)
