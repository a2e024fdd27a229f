"""Learned measures: R's discriminant functions, eigenvalue equations, formula, ANOVA, Tukey."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.errors import InputError
from bayescmp.frequentist.multivariate_groups import format_weighted_sum, normalise_columns
from tests.frequentist.conftest import mixing
from tests.rows import each_row


def test_columns_have_length_one_and_a_positive_largest_element():
    unit = normalise_columns(np.array([[3.0, -1.0], [-4.0, 1.0]]))
    assert unit == pytest.approx(np.array([[-0.6, np.sqrt(0.5)], [0.8, -np.sqrt(0.5)]]))


def test_a_column_of_zeros_stays():
    assert normalise_columns(np.zeros((2, 1))).tolist() == [[0.0], [0.0]]


@each_row(
    ("weights", "text"),
    [
        ([-0.381, 0.0, 0.73], "−0.38·a + 0.73·c"),
        ([0.5, -0.25, 0.0], "0.50·a − 0.25·b"),
        ([1.0, 0.00012, 0.0], "1.00·a + 0.00012·b"),
        ([0.0, 0.0, 0.0], "0"),
    ],
)
def test_a_sum_is_written_with_its_signs(weights, text):
    assert format_weighted_sum(np.array(weights), "abc", 2) == text


def normal(seed, L=4, n=8, p=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(L, n, p)) @ mixing(rng, p) + rng.normal(size=(L, 1, p))


def unit(columns):
    """Columns of length one, the largest element of each positive."""
    columns = columns / np.linalg.norm(columns, axis=0)
    largest = columns[np.abs(columns).argmax(axis=0), range(columns.shape[1])]
    return columns * np.sign(largest)


def test_discriminant_functions_of_r(counts, mr):
    """R 4.2.2, MASS::lda(y, alg)$scaling, columns scaled to length one; svd² as shares."""
    measures = f.learned_measures(counts, metrics=["tp", "fp", "auc"], block=False)
    assert measures.weights == pytest.approx(unit(mr["lda_scaling"].reshape(3, 3).T), abs=1e-8)
    assert measures.share == pytest.approx(mr["lda_share"], rel=1e-7)
    iris = f.learned_measures(mr["iris"].reshape(3, 50, 4), block=False)
    assert iris.weights == pytest.approx(unit(mr["iris_scaling"].reshape(2, 4).T), abs=1e-8)


def test_anova_and_tukey_of_the_first_as_in_r(counts, mr):
    """R 4.2.2, aov(z ~ alg) and TukeyHSD of it, z the first discriminant function."""
    measures = f.learned_measures(counts, block=False)
    df, _, _, statistic, pvalue = mr["first_anova"]
    table = measures.anova(1)
    assert (table.df[0], table.statistic) == (df, pytest.approx(statistic))
    assert table.pvalue == pytest.approx(pvalue, rel=1e-6)
    assert measures.tukey(1).adjusted == pytest.approx(mr["first_tukey_p"], abs=1e-6)


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), block=st.booleans())
def test_eigenvalue_equations(seed, block):
    """E⁻¹H a = λa; within algorithms the measures are uncorrelated; F of the k-th is ν_e/ν_h·λ."""
    x = normal(seed)
    result = f.manova(x, block=block)
    measures = result.measures
    for k, root in enumerate(measures.eigenvalues):
        a = measures.weights[:, k]
        image = np.linalg.solve(result.E, result.H) @ a
        assert image == pytest.approx(root * a, abs=1e-7 * measures.eigenvalues[0])
        ratio = result.df[1] / result.df[0] * root
        assert measures.anova(k + 1).statistic == pytest.approx(ratio, rel=1e-7)
    within = measures.weights.T @ result.E @ measures.weights
    size = np.sqrt(np.diag(within))
    assert within / np.outer(size, size) == pytest.approx(np.eye(3), abs=1e-7)
    scaled = measures.standardised / np.sqrt(np.diag(result.E))[:, None]
    assert unit(scaled) == pytest.approx(measures.weights, abs=1e-7)


def test_projections(counts):
    measures = f.learned_measures(counts, block=False)
    assert measures.projections.shape == (4, 8, 3)
    assert measures.projections == pytest.approx(counts @ measures.weights)
    assert measures.means().to_numpy() == pytest.approx((counts @ measures.weights).mean(axis=1))
    assert measures.project(counts[0, 0]) == pytest.approx(counts[0, 0] @ measures.weights)
    ragged = f.learned_measures([counts[0], counts[1, :5], counts[2]], block=False)
    assert [len(v) for v in ragged.projections] == [8, 5, 8]
    assert ragged.means().shape == (3, 2)
    with pytest.raises(InputError, match="the metrics m1, m2, m3"):
        measures.project(np.ones((4, 2)))


def test_formula_as_written_in_the_paper():
    """Yıldız & Alpaydın, sec. 3.6: M1 = -0.379·tp + 0.733·fp - 0.206·tn - 0.525·fn."""
    printed = np.array([-0.379, 0.733, -0.206, -0.525])
    rng = np.random.default_rng(2)
    shift = np.array([-1.0, 0.0, 1.0])[:, None, None] * printed * 30
    x = shift + rng.normal(size=(3, 400, 4))
    measures = f.learned_measures(
        x - x.mean(axis=1, keepdims=True) + shift, metrics=["tp", "fp", "tn", "fn"], block=False
    )
    assert measures.weights[:, 0] == pytest.approx(printed, abs=0.05)
    assert measures.formula().startswith("M1 = −0.")
    exact = type(measures)(
        printed[:, None],
        printed[:, None],
        np.array([19.995]),
        measures.names,
        measures.metrics,
        measures.design,
    )
    assert exact.formula() == "M1 = −0.38·tp + 0.73·fp − 0.21·tn − 0.53·fn"
    assert exact.formula(digits=3) == "M1 = −0.379·tp + 0.733·fp − 0.206·tn − 0.525·fn"


def test_shares_of_printed_eigenvalues():
    """λ = 19.995 and 7.731 are 72.1 and 27.9%; the paper's text says 73."""
    measures = f.learned_measures(normal(1, 3), block=False)
    printed = type(measures)(
        measures.weights,
        measures.standardised,
        np.array([19.995, 7.731]),
        measures.names,
        measures.metrics,
        measures.design,
    )
    assert printed.share == pytest.approx([0.721, 0.279], abs=5e-4)


