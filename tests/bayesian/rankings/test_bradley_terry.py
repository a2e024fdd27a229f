"""The Bayesian Bradley-Terry model, against Wainer's published tables and closed forms."""

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats
from scipy.special import expit

import bayescmp as bc
from bayescmp.bayesian import bradley_terry
from bayescmp.bayesian.rankings.bradley_terry import Davidson
from bayescmp.bayesian.rankings.outcomes import read_wins
from bayescmp.engines import FitRequest, engines

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


@pytest.mark.parametrize(
    ("wins", "published"), [(WINS, PUBLISHED), (GAPS, PUBLISHED_GAPS)], ids=["base", "gaps"]
)
def test_published_tables(wins, published):
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


def test_gradient_and_hessian_are_those_of_differences():
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
    with pytest.raises(bc.InputError, match="unknown on 'next'"):
        posterior.best("next")


def test_all_ties_are_equivalence():
    ties = pd.DataFrame([("a", "b", 0, 0, 400), ("b", "c", 0, 0, 400)], columns=COLUMNS)
    posterior = bradley_terry(ties, seed=1)
    assert list(posterior.best().values()) == pytest.approx([1 / 3] * 3, abs=0.1)


def test_bad_options():
    for options, says in (({"ties": "coin"}, "unknown ties"), ({"rope": 0.5}, "rope=0.5")):
        with pytest.raises(bc.InputError, match=says):
            bradley_terry(WINS, **options)


@pytest.mark.slow
@pytest.mark.stan
def test_stan_gives_the_same_posterior(stan_engine, reference_programs):
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
