"""The hierarchical correlated t test: data for the engine, results, symmetries, errors."""

import re
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescmp as bc
from bayescmp import load
from bayescmp.bayesian import HierarchicalPrior, hierarchical_t
from bayescmp.bayesian.hierarchical import answers
from bayescmp.bayesian.hierarchical.fit import (
    LEVEL,
    find_misfits,
    fold_tails,
    means_against_replicates,
)
from bayescmp.bayesian.hierarchical.problem import pose
from bayescmp.engines import base
from bayescmp.engines.quadrature import solve
from bayescmp.scores.differences import Differences
from bayescmp.scores.rope import Rope, as_rope
from bayescmp.study.planning.deciding import TrueDifferences
from tests.bayesian.hierarchical.data import by_grid, probabilities, simulated
from tests.rows import each_row

PRESETS = {
    "corani2017": HierarchicalPrior.corani2017(),
    "benavoli2017": HierarchicalPrior.benavoli2017(),
}


def test_an_answer_that_hangs_on_the_resolution_is_said_to():
    """Eight equal rows of twenty: the smaller their spread, the more they draw sigma0 to zero."""
    x = simulated(q=20, n=100, location=0.02, spread=0.02)
    x[:8] = 0.0
    with pytest.warns(bc.DiagnosticWarning, match="depends on it: at h/10"):
        posterior = by_grid(x, rho=0.1, rope=0.01, resolution=0.01)
    assert "depends on it" in posterior.notes[-1]


@each_row("q", [2, 5])
@each_row("rope", [0.01, 0])
def test_few_data_sets_say_the_verdict_under_the_other_preset(q, rope):
    d = bc.Differences(simulated(q=q), rho=0.1, names=("knn", "gbm"))
    fit = by_grid(d, rope=rope)
    other = by_grid(d, rope=rope, prior=PRESETS["benavoli2017"])
    for posterior, name, p in (
        (fit, "benavoli2017", probabilities(other)),
        (other, "corani2017", probabilities(fit)),
    ):
        (note,) = posterior.notes
        assert f"under {name} the probabilities are" in note
        stated = [float(v) for v in re.findall(r"\d\.\d{3}", note)]
        assert stated == pytest.approx(p if rope else p[[0, 2]], abs=5.1e-4)
        assert "(gbm better)" in note
        assert note in " ".join(str(posterior).split())


def test_of_a_one_sided_rope_the_note_has_its_two_regions():
    d, worse = bc.Differences(simulated(q=4), rho=0.1, names=("knn", "gbm")), (-0.01, np.inf)
    (note,) = by_grid(d, rope=worse).notes
    p = probabilities(by_grid(d, rope=worse, prior=PRESETS["benavoli2017"]))
    assert note.endswith(f"{p[0]:.3f} (gbm worse), {p[1]:.3f} (gbm not worse)")


def test_a_prior_of_ones_own_is_set_beside_both_presets():
    prior = HierarchicalPrior(alpha=(2, 2), beta=(0.1, 0.1))
    (note,) = by_grid(simulated(q=4), rho=0.1, rope=0.01, prior=prior).notes
    assert note.startswith("four data sets: the answer may still depend on the prior")
    for name in PRESETS:
        assert f"under {name} the probabilities are" in note


def test_a_probability_beside_another_prior_is_never_zero():
    x = [[0.10, 0.12, 0.09, 0.11], [0.11, 0.09, 0.12, 0.10]]
    (note,) = by_grid(x, rho=0.25, rope=0.01).notes
    assert "<0.001 (equivalent)" in note
    assert "0.000" not in note


def test_six_data_sets_need_no_such_note():
    assert by_grid(simulated(q=6), rho=0.1, rope=0.01).notes == ()


def test_a_resolution_on_which_nothing_hangs_is_named():
    x = simulated(q=12)
    x[0] = 0.0
    (note,) = by_grid(x, rho=0.1, rope=0.01, resolution=0.02).notes
    assert "1 data set with all differences equal (1)" in note
    assert "h = 0.02" in note
    assert np.isfinite(probabilities(by_grid(x, rho=0.1, rope=0.01, resolution=0.02))).all()


@pytest.fixture
def solves(monkeypatch):
    """Each problem that is solved."""
    problems = []

    def counted(problem, settings=None):
        problems.append(problem)
        return solve(problem, settings=settings)

    monkeypatch.setattr(base, "solve", counted)
    monkeypatch.setattr(answers, "solve", counted)
    return problems


def test_a_constant_row_on_which_nothing_hangs_costs_no_further_solve(solves):
    """A tenth of the resolution is asked of the grid that is there."""
    x = simulated(q=12)
    x[0] = 0.0
    by_grid(x, rho=0.1, rope=0.01, resolution=0.02)
    assert len(solves) == 1


def test_where_the_answer_may_hang_on_the_resolution_a_tenth_is_solved(solves):
    x = simulated(q=20, n=100, location=0.02, spread=0.02)
    x[:8] = 0.0
    with pytest.warns(bc.DiagnosticWarning, match="at h/10"):
        by_grid(x, rho=0.1, rope=0.01, resolution=0.01)
    one, tenth = solves
    np.testing.assert_allclose(np.sort(tenth.ss / one.ss), [0.01] * 8 + [1] * 12)


