"""What `multivariate_t` reads and refuses; dependent and constant metrics."""

import math
import warnings
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import correlated_t, groups, multivariate_t
from bayescmp.bayesian.multivariate.base import (
    ErrorSubspace,
    MetricSteps,
    as_matrix,
    as_names,
    direction_of,
)
from bayescmp.bayesian.multivariate.fit import decide_all_pairs
from bayescmp.bayesian.regions import MultivariateT
from bayescmp.scores.rope import as_ropes
from tests.bayesian.multivariate.cases import folds, probabilities
from tests.rows import each_row


def test_dependent_metrics_live_on_a_subspace_and_say_so():
    rng = np.random.default_rng(2)
    tp, fp = rng.integers(-3, 4, 20), rng.integers(-3, 5, 20)
    # of the same items fn falls by as much as tp rises; lower is better for fn and fp
    counts = np.c_[tp, tp, -fp, -fp].astype(float)
    names = ("tp", "fn", "fp", "tn")
    post = multivariate_t(counts, rho=0.1, rope=0.4, metrics=names, seed=1)
    assert (post.rank, post.df) == (2, 18)
    assert any("linear combination" in note for note in post.notes)
    assert any("subspace of dimension 2 of 4" in note for note in post.notes)
    two = multivariate_t(counts[:, [0, 3]], rho=0.1, rope=0.4, seed=1)
    np.testing.assert_allclose(probabilities(post), probabilities(two), atol=1e-5)
    # the verdict is over all four: another rope for fn alone changes it
    wider = probabilities(post, rope={"tp": 2, "fn": 0.4, "fp": 0.4, "tn": 0.4})
    np.testing.assert_allclose(wider, probabilities(two), atol=1e-5)
    assert np.all(post.contains(post.draws["delta"][0, :200], 0.999999))
    off = post.location + np.array([1.0, 0, 0, 0])
    assert not post.contains(off, 0.999999)


def test_the_rank_does_not_depend_on_units():
    x = folds(4, 20, 2)
    dependent = np.c_[x, x @ [1.0, -2.0]]
    for units in ([1, 1, 1], [1e-6, 1, 1e6], [100, 1e-4, 1]):
        assert multivariate_t(dependent * units, rho=0.1, rope=0).rank == 2
        assert multivariate_t(np.c_[x, x[::-1, 0]] * units, rho=0.1, rope=0).rank == 3


def test_a_constant_metric_gets_its_resolution_as_in_the_correlated_t_test():
    x = np.c_[folds(1, 10, 1), np.full(10, 0.02)]
    spread = multivariate_t(x, rho=0.1, rope=0.01, resolution=[math.nan, 0.01])
    alone = correlated_t(x[:, 1], rho=0.1, rope=0.01, resolution=0.01)
    # one degree of freedom less, the same scatter n h²/12
    assert spread.marginal("m2").scale * math.sqrt(8) == pytest.approx(alone.scale * math.sqrt(9))
    assert spread.scale[0, 1] == 0
    single = multivariate_t(np.full(10, 0.02), rho=0.1, rope=0.01, resolution=0.01)
    assert single.scale[0, 0] == pytest.approx(alone.scale**2)
    assert single.df == alone.df


def test_all_pairs_together_are_each_by_itself():
    for p, dependent in [(1, False), (2, False), (3, False), (3, True)]:
        x = np.random.default_rng(p).normal(0.8, 0.05, (4, 9, p)).round(3)
        x[3] = x[2] + 0.02  # of these two no difference varies
        if dependent:
            x[..., 2] = x[..., 0] + x[..., 1]
        lower, ropes = [True, *[False] * (p - 1)], [(-0.02, 0.01)] * p
        blocks = bc.Blocks(x, rho=0.1, metrics=["rmse", "auc", "f1"][:p], lower_is_better=lower)
        verdicts = decide_all_pairs(blocks, rope=ropes, seed=1, threshold=0.7)
        for pair, verdict in zip(combinations(blocks.algorithms, 2), verdicts, strict=True):
            alone = multivariate_t(blocks.pair(*pair), rope=ropes, seed=1)
            alone = alone.verdict(threshold=0.7)
            assert verdict.names == pair
            assert verdict.explain("paper") == alone.explain("paper")
            assert verdict.probabilities == pytest.approx(alone.probabilities, rel=1e-9, abs=1e-13)
            assert verdict.errors == pytest.approx(alone.errors, rel=1e-9)
            assert verdict.floor == pytest.approx(alone.floor, rel=1e-9)


