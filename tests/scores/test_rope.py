"""Regions of practical equivalence check themselves."""

import warnings

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp import InputError, Rope
from bayescmp.scores import rope as scales
from bayescmp.scores.metrics import label_scale
from bayescmp.scores.rope import (
    Ropes,
    as_rope,
    as_ropes,
    rope_from_ends,
    rope_of,
    rope_phrase,
    times,
    warn_of_rope,
)
from tests.rows import each_row


@each_row(
    ("ends", "message"),
    [
        ((0.1, 0.2), r"low <= 0 <= high \(got \(0.1, 0.2\)\)"),
        ((np.nan, 0.1), r"got \(nan, 0.1\)"),
        (("a", 0.1), "rope must be a finite half-width"),
    ],
)
def test_a_rope_checks_itself(ends, message):
    with pytest.raises(InputError, match=message):
        Rope(*ends)


def test_a_rope_holds_plain_floats():
    rope = Rope(np.float32(-0.5), 1)
    assert (type(rope.low), type(rope.high)) == (float, float)
    assert rope == Rope(-0.5, 1.0)
    assert as_rope(rope) is rope
    assert as_rope((-0.5, 1)) == rope
    assert rope_from_ends(rope.ends) == rope


def test_one_a_metric():
    ropes = as_ropes({"tpr": 0.01, "fpr": (-0.1, 0.2)}, ["tpr", "fpr"])
    assert ropes == Ropes([Rope(-0.01, 0.01), Rope(-0.1, 0.2)])
    assert Ropes([0.01, (-0.1, 0.2)]) == ropes
    assert ropes.swapped()[1] == Rope(-0.2, 0.1)
    assert ropes.scaled(2).high.tolist() == [0.02, 0.4]


SIZES = {"a": 0.01, "b": 1.0, "c": 5e4}


@pytest.fixture
def scores():
    """Errors of unlike size; the second is better by two per cent everywhere."""
    rng = np.random.default_rng(2)
    rows = [
        {
            "dataset": d,
            "algorithm": a,
            "fold": f,
            "rmse": size * (0.98 if a == "svm" else 1.0) * np.exp(rng.normal(0, 0.01)),
        }
        for d, size in SIZES.items()
        for a in ("knn", "svm")
        for f in range(5)
    ]
    return bc.Scores(pd.DataFrame(rows))


def _rows(scores, name):
    frame = scores.frame
    one = frame[frame.algorithm == name]
    return one.pivot(index="dataset", columns="fold", values="rmse").to_numpy()


def test_ratios(scores):
    d = scores.differences("knn", "svm", scale="log_ratio")
    assert d.matrix == pytest.approx(np.log(_rows(scores, "knn") / _rows(scores, "svm")))
    assert d.metric == label_scale("rmse", "log_ratio") == "rmse (log ratio)"
    assert d.span is None
    accuracy = scores.frame.rename(columns={"rmse": "throughput"})
    higher = bc.Scores(accuracy, higher_is_better=["throughput"])
    assert higher.differences("knn", "svm", scale="log_ratio").matrix == pytest.approx(-d.matrix)


def test_ratios_do_not_depend_on_the_unit_of_a_data_set(scores):
    frame = scores.frame
    frame["rmse"] *= frame["dataset"].map({"a": 7.0, "b": 1e-3, "c": 2.0})
    other = bc.Scores(frame)
    for scale in ("log_ratio", "standardised"):
        actual = [s.differences("knn", "svm", scale=scale).matrix for s in (scores, other)]
        assert actual[0] == pytest.approx(actual[1], rel=1e-9)


def test_standard_deviations(scores):
    """Cohen's d of each row, with the variance freed of the folds' correlation rho = 1/5."""
    d = scores.differences("knn", "svm", scale="standardised")
    x = _rows(scores, "knn") - _rows(scores, "svm")
    assert d.means == pytest.approx(x.mean(axis=1) / (x.std(axis=1, ddof=1) / np.sqrt(1 - 0.2)))
    assert d.metric == "rmse (standard deviations)"


