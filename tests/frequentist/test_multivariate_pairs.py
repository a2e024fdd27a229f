"""Pairwise Hotelling tests after MANOVA: R, the single tests, adjustment, control, designs."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.errors import InputError
from bayescmp.frequentist import pairwise_hotelling
from bayescmp.wording.markup import MOST_ROWS
from tests.frequentist.conftest import mixing
from tests.rows import each_row


@pytest.fixture
def result():
    x = np.random.default_rng(0).normal(size=(3, 8, 2))
    x[2] += 2
    return pairwise_hotelling(x, names=["a", "b", "<c>"], metrics=["tpr", "tnr"])


def test_text_names_pairs_level_and_cliques(result):
    lines = result.text().splitlines()
    at = lines.index(f"groups of algorithms that do not differ at 0.05: {result.bracketed(0.05)}")
    assert [line.split()[:2] for line in lines[at + 3 :]] == [
        ["a", "b"],
        ["a", "<c>"],
        ["b", "<c>"],
    ]


def test_long_tables_are_cut():
    x = np.random.default_rng(1).normal(size=(12, 8, 1))
    many = pairwise_hotelling(x)
    assert f"… and {66 - MOST_ROWS} more rows" in many.text().splitlines()


def test_html_is_escaped(result):
    assert "&lt;c&gt;" in result._repr_html_()
    assert "<c>" not in result._repr_html_()


def test_json_has_no_infinity():
    x = np.array([[[0.5], [0.5], [0.5]], [[0.6], [0.6], [0.6]]])
    numbers = pairwise_hotelling(x).to_dict()
    assert json.loads(json.dumps(numbers, allow_nan=False))["comparisons"][0]["F"] is None


def clusters(means, seed=0, n=20):
    """Algorithms with given means of (tpr, fpr), and small independent errors."""
    rng = np.random.default_rng(seed)
    x = np.array(means)[:, None, :] + rng.normal(size=(len(means), n, 2))
    x -= x.mean(axis=1, keepdims=True) - np.array(means)[:, None, :]  # means exactly as given
    return bc.Blocks(x, algorithms=[f"a{i}" for i in range(len(means))], metrics=["tpr", "fpr"])


def test_case_of_the_paper():
    """Yıldız & Alpaydın, sec. 3.5: lda and rf alike, three others each distinct."""
    names = ("c4.5", "lda", "rf", "qda", "knn")
    means = [[0, 9], [5, 4], [5.1, 4.1], [3, 1], [9, 14]]
    x = bc.Blocks(clusters(means).x, algorithms=names, metrics=["tpr", "fpr"])
    result = f.pairwise_hotelling(x, adjust="holm")
    assert result.cliques() == (("lda", "rf"),)
    assert result.bracketed() == "{c4.5, (lda, rf), qda, knn}"
    # best first: high tpr, low fpr; the clique is underlined in both orderings
    lines = result.underline("tpr", digits=1).splitlines()
    assert lines[0].split() == ["knn", "rf", "lda", "qda", "c4.5"]
    assert lines[1].split() == ["9.0", "5.1", "5.0", "3.0", "0.0"]
    assert lines[2].index("─") == lines[0].index("rf")
    assert len(lines[2].rstrip()) == lines[0].index("lda") + 3
    lines = result.underline("fpr", digits=1).splitlines()
    assert lines[0].split() == ["qda", "lda", "rf", "c4.5", "knn"]
    assert len(lines) == 3


def test_cliques_overlap_and_lines_have_gaps():
    result = f.pairwise_hotelling(clusters([[0, 0], [0.6, 0], [1.2, 0], [0.3, 9]]))
    assert result.cliques() == (("a0", "a1"), ("a1", "a2"))
    assert result.bracketed() == "{(a0, a1), (a1, a2), a3}"
    first, _, *lines = result.underline().splitlines()
    assert first.split() == ["a2", "a1", "a3", "a0"]
    assert len(lines) == 2
    assert any("─ " in line.strip() for line in lines)  # a3 lies between a1 and a0


@given(seed=st.integers(0, 10_000), alpha=st.sampled_from([0.01, 0.05, 0.3]))
def test_cliques_by_brute_force(seed, alpha):
    """All maximal sets without a rejected pair, by looking at every subset."""
    rng = np.random.default_rng(seed)
    result = f.pairwise_hotelling(clusters(rng.normal(size=(6, 2)), seed), adjust="none")
    differ = {frozenset(p) for p in result.pairs[result.different(alpha)].tolist()}
    fine = [
        set(s)
        for k in range(2, 7)
        for s in itertools.combinations(range(6), k)
        if not any(frozenset(p) in differ for p in itertools.combinations(s, 2))
    ]
    maximal = {frozenset(f"a{i}" for i in s) for s in fine if not any(s < t for t in fine)}
    assert {frozenset(c) for c in result.cliques(alpha)} == maximal


def test_order_of_algorithms_does_not_matter():
    blocks = clusters([[0, 0], [0.6, 0], [1.2, 0], [0.3, 9]])
    moved = blocks.select(algorithms=["a3", "a1", "a0", "a2"])
    one, other = (f.pairwise_hotelling(b) for b in (blocks, moved))
    assert {frozenset(c) for c in one.cliques()} == {frozenset(c) for c in other.cliques()}
    for a, b in itertools.combinations(blocks.algorithms, 2):
        p = one.matrix(raw=True).loc[a, b]
        assert other.matrix(raw=True).loc[a, b] == pytest.approx(p, rel=1e-8)


def test_all_alike_and_all_different():
    alike = f.pairwise_hotelling(clusters([[0, 0]] * 3))
    assert alike.cliques() == (("a0", "a1", "a2"),)
    assert alike.bracketed() == "{(a0, a1, a2)}"
    apart = f.pairwise_hotelling(clusters([[0, 0], [9, 9], [20, 0]]))
    assert apart.cliques() == ()
    assert apart.bracketed() == "{a0, a1, a2}"


def test_against_a_control():
    result = f.pairwise_hotelling(clusters([[0, 0], [0.1, 0], [9, 0], [0, 0.1]]), control="a0")
    assert result.cliques() == (("a0", "a1", "a3"),)
    assert result.matrix().isna().to_numpy().sum() == 6


def test_tables():
    blocks = clusters([[0, 0], [1, 2], [2, 1]])
    result = f.pairwise_hotelling(blocks, rho=0.05)
    assert result.frame["second"].tolist() == ["a1", "a2", "a2"]
    row = result.differences.iloc[0]
    assert (row["tpr"], row["fpr"]) == (pytest.approx(1), pytest.approx(-2))  # flipped
    matrix = result.matrix()
    assert np.array_equal(matrix, matrix.T)
    assert matrix.loc["a0", "a2"] == result.adjusted[1]
    assert np.diag(matrix).tolist() == [1, 1, 1]
    assert "groups of algorithms that do not differ at 0.05" in str(result)
    assert "<table" in result._repr_html_()
    assert json.loads(json.dumps(result.to_dict()))["cliques"] == [["a1", "a2"]]


def test_post_hoc_on_one_metric():
    blocks = clusters([[0, 0], [1, 2], [2, 1]])
    result = f.pairwise_hotelling(blocks, rho=0.05).univariate("fpr", adjust="holm")
    other = f.pairwise_t(
        blocks.x[:, :, 1], adjust="holm", rho=0.05, lower_is_better=True, names=blocks.algorithms
    )
    assert np.array_equal(result.adjusted, other.adjusted)
    assert result.difference == pytest.approx([-2, -1, 1])
    one_way = f.pairwise_hotelling(blocks, block=False).univariate("tpr")
    tukey = f.tukey(blocks.x[:, :, 0], block=False)
    assert one_way.adjusted == pytest.approx(tukey.adjusted)
    with pytest.raises(InputError, match=r"metric must be .*\(got 'f1'\)"):
        f.pairwise_hotelling(blocks).univariate("f1")


def test_many_pairs_are_cut_in_the_text():
    result = f.pairwise_hotelling(clusters(np.zeros((12, 2)).tolist()))
    assert "… and 6 more rows" in str(result)


PAIRS = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


def normal(seed, L=4, n=9, p=3):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(L, n, p)) @ mixing(rng, p)
    return x + 0.7 * rng.normal(size=(L, 1, p)) + rng.normal(size=(1, n, p))


def test_paired_as_in_r(counts, mr):
    """R 4.2.2: manova(d ~ 1) of every pair, p.adjust."""
    for adjust in ["bonferroni", "holm"]:
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
    with pytest.raises(InputError, match=r"control must be .*\(got 'e'\)"):
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


@each_row(
    ("x", "options", "message"),
    [
        (normal(1, n=3, p=4), {}, "got 4 metrics and 3 folds.*Drop 2 of 'm1'"),
        (normal(1, n=2, p=4), {"block": False}, "4 metrics and 4 scores.*Drop 2"),
        (normal(1, n=3, p=7), {"pooled": True}, "7 metrics and 12 scores.*Drop 1"),
        (normal(1), {"adjust": "bonferonni"}, "bonferroni"),
        (normal(1), {"rho": 1}, "rho must be at least 0"),
        (
            [np.ones((3, 2)), np.ones((4, 2))],
            {},
            "x must have as many folds of every algorithm, for blocks",
        ),
    ],
)
def test_bad_input(x, options, message):
    with pytest.raises(InputError, match=message):
        f.pairwise_hotelling(x, **options)
