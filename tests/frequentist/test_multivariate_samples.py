"""Frames of scores: metrics are told by their names, not by their places."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.base.whitening import whiten
from bayescmp.errors import InputError
from bayescmp.frequentist.multivariate import hotelling_all_pairs
from bayescmp.frequentist.multivariate_samples import Dependence, hotelling_f
from tests.frequentist.conftest import mixing
from tests.rows import each_row


def test_each_kind_has_its_sentence():
    """b is -2a and d is constant: two of the four metrics are left."""
    a, c = np.random.default_rng(4).normal(size=(2, 10))
    x = np.column_stack([a, -2 * a, c, np.zeros(10)])
    x -= x.mean(axis=0)
    dependence = Dependence.from_residuals(x, whiten(x, np.ones(4)), ("a", "b", "c", "d"))
    assert (dependence.constant, dependence.dependent, dependence.rank) == (("d",), ("b",), 2)
    assert dependence.notes == ("'d' does not vary", "'b' is a linear combination of 'a' and 'c'")
    assert dependence.notes_with_rank[2] == "tested in the subspace of rank 2 of 4 metrics"


def test_several_of_a_kind_are_named_together():
    x = np.column_stack([np.arange(4.0), 3 * np.arange(4.0), -np.arange(4.0), *np.zeros((2, 4))])
    x -= x.mean(axis=0)
    dependence = Dependence.from_residuals(x, whiten(x, np.ones(5)), tuple("abcde"))
    assert dependence.notes[0] == "'d' and 'e' do not vary"
    assert dependence.notes[1] == "'b' and 'c' are each a linear combination of 'a'"


def test_nothing_is_said_of_independent_metrics():
    x = np.random.default_rng(0).normal(size=(9, 3))
    x -= x.mean(axis=0)
    dependence = Dependence.from_residuals(x, whiten(x, np.ones(3)), tuple("abc"))
    assert dependence.notes == dependence.notes_with_rank == ()


def test_f_of_t2():
    """Hotelling's own case: one metric is t², and rank 0 says all or nothing."""
    t2, rank = np.array([4.0, 0.0, np.inf, 7.0]), np.array([1, 0, 0, 3])
    f, below, p = hotelling_f(t2, rank, 9)
    assert p[0] == pytest.approx(2 * stats.t.sf(2, 9))
    assert p[1:3].tolist() == [1, 0]
    assert (f[3], below[3]) == (pytest.approx(7 * 7 / 27), 7)
    assert p[3] == pytest.approx(stats.f.sf(49 / 27, 3, 7))


def test_all_pairs_at_once(counts):
    tp, fp = counts[:, :, 0], counts[:, :, 1]
    x = np.stack([tp, 20 - tp, fp, counts[:, :, 2]], axis=-1)
    t2, pvalue, rank = hotelling_all_pairs(x, rho=0.1)
    places = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    for k, (i, j) in enumerate(places):
        one = f.hotelling_paired(x[j] - x[i], rho=0.1)
        assert t2[k] == pytest.approx(one.statistic, rel=1e-10)
        assert pvalue[k] == pytest.approx(one.pvalue, rel=1e-10)
        assert rank[k] == one.rank == 3


RNG = np.random.default_rng(4)
X, Y = RNG.normal(size=(9, 2)), RNG.normal([1.0, 3.0], size=(7, 2))
LEFT, RIGHT = (pd.DataFrame(v, columns=["tpr", "fpr"]) for v in (X, Y))


def test_metrics_of_a_frame_are_selected_by_name():
    swapped = f.hotelling_paired(LEFT, metrics=["fpr", "tpr"])
    assert swapped.metrics == ("fpr", "tpr")
    assert swapped.mean == pytest.approx(X.mean(axis=0)[::-1])
    one = f.hotelling_paired(LEFT, metrics=(m for m in ["fpr"]))
    assert one.mean == pytest.approx(X[:, 1].mean())
    assert f.mardia(LEFT, metrics=["fpr"]).metrics == ("fpr",)
    with pytest.raises(InputError, match=r"metric must be .*\(got 'auc'\)"):
        f.hotelling_paired(LEFT, metrics=["tpr", "auc"])


