"""The hierarchical multivariate test without Stan: what the program is given, and what is made."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import MultivariatePrior, hierarchical_multivariate_t, pair_blocks
from bayescmp.bayesian.hierarchical_multivariate.masses import region_masses
from bayescmp.bayesian.hierarchical_multivariate.prior import MultivariatePrior as Prior
from bayescmp.engines import Availability, Fit, FitRequest, register
from bayescmp.verdict import Rope, as_ropes

REGIONS = ["equivalent", "first", "second", "trade_off"]


class FakeEngine:
    """Draws about the data's means; so many fits come back with chains that disagree."""

    name = "fake"
    independent = False

    def __init__(self) -> None:
        self.stuck = 0
        self.requests: list[FitRequest] = []

    def available(self) -> Availability:
        return Availability(True, "fake 1.0")

    def supports(self, model: str) -> bool:
        return model == "hierarchical_multivariate_t"

    def fit(self, request: FitRequest) -> Fit:
        self.requests.append(request)
        rng = np.random.default_rng(request.seed)
        data = request.data
        q, p = data["q"], data["p"]
        shape = (request.settings.chains, request.settings.draws)
        apart = np.arange(shape[0])[:, None] * (9.0 if len(self.requests) <= self.stuck else 0.0)
        r = 0.5 + 0.2 * rng.uniform(size=shape)
        omega = np.broadcast_to(np.eye(p), (*shape, p, p)).copy()
        for i in range(p):
            for k in range(p):
                omega[..., i, k] = r ** abs(i - k)
        draws = {
            "delta0": data["xbar"].mean(axis=0)
            + 0.1 * rng.normal(size=(*shape, p))
            + apart[..., None],
            "tau": data["tau_at"] * np.exp(0.1 * rng.normal(size=(*shape, p))),
            "Omega": omega,
            "nu": 1 + rng.gamma(2, 10, shape),
            "delta": data["xbar"] + 0.1 * rng.normal(size=(*shape, q, p)),
        }
        stats_ = {
            "diverging": np.zeros(shape, bool), "tree_depth": np.full(shape, 3),
            "energy": rng.normal(size=shape), "lp": rng.normal(size=shape),
        }  # fmt: skip
        return Fit(self.name, "fake 1.0", draws, stats_)


@pytest.fixture
def fake():
    engine = FakeEngine()
    remove = register("fake", lambda: engine)
    yield engine
    remove()


def simulated(q=6, n=20, p=2, seed=0):
    rng = np.random.default_rng(seed)
    root = np.tril(rng.normal(size=(p, p))) + 2 * np.eye(p)
    return [0.02 + 0.03 * rng.normal(size=p) + 0.02 * rng.normal(size=(n, p)) @ root.T
            for _ in range(q)]  # fmt: skip


def fitted(xs, **options):
    options = {"rho": 0.1, "rope": 0.01, "engine": "fake", "seed": 3, **options}
    return hierarchical_multivariate_t(xs, **options)


# -- what the program is given -----------------------------------------------------------------


def test_the_likelihood_of_a_data_set_is_its_correlated_multivariate_t(fake):
    """Jeffreys' prior: n - p degrees of freedom, scale c S/(n - p), c = 1/n + rho/(1 - rho)."""
    xs = [x[: 10 + i] for i, x in enumerate(simulated())]
    rho = np.array([0.1, 0.2, 0.1, 0.0, 0.5, 0.1])
    found = fitted(xs, rho=rho)
    data = fake.requests[0].data
    assert data["q"] == 6
    assert data["p"] == 2
    by_n = {int(d) + 2: i for i, d in enumerate(data["dof"])}
    unit = np.mean([x.std(axis=0, ddof=1) for x in xs], axis=0)
    signs = set()
    for x, r in zip(xs, rho, strict=True):
        i, n = by_n[len(x)], len(x)
        c = 1 / n + r / (1 - r)
        scale = c * np.cov(x.T, ddof=0) * n / (n - 2)
        assert data["C"][i] * np.outer(unit, unit) == pytest.approx(scale, rel=1e-9)
        ratio = data["xbar"][i] * unit / x.mean(axis=0)
        assert np.abs(ratio) == pytest.approx(1)
        signs |= set(np.sign(ratio))
    assert len(signs) == 1
    assert found.means == pytest.approx(np.array([x.mean(axis=0) for x in xs]))


