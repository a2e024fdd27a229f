"""The hierarchical correlated t test: data for the engine, results, symmetries, errors."""

from __future__ import annotations

import dataclasses
import os
import stat

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

import bayescmp as bc
from bayescmp.bayesian import HierarchicalPrior, hierarchical_t
from bayescmp.bayesian.hierarchical.problem import pose
from bayescmp.verdict import as_rope

PARTS = ("p_left", "p_rope", "p_right")


def simulated(q=12, n=20, seed=0, location=0.01, spread=0.03, noise=0.05):
    """Differences of q data sets, folds correlated at 0.1."""
    rng = np.random.default_rng(seed)
    means = location + spread * rng.standard_t(5, size=q)
    shared = np.sqrt(0.1) * rng.normal(size=(q, 1))
    return means[:, None] + noise * (shared + np.sqrt(0.9) * rng.normal(size=(q, n)))


def probabilities(posterior, rope=None):
    v = posterior.verdict(rope)
    return np.array([v.p_left, v.p_rope, v.p_right])


@pytest.fixture(scope="module")
def posterior():
    return hierarchical_t(simulated(), rho=0.1, rope=0.01, seed=5, names=("knn", "gbm"))


# -- results -----------------------------------------------------------------------------------


def test_bare_arrays_and_differences_are_the_same(posterior):
    d = bc.Differences(simulated(), rho=0.1, names=("knn", "gbm"))
    assert np.array_equal(probabilities(hierarchical_t(d, rope=0.01)), probabilities(posterior))


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
    fresh = hierarchical_t  # the same rope given at the fit
    monkeypatch.undo()
    again = fresh(simulated(), rho=0.1, rope=0.02, seed=5)
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


def test_density_integrates_to_one(posterior):
    for name in ("delta0", "sigma0"):
        x, y = posterior.density(name)
        assert np.sum((y[1:] + y[:-1]) / 2 * np.diff(x)) == pytest.approx(1, abs=0.01)


def test_quantiles_and_highest_density_intervals(posterior):
    """Against the draws, by NumPy and by the shortest window of the sorted draws."""
    for name in ("delta0", "sigma0", "nu"):
        flat = np.sort(posterior.draws[name].ravel())
        spread = np.subtract(*np.quantile(flat, [0.9, 0.1]))
        assert posterior.quantile(name, [0.1, 0.5, 0.9]) == pytest.approx(
            np.quantile(flat, [0.1, 0.5, 0.9]), abs=0.02 * spread
        )
        width = int(0.8 * len(flat))
        start = np.argmin(flat[width:] - flat[: len(flat) - width])
        low, high = posterior.hdi(name, 0.8)
        assert high - low == pytest.approx(flat[start + width] - flat[start], rel=0.02)
    with pytest.raises(bc.InputError, match="unknown parameter 'delta'"):
        posterior.quantile("delta", 0.5)
    with pytest.raises(bc.InputError, match="probs"):
        posterior.quantile("delta0", 1.5)
    with pytest.raises(bc.InputError, match="prob=1"):
        posterior.hdi("delta0", 1)


def test_repr_says_engine_diagnostics_and_prior(posterior):
    text = repr(posterior)
    for part in ("knn", "gbm", "quadrature", "certificate", "corani2017", "0.95", "±0.01"):
        assert part in text


# -- symmetries --------------------------------------------------------------------------------

few = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@few
@given(st.integers(0, 10**6), st.integers(3, 30), st.sampled_from([0.0, 0.01, (-0.02, 0.005)]))
def test_swapping_the_algorithms_swaps_left_and_right(seed, q, rope):
    d = bc.Differences(simulated(q=q, seed=seed), rho=0.1)
    forward = hierarchical_t(d, rope=rope, seed=1).verdict()
    back = hierarchical_t(d.swapped(), rope=as_rope(rope).swapped(), seed=1).verdict()
    assert back.p_left == pytest.approx(forward.p_right, abs=1e-9)
    assert back.p_rope == pytest.approx(forward.p_rope, abs=1e-9)
    assert back.p_right == pytest.approx(forward.p_left, abs=1e-9)