def test_two_frames_are_matched_by_name():
    expected = f.hotelling_two_sample(X, Y)
    result = f.hotelling_two_sample(LEFT, RIGHT[["fpr", "tpr"]])
    assert result.metrics == ("tpr", "fpr")
    assert result.mean == pytest.approx(Y.mean(axis=0) - X.mean(axis=0))
    assert result.pvalue == pytest.approx(expected.pvalue, rel=1e-12)
    with pytest.raises(InputError, match="y must have the metrics of the first sample, tpr, fpr"):
        f.hotelling_two_sample(LEFT, RIGHT.assign(auc=1.0))


def test_frames_of_several_algorithms_are_matched_by_name():
    one = f.manova([X, Y, X + 1], block=False)
    other = f.manova([LEFT, RIGHT[["fpr", "tpr"]], LEFT + 1], block=False)
    assert other.metrics == ("tpr", "fpr")
    assert other.means == pytest.approx(one.means)
    assert other.pvalue == pytest.approx(one.pvalue, rel=1e-12)
    some = f.manova([LEFT, RIGHT, LEFT + 1], metrics=["fpr"], block=False)
    assert some.means[:, 0] == pytest.approx(one.means[:, 1])


def test_what_holds_no_algorithms():
    for x in [LEFT, "scores", 3.0, []]:
        with pytest.raises(
            InputError, match=r"x must be an array .* of algorithms, folds and metric"
        ):
            f.manova(x, block=False)


def test_blocks_and_arrays_are_read_as_before():
    x = RNG.normal(size=(3, 6, 2))
    assert f.manova(bc.Blocks(x), block=False).pvalue == pytest.approx(
        f.manova(x.tolist(), block=False).pvalue
    )


def test_a_difference_without_error_is_not_said_to_be_left_out():
    x = np.concatenate([RNG.normal(size=(3, 6, 1)), np.ones((3, 6, 1))], axis=-1)
    x[1, :, 1] = 2.0
    for result in (f.manova(x, block=False), f.hotelling_paired(x[1] - x[0])):
        assert result.pvalue == 0
        assert not any("subspace" in note for note in result.notes)
        assert "infinite" in result.notes[-1]


# Mardia's tests: R's MVN and psych, the definition, invariance, level, bad input.


def normal(seed, n=20, p=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) @ mixing(rng, p)


@pytest.fixture
def iris(mr):
    return dict(zip(("setosa", "versicolor"), mr["iris"].reshape(3, 50, 4), strict=False))


def test_as_in_mvn(iris):
    """R's MVN, mvn(setosa, mvnTest = "mardia"), and its small-sample correction."""
    result = f.mardia(iris["setosa"])
    assert result.skewness_statistic == pytest.approx(25.664345, abs=1e-6)
    assert result.skewness_pvalue == pytest.approx(0.1771859, abs=1e-7)
    assert result.kurtosis_statistic == pytest.approx(1.294992, abs=1e-6)
    assert result.kurtosis_pvalue == pytest.approx(0.1953229, abs=1e-7)
    assert result.small_sample_statistic == pytest.approx(27.859728, abs=1e-6)
    assert result.small_sample_pvalue == pytest.approx(0.112762, abs=1e-6)
    assert result.normal()


def test_as_in_psych(iris):
    """R's psych::mardia: b1p, skew, small.skew, b2p, kurtosis; covariance with divisor n - 1."""
    for species, expected in [
        (
            "setosa",
            (
                2.89860908965433,
                24.1550757471194,
                26.2213533110296,
                25.4867649774467,
                0.758711575455192,
            ),
        ),
        (
            "versicolor",
            (
                2.84447176533876,
                23.703931377823,
                25.7316170739982,
                21.9733521107629,
                -1.03421942019156,
            ),
        ),
    ]:
        result = f.mardia(iris[species], ddof=1)
        actual = (
            result.skewness,
            result.skewness_statistic,
            result.small_sample_statistic,
            result.kurtosis,
            result.kurtosis_statistic,
        )
        assert actual == pytest.approx(expected, rel=1e-9)


