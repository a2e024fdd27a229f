"""`compare` with several metrics."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.bayesian import multivariate_t
from bayescmp.study.compare import named_test


@pytest.fixture
def counts():
    """Three data sets, three algorithms, 2 x 5 folds of confusion counts."""
    rng = np.random.default_rng(7)
    rows = []
    for d in ("iris", "wine", "zoo"):
        for i, a in enumerate(("knn", "gbm", "svm")):
            for r in (1, 2):
                for f in range(1, 6):
                    tp, fp = rng.binomial(30, 0.6 + 0.1 * i), rng.binomial(30, 0.2)
                    rows.append((d, a, r, f, tp, 30 - tp, fp, 30 - fp))
    columns = ["dataset", "algorithm", "repeat", "fold", "tp", "fn", "fp", "tn"]
    return bc.Scores(pd.DataFrame(rows, columns=columns))


def test_one_data_set_takes_the_multivariate_test(counts):
    result = bc.compare(counts, "knn", "gbm", ["tpr", "fpr"], 0.02, dataset="iris", seed=1)
    assert result.kind == "multivariate_t"
    assert result.notes[0] == "test multivariate_t: one data set, with 10 scores of 2 metrics"
    blocks = bc.scores_blocks(
        counts, metrics=["tpr", "fpr"], dataset="iris", algorithms=["knn", "gbm"]
    )
    direct = multivariate_t(blocks, rope=0.02, seed=1)
    assert result.verdict() == direct.verdict()
    assert result.rho == pytest.approx(0.2)
    assert result.verdict().metrics == ("tpr", "fpr")


def test_ropes_by_metric_and_rho(counts):
    result = bc.compare(
        counts,
        "knn",
        "svm",
        ("tpr", "fpr"),
        {"fpr": 0.05, "tpr": 0.01},
        dataset="wine",
        rho=0.3,
        seed=1,
        test="multivariate",
    )
    assert result.rope[1].high == 0.05
    assert result.rho == 0.3
    assert not any(n.startswith("test ") for n in result.notes)


def test_one_metric_in_a_list_is_one_metric(counts):
    alone = bc.compare(counts, "knn", "gbm", ["tp"], 0.5, dataset="iris", seed=1)
    assert alone.kind == "correlated_t"


def test_constant_metrics_get_the_smallest_step_seen():
    rng = np.random.default_rng(1)
    base = rng.integers(10, 20, 10)
    rows = [
        {
            "dataset": "d",
            "algorithm": a,
            "fold": f,
            "acc": base[f] / 20 + 0.05 * i,
            "auc": rng.random(),
        }
        for i, a in enumerate("ab")
        for f in range(10)
    ]
    result = bc.compare(bc.Scores(pd.DataFrame(rows)), "a", "b", ["acc", "auc"], 0.01, seed=1)
    c = 1 / 10 + 0.1 / 0.9
    assert result.marginal("acc").scale == pytest.approx(np.sqrt(c * 10 * 0.05**2 / 12 / 8))
    assert any("resolution, h = 0.05" in n for n in result.notes)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": []}, "empty sequence"),
        ({"metric": ["tpr", "fprr"]}, "unknown metric 'fprr'"),
        ({"rope": None}, "rope is missing"),
        ({"rope": [0.1, 0.1, 0.1]}, "holds 3 for 2"),
        ({"test": "sign"}, "unknown test of several metrics"),
        ({"test": "multivariate", "dataset": None}, "takes one data set, the table has 3"),
        ({"dataset": "iriss"}, "unknown data set"),
        ({"first": None}, "are needed"),
        ({"chains": 3}, "unknown option"),
    ],
)
def test_bad_input(counts, options, message):
    given = {
        "first": "knn",
        "second": "gbm",
        "metric": ["tpr", "fpr"],
        "rope": 0.02,
        "dataset": "iris",
        **options,
    }
    with pytest.raises(bc.InputError, match=message):
        bc.compare(counts, **given)


def test_differences_are_of_one_metric(counts):
    d = counts.differences("knn", "gbm", "tp")
    with pytest.raises(bc.InputError, match="differences of one metric"):
        bc.compare(d, metric=["tpr", "fpr"], rope=0.1)


def test_names_of_tests():
    assert named_test("multivariate-t", 2).name == "multivariate_t"
    assert named_test("hierarchical", 2).name == "hierarchical_multivariate_t"
    assert named_test("robust", 2).name == "robust_multivariate_t"
    assert named_test("auto", 2) is None


@pytest.mark.slow
@pytest.mark.stan
def test_several_data_sets_take_the_hierarchical_test(counts, stan_engine):
    result = bc.compare(counts, "knn", "svm", ["tpr", "fpr"], 0.02, seed=1, engine=stan_engine)
    assert result.kind == "hierarchical_multivariate_t"
    assert sum(result.verdict().probabilities.values()) == pytest.approx(1)


@pytest.mark.slow
@pytest.mark.stan
def test_robust_on_one_data_set(counts, stan_engine):
    result = bc.compare(
        counts,
        "knn",
        "svm",
        ["tpr", "fpr"],
        0.02,
        seed=1,
        engine=stan_engine,
        dataset="iris",
        test="robust",
    )
    assert result.noise == "t"
    exact = bc.compare(counts, "knn", "svm", ["tpr", "fpr"], 0.02, seed=1, dataset="iris")
    # medians of folds without outliers are close to their means
    np.testing.assert_allclose(
        result.summary().loc["tpr", "mean"], exact.summary().loc["tpr", "mean"], atol=0.05
    )
