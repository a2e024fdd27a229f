"""The Davidson-Luce model: by enumeration, by finite differences and beside R's PlackettLuce."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

from bayescmp.bayesian.rankings.bradley_terry import Davidson
from bayescmp.bayesian.rankings.davidson_luce import DavidsonLuce
from bayescmp.bayesian.rankings.rankings import RankTable, read_rankings
from bayescmp.bayesian.rankings.wins import read_wins

#: Chocolate puddings of Davidson (1970), table 2: brands, wins of each, no preference.
PUDDING = pd.DataFrame(
    [
        (1, 2, 19, 22, 16), (1, 3, 16, 19, 12), (2, 3, 19, 19, 10), (1, 4, 18, 23, 13),
        (2, 4, 23, 19, 9), (3, 4, 19, 20, 15), (1, 5, 13, 19, 18), (2, 5, 16, 20, 12),
        (3, 5, 16, 15, 17), (4, 5, 17, 14, 16), (1, 6, 18, 21, 12), (2, 6, 22, 20, 12),
        (3, 6, 13, 18, 10), (4, 6, 14, 19, 18), (5, 6, 11, 21, 12),
    ],
    columns=["alg1", "alg2", "win1", "win2", "ties"],
)  # fmt: skip
#: Their worths and the rate of ties, Turner et al. (2020), section 2.1: coef(mod, log = FALSE).
WORTHS = np.array([0.1388005, 0.1729985, 0.1617420, 0.1653930, 0.1586805, 0.2023855])
TIE = 0.7468147
#: Ties of two and of three, partial rankings: 0 is not ranked.
MIXED = pd.DataFrame(
    [
        [1, 2, 3, 4, 5], [2, 1, 1, 3, 4], [1, 1, 1, 2, 2], [3, 2, 1, 0, 4], [0, 1, 2, 2, 3],
        [5, 4, 3, 2, 1], [1, 3, 2, 0, 0], [2, 2, 1, 3, 3], [1, 2, 2, 2, 3], [4, 1, 0, 2, 3],
    ],
    columns=list("abcde"),
)  # fmt: skip
#: PlackettLuce 0.4.5, R 4.2.2: coef(PlackettLuce(as.rankings(MIXED), npseudo = 0,
#: epsilon = 1e-12, maxit = c(5000, 20)), ref = NULL), and its logLik.
MIXED_R = np.array([0.1333266, 0.7510315, 0.9408635, -0.3596341, -1.4655875, -1.3671282,
                    -1.6693104])  # fmt: skip
MIXED_LOGLIK = -48.0121069835
FLAT = 20.0  # log σ at which the prior of abilities is flat


def pudding_rankings():
    rankings = []
    for i, j, won, lost, tied in PUDDING.itertuples(index=False):
        rankings += [[i, j]] * won + [[j, i]] * lost + [[(i, j)]] * tied
    return read_rankings(rankings)


def likelihood_gradient(model, x):
    """The prior's part, N(0, 2²) of ν, taken off."""
    _, gradient, _ = model.density(x, FLAT)
    gradient[model.size :] += x[model.size :] / 4
    return gradient


def weak_orders(L):
    """All rankings of L algorithms with ties."""
    for places in product(range(1, L + 1), repeat=L):
        if set(places) == set(range(1, max(places) + 1)):
            yield places


def alone(places, ties, censored=False):
    return DavidsonLuce(np.array([places]), np.ones(1), np.array([censored]), ties)


def by_sets(places, beta, nu):
    """The probability of a ranking by its definition, all sets written out."""
    left, total = [k for k in range(len(places)) if places[k]], 1.0

    def f(members):
        return np.exp(nu[len(members)] + np.mean([beta[k] for k in members]))

    for place in range(1, max(places) + 1):
        chosen = tuple(k for k in left if places[k] == place)
        sets = [s for k in nu if k <= len(left) for s in combinations(left, k)]
        total *= f(chosen) / sum(map(f, sets))
        left = [k for k in left if k not in chosen]
    return total


@pytest.mark.parametrize("L", [3, 4])
def test_probabilities_are_those_of_all_sets_and_sum_to_one(L):
    rng = np.random.default_rng(L)
    x = rng.normal(size=(1, 2 * L - 1))
    ties = tuple(range(2, L + 1))
    nu = dict(zip((1, *ties), [0.0, *x[0, L:]], strict=True))
    total = 0.0
    for places in weak_orders(L):
        p = np.exp(alone(places, ties).log_likelihoods(x)[0])
        assert p == pytest.approx(by_sets(places, x[0, :L], nu), rel=1e-10)
        total += p
    assert total == pytest.approx(1)