@few
@given(st.integers(0, 10**6), st.randoms())
def test_the_order_of_data_sets_changes_nothing(seed, random):
    x = simulated(seed=seed)
    names = [f"d{i}" for i in range(len(x))]
    order = list(range(len(x)))
    random.shuffle(order)
    first = hierarchical_t(bc.Differences(x, rho=0.1, datasets=names), rope=0.01, seed=1)
    shuffled = bc.Differences(x[order], rho=0.1, datasets=[names[i] for i in order])
    second = hierarchical_t(shuffled, rope=0.01, seed=1)
    assert probabilities(second) == pytest.approx(probabilities(first), abs=1e-9)
    one, other = first.by_dataset()["mean"], second.by_dataset()["mean"]
    assert one[names].to_numpy() == pytest.approx(other[names].to_numpy(), abs=1e-9)


@few
@given(st.integers(0, 10**6))
def test_the_order_of_folds_changes_nothing(seed):
    """But for the rounding of sums, which may move a node of the grid."""
    x = simulated(seed=seed)
    first, second = (hierarchical_t(y, rho=0.1, rope=0.01) for y in (x, x[:, ::-1]))
    assert probabilities(second) == pytest.approx(probabilities(first), abs=1e-5)


@few
@given(st.integers(0, 10**6), st.sampled_from([1e-6, 0.01, 100.0, 1e6]))
def test_units_do_not_matter(seed, c):
    x = simulated(seed=seed)
    bound = dataclasses.replace(HierarchicalPrior.corani2017(), delta0_bound=1.0)
    scaled = dataclasses.replace(bound, delta0_bound=c)
    first = hierarchical_t(x, rho=0.1, rope=0.01, prior=bound)
    second = hierarchical_t(x * c, rho=0.1, rope=0.01 * c, prior=scaled)
    assert probabilities(second) == pytest.approx(probabilities(first), abs=1e-6)
    assert second.summary().loc["sigma0", "mean"] == pytest.approx(
        c * first.summary().loc["sigma0", "mean"], rel=1e-6
    )


def test_seeds():
    draws = [
        hierarchical_t(simulated(), rho=0.1, rope=0.01, seed=s).draws["delta"]
        for s in (3, 3, 4, np.random.default_rng(1), np.random.default_rng(1))
    ]
    assert np.array_equal(draws[0], draws[1])
    assert not np.array_equal(draws[0], draws[2])
    assert np.array_equal(draws[3], draws[4])
    with pytest.raises(bc.InputError, match="seed='x'"):
        hierarchical_t(simulated(), rho=0.1, rope=0.01, seed="x")


# -- the data the engine sees ------------------------------------------------------------------


def test_bounds_are_those_of_the_paper():
    x = simulated()
    d = bc.Differences(x, rho=0.1)
    p = pose(d, HierarchicalPrior.corani2017(), as_rope(0.01))
    within = x.std(axis=1, ddof=1).mean()
    assert p.scale == pytest.approx(within)
    assert p.data["sigma_upper"] == pytest.approx(1000)
    assert p.data["sigma0_upper"] * p.scale == pytest.approx(1000 * x.mean(axis=1).std(ddof=1))
    assert p.data["delta0_bound"] * p.scale == pytest.approx(1)
    tutorial = pose(d, HierarchicalPrior.benavoli2017(), as_rope(0.01))
    assert tutorial.data["delta0_bound"] * p.scale == pytest.approx(np.abs(x).max())
    assert (tutorial.data["alpha_lower"], tutorial.data["beta_upper"]) == (1.0, 0.1)


def test_bound_of_delta0_by_the_metric():
    prior, rope = HierarchicalPrior.corani2017(), as_rope(0.01)

    def bound(x, **options):
        p = pose(bc.Differences(x, rho=0.1, **options), prior, rope)
        return p.data["delta0_bound"] * p.scale

    x = simulated()
    assert bound(x, span=2.0) == pytest.approx(2)
    assert bound(x * 1000) == pytest.approx(np.abs(x).max() * 1000)


def test_priors_are_named_in_results():
    x = simulated()
    for prior in (HierarchicalPrior.corani2017(), HierarchicalPrior.benavoli2017()):
        assert prior.name in hierarchical_t(x, rho=0.1, rope=0.01, prior=prior).verdict().prior


