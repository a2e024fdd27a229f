"""What `groups` reads, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayesian import groups
from bayescmp.bayesian.groups.base import errors_of
from bayescmp.bayesian.groups.fit import GroupsData
from bayescmp.frequentist import anova
from bayescmp.scores.rope import as_ropes
from tests.bayesian.groups.tables import scores


def data_of(x, declared=np.nan, rope=0.01):
    blocks = bc.Blocks(x, rho=0.1, lower_is_better=[False] * x.shape[2])
    declared = np.broadcast_to(np.asarray(declared, dtype=float), x.shape[2])
    return GroupsData.of(blocks, as_ropes(rope, blocks.metrics), declared)


def test_errors_are_those_of_the_blocked_anova():
    x = scores(3, 4, 15, 1)
    squares = anova(x[..., 0], block=True).mean_squares[2] * 3 * 14
    assert np.sum(errors_of(x) ** 2) == pytest.approx(squares)
    data = data_of(x)
    assert (data.root @ data.root.T)[0, 0] == pytest.approx(squares)
    assert data.inflation == pytest.approx(1 / 15 + 0.1 / 0.9)


def test_equal_shares_have_the_pooled_scatter():
    """E(1/L) = I/L where the pooled scatter is I, metrics without errors included."""
    x = np.concatenate([scores(1, 4, 12, 2), np.ones((4, 12, 1))], axis=2)
    data = data_of(x, [np.nan, np.nan, 0.01])
    levels = data.levels(1)
    equal = np.full((2, 4), 0.25)
    np.testing.assert_allclose(data.errors(levels, equal), [np.eye(3) / 4] * 2, atol=1e-12)
    # contrasts of a metric of rounding alone: n h²/12 a difference of two
    assert data.root[2, 2] ** 2 * 2 / 3 == pytest.approx(12 * 0.01**2 / 12)


def test_levels_only_where_something_tells_them_apart():
    assert data_of(scores(1, 2)).levels(1) is None
    assert data_of(np.ones((3, 5, 1))).levels(1) is None
    assert data_of(scores(1, 3)).levels(1) is not None


def test_a_check_that_speaks_against_one_covariance_is_told():
    x = scores(1, 4, 12, 1)
    assert data_of(x).against_equal(1) == ()
    x[2:] += np.random.default_rng(1).normal(size=(2, 12, 1))
    assert "variances='own'" in data_of(x).against_equal(1)[0]


def test_resolution_of_a_metric_without_errors():
    """As declared, else the smallest step of the scores, else the rope's width, with a warning."""
    x = np.round(scores(1, 3, 8, 2), 2)
    x[..., 1] = x[:1, :, 1] + np.array([0, 0.05, 0.1])[:, None]
    assert data_of(x).space.steps.size[1] == pytest.approx(0.01)
    assert data_of(x, [np.nan, 0.5]).space.steps.size[1] == 0.5
    same = np.concatenate([x[..., :1], np.full((3, 8, 1), 0.7)], axis=2)
    data = data_of(same, rope=0.03)
    assert data.space.steps.size[1] == pytest.approx(0.06)
    with pytest.warns(bc.DiagnosticWarning, match="m2 has no error left once fold effects"):
        data.warn()


def test_a_verdict_without_a_resolution_is_that_of_a_fit_with_its_rope():
    same = np.concatenate([scores(1, 3, 8, 1), np.full((3, 8, 1), 0.7)], axis=2)
    for x in (same, np.full((3, 8, 1), 0.7)):
        fits = {}
        for rope in (0.01, 0.05):
            with pytest.warns(bc.DiagnosticWarning, match="give resolution="):
                fits[rope] = bc.bayesian.groups(x, rho=0.1, rope=rope, seed=1, variances="equal")
        for rope, other in ((0.01, 0.05), (0.05, 0.01)):
            asked = fits[rope].verdicts(other)
            for pair, v in fits[other].verdicts().items():
                assert asked[pair].probabilities == pytest.approx(v.probabilities, abs=1e-12)
                assert fits[rope].verdict(*pair, rope=other).probabilities == pytest.approx(
                    v.probabilities, abs=1e-12
                )


def test_from_scores_and_blocks(table):
    post = groups(bc.Scores(table), "accuracy", dataset="iris", rope=0.01, seed=1)
    assert post.names == ("knn", "gbm", "svm")
    assert post.rho == pytest.approx(0.2)
    assert post.dataset == "iris"
    framed = groups(
        table,
        ["accuracy", "log_loss"],
        dataset="iris",
        rope=[0.01, 0.1],
        seed=1,
        algorithms=["svm", "knn"],
    )
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