def test_the_variance_of_correlated_folds_is_without_bias():
    """E[s²] = σ²(1 − rho) for normal folds that correlate at rho, by simulation."""
    from bayescmp.scores.rope import on_scale

    n, rho, reps = 10, 0.3, 4000
    chol = np.linalg.cholesky(np.full((n, n), rho) + (1 - rho) * np.eye(n))
    x = (np.random.default_rng(0).standard_normal((reps, n)) @ chol.T).ravel()
    starts = np.arange(0, reps * n, n)
    _, unit = on_scale("standardised", 0 * x, x, starts, [rho] * reps, str)
    assert np.mean(unit**2) == pytest.approx(1.0, abs=4 * np.std(unit**2) / np.sqrt(reps))


def test_a_ratio_has_one_verdict_where_differences_have_none(scores):
    with pytest.warns(bc.DiagnosticWarning, match="about 0.0.* on data set 'a' and .* on 'c'"):
        scores.differences("knn", "svm")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        posterior = bc.compare(
            scores, "knn", "svm", rope="1%", scale="log_ratio", test="signed_rank", seed=1
        )
    assert posterior.rope.ends == pytest.approx([-np.log(1.01), np.log(1.01)])
    assert any("the observed rmse of knn is" in n for n in posterior.notes)
    assert "rmse (log ratio)" in posterior.full()


def test_the_scale_goes_through_all_pairs_and_the_cross_check(scores):
    options = {"rope": "1%", "scale": "log_ratio", "seed": 1}
    one = bc.compare(scores, "knn", "svm", **options).verdict()
    pairs = bc.compare_all(scores, **options)
    assert pairs.metric == "rmse (log ratio)"
    assert pairs.frame["p_right"].item() == one.p_right
    check = bc.crosscheck(scores, **options)
    assert check.ropes["rmse"].high == pytest.approx(np.log(1.01))
    rows = check.frame.query("bayesian == 'hierarchical_t' and dataset == ''")
    assert set(rows["p_right"]) == {one.p_right}


def test_means_of_ratios_are_geometric(scores):
    actual = scores.on_scale("log_ratio").means()
    expected = np.exp(np.log(_rows(scores, "knn")).mean(axis=1))
    assert actual["knn"].to_numpy() == pytest.approx(expected)


@each_row(
    ("change", "scale", "message"),
    [
        (lambda v: v - v.min(), "log_ratio", "scores must be positive .*got 0 for dataset 'a'"),
        (
            lambda v: 0 * v + 1,
            "standardised",
            "differences that vary on .*got equal ones for dataset 'a'",
        ),
        (lambda v: v, "ratio", r"scale must be .*\(got 'ratio'\)"),
    ],
)
def test_scores_that_a_scale_has_no_place_for(scores, change, scale, message):
    frame = scores.frame
    frame["rmse"] = change(frame["rmse"])
    with pytest.raises(bc.InputError, match=message):
        bc.Scores(frame).differences("knn", "svm", scale=scale)


def test_blocks_have_one_scale(scores):
    with pytest.raises(bc.InputError, match="got 'log_ratio'"):
        bc.scores_blocks(scores.on_scale("log_ratio"), dataset="a")
    with pytest.raises(bc.InputError, match="scale must be 'difference' for several metrics"):
        bc.compare(scores, "knn", "svm", ["rmse", "mae"], 0.1, scale="log_ratio")


