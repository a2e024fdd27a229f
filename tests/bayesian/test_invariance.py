"""With one seed, who stands first, the order of folds and data sets, and units move no draw.

By real sampling, short: whether the chains have mixed does not matter to whether they are equal.
"""

import numpy as np
import pytest

from bayescmp import bayesian

pytestmark = [
    pytest.mark.stan,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::bayescmp.DiagnosticWarning"),
]
SHORT = {"seed": 4, "chains": 2, "warmup": 40, "draws": 20}
FOLDS = np.random.default_rng(5).permutation(12)
SETS, ALGORITHMS = np.array([3, 1, 4, 0, 2]), np.array([2, 0, 1])


def _close(a, b):
    np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-9)


def test_several_metrics(stan_engine):
    x = np.random.default_rng(3).normal(0.01, 0.02, (12, 2))
    one, swapped, shuffled, percent = (
        bayesian.multivariate_t(y, rho=0.1, rope=r, noise="t", engine=stan_engine, **SHORT)
        for y, r in ((x, 0.01), (-x, 0.01), (x[FOLDS], 0.01), (100 * x, 1.0))
    )
    _close(-swapped.draws["delta"], one.draws["delta"])
    _close(shuffled.draws["delta"], one.draws["delta"])
    _close(percent.draws["delta"] / 100, one.draws["delta"])


def test_several_metrics_of_several_data_sets(stan_engine):
    rng = np.random.default_rng(3)
    xs = rng.normal(0.01, 0.02, (5, 12, 2)) + rng.normal(0, 0.02, (5, 1, 2))
    one, swapped, shuffled, moved, percent = (
        bayesian.hierarchical_multivariate_t(list(y), rho=0.1, rope=r, engine=stan_engine, **SHORT)
        for y, r in (
            (xs, 0.01),
            (-xs, 0.01),
            (xs[:, FOLDS], 0.01),
            (xs[SETS], 0.01),
            (100 * xs, 1.0),
        )
    )
    for name in ("delta0", "delta"):
        _close(-swapped.draws[name], one.draws[name])
        _close(shuffled.draws[name], one.draws[name])
        _close(percent.draws[name] / 100, one.draws[name])
    _close(moved.draws["delta0"], one.draws["delta0"])
    _close(moved.draws["delta"], one.draws["delta"][:, :, SETS])


def test_groups(stan_engine):
    x = np.random.default_rng(3).normal(0.8, 0.02, (3, 12, 2))
    one, permuted, shuffled, percent = (
        bayesian.groups(y, rho=0.1, rope=r, noise="t", engine=stan_engine, **SHORT)
        for y, r in ((x, 0.01), (x[ALGORITHMS], 0.01), (x[:, FOLDS], 0.01), (100 * x, 1.0))
    )
    tau = one.draws["tau"]
    _close(permuted.draws["tau"], tau[:, :, ALGORITHMS])
    _close(shuffled.draws["tau"], tau)
    _close(percent.draws["tau"] / 100, tau)


def test_joint(stan_engine):
    rng = np.random.default_rng(3)
    x = rng.normal(0.8, 0.02, (5, 12, 3)) + rng.normal(0, 0.02, (5, 1, 3))
    one, permuted, shuffled, moved, percent = (
        bayesian.joint_t(y, rho=0.1, rope=r, engine=stan_engine, **SHORT)
        for y, r in (
            (x, 0.01),
            (x[..., ALGORITHMS], 0.01),
            (x[:, FOLDS], 0.01),
            (x[SETS], 0.01),
            (100 * x, 1.0),
        )
    )
    _close(permuted.draws["mu"], one.draws["mu"][..., ALGORITHMS])
    _close(permuted.draws["u"], one.draws["u"][..., ALGORITHMS])
    both = one.draws["Sigma0"][..., ALGORITHMS[:, None], ALGORITHMS]
    _close(permuted.draws["Sigma0"], both)
    for other in (shuffled, moved):
        _close(other.draws["mu"], one.draws["mu"])
    _close(moved.draws["u"], one.draws["u"][:, :, SETS])
    _close(percent.draws["mu"] / 100, one.draws["mu"])
