"""Levels, correlations and the next data set, from draws; saved and read again."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian.hierarchical_multivariate.prior import MultivariatePrior as Prior
from tests.bayesian.hierarchical_multivariate.cases import REGIONS, fitted, simulated


def test_correlation_and_summary(fake):
    posterior = fitted(simulated(p=3), metrics=("a", "b", "c"))
    table = posterior.correlation()
    omega = posterior.fit.draws["Omega"][..., 0, 2]
    assert table.loc[("a", "c"), "mean"] == pytest.approx(omega.mean())
    assert table.loc[("a", "c"), "p_positive"] == 1
    summary = posterior.summary()
    assert summary.loc["tau[b]", "mean"] == pytest.approx(
        posterior.fit.draws["tau"][..., 1].mean()
    )
    assert summary.loc["correlation[a, c]", "mean"] == pytest.approx(omega.mean())
    assert set(summary.columns) >= {"mean", "sd", "2.5%", "97.5%", "ess_bulk", "rhat"}


def test_the_next_data_set_is_drawn_from_the_upper_level(fake):
    """Shares of its draws in the regions are the regions' expected masses."""
    posterior = fitted(simulated(), rope=0.02, draws=2500)
    drawn = posterior.next_dataset()
    assert np.array_equal(drawn, posterior.next_dataset())
    worse, better = (drawn < -0.02).any(-1), (drawn > 0.02).any(-1)
    shares = [np.mean(~worse & ~better), np.mean(worse & ~better), np.mean(better & ~worse)]
    expected = posterior.verdict().expected
    assert shares == pytest.approx([expected[r] for r in REGIONS[:3]], abs=0.02)


def test_saved_and_read_again(fake, tmp_path):
    xs = [np.column_stack([x, -x[:, 0]]) for x in simulated()]
    posterior = fitted(xs, rope=(0.01, 0.02, 0.01), metrics=("a", "b", "c"), prior=Prior(lkj=3.0))
    posterior.save(tmp_path / "p.nc")
    again = bc.load(tmp_path / "p.nc")
    assert again.verdict().to_dict() == posterior.verdict().to_dict()
    assert again.verdict(0.5).probabilities == posterior.verdict(0.5).probabilities
    assert str(again) == str(posterior)
    assert again.prior == posterior.prior
    pd.testing.assert_frame_equal(again.by_dataset(), posterior.by_dataset())
    group = posterior.to_arviz()["posterior"]
    assert group["delta"].dims == ("chain", "draw", "dataset", "coordinate")


@pytest.mark.slow
def test_some_of_the_metrics(fake, tmp_path):
    posterior = fitted(simulated(p=3), rope=[0.01, 0.02, 0.03], draws=1000)
    two = posterior.select(["m3", "m1"])
    assert two.metrics == ("m3", "m1")
    for name in ("delta0", "delta"):
        assert np.array_equal(two.draws[name], posterior.draws[name][..., [2, 0]])
    assert two.draws["Sigma0"] == pytest.approx(
        posterior.draws["Sigma0"][..., [2, 0], :][..., [2, 0]], rel=1e-12
    )
    assert [r.high for r in two.ropes()] == [0.03, 0.01]
    # P(equivalent) of each draw, by a bivariate t of SciPy
    i = (0, 5)
    t = stats.multivariate_t(two.draws["delta0"][i], two.draws["Sigma0"][i], df=two.draws["nu"][i])
    box = t.cdf([0.03, 0.01], lower_limit=[-0.03, -0.01])
    assert two.masses()[(*i, 0)] == pytest.approx(box, abs=2e-3)
    two.save(tmp_path / "two.nc")
    assert bc.load(tmp_path / "two.nc").verdict() == two.verdict()
    for wanted in ([], ["m1", "m1"], ["m4"]):
        with pytest.raises(bc.InputError, match="metric"):
            posterior.select(wanted)


def test_two_of_three_metrics_are_drawn(fake):
    import matplotlib.pyplot as plt

    posterior = fitted(simulated(p=3))
    ax = posterior.plot(metrics=("m1", "m3"))
    assert "m1" in ax.get_xlabel()
    assert "m3" in ax.get_ylabel()
    posterior.plot(rope=0.1)
    plt.close("all")
