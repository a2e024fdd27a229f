"""Simulation-based calibration of `groups` with noise of its own for each algorithm.

Shares π of the precision are drawn from their prior; effects and Σ have the right Haar measure of
the affine group as their prior, so that any values give uniform ranks. See
tests/calibration/test_sbc.py for one covariance for all, with normal and with t noise, by Stan.
For another seed than the tests have:

    python -m tests.calibration.test_sbc_groups --seed 2026 -L 4 -n 10
"""

from __future__ import annotations

import argparse
from functools import partial

import numpy as np
import pytest

from bayescmp.bayesian import groups
from bayescmp.bayesian.groups.own import ALPHA
from tests.calibration.uniform import check_uniform, ignore, randomised_rank

pytestmark = pytest.mark.calibration

REPLICATES, THIN = 1000, 100


def check(L, n, p, seed, record=ignore):
    rng = np.random.default_rng([seed, L, n, p])
    rho, effects, root = 0.2, rng.normal(size=(L, 1, p)), rng.normal(size=(p, p))
    values: dict[str, list[float]] = {}
    for i in range(REPLICATES):
        shares = rng.dirichlet(np.full(L, ALPHA))
        z = np.sqrt(1 - rho) * rng.normal(size=(L, n, p))
        z += np.sqrt(rho) * rng.normal(size=(L, 1, p))
        folds = rng.normal(size=(1, n, p))
        x = effects + folds + (z @ root.T) / np.sqrt(shares)[:, None, None]
        draws = groups(x, rho=rho, rope=0, variances="own", seed=i).draws
        pi, tau = draws["pi"], draws["tau"][..., 0]
        actual = {
            "pi_1": (shares[0], pi[..., 0]),
            "pi_L": (shares[-1], pi[..., -1]),
            "tau_2 - tau_1": (effects[1, 0, 0] - effects[0, 0, 0], tau[..., 1] - tau[..., 0]),
            "tau_L - tau_1": (effects[-1, 0, 0] - effects[0, 0, 0], tau[..., -1] - tau[..., 0]),
        }
        for name, (truth, drawn) in actual.items():
            rank = randomised_rank(truth, drawn[:, ::THIN], rng)
            values.setdefault(name, []).append(rank)
    check_uniform(values, f"groups, own variances, L = {L}, n = {n}, p = {p}, seed {seed}", record)


@pytest.mark.parametrize(
    ("L", "n", "p", "seed"),
    [(3, 5, 1, 1948), (4, 10, 1, 1948), (4, 10, 1, 2026), (4, 10, 2, 1948)],
)
def test_unequal_variances(L, n, p, seed, evidence):
    check(L, n, p, seed, partial(evidence, "sbc_groups"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("-L", type=int, default=4, help="algorithms")
    parser.add_argument("-n", type=int, default=10, help="folds")
    parser.add_argument("-p", type=int, default=1, help="metrics")
    given = parser.parse_args()
    check(given.L, given.n, given.p, given.seed)
