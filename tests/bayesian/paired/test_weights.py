"""Any metric under weights of the items."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context, metrics

import bayescmp as bc
from bayescmp.bayesian.paired.weights import ENOUGH, NAMED, metric_by_weights
from tests.rows import each_row

N = 60
RNG = np.random.default_rng(5)
Y = RNG.integers(0, 2, N)
#: Scores with ties, between 0 and 1.
CHANCES = [np.clip(np.round(0.3 + 0.4 * Y + RNG.normal(0, s, N), 1), 0, 1) for s in (0.5, 0.3)]
LABELS = [(p > 0.5).astype(int) for p in CHANCES]
KINDS = RNG.choice(["a", "b", "c"], N)
GUESSED = [np.where(RNG.random(N) < p, KINDS, RNG.choice(["a", "b", "d"], N)) for p in (0.4, 0.7)]
SHARES = [RNG.dirichlet([1, 1, 1], N) for _ in range(2)]
GAINS = RNG.integers(0, 4, (N, 6))
GAINS[0] = 0  # nothing to find
RANKED = [np.round(GAINS + RNG.normal(0, s, (N, 6))) for s in (3, 1)]


def f1_macro(y, given, sample_weight):
    return metrics.f1_score(y, given, average="macro", sample_weight=sample_weight)


#: A name, the truth, both predictions, scikit-learn's function, and which way is better.
CASES = {
    "accuracy": ("accuracy", KINDS, GUESSED, metrics.accuracy_score, 1),
    "average_precision": ("average_precision", Y, CHANCES, metrics.average_precision_score, 1),
    "brier_score_loss": ("brier_score_loss", Y, CHANCES, metrics.brier_score_loss, -1),
    "f1": ("f1", Y, LABELS, metrics.f1_score, 1),
    "f1 of -1 and 1": ("f1", 2 * Y - 1, [2 * p - 1 for p in LABELS], metrics.f1_score, 1),
    "f1_macro": ("f1_macro", Y, LABELS, f1_macro, 1),
    "f1_macro of four": ("f1_macro", KINDS, GUESSED, f1_macro, 1),
    "log_loss": ("log_loss", Y, CHANCES, metrics.log_loss, -1),
    "log_loss of three": ("log_loss", KINDS, SHARES, metrics.log_loss, -1),
    "matthews_corrcoef": ("matthews_corrcoef", Y, LABELS, metrics.matthews_corrcoef, 1),
    "matthews_corrcoef of four": (
        "matthews_corrcoef",
        KINDS,
        GUESSED,
        metrics.matthews_corrcoef,
        1,
    ),
    "balanced_accuracy": ("balanced_accuracy", Y, LABELS, metrics.balanced_accuracy_score, 1),
    "ndcg_score": ("ndcg_score", GAINS, RANKED, metrics.ndcg_score, 1),
    "roc_auc": ("roc_auc", Y, CHANCES, metrics.roc_auc_score, 1),
}


def weights(draws: int, seed: int, units: int = N) -> np.ndarray:
    return np.random.default_rng(seed).standard_exponential((draws, units))


@each_row("case", CASES)
def test_each_draw_is_that_of_scikit_learn(case):
    for clusters in [None, np.arange(N) % 20]:
        name, y, given, function, sign = CASES[case]
        posterior = metric_by_weights(
            y, given, name, rope=0.01, clusters=clusters, draws=20, seed=3
        )
        w = weights(20, 3) if clusters is None else weights(20, 3, 20)[:, clusters]
        with config_context(skip_parameter_validation=True, assume_finite=True):  # sooner done
            expected = [
                sign
                * (function(y, given[1], sample_weight=v) - function(y, given[0], sample_weight=v))
                for v in w
            ]
        assert posterior.delta.ravel() == pytest.approx(expected, abs=1e-12, rel=0)
        assert np.std(expected) > 1e-3


def test_every_name_is_tried():
    assert {name for name, *_ in CASES.values()} == set(NAMED)


@each_row("case", ["f1", "roc_auc", "brier_score_loss"])
def test_a_function_gives_what_its_name_gives(case):
    name, y, given, function, _ = CASES[case]
    named = metric_by_weights(y, given, name, rope=0.01, draws=40, seed=3)
    own = metric_by_weights(y, given, function, rope=0.01, draws=40, seed=3)
    assert own.delta == pytest.approx(named.delta, abs=1e-12)
    assert own.directions[0].lower == named.directions[0].lower


def test_which_way_is_better_may_be_declared():
    """A loss under a name that tells nothing: the difference is flipped, as of its known name."""
    name, y, given, function, _ = CASES["brier_score_loss"]

    def loss(y_true, y_pred, sample_weight):
        return function(y_true, y_pred, sample_weight=sample_weight)

    options = {"rope": 0.01, "draws": 40, "seed": 3}
    named = metric_by_weights(y, given, name, **options)
    own = metric_by_weights(y, given, loss, lower_is_better=True, **options)
    assert own.delta == pytest.approx(named.delta, abs=1e-12)
    other = metric_by_weights(y, given, loss, lower_is_better=False, **options)
    assert other.delta == pytest.approx(-named.delta, abs=1e-12)


def test_roc_auc_has_the_variance_of_delong():
    """The bootstrap's variance of an area is DeLong's but for 1/n."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 2000)
    given = [y + rng.normal(0, s, 2000) for s in (1.4, 1.2)]
    posterior = metric_by_weights(y, given, "roc_auc", rope=0.01, draws=20_000, seed=1)
    low, high = posterior.interval
    usual = bc.frequentist.delong(y, *given).confidence_interval()
    assert [low, high] == pytest.approx(usual, abs=1.5e-3)


