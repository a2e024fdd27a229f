"""The one place that knows ArviZ: the same groups come back, and its numbers are ArviZ's own."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats

from bayescmp.results import arviz
from bayescmp.results.arviz import kernel_density, summarise, summary_frame, summary_row
from bayescmp.scores.metrics import headed

RNG = np.random.default_rng(6)
GROUPS = {
    "posterior": {"delta": RNG.normal(size=(2, 50, 3)), "nu": RNG.normal(size=(2, 50))},
    "sample_stats": {"diverging": np.zeros((2, 50), dtype=bool)},
    "constant_data": {"x": np.arange(3.0)},
    "prior": {},
}


def _data():
    return arviz.from_groups(
        GROUPS,
        coords={"dataset": ["a", "b", "c"]},
        dims={"delta": ["dataset"], "x": ["dataset"]},
        attrs={"made": "here"},
    )


def test_what_is_written_is_read(tmp_path):
    arviz.write(_data(), tmp_path / "x.nc")
    groups = arviz.read(tmp_path / "x.nc")
    assert set(groups) == {"posterior", "sample_stats", "constant_data"}
    for group, variables in groups.items():
        for name, values in GROUPS[group].items():
            assert np.array_equal(variables[name], values)
    assert groups["posterior"].attrs["made"] == "here"
    assert list(groups["posterior"]["dataset"].to_numpy()) == ["a", "b", "c"]


def test_rhat_is_one_of_independent_draws_and_large_of_chains_apart():
    draws = RNG.normal(size=(4, 1000))
    assert arviz.rhat(draws) == pytest.approx(1, abs=0.01)
    # two of four chains 3 sd away: the pooled over the within sd of ranks, roughly
    assert arviz.rhat(draws + np.array([[0], [0], [3], [3]])) > 1.5


def test_ess_of_an_autoregression():
    """n (1 - a) / (1 + a) for x_t = a x_{t-1} + noise."""
    a, n = 0.6, 4000
    noise = stats.norm.rvs(size=(4, n), random_state=7)
    draws = np.empty((4, n))
    draws[:, 0] = noise[:, 0] / np.sqrt(1 - a**2)
    for t in range(1, n):
        draws[:, t] = a * draws[:, t - 1] + noise[:, t]
    assert arviz.ess(draws, "mean") == pytest.approx(4 * n * (1 - a) / (1 + a), rel=0.12)


def test_ess_of_the_tails_is_of_their_twentieths():
    """Of the indicators of both tails, the smaller: computed from the definition.

    Vehtari et al. (2021), section 4.3. The chains wander below their median alone, so that any
    other pair of quantiles gives another number.
    """
    noise = RNG.normal(size=(4, 1000))
    slow = np.abs(np.cumsum(RNG.normal(size=(4, 1000)), axis=1) / 5)
    draws = np.where(noise < -1, noise - slow, noise)
    below = [arviz.ess((draws <= np.quantile(draws, p)) * 1.0, "mean") for p in (0.05, 0.95)]
    assert arviz.ess(draws, "tail") == pytest.approx(min(below))


def test_summaries_are_those_of_numpy_and_arviz():
    import arviz

    draws = np.random.default_rng(1).normal(size=(4, 500))
    row = summary_row(draws)
    assert row["mean"] == pytest.approx(draws.mean())
    assert row["97.5%"] == pytest.approx(np.percentile(draws, 97.5))
    assert row["ess_bulk"] == pytest.approx(float(arviz.ess(draws, method="bulk")))
    assert row["rhat"] == pytest.approx(float(arviz.rhat(draws)))
    assert summarise(draws).items() <= row.items()


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e6])
def test_kernel_density_is_that_of_the_draws(scale):
    """SciPy 1.17: gaussian_kde(draws, bw_method=width / sd), the same rule for the width."""
    draws = np.random.default_rng(2).standard_t(5, size=(4, 1000)) * scale
    x, density = kernel_density(draws)
    q1, q3 = np.quantile(draws, [0.25, 0.75])
    width = 0.9 * min(draws.std(ddof=1), (q3 - q1) / 1.34) * draws.size**-0.2
    exact = stats.gaussian_kde(draws.ravel(), bw_method=width / draws.std(ddof=1))(x)
    assert density == pytest.approx(exact, rel=5e-3, abs=2e-3 / scale)
    assert integrate.trapezoid(density, x) == pytest.approx(0.999, abs=2e-3)


@pytest.mark.parametrize("measured", ["rmse ↓", ""])
def test_a_table_of_summaries_is_that_of_pandas(measured):
    draws = np.random.default_rng(1).normal(size=(3, 4, 200))
    rows = {
        "delta0": summary_row(draws[0]),
        "nu": summary_row(draws[1]),
        "delta[iris]": summarise(draws[2]),
    }
    expected = headed(pd.DataFrame.from_dict(rows, orient="index"), measured)
    frame = summary_frame(rows, measured)
    pd.testing.assert_frame_equal(frame, expected, check_exact=True)
    frame.index.name, frame.columns.name = "parameter", "changed"  # a table of the user's own
    pd.testing.assert_frame_equal(summary_frame(rows, measured), expected, check_exact=True)