def test_confusion_counts_as_in_psych(confusion_counts, of_confusion_counts):
    """R's psych::mardia on (tpr, fpr) and (precision, recall) of the cross-validated table."""
    known = of_confusion_counts("mardia")
    assert len(known) == 16
    for (dataset, metrics, _, algorithm), expected in known:
        blocks = bc.scores_blocks(
            confusion_counts, dataset=dataset, metrics=metrics.split("_"), algorithms=[algorithm]
        )
        result = f.mardia(blocks, ddof=1)
        actual = (
            result.skewness,
            result.skewness_statistic,
            result.skewness_pvalue,
            result.small_sample_statistic,
            result.small_sample_pvalue,
            result.kurtosis,
            abs(result.kurtosis_statistic),
            result.kurtosis_pvalue,
        )
        wanted = [
            expected[k]
            for k in ("b1p", "skew", "p_skew", "small_skew", "p_small", "b2p", "kurt", "p_kurt")
        ]
        wanted[6] = abs(wanted[6])
        assert actual == pytest.approx(wanted, rel=1e-8), (dataset, metrics, algorithm)


def test_definition():
    """Sums over all pairs, by the inverse of the covariance with divisor n."""
    x = normal(3)
    d = x - x.mean(axis=0)
    inverse = np.linalg.inv(np.cov(x.T, ddof=0))
    products = d @ inverse @ d.T
    result = f.mardia(x)
    assert result.skewness == pytest.approx((products**3).mean())
    assert result.kurtosis == pytest.approx((np.diag(products) ** 2).mean())


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000), n=st.integers(5, 30))
def test_one_metric(seed, n):
    """b₁ is the squared skewness and b₂ the kurtosis of SciPy."""
    x = normal(seed, n, 1)
    result = f.mardia(x)
    assert result.skewness == pytest.approx(stats.skew(x[:, 0]) ** 2, abs=1e-12)
    assert result.kurtosis == pytest.approx(stats.kurtosis(x[:, 0], fisher=False))
    assert result.df == 1


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000), ddof=st.sampled_from([0, 1]))
def test_linear_maps(seed, ddof):
    rng = np.random.default_rng(seed)
    A = mixing(rng, 3)
    x = normal(seed)
    plain = f.mardia(x, ddof=ddof)
    mapped = f.mardia(x[rng.permutation(20)] @ A + rng.normal(size=3), ddof=ddof)
    assert mapped.skewness == pytest.approx(plain.skewness, rel=1e-8)
    assert mapped.kurtosis == pytest.approx(plain.kurtosis, rel=1e-8)


def test_small_sample_factor():
    """Mardia 1974: with it the mean of the statistic is its degrees of freedom, for any n."""
    rng = np.random.default_rng(5)
    values = [f.mardia(rng.normal(size=(10, 2))).small_sample_statistic for _ in range(2000)]
    assert np.mean(values) == pytest.approx(4, abs=0.15)


@pytest.mark.slow
def test_simulated_p_values():
    """Exact under normality: uniform p-values where the limits reject far too seldom."""
    rng = np.random.default_rng(2)
    actual = [f.mardia(rng.normal(size=(10, 2)), simulations=199, seed=i) for i in range(300)]
    for name in ("skewness_pvalue", "kurtosis_pvalue"):
        share = np.mean([getattr(r, name) <= 0.2 for r in actual])
        assert share == pytest.approx(0.2, abs=0.09)
    limits = [f.mardia(rng.normal(size=(10, 2))).kurtosis_pvalue for _ in range(300)]
    assert np.mean(np.array(limits) < 0.05) < 0.02
    skewed = np.random.default_rng(1).exponential(size=(40, 2))
    one, other = (f.mardia(skewed, simulations=999, seed=4) for _ in range(2))
    assert one.skewness_pvalue == other.skewness_pvalue == 0.001
    assert not one.normal()


