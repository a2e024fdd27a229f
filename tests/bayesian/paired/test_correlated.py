"""The correlated t test: published values, brute force, SciPy, symmetries, edges."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

import bayescmp as bc
from bayescmp.bayesian import correlated_t
from bayescmp.bayesian.paired.correlated import decide_each_dataset, read_dataset
from tests.reference.tables import TABLES
from tests.rows import each_row


def test_density_cdf_and_quantiles_are_scipys():
    posterior = correlated_t([0.1, 0.3, -0.2, 0.4, 0.25], rho=0.2, rope=0.1)
    x = np.linspace(-1, 1, 21)
    c = 1 / 5 + 0.2 / 0.8
    t = stats.t(4, 0.17, np.sqrt(c * np.var([0.1, 0.3, -0.2, 0.4, 0.25], ddof=1)))
    assert posterior.pdf(x) == pytest.approx(t.pdf(x), rel=1e-12)
    assert posterior.cdf(x) == pytest.approx(t.cdf(x), rel=1e-12)
    p = np.array([0.001, 0.025, 0.3, 0.5, 0.8, 0.999])
    assert posterior.quantile(p) == pytest.approx(t.ppf(p), rel=1e-9)
    assert posterior.hdi(0.9) == pytest.approx(t.interval(0.9), rel=1e-9)
    assert posterior.summary().loc["delta", "sd"] == pytest.approx(t.std(), rel=1e-12)
    grid, y = posterior.density()
    assert y == pytest.approx(t.pdf(grid), rel=1e-12)


def test_draws_follow_the_density_and_the_seed():
    posterior = correlated_t([0.1, 0.3, -0.2, 0.4, 0.25], rho=0.2, rope=0.1, seed=5)
    draws = posterior.draws["delta"]
    t = stats.t(posterior.df, posterior.location, posterior.scale)
    assert draws.shape == (4, 2500)
    assert stats.kstest(draws.ravel(), t.cdf).pvalue > 1e-3
    again = correlated_t([0.1, 0.3, -0.2, 0.4, 0.25], rho=0.2, rope=0.1, seed=5)
    assert np.array_equal(again.draws["delta"], draws)


def test_bad_quantiles():
    posterior = correlated_t([0.1, 0.2], rho=0.1, rope=0.01)
    with pytest.raises(bc.InputError, match="probabilities"):
        posterior.quantile(1.5)
    with pytest.raises(bc.InputError, match="prob must be"):
        posterior.hdi(1)
    with pytest.raises(bc.InputError, match="widths"):
        posterior.rope_curve([-1])


PUBLISHED = {
    case["name"]: case
    for case in json.loads(
        (Path(__file__).parents[2] / "reference" / "paired_published.json").read_text()
    )["cases"]
}


def expected(name):
    return PUBLISHED[name]["expected"]


def p_of(posterior, rope=None):
    v = posterior.verdict_without_limits(rope)
    return [v.p_left, v.p_rope, v.p_right]


@pytest.fixture(scope="module")
def uci54(reference_dir):
    return pd.read_csv(reference_dir / "accuracy_10x10cv_uci54.csv")


def folds(frame, dataset, algorithm):
    rows = frame[(frame.dataset_id == dataset) & (frame.algorithm == algorithm)]
    return rows.sort_values(["repeat", "fold"])["accuracy"].to_numpy()


def differences(frame, dataset, first, second):
    return folds(frame, dataset, second) - folds(frame, dataset, first)


# Published values.


def test_two_sided_p_values_of_54_data_sets(uci54):
    """With a flat prior, twice the smaller tail is the corrected t test's p."""
    case = PUBLISHED["corr_t_pvalues_nbc_aode_54"]
    tails = [
        p_of(correlated_t(differences(uci54, i, "nbc", "aode"), rho=0.1, rope=0))
        for i in range(1, 55)
    ]
    p = [2 * min(left, right) for left, _, right in tails]
    assert p == pytest.approx(case["expected"]["p"], abs=case["tolerance"])


