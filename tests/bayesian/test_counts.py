"""Counts as people have them: by name, in rows, of repeated cross-validation."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

import bayescmp as bc
from bayescmp.bayesian import confusion
from bayescmp.bayesian.counts import (
    chosen_metrics,
    compare_metrics,
    drawn_cells,
    joint_prior,
    read_counts,
)
from tests.rows import each_row

FIRST, SECOND = (40, 10, 5, 45), (45, 5, 6, 44)


def counts_of(first, second=None, repeats=None):
    actual, notes = read_counts(first, first if second is None else second, None, None, repeats)
    return actual, notes


def test_rows_of_test_sets_without_common_items_are_added_up():
    rows = [[20, 5, 2, 23], [20, 5, 3, 12]]  # 25 and 15 negatives: they cannot be repeats
    actual, notes = counts_of(rows)
    np.testing.assert_array_equal(actual[0], (40, 10, 5, 35))
    assert len(notes) == 1
    mapping = dict(zip(("tp", "fn", "fp", "tn"), SECOND, strict=True))
    np.testing.assert_array_equal(counts_of(FIRST, mapping)[0], [FIRST, SECOND])


def test_repeats_of_the_same_items_are_divided_not_added():
    """At 24bf92b ten repeats made ten times as many items: sd .0157 where one has .0509."""
    rows = np.tile(FIRST, (10, 1)) + np.array([1, -1, 0, 0]) * (np.arange(10) % 2)[:, None]
    with pytest.raises(bc.InputError, match=r"for 10 rows .*2 or 5 or 10 repeats.* repeats=1 "):
        confusion(rows, rows, rope=0.01)
    actual, notes = counts_of(rows, repeats=10)
    np.testing.assert_allclose(actual[0], rows.mean(axis=0))
    assert "divided by 10 repeats of the same items" in notes[1]
    once = confusion(FIRST, FIRST, rope=0.01, seed=1).draws["delta"].std()
    many = confusion(rows, rows, rope=0.01, seed=1, repeats=10).draws["delta"].std()
    assert many == pytest.approx(once, rel=0.05)
    np.testing.assert_array_equal(counts_of(rows, repeats=1)[0][0], rows.sum(axis=0))


def test_labels_of_repeats_and_folds_tell():
    folds = pd.DataFrame(
        [
            {"repeat": r, "fold": f, "tp": 4, "fn": 1, "fp": 1, "tn": 4 + r}
            for r in range(3)
            for f in range(5)
        ]
    )
    assert counts_of(folds)[0][0].tolist() == [20, 5, 5, 25]
    assert counts_of(folds.drop(columns="repeat"))[0][0].tolist() == [20, 5, 5, 25]
    assert counts_of(folds[folds["repeat"] == 0])[0][0].tolist() == [20, 5, 5, 20]
    with pytest.raises(
        bc.InputError, match="repeats must be 3, as the labels of counts_first have it"
    ):
        counts_of(folds, repeats=2)
    with pytest.raises(bc.InputError, match=r"counts_second must have as many repeats .*3 .got 1"):
        counts_of(folds, FIRST)


def test_repeated_items_of_a_joint_table():
    joint = np.arange(8).reshape(2, 2, 2)
    actual, notes = read_counts(None, None, 3 * joint, None, 3)
    np.testing.assert_array_equal(actual, joint)
    assert "3 repeats" in notes[0]
    for bad in (0, 1.5, "two"):
        with pytest.raises(bc.InputError, match=r"repeats(=| must)"):
            read_counts(None, None, joint, None, bad)


def test_labelled_counts_are_read_by_name():
    """In any order: scikit-learn's ravel() is tn, fp, fn, tp."""
    import pandas as pd

    tp, fn, fp, tn = FIRST
    labelled = {"tn": tn, "fp": fp, "fn": fn, "tp": tp}
    rows = pd.DataFrame([labelled, labelled])
    for form, times in (
        (pd.Series(labelled), 1),
        (labelled, 1),
        (rows, 2),
        ({k: [v, v] for k, v in labelled.items()}, 2),
    ):
        counts = confusion(form, SECOND, rope=0.01, seed=1, repeats=times).counts * times
        assert counts[0].tolist() == [times * c for c in FIRST]
    assert confusion(pd.Series(FIRST), SECOND, rope=0.01).counts[0].tolist() == list(FIRST)
    with pytest.raises(bc.InputError, match="got no 'tn'"):
        confusion(pd.Series({"tp": 1, "fn": 2, "fp": 3}), SECOND, rope=0.01)


CELLS = (40.0, 10.0, 5.0, 45.0)


def recall(tp, fn, fp, tn):
    return tp / (tp + fn)


def test_names_functions_and_counts():
    metrics = chosen_metrics(["accuracy", recall, "fp", "fpr"])
    assert [m.name for m in metrics] == ["accuracy", "recall", "fp", "fpr"]
    assert [m.function(*CELLS) for m in metrics] == pytest.approx([0.85, 0.8, 5, 0.1])
    assert [m.by_name for m in metrics] == [True, False, True, True]
    assert [m.direction.lower for m in metrics][1::2] == [False, True]


