"""The Bayesian Bradley-Terry model, against Wainer's published tables and closed forms."""

from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats
from scipy.special import expit

import bayescmp as bc
from bayescmp.bayesian import bradley_terry, friedman, plackett_luce
from bayescmp.bayesian.rankings.abilities import fit_abilities
from bayescmp.bayesian.rankings.fit import PLACKETT_LUCE, Davidson, DavidsonLuce
from bayescmp.bayesian.rankings.outcomes import RankTable, read_rankings, read_wins
from bayescmp.engines import FitRequest, engines
from bayescmp.results import arviz

#: Wainer (2023), arXiv 2208.04935v2, tables 3a (wins) and 5, 6 (mean, above.50, in.rope), whose
#: probabilities are shares of 4,000 draws. The two tables of wins have ties.
COLUMNS = ["alg1", "alg2", "win1", "win2", "ties"]
WINS = pd.DataFrame(
    [
        ("dt", "lda", 6, 13, 1),
        ("dt", "lgbm", 0, 17, 3),
        ("dt", "xgb", 0, 17, 3),
        ("dt", "svm", 5, 14, 1),
        ("lda", "lgbm", 6, 13, 1),
        ("lda", "xgb", 5, 14, 1),
        ("lda", "svm", 5, 15, 0),
        ("lgbm", "xgb", 9, 8, 3),
        ("lgbm", "svm", 10, 9, 1),
        ("xgb", "svm", 11, 8, 1),
    ],
    columns=COLUMNS,
)
PUBLISHED = {
    ("xgb", "lgbm"): (0.51, 0.56, 0.49),
    ("xgb", "svm"): (0.56, 0.82, 0.37),
    ("xgb", "lda"): (0.72, 1.00, 0.01),
    ("xgb", "dt"): (0.83, 1.00, 0.00),
    ("lgbm", "svm"): (0.55, 0.77, 0.40),
    ("lgbm", "lda"): (0.71, 1.00, 0.01),
    ("lgbm", "dt"): (0.82, 1.00, 0.00),
    ("svm", "lda"): (0.66, 0.99, 0.05),
    ("svm", "dt"): (0.79, 1.00, 0.00),
    ("lda", "dt"): (0.66, 0.99, 0.05),
}
#: Table 8: xgb was not run on the first two data sets; ties are spread already.
GAPS = pd.DataFrame(
    [
        ("dt", "lda", 7, 14),
        ("dt", "lgbm", 2, 19),
        ("dt", "xgb", 2, 17),
        ("dt", "svm", 6, 15),
        ("lda", "lgbm", 7, 14),
        ("lda", "xgb", 6, 13),
        ("lda", "svm", 5, 15),
        ("lgbm", "xgb", 10, 9),
        ("lgbm", "svm", 11, 10),
        ("xgb", "svm", 10, 9),
    ],
    columns=COLUMNS[:4],
)
PUBLISHED_GAPS = {
    ("lgbm", "xgb"): (0.51, 0.55, 0.51),
    ("lgbm", "svm"): (0.54, 0.74, 0.45),
    ("lgbm", "lda"): (0.70, 1.00, 0.01),
    ("lgbm", "dt"): (0.82, 1.00, 0.00),
    ("xgb", "svm"): (0.53, 0.69, 0.46),
    ("xgb", "lda"): (0.69, 1.00, 0.02),
    ("xgb", "dt"): (0.81, 1.00, 0.00),
    ("svm", "lda"): (0.66, 0.99, 0.04),
    ("svm", "dt"): (0.79, 1.00, 0.00),
    ("lda", "dt"): (0.66, 0.99, 0.05),
}


def test_published_tables():
    for wins, published in [(WINS, PUBLISHED), (GAPS, PUBLISHED_GAPS)]:
        result = bradley_terry(wins, ties="spread", seed=1).chances()
        for (better, worse), (mean, above, inside) in published.items():
            row = result.loc[(better, worse)]
            assert row["mean"] == pytest.approx(mean, abs=0.008)
            # two decimals, and four standard errors of 4,000 draws of theirs and 10,000 of ours
            error = 0.005 + 4 * np.sqrt(max(inside * (1 - inside), 0.01) * (1 / 4000 + 1 / 10_000))
            assert row["in_rope"] == pytest.approx(inside, abs=error)
            assert row["above_half"] == pytest.approx(above, abs=0.005 + 0.04)