def test_an_inverse_wishart_prior_within_data_sets(fake):
    """Against the conjugate update by hand: dof n + m - p, the prior's scatter added."""
    xs = simulated(q=3, n=8)
    fitted(xs, prior=MultivariatePrior(within_df=5, within_sd=(0.02, 0.05)))
    data = fake.requests[0].data
    assert data["dof"] == pytest.approx(8 + 5 - 2)
    unit = np.mean([x.std(axis=0, ddof=1) for x in xs], axis=0)
    total = [(x - x.mean(0)).T @ (x - x.mean(0)) / 0.9 + 5 * np.diag([0.0004, 0.0025]) for x in xs]
    wanted = sorted((1 + 7 * 0.1) / 8 * t[0, 1] / 11 / unit[0] / unit[1] for t in total)
    assert sorted(c[0, 1] for c in data["C"]) == pytest.approx(wanted)


def test_scales_of_the_prior(fake):
    xs = simulated()
    fitted(xs, metrics=("accuracy", "things"))
    data = fake.requests[0].data
    unit = np.mean([x.std(axis=0, ddof=1) for x in xs], axis=0)
    largest = np.abs(np.concatenate(xs))[:, 1].max()
    assert data["delta0_sd"] * unit == pytest.approx([1.0, largest])
    means = np.array([x.mean(axis=0) for x in xs])
    assert data["tau_scale"] * unit == pytest.approx(2.5 * means.std(axis=0, ddof=1))
    fitted(xs, prior=MultivariatePrior(delta0_sd=0.3, tau_scale=(0.1, 0.2)))
    data = fake.requests[1].data
    assert data["delta0_sd"] * unit == pytest.approx([0.3, 0.3])
    assert data["tau_scale"] * unit == pytest.approx([0.1, 0.2])


def test_order_of_data_sets_and_of_algorithms_cannot_matter(fake):
    xs = simulated()
    a, b = fitted(xs), fitted(xs[::-1], datasets=list("654321"))
    assert np.array_equal(a.draws["delta0"], b.draws["delta0"])
    assert np.array_equal(a.draws["delta"], b.draws["delta"][:, :, ::-1])
    c = fitted([-x for x in xs], rope=Rope(-0.02, 0.01), names=("second", "first"))
    mirrored = fitted(xs, rope=Rope(-0.01, 0.02)).verdict().swapped()
    assert c.verdict().probabilities == pytest.approx(mirrored.probabilities, abs=1e-12)


def test_units_cannot_matter(fake):
    xs = simulated()
    a = fitted(xs, rope=(0.01, 0.02))
    b = fitted([x * [100, 1e-3] for x in xs], rope=(1.0, 0.00002))
    assert a.verdict().probabilities == pytest.approx(b.verdict().probabilities, abs=1e-9)
    assert b.draws["delta0"] == pytest.approx(a.draws["delta0"] * [100, 1e-3])


# -- metrics that depend on each other, data sets without spread ---------------------------------


def test_dependent_metrics_leave_fewer_dimensions(fake):
    """fn = -tp after flipping would be +; here third = 2 first - second, and a fourth is zero."""
    xs = [np.column_stack([x, 2 * x[:, 0] - x[:, 1], 0 * x[:, 0]]) for x in simulated()]
    found = fitted(xs, metrics=("a", "b", "c", "d"))
    assert fake.requests[0].data["p"] == 2
    assert found.mixing == pytest.approx(np.array([[1, 0, 2, 0], [0, 1, -1, 0]]), abs=1e-9)
    assert "c, d are linear functions of a, b" in found.notes[0]
    delta = found.draws["delta"]
    assert delta[..., 2] == pytest.approx(2 * delta[..., 0] - delta[..., 1])
    assert np.all(delta[..., 3] == 0)
    assert np.isnan(found.correlations[..., 0, 3]).all()
    two = fitted([x[:, :2] for x in xs])
    few, many = (f.verdict((Rope(-9, 9),) * 2 if f is two else 9) for f in (two, found))
    assert few.probabilities == pytest.approx(many.probabilities)