def test_partial_rankings_are_of_those_in_them_and_censored_ones_sums():
    rng = np.random.default_rng(2)
    beta = rng.normal(size=(1, 4))
    without = alone((2, 0, 1, 3), ()).log_likelihoods(beta)
    small = alone((2, 1, 3), ()).log_likelihoods(beta[:, [0, 2, 3]])
    assert without == pytest.approx(small)
    first_two = np.exp(alone((1, 3, 2, 3), (), censored=True).log_likelihoods(beta))
    both = [alone(p, ()).log_likelihoods(beta) for p in ((1, 3, 2, 4), (1, 4, 2, 3))]
    assert first_two == pytest.approx(np.exp(both).sum())


def test_rs_maximum_of_ties_and_partial_rankings_is_one():
    model = DavidsonLuce.of(read_rankings(MIXED))
    assert model.ties == (2, 3)
    assert model.log_likelihoods(MIXED_R[None])[0] == pytest.approx(MIXED_LOGLIK, abs=1e-8)
    np.testing.assert_allclose(likelihood_gradient(model, MIXED_R), 0, atol=2e-6)


def test_published_worths_of_the_puddings_are_the_maximum():
    """Seven decimals of an unfinished iteration; ten wins more would be a gradient of ten."""
    model = DavidsonLuce.of(pudding_rankings())
    x = np.append(np.log(WORTHS), np.log(TIE))
    np.testing.assert_allclose(likelihood_gradient(model, x), 0, atol=0.01)


def test_pairs_are_davidsons_model():
    """Two derivations of one model: values, gradients and Hessians."""
    pairs, rankings = Davidson.of(read_wins(PUDDING), "davidson"), pudding_rankings()
    model = DavidsonLuce.of(rankings)
    rng = np.random.default_rng(3)
    for log_sigma in (-0.5, 0.4):
        x = rng.normal(size=7)
        ours, theirs = model.density(x, log_sigma), pairs.density(x, log_sigma)
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-8)


def test_gradient_and_hessian_are_those_of_differences():
    model = DavidsonLuce.of(read_rankings(MIXED))
    x, step = np.array([-0.5, 0.1, 0.4, 0.2, 0.3, -1.0, 0.3]), 1e-5
    _, gradient, H = model.density(x, 0.2)
    for k, unit in enumerate(np.eye(7)):
        up, down = model.density(x + step * unit, 0.2), model.density(x - step * unit, 0.2)
        assert gradient[k] == pytest.approx((up[0] - down[0]) / (2 * step), rel=1e-6, abs=1e-6)
        np.testing.assert_allclose(-H[k], (up[1] - down[1]) / (2 * step), rtol=1e-5, atol=1e-7)


def test_simulated_rankings_have_their_probabilities():
    """All 13 of three algorithms, 20,000 draws: within 4.5 standard errors."""
    x = np.array([[0.6, 0.0, -0.4, -0.5, -1.0]])
    model = alone((1, 2, 3), (2, 3))
    drawn = model.simulated(np.repeat(x, 20_000, axis=0), np.random.default_rng(4))[:, 0]
    for places in weak_orders(3):
        p = np.exp(alone(places, (2, 3)).log_likelihoods(x)[0])
        share = (drawn == places).all(axis=1).mean()
        assert abs(share - p) < 4.5 * np.sqrt(p * (1 - p) / 20_000)


def test_simulated_rankings_are_of_the_same_algorithms_and_censored_alike():
    table = RankTable(tuple("abcd"), np.array([[1, 0, 2, 3], [1, 2, 2, 2]]), np.ones(2, dtype=int),
                      np.array([False, True]))  # fmt: skip
    drawn = DavidsonLuce.of(table).simulated(np.zeros((50, 4)), np.random.default_rng(5))
    assert (drawn[:, 0, 1] == 0).all()
    assert (np.sort(drawn[:, 0, [0, 2, 3]], axis=1) == [1, 2, 3]).all()
    assert (np.sort(drawn[:, 1], axis=1) == [1, 2, 2, 2]).all()