def test_what_is_no_metric():
    for metric, lower, message in [
        ("accurracy", None, "accuracy"),
        ([], None, r"metric must .*got \[\]"),
        (3, None, "metric must be"),
        (["fp", "fp"], None, "metric must have names that differ"),
        (["fp", "fn"], [True], "1 for 2 metrics"),
    ]:
        with pytest.raises(bc.InputError, match=message):
            chosen_metrics(metric, lower)


COUNTS = np.array([[20.0, 5, 5, 20], [22, 3, 2, 23]])


def test_cells_have_the_mean_of_their_dirichlet():
    cells = drawn_cells(COUNTS, np.array([1.0, 2, 3, 4]), 40_000, 1)
    assert cells.shape == (2, 4, 10_000, 4)
    wanted = 50 * (COUNTS + np.arange(1, 5)) / 60
    assert cells.mean(axis=(1, 2)) == pytest.approx(wanted, abs=0.1)


def test_paired_cells_are_the_margins_of_one_table():
    table = np.arange(1.0, 9).reshape(2, 2, 2)
    cells = drawn_cells(table, np.ones(4), 40_000, 1)
    weights = table + joint_prior(np.ones(4))
    share = 36 * weights / weights.sum()
    first, second = share.sum(axis=2), share.sum(axis=1)
    for drawn, t in zip(cells, (first, second), strict=True):
        wanted = [t[1, 1], t[1, 0], t[0, 1], t[0, 0]]
        assert drawn.mean(axis=(0, 1)) == pytest.approx(wanted, abs=0.1)


def test_lower_is_better_flips_the_difference_only():
    cells = drawn_cells(COUNTS, np.ones(4), 400, 1)
    higher, lower = (compare_metrics(cells, chosen_metrics("fp", flag)) for flag in (False, True))
    np.testing.assert_array_equal(lower["delta"], -higher["delta"])
    np.testing.assert_array_equal(lower["first"], cells[0][..., 2:3])


FIRST, SECOND = (40, 10, 5, 45), (45, 5, 6, 44)


def test_density_integrates_to_one():
    x, y = confusion(FIRST, SECOND, "f1", rope=0.01, seed=1).density()
    assert np.sum((y[1:] + y[:-1]) / 2 * np.diff(x)) == pytest.approx(1, abs=0.01)


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
    counts = [
        [int(((truth == t) & (p == t2)).sum()) for t, t2 in ((1, 1), (1, 0), (0, 1), (0, 0))]
        for p in (first, second)
    ]
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


def test_two_algorithms_named_in_the_other_order():
    """At 24bf92b four weights went by the first's prediction: P(right) was .982 or .759."""
    for prior in [1.0, 0.5, (0.2, 3.0, 1.5, 0.1)]:
        joint = np.array([[[9, 2], [4, 1]], [[1, 3], [0, 6]]])
        options = {"metric": "accuracy", "rope": 0.02, "prior": prior}
        v = confusion(joint=joint, seed=1, **options).verdict()
        w = confusion(joint=np.swapaxes(joint, 1, 2), seed=2, **options).verdict().swapped()
        for region, p in v.probabilities.items():
            assert abs(p - w.probabilities[region]) < 4.5 * np.hypot(
                v.errors[region], w.errors[region]
            )


def test_the_joint_prior_has_the_weights_of_each_table():
    """Against Dirichlet draws by SciPy: each algorithm alone has the prior's own posterior."""
    prior = np.array([0.2, 3.0, 1.5, 0.1])
    weights = joint_prior(prior)
    np.testing.assert_allclose(weights, np.swapaxes(weights, 1, 2))
    for axis in (1, 2):
        (tn, fp), (fn, tp) = weights.sum(axis=axis)
        np.testing.assert_allclose([tp, fn, fp, tn], prior)
    joint = np.array([[[9, 2], [4, 1]], [[1, 3], [0, 6]]])
    post = confusion(joint=joint, metric="tpr", rope=0, prior=prior, seed=1)
    for part, (tp, fn) in (("first", (6, 4)), ("second", (9, 1))):
        tpr = stats.beta(tp + 0.2, fn + 3.0)
        assert stats.kstest(post.draws[part].ravel(), tpr.cdf).pvalue > 1e-3


def test_a_function_is_taken_as_it_is():
    """delta is its second less its first value, whichever way is better; not a multiple of it."""

    def sum_of_right(tp, fn, fp, tn):
        return tp + tn

    post = confusion(FIRST, SECOND, sum_of_right, rope=1.0, seed=1, draws=1000)
    np.testing.assert_array_equal(post.draws["delta"], post.draws["second"] - post.draws["first"])
    lower = confusion(
        FIRST, SECOND, sum_of_right, rope=1.0, seed=1, draws=1000, lower_is_better=True
    )
    np.testing.assert_array_equal(lower.draws["delta"], -post.draws["delta"])


