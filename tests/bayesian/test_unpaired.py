"""The two-sample t posterior: simulation, a grid of four parameters, Welch, saving, refusals."""

import numpy as np
import pytest
from scipy import integrate, stats

import bayescmp as bc
from bayescmp.bayesian.unpaired import BehrensFisher
from bayescmp.errors import InputError
from tests.rows import each_row

CASES = [
    (0.3, (1.0, 1.0), (4, 9)),
    (0.0, (0.01, 2.0), (1, 3)),
    (-2.0, (3.0, 0.5), (1, 1)),
    (1.0, (0.2, 0.25), (30, 2)),
]
#: Where the step of the other's distribution function is cut, in units of its width.
NEAR = [-1e4, -1e3, -100, -10, -1, 0, 1, 10, 100, 1e3, 1e4]


@each_row(("location", "scales", "dfs"), CASES)
def test_by_brute_force(location, scales, dfs):
    """SciPy's quad over the angle of one t variable, t = tan(angle), at other points than ours."""
    posterior = BehrensFisher(location, scales, dfs)
    for x in (location - 3.1, location + 0.2, location + 1.7, location + 40):

        def inner(angle, x=x):
            t = np.tan(angle)
            rest = stats.t.cdf((x - location + scales[0] * t) / scales[1], dfs[1])
            return stats.t.pdf(t, dfs[0]) / np.cos(angle) ** 2 * rest

        near = (location - x) / scales[0] + scales[1] / scales[0] * np.array(NEAR)
        expected, _ = integrate.quad(
            inner, -np.pi / 2, np.pi / 2, points=np.arctan(near), epsabs=1e-12, limit=2000
        )
        assert float(posterior.cdf(x)) == pytest.approx(expected, abs=2e-9)
        assert float(posterior.sf(x)) == pytest.approx(1 - expected, abs=2e-9)


def test_two_cauchy_variables_are_a_cauchy_variable():
    posterior = BehrensFisher(1.0, (2.0, 3.0), (1, 1))
    x = np.array([-1e4, -7.0, 0.5, 3.0, 1e4])
    assert posterior.cdf(x) == pytest.approx(stats.cauchy.cdf(x, 1, 5), rel=1e-8)
    assert posterior.sf(x) == pytest.approx(stats.cauchy.sf(x, 1, 5), rel=1e-8)
    assert posterior.pdf(x) == pytest.approx(stats.cauchy.pdf(x, 1, 5), rel=1e-8)


def test_many_degrees_of_freedom_are_normal():
    posterior = BehrensFisher(0.0, (3.0, 4.0), (10**7, 10**7))
    assert posterior.cdf([-30, -5, 0, 2]) == pytest.approx(
        stats.norm.cdf([-30, -5, 0, 2], scale=5), rel=1e-4
    )
    assert posterior.sd == pytest.approx(5)


def test_one_known_mean_is_student():
    for scales in ((0.0, 2.0), (2.0, 0.0)):
        posterior = BehrensFisher(1.0, scales, (6, 6))
        assert float(posterior.cdf(2.5)) == pytest.approx(stats.t.cdf(0.75, 6))


def test_quantiles_invert():
    posterior = BehrensFisher(0.7, (1.0, 0.3), (2, 5))
    p = np.array([1e-6, 0.025, 0.4, 0.5, 0.975, 1 - 1e-6])
    assert posterior.cdf(posterior.quantile(p)) == pytest.approx(p, rel=1e-7)
    assert posterior.sd == np.inf


OLD, NEW = [212, 180, 195, 201, 188], [230, 224, 199, 241, 218, 236]


def fit(**options):
    return bc.bayesian.two_sample_t(OLD, NEW, **{"rope": 10, "seed": 1, **options})


