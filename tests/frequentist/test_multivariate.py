"""Hotelling's tests of two algorithms: R, textbooks, SciPy, invariances, dependence, input."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.errors import InputError
from bayescmp.frequentist.multivariate import hotelling_all_pairs
from tests.frequentist.conftest import mixing
from tests.rows import each_row


def normal(seed, n=12, p=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) @ mixing(rng, p) + rng.normal(size=p)


def test_univariate_tests(counts):
    d = counts[1] - counts[0]
    table = f.hotelling_paired(d, metrics=["tp", "fp", "auc"]).univariate("holm")
    t = stats.ttest_1samp(d, 0)
    assert table["t"].to_numpy() == pytest.approx(t.statistic)
    assert table["pvalue"].to_numpy() == pytest.approx(t.pvalue)
    assert table["adjusted"].to_numpy() == pytest.approx(f.adjust(t.pvalue, "holm"))
    corrected = f.hotelling_paired(d, rho=0.125, metrics=["tp", "fp", "auc"]).univariate("none")
    assert corrected.loc["fp", "pvalue"] == pytest.approx(f.corrected_t(d[:, 1], rho=0.125).pvalue)


def test_intervals():
    """Bonferroni's are t intervals at 1 - α/p; T²'s are those of the worst direction, wider."""
    x = normal(3)
    result = f.hotelling_paired(x)
    single = [stats.ttest_1samp(c, 0).confidence_interval(1 - 0.05 / 3) for c in x.T]
    actual = result.confidence_interval(method="bonferroni")[["low", "high"]].to_numpy()
    assert actual == pytest.approx(np.array(single))
    widths = {
        m: (t := result.confidence_interval(method=m))["high"] - t["low"]
        for m in ("none", "bonferroni", "T2")
    }
    assert (widths["none"] < widths["bonferroni"]).all()
    assert (widths["bonferroni"] < widths["T2"]).all()
    critical = 11 * 3 / 9 * stats.f.isf(0.05, 3, 9)
    half = np.sqrt(critical * x.var(axis=0, ddof=1) / 12)
    assert (widths["T2"] / 2).to_numpy() == pytest.approx(half)


def test_bad_interval():
    result = f.hotelling_paired(normal(1))
    with pytest.raises(InputError, match="level"):
        result.confidence_interval(95)
    with pytest.raises(InputError, match=r"method must be .*\(got 'tukey'\)"):
        result.confidence_interval(method="tukey")


#: Johnson & Wichern 2007, example 6.1 (table 6.1): BOD and SS, commercial and state laboratory.
EFFLUENT = np.array(
    [
        [6, 27, 25, 15],
        [6, 23, 28, 13],
        [18, 64, 36, 22],
        [8, 44, 35, 29],
        [11, 30, 15, 31],
        [34, 75, 44, 64],
        [28, 26, 42, 30],
        [71, 124, 54, 64],
        [43, 54, 34, 56],
        [33, 30, 29, 20],
        [20, 14, 39, 21],
    ],
    dtype=float,
)


# Values from outside.


def test_effluent_as_printed(reference_dir):
    """Johnson & Wichern 2007, ex. 6.1: d̄ = (-9.36, 13.27), T² = 13.6 against 9.47; intervals."""
    frame = pd.read_csv(reference_dir / "effluent_johnson_wichern.csv")
    columns = ["bod_commercial", "ss_commercial", "bod_state", "ss_state"]
    assert np.array_equal(frame[columns].to_numpy(), EFFLUENT)
    result = f.hotelling_paired(EFFLUENT[:, :2] - EFFLUENT[:, 2:])
    assert result.statistic == pytest.approx(13.6, abs=0.05)
    assert result.mean == pytest.approx([-9.36, 13.27], abs=0.005)
    printed = np.array([[199.26, 88.38], [88.38, 418.61]])
    assert result.covariance == pytest.approx(printed, abs=0.11)
    assert result.df == (2, 9)
    assert result.pvalue == pytest.approx(0.0208, abs=5e-5)  # F(2, 9) of 6.137690
    intervals = result.confidence_interval(0.95)[["low", "high"]].to_numpy()
    assert intervals == pytest.approx(np.array([[-22.46, 3.74], [-5.71, 32.25]]), abs=0.02)


def test_as_in_r(counts, mr):
    """R 4.2.2: summary(manova(d ~ 1), "Hotelling-Lawley", intercept = TRUE), and two groups."""
    for pair in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]:
        i, j = pair
        paired = f.hotelling_paired(counts[j] - counts[i])
        actual = [paired.statistic, paired.f, *paired.df, paired.pvalue]
        assert actual == pytest.approx(mr[f"paired_{i + 1}{j + 1}"], rel=1e-8)
        two = f.hotelling_two_sample(counts[i], counts[j])
        actual = [two.statistic, two.f, *two.df, two.pvalue]
        assert actual == pytest.approx(mr[f"two_sample_{i + 1}{j + 1}"], rel=1e-8)


def test_confusion_counts_as_in_r(confusion_counts, of_confusion_counts):
    """R 4.2.2 on the cross-validated table: T², F, degrees of freedom, p of pairs."""
    known = of_confusion_counts("pairedT2")
    assert len(known) == 18
    for (dataset, metrics, _, *pair), expected in known:
        blocks = bc.scores_blocks(
            confusion_counts, dataset=dataset, metrics=metrics.split("_"), algorithms=pair
        )
        result = f.hotelling_paired(blocks, rho=0.0)
        actual = [result.statistic, result.f, *result.df, result.pvalue]
        wanted = [expected[k] for k in ("T2", "F", "df1", "df2", "p")]
        assert actual == pytest.approx(wanted, rel=1e-8), (dataset, metrics, pair)


def sample_of(S):
    """Thirty vectors of mean 0 and covariance S."""
    rng = np.random.default_rng(0)
    columns = np.column_stack([np.ones(30), rng.normal(size=(30, 2))])
    white = np.linalg.qr(columns)[0][:, 1:] * np.sqrt(29)
    return white @ np.linalg.cholesky(S).T


def test_thesis_pageblock_c45_ripper():
    """Aslan 2009, tables 5.4 and 5.5: with Bonferroni over ten pairs the test does not reject."""
    S = np.array([[0.0399, -0.0395], [-0.0395, 0.1074]])  # of (FP, FN)
    sample = sample_of(S)
    result = f.hotelling_two_sample(sample, sample - np.array([0.0362, 0.1888]))
    det = 0.0399 * 0.1074 - 0.0395**2
    squared = (0.0362**2 * 0.1074 + 2 * 0.0362 * 0.1888 * 0.0395 + 0.1888**2 * 0.0399) / det
    assert result.statistic == pytest.approx(15 * squared)
    assert result.pvalue < 0.05 < 10 * result.pvalue


def test_thesis_report_knn_ripper():
    """Aslan 2009, tables 5.1 and 5.2: 30 folds each, pooled S of (FP, FN), the test rejects.

    The data are made to have just these means and this covariance; by hand D² = 1.598391, so
    T² = 23.975861 and F = 11.781242 with 2 and 57 degrees of freedom.
    """
    S = np.array([[0.1388, -0.1554], [-0.1554, 0.2062]])
    sample = sample_of(S)
    result = f.hotelling_two_sample(sample, sample + np.array([0.4558, -0.4531]))
    assert result.covariance == pytest.approx(S)
    assert result.distance**2 == pytest.approx(1.598391, abs=5e-7)
    assert result.statistic == pytest.approx(23.975861, abs=5e-6)
    assert result.f == pytest.approx(11.781242, abs=5e-6)
    assert result.pvalue == pytest.approx(5.21972e-05, rel=1e-5)
    # all four counts of the thesis's table: rank two, the same test
    four = np.column_stack([-sample[:, 1], sample[:, 0], -sample[:, 0], sample[:, 1]])
    shift = np.array([0.4531, 0.4558, -0.4558, -0.4531])
    both = f.hotelling_two_sample(four, four + shift, metrics=["tp", "fp", "tn", "fn"])
    assert both.rank == 2
    assert both.dependent == ("tn", "fn")
    assert both.statistic == pytest.approx(result.statistic, rel=1e-10)


# Reductions.


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000), n=st.integers(2, 20))
def test_one_metric_is_the_t_test(seed, n):
    x, y = normal(seed, n, 1), normal(seed + 1, n + 2, 1)
    paired, t = f.hotelling_paired(x), stats.ttest_1samp(x[:, 0], 0)
    assert paired.statistic == pytest.approx(t.statistic**2, rel=1e-12)
    assert paired.pvalue == pytest.approx(t.pvalue, rel=1e-10)
    two, t = f.hotelling_two_sample(x, y), stats.ttest_ind(x[:, 0], y[:, 0])
    assert two.statistic == pytest.approx(t.statistic**2, rel=1e-12)
    assert two.pvalue == pytest.approx(t.pvalue, rel=1e-10)
    corrected = f.corrected_t(x[:, 0], rho=0.1)
    result = f.hotelling_paired(x[:, 0], rho=0.1)
    assert result.statistic == pytest.approx(corrected.statistic**2, rel=1e-12)
    assert result.pvalue == pytest.approx(corrected.pvalue, rel=1e-10)
    interval = result.confidence_interval(0.9).loc["m1", ["low", "high"]].to_numpy()
    assert interval == pytest.approx(corrected.confidence_interval(0.9), rel=1e-7, abs=1e-7)


def test_definition():
    """T² = d̄ᵀS⁻¹d̄/c, the direction S⁻¹d̄, by the inverse matrix."""
    x = normal(5)
    result = f.hotelling_paired(x, rho=0.2)
    mean, S = x.mean(axis=0), np.cov(x.T)
    c = 1 / 12 + 0.2 / 0.8
    assert result.statistic == pytest.approx(mean @ np.linalg.inv(S) @ mean / c, rel=1e-10)
    w = np.linalg.inv(S) @ mean
    assert result.weights == pytest.approx(w)
    assert result.direction == pytest.approx(w / np.linalg.norm(w))
    sd = np.sqrt(np.diag(S))
    assert result.standardised == pytest.approx(w * sd / np.linalg.norm(w * sd))


def test_the_direction_separates_most():
    """No linear combination of the metrics has a larger t than the direction's, which is T."""
    x = normal(8)
    result = f.hotelling_paired(x)
    best = stats.ttest_1samp(x @ result.direction, 0).statistic
    assert best == pytest.approx(np.sqrt(result.statistic))
    others = x @ np.random.default_rng(0).normal(size=(3, 500))
    assert np.abs(stats.ttest_1samp(others, 0).statistic).max() < best


