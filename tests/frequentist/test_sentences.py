"""Sentences on tests: what is rejected at a level, and what is not shown."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bayescmp import frequentist as f

# Demsar 2006, table 6: AUC of variants of C4.5 on the first six data sets
TABLE = pd.DataFrame(
    [[0.763, 0.768, 0.798], [0.599, 0.591, 0.569], [0.954, 0.971, 0.967],
     [0.628, 0.661, 0.657], [0.882, 0.888, 0.898], [0.936, 0.931, 0.931]],
    columns=["C4.5", "C4.5+m", "C4.5+m+cf"],
)  # fmt: skip
APART = pd.DataFrame(np.arange(30.0).reshape(10, 3) % 3, columns=["a", "b", "c"])


@pytest.mark.parametrize(
    ("result", "null"),
    [
        (f.paired_t([0.1, 0.2, 0.15]), "the hypothesis of no difference"),
        (f.paired_t([0.1, 0.2, 0.15], alternative="greater"),
         "the hypothesis that second is not better than first"),
        (f.paired_t([0.1, 0.2, 0.15], alternative="less"),
         "the hypothesis that second is not worse than first"),
        (f.tost_paired([0.1, 0.2, 0.15], rope=0.5, rho=0), "lies outside the rope"),
        (f.page_trend(TABLE), "the hypothesis of no trend"),
        (f.friedman(TABLE), "the hypothesis that no algorithm differs from another"),
        (f.mauchly(np.random.default_rng(1).normal(size=(9, 3)).T), "the null hypothesis"),
    ],
)  # fmt: skip
def test_the_hypothesis_is_that_of_the_test(result, null):
    assert null in result.explain()


def test_pairs_that_differ_are_named_with_the_better_first():
    text = f.posthoc(APART, adjust="holm").explain()
    assert "c is better than a (p < 0.0001)" in text
    assert "a is better than" not in text
    assert "From best to worst by mean rank: c, b, a." in text


def test_pairs_that_do_not_differ_are_not_called_alike():
    text = f.posthoc(TABLE).explain()
    assert "no pair differs" in text
    assert "3 pairs can't be told apart, which does not show that the algorithms are alike" in text


@pytest.mark.parametrize(
    ("adjust", "words"),
    [("holm", "at the family-wise level of 0.05, adjusted by holm"),
     ("none", "at the level of 0.05 for each pair, not adjusted"),
     ("fdr", "at the false discovery rate of 0.05")],
)  # fmt: skip
def test_the_level_is_named_by_what_it_controls(adjust, words):
    assert words in f.posthoc(TABLE, adjust=adjust).explain()
