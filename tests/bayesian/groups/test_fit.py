"""What `groups` reads, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayesian import groups
from tests.bayesian.groups.tables import scores


def test_from_scores_and_blocks(table):
    post = groups(bc.Scores(table), "accuracy", dataset="iris", rope=0.01, seed=1)
    assert post.names == ("knn", "gbm", "svm")
    assert post.rho == pytest.approx(0.2)
    assert post.dataset == "iris"
    framed = groups(table, ["accuracy", "log_loss"], dataset="iris", rope=[0.01, 0.1], seed=1,
                    algorithms=["svm", "knn"])  # fmt: skip
    assert framed.names == ("svm", "knn")
    means = table.query("dataset == 'iris'").groupby("algorithm")["log_loss"].mean()
    # log_loss is flipped: positive where the second has less of it
    assert framed.pair("svm", "knn").location[1] == pytest.approx(means["svm"] - means["knn"])
    blocks = bc.scores_blocks(bc.Scores(table), dataset="iris", metrics=["accuracy"])
    again = groups(blocks, rope=0.01, seed=1)
    np.testing.assert_array_equal(again.location, post.location)


@pytest.mark.parametrize(
    ("x", "options", "message"),
    [
        (scores(), {"rho": None}, "rho is missing"),
        (scores(L=1), {}, "1 algorithm on 15 folds"),
        (scores(n=1), {}, "4 algorithms on 1 fold"),
        (np.full((2, 5, 2), np.nan), {}, "missing"),
        (scores(L=2, n=4, p=5), {}, "Drop 2 of"),
        (scores(), {"noise": "cauchy"}, "unknown noise"),
        (scores(), {"noise": "t", "engine": "exact"}, "noise='t' needs"),
        (scores(), {"chains": 2}, "unknown option"),
        (scores(), {"rope": [0.1, 0.1, 0.1]}, "holds 3"),
        (scores(), {"names": ["a", "a", "b", "c"]}, "twice"),
    ],
)
def test_bad_input(x, options, message):
    with pytest.raises(bc.InputError, match=message):
        groups(x, **{"rho": 0.1, "rope": 0.01, **options})


def test_lower_is_better_metrics_rank_the_other_way():
    x = scores(5, 3, 20, 1, spread=0.05)
    up = groups(x, rho=0.1, rope=0.01, seed=1, metrics=["accuracy"])
    down = groups(1 - x, rho=0.1, rope=0.01, seed=1, metrics=["error"])
    assert up.p_best() == pytest.approx(down.p_best(), abs=1e-9)
    assert up.verdict("A1", "A2").p_right == pytest.approx(down.verdict("A1", "A2").p_right)
    posterior = groups(1 - x, rho=0.1, rope=0.01, lower_is_better=[True], seed=1)
    assert posterior.p_best() == pytest.approx(up.p_best(), abs=1e-9)


def test_same_seed_same_numbers():
    first, second = (groups(scores(), rho=0.1, rope=0.01, seed=3) for _ in range(2))
    np.testing.assert_array_equal(first.effects, second.effects)
    assert first.verdicts() == second.verdicts()