# What multivariate tests are for.


def test_error_hides_what_rates_show_and_the_reverse():
    """More false positives for fewer false negatives: error is the same, (tpr, fpr) is not.

    And a small difference in error that many metrics dilute: there the t test alone rejects.
    """
    rng = np.random.default_rng(4)
    base = rng.normal(0.8, 0.02, size=(10, 2))
    trade = base + 0.03 + rng.normal(0, 0.02, size=(10, 2))
    fold = np.arange(10)
    rows = [
        {
            "algorithm": a,
            "fold": k,
            "tp": 1000 * t,
            "fn": 1000 * (1 - t),
            "fp": 1000 * (1 - s),
            "tn": 1000 * s,
        }
        for a, scores in (("a", base), ("b", trade * [1, -1] + [0, 1.6]))
        for k in fold
        for t, s in [scores[k]]
    ]
    scores = bc.Scores(pd.DataFrame(rows))
    error = f.hotelling_paired(bc.scores_blocks(scores, metrics=["error"]))
    rates = f.hotelling_paired(bc.scores_blocks(scores, metrics=["tpr", "fpr"]))
    assert error.pvalue > 0.05 > rates.pvalue
    shifted = rng.normal(0, 1, size=(10, 5))
    shifted[:, 0] += 0.8 - shifted[:, 0].mean()
    assert f.paired_t(shifted[:, 0]).pvalue < 0.05 < f.hotelling_paired(shifted).pvalue


