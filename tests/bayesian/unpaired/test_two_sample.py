"""The two-sample t posterior: simulation, a grid of four parameters, Welch, saving, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.errors import InputError

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


def test_swapping_and_turning():
    one = fit().verdict()
    other = bc.bayesian.two_sample_t(NEW, OLD, rope=10).verdict()
    turned = fit(lower_is_better=True).verdict()
    for verdict in (other, turned):
        assert verdict.p_left == pytest.approx(one.p_right)
        assert verdict.p_rope == pytest.approx(one.p_rope)


def test_saved_and_read(tmp_path):
    posterior = fit(names=("old", "new"), metric="return")
    posterior.save(tmp_path / "p.nc")
    again = bc.load(tmp_path / "p.nc")
    assert again.verdict() == posterior.verdict()
    assert str(again) == str(posterior)
    assert "5 and 6 runs" in str(again)


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
    with pytest.raises(InputError, match="give resolution"):
        bc.bayesian.two_sample_t([0.5, 0.5], [0.5, 0.5], rope=0.01)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0], [1, 2]), "first has 1 value"),
        (([1, 2], [1, np.inf]), r"second\[1\] is inf"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(InputError, match=message):
        bc.bayesian.two_sample_t(*arguments, rope=0.1)
