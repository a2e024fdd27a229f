"""Pairwise Hotelling tests after MANOVA: R, the single tests, adjustment, control, designs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.errors import InputError
from tests.frequentist.mixing import mixing

PAIRS = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


def normal(seed, L=4, n=9, p=3):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(L, n, p)) @ mixing(rng, p)
    return x + 0.7 * rng.normal(size=(L, 1, p)) + rng.normal(size=(1, n, p))


@pytest.mark.parametrize("adjust", ["bonferroni", "holm"])
def test_paired_as_in_r(counts, mr, adjust):
    """R 4.2.2: manova(d ~ 1) of every pair, p.adjust."""
    result = f.pairwise_hotelling(counts, adjust=adjust)
    for k, (i, j) in enumerate(PAIRS):
        expected = mr[f"paired_{i + 1}{j + 1}"]
        assert result.statistic[k] == pytest.approx(expected[0], rel=1e-8)
        assert result.f[k] == pytest.approx(expected[1], rel=1e-8)
        assert (result.df1[k], result.df2[k]) == tuple(expected[2:4])
    assert result.pvalue == pytest.approx(mr["paired_p"], rel=1e-7)
    assert result.adjusted == pytest.approx(mr[f"paired_{adjust}"], rel=1e-7)


def test_two_samples_as_in_r(counts, mr):
    result = f.pairwise_hotelling(counts, block=False)
    for k, (i, j) in enumerate(PAIRS):
        actual = [result.statistic[k], result.f[k], result.df1[k], result.df2[k], result.pvalue[k]]
        assert actual == pytest.approx(mr[f"two_sample_{i + 1}{j + 1}"], rel=1e-8)


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000), rho=st.sampled_from([0.0, 0.1]))
def test_each_pair_is_the_single_test(seed, rho):
    x = normal(seed)
    paired = f.pairwise_hotelling(x, rho=rho)
    two = f.pairwise_hotelling(x, block=False, rho=rho)
    for k, (i, j) in enumerate(PAIRS):
        one = f.hotelling_paired(x[j] - x[i], rho=rho)
        assert paired.pvalue[k] == pytest.approx(one.pvalue, rel=1e-8)
        assert paired.distance[k] == pytest.approx(one.distance, rel=1e-8)
        assert paired.difference[k] == pytest.approx(one.mean)
        one = f.hotelling_two_sample(x[i], x[j], rho=rho)
        assert two.pvalue[k] == pytest.approx(one.pvalue, rel=1e-8)
        assert two.distance[k] == pytest.approx(one.distance, rel=1e-8)


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000), block=st.booleans(), rho=st.sampled_from([0.0, 0.1]))
def test_pooled_covariance(seed, block, rho):
    """T² = d̄ᵀ(E/ν_e)⁻¹d̄/(2c), F on p and ν_e - p + 1; with one metric the t of the ANOVA."""
    x = normal(seed)
    result = f.pairwise_hotelling(x, block=block, pooled=True, rho=rho)
    table = f.manova(x, block=block)
    c = 1 / 9 + rho / (1 - rho)
    inverse = np.linalg.inv(table.E / table.df[1])
    for k, (i, j) in enumerate(PAIRS):
        d = x[j].mean(axis=0) - x[i].mean(axis=0)
        assert result.statistic[k] == pytest.approx(d @ inverse @ d / (2 * c), rel=1e-7)
    assert set(result.df2) == {table.df[1] - 2.0}
    single = f.pairwise_hotelling(x[:, :, :1], block=block, pooled=True, rho=rho)
    tukey = f.tukey(x[:, :, 0], block=block, rho=rho)
    assert np.sqrt(single.statistic) == pytest.approx(np.abs(tukey.statistic) / np.sqrt(2))


def test_from_manova(counts):
    blocks = bc.Blocks(counts, metrics=["tp", "fp", "auc"], rho=0.125)
    for block in (True, False):
        result = f.manova(blocks, block=block).pairwise(adjust="holm")
        other = f.pairwise_hotelling(blocks, block=block, adjust="holm")
        assert np.array_equal(result.adjusted, other.adjusted)
        assert result.method == other.method
    assert "corrected for rho = 0.125" in other.method


def test_unequal_samples():
    rng = np.random.default_rng(3)
    samples = [rng.normal(size=(n, 2)) for n in (5, 8, 6)]
    result = f.pairwise_hotelling(samples, block=False)
    one = f.hotelling_two_sample(samples[0], samples[2])
    assert result.pvalue[1] == pytest.approx(one.pvalue)
    assert result.df2.tolist() == [10, 8, 11]
    pooled = f.pairwise_hotelling(samples, block=False, pooled=True)
    S = sum((len(s) - 1) * np.cov(s.T) for s in samples) / 16
    d = samples[1].mean(axis=0) - samples[0].mean(axis=0)
    assert pooled.statistic[0] == pytest.approx(d @ np.linalg.inv(S) @ d / (1 / 5 + 1 / 8))


def test_control(counts):
    result = f.pairwise_hotelling(counts, names=list("abcd"), control="c")
    assert result.frame["first"].tolist() == ["c"] * 3
    assert result.adjusted == pytest.approx(np.minimum(1, 3 * result.pvalue))
    assert "against c" in str(result)
    with pytest.raises(InputError, match=r"unknown algorithm \(control\) 'e'"):
        f.pairwise_hotelling(counts, names=list("abcd"), control="e")


def test_dependent_metrics(counts):
    tp, fp = counts[:, :, 0], counts[:, :, 1]
    x = np.stack([tp, 20 - tp, fp, 30 - fp], axis=-1)
    two = x[:, :, [0, 2]]
    for options in ({}, {"block": False}, {"pooled": True}):
        result, expected = (f.pairwise_hotelling(v, **options) for v in (x, two))
        assert result.rank.tolist() == [2] * 6
        assert result.pvalue == pytest.approx(expected.pvalue, rel=1e-8)
        assert "rank 2 of 4" in str(result)


def test_same_difference_in_every_fold():
    x = normal(1)
    x[1] = x[0] + [1, 0, 0]
    result = f.pairwise_hotelling(x)
    assert result.statistic[0] == np.inf
    assert result.pvalue[0] == 0
    assert "infinite" in str(result)
    x[1] = x[0]
    assert f.pairwise_hotelling(x).pvalue[0] == 1


@pytest.mark.parametrize(
    ("x", "options", "message"),
    [
        (normal(1, n=3, p=4), {}, "x has 4 metrics and 3 folds.*Drop 2 of 'm1'"),
        (normal(1, n=2, p=4), {"block": False}, "4 metrics and 4 scores.*Drop 2"),
        (normal(1, n=3, p=7), {"pooled": True}, "7 metrics and 12 scores.*Drop 1"),
        (normal(1), {"adjust": "bonferonni"}, "bonferroni"),
        (normal(1), {"rho": 1}, "rho=1 is outside"),
        ([np.ones((3, 2)), np.ones((4, 2))], {}, "3 folds of 'A1' and 4 of 'A2'"),
    ],
)
def test_bad_input(x, options, message):
    with pytest.raises(InputError, match=message):
        f.pairwise_hotelling(x, **options)