def test_simulated_p_values_by_the_definition():
    """From 2,000 normal samples of our own, within four standard errors of both."""
    x = normal(1)

    def moments(x):
        d = x - x.mean(axis=-2, keepdims=True)
        inverse = np.linalg.inv(np.swapaxes(d, -1, -2) @ d / d.shape[-2])
        g = d @ inverse @ np.swapaxes(d, -1, -2)
        return (g**3).mean(axis=(-2, -1)), (np.diagonal(g, axis1=-2, axis2=-1) ** 2).mean(axis=-1)

    own, drawn = moments(x), moments(np.random.default_rng(5).normal(size=(2000, *x.shape)))
    skewness = np.mean(drawn[0] >= own[0])
    kurtosis = 2 * min(np.mean(drawn[1] <= own[1]), np.mean(drawn[1] >= own[1]))
    result = f.mardia(x, simulations=999, seed=2)
    assert result.skewness_pvalue == pytest.approx(skewness, abs=4 * np.sqrt(0.25 * 3 / 2000))
    assert result.kurtosis_pvalue == pytest.approx(kurtosis, abs=4 * np.sqrt(3 / 2000))
    assert "p-values from 999 simulated normal samples" in str(result)


def test_dependent_metrics():
    x = normal(1)
    both = f.mardia(np.column_stack([x, x.sum(axis=1), np.ones(20)]), metrics=list("abcde"))
    plain = f.mardia(x)
    assert both.rank == 3
    assert both.skewness == pytest.approx(plain.skewness, rel=1e-8)
    assert both.df == plain.df
    assert "'d' is a linear combination of 'a', 'b' and 'c'" in str(both)
    assert "'e' does not vary" in str(both)


def test_blocks():
    x = np.stack([normal(1), normal(2), normal(3)])
    blocks = bc.Blocks(x, metrics=["tpr", "auc", "error"], rho=0.1)
    pair = f.mardia(blocks.pair(0, 1))
    assert pair.kurtosis == pytest.approx(f.mardia(x[1] - x[0]).kurtosis)
    assert pair.metrics == ("tpr", "auc", "error")
    one = f.mardia(blocks.select(algorithms=[2]))
    assert one.kurtosis == pytest.approx(f.mardia(x[2]).kurtosis)
    with pytest.raises(InputError, match="x must have one or two algorithms for mardia"):
        f.mardia(blocks)
    with pytest.raises(InputError, match="x must have at least 2 folds for manova"):
        f.manova(bc.Blocks(x[:, :1], metrics=blocks.metrics))


def test_shown():
    result = f.mardia(normal(1))
    assert list(result.frame.columns) == ["estimate", "statistic", "df", "pvalue"]
    title, _, *facts = str(result).splitlines()
    assert title == "Mardia's tests of multivariate normality"
    assert facts[:2] == ["metrics: m1, m2, m3", "n: 20"]
    assert "<table" in result._repr_html_()
    assert json.dumps(result.to_dict())


@each_row(
    ("x", "options", "message"),
    [
        (normal(1, 4), {}, "x must have at least 5 vectors of 3 metrics for mardia"),
        (np.ones((9, 2)), {}, "x must vary in at least one metric"),
        (normal(1), {"ddof": 2}, "ddof must be 0 .R's MVN. or 1"),
        (normal(1), {"simulations": 10}, "at least 99"),
        (normal(1), {"metrics": ["a"]}, "metrics must be .*3 different names"),
    ],
)
def test_bad_input(x, options, message):
    with pytest.raises(InputError, match=message):
        f.mardia(x, **options)