def test_by_a_grid_of_mean_and_deviation():
    """Each sample's likelihood times 1/σ on a grid of (μ, log σ); no t distribution is used."""
    margins = []
    mu = np.arange(60.0, 360, 0.5)
    for x in (OLD, NEW):
        sigma = np.exp(np.linspace(np.log(1), np.log(400), 600))
        z = (np.array(x)[:, None, None] - mu[:, None]) / sigma
        weight = np.exp(stats.norm.logpdf(z).sum(axis=0) - len(x) * np.log(sigma)).sum(axis=1)
        margins.append(weight / weight.sum())
    gap = mu - mu[:, None]  # NEW along the columns
    joint = np.outer(margins[0], margins[1])
    edge = 0.5 * joint[np.isclose(gap, 10)].sum()
    expected = joint[gap > 10 + 1e-9].sum() + edge
    assert fit().verdict().p_right == pytest.approx(expected, abs=2e-4)


def test_draws_agree_with_the_distribution():
    posterior = fit()
    delta = posterior.draws["delta"]
    verdict = posterior.verdict()
    shares = [np.mean(delta < -10), np.mean(np.abs(delta) <= 10), np.mean(delta > 10)]
    p = np.array([verdict.p_left, verdict.p_rope, verdict.p_right])
    assert shares == pytest.approx(p, abs=4 * 0.005)
    assert p.sum() == pytest.approx(1)


def test_the_interval_is_wider_than_welchs_and_near_it():
    """Behrens and Fisher's interval is the more cautious: its coverage is at least nominal."""
    low, high = bc.frequentist.welch(OLD, NEW).confidence_interval()
    row = fit().summary().loc["delta"]
    assert row["2.5%"] < low < high < row["97.5%"]
    assert row["97.5%"] - row["2.5%"] < 1.2 * (high - low)


def test_a_named_metric_has_its_direction():
    for lower, arrow, way in [(True, "↓", "lower"), (False, "↑", "higher")]:
        posterior = fit(metric="return", lower_is_better=lower)
        assert f"return {arrow}, ROPE" in str(posterior)
        assert f"In return, {way} is better." in posterior.verdict().explain("paper")


def test_swapping_and_turning():
    one = fit().verdict()
    other = bc.bayesian.two_sample_t(NEW, OLD, rope=10).verdict()
    turned = fit(lower_is_better=True).verdict()
    for verdict in (other, turned):
        assert verdict.p_left == pytest.approx(one.p_right)
        assert verdict.p_rope == pytest.approx(one.p_rope)


def test_it_names_its_runs_its_prior_and_its_target():
    posterior = fit(names=("old", "new"), metric="return")
    assert "5 and 6 runs" in posterior.full()
    assert posterior.prior_text == posterior.verdict().prior == "p(μ₁, μ₂, σ₁, σ₂) ∝ 1/(σ₁σ₂)"
    assert posterior.target == posterior.verdict().target == "runs like these"


def test_density_and_plot():
    x, y = fit().density()
    assert np.sum((y[1:] + y[:-1]) / 2 * np.diff(x)) == pytest.approx(0.999, abs=1e-4)
    first, _ = fit().plot().get_xlabel().split("\n")
    assert first == "mean improvement of second over first"


def test_equal_scores_have_the_spread_of_rounding():
    flat = bc.bayesian.two_sample_t([0.5, 0.5, 0.5], [0.6, 0.7, 0.6], rope=0.01, resolution=0.1)
    assert flat.scales[0] == pytest.approx(np.sqrt(3 * 0.01 / 12 / 2 / 3))
    assert "all scores of first are equal" in str(flat)
    seen = bc.bayesian.two_sample_t([0.5, 0.5], [0.7, 0.7], rope=0.01)
    assert "h = 0.2" in str(seen)
    with pytest.raises(
        InputError, match=r"resolution must be given if first holds equal scores\. Give"
    ):
        bc.bayesian.two_sample_t([0.5, 0.5], [0.5, 0.5], rope=0.01)


@each_row(
    ("arguments", "message"),
    [
        (([1.0], [1, 2]), r"first must have at least 2 values .*got 1\)"),
        (([1, 2], [1, np.inf]), "second must hold .*got inf at place 1"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(InputError, match=message):
        bc.bayesian.two_sample_t(*arguments, rope=0.1)
