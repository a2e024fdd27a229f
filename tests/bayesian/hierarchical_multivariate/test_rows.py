"""What the hierarchical test of several metrics reads, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayesian import pair_blocks
from bayescmp.bayesian.hierarchical_multivariate.problem import MultivariatePrior as Prior
from tests.bayesian.hierarchical_multivariate.cases import fitted, simulated


def test_blocks_of_a_table(fake, table):
    scores = bc.Scores(table)
    xs = pair_blocks(scores, "knn", "svm", metrics=("accuracy", "log_loss"))
    posterior = fitted(xs, rho=None, rope={"accuracy": 0.01, "log_loss": 0.02})
    assert posterior.names == ("knn", "svm")
    assert posterior.datasets == scores.datasets
    wanted = scores.differences("knn", "svm", "log_loss").means  # flipped: lower is better
    assert posterior.means[:, 1] == pytest.approx(wanted)
    assert "±0.01 in accuracy" in str(posterior)


def test_blocks_that_differ(fake, table):
    scores = bc.Scores(table)
    xs = pair_blocks(scores, "knn", "svm")
    other = pair_blocks(scores, "knn", "gbm")
    with pytest.raises(bc.InputError, match=r"knn and gbm.*all need the same"):
        fitted([xs[0], other[1]], rho=None)
    with pytest.raises(bc.InputError, match=r"Blocks of 3 algorithms.*Blocks\.pair"):
        fitted([bc.scores_blocks(scores, dataset="iris")] * 2, rho=None)


NAN = [np.where(np.arange(20)[:, None] == 3, np.nan, x) for x in simulated()]


@pytest.mark.parametrize(
    ("xs", "options", "message"),
    [
        (simulated(q=1), {}, "only one data set.*multivariate_t"),
        ([x[:2] for x in simulated()], {}, "2 folds for 2 metrics.*hierarchical_t"),
        (NAN, {}, r"missing \(NaN\) for metric 'm1' on data set '1' in fold 4"),
        (simulated(), {"rho": None}, "rho is missing"),
        (simulated(), {"rho": 1.0}, r"outside \[0, 1\)"),
        (simulated(), {"rope": -1}, "negative"),
        (simulated(), {"rope": (1, 2, 3)}, "holds 3 for 2 metrics"),
        (simulated(), {"metrics": ("a",)}, "metrics=.*2 different names"),
        (simulated(), {"names": ("a", "a")}, "compared with itself"),
        (simulated(), {"resolution": -1}, "resolution=-1"),
        (simulated(), {"prior": Prior(tau_scale=(1, 2, 3))}, "tau_scale of the prior has 3"),
        ([np.zeros((5, 2))] * 3, {}, "zero throughout"),
        ([np.zeros((5, 2)), np.zeros((5, 3))], {}, r"shape \(5, 3\) for data set 2"),
        (np.zeros(4), {}, r"shape \(\) for data set 1"),
        ("table.csv", {}, "xs is str.*pair_blocks"),
        (simulated(), {"seed": -1}, "seed=-1"),
    ],
)
def test_bad_input(fake, xs, options, message):
    with pytest.raises(bc.InputError, match=message):
        fitted(xs, **options)
    assert fake.requests == []
