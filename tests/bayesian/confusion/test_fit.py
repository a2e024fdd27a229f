"""Two classifiers by their confusion counts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

import bayescmp as bc
from bayescmp.bayesian import confusion

FIRST, SECOND = (40, 10, 5, 45), (45, 5, 6, 44)


def near(share, expected, n=50_000):
    return abs(share - expected) < 4.5 * np.sqrt(max(expected * (1 - expected), 1e-4) / n)


def test_accuracy_is_a_beta():
    # accuracy = tp + tn of a Dirichlet(1 + counts): Beta(tp + tn + 2, fn + fp + 2)
    post = confusion(FIRST, SECOND, "accuracy", rope=0.01, seed=1)
    a, b = stats.beta(85 + 2, 15 + 2), stats.beta(89 + 2, 11 + 2)
    for part, exact in (("first", a), ("second", b)):
        draws = post.draws[part][..., 0].ravel()
        assert stats.kstest(draws, exact.cdf).pvalue > 1e-3

    def beyond(shift):  # P(second − first > shift)
        return integrate.quad(lambda t: a.pdf(t) * b.sf(t + shift), 0, 1, epsabs=1e-10)[0]

    v = post.verdict()
    assert near(v.p_right, beyond(0.01))
    assert near(v.p_left, 1 - beyond(-0.01))
    assert v.p_left + v.p_rope + v.p_right == pytest.approx(1)


def test_rates_are_betas_and_lower_is_better_is_flipped():
    post = confusion(FIRST, SECOND, ["tpr", "fpr"], rope=[0.01, 0.02], prior=0.5, seed=2)
    tpr = stats.beta(40 + 0.5, 10 + 0.5)
    fpr = stats.beta(5 + 0.5, 45 + 0.5)
    assert stats.kstest(post.draws["first"][..., 0].ravel(), tpr.cdf).pvalue > 1e-3
    assert stats.kstest(post.draws["first"][..., 1].ravel(), fpr.cdf).pvalue > 1e-3
    np.testing.assert_allclose(
        post.draws["delta"][..., 1], post.draws["first"][..., 1] - post.draws["second"][..., 1]
    )
    v = post.verdict()
    assert set(v.probabilities) == {"equivalent", "first", "second", "trade_off"}
    d = post.draws["delta"]
    better, worse = (d > [0.01, 0.02]).any(axis=-1), (d < [-0.01, -0.02]).any(axis=-1)
    assert v.probabilities["trade_off"] == pytest.approx((better & worse).mean())


def test_mcc_against_draws_of_scipy():
    post = confusion(FIRST, SECOND, "mcc", rope=0, seed=3)
    theta = stats.dirichlet(np.array(FIRST) + 1).rvs(50_000, random_state=4)
    tp, fn, fp, tn = theta.T
    mcc = (tp * tn - fp * fn) / np.sqrt((tp + fn) * (fp + tn) * (tp + fp) * (tn + fn))
    assert stats.ks_2samp(post.draws["first"].ravel(), mcc).pvalue > 1e-3


def test_pairing_cancels_what_is_shared():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 400)
    first = np.where(rng.random(400) < 0.8, truth, 1 - truth)
    flip = rng.random(400) < 0.05  # the second differs from the first on a few items only
    second = np.where(flip, truth, first)
    paired = confusion(metric="accuracy", predictions=(truth, first, second), rope=0, seed=1)
    joint = np.zeros((2, 2, 2))
    np.add.at(joint, (truth, first, second), 1)
    counts = [[int(((truth == t) & (p == t2)).sum()) for t, t2 in ((1, 1), (1, 0), (0, 1), (0, 0))]
              for p in (first, second)]  # fmt: skip
    alone = confusion(*counts, "accuracy", rope=0, seed=1)
    sd = [p.draws["delta"].std() for p in (paired, alone)]
    assert sd[0] < 0.6 * sd[1]
    # the marginals are the same whether paired or not: the prior's weight is split, not doubled
    assert (
        stats.ks_2samp(paired.draws["first"].ravel(), alone.draws["first"].ravel()).pvalue > 1e-3
    )
    assert paired.paired
    again = confusion(*counts, "accuracy", joint=joint, rope=0, seed=1)
    np.testing.assert_array_equal(again.draws["delta"], paired.draws["delta"])
    # accuracy's difference depends on the two kinds of disagreement alone: a Dirichlet by hand
    up, down = flip & (first != truth), (first == truth) & (second != truth)
    cells = [up.sum() + 1, down.sum() + 1, 400 - up.sum() - down.sum() + 2]
    theta = stats.dirichlet(cells).rvs(50_000, random_state=2)
    expected = theta[:, 0] - theta[:, 1]
    assert stats.ks_2samp(paired.draws["delta"].ravel(), expected).pvalue > 1e-3


def test_any_function_of_the_counts():
    def cost(tp, fn, fp, tn):
        return 5 * fn + fp

    post = confusion(FIRST, SECOND, cost, rope=2.0, lower_is_better=True, seed=1)
    assert post.metrics == ("cost",)
    mean = post.summary().loc[("cost", "first"), "mean"]
    assert mean == pytest.approx(
        100 * (5 * 11 + 6) / 104, rel=0.02
    )  # expected counts of 100 items
    assert post.verdict().p_right > post.verdict().p_left
    named = confusion(FIRST, SECOND, "fn", rope=1.0, seed=1)
    assert named.verdict().p_right > named.verdict().p_left


def test_swapping_swaps():
    v = confusion(FIRST, SECOND, "f1", rope=0.01, seed=1).verdict()
    w = confusion(SECOND, FIRST, "f1", rope=0.01, seed=2).verdict()
    assert w.p_left == pytest.approx(v.p_right, abs=0.015)


def test_rows_and_mappings_are_read():
    rows = [[20, 5, 2, 23], [20, 5, 3, 22]]
    mapping = dict(zip(("tp", "fn", "fp", "tn"), SECOND, strict=True))
    post = confusion(rows, mapping, "tpr", rope=0, seed=1)
    np.testing.assert_array_equal(post.counts, [FIRST, SECOND])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"counts_first": None}, "are needed"),
        ({"counts_first": (1, 2, 3)}, "shape"),
        ({"counts_first": (1, 2, 3, -4)}, "negative"),
        ({"counts_first": ("a", 2, 3, 4)}, "no array of numbers"),
        ({"counts_first": {"tp": 1}}, "has no 'fn'"),
        ({"metric": "acuracy"}, "unknown metric 'acuracy': did you mean 'accuracy'"),
        ({"metric": lambda tp, fn, fp, tn: 1.0}, "element by"),
        ({"metric": lambda tp, fn, fp, tn: tp * np.nan}, "0/0 or infinite"),
        ({"metric": ["f1", "f1"]}, "not different"),
        ({"metric": ["f1", "tpr"], "lower_is_better": [True]}, "1 for 2 metrics"),
        ({"prior": 0}, "prior"),
        ({"prior": (1, 2)}, "prior"),
        ({"draws": 3}, "draws"),
        ({"rope": -1}, "negative"),
        ({"joint": np.zeros((2, 2))}, "shape"),
        ({"joint": np.ones((2, 2, 2))}, "but the joint table"),
        ({"predictions": ([0, 1], [1, 0])}, "three vectors"),
        ({"predictions": ([0, 2], [1, 0], [1, 1])}, "other than 0 and 1"),
        ({"predictions": ([0], [0], [0]), "joint": np.ones((2, 2, 2))}, "say the same"),
    ],
)
def test_bad_input(options, message):
    given = {"counts_first": FIRST, "counts_second": SECOND, "rope": 0.01, **options}
    with pytest.raises(bc.InputError, match=message):
        confusion(**given)


def test_labelled_counts_are_read_by_name():
    """In any order: scikit-learn's ravel() is tn, fp, fn, tp."""
    import pandas as pd

    tp, fn, fp, tn = FIRST
    labelled = {"tn": tn, "fp": fp, "fn": fn, "tp": tp}
    rows = pd.DataFrame([labelled, labelled])
    for given, times in ((pd.Series(labelled), 1), (labelled, 1), (rows, 2),
                         ({k: [v, v] for k, v in labelled.items()}, 2)):  # fmt: skip
        counts = confusion(given, SECOND, rope=0.01, seed=1).counts
        assert counts[0].tolist() == [times * c for c in FIRST]
    assert confusion(pd.Series(FIRST), SECOND, rope=0.01).counts[0].tolist() == list(FIRST)
    with pytest.raises(bc.InputError, match="has no 'tn'"):
        confusion(pd.Series({"tp": 1, "fn": 2, "fp": 3}), SECOND, rope=0.01)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"draws": "many"}, "draws='many'; accepted"),
        ({"draws": None}, "draws=None; accepted"),
        ({"draws": float("nan")}, "draws=nan; accepted"),
        ({"draws": float("inf")}, "draws=inf; accepted"),
        ({"metric": 5}, "metric=5; accepted"),
        ({"metric": []}, "metric is an empty sequence"),
    ],
)
def test_refused_with_a_word(options, message):
    with pytest.raises(bc.InputError, match=message):
        confusion(FIRST, SECOND, rope=0.01, **options)


@pytest.mark.parametrize(
    ("predictions", "message"),
    [
        (5, "not three vectors"),
        (([1, 0], [1, 0]), "not three vectors"),
        (([1, -1], [1, -1], [1, 1]), "other than 0 and 1"),
        ((["a", "b"], ["a", "b"], ["a", "a"]), "other than 0 and 1"),
    ],
)
def test_predictions_refused(predictions, message):
    with pytest.raises(bc.InputError, match=message):
        confusion(predictions=predictions, rope=0.01)
