"""Which test is taken, and what it is given."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.bayesian import correlated_t, hierarchical_t, signed_rank


def p_of(posterior):
    return dict(posterior.verdict().probabilities)


def test_several_data_sets_with_folds_are_hierarchical(scores):
    result = bc.compare(scores, "knn", "gbm", "accuracy", 0.05, seed=1, engine="quadrature")
    x = scores.differences("knn", "gbm", "accuracy")
    assert result.kind == "hierarchical_t"
    assert result.notes[0] == "test hierarchical_t: 3 data sets, with 10 scores on each"
    own = hierarchical_t(x, rope=0.05, seed=1, engine="quadrature")
    assert p_of(result) == p_of(own)


def test_one_data_set_is_correlated(scores, table):
    result = bc.compare(scores, "knn", "gbm", "accuracy", 0.05, dataset="iris")
    x = scores.differences("knn", "gbm", "accuracy").row("iris")
    assert result.notes[0] == "test correlated_t: one data set, with 10 scores"
    assert p_of(result) == p_of(correlated_t(x, rope=0.05))
    alone = table[table.dataset == "iris"]
    assert p_of(bc.compare(alone, "knn", "gbm", "accuracy", 0.05)) == p_of(result)


def test_means_are_signed_rank(means):
    result = bc.compare(means, "knn", "svm", rope=0.01, seed=1)
    assert result.notes[0] == "test signed_rank: 14 data sets, with a single score on each"
    wide = means.means()
    assert p_of(result) == p_of(signed_rank(wide["svm"] - wide["knn"], rope=0.01, seed=1))


def test_some_single_scores_are_signed_rank():
    x = bc.Differences([[0.1, 0.2], [0.3], [0.1]], rho=0.1)
    result = bc.compare(x, rope=0.01, seed=1)
    assert "2 of which with a single score" in result.notes[0]
    assert p_of(result) == p_of(signed_rank([0.15, 0.3, 0.1], rope=0.01, seed=1))


def test_one_single_score_is_no_comparison():
    with pytest.raises(bc.InputError, match="no test can judge"):
        bc.compare(bc.Differences([[0.1]], rho=0.1), rope=0.01)


@pytest.mark.parametrize("name", ["sign", "signed_rank", "signed-rank"])
def test_a_named_test_needs_no_note(scores, name):
    result = bc.compare(scores, "knn", "gbm", "accuracy", 0.05, test=name, seed=1)
    assert result.kind == name.replace("-", "_")
    assert result.notes == ()


def test_short_names_of_tests(scores):
    result = bc.compare(scores, "knn", "gbm", "accuracy", 0.05, test="correlated", dataset="wine")
    assert result.kind == "correlated_t"


def test_tests_on_means_need_no_rho():
    frame = pd.DataFrame({
        "dataset": list("xyz") * 4, "algorithm": ["a"] * 6 + ["b"] * 6,
        "repeat": ([1] * 3 + [2] * 3) * 2, "accuracy": np.linspace(0.5, 0.9, 12),
    })  # fmt: skip
    with pytest.raises(bc.InputError, match="correlation can't be determined"):
        bc.compare(frame, rope=0.01)
    # three wins and the rope's weight of one: P(Beta(3, 1) > 1/2) = 7/8
    assert bc.compare(frame, rope=0.01, test="sign").verdict().p_right == pytest.approx(7 / 8)


def test_options_reach_the_test(scores, means):
    prior = bc.HierarchicalPrior.benavoli2017()
    result = bc.compare(scores, "knn", "gbm", "accuracy", 0.05, prior=prior, engine="quadrature")
    assert result.prior is prior
    assert bc.compare(means, "knn", "gbm", rope=0.01, draws=10).masses().shape == (1, 10, 3)
    given_rho = bc.compare(scores, "knn", "gbm", "accuracy", 0.05, dataset="iris", rho=0.3)
    assert given_rho.rho == 0.3


def test_lower_is_better_is_known(scores, table):
    loss = bc.compare(scores, "knn", "gbm", "log_loss", 0.01, dataset="iris")
    own = table[(table.dataset == "iris")].groupby("algorithm")["log_loss"].mean()
    assert loss.location == pytest.approx(own["knn"] - own["gbm"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "correlate"}, "unknown test 'correlate': did you mean 'correlated_t'"),
        ({"rope": None}, "rope is missing"),
        ({"first": None}, "first and second are needed"),
        ({"second": "gmb"}, "did you mean 'gbm'"),
        ({"dataset": "iri"}, "did you mean 'iris'"),
        ({"test": "sign", "engine": "pystan"}, "unknown option of sign 'engine'"),
        ({"test": "sign", "drawz": 5}, "did you mean 'draws'"),
        ({"test": "correlated"}, "3 data sets, this test takes one"),
    ],
)
def test_bad_input(scores, options, message):
    given = {"first": "knn", "second": "gbm", "metric": "accuracy", "rope": 0.01, **options}
    with pytest.raises(bc.InputError, match=message):
        bc.compare(scores, **given)


def test_other_things_than_scores():
    with pytest.raises(bc.InputError, match="scores is list"):
        bc.compare([[1, 2]], rope=0.01)
    x = bc.Differences([[0.1, 0.2]], rho=0.1, names=("a", "b"))
    with pytest.raises(bc.InputError, match="the differences are of"):
        bc.compare(x, "b", "a", rope=0.01)
    with pytest.raises(bc.InputError, match="differences of one pair"):
        bc.compare_all(x, rope=0.01)