def test_posteriors_of_the_tutorial(uci54):
    for dataset in [17, 9, 2]:
        case = PUBLISHED[f"bayes_corr_t_posterior_nbc_aode_ds{dataset}"]
        published, tolerance = case["expected"], case["tolerance"]
        posterior = correlated_t(differences(uci54, dataset, "aode", "nbc"), rho=0.1, rope=0)
        assert posterior.df == 99
        assert posterior.location == pytest.approx(
            published["posterior_mean"], abs=tolerance["posterior_mean"]
        )
        assert posterior.scale == pytest.approx(
            published["posterior_scale"], abs=tolerance["posterior_scale"]
        )
        assert posterior.hdi() == pytest.approx(published["ci95"], abs=tolerance["ci95"])
        left, _, right = p_of(posterior)
        assert 2 * min(left, right) == pytest.approx(
            published["p_two_sided"], abs=tolerance["p_two_sided"]
        )


def test_sixteen_scores_of_one_data_set(uci54):
    published = expected("corr_t_subset_ds17_last16")
    posterior = correlated_t(differences(uci54, 17, "aode", "nbc")[84:], rho=0.1, rope=0)
    assert (posterior.location, posterior.scale) == pytest.approx(
        (published["mean"], published["scale"]), abs=1e-9
    )
    assert posterior.df == published["df"]
    assert posterior.hdi() == pytest.approx(published["ci95"], abs=1e-9)
    assert 2 * min(p_of(posterior)[::2]) == pytest.approx(published["p"], abs=1e-9)