def test_without_items_expected_counts_are_of_one():
    post = confusion((0, 0, 0, 0), (0, 0, 0, 0), "tp", rope=0.1, seed=1, draws=1000)
    whole = confusion(
        (0, 0, 0, 0),
        (0, 0, 0, 0),
        lambda tp, fn, fp, tn: tp + fn + fp + tn,
        rope=0.1,
        seed=1,
        draws=1000,
    )
    np.testing.assert_allclose(whole.draws["first"], 1.0)
    assert post.draws["first"].max() < 1


@settings(max_examples=10)
@given(st.lists(st.integers(0, 12), min_size=8, max_size=8), st.integers(0, 10_000))
def test_swap_rope_and_order_of_items(cells, seed):
    joint = np.array(cells).reshape(2, 2, 2)
    options = {"metric": ["accuracy", "fpr"], "seed": seed, "draws": 8000}
    post = confusion(joint=joint, rope=[(-0.01, 0.03), 0.05], **options)
    turned = confusion(joint=np.swapaxes(joint, 1, 2), rope=[(-0.03, 0.01), 0.05], **options)
    v, w = post.verdict(), turned.verdict().swapped()
    for region, p in v.probabilities.items():
        assert abs(p - w.probabilities[region]) < 5 * np.hypot(v.errors[region], w.errors[region])
    again = confusion(joint=joint, rope=0.1, **options)
    assert post.verdict(0.1).probabilities == again.verdict().probabilities
    if joint.sum():
        items = np.repeat(np.stack(np.unravel_index(np.arange(8), (2, 2, 2))), cells, axis=1)
        order = np.random.default_rng(seed).permutation(items.shape[1])
        by_item = confusion(
            predictions=tuple(items[:, order]), rope=[(-0.01, 0.03), 0.05], **options
        )
        assert by_item.verdict().probabilities == v.probabilities


@each_row(
    ("options", "message"),
    [
        ({"counts_first": None}, "counts_first must be given with counts_second, tp, fn, fp, tn"),
        ({"counts_first": (1, 2, 3)}, "shape"),
        ({"counts_first": (1, 2, 3, -4)}, "negative"),
        ({"counts_first": ("a", 2, 3, 4)}, "counts_first must hold real numbers"),
        ({"counts_first": {"tp": 1}}, "got no 'fn'"),
        ({"metric": lambda tp, fn, fp, tn: 1.0}, "element by"),
        (
            {"metric": lambda tp, fn, fp, tn: tp * np.nan},
            "metric 'metric' must be finite in every draw",
        ),
        ({"metric": ["f1", "f1"]}, "metric must have names that differ"),
        ({"metric": ["f1", "tpr"], "lower_is_better": [True]}, "1 for 2 metrics"),
        ({"prior": 0}, "prior"),
        ({"draws": 3}, "draws"),
        ({"rope": -1}, "rope must be"),
        ({"joint": np.zeros((2, 2))}, "shape"),
        ({"joint": np.ones((2, 2, 2))}, "with this joint table"),
        ({"predictions": ([0, 1], [1, 0])}, "three vectors"),
        ({"predictions": ([0, 2], [1, 0], [1, 1])}, "other than 0 and 1"),
        (
            {"predictions": ([0], [0], [0]), "joint": np.ones((2, 2, 2))},
            "hold the same information",
        ),
    ],
)
def test_bad_input(options, message):
    given = {"counts_first": FIRST, "counts_second": SECOND, "rope": 0.01, **options}
    with pytest.raises(bc.InputError, match=message):
        confusion(**given)


@each_row(
    ("options", "message"),
    [
        ({"draws": "many"}, "draws must be"),
        ({"draws": float("nan")}, "draws must be"),
        ({"metric": 5}, "metric must be"),
        ({"metric": []}, r"metric must be a name, .*got \[\]"),
    ],
)
def test_refused_with_a_word(options, message):
    with pytest.raises(bc.InputError, match=message):
        confusion(FIRST, SECOND, rope=0.01, **options)


@each_row(
    ("predictions", "message"),
    [
        (5, "three vectors of 0 and 1"),
        (([1, 0], [1, 0]), "three vectors of 0 and 1"),
        (([1, -1], [1, -1], [1, 1]), "other than 0 and 1"),
    ],
)
def test_predictions_refused(predictions, message):
    with pytest.raises(bc.InputError, match=message):
        confusion(predictions=predictions, rope=0.01)


def test_one_metric_is_drawn_as_its_density():
    posterior = bc.bayesian.confusion(FIRST, SECOND, "accuracy", rope=0.02, seed=1)
    ax = posterior.plot()
    assert tuple(ax.figure.get_size_inches()) == pytest.approx(posterior.figure_size())
    assert posterior.figure_size() == (3.4, 2.3)
    text = " ".join(t.get_text() for t in ax.texts)
    assert f"{posterior.verdict().p_right:.3f}" in text