def test_a_rope_in_a_header():
    for rope, of_ratios, words in [
        (Rope(-0.01, 0.01), False, "ROPE ±0.01"),
        (Rope(-0.02, 0.01), False, "ROPE [−0.02, 0.01]"),
        (Rope(0, 0), False, "no ROPE"),
        (Rope(-0.01, np.inf), False, "margin 0.01"),
        (Rope(-np.inf, 0.01), False, "margin 0.01"),
        (as_rope(np.log(1.05)), True, "ROPE ±5%"),
        (Rope(np.log(0.98), np.log(1.01)), True, "ROPE −2% to 1%"),
        (Rope(np.log(0.98), np.inf), True, "margin 2%"),
        (
            Ropes([Rope(-0.01, np.inf), Rope(-0.02, np.inf)]),
            False,
            "margin 0.01 in a and 0.02 in b",
        ),
        (Ropes([Rope(-0.01, 0.01), Rope(0, 0)]), False, "ROPE ±0.01 in a"),
        (Ropes([Rope(0, 0), Rope(0, 0)]), False, "no ROPE"),
    ]:
        assert rope_phrase(rope, ("a", "b"), of_ratios=of_ratios) == words


def test_percent():
    assert rope_of("1%", span=1.0) == bc.Rope(-0.01, 0.01)
    assert rope_of(" 0.5 % ", span=100.0) == bc.Rope(-0.5, 0.5)
    assert rope_of("5%", "log_ratio").high == pytest.approx(np.log(1.05))
    assert rope_of(0.01, "log_ratio") == bc.Rope(-0.01, 0.01)
    assert times(*rope_of("5%", "log_ratio").ends) == "0.952 to 1.05 times"
    with pytest.raises(bc.InputError, match="a number in the unit of the metric"):
        rope_of("1%")
    with pytest.raises(bc.InputError, match="a number in standard deviations"):
        rope_of("1%", "standardised")
    for bad in ("one", "1.2.3%", "%"):
        with pytest.raises(bc.InputError, match="rope must be a finite half-width"):
            rope_of(bad, span=1.0)


@each_row(
    ("rope", "scores", "words"),
    [(0.01, (0.0, 95.0), "under 0.1%"), (1.0, (0.6, 0.9), "over half")],
)
def test_a_rope_in_another_unit(rope, scores, words):
    low, high = scores
    shares = {"x": (0.5, 0.9, 1.0), "y": (0.0, 0.8, 0.95)}
    rows = [("d", a, f, low + (high - low) * shares[a][f]) for a in "xy" for f in range(3)]
    table = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "accuracy"])
    with pytest.warns(bc.DiagnosticWarning, match=rf"is {words} .* the span of accuracy"):
        bc.compare(table, rope=rope)


def test_ropes_that_fit_are_no_news():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for rope, spread, largest in ((0.01, 1.0, 0.9), (1, 100, 90), (20, 50, 1050), (0, 1, 1)):
            warn_of_rope(bc.Rope(-rope, rope), spread, largest, "m")


def test_ropes_name_their_scale():
    rope = scales.rope_of("1%", "log_ratio")
    assert (
        scales.describe_rope(rope, "log_ratio") == "±0.00995 in the log ratio (0.99 to 1.01 times)"
    )
    assert (
        scales.describe_rope(bc.Rope(-0.2, 0.1), "standardised")
        == "[−0.2, 0.1] standard deviations"
    )
    assert scales.describe_rope(bc.Rope(-0.2, 0.2)) == "±0.2"


@each_row(
    ("low", "high", "words"),
    [
        (0.99, 1.01, "0.99 to 1.01 times"),
        (0.99, np.inf, "at least 0.99 times"),
        (0, 1.01, "at most 1.01 times"),
    ],
)
def test_a_region_of_ratios_in_words(low, high, words):
    with np.errstate(divide="ignore"):
        assert scales.times(*np.log([low, high])) == words


@each_row("wrong", [-1, None, {"auc": 0.01}])
def test_ropes_are_a_rope_per_metric(wrong):
    with pytest.raises(bc.InputError, match="ropes must be one ROPE per metric"):
        Ropes(wrong)
    with pytest.raises(bc.InputError, match=r"ropes must be a list .* A set has no order"):
        Ropes({0.01, 0.02})