def test_without_a_resolution_it_is_the_smallest_step_of_the_scores():
    rng = np.random.default_rng(1)
    x = rng.integers(30, 50, (2, 10, 2)) / 50  # steps of 0.02
    x[1, :, 1] = x[0, :, 1] + 0.1
    blocks = bc.Blocks(x, rho=0.1, metrics=("accuracy", "auc"))
    post = multivariate_t(blocks, rope=0.01)
    declared = multivariate_t(blocks, rope=0.01, resolution=[math.nan, 0.02])
    np.testing.assert_allclose(post.scale, declared.scale, rtol=1e-9)
    assert any("auc are equal: spread from its resolution, h = 0.02" in n for n in post.notes)


def test_where_nothing_tells_a_verdict_is_that_of_a_fit_with_its_rope():
    """At 24bf92b all mass was on one point: certain of what ten equal numbers do not show."""
    for first in [0.01, 0.05]:
        x = np.c_[folds(1, 10, 1), np.full(10, 0.02)]
        fits = {}
        for rope in (0.01, 0.05):
            with pytest.warns(bc.DiagnosticWarning, match="m2 are equal: spread from the ROPE's"):
                fits[rope] = multivariate_t(x, rho=0.1, rope=rope, seed=1)
        other = 0.05 if first == 0.01 else 0.01
        own, asked = fits[first], fits[other]
        verdict = own.verdict(other)
        assert verdict.probabilities == pytest.approx(asked.verdict().probabilities, abs=1e-12)
        alone = own.select(["m2"]).verdict(other)
        again = asked.select(["m2"]).verdict()
        assert alone.probabilities == pytest.approx(again.probabilities, abs=1e-12)
        at_zero = own.rope_curve([0, 1, 2]).loc[0.0]
        assert at_zero["p_first"] + at_zero["p_second"] + at_zero["p_trade_off"] == pytest.approx(
            1
        )


def test_two_equal_differences_are_not_certain():
    """The case of `correlated_t([.02, .02], rho=.5, rope=.01)`, in two metrics."""
    with pytest.warns(bc.DiagnosticWarning, match="give resolution="):
        post = multivariate_t([[0.02], [0.02]], rho=0.5, rope=0.01)
    # t with one degree of freedom, scale h·√(2c/12), h = 0.02, c = 3/2: P(> 0.01)
    expected = stats.t(1, 0.02, 0.02 * math.sqrt(2 * 1.5 / 12)).sf(0.01)
    assert post.verdict().probabilities["second"] == pytest.approx(expected, abs=1e-12)
    with pytest.warns(bc.DiagnosticWarning, match="give resolution="):
        point = multivariate_t([[0.02], [0.02]], rho=0.5, rope=0)
    assert point.verdict().probabilities["second"] == 1
    with pytest.raises(
        bc.InputError, match="rope must be 0 in a metric without spread, as in the fit,"
    ):
        point.verdict(0.01)


def test_from_blocks_lower_is_better_is_flipped():
    rng = np.random.default_rng(1)
    x = rng.uniform(0.1, 0.3, (2, 10, 2))
    x[1, :, 0] += 0.2  # tpr rises: the second is better
    x[1, :, 1] += 0.2  # fpr rises: the second is worse
    blocks = bc.Blocks(
        x, rho=0.1, algorithms=("knn", "gbm"), metrics=("tpr", "fpr"), dataset="iris"
    )
    post = multivariate_t(blocks, rope=0.01)
    assert post.names == ("knn", "gbm")
    assert post.rho == 0.1
    assert post.verdict().decision == "trade-off"
    assert post.location[0] > 0 > post.location[1]
    assert "the data set iris" in post.verdict().explain("paper")
    same = multivariate_t(blocks.differences(0, 1), rho=0.1, rope=0.01)
    np.testing.assert_allclose(same.location, post.location)
    assert multivariate_t(blocks, rope=0.01, metrics=["fpr"]).metrics == ("fpr",)
    frame = pd.DataFrame(blocks.differences(0, 1), columns=["tpr", "fpr"])
    turned = multivariate_t(frame, rho=0.1, rope=0.01, metrics=["fpr", "tpr"])
    assert turned.metrics == ("fpr", "tpr")
    np.testing.assert_allclose(turned.location, post.location[::-1])
    with pytest.raises(bc.InputError, match=r"metric must have different names .*'fpr' twice"):
        multivariate_t(frame, rho=0.1, rope=0.01, metrics=["fpr", "fpr"])
    with pytest.raises(bc.InputError, match="x must have at least 2 folds, and more than metrics"):
        multivariate_t(replace(blocks, x=x[:, :1]), rope=0.01)