def test_raw_counts_of_rank_two(counts):
    """Blocked, tp + fn and fp + tn are constant: two measures, opposite weights in a pair."""
    tp, fp = counts[:, :, 0], counts[:, :, 1]
    x = np.stack([tp, 20 - tp, fp, 30 - fp], axis=-1)
    measures = f.learned_measures(x, block=True, metrics=["tp", "fn", "fp", "tn"])
    assert measures.weights.shape == (4, 2)
    assert measures.weights[0] == pytest.approx(-measures.weights[1])
    assert measures.weights[2] == pytest.approx(-measures.weights[3])
    two = f.learned_measures(x[:, :, [0, 2]], block=True)
    assert measures.eigenvalues == pytest.approx(two.eigenvalues)
    actual, other = measures.projections[..., 0].ravel(), two.projections[..., 0].ravel()
    assert abs(np.corrcoef(actual, other)[0, 1]) == pytest.approx(1)
    assert "rank 2 of 4" in str(measures)


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000))
def test_order_of_metrics(seed):
    rng = np.random.default_rng(seed)
    x, order = normal(seed), rng.permutation(3)
    plain, moved = (
        f.learned_measures(x, block=False),
        f.learned_measures(x[:, :, order], block=False),
    )
    assert moved.weights == pytest.approx(plain.weights[order], abs=1e-7)


def test_p_values_of_the_first_are_said_to_be_too_small():
    """Under equal means M1's ANOVA rejects far more often than 1 in 20; the result says so."""
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(200):
        result = f.manova(rng.normal(size=(5, 10, 3)), block=False)
        hits += result.measures.anova().pvalue < 0.05
    assert hits > 40
    assert any("too small" in note for note in result.measures.anova().notes)
    assert any("too small" in note for note in result.measures.tukey().notes)
    assert "too small" in str(result.measures.anova())


def test_rho_and_blocks_reach_the_anova(counts):
    blocks = bc.Blocks(counts, metrics=["tp", "fp", "auc"], rho=0.125)
    measures = f.learned_measures(blocks, block=True)
    rows = measures.projections[..., 0]
    assert measures.anova().statistic == pytest.approx(f.anova(rows, rho=0.125).statistic)
    assert measures.eigenvalues[0] == pytest.approx(f.manova(blocks, block=True).eigenvalues[0])


def test_infinite_and_no_difference():
    steps = np.concatenate(
        [normal(3), np.broadcast_to(np.arange(4.0)[:, None, None], (4, 8, 1))], axis=2
    )
    measures = f.learned_measures(steps, block=False)
    assert measures.eigenvalues[0] == np.inf
    assert measures.share[0] == 1
    assert measures.weights[:, 0] == pytest.approx([0, 0, 0, 1])
    assert json.dumps(measures.to_dict())
    nothing = f.learned_measures(np.ones((3, 4, 2)), block=False)
    assert nothing.weights.shape == (2, 0)
    assert str(nothing).startswith("Learned measures")


def test_shown(counts):
    measures = f.learned_measures(counts, metrics=["tp", "fp", "auc"], block=False)
    assert "M1 = 0.08·tp + 0.66·fp + 0.74·auc: λ = 6.563, 96.8%" in str(measures)
    assert "<table" in measures._repr_html_()
    assert measures.frame.loc["fp", "M1"] == measures.weights[1, 0]
    assert measures.formula(2, standardised=True).startswith("M2 = ")
    assert json.dumps(measures.to_dict())


@each_row("k", [0, 4, -1])
def test_no_such_measure(counts, k):
    with pytest.raises(InputError, match="must be 1 to 3"):
        f.learned_measures(counts, block=False).anova(k)


@each_row("k", [0, 1.5, 9, "M1", None])
def test_measures_there_are_none_of(k):
    m = f.learned_measures(np.random.default_rng(0).normal(size=(3, 8, 2)), block=False)
    with pytest.raises(InputError, match="must be 1 to 2, the measures"):
        m.formula(k)


def test_a_small_weight_is_not_written_as_nothing():
    """A metric in units of its own: its weight is small because its unit is."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3, 12, 2)) * [0.01, 50.0] + np.arange(3)[:, None, None] * [0.01, 50.0]
    m = f.learned_measures(x, metrics=["accuracy", "auc"], block=False)
    small = abs(m.weights[1, 0])
    assert 1e-12 < small < 0.005
    assert m.formula().endswith(f"{small:.2g}·auc")
    assert abs(m.standardised[1, 0]) > 0.1
    flat = f.learned_measures(
        np.concatenate([x, 0 * x[..., :1]], axis=-1), metrics=["tp", "tn", "mcc"], block=False
    )
    assert "mcc" not in flat.formula()