def test_a_data_set_without_spread_gets_that_of_rounding(fake):
    xs = simulated()
    xs[2] = np.column_stack([np.full(20, 0.03), xs[2][:, 1]])
    found = fitted(xs, resolution=(0.01, 0.001))
    assert "1 data set with metrics that are constant or linearly dependent there (3)" in str(
        found
    )
    data = fake.requests[0].data
    scatter = [np.cov(x.T, ddof=0) * 20 for x in xs]
    scatter[2] += 20 * np.diag([0.01**2, 0.001**2]) / 12
    unit = np.mean([np.sqrt(np.diag(s) / 19) for s in scatter], axis=0)
    c = 1 / 20 + 0.1 / 0.9
    got = sorted(C[0, 0] * unit[0] ** 2 for C in data["C"])
    assert got == pytest.approx(sorted(c * s[0, 0] / 18 for s in scatter))
    # and at a tenth of it, whether the verdict hangs on it
    again = [C[0, 0] for C in fake.requests[1].data["C"]]
    assert min(again) < min(C[0, 0] for C in data["C"]) / 50
    assert "h = m1 0.01, m2 0.001; at h/10 a probability moves by 0.0" in found.notes[0]
    # without a resolution, the width of the rope
    assert "h = m1 0.04, m2 0.04" in fitted(xs, rope=0.02).notes[0]


def test_a_verdict_that_hangs_on_the_resolution_warns(fake):
    """The fake draws a location in units of the mean spread, which the resolution makes here."""
    xs = [np.zeros((20, 2)) for _ in range(6)]
    xs[0], xs[1] = xs[0] + [0.01, 0.02], xs[1] - [0.009, 0.018]
    with pytest.warns(bc.DiagnosticWarning, match="hangs on it, give the metrics' true resol"):
        found = fitted(xs, resolution=0.05, rope=0.001)
    assert "6 data sets with metrics" in found.notes[-1]


def test_dependence_on_one_data_set_only(fake):
    xs = simulated()
    xs[0] = np.column_stack([xs[0][:, 0], 3 * xs[0][:, 0]])
    found = fitted(xs, resolution=0.01)
    assert fake.requests[0].data["p"] == 2
    assert "linearly dependent there (1)" in found.notes[0]
    assert np.linalg.eigvalsh(fake.requests[0].data["C"]).min() > 0


# -- the verdict -------------------------------------------------------------------------------


def test_masses_against_the_bivariate_t_of_scipy():
    """scipy 1.17's multivariate_t.cdf, an independent integration, over rectangles."""
    scale = np.array([[0.0009, 0.0007], [0.0007, 0.0016]])
    at, low, high = np.array([0.01, -0.02]), np.array([-0.01, -0.03]), np.array([0.02, 0.01])
    masses = region_masses(
        at[None], np.linalg.cholesky(scale)[None], np.array([4.0]), np.eye(2),
        as_ropes([(-0.01, 0.02), (-0.03, 0.01)], ("a", "b")), seed=1, directions=2**14,
    )  # fmt: skip
    t = stats.multivariate_t(at, scale, df=4, seed=1)
    box = t.cdf(high, lower_limit=low, maxpts=10**6)
    not_worse = t.cdf([np.inf, np.inf], lower_limit=low, maxpts=10**6)
    not_better = t.cdf(high, maxpts=10**6)
    wanted = [box, not_better - box, not_worse - box, 1 - not_better - not_worse + box]
    assert masses.mean(axis=0)[0] == pytest.approx(wanted, abs=1e-4)
    assert masses.sum(axis=-1) == pytest.approx(1)