def test_accuracy_is_the_bootstrap_of_clusters_at_concentration_one():
    right = [(g == KINDS).astype(float) for g in GUESSED]
    exact = bc.bayesian.cluster_bootstrap(right[1] - right[0], rope=0.05, concentration=1.0)
    drawn = metric_by_weights(KINDS, GUESSED, "accuracy", rope=0.05, draws=40_000, seed=1)
    for p in (0.025, 0.5, 0.975):
        assert drawn.quantile(p) == pytest.approx(exact.quantile(p), abs=5e-3)
    assert drawn.verdict().p_right == pytest.approx(exact.verdict().p_right, abs=0.01)


def test_turned_round_it_says_the_opposite():
    for case in CASES:
        name, y, given, *_ = CASES[case]
        one = metric_by_weights(y, given, name, rope=0.01, draws=200, seed=3)
        other = metric_by_weights(y, given[::-1], name, rope=0.01, draws=200, seed=3)
        assert other.delta == pytest.approx(-one.delta, abs=1e-15)
        assert other.verdict().p_left == pytest.approx(one.verdict().p_right)


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.integers(6, 40), st.floats(-3, 3))
def test_symmetries(seed, n, exponent):
    """Turned round, what is left is right; shares sum to one; only the order of scores counts."""
    rng = np.random.default_rng(seed)
    y = np.r_[0, 1, rng.integers(0, 2, n - 2)]
    scores = rng.normal(0.5 * y, 1, (2, n)).round(1)
    ask = {"rope": 0.01, "draws": 100, "seed": seed}
    one, other = (metric_by_weights(y, x, "roc_auc", **ask) for x in (scores, scores[::-1]))
    v, w = one.verdict(), other.verdict()
    assert (v.p_left, v.p_rope, v.p_right) == pytest.approx((w.p_right, w.p_rope, w.p_left))
    assert v.p_left + v.p_rope + v.p_right == pytest.approx(1)
    monotone = metric_by_weights(y, np.exp(scores * 10**exponent / 1000), "roc_auc", **ask)
    assert monotone.delta == pytest.approx(one.delta, abs=1e-12)


