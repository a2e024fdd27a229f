"""Confidence sequences: beside the authors' package, by hand, and what they refuse."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayescmp as bc
from bayescmp.errors import InputError
from bayescmp.frequentist import confidence_sequence
from bayescmp.frequentist.sequences import capital, plug_in_bets

# confseq 0.0.11 (the authors' package; its Python files, numpy 2.4.6):
#   x = np.random.default_rng(2024).choice([-1.0, 0.0, 1.0], p=[0.1, 0.7, 0.2], size=300)
#   l, u = confseq.betting.hedged_cs((x + 1) / 2, alpha=0.05, breaks=10000,
#                                    running_intersection=True)
#   [(2 * l[i] - 1, 2 * u[i] - 1) for i in (9, 49, 99, 199, 299)]
# Its ends are those of a grid, one step outwards: 0.0002 of the difference.
AT = [9, 49, 99, 199, 299]
ANSWERS = [
    (-0.5178, 0.5178), (-0.1208, 0.2858), (-0.1050, 0.1840), (-0.0418, 0.1616), (-0.0098, 0.1616),
]  # fmt: skip
#   g = np.random.default_rng(7).beta(2, 5, 200); hedged_cs(g, alpha=0.1, breaks=10000, ...)
GRADED = [(0.1205, 0.5546), (0.2206, 0.3658), (0.2266, 0.3137), (0.2404, 0.2919)]


def test_it_agrees_with_the_authors_package():
    x = np.random.default_rng(2024).choice([-1.0, 0.0, 1.0], p=[0.1, 0.7, 0.2], size=300)
    s = confidence_sequence(x)
    np.testing.assert_allclose(np.c_[s.low, s.high][AT], ANSWERS, atol=4.5e-4)
    g = np.random.default_rng(7).beta(2, 5, 200)
    s = confidence_sequence(g, bounds=(0, 1), alpha=0.1)
    np.testing.assert_allclose(np.c_[s.low, s.high][AT[:4]], GRADED, atol=2.5e-4)


def test_capital_by_hand():
    """Two items of 1 against a mean of 0.4: bets of eq. 26, cut at 0.5/0.4, one by one."""
    y = np.array([1.0, 1.0])
    bets = plug_in_bets(y, 0.05)
    first = np.sqrt(2 * np.log(40) / (0.25 * 1 * np.log(2)))
    second = np.sqrt(2 * np.log(40) / ((0.25 + 0.25**2) / 2 * 2 * np.log(3)))
    np.testing.assert_allclose(bets, [first, second])
    np.testing.assert_allclose(capital(y, bets, 0.4), np.log([1.75, 1.75**2]))
    np.testing.assert_allclose(
        capital(y, bets, 0.05),
        np.log([1 + first * 0.95, (1 + first * 0.95) * (1 + second * 0.95)]),
    )


def test_ends_are_where_capital_reaches_its_mark():
    """Every mean below the low end was ruled out at some look, none above it."""
    x = np.random.default_rng(1).choice([-1.0, 0.0, 1.0], p=[0.1, 0.6, 0.3], size=500)
    s = confidence_sequence(x)
    y = (x + 1) / 2
    bets, mark = plug_in_bets(y, 0.05), np.log(40)
    low = (s.interval[0] + 1) / 2
    assert capital(y, bets, low - 1e-6).max() > mark
    assert capital(y, bets, low + 1e-6).max() < mark


def test_a_gambler_gains_nothing_on_average():
    """The capital against the true mean has the expectation 1: over all sequences of six."""
    p = 0.3
    total = 0.0
    for code in range(2**6):
        y = np.array([code >> i & 1 for i in range(6)], dtype=float)
        total += np.prod(np.where(y == 1, p, 1 - p)) * np.exp(
            capital(y, plug_in_bets(y, 0.05), p)[-1]
        )
    assert total == pytest.approx(1)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.integers(1, 60), st.sampled_from([0.01, 0.05, 0.3]))
def test_swapped_scaled_and_never_wider(seed, n, alpha):
    x = np.random.default_rng(seed).uniform(-1, 1, n)
    s, swapped = confidence_sequence(x, alpha=alpha), confidence_sequence(-x, alpha=alpha)
    np.testing.assert_allclose(s.low, -swapped.high, atol=1e-9)
    scaled = confidence_sequence(5 * x, bounds=(-5, 5), alpha=alpha)
    np.testing.assert_allclose(scaled.high, 5 * s.high, atol=1e-3)
    assert np.all(np.diff(s.low) >= 0)
    assert np.all(np.diff(s.high) <= 0)
    assert s.frame["n"].tolist() == list(range(1, n + 1))


def test_a_longer_study_begins_as_the_shorter_one():
    x = np.random.default_rng(3).choice([-1.0, 0.0, 1.0], size=300)
    whole, part = confidence_sequence(x), confidence_sequence(x[:120])
    np.testing.assert_allclose(whole.low[:119], part.low[:119], atol=2.1e-4)
    np.testing.assert_allclose(whole.high[:119], part.high[:119], atol=2.1e-4)


def test_words():
    lead = confidence_sequence([1, 0, -1, 0, 0, 1, 0, 0, 0, 0] * 40)
    assert lead.left_at(0.0) == 271
    assert lead.explain().startswith("second is better than first on average")
    assert "Zero was ruled out after 271 items." in lead.explain()
    back = confidence_sequence([-1, 0, 1, 0, 0, -1, 0, 0, 0, 0] * 40)
    assert back.explain().startswith("first is better than second")
    few = confidence_sequence([1, 0, 0])
    assert few.left_at(0.0) is None
    assert few.explain().startswith("first and second: undecided")
    assert "Waudby-Smith" in str(few)
    assert few.to_dict()["interval"] == list(few.interval)
    assert "−1" in few.to_markdown()


def _items(clusters: bool = False) -> bc.Items:
    rng = np.random.default_rng(2)
    table = pd.DataFrame(
        [
            {"model": m, "item": i, "correct": int(rng.random() < p), "benchmark": b}
            for m, p in (("a", 0.4), ("b", 0.7))
            for b in ("x", "y")
            for i in range(60)
        ]
    )
    return bc.Items(table.assign(cluster=table["item"] // 5) if clusters else table)


def test_items_keep_their_names():
    pair = _items().pair("a", "b").on("x")
    s = confidence_sequence(pair)
    assert s.names == ("a", "b")
    assert s.interval == confidence_sequence(pair.x).interval
    assert s.interval == confidence_sequence(pair.differences()).interval
    assert "accuracy ↑, 60 questions" in str(s)


def test_what_is_in_no_random_order_is_refused():
    folds = bc.Differences([[0.01, 0.02, 0.03]], rho=0.1)
    with pytest.raises(InputError, match="Training sets of folds overlap"):
        confidence_sequence(folds)
    designed = bc.Differences([[0.01] * 9], rho=0, resampling=[bc.Resampling.windows(0.0)])
    with pytest.raises(InputError, match=r"differences of folds, windows\)"):
        confidence_sequence(designed)
    with pytest.raises(InputError, match="in clusters"):
        confidence_sequence(_items(clusters=True).pair("a", "b").on("x"))
    with pytest.raises(InputError, match="d must have one benchmark for a sequence"):
        confidence_sequence(_items().pair("a", "b"))
    with pytest.raises(InputError, match="d must have one data set for a sequence"):
        confidence_sequence(bc.Differences([[0.1, 0.2], [0.1, 0.3]], rho=0))


def test_bounds_are_checked():
    for bounds, message in [
        ((0, 1), "bounds must contain every difference"),
        ((1, -1), "low < high"),
        ((0, np.inf), "finite"),
    ]:
        with pytest.raises(InputError, match=message):
            confidence_sequence([0.5, -0.5], bounds=bounds)