# -- constant rows -----------------------------------------------------------------------------


def constant_rows(k=3):
    x = simulated(q=10)
    x[:k] = 0.0
    return x


def test_constant_rows_get_the_resolution_and_no_noise():
    x = constant_rows(1)
    a, b = (hierarchical_t(x, rho=0.1, rope=0.01, seed=s, resolution=0.02) for s in (1, 2))
    assert np.array_equal(probabilities(a), probabilities(b))
    assert a.statistics.ss[0] == pytest.approx(20 * 0.02**2 / 12)
    assert "h = 0.02" in a.notes[-1]
    assert "(1)" in a.notes[-1]  # the data set's name
    assert np.all(np.isfinite(probabilities(a)))


def test_the_rope_is_the_resolution_of_last_resort():
    p = pose(bc.Differences(constant_rows(), rho=0.1), HierarchicalPrior(), as_rope((-0.01, 0.03)))
    assert p.step[:3] == pytest.approx(0.04)


def test_an_answer_that_hangs_on_the_resolution_is_said_to():
    """Eight equal rows of twenty: the smaller their spread, the more they draw sigma0 to zero."""
    x = simulated(q=20, n=100, location=0.02, spread=0.02)
    x[:8] = 0.0
    with pytest.warns(bc.DiagnosticWarning, match="hangs on it: at h/10"):
        posterior = hierarchical_t(x, rho=0.1, rope=0.01, resolution=0.01)
    assert "hangs on it" in posterior.notes[-1]


def test_all_rows_constant():
    x = np.tile([[0.02], [0.0], [0.01], [0.03]], (1, 10))
    v = hierarchical_t(x, rho=0.1, rope=0.05, resolution=0.01).verdict()
    assert v.decision == "equivalent"
    zeros = np.zeros((4, 10))
    with pytest.raises(bc.InputError, match=r"all zero and there is no rope.*give resolution"):
        hierarchical_t(zeros, rho=0.1, rope=0)


# -- samplers, through the fake engine ---------------------------------------------------------


def test_a_failed_fit_is_refitted_once_with_smaller_steps(fake):
    fake.stuck = 1
    posterior = hierarchical_t(simulated(), rho=0.1, rope=0.01, engine="fake", seed=1)
    assert [r.settings.adapt_delta for r in fake.requests] == pytest.approx([0.8, 0.98])
    assert posterior.diagnostics.refitted
    assert posterior.diagnostics.ok


def test_a_fit_that_fails_twice_warns_and_says_so(fake):
    fake.stuck = 2
    with pytest.warns(bc.DiagnosticWarning, match=r"r-hat .* is over 1.01.*engine='quadrature'"):
        posterior = hierarchical_t(simulated(), rho=0.1, rope=0.01, engine="fake", seed=1)
    assert not posterior.diagnostics.ok
    assert "FAILED" in repr(posterior)


def test_two_data_sets_and_a_sampler_warn(fake):
    with pytest.warns(
        bc.DiagnosticWarning, match="two data sets: the answer is driven by the prior"
    ):
        hierarchical_t(simulated(q=2), rho=0.1, rope=0.01, engine="fake", seed=1)
    exact = hierarchical_t(simulated(q=2), rho=0.1, rope=0.01)
    assert "driven by the prior" in exact.notes[0]


def test_initial_values_are_inside_the_bounds(fake):
    hierarchical_t(simulated() * 1e-3, rho=0.1, rope=1e-5, engine="fake", seed=1)
    request = fake.requests[0]
    for init in request.inits:
        assert np.isfinite(init["delta0_logit"])
        assert init["sigma0_logit"] < 0
        assert 0 < init["alpha_unit"] < 1


def test_monte_carlo_errors_are_those_of_the_indicator(fake):
    """Independent draws: the error of a share is that of a binomial proportion."""
    posterior = hierarchical_t(simulated(), rho=0.1, rope=0.01, engine="fake", seed=1)
    v = posterior.verdict()
    p = probabilities(posterior)
    errors = np.array(list(v.errors.values()))
    inside = (p > 0.01) & (p < 0.99)
    assert errors[inside] == pytest.approx(np.sqrt(p * (1 - p) / 4000)[inside], rel=0.2)
    assert np.all(errors > 0)