def test_what_it_says():
    posterior = metric_by_weights(Y, CHANCES, "log_loss", rope=0.01, names=("a", "b"), seed=3)
    text = str(posterior)
    assert "log_loss ↓" in text
    assert "other items of this kind" in text
    assert f"60 items: with fewer than {ENOUGH}" in text
    assert f"{posterior.delta.size} independent draws" in text
    assert "closed form" not in text
    assert ".plan()" not in text
    with pytest.raises(bc.InputError, match=r"no plan .* A metric .*bayescmp\.Items\(table\)"):
        posterior.plan()


@pytest.mark.parametrize(("metric", "most"), [("f1", 2), ("roc_auc", 10), ("ndcg_score", 2)])
@pytest.mark.slow
def test_many_items_take_seconds(metric, most):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, (10_000, 10) if metric == "ndcg_score" else 10_000)
    given = [rng.integers(0, 2, 10_000) if metric == "f1" else rng.random(y.shape) for _ in "ab"]
    before = time.process_time()
    metric_by_weights(y, given, metric, rope=0.01, seed=1)
    assert time.process_time() - before < most


@each_row(
    ("options", "message"),
    [
        ({"metric": 3}, "metric must be"),
        ({"metric": len}, "metric len failed"),
        ({"metric": lambda y, p, sample_weight: np.nan}, "metric metric must give a finite"),
        ({"predictions": LABELS[0]}, "predictions must be two arrays, .*got an array"),
        ({"predictions": (LABELS[0], LABELS[1][1:])}, r"predictions\[1\] must .*got 59 for 60"),
        ({"predictions": CHANCES}, "predictions must be labels, as in the truth"),
        ({"y_true": KINDS}, "y_true must hold False and True, .*got 3 classes"),
        ({"metric": "brier_score_loss", "predictions": (Y * 2, Y)}, "from 0 to 1 .got 0 to 2"),
        ({"metric": "log_loss", "predictions": SHARES}, "3 columns for 2 classes"),
        (
            {"metric": "roc_auc", "predictions": GUESSED},
            "predictions must be a number for each item",
        ),
        (
            {"metric": "accuracy", "predictions": GUESSED},
            "predictions must be one label per item, as in y_true",
        ),
        ({"metric": "ndcg_score"}, "predictions must be a number for each item"),
        (
            {"metric": "ndcg_score", "y_true": -GAINS, "predictions": RANKED},
            r"must have shape \(n, k\) with k > 1, and y_true gains of this shape, at least 0",
        ),
        ({"y_true": [[1, 2], [3]]}, "y_true must be an array"),
        ({"y_true": np.where(Y, np.nan, 1.0)}, "y_true must .*got missing or infinite values"),
        (
            {"metric": "f1_macro", "y_true": np.arange(101), "predictions": [np.arange(101)] * 2},
            "must be classes.*got 101 labels",
        ),
        ({"clusters": np.arange(5)}, r"clusters must .*shape \(5,\) for 60 items"),
        (
            {"clusters": np.arange(N) % 3},
            "y_true must have at least 6 clusters .got 3 of 60 items",
        ),
        ({"draws": 3}, "draws must be"),
    ],
)
def test_what_does_not_fit_is_refused(options, message):
    given = {"y_true": Y, "predictions": LABELS, "metric": "f1", "rope": 0.01, "seed": 1}
    with pytest.raises(bc.InputError, match=message):
        metric_by_weights(**{**given, **options})


def test_scores_are_no_labels():
    """Every probability counts as a wrong label, so that two good classifiers were equivalent."""
    for metric in ["accuracy", "balanced_accuracy", "f1", "f1_macro", "matthews_corrcoef"]:
        scores = [np.where(Y == 1, 0.8, 0.3), np.where(Y == 1, 0.6, 0.1)]
        others = [np.where(Y == 1, 3, 2)] * 2
        for both in (scores, others):
            with pytest.raises(bc.InputError, match="predictions must be labels, as in the truth"):
                bc.bayesian.metric_by_weights(Y, both, metric, rope=0.01)
        halves = Y + 0.5  # labels may be any numbers
        if metric != "f1":
            post = bc.bayesian.metric_by_weights(
                halves, (halves, halves), metric, rope=0.01, seed=1
            )
            assert post.verdict().decision == "equivalent"