def test_rope_on_anneal_to_the_last_digit():
    """The notebook's accuracies are percentages rounded to two decimals: their statistics."""
    n, mean, ss = pd.read_csv(TABLES / "anneal_two_decimals.csv").iloc[0]
    x = mean + np.sqrt(ss / n) * np.tile([-1, 1], int(n) // 2)
    published = expected("bayes_corr_t_rope_anneal_2dec")
    assert p_of(correlated_t(x, rho=0.1, rope=0.01)) == pytest.approx(
        [published["p_left_aode"], published["p_rope"], published["p_right_nbc"]], abs=1e-12
    )


def test_rope_on_squash_unstored(uci54):
    published = expected("bayes_corr_t_rope_squash_unstored")
    posterior = correlated_t(differences(uci54, 46, "aode", "nbc"), rho=0.1, rope=0.01)
    assert (posterior.location, posterior.scale) == pytest.approx(
        (published["mean"], published["scale"]), abs=1e-7
    )
    assert p_of(posterior) == pytest.approx(published["probs_left_rope_right"], abs=6e-4)


def test_decisions_on_54_data_sets(uci54):
    for pair in list(expected("corr_t_decision_counts_pairs")):
        first, second = pair.split("-")
        not_rejected = equivalent = 0
        for i in range(1, 55):
            x = differences(uci54, i, first, second)
            posterior = correlated_t(
                x, rho=0.1, rope=0.01, resolution=0.01
            )  # some rows are all zero
            left, _, right = p_of(posterior, 0)
            if 2 * min(left, right) > 0.05:
                not_rejected += 1
                equivalent += posterior.verdict().p_rope > 0.95
        published = expected("corr_t_decision_counts_pairs")[pair]
        assert [not_rejected, equivalent, not_rejected - equivalent] == published


def test_all_data_sets_at_once_are_each_alone():
    rows = np.random.default_rng(3).normal(0.01, 0.02, (4, 6)).tolist()
    x = bc.Differences([*rows, [0.02] * 3, [0.0] * 5], rho=0.2, resolution=[0.01] * 5 + [0.05])
    for rope in (0.01, None, (-0.01, np.inf)):
        verdicts = decide_each_dataset(x, rope=rope, threshold=0.9)
        for dataset, verdict in zip(x.datasets, verdicts, strict=True):
            one = correlated_t(x.row(dataset), rope=rope).verdict(threshold=0.9)
            assert list(verdict.probabilities.values()) == pytest.approx(
                list(one.probabilities.values()), abs=1e-14
            )
            assert (verdict.decision, verdict.cause, verdict.resampling, verdict.evidence) == (
                one.decision,
                one.cause,
                one.resampling,
                one.evidence,
            )


def test_baycomp_documentation(uci54):
    published = expected("baycomp_docs_single_nbc_j48")
    x = 100 * differences(uci54, 41, "nbc", "j48")[:10]
    left, _, right = p_of(correlated_t(x, rho=0.1, rope=0))
    assert [left, right] == pytest.approx(published["no_rope"], abs=1e-12)
    assert p_of(correlated_t(x, rho=0.1, rope=0.5)) == pytest.approx(
        published["rope_0_5"], abs=1e-12
    )


def test_baycomp_statistics():
    published = expected("baycomp_unit_compute_statistics")
    posterior = correlated_t(np.array([5, 7, 3]) - [4, 2, 6], rho=1 / 3, rope=0)
    assert (posterior.location, posterior.scale**2, posterior.df) == pytest.approx(
        (published["mean"], published["var"], published["df"]), abs=1e-12
    )


# Independent computations.


def test_brute_force_integration_of_the_model():
    """The joint posterior of (δ, σ) from the multivariate normal density, on a grid of both."""
    for n, rho in [(3, 0.5), (10, 0.1), (25, 0.0)]:
        x = np.random.default_rng(n).normal(0.4, 1.0, n)
        correlation = (1 - rho) * np.eye(n) + rho
        u = np.linspace(-9, 9, 4001)  # δ = sinh u: the tails of t_2 reach far
        residual = x - np.sinh(u)[:, None]
        form = np.einsum("di,ij,dj->d", residual, np.linalg.inv(correlation), residual)
        log_sigma = np.linspace(-6, 12, 1501)  # p(σ) ∝ 1/σ is flat in log σ
        joint = np.exp(-n * log_sigma - form[:, None] * np.exp(-2 * log_sigma) / 2)
        area = integrate.cumulative_trapezoid(joint.sum(axis=1) * np.cosh(u), u, initial=0)
        posterior = correlated_t(x, rho=rho, rope=0.25)
        for end in (-0.25, 0.0, 0.25, 1.0):
            below = np.interp(np.arcsinh(end), u, area / area[-1])
            assert posterior.cdf(end) == pytest.approx(below, abs=2e-5)


# Symmetries.

#: Some row is not zero; what becomes of zeros is tested below.
ROWS = (
    st.lists(st.integers(-40, 40), min_size=2, max_size=30)
    .map(lambda v: np.array(v) / 100)
    .filter(np.any)
)
RHO = st.floats(0, 0.9)
ROPE = st.floats(0, 0.2)


@given(ROWS, RHO, ROPE)
def test_swap_order_sum(x, rho, rope):
    left, inside, right = p_of(correlated_t(x, rho=rho, rope=rope))
    assert left + inside + right == pytest.approx(1, abs=1e-12)
    assert p_of(correlated_t(-x, rho=rho, rope=rope)) == pytest.approx(
        [right, inside, left], abs=1e-12
    )
    assert p_of(correlated_t(x[::-1], rho=rho, rope=rope)) == pytest.approx(
        [left, inside, right], abs=1e-9
    )


@given(ROWS, RHO, st.lists(ROPE, min_size=2, max_size=5).map(sorted))
def test_a_wider_rope_takes_from_both_sides(x, rho, widths):
    curve = correlated_t(x, rho=rho, rope=0.01).rope_curve(widths)
    assert (np.diff(curve["p_rope"]) >= -1e-12).all()
    assert (np.diff(curve["p_left"]) <= 1e-12).all()
    assert (np.diff(curve["p_right"]) <= 1e-12).all()


def test_asymmetric_rope():
    posterior = correlated_t([0.1, 0.3, -0.2], rho=0.2, rope=(-0.1, 0.3))
    low, high = posterior.cdf([-0.1, 0.3])
    assert p_of(posterior) == pytest.approx([low, high - low, 1 - high])


# Equal differences.


def test_equal_differences_show_a_step_of_their_own_size():
    """A common difference d is a multiple of the step, which is d at most: n·d²/12."""
    for value, rope in [(0.02, 0.01), (-0.02, 0.0), (0.01, 0.01)]:
        posterior = correlated_t(np.full(10, value), rho=0.1, rope=rope)
        scale = np.sqrt((0.1 + 0.1 / 0.9) * 10 * value**2 / 12 / 9)
        t = stats.t(9, value, scale)
        low, high = t.cdf(-rope), t.cdf(rope)
        assert p_of(posterior) == pytest.approx([low, high - low, 1 - high], abs=1e-12)
        assert "as seen, h = " in posterior.notes[0]


def test_two_equal_folds_do_not_decide():
    """P(right) was 1, with odds over 1e15; scale √(3/2 · 0.02²/6) = 0.01, and t_1 at 1 is 3/4."""
    v = correlated_t([0.02, 0.02], rho=0.5, rope=0.01).verdict()
    assert v.p_right == pytest.approx(0.75, abs=1e-12)
    assert v.decision == "undecided"


def test_zeros_take_the_ropes_width_and_say_so():
    with pytest.warns(bc.DiagnosticWarning, match=r"nothing indicates.*h = 0.02. Give resolution"):
        posterior = correlated_t(np.zeros(10), rho=0.1, rope=0.01)
    t = stats.t(9, 0, np.sqrt((0.1 + 0.1 / 0.9) * 10 * 0.02**2 / 12 / 9))
    assert posterior.verdict().p_rope == pytest.approx(1 - 2 * t.sf(0.01), abs=1e-12)
    assert posterior.hdi() == pytest.approx(t.interval(0.95), rel=1e-9)


def test_a_verdict_of_zeros_under_another_rope_is_that_of_a_fit_with_it(tmp_path):
    with pytest.warns(bc.DiagnosticWarning, match="nothing indicates"):
        wide, narrow = (correlated_t(np.zeros(3), rho=0.1, rope=r) for r in (0.02, (0, 0.001)))
    bare = correlated_t(np.zeros(3), rho=0.1, rope=0)
    wide.save(tmp_path / "p.npz")
    for posterior in (wide, bare, bc.load(tmp_path / "p.npz")):
        assert p_of(posterior, (0, 0.001)) == p_of(narrow)
        assert p_of(posterior, 0) == [0.5, 0, 0.5]


def test_zeros_without_a_rope_are_a_point():
    posterior = correlated_t(np.zeros(10), rho=0.1, rope=0)
    assert p_of(posterior) == [0.5, 0, 0.5]
    assert "all mass is on one point" in posterior.notes[0]
    assert posterior.hdi() == (0, 0)
    assert posterior.draws["delta"] == pytest.approx(0)
    assert posterior.cdf([-1e-9, 0, 1]).tolist() == [0, 1, 1]
    x, spike = posterior.density()
    assert integrate.trapezoid(spike, x) == pytest.approx(1)
    with pytest.raises(bc.InputError, match="point"):
        posterior.pdf(0)


def test_equal_differences_with_a_resolution_have_its_rounding_spread():
    """A sum of n rounding errors uniform on ±h/2: n·h²/12."""
    h = 0.02
    posterior = correlated_t(np.zeros(10), rho=0.1, rope=0.01, resolution=h)
    c = 0.1 + 0.1 / 0.9
    assert posterior.scale == pytest.approx(np.sqrt(c * 10 * h**2 / 12 / 9))
    assert f"h = {h}" in posterior.notes[0]
    again = correlated_t(bc.Differences([[0.0] * 10], rho=0.1, resolution=h), rope=0.01)
    assert again.scale == posterior.scale


# Input and output.


@each_row(
    ("x", "options", "message"),
    [
        ([[0.1, 0.2], [0.1, 0.3]], {}, r"one data set for this test \(got 2\).*x\.row\(name\)"),
        ([0.1], {}, r"x must have at least 2 folds on a data set \(got 1 on '1'\)"),
        ([0.1, np.nan], {}, r"x must be finite \(got nan"),
        ([], {}, "x must be"),
        ([0.1, 0.2], {"rho": None}, "rho must be given"),
        ([0.1, 0.2], {"rho": 1.0}, "rho must be"),
        ([0.1, 0.2], {"rope": -1}, "rope must be"),
        ([0.1, 0.2], {"resolution": 0}, "resolution must be"),
        ([0.1, 0.2], {"seed": -1}, "seed must be"),
    ],
)
def test_bad_input(x, options, message):
    with pytest.raises(bc.InputError, match=message):
        correlated_t(x, **{"rho": 0.1, "rope": 0.01, **options})


def test_arviz_gets_draws():
    posterior = correlated_t([0.1, 0.3, -0.2], rho=0.2, rope=0.1, seed=1)
    assert posterior.to_arviz()["posterior"]["delta"].shape == (4, 2500)


def test_explain_speaks_of_this_data_set():
    d = bc.Differences(
        [[0.1, 0.2, 0.15]], rho=0.1, names=("knn", "gbm"), datasets=["iris"], metric="auc"
    )
    text = correlated_t(d, rope=0.01).verdict().explain("paper")
    for part in (
        "mean difference on the data set iris",
        "±0.01",
        "auc",
        "0.95",
        "∝ 1/σ",
        "Corani & Benavoli 2015",
    ):
        assert part in text
    assert "new data set" not in text
    bare = correlated_t([0.1, 0.2], rho=0.1, rope=0).verdict().explain("paper")
    assert "on this data set" in bare
    before, after = bare.split(" for any ROPE of at least ")
    assert "practically" not in before.removesuffix("The two are practically equivalent")
    assert "practically" not in after


@given(ROWS, RHO, ROPE, ROPE)
def test_a_verdict_under_another_rope_is_that_of_a_fit_with_it(x, rho, own, other):
    asked, fitted = (correlated_t(x, rho=rho, rope=r, seed=1) for r in (own, other))
    assert asked.verdict(other) == fitted.verdict()


# Reading one data set.


def test_bare_numbers_have_no_name_and_differences_do():
    x = [0.1, 0.2, 0.4]
    named = bc.Differences([x], rho=0.1, datasets=["iris"])
    assert correlated_t(x, rho=0.1, rope=0.1).dataset == ""
    assert correlated_t(named, rope=0.1).dataset == "iris"


def test_options_override_those_of_differences():
    named = bc.Differences([[0.1, 0.2]], rho=0.1, names=("a", "b"), resolution=0.05)
    d = read_dataset(named, 0.3, ("b", "a"), 0.01)
    assert (d.rho[0], d.names, d.resolution[0]) == (0.3, ("b", "a"), 0.01)
    assert d.x[0].tolist() == [-0.1, -0.2]
    d = read_dataset(named, None, None, None)
    assert (d.rho[0], d.names, d.resolution[0]) == (0.1, ("a", "b"), 0.05)


@each_row(
    ("x", "least", "message"),
    [
        ([[0.1, 0.2], [0.3, 0.4]], 2, r"one data set for this test \(got 2\).*x\.row\(name\)"),
        ([0.1], 2, r"x must have at least 2 folds on a data set \(got 1 on '1'\)"),
        ([0.1, 0.2], 3, r"x must have at least 3 folds on a data set \(got 2 on '1'\)"),
    ],
)
def test_what_is_refused(x, least, message):
    with pytest.raises(bc.InputError, match=message):
        read_dataset(x, 0.1, None, None, least)
