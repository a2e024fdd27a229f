"""The Bayesian Plackett-Luce model: by quadrature at three algorithms, as pairs, and by Stan."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp import _arviz
from bayescmp.bayesian import bradley_terry, plackett_luce
from bayescmp.bayesian.rankings.plackett_luce import fitted_rankings
from bayescmp.bayesian.rankings.rankings import read_rankings
from bayescmp.engines import FitRequest, find_engine
from tests.bayesian.rankings.test_davidson_luce import MIXED, PUDDING, pudding_rankings

RACES = [["a", "b", "c"]] * 6 + [["b", "a", "c"]] * 4 + [["c", "a", "b"]] * 3 + [["b", "c"]] * 2


@pytest.fixture(scope="module")
def posterior():
    return plackett_luce(RACES, seed=1)


def test_three_algorithms_are_a_quadrature(posterior):
    """Differences d to the third, N(0, σ²(1 + 1')) a priori, on a grid, σ on another."""
    d = np.linspace(-6, 6, 161)
    a, b = np.meshgrid(d, d, indexing="ij")
    beta = np.stack([a, b, np.zeros_like(a)])
    prior = np.zeros_like(a)
    for log_sigma in np.linspace(-2.5, 2.5, 101):
        square = (a**2 + b**2 - (a + b) ** 2 / 3) / np.exp(2 * log_sigma)
        prior += stats.norm(0, 0.5).pdf(log_sigma) * np.exp(-0.5 * square - 2 * log_sigma)
    for ranking in RACES:
        places = ["abc".index(name) for name in ranking]
        for k in range(len(places) - 1):
            prior *= np.exp(beta[places[k]]) / np.exp(beta[places[k:]]).sum(axis=0)
    weight = prior / prior.sum()
    highest = beta >= beta.max(axis=0)  # points of the grid where several are share
    best = (weight * highest / highest.sum(axis=0)).sum(axis=(1, 2))
    first = [(weight * np.exp(beta[k]) / np.exp(beta).sum(axis=0)).sum() for k in range(3)]
    assert list(posterior.best().values()) == pytest.approx(best, abs=0.015)
    assert list(posterior.best("next").values()) == pytest.approx(first, abs=0.01)
    effects = posterior.abilities - posterior.abilities[..., 2:]
    means = [(weight * beta[k]).sum() for k in range(2)]
    np.testing.assert_allclose(effects.mean(axis=(0, 1))[:2], means, atol=0.03)


def test_pairs_are_the_bradley_terry_model():
    """The same posterior by the same sampler: chances to the Monte Carlo error of two runs."""
    rankings = []
    for i, j, won, lost, tied in PUDDING.itertuples(index=False):
        rankings += [[i, j]] * won + [[j, i]] * lost + [[(i, j)]] * tied
    ours, theirs = plackett_luce(rankings, seed=1), bradley_terry(PUDDING, seed=2)
    one = ours.summary().sort_index()["mean"]
    other = theirs.summary().sort_index()["mean"]
    np.testing.assert_allclose(one, other, atol=0.01)
    assert ours.nu.mean() == pytest.approx(theirs.nu.mean(), abs=0.01)
    assert ours.matches == theirs.matches == 745


def test_ranks_of_the_next_ranking_are_simulated(posterior):
    ranks = posterior.ranks("next")
    np.testing.assert_allclose(ranks.sum(axis=0), 1)
    table = posterior.ranking("next")
    assert table["p_near"].equals(table["p_best"].rename("p_near"))
    assert list(posterior.overview().columns)[:4] == ["p_average", "se_average", "p_next",
                                                      "se_next"]  # fmt: skip
    assert posterior.explain().startswith("Of 3 algorithms in 15 rankings, a is the likeliest")
    assert "in the next ranking" in posterior.explain()


def test_verdicts_are_shares_of_the_chance_to_be_above(posterior):
    verdict = posterior.verdict("a", "c")
    chance = 1 / (1 + np.exp(posterior.averages[:, 0] - posterior.averages[:, 2]))
    assert verdict.p_rope == pytest.approx(np.mean(np.abs(chance - 0.5) <= 0.05))
    with pytest.raises(bc.InputError, match=r"rope=0\.5"):
        plackett_luce(RACES, rope=0.5)


def test_all_ties_are_equivalence():
    posterior = plackett_luce([[("a", "b", "c")]] * 40, seed=1)
    assert list(posterior.best().values()) == pytest.approx([1 / 3] * 3, abs=0.05)


def test_rankings_that_go_in_a_circle_fail_the_check(posterior):
    ring = [["a", "b"]] * 40 + [["b", "c"]] * 40 + [["c", "a"]] * 40
    assert not plackett_luce(ring, seed=1).check()["inside"].any()
    table = posterior.check()
    assert table["inside"].all()
    assert table["matches"].tolist() == [13, 13, 15]
    assert table["wins"].tolist() == [9, 10, 12]


def test_scores_and_saving(tmp_path):
    x = np.random.default_rng(1).normal([0.8, 0.82, 0.85], 0.05, (6, 3))
    frame = pd.DataFrame(x, columns=list("abc")).rename_axis("dataset").reset_index()
    long = frame.melt("dataset", var_name="algorithm", value_name="accuracy")
    posterior = plackett_luce(bc.Scores(long), seed=1)
    ranks = pd.DataFrame(x, columns=list("abc")).rank(axis=1, ascending=False)
    assert np.array_equal(posterior.abilities, plackett_luce(ranks, seed=1).abilities)
    assert posterior.measured == "accuracy ↑"
    tied = plackett_luce(MIXED, seed=1)
    for one in (posterior, tied):
        one.save(tmp_path / "p.nc")
        again = bc.load(tmp_path / "p.nc")
        assert again.check().equals(one.check())
        assert again.overview().equals(one.overview())


def off_by(stan, own):
    """How many Monte Carlo errors two means differ by; resampling doubles the variance."""
    ess = min(_arviz.ess(stan, "bulk"), stan.size)
    error = np.sqrt(stan.var() / ess + 2 * own.var() / own.size)
    return abs(stan.mean() - own.mean()) / error


@pytest.mark.stan
@pytest.mark.calibration
@pytest.mark.parametrize("of", ["mixed", "pudding"])
def test_stan_gives_the_same_posterior(stan_engine, of):
    """Means and variances of abilities, means of ν and log σ: within four and a half errors."""
    table = read_rankings(MIXED) if of == "mixed" else pudding_rankings()
    own = fitted_rankings(table, 0.05, 1)
    data = {
        "L": len(table.algorithms), "R": len(table.places), "place": table.places,
        "choices": table.places.max(axis=1) - table.censored, "counts": table.counts,
        "T": len(table.tie_sizes), "tie": np.array(table.tie_sizes, dtype=int),
    }  # fmt: skip
    keep = {"abilities": False, "sigma": True, "nu": False}
    engine = find_engine(stan_engine, "plackett_luce")
    stan = engine.fit(FitRequest("plackett_luce", data, 3, keep)).draws
    centred = [x - x.mean(axis=-1, keepdims=True) for x in (stan["abilities"], own.abilities)]
    for k in range(len(table.algorithms)):
        beta = [x[..., k] for x in centred]
        assert off_by(*beta) < 4.5
        assert off_by(*((x - beta[1].mean()) ** 2 for x in beta)) < 4.5
    for k in range(len(table.tie_sizes)):
        assert off_by(stan["nu"][..., k], own.nu[..., k]) < 4.5
    assert off_by(np.log(stan["sigma"]), np.log(own.sigma)) < 4.5