def test_masses_of_three_metrics_against_draws():
    rng = np.random.default_rng(1)
    root = np.tril(rng.normal(size=(3, 3)))
    at = np.array([0.3, -0.2, 0.5])
    ropes = as_ropes((0.5, 0.7, 1.0), ("a", "b", "c"))
    found = region_masses(at[None], root[None], np.array([3.0]), np.eye(3), ropes, seed=1)
    x = at + rng.standard_normal((400_000, 3)) @ root.T / np.sqrt(
        rng.chisquare(3, (400_000, 1)) / 3
    )  # fmt: skip
    worse = (x < ropes.low).any(axis=1)
    better = (x > ropes.high).any(axis=1)
    wanted = [np.mean(~worse & ~better), np.mean(worse & ~better), np.mean(better & ~worse),
              np.mean(worse & better)]  # fmt: skip
    assert found.mean(axis=0)[0] == pytest.approx(wanted, abs=0.006)


def test_one_metric_has_the_masses_of_the_t_exactly():
    masses = region_masses(
        np.array([[0.1]]), np.array([[[0.5]]]), np.array([3.0]), np.eye(1),
        as_ropes([(-0.2, 0.3)], ("a",)), seed=1,
    )  # fmt: skip
    t = stats.t(3, 0.1, 0.5)
    wanted = [t.cdf(0.3) - t.cdf(-0.2), t.cdf(-0.2), t.sf(0.3), 0]
    assert masses[0, 0] == pytest.approx(wanted, abs=1e-12)


def test_verdict_is_the_share_of_draws_in_which_a_region_is_largest(fake):
    found = fitted(simulated(), rope=0.02)
    masses = found.masses()
    v = found.verdict()
    largest = masses.argmax(axis=-1)
    wanted = [(largest == i).mean() for i in range(4)]
    assert [v.probabilities[r] for r in REGIONS] == pytest.approx(wanted, abs=1e-12)
    assert [v.expected[r] for r in REGIONS] == pytest.approx(masses.mean(axis=(0, 1)))
    location = found.draws["delta0"]
    assert v.location["equivalent"] == pytest.approx(np.mean(np.all(abs(location) <= 0.02, -1)))
    assert "a new data set" in v.explain()
    assert min(v.errors.values()) > 0
    none = found.verdict(0)
    assert none.probabilities["equivalent"] == 0
    assert sum(none.probabilities.values()) == pytest.approx(1)


def test_verdicts_of_the_data_sets(fake):
    found = fitted(simulated(), rope=0.02, datasets=list("abcdef"))
    table = found.by_dataset()
    delta = found.draws["delta"][:, :, 2]
    worse, better = (delta < -0.02).any(-1), (delta > 0.02).any(-1)
    wanted = [np.mean(~worse & ~better), np.mean(worse & ~better), np.mean(better & ~worse),
              np.mean(worse & better)]  # fmt: skip
    assert table.loc["c", [f"p_{r}" for r in REGIONS]].to_numpy(float) == pytest.approx(wanted)
    v = found.dataset_verdict("c")
    assert list(v.probabilities.values()) == pytest.approx(wanted)
    assert "data set c" in v.explain()
    assert table["observed m1"].to_numpy() == pytest.approx(found.means[:, 0])
    with pytest.raises(bc.InputError, match="unknown data set 'g'"):
        found.dataset_verdict("g")


def test_correlation_and_summary(fake):
    found = fitted(simulated(p=3), metrics=("a", "b", "c"))
    table = found.correlation()
    omega = found.fit.draws["Omega"][..., 0, 2]
    assert table.loc[("a", "c"), "mean"] == pytest.approx(omega.mean())
    assert table.loc[("a", "c"), "p_positive"] == 1
    summary = found.summary()
    assert summary.loc["tau[b]", "mean"] == pytest.approx(found.fit.draws["tau"][..., 1].mean())
    assert summary.loc["correlation[a, c]", "mean"] == pytest.approx(omega.mean())
    assert set(summary.columns) >= {"mean", "sd", "2.5%", "97.5%", "ess_bulk", "rhat"}