def test_nothing_is_sampled_of_what_does_not_vary():
    options = {"rho": 0.1, "rope": 0.1, "noise": "t"}
    with pytest.raises(bc.InputError, match="x must vary in at least one metric"):
        multivariate_t(np.zeros((8, 2)), **options)
    with pytest.raises(bc.InputError, match="x must vary in at least one metric"):
        groups(np.zeros((3, 8)), **options)


@each_row(
    ("x", "options", "message"),
    [
        (np.zeros((5, 2)), {"rho": None}, "rho must be given"),
        (np.zeros((5, 2)), {"rho": 1.0}, "rho must be"),
        (np.zeros((5, 2)), {"rho": [0.1, 0.2]}, "rho"),
        (np.random.default_rng(1).normal(size=(3, 3)), {}, "Drop 1 of"),
        (np.zeros((1, 2)), {}, "x must have at least 2 folds, and more than"),
        (np.zeros((2, 2, 2)), {}, "shape"),
        ([["a", "b"]], {}, "must hold real numbers|shape"),
        (np.zeros((5, 2)), {"metrics": ["a"]}, "2 different names"),
        (np.zeros((5, 2)), {"metrics": ["a", "a"]}, "must have different names .*'a' twice"),
        (np.zeros((5, 2)), {"rope": [0.01] * 3}, "got 3 for 2 metrics"),
        (np.zeros((5, 2)), {"resolution": -1}, "resolution"),
        (
            folds(1),
            {"noise": "t", "engine": "exact"},
            "engine must be a sampler with noise='t', or",
        ),
        (np.zeros((5, 2)), {"seed": -1}, "seed"),
        (
            bc.Blocks(np.zeros((3, 5, 2)), rho=0.1),
            {"rho": None},
            r"x must have two algorithms for multivariate_t \(got 3\).*bayescmp\.bayesian\.groups",
        ),
    ],
)
def test_bad_input(x, options, message):
    with pytest.raises(bc.InputError, match=message):
        multivariate_t(x, **{"rho": 0.1, "rope": 0.01, **options})


def test_frame_columns_name_the_metrics():
    frame = pd.DataFrame(folds(1), columns=["tpr", "fpr"])
    assert multivariate_t(frame, rho=0.1, rope=0).metrics == ("tpr", "fpr")


# A verdict under other ropes is that of a fit with them, also where metrics have no spread.


few = settings(max_examples=8)


def numbers_of(verdict):
    return np.array(list(verdict.probabilities.values()))


@few
@given(
    st.integers(0, 10_000),
    st.integers(1, 3),
    st.integers(0, 2),
    st.sampled_from([0.0, 0.02]),
    st.booleans(),
)
def test_other_ropes_of_two_algorithms(seed, p, constant, at, known):
    """Constant metrics at zero lend their spread from the rope, others from the step seen."""
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(0.01, 0.02, (9, p)), 2)
    x[:, : min(constant, p)] = at
    given_ropes = [np.round(rng.uniform(0.01, 0.05, p), 3) for _ in range(2)]
    options = {"rho": 0.1, "seed": 1} | ({"resolution": 0.01} if known else {})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)  # the rope lends the resolution
        own, other = (multivariate_t(x, rope=list(r), **options) for r in given_ropes)
    asked = own.verdict(list(given_ropes[1]))
    np.testing.assert_allclose(numbers_of(asked), numbers_of(other.verdict()), atol=1e-9)
    for a, b in zip(asked.mean_interval, other.verdict().mean_interval, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)


@few
@given(st.integers(0, 10_000), st.integers(1, 2), st.sampled_from(["equal", "own"]), st.booleans())
def test_other_ropes_of_several_algorithms(seed, p, variances, constant):
    """The last metric has no errors: all algorithms' scores move alike from fold to fold."""
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(0.8, 0.02, (3, 8, p + 1)), 2)
    if constant:
        x[..., -1] = np.round(rng.normal(0.8, 0.02, 8), 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)  # the rope may lend the resolution
        own, other = (
            groups(x, rho=0.1, rope=r, variances=variances, seed=1) for r in (0.01, 0.03)
        )
    for pair in own.pairs:
        asked, wanted = own.verdict(*pair, rope=0.03), other.verdict(*pair)
        np.testing.assert_allclose(numbers_of(asked), numbers_of(wanted), atol=1e-9)


# Weights and names of new metrics, as posteriors of several metrics read them.


