"""The chosen one scores what is expected of it; ranks lie in their intervals; fronts come true.

Few studies of two designs; the whole tables are those of evidence/chosen.py and undominated.py.
"""

import chosen
import measured
import numpy as np
import pandas as pd
import pytest
import undominated
from scipy.stats import rankdata

import bayescmp as bc

pytestmark = pytest.mark.calibration

COLUMNS = {name: k for k, name in enumerate(chosen.COLUMNS)}


def simulate(method, L, q, studies):
    numbers = np.array([chosen.simulate(method, L, q, 0.01, seed) for seed in range(studies)])
    return {name: numbers[:, k] for name, k in COLUMNS.items()}


@pytest.mark.parametrize(
    ("method", "L", "q", "studies"), [("bootstrap", 5, 8, 150), ("joint_t", 5, 8, 30)]
)
def test_the_luck_of_the_chosen_one_is_taken_off(method, L, q, studies):
    n = simulate(method, L, q, studies)
    error = n["gap"].std(ddof=1) / np.sqrt(studies)
    assert n["gap"].mean() > 5 * error  # what was observed is too high
    assert abs(n["left"].mean()) < 0.5 * n["gap"].mean()
    for name in ("average_holds", "next_holds"):
        assert n[name].mean() > 0.9


@pytest.mark.parametrize("method", ["bootstrap", "joint_t"])
def test_ranks_lie_in_their_intervals_at_once(method):
    studies = 60 if method == "bootstrap" else 12
    n = simulate(method, 10, 8, studies)
    assert n["all_holds"].mean() > 0.93
    assert n["tukey_holds"].mean() > 0.95
    assert n["all_length"].mean() < n["tukey_length"].mean()


def test_tukeys_intervals_are_those_of_the_pairwise_tests():
    """As many better, and worse, as SciPy's Tukey test of the blocks' residuals finds."""
    means = np.random.default_rng(6).normal([0, 0.2, 1, 2.5], 0.5, (8, 4))
    low, high = chosen.tukey(means)
    residual = means - means.mean(axis=1, keepdims=True) - means.mean(axis=0) + means.mean()
    error = np.sqrt((residual**2).sum() / 21 / 8)
    from scipy.stats import studentized_range

    for k in range(4):
        p = studentized_range.sf(np.abs(means.mean(0) - means.mean(0)[k]) / error, 4, 21)
        better = (p < 0.05) & (means.mean(axis=0) > means.mean(axis=0)[k])
        worse = (p < 0.05) & (means.mean(axis=0) < means.mean(axis=0)[k])
        assert (low[k], high[k]) == (1 + better.sum(), 4 - worse.sum())


def test_the_table():
    table = pd.read_csv(measured.FOLDER / "chosen.csv", comment="#")
    main = table[table["apart"] == 0.01]
    sizes = set(zip(main["algorithms"], main["datasets"], strict=True))
    assert sizes == {(L, q) for L in (5, 10, 20) for q in (8, 20, 54)}
    assert (table["gap"] > 0).all()
    assert (table["left"].abs() < table["gap"]).all()
    assert (table["average_holds"] + 2 * table["average_holds_se"] > 0.9).all()
    joint = main[main["method"] == "joint_t"]
    assert (joint["all_holds"] + 2 * joint["all_holds_se"] > 0.93).all()
    assert (main["all_length"] < main["tukey_length"]).all()


def test_who_is_undominated_is_so_as_often_as_claimed():
    studies = [undominated.study(8, seed) for seed in range(150)]
    claimed, right = (np.concatenate(part) for part in zip(*studies, strict=True))
    for low, high in ((0, 0.2), (0.2, 0.6), (0.6, 0.95), (0.95, 1.01)):
        inside = (claimed >= low) & (claimed < high)
        assert inside.sum() > 50
        assert claimed[inside].mean() == pytest.approx(right[inside].mean(), abs=0.12)


def test_the_table_of_fronts():
    table = pd.read_csv(measured.FOLDER / "undominated.csv", comment="#")
    assert set(table["datasets"]) == {8, 30}
    off = (table["claimed"] - table["right"]).abs()
    assert (off < 0.1).all()


@pytest.mark.parametrize(("q", "L"), [(12, 10), (8, 5), (54, 10)])
@pytest.mark.parametrize("apart", [0.01, 0.0])
def test_rank_intervals_of_tables_of_means_cover(q, L, apart):
    """All ranks at once in 0.95 of studies or more; algorithms that are equal share all ranks."""
    rng, covered = np.random.default_rng([q, L, int(1000 * apart)]), []
    for _ in range(300):
        mu = rng.normal(0, apart, L)
        means = mu + rng.normal(0, 0.03, (q, L)) + rng.normal(0.8, 0.1, (q, 1))
        got = bc.bayesian.bootstrap(means, rope=0.01, draws=8, seed=1).rank_intervals()
        low, high = rankdata(-mu, "min"), rankdata(-mu, "max")
        covered.append((got["low"] <= low).all() and (got["high"] >= high).all())
    assert np.mean(covered) > 0.95 - 2 * (0.95 * 0.05 / 300) ** 0.5