def test_the_next_data_set_is_drawn_from_the_upper_level(fake):
    """Shares of its draws in the regions are the regions' expected masses."""
    found = fitted(simulated(), rope=0.02, draws=5000)
    drawn = found.next_dataset()
    assert np.array_equal(drawn, found.next_dataset())
    worse, better = (drawn < -0.02).any(-1), (drawn > 0.02).any(-1)
    shares = [np.mean(~worse & ~better), np.mean(worse & ~better), np.mean(better & ~worse)]
    expected = found.verdict().expected
    assert shares == pytest.approx([expected[r] for r in REGIONS[:3]], abs=0.016)


@pytest.mark.parametrize("p", [2, 3])
def test_plots(fake, p):
    ax = fitted(simulated(p=p), rope=0.02).plot()
    assert ax.get_xlim()[0] < ax.get_xlim()[1]
    told = "".join(t.get_text() for t in ax.figure.findobj(lambda o: hasattr(o, "get_text")))
    assert "first" in told


def test_saved_and_read_again(fake, tmp_path):
    xs = [np.column_stack([x, -x[:, 0]]) for x in simulated()]
    found = fitted(xs, rope=(0.01, 0.02, 0.01), metrics=("a", "b", "c"), prior=Prior(lkj=3.0))
    found.save(tmp_path / "p.nc")
    again = bc.load(tmp_path / "p.nc")
    assert again.verdict().to_dict() == found.verdict().to_dict()
    assert again.verdict(0.5).probabilities == found.verdict(0.5).probabilities
    assert str(again) == str(found)
    assert again.prior == found.prior
    pd.testing.assert_frame_equal(again.by_dataset(), found.by_dataset())
    group = found.to_arviz()["posterior"]
    assert group["delta"].dims == ("chain", "draw", "dataset", "coordinate")


# -- scores and blocks -------------------------------------------------------------------------


def test_blocks_of_a_table(fake, table):
    scores = bc.Scores(table)
    xs = pair_blocks(scores, "knn", "svm", metrics=("accuracy", "log_loss"))
    found = fitted(xs, rho=None, rope={"accuracy": 0.01, "log_loss": 0.02})
    assert found.names == ("knn", "svm")
    assert found.datasets == scores.datasets
    wanted = scores.differences("knn", "svm", "log_loss").means  # flipped: lower is better
    assert found.means[:, 1] == pytest.approx(wanted)
    assert "±0.01 in accuracy" in str(found)


def test_blocks_that_differ(fake, table):
    scores = bc.Scores(table)
    xs = pair_blocks(scores, "knn", "svm")
    other = pair_blocks(scores, "knn", "gbm")
    with pytest.raises(bc.InputError, match=r"knn and gbm.*all need the same"):
        fitted([xs[0], other[1]], rho=None)
    with pytest.raises(bc.InputError, match=r"Blocks of 3 algorithms.*Blocks\.pair"):
        fitted([bc.scores_blocks(scores, dataset="iris")] * 2, rho=None)


# -- diagnostics and errors --------------------------------------------------------------------


def test_a_failed_run_is_repeated_with_smaller_steps(fake):
    fake.stuck = 1
    found = fitted(simulated())
    assert [r.settings.adapt_delta for r in fake.requests] == pytest.approx([0.95, 0.995])
    assert found.diagnostics.refitted
    assert found.diagnostics.ok


def test_a_run_that_fails_twice_warns(fake):
    fake.stuck = 2
    with pytest.warns(bc.DiagnosticWarning, match="hierarchical multivariate.*r-hat"):
        fitted(simulated())


def test_two_data_sets_warn(fake):
    with pytest.warns(bc.DiagnosticWarning, match="two data sets: the answer is driven"):
        found = fitted(simulated(q=2))
    assert "driven by the prior" in found.notes[0]