def test_two_algorithms_are_a_quadrature():
    """7 wins to 3: E[expit(β1 − β2)], the difference being N(0, 2σ²) a priori."""
    wins = pd.DataFrame([[0, 7], [3, 0]], index=["a", "b"], columns=["a", "b"])
    posterior = bradley_terry(wins, seed=1)

    def weight(d):
        sigma = np.linspace(-2.5, 2.5, 401)
        prior = stats.norm(0, 0.5).pdf(sigma) * stats.norm(0, np.sqrt(2) * np.exp(sigma)).pdf(d)
        return prior.sum() * expit(d) ** 7 * expit(-d) ** 3

    total = integrate.quad(weight, -15, 15)[0]
    mean = integrate.quad(lambda d: weight(d) * expit(d), -15, 15)[0] / total
    above = integrate.quad(weight, 0, 15)[0] / total
    row = posterior.chances().loc[("a", "b")]
    assert row["mean"] == pytest.approx(mean, abs=0.005)
    assert row["above_half"] == pytest.approx(above, abs=0.012)
    assert posterior.best()["a"] == row["above_half"]


def test_gradient_and_hessian_are_those_of_differences_of_wins():
    model = Davidson.from_wins(read_wins(WINS))
    x = np.array([-0.5, 0.1, 0.4, 0.2, 0.3, -1.0])
    value, gradient, H = model.density(x, 0.2)
    step = 1e-5

    def at(y):
        return model.density(y, 0.2)

    for k, unit in enumerate(np.eye(6)):
        up, down = at(x + step * unit), at(x - step * unit)
        assert gradient[k] == pytest.approx((up[0] - down[0]) / (2 * step), rel=1e-6)
        np.testing.assert_allclose(-H[k], (up[1] - down[1]) / (2 * step), rtol=1e-5, atol=1e-7)
    assert np.isfinite(value)


def test_davidsons_ties_are_a_multinomial():
    """Many matches: estimates approach the shares that the model implies."""
    beta, nu = np.array([0.5, 0.0, -0.5]), -0.5
    rows = []
    for i, j in ((0, 1), (0, 2), (1, 2)):
        parts = np.exp([beta[i], beta[j], nu + (beta[i] + beta[j]) / 2])
        rows.append((f"m{i}", f"m{j}", *np.round(30_000 * parts / parts.sum())))
    posterior = bradley_terry(pd.DataFrame(rows, columns=COLUMNS), seed=1)
    assert posterior.draws["nu"].mean() == pytest.approx(nu, abs=0.02)
    np.testing.assert_allclose(posterior.summary()["mean"], beta, atol=0.02)


def test_wins_that_go_in_a_circle_fail_the_check():
    ring = pd.DataFrame(
        [("a", "b", 40, 2), ("b", "c", 40, 2), ("c", "a", 40, 2)], columns=COLUMNS[:4]
    )
    assert not bradley_terry(ring, seed=1).check()["inside"].any()
    assert bradley_terry(WINS, ties="spread", seed=1).check()["inside"].all()


def test_verdicts_are_shares_of_the_chance_of_winning():
    posterior = bradley_terry(WINS, ties="spread", seed=1)
    verdict = posterior.verdict("lgbm", "xgb")
    algorithms = list(posterior.algorithms)
    a, b = algorithms.index("lgbm"), algorithms.index("xgb")
    chance = expit(posterior.averages[:, b] - posterior.averages[:, a])
    assert verdict.p_rope == pytest.approx(np.mean(np.abs(chance - 0.5) <= 0.05))
    assert verdict.p_right == pytest.approx(np.mean(chance > 0.55))
    wide = posterior.verdict("dt", "xgb", rope=0.49)
    assert wide.decision == "equivalent"
    with pytest.raises(bc.InputError, match=r"on must be .*\(got 'next'\)"):
        posterior.best("next")


def test_all_ties_are_equivalence_of_wins():
    ties = pd.DataFrame([("a", "b", 0, 0, 400), ("b", "c", 0, 0, 400)], columns=COLUMNS)
    posterior = bradley_terry(ties, seed=1)
    assert list(posterior.best().values()) == pytest.approx([1 / 3] * 3, abs=0.1)


def test_bad_options():
    for options, says in (({"ties": "coin"}, r"ties must be"), ({"rope": 0.5}, "rope must be")):
        with pytest.raises(bc.InputError, match=says):
            bradley_terry(WINS, **options)