# Invariances.

MAPS = hnp.arrays(float, (3, 3), elements=st.floats(-3, 3, width=32))


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), A=MAPS, rho=st.sampled_from([0.0, 0.1]))
def test_linear_maps_leave_t2(seed, A, rho):
    A = A + 4 * np.sign(np.trace(A) or 1) * np.eye(3)
    if np.linalg.cond(A) > 1e4:
        return
    x, y = normal(seed), normal(seed + 1)
    for test in (
        lambda m: f.hotelling_paired(x @ m, rho=rho),
        lambda m: f.hotelling_two_sample(x @ m, y @ m, rho=rho),
    ):
        plain, mapped = test(np.eye(3)), test(A)
        assert mapped.statistic == pytest.approx(plain.statistic, rel=1e-8)
        assert mapped.rank == 3


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000), scale=st.lists(st.integers(-9, 9), min_size=3, max_size=3))
def test_units_do_not_matter(seed, scale):
    """The rank is decided on standardised metrics, whatever their units."""
    x = normal(seed)
    x = np.column_stack([x, x[:, 0] + x[:, 1]])
    units = 10.0 ** np.array([*scale, 0])
    result = f.hotelling_paired(x * units)
    assert result.rank == 3
    assert result.statistic == pytest.approx(f.hotelling_paired(x[:, :3]).statistic, rel=1e-8)


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000))
def test_order_of_folds_and_of_algorithms(seed):
    rng = np.random.default_rng(seed)
    x, y = normal(seed), normal(seed + 1)
    plain = f.hotelling_paired(y - x, rho=0.1)
    shuffled = f.hotelling_paired((y - x)[rng.permutation(12)][:, [2, 0, 1]], rho=0.1)
    assert shuffled.statistic == pytest.approx(plain.statistic, rel=1e-8)
    swapped = f.hotelling_paired(x - y, rho=0.1)
    assert swapped.statistic == pytest.approx(plain.statistic, rel=1e-8)
    assert swapped.mean == pytest.approx(-plain.mean)