# -- saving ------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["quadrature", "fake"])
def test_saving_and_loading(engine, fake, tmp_path):
    d = bc.Differences(simulated(), rho=0.1, names=("a/b", "<c>"), metric="auc",
                       datasets=[f"data {i}" for i in range(12)])  # fmt: skip
    saved = hierarchical_t(d, rope=(-0.01, 0.02), engine=engine, seed=9)
    path = tmp_path / "posterior.nc"
    saved.save(path)
    if engine == "fake":
        path_free = bc.load(path)  # no engine is needed to read draws
        assert path_free.engine == "fake"
    loaded = bc.load(path)
    assert loaded.verdict().to_dict() == saved.verdict().to_dict()
    assert loaded.verdict(0.005).probabilities == saved.verdict(0.005).probabilities
    assert loaded.prior == saved.prior
    assert loaded.datasets == saved.datasets
    assert loaded.diagnostics == saved.diagnostics
    assert np.allclose(loaded.draws["delta"], saved.draws["delta"])
    assert loaded.by_dataset().equals(saved.by_dataset()) or np.allclose(
        loaded.by_dataset(), saved.by_dataset()
    )


def test_arviz_gets_names_and_groups(posterior):
    data = posterior.to_arviz()
    group = data["posterior"]
    assert group["delta"].dims == ("chain", "draw", "dataset")
    assert list(group["delta"].coords["dataset"].to_numpy()) == list(posterior.datasets)
    assert set(data["constant_data"].data_vars) >= {"n", "mean", "ss", "rho"}


def test_loading_what_is_no_posterior(tmp_path):
    with pytest.raises(bc.InputError, match="does not exist"):
        bc.load(tmp_path / "nothing.nc")
    (tmp_path / "text.nc").write_text("no netCDF")
    with pytest.raises(bc.InputError, match="holds no posterior"):
        bc.load(tmp_path / "text.nc")


def test_saving_where_it_is_not_allowed(posterior, tmp_path):
    with pytest.raises(bc.InputError, match="cannot write"):
        posterior.save(tmp_path / "no" / "such" / "place.nc")


# -- errors ------------------------------------------------------------------------------------


def test_one_data_set_points_to_the_test_for_one():
    with pytest.raises(bc.InputError, match=r"one data set only.*correlated_t"):
        hierarchical_t(simulated(q=1), rho=0.1, rope=0.01)


def test_single_differences_point_to_signed_rank():
    with pytest.raises(bc.InputError, match=r"single difference for data set '2'.*signed_rank"):
        hierarchical_t([[0.1, 0.2], [0.3]], rho=0.1, rope=0.01)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rope": -0.01}, "rope=-0.01 is negative"),
        ({"rho": None}, "rho is missing"),
        ({"rho": 1.0}, r"rho=1 is outside \[0, 1\)"),
        ({"engine": "stan"}, "unknown engine 'stan'"),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(bc.InputError, match=message):
        hierarchical_t(simulated(), **{"rho": 0.1, "rope": 0.01, **options})


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


def test_a_prior_by_its_name_is_refused():
    with pytest.raises(bc.InputError, match=r"prior='benavoli2017'.*HierarchicalPrior"):
        bc.bayesian.hierarchical_t([[0.1, 0.2, 0.3]] * 2, rho=0.1, rope=0.01, prior="benavoli2017")


@pytest.mark.parametrize(
    ("option", "value"),
    [("chains", 0), ("warmup", 1.5), ("draws", "many"), ("adapt_delta", 1.0)],
)
def test_settings_of_the_sampler_are_checked(option, value):
    for test, x in ((bc.bayesian.hierarchical_t, [[0.1, 0.2, 0.3]] * 2),
                    (bc.bayesian.robust_t, [0.1, 0.2, 0.4])):  # fmt: skip
        with pytest.raises(bc.InputError, match=f"{option}.*accepted"):
            test(x, rho=0.1, rope=0.01, **{option: value})