NAN = [np.where(np.arange(20)[:, None] == 3, np.nan, x) for x in simulated()]


@pytest.mark.parametrize(
    ("xs", "options", "message"),
    [
        (simulated(q=1), {}, "one data set only.*multivariate_t"),
        ([x[:2] for x in simulated()], {}, "2 folds for 2 metrics.*hierarchical_t"),
        (NAN, {}, r"missing \(NaN\) for metric 'm1' on data set '1' in fold 4"),
        (simulated(), {"rho": None}, "rho is missing"),
        (simulated(), {"rho": 1.0}, r"outside \[0, 1\)"),
        (simulated(), {"rope": -1}, "negative"),
        (simulated(), {"rope": (1, 2, 3)}, "holds 3 for 2 metrics"),
        (simulated(), {"metrics": ("a",)}, "metrics=.*2 different names"),
        (simulated(), {"names": ("a", "a")}, "not compared with itself"),
        (simulated(), {"resolution": -1}, "resolution=-1"),
        (simulated(), {"prior": Prior(tau_scale=(1, 2, 3))}, "tau_scale of the prior has 3"),
        ([np.zeros((5, 2))] * 3, {}, "zero throughout"),
        ([np.zeros((5, 2)), np.zeros((5, 3))], {}, r"shape \(5, 3\) for data set 2"),
        (np.zeros(4), {}, r"shape \(\) for data set 1"),
        ("table.csv", {}, "xs is str.*pair_blocks"),
        (simulated(), {"seed": -1}, "seed=-1"),
    ],
)
def test_bad_input(fake, xs, options, message):
    with pytest.raises(bc.InputError, match=message):
        fitted(xs, **options)
    assert fake.requests == []


@pytest.mark.parametrize(
    ("options", "message"),
    [({"lkj": 0}, "lkj=0"), ({"tau_scale": -1}, "tau_scale"), ({"within_df": -1}, "within_df=-1"),
     ({"within_df": 3}, "within_sd is missing")],
)  # fmt: skip
def test_bad_priors(options, message):
    with pytest.raises(bc.InputError, match=message):
        MultivariatePrior(**options)


def test_the_built_in_engine_cannot():
    with pytest.raises(bc.EngineError, match="does not fit the model 'hierarchical_multi"):
        fitted(simulated(), engine="quadrature")


def test_some_of_the_metrics(fake, tmp_path):
    found = fitted(simulated(p=3), rope=[0.01, 0.02, 0.03])
    two = found.select(["m3", "m1"])
    assert two.metrics == ("m3", "m1")
    for name in ("delta0", "delta"):
        assert np.array_equal(two.draws[name], found.draws[name][..., [2, 0]])
    assert two.draws["Sigma0"] == pytest.approx(
        found.draws["Sigma0"][..., [2, 0], :][..., [2, 0]], rel=1e-12
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
            found.select(wanted)


def test_two_of_three_metrics_are_drawn(fake):
    import matplotlib.pyplot as plt

    found = fitted(simulated(p=3))
    ax = found.plot(metrics=("m1", "m3"))
    assert "m1" in ax.get_xlabel()
    assert "m3" in ax.get_ylabel()
    found.plot(rope=0.1)
    plt.close("all")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"draws": 0}, "draws=0; accepted"),
        ({"draws": "a"}, "draws='a'; accepted"),
        ({"chains": 0}, "chains=0; accepted"),
        ({"warmup": 1.5}, "warmup=1.5; accepted"),
        ({"adapt_delta": 2}, "adapt_delta=2; accepted"),
        ({"prior": "weak"}, "prior is str; accepted: a MultivariatePrior"),
        ({"prior": bc.HierarchicalPrior.corani2017()}, "prior is HierarchicalPrior"),
    ],
)
def test_settings_refused(fake, options, message):
    with pytest.raises(bc.InputError, match=message):
        fitted(simulated(), **options)