@pytest.mark.slow
@pytest.mark.stan
def test_stan_gives_the_same_posterior_of_wins(stan_engine, reference_programs):
    own = bradley_terry(WINS, seed=1)
    model = Davidson.from_wins(read_wins(WINS))
    data = {
        "L": 5,
        "P": len(model.pairs),
        "first": model.pairs[:, 0] + 1,
        "second": model.pairs[:, 1] + 1,
        "counts": model.counts.astype(int),
        "has_ties": 1,
        "log_sigma_sd": 0.5,
        "nu_sd": 2.0,
    }
    keep = {"abilities": False, "sigma": True}
    engine = engines()[stan_engine]
    draws = engine.fit(FitRequest("bradley_terry", data, 3, keep)).draws
    theirs = draws["abilities"] - draws["abilities"].mean(axis=-1, keepdims=True)
    ours = own.abilities - own.abilities.mean(axis=-1, keepdims=True)
    np.testing.assert_allclose(theirs.mean(axis=(0, 1)), ours.mean(axis=(0, 1)), atol=0.02)
    np.testing.assert_allclose(theirs.std(axis=(0, 1)), ours.std(axis=(0, 1)), rtol=0.06)
    assert np.log(draws["sigma"]).mean() == pytest.approx(np.log(own.sigma).mean(), abs=0.03)


# The Bayesian Plackett-Luce model: by quadrature at three algorithms, as pairs, and by Stan.


#: Chocolate puddings of Davidson (1970), table 2: brands, wins of each, no preference.
PUDDING = pd.DataFrame(
    [
        (1, 2, 19, 22, 16),
        (1, 3, 16, 19, 12),
        (2, 3, 19, 19, 10),
        (1, 4, 18, 23, 13),
        (2, 4, 23, 19, 9),
        (3, 4, 19, 20, 15),
        (1, 5, 13, 19, 18),
        (2, 5, 16, 20, 12),
        (3, 5, 16, 15, 17),
        (4, 5, 17, 14, 16),
        (1, 6, 18, 21, 12),
        (2, 6, 22, 20, 12),
        (3, 6, 13, 18, 10),
        (4, 6, 14, 19, 18),
        (5, 6, 11, 21, 12),
    ],
    columns=["alg1", "alg2", "win1", "win2", "ties"],
)
#: Their worths and the rate of ties, Turner et al. (2020), section 2.1: coef(mod, log = FALSE).
WORTHS = np.array([0.1388005, 0.1729985, 0.1617420, 0.1653930, 0.1586805, 0.2023855])
TIE = 0.7468147
#: Ties of two and of three, partial rankings: 0 is not ranked.
MIXED = pd.DataFrame(
    [
        [1, 2, 3, 4, 5],
        [2, 1, 1, 3, 4],
        [1, 1, 1, 2, 2],
        [3, 2, 1, 0, 4],
        [0, 1, 2, 2, 3],
        [5, 4, 3, 2, 1],
        [1, 3, 2, 0, 0],
        [2, 2, 1, 3, 3],
        [1, 2, 2, 2, 3],
        [4, 1, 0, 2, 3],
    ],
    columns=list("abcde"),
)
#: PlackettLuce 0.4.5, R 4.2.2: coef(PlackettLuce(as.rankings(MIXED), npseudo = 0,
#: epsilon = 1e-12, maxit = c(5000, 20)), ref = NULL), and its logLik.
MIXED_R = np.array(
    [0.1333266, 0.7510315, 0.9408635, -0.3596341, -1.4655875, -1.3671282, -1.6693104]
)
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


def test_probabilities_are_those_of_all_sets_and_sum_to_one():
    for L in [3, 4]:
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
    model = DavidsonLuce.from_ranks(read_rankings(MIXED))
    assert model.ties == (2, 3)
    assert model.log_likelihoods(MIXED_R[None])[0] == pytest.approx(MIXED_LOGLIK, abs=1e-8)
    np.testing.assert_allclose(likelihood_gradient(model, MIXED_R), 0, atol=2e-6)


def test_published_worths_of_the_puddings_are_the_maximum():
    """Seven decimals of an unfinished iteration; ten wins more would be a gradient of ten."""
    model = DavidsonLuce.from_ranks(pudding_rankings())
    x = np.append(np.log(WORTHS), np.log(TIE))
    np.testing.assert_allclose(likelihood_gradient(model, x), 0, atol=0.01)