NAMES = ("a", "b", "c", "d")


def subspace(x, declared=np.nan, rope=0.2, **options):
    p = x.shape[1]
    declared = np.array(np.broadcast_to(declared, p), dtype=float)
    steps = MetricSteps.from_resolutions(declared, np.full(p, np.nan), as_ropes(rope, NAMES[:p]))
    return ErrorSubspace.from_residuals(
        x - x.mean(axis=0),
        np.abs(x).max(axis=0),
        NAMES[:p],
        steps,
        still="{metric} is still",
        **{"freedom": len(x) - 1, "have": f"{len(x)} folds", **options},
    )


def dependent(seed, n=12):
    """Four metrics of which the second is twice the first, and the last does not vary."""
    x = np.random.default_rng(seed).normal(size=(n, 2))
    return np.c_[x[:, 0], 2 * x[:, 0], x[:, 1], np.full(n, 0.3)]


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.lists(st.integers(-8, 8), min_size=4, max_size=4))
def test_root_and_map_back_in_any_units(seed, powers):
    units = 10.0 ** np.array(powers)
    x = dependent(seed) * units
    result = subspace(x)
    e = x - x.mean(axis=0)
    scatter = e.T @ e / np.outer(units, units)
    root = result.root(len(x))[:, :2] / units[:, None]
    np.testing.assert_allclose(root @ root.T, scatter, atol=1e-9)
    white = result.residuals @ result.whitener
    np.testing.assert_allclose(white.T @ white, np.eye(2), atol=1e-9)
    np.testing.assert_allclose(white @ root.T, result.residuals / units, atol=1e-9)
    assert (result.constant, result.dependent, result.kept_places) == (("d",), ("b",), [0, 2])
    assert (result.rank, result.df) == (3, 12 - 3)
    mapped = e[:, result.kept_places] @ result.map_back
    np.testing.assert_allclose(mapped / units, e / units, atol=1e-9)


def test_a_constant_metric_scatters_as_rounding_to_its_resolution():
    result = subspace(dependent(1), [np.nan, np.nan, np.nan, 0.02])
    root = result.root(12)
    assert (result.rank, result.df, result.constant_places.tolist()) == (3, 12 - 3, [3])
    assert (root @ root.T)[3].tolist() == pytest.approx([0, 0, 0, 12 * 0.02**2 / 12])
    draws = result.rounding_draws((200, 100), 12 * 0.3, seed=1)
    assert draws[..., :3].any() == 0
    # t with 11 degrees of freedom and scale √(0.3·12·h²/12/11)
    assert (
        stats.kstest(draws[..., 3].ravel() / np.sqrt(0.3 * 0.02**2 / 11), stats.t(11).cdf).pvalue
        > 1e-3
    )


def test_resolution_as_declared_else_as_seen_else_the_ropes_width():
    ropes = as_ropes([0.1, (-0.02, 0.03), 0.1], ("a", "b", "c"))
    steps = MetricSteps.from_resolutions(
        np.array([0.5, np.nan, np.nan]), np.array([0.1, np.nan, 0.2]), ropes
    )
    assert steps.size.tolist() == pytest.approx([0.5, 0.05, 0.2])
    assert steps.borrowed.tolist() == [False, True, False]


def test_notes_name_the_metrics_and_a_borrowed_resolution_warns():
    assert subspace(dependent(1), 0.1).notes == (
        "b is a linear combination of a and c",
        "d is still: spread from its resolution, h = 0.1",
        "the posterior lies on a subspace of dimension 3 of 4 metrics; verdicts are over all of "
        "them",
    )
    two = subspace(dependent(1)[:, [0, 3]])
    assert two.notes == (
        "b is still: spread from the ROPE's width, h = 0.4, because "
        "nothing indicates the metric's resolution; give resolution=",
    )
    with pytest.warns(bc.DiagnosticWarning, match="b is still: spread from the ROPE's width"):
        two.warn_if_borrowed()
    assert subspace(np.random.default_rng(1).normal(size=(9, 3))).notes == ()


def test_more_metrics_than_degrees_of_freedom():
    with pytest.raises(bc.InputError, match=r"3 metrics and 3 folds.*Drop 1 of"):
        subspace(np.random.default_rng(1).normal(size=(3, 3)))
    # the spread of rounding needs a degree of freedom too
    x = np.c_[np.random.default_rng(1).normal(size=(3, 2)), np.zeros(3)]
    with pytest.raises(bc.InputError, match="Drop 1 of"):
        _ = subspace(x).df