def test_flipping_metrics_leaves_t2_and_says_which(counts):
    blocks = bc.Blocks(counts, metrics=["tp", "fp", "auc"], rho=0.0).pair(0, 1)
    result = f.hotelling_paired(blocks)
    bare = f.hotelling_paired(counts[1] - counts[0])
    assert result.statistic == pytest.approx(bare.statistic, rel=1e-12)
    assert result.flipped == ("fp",)
    assert result.mean == pytest.approx(bare.mean * [1, -1, 1])
    assert result.names == ("A1", "A2")


# Dependent and constant metrics.


def test_all_four_counts_are_two(counts):
    tp, fp = counts[:, :, 0], counts[:, :, 1]
    four = np.stack([tp, 20 - tp, fp, 30 - fp], axis=-1)
    names = ["tp", "fn", "fp", "tn"]
    result = f.hotelling_paired(four[1] - four[0], metrics=names)
    two = f.hotelling_paired((four[1] - four[0])[:, [0, 2]])
    assert result.rank == 2
    assert result.df == two.df
    assert result.statistic == pytest.approx(two.statistic, rel=1e-12)
    assert result.pvalue == pytest.approx(two.pvalue, rel=1e-10)
    assert result.dependent == ("fn", "tn")
    assert "'fn' and 'tn' are each a linear combination of 'tp' and 'fp'" in str(result)
    assert "rank 2 of 4 metrics" in str(result)
    # the shortest direction gives a count and its complement opposite weights
    assert result.direction[1] == pytest.approx(-result.direction[0])
    assert result.direction[3] == pytest.approx(-result.direction[2])
    combined = (four[1] - four[0]) @ result.direction
    t = stats.ttest_1samp(combined, 0).statistic
    assert t**2 == pytest.approx(result.statistic)