def test_pairs_are_davidsons_model():
    """Two derivations of one model: values, gradients and Hessians."""
    pairs, rankings = Davidson.from_wins(read_wins(PUDDING)), pudding_rankings()
    model = DavidsonLuce.from_ranks(rankings)
    rng = np.random.default_rng(3)
    for log_sigma in (-0.5, 0.4):
        x = rng.normal(size=7)
        ours, theirs = model.density(x, log_sigma), pairs.density(x, log_sigma)
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-8)


def test_gradient_and_hessian_are_those_of_differences():
    model = DavidsonLuce.from_ranks(read_rankings(MIXED))
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
    drawn = model.simulate_places(np.repeat(x, 20_000, axis=0), np.random.default_rng(4))[:, 0]
    for places in weak_orders(3):
        p = np.exp(alone(places, (2, 3)).log_likelihoods(x)[0])
        share = (drawn == places).all(axis=1).mean()
        assert abs(share - p) < 4.5 * np.sqrt(p * (1 - p) / 20_000)


def test_simulated_rankings_are_of_the_same_algorithms_and_censored_alike():
    table = RankTable(
        tuple("abcd"),
        np.array([[1, 0, 2, 3], [1, 2, 2, 2]]),
        np.ones(2, dtype=int),
        np.array([False, True]),
    )
    drawn = DavidsonLuce.from_ranks(table).simulate_places(
        np.zeros((50, 4)), np.random.default_rng(5)
    )
    assert (drawn[:, 0, 1] == 0).all()
    assert (np.sort(drawn[:, 0, [0, 2, 3]], axis=1) == [1, 2, 3]).all()
    assert (np.sort(drawn[:, 1], axis=1) == [1, 2, 2, 2]).all()


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
    assert list(posterior.overview().columns)[:4] == [
        "p_average",
        "se_average",
        "p_next",
        "se_next",
    ]
    assert posterior.explain("paper").startswith("Compared: 3 algorithms in 15 rankings")
    assert "in a new ranking" in posterior.explain()


def test_verdicts_are_shares_of_the_chance_to_be_above(posterior):
    verdict = posterior.verdict("a", "c")
    chance = 1 / (1 + np.exp(posterior.averages[:, 0] - posterior.averages[:, 2]))
    assert verdict.p_rope == pytest.approx(np.mean(np.abs(chance - 0.5) <= 0.05))
    with pytest.raises(bc.InputError, match=r"rope must be"):
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


def test_scores_are_ranked():
    x = np.random.default_rng(1).normal([0.8, 0.82, 0.85], 0.05, (6, 3))
    frame = pd.DataFrame(x, columns=list("abc")).rename_axis("dataset").reset_index()
    long = frame.melt("dataset", var_name="algorithm", value_name="accuracy")
    posterior = plackett_luce(bc.Scores(long), seed=1)
    ranks = pd.DataFrame(x, columns=list("abc")).rank(axis=1, ascending=False)
    assert np.array_equal(posterior.abilities, plackett_luce(ranks, seed=1).abilities)
    assert posterior.measured == "accuracy ↑"


def off_by(stan, own):
    """How many Monte Carlo errors two means differ by; resampling doubles the variance."""
    ess = min(arviz.ess(stan, "bulk"), stan.size)
    error = np.sqrt(stan.var() / ess + 2 * own.var() / own.size)
    return abs(stan.mean() - own.mean()) / error