def data(n=40, shift=(0.03, 0.0), seed=1):
    rng = np.random.default_rng(seed)
    root = np.array([[0.02, 0.0], [0.015, 0.01]])
    return np.array(shift) + rng.normal(size=(n, 2)) @ root.T


def test_centre_is_hotellings_direction():
    x = data()
    d = multivariate_t(x, rho=0.1, rope=0).direction()
    w = np.linalg.solve(np.cov(x.T), x.mean(axis=0))
    standardised = w * x.std(axis=0, ddof=1)
    np.testing.assert_allclose(d.weights, standardised / np.linalg.norm(standardised), atol=1e-9)
    np.testing.assert_allclose(d.raw_weights / d.raw_weights[0], w / w[0], rtol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(d.draws, axis=1), 1)


def test_draws_against_scipys_wishart():
    # the same posterior by SciPy's inverse Wishart: Σ ~ IW(n−1, S/(1−ρ)), μ ~ N(D̄, Σ(1+(n−1)ρ)/n)
    x, rho, n = data(15), 0.2, 15
    d = multivariate_t(x, rho=rho, rope=0, seed=3).direction(20_000)
    S = (n - 1) * np.cov(x.T)
    rng = np.random.default_rng(1)
    sigma = stats.invwishart(n - 1, S / (1 - rho)).rvs(20_000, random_state=rng)
    root = np.linalg.cholesky(sigma) * np.sqrt((1 + (n - 1) * rho) / n)
    mu = x.mean(axis=0) + np.einsum("dij,dj->di", root, rng.normal(size=(20_000, 2)))
    w = np.linalg.solve(sigma, mu[..., None])[..., 0]
    length = np.sqrt(np.sum(mu * w, axis=1))
    w *= x.std(axis=0, ddof=1)
    w /= np.linalg.norm(w, axis=1, keepdims=True)
    assert stats.ks_2samp(d.separation, length).pvalue > 1e-3
    for j in range(2):
        assert stats.ks_2samp(d.draws[:, j], w[:, j]).pvalue > 1e-3


def test_units_do_not_matter_and_dependent_metrics_have_no_say():
    x = data()
    d = multivariate_t(x, rho=0.1, rope=0, seed=1).direction()
    e = multivariate_t(x * [100, 1e-3], rho=0.1, rope=0, seed=1).direction()
    np.testing.assert_allclose(e.weights, d.weights, atol=1e-9)
    np.testing.assert_allclose(e.frame["mean"], d.frame["mean"], atol=0.03)
    twice = multivariate_t(np.c_[x, x[:, 0]], rho=0.1, rope=0, seed=1).direction()
    np.testing.assert_allclose(np.sort(twice.separation), np.sort(d.separation), rtol=0.2)
    assert twice.weights[0] == pytest.approx(twice.weights[2])


def test_certainty_grows_with_the_separation():
    far = multivariate_t(data(shift=(0.1, 0.0)), rho=0.1, rope=0, seed=1).direction()
    near = multivariate_t(data(shift=(0.0, 0.0)), rho=0.1, rope=0, seed=1).direction()
    assert far.concentration > 0.95
    assert near.concentration < 0.9
    assert np.median(far.separation) > np.median(near.separation)
    assert far.frame.loc["m1", "p_positive"] > 0.99


def test_words():
    d = multivariate_t(data(), rho=0.1, rope=0, metrics=("tpr", "fpr"), seed=1).direction()
    assert "·tpr − " in d.formula()
    assert "separation" in str(d)
    nothing = MultivariateT(3, np.zeros(2), np.zeros((2, 0)))
    with pytest.raises(bc.InputError, match="vary in at least one metric, for a direction"):
        direction_of(nothing, n=5, rho=0.1, metrics=("a", "b"), seed=1, draws=10)


def test_weights_are_rows():
    assert as_matrix("weights", [1, 2], 2, 1).tolist() == [[1.0, 2.0]]
    assert as_matrix("matrix", [[1, 2], [3, 4], [5, 6]], 2, 2).shape == (3, 2)


@each_row("bad", [[1, 2, 3], "ab", None])
def test_other_weights_are_refused(bad):
    with pytest.raises(bc.InputError, match="weights"):
        as_matrix("weights", bad, 2, 1)


def test_names():
    assert as_names(None, 3) == ("m1", "m2", "m3")
    assert as_names(["x", 2], 2) == ("x", "2")
    for bad in (["x"], ["x", "x"]):
        with pytest.raises(bc.InputError, match="2 different names"):
            as_names(bad, 2)
