"""What posteriors of abilities share."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian.rankings.abilities import (
    ScaleNodes,
    draw_by_importance,
    judge_ratios,
    log_prior,
    precision,
    rope_of_chance,
)


def expected(beta, nu, log_sigma):
    return (
        stats.norm(0, np.exp(log_sigma)).logpdf(beta).sum()
        + stats.norm(0, 0.5).logpdf(log_sigma)
        + stats.norm(0, 2).logpdf(nu).sum()
    )


def test_log_densities_are_scipys_up_to_a_constant():
    rng = np.random.default_rng(1)
    beta, nu, log_sigma = rng.normal(size=(4, 3)), rng.normal(size=(4, 2)), rng.normal(size=4)
    scipys = [expected(*point) for point in zip(beta, nu, log_sigma, strict=True)]
    constant = log_prior(beta, nu, log_sigma) - scipys
    np.testing.assert_allclose(constant, constant[0])


def test_precisions_are_inverse_variances():
    assert precision(2, 1, np.log(0.5)) == pytest.approx([1 / 0.25, 1 / 0.25, 1 / 4])


def test_ties_are_named_where_there_are_any():
    untied = bc.bayesian.plackett_luce([["a", "b"], ["b", "a"]], seed=1)
    tied = bc.bayesian.plackett_luce([["a", "b"], [("a", "b")]], seed=1)
    assert "ν" not in untied.prior_text
    assert tied.prior_text == f"{untied.prior_text}, ν ~ N(0, 2²)"


def test_a_normal_with_a_lognormal_scale_is_recovered():
    """y ~ N(x, 1), x ~ N(0, σ²), log σ ~ N(0, 0.5²): the mean by quadrature."""
    y = np.array([1.5, -0.5])

    def log_densities(x, s):
        return (
            -0.5 * ((y - x) ** 2).sum(1)
            - 0.5 * (x**2).sum(1) * np.exp(-2 * s)
            - 2 * s
            - 0.5 * (s / 0.5) ** 2
        )

    def density(x, s):
        p = np.exp(-2 * s)
        return float(log_densities(x[None], np.array([s]))[0]), y - x - p * x, np.eye(2) * (1 + p)

    grid = np.linspace(-2.5, 2.5, 51)
    nodes = ScaleNodes.from_values(grid, np.zeros(2), density)
    x, s, k = draw_by_importance(nodes, log_densities, 20_000, np.random.default_rng(1))
    v = np.exp(2 * grid)
    weight = stats.norm(0, 0.5).pdf(grid) * np.prod(
        [stats.norm(0, np.sqrt(1 + v)).pdf(t) for t in y], axis=0
    )
    weight /= weight.sum()
    shrunk = (weight * v / (1 + v)).sum()
    np.testing.assert_allclose(x.mean(axis=0), y * shrunk, atol=0.02)
    assert s.mean() == pytest.approx((weight * grid).sum(), abs=0.01)
    assert k < 0.5


WINS = pd.DataFrame([[0, 7, 9], [3, 0, 8], [1, 2, 0]], index=list("abc"), columns=list("abc"))


@pytest.fixture(scope="module")
def posterior():
    return bc.bayesian.bradley_terry(WINS, seed=1)


def test_only_abilities_are_spoken_of(posterior):
    assert posterior.targets == ("average",)
    assert posterior.best() == posterior.best("average")
    assert posterior.explain("paper").startswith("Compared: 3 algorithms in 30 matches")
    assert list(posterior.overview().columns)[:2] == ["p_average", "se_average"]
    assert posterior.plot().get_legend() is None


def test_the_rope_is_around_a_chance_of_one_half(posterior):
    near = posterior.top_sets(rope=0.2)["p_joint"]
    beta = posterior.averages
    lead = beta.max(axis=1) - beta[:, 1]
    chance = 1 / (1 + pd.Series(-lead).apply("exp"))
    both = (chance <= 0.7) & (beta.argmax(axis=1) != 2)
    assert near.loc[2] == pytest.approx(both.mean(), abs=0.02)
    assert rope_of_chance(0.05) == bc.Rope(-0.05, 0.05)
    for bad in (0.5, (-0.1, 0.2), (-0.5, np.inf)):
        with pytest.raises(bc.InputError, match="rope"):
            rope_of_chance(bad)


def test_a_verdict_is_on_chances_of_winning(posterior):
    """Its rope and its lead are in chances beyond one half, though abilities are logits."""
    first, second = posterior.algorithms[:2]
    verdict = posterior.verdict(first, second, rope=0.1)
    beta = posterior.averages
    lead = 1 / (1 + np.exp(beta[:, 0] - beta[:, 1])) - 0.5
    assert verdict.rope == bc.Rope(-0.1, 0.1)
    assert verdict.estimate[0] == pytest.approx(np.median(lead), abs=1e-9)
    assert verdict.p_right == pytest.approx(np.mean(lead > 0.1), abs=1e-9)


def test_bad_proposals_are_told():
    assert judge_ratios(0.3).ok
    assert "Pareto k 0.90" in judge_ratios(0.9).messages[0]


def test_elo_is_that_of_a_logistic_regression():
    """Many matches outweigh the prior: statsmodels 0.15, GLM of a win on who plays, Binomial."""
    wins = {("a", "b"): (900, 600), ("a", "c"): (1100, 300), ("b", "c"): (800, 450)}
    frame = pd.DataFrame([(*pair, *won) for pair, won in wins.items()])
    frame.columns = ["alg1", "alg2", "win1", "win2"]
    elo = bc.bayesian.bradley_terry(frame, seed=1).elo(base=1500)
    design = np.array([[1, -1], [1, 0], [0, 1]])  # abilities of a and b above c
    fit = sm.GLM(frame[["win1", "win2"]].to_numpy(), design, family=sm.families.Binomial()).fit()
    above = np.array([[2, -1], [-1, 2], [-1, -1]]) / 3  # abilities above the mean of the three
    points = 400 / np.log(10)
    half = 1.96 * points * np.sqrt(np.diag(above @ fit.cov_params() @ above.T))
    rating = 1500 + points * above @ fit.params
    assert elo.index.tolist() == ["a", "b", "c"]
    assert elo["mean"].mean() == pytest.approx(1500, abs=1e-9)
    np.testing.assert_allclose(elo["mean"], rating, atol=1.5)
    np.testing.assert_allclose(elo["low"], rating - half, atol=2)
    np.testing.assert_allclose(elo["high"], rating + half, atol=2)


def test_elo_moves_with_its_base_and_needs_a_number():
    races = bc.bayesian.plackett_luce([["a", "b", "c"], ["b", "a", "c"], ["a", "c", "b"]], seed=1)
    np.testing.assert_allclose(races.elo(base=0) + 1000, races.elo(), atol=1e-9)
    with pytest.raises(bc.InputError, match=r"base must be a finite number \(got nan\)"):
        races.elo(base=np.nan)