@pytest.mark.stan
@pytest.mark.calibration
@pytest.mark.parametrize("of", ["mixed", "pudding"])
def test_stan_gives_the_same_posterior(stan_engine, reference_programs, of):
    """Means and variances of abilities, means of ν and log σ: within four and a half errors."""
    table = read_rankings(MIXED) if of == "mixed" else pudding_rankings()
    own = fit_abilities(PLACKETT_LUCE, table, bc.Rope(-0.05, 0.05), 1)
    data = {
        "L": len(table.algorithms),
        "R": len(table.places),
        "place": table.places,
        "choices": table.places.max(axis=1) - table.censored,
        "counts": table.counts,
        "T": len(table.tie_sizes),
        "tie": np.array(table.tie_sizes, dtype=int),
        "log_sigma_sd": 0.5,
        "nu_sd": 2.0,
    }
    keep = {"abilities": False, "sigma": True, "nu": False}
    engine = engines()[stan_engine]
    stan = engine.fit(FitRequest("plackett_luce", data, 3, keep)).draws
    centred = [x - x.mean(axis=-1, keepdims=True) for x in (stan["abilities"], own.abilities)]
    for k in range(len(table.algorithms)):
        beta = [x[..., k] for x in centred]
        assert off_by(*beta) < 4.5
        assert off_by(*((x - beta[1].mean()) ** 2 for x in beta)) < 4.5
    for k in range(len(table.tie_sizes)):
        assert off_by(stan["nu"][..., k], own.nu[..., k]) < 4.5
    assert off_by(np.log(stan["sigma"]), np.log(own.sigma)) < 4.5


# The Bayesian Friedman test, against the moments of its Dirichlet process and brute force.


TABLES = Path(__file__).parents[2] / "reference" / "tables"


def test_mean_ranks_have_the_moments_of_the_dirichlet_process():
    means = np.random.default_rng(1).integers(0, 5, (12, 4)) / 10  # with ties
    result = friedman(means, seed=1, draws=40_000)
    ranks = stats.rankdata(-means, axis=1)
    every = np.vstack([ranks, np.full(4, 2.5)])  # and a data set where all tie, of weight 1
    np.testing.assert_allclose(result.mean_ranks()["mean"], every.mean(axis=0), atol=0.01)
    cov = np.cov(every.T, ddof=0) / (len(every) + 1)
    np.testing.assert_allclose(np.cov(result.averages.T), cov, rtol=0.1, atol=0.003)


def test_without_prior_two_data_sets_are_a_coin():
    posterior = friedman([[1, 2, 3], [3, 2, 1]], prior=0, seed=1, draws=40_000)
    # mean ranks of the outer two are 1 + 2w and 3 - 2w, of the middle one 2: never alone best
    assert posterior.best("average") == pytest.approx({"A1": 0.5, "A2": 0, "A3": 0.5}, abs=0.01)
    assert posterior.best() == pytest.approx({"A1": 0.5, "A2": 0, "A3": 0.5}, abs=0.01)


def test_the_prior_is_a_data_set_where_all_tie():
    posterior = friedman([[1, 2, 3]] * 3, prior=2, seed=1, draws=40_000)
    # next: one of three data sets with probability 3/5, else all tie
    expected = {"A1": 2 / 15, "A2": 2 / 15, "A3": 3 / 5 + 2 / 15}
    assert posterior.best() == pytest.approx(expected, abs=0.01)


def test_large_tables_agree_with_the_frequentist_test():
    """On the table of García & Herrera (2008)."""
    frame = pd.read_csv(TABLES / "friedman_gh2008.csv")
    numbers = frame.select_dtypes("number")
    posterior = friedman(numbers, seed=1)
    ranks = bc.frequentist.average_ranks(numbers).mean_ranks
    order = posterior.mean_ranks()["mean"].sort_values().index
    assert list(order) == list(np.array(numbers.columns)[np.argsort(ranks)])
    best, worst = order[0], order[-1]
    assert posterior.verdict(worst, best).decision == "second"


def test_leads_within_the_noise_count_little():
    rng = np.random.default_rng(1)
    x = 0.8 + rng.normal(0, 0.05, (30, 10, 2))
    x[..., 1] += 0.001 - (x[..., 1].mean(axis=1) - x[..., 0].mean(axis=1))[:, None]
    with_folds, on_means = friedman(x, rho=0.1, seed=1), friedman(x.mean(axis=1), seed=1)
    assert on_means.best()["A2"] > 0.95
    assert with_folds.best()["A2"] == pytest.approx(0.5, abs=0.1)


def test_a_rope_in_ranks():
    posterior = friedman([[1, 2, 3]] * 9, rope=1, prior=0, seed=1)
    assert posterior.verdict("A2", "A3").decision == "equivalent"
    assert posterior.verdict("A1", "A3").decision == "second"
    assert posterior.ranking()["p_near"].to_dict() == {"A3": 1, "A2": 1, "A1": 0}


def test_bad_priors():
    for bad in (-1, np.inf, "much"):
        with pytest.raises(bc.InputError, match="prior"):
            friedman([[1, 2], [2, 1]], prior=bad)
