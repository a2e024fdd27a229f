"""What the hierarchical posterior answers: verdicts, summaries, densities, saving, plots."""

from __future__ import annotations

import os
import stat

import numpy as np
import pytest
from matplotlib.figure import Figure

import bayescmp as bc
from bayescmp.bayesian import hierarchical_t
from tests.bayesian.hierarchical.data import by_grid, probabilities, simulated


@pytest.fixture(scope="module")
def posterior():
    return by_grid(simulated(), rho=0.1, rope=0.01, seed=5, names=("knn", "gbm"))


def test_probabilities_sum_to_one_and_expected_masses_too(posterior):
    v = posterior.verdict()
    for part in (v.probabilities, v.expected, v.location):
        assert sum(part.values()) == pytest.approx(1, abs=1e-9)
        assert all(0 <= p <= 1 for p in part.values())


def test_the_verdict_is_the_share_of_draws_of_which_a_region_is_the_largest(posterior):
    """Formula of Corani et al. 2017, section 3.3, by scipy.stats on the posterior's own draws."""
    from scipy.stats import t

    d = posterior.draws
    left = t.cdf(-0.01, d["nu"], d["delta0"], d["sigma0"])
    right = t.sf(0.01, d["nu"], d["delta0"], d["sigma0"])
    largest = np.argmax(np.stack([left, 1 - left - right, right]), axis=0)
    shares = [(largest == i).mean() for i in range(3)]
    assert probabilities(posterior) == pytest.approx(shares, abs=0.006)
    expected = list(posterior.verdict().expected.values())
    assert expected == pytest.approx(
        [left.mean(), (1 - left - right).mean(), right.mean()], abs=0.004
    )
    location = list(posterior.verdict().location.values())
    d0 = d["delta0"]
    assert location == pytest.approx(
        [(d0 < -0.01).mean(), (abs(d0) <= 0.01).mean(), (d0 > 0.01).mean()], abs=0.006
    )


def test_another_rope_does_not_refit(posterior, monkeypatch):
    monkeypatch.setattr("bayescmp.bayesian.hierarchical.fit.find_engine", None)
    p = [probabilities(posterior, r)[1] for r in (0, 0.005, 0.01, 0.02, 0.05)]
    assert p[0] == 0
    assert np.all(np.diff(p) >= 0)
    monkeypatch.undo()
    again = by_grid(simulated(), rho=0.1, rope=0.02, seed=5)  # the same rope given at the fit
    assert probabilities(posterior, 0.02) == pytest.approx(probabilities(again), abs=1e-12)


def test_an_asymmetric_rope_agrees_with_draws(posterior):
    masses = posterior.masses((-0.02, 0.005)).reshape(-1, 3)
    shares = np.bincount(masses.argmax(axis=1), minlength=3) / len(masses)
    assert probabilities(posterior, (-0.02, 0.005)) == pytest.approx(shares, abs=0.006)


def test_summary_and_by_dataset(posterior):
    table = posterior.summary()
    assert list(table.index) == ["delta0", "sigma0", "nu"]
    d = posterior.draws
    for name in table.index:
        assert table.loc[name, "median"] == pytest.approx(np.median(d[name]), rel=0.03)
    own = posterior.by_dataset()
    assert own["observed"].to_numpy() == pytest.approx(simulated().mean(axis=1))
    assert own[["p_left", "p_rope", "p_right"]].sum(axis=1).to_numpy() == pytest.approx(
        1, abs=1e-6
    )
    assert own["mean"].to_numpy() == pytest.approx(d["delta"].mean(axis=(0, 1)), abs=2e-3)
    # shrinkage: every mean moves towards the centre
    centre = table.loc["delta0", "mean"]
    assert np.all(abs(own["mean"] - centre) <= abs(own["observed"] - centre) + 1e-3)
    assert len(posterior.summary(datasets=True)) == 3 + 12


def test_draws_have_chains_draws_and_data_sets(posterior):
    assert posterior.draws["delta0"].shape == (4, 2500)
    assert posterior.draws["delta"].shape == (4, 2500, 12)
    assert np.all(posterior.draws["sigma"] > 0)


def test_repr_says_engine_diagnostics_and_prior(posterior):
    text = repr(posterior)
    for part in ("knn", "gbm", "quadrature", "second integration", "corani2017", "0.95", "±0.01"):
        assert part in text


def test_monte_carlo_errors_are_those_of_the_indicator(fake):
    """Independent draws: the error of a share is that of a binomial proportion."""
    posterior = hierarchical_t(simulated(), rho=0.1, rope=0.01, engine="fake", seed=1)
    v = posterior.verdict()
    p = probabilities(posterior)
    errors = np.array(list(v.errors.values()))
    inside = (p > 0.01) & (p < 0.99)
    assert errors[inside] == pytest.approx(np.sqrt(p * (1 - p) / 4000)[inside], rel=0.2)
    assert np.all(errors > 0)


def test_threshold_is_checked(posterior):
    assert posterior.verdict(threshold=0.51).decision != "undecided"
    with pytest.raises(bc.InputError, match=r"threshold=0\.3"):
        posterior.verdict(threshold=0.3)


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_plot_into_a_directory_without_permission(posterior, tmp_path, monkeypatch):
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)

    def refuse(*args, **kwargs):  # as the system does to all but root
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkdtemp", refuse)
    with pytest.raises(bc.InputError, match=r"cannot write.*Permission denied"):
        bc.plots.save(posterior.plot(ax=Figure().add_subplot()), folder / "simplex.png")