def test_dependence_survives_rounding():
    """Rates are quotients: tpr + fnr is 1 up to rounding only."""
    rng = np.random.default_rng(1)
    tpr = rng.integers(30, 50, size=(2, 10)) / 53
    fpr = rng.integers(1, 20, size=(2, 10)) / 47
    x = np.stack([tpr, 1 - tpr, fpr, 1.0 - fpr, (tpr + 1 - fpr) / 2], axis=-1)
    result = f.hotelling_paired(
        bc.Blocks(x, metrics=["tpr", "fnr", "fpr", "tnr", "balanced_accuracy"])
    )
    assert result.rank == 2
    assert result.dependent == ("fnr", "tnr", "balanced_accuracy")
    two = f.hotelling_paired(bc.Blocks(x[:, :, [0, 2]]))
    assert result.statistic == pytest.approx(two.statistic, rel=1e-9)


def test_constant_metric():
    x = normal(2)
    quiet = f.hotelling_paired(np.column_stack([x, np.zeros(12)]), metrics=["a", "b", "c", "d"])
    assert quiet.constant == ("d",)
    assert quiet.rank == 3
    assert quiet.statistic == pytest.approx(f.hotelling_paired(x).statistic, rel=1e-10)
    assert "'d' does not vary" in str(quiet)
    assert quiet.univariate().loc["d", "pvalue"] == 1
    loud = f.hotelling_paired(np.column_stack([x, np.full(12, 0.8 - 0.7)]))
    assert loud.statistic == np.inf
    assert loud.pvalue == 0
    assert loud.direction == pytest.approx([0, 0, 0, 1])
    assert "T² is infinite" in str(loud)
    assert loud.to_dict()["statistic"] is None


def test_whole_difference_constant_or_zero():
    """As paired_t: p is 1 where nothing differs, 0 where all folds differ by the same."""
    zero = f.hotelling_paired(np.zeros((5, 2)))
    assert (zero.statistic, zero.pvalue, zero.rank) == (0, 1, 0)
    assert f.paired_t(np.zeros(5)).pvalue == 1
    same = f.hotelling_paired(np.full((5, 2), 0.1))
    assert (same.statistic, same.pvalue, same.rank) == (np.inf, 0, 0)
    assert f.paired_t(np.full(5, 0.1)).pvalue == 0
    assert zero.confidence_interval()["low"].tolist() == [0, 0]


def test_difference_without_error_in_a_combination():
    """x + y differs by the same amount in every fold though neither x nor y does."""
    x = normal(6, p=1)
    result = f.hotelling_paired(np.column_stack([x, 0.3 - x]))
    assert result.statistic == np.inf
    assert abs(result.direction) == pytest.approx([np.sqrt(0.5)] * 2)
    assert f.hotelling_paired(np.column_stack([x, -x])).rank == 1


# Input.


def test_labels(counts):
    frame = pd.DataFrame(counts[1] - counts[0], columns=["tp", "fp", "auc"])
    result = f.hotelling_paired(frame, names=["knn", "svm"])
    assert result.metrics == ("tp", "fp", "auc")
    assert "difference: svm minus knn" in str(result)
    page = f.hotelling_paired(frame, names=["a", "<b>"])._repr_html_()
    assert "<table" in page
    assert "&lt;b&gt; minus a" in page
    assert json.dumps(result.to_dict())
    blocks = bc.Blocks(counts[:2], metrics=["tp", "fp", "auc"], rho=0.2)
    assert f.hotelling_paired(blocks).rho == 0.2
    assert f.hotelling_paired(blocks, rho=0.0).rho == 0
    some = f.hotelling_paired(blocks, metrics=["fp", "tp"], names=["A2", "A1"])
    assert some.metrics == ("fp", "tp")
    assert some.names == ("A2", "A1")


def test_input_is_left_alone(counts):
    before = counts.copy()
    f.hotelling_paired(counts[0])
    f.hotelling_two_sample(counts[0], counts[1])
    assert np.array_equal(before, counts)