SOUND = TrueDifferences(0.005, 0.02, 10.0, 0.03, 0.1, 10)


def sound(q, seed):
    return np.array(SOUND.simulate(q, [seed]).x)


def fitted(x):
    names = [f"d{i + 1}" for i in range(len(x))]
    return hierarchical_t(
        Differences(x, rho=0.1, datasets=names), rope=0.01, engine="quadrature", seed=1
    )


def test_tails_of_folds_are_those_of_their_kurtosis():
    d = Differences(sound(6, 1), rho=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy, of fewer than 20
        z = [stats.kurtosistest(row).statistic for row in d.x]
    wanted = stats.norm.sf(np.sum(z) / np.sqrt(6))
    p, excess = fold_tails(d, np.zeros(6, bool))
    assert p == pytest.approx(wanted)
    normal = 3 * 9 / 11  # the expectation of ten normal folds
    assert excess == pytest.approx(np.mean(stats.kurtosis(d.x, axis=1, fisher=False)) - normal)
    few = Differences(sound(6, 1)[:, :4], rho=0.1)
    assert fold_tails(few, np.zeros(6, bool)) == (1, 0)
    assert fold_tails(d, np.ones(6, bool)) == (1, 0)  # nothing varies


def test_means_are_compared_with_replicates_of_the_model():
    """Of means that are replicates themselves the probability is uniform."""
    upper = {
        "delta0": np.full(1000, 0.005),
        "sigma0": np.full(1000, 0.02),
        "nu": np.full(1000, 10.0),
    }
    low = []
    for seed in range(200):
        problem = pose(
            SOUND.simulate(12, [seed]), HierarchicalPrior.corani2017(), Rope(-0.01, 0.01)
        )
        low.append(means_against_replicates(problem, upper)[2])
    assert stats.kstest(low, "uniform").pvalue > 1e-3


def test_what_is_seen():
    x = sound(20, 2)
    assert fitted(x).diagnostics.misfit == ()
    out, clusters = x.copy(), x.copy()
    out[3] += 0.8
    clusters[::2] += 0.3
    assert fitted(out).diagnostics.misfit == ("data set d4 lies far from the others",)
    assert "the data sets' mean differences fall into clusters" in (
        fitted(clusters).diagnostics.misfit
    )
    rng = np.random.default_rng(3)
    tails = x + 0.03 * rng.standard_t(1.5, x.shape)
    assert fitted(tails).diagnostics.misfit[0].startswith("folds have heavier tails")


def test_few_data_sets_have_no_shape():
    posterior = fitted(sound(5, 1))
    assert means_against_replicates(posterior.problem, posterior.upper_draws)[1:] == (1, 1)


def test_data_sets_that_tie_have_no_shape():
    for rounding in [0.0, 1e-17]:
        x = sound(8, 1)
        tied = x - x.mean(axis=1, keepdims=True) + 0.005 + rounding * np.arange(8)[:, None]
        posterior = fitted(tied)
        assert means_against_replicates(posterior.problem, posterior.upper_draws)[1:] == (1, 1)


def test_it_is_printed_and_saved_and_fails_nothing(tmp_path):
    x = sound(20, 2)
    x[3] += 0.8
    posterior = fitted(x)
    assert posterior.diagnostics.ok
    assert "data set d4 lies far from the others" in " ".join(str(posterior).split())
    posterior.save(tmp_path / "posterior.npz")
    assert load(tmp_path / "posterior.npz").diagnostics == posterior.diagnostics


@pytest.mark.calibration
def test_false_alarms():
    """Of 1,000 sound problems at most 5% set off any check, up to two standard errors."""
    alarms = []
    for seed in range(1000):
        q = (10, 20, 54)[seed % 3]
        d = SOUND.simulate(q, [seed])
        posterior = hierarchical_t(d, rope=0.01, engine="quadrature", seed=1)
        alarms.append(bool(find_misfits(d, posterior.problem, posterior.upper_draws)))
    print(f"false alarms: {np.mean(alarms):.3f} of 1,000, level {LEVEL} a check")
    assert np.mean(alarms) < 0.05 + 2 * np.sqrt(0.05 * 0.95 / 1000)


@pytest.fixture(scope="module")
def posterior():
    return by_grid(simulated(), rho=0.1, rope=0.01, seed=5, names=("knn", "gbm"))


def test_bare_arrays_and_differences_are_the_same(posterior):
    d = bc.Differences(simulated(), rho=0.1, names=("knn", "gbm"))
    assert np.array_equal(probabilities(by_grid(d, rope=0.01)), probabilities(posterior))


few = settings(max_examples=4)


@few
@given(st.integers(0, 10**6), st.integers(3, 30), st.sampled_from([0.0, 0.01, (-0.02, 0.005)]))
def test_swapping_the_algorithms_swaps_left_and_right(seed, q, rope):
    d = bc.Differences(simulated(q=q, seed=seed), rho=0.1)
    forward = by_grid(d, rope=rope, seed=1).verdict()
    back = by_grid(d.swapped(), rope=as_rope(rope).swapped(), seed=1).verdict()
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
    first = by_grid(bc.Differences(x, rho=0.1, datasets=names), rope=0.01, seed=1)
    shuffled = bc.Differences(x[order], rho=0.1, datasets=[names[i] for i in order])
    second = by_grid(shuffled, rope=0.01, seed=1)
    assert probabilities(second) == pytest.approx(probabilities(first), abs=1e-9)
    one, other = first.by_dataset()["mean"], second.by_dataset()["mean"]
    assert one[names].to_numpy() == pytest.approx(other[names].to_numpy(), abs=1e-9)


@few
@given(st.integers(0, 10**6))
def test_the_order_of_folds_changes_nothing(seed):
    """But for the rounding of sums, which may move a node of the grid."""
    x = simulated(seed=seed)
    first, second = (by_grid(y, rho=0.1, rope=0.01) for y in (x, x[:, ::-1]))
    assert probabilities(second) == pytest.approx(probabilities(first), abs=1e-5)


def test_seeds():
    draws = [
        by_grid(simulated(), rho=0.1, rope=0.01, seed=s).draws["delta"]
        for s in (3, 3, 4, np.random.default_rng(1), np.random.default_rng(1))
    ]
    assert np.array_equal(draws[0], draws[1])
    assert not np.array_equal(draws[0], draws[2])
    assert np.array_equal(draws[3], draws[4])
    with pytest.raises(bc.InputError, match="seed must be"):
        by_grid(simulated(), rho=0.1, rope=0.01, seed="x")


def test_priors_are_named_in_results():
    x = simulated()
    for prior in (HierarchicalPrior.corani2017(), HierarchicalPrior.benavoli2017()):
        assert prior.name in by_grid(x, rho=0.1, rope=0.01, prior=prior).verdict().prior


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
    exact = by_grid(simulated(q=2), rho=0.1, rope=0.01)
    assert "driven by the prior" in exact.notes[0]


def test_one_data_set_points_to_the_test_for_one():
    with pytest.raises(bc.InputError, match=r"at least two data sets.*\(got 1\)\..*correlated_t"):
        by_grid(simulated(q=1), rho=0.1, rope=0.01)


def test_single_differences_point_to_signed_rank():
    with pytest.raises(
        bc.InputError, match=r"x must .*single difference for '2', 1 in all.*signed_rank"
    ):
        by_grid([[0.1, 0.2], [0.3]], rho=0.1, rope=0.01)


@each_row(
    ("options", "message"),
    [
        ({"rope": -0.01}, "rope must .*got -0.01"),
        ({"rho": None}, "rho must be given"),
        ({"rho": 1.0}, r"rho must be at least 0"),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(bc.InputError, match=message):
        hierarchical_t(simulated(), **{"rho": 0.1, "rope": 0.01, **options})


def test_a_prior_by_its_name_is_refused():
    with pytest.raises(bc.InputError, match=r"prior must be a HierarchicalPrior.*benavoli2017"):
        by_grid([[0.1, 0.2, 0.3]] * 2, rho=0.1, rope=0.01, prior="benavoli2017")


def test_settings_of_the_sampler_are_checked():
    for option, value in [("chains", 0), ("warmup", 1.5), ("draws", "many"), ("adapt_delta", 1.0)]:
        for test, x in (
            (bc.bayesian.hierarchical_t, [[0.1, 0.2, 0.3]] * 2),
            (bc.bayesian.robust_t, [0.1, 0.2, 0.4]),
        ):
            with pytest.raises(bc.InputError, match=f"{option} must be"):
                test(x, rho=0.1, rope=0.01, **{option: value})


@few
@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(0, 3))
def test_a_verdict_under_another_rope_is_that_of_a_fit_with_it(seed, q, constant):
    """Also with rows whose differences are all equal."""
    x = np.round(simulated(q=q, seed=seed), 2)
    x[: min(constant, q - 1)] = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)  # it may hang on the resolution
        asked, fitted = (by_grid(x, rho=0.1, rope=r, seed=1) for r in (0.01, 0.03))
    assert probabilities(asked, 0.03) == pytest.approx(probabilities(fitted), abs=1e-12)


@few
@given(st.integers(0, 10**6), st.integers(3, 12))
def test_equivalence_gains_as_the_rope_widens(seed, q):
    curve = by_grid(simulated(q=q, seed=seed), rho=0.1, rope=0.01).rope_curve(
        [0, 0.005, 0.02, 0.1]
    )
    assert (np.diff(curve["p_rope"]) >= -1e-9).all()


@few
@given(st.integers(0, 10**6), st.sampled_from([1e-6, 100.0, 1e6]))
def test_units_do_not_matter_to_constant_rows(seed, c):
    x = np.round(simulated(q=6, seed=seed), 2)
    x[:2] = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)  # it may hang on the resolution
        first = by_grid(x, rho=0.1, rope=0.01)
        second = by_grid(x * c, rho=0.1, rope=0.01 * c)
    assert probabilities(second) == pytest.approx(probabilities(first), abs=1e-6)
