"""Summaries of draws and their density, beside NumPy, ArviZ and the true density."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats

from bayescmp.draws import kernel_density, summarise, summary_frame, summary_row
from bayescmp.metrics import headed


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
    rows = {"delta0": summary_row(draws[0]), "nu": summary_row(draws[1]),
            "delta[iris]": summarise(draws[2])}  # fmt: skip
    expected = headed(pd.DataFrame.from_dict(rows, orient="index"), measured)
    frame = summary_frame(rows, measured)
    pd.testing.assert_frame_equal(frame, expected, check_exact=True)
    frame.index.name, frame.columns.name = "parameter", "changed"  # a table of the user's own
    pd.testing.assert_frame_equal(summary_frame(rows, measured), expected, check_exact=True)