def test_too_few_folds_name_what_to_drop():
    for p in [5, 6, 8]:
        x = normal(1, n=5, p=p)
        x[:, 3] = x[:, 0] + 1e-3 * x[:, 3]  # tells what the first does
        names = list("abcdefgh"[:p])
        with pytest.raises(InputError, match=rf"got {p} metrics and 5 folds.*Drop {p - 4} of"):
            f.hotelling_paired(x, metrics=names)
        with pytest.raises(InputError, match=r"determined by the others: .*'(a|d)'"):
            f.hotelling_paired(x[:, :5], metrics=names[:5])
        with pytest.raises(InputError, match=r"x must have .* and 5 folds"):
            hotelling_all_pairs(np.stack([x, np.zeros_like(x)]))


def test_many_dependent_metrics_need_few_folds():
    """What counts is the rank: five folds carry eight metrics of rank two."""
    x = normal(1, n=5, p=2)
    result = f.hotelling_paired(x @ np.random.default_rng(2).normal(size=(2, 8)))
    assert result.rank == 2
    assert result.statistic == pytest.approx(f.hotelling_paired(x).statistic, rel=1e-8)


@each_row(
    ("x", "options", "message"),
    [
        (np.ones((1, 2)), {}, "x must have at least 2 folds"),
        (np.ones((3, 2, 2)), {}, r"x must have shape .* \(got shape \(3, 2, 2\)\)"),
        ("scores", {}, "x must hold real numbers"),
        (normal(1), {"rho": 1.0}, "rho must be at least 0"),
        (normal(1), {"metrics": ["a", "b"]}, "metrics must be .*3 different names"),
        (normal(1), {"metrics": ["a", "b", "a"]}, "metrics must have different names .*'a' twice"),
        (normal(1), {"names": ["a", "a"]}, "names must be of two different algorithms"),
        (bc.Blocks(np.ones((3, 4, 2))), {}, "x must have two algorithms for hotelling_paired"),
    ],
)
def test_bad_input(x, options, message):
    with pytest.raises(InputError, match=message):
        f.hotelling_paired(x, **options)


def test_two_samples_from_blocks(counts):
    blocks = bc.Blocks(counts, metrics=["tp", "fp", "auc"], rho=0.1)
    result = f.hotelling_two_sample(blocks.pair("A2", "A3"))
    bare = f.hotelling_two_sample(counts[1], counts[2], rho=0.1)
    assert result.statistic == pytest.approx(bare.statistic, rel=1e-10)
    assert result.mean == pytest.approx(bare.mean * [1, -1, 1])
    assert result.names == ("A2", "A3")
    with pytest.raises(InputError, match=r"Blocks of two algorithms, .* \(got 4 algorithms\)"):
        f.hotelling_two_sample(blocks)
    with pytest.raises(
        InputError, match=r"y must be given: the scores of the second algorithm, \(n, p\)\."
    ):
        f.hotelling_two_sample(counts[0])


def test_bad_second_sample():
    with pytest.raises(InputError, match="y must have as many metrics as x"):
        f.hotelling_two_sample(normal(1), normal(2, p=2))
    with pytest.raises(
        InputError, match=r"y must be finite \(got nan for metric 'm1' in fold 1 of 4"
    ):
        f.hotelling_two_sample(normal(1), np.full((4, 3), np.nan))
    with pytest.raises(InputError, match="4 folds"):
        f.hotelling_two_sample(normal(1, n=2), normal(2, n=2))


def test_three_folds_of_counts_on_a_line_are_said_to_be_chance():
    """(1, 0), (0, 1), (1, 0): their sum is 1 in every fold, by coincidence."""
    x = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    result = f.hotelling_paired(x)
    assert result.pvalue == 0
    assert "which may be random with so few folds" in result.notes[-1]
    pairs = f.pairwise_hotelling(np.stack([0 * x, x, 2 * x]))
    assert "which may be random with so few folds" in pairs.notes[-1]
    assert "random" not in f.hotelling_paired(np.tile(x, (2, 1))).notes[-1]
