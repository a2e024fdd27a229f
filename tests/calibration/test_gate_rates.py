"""At the margin itself a gate passes in at most one study of twenty; the evidence says the same.

Kept small for data sets; the whole table is that of evidence/gate_rates.py.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bayescmp import Differences, gate
from bayescmp.bayesian import hierarchical_t, paired_proportions

STUDIES, LEVEL = 2000, 0.05
TABLE = Path(__file__).parents[2] / "evidence" / "gate_rates.csv"

pytestmark = pytest.mark.calibration


def within(rate: float, studies: int) -> bool:
    """Whether a rate is at most the level, within two standard errors of the simulation."""
    return rate <= LEVEL + 2 * np.sqrt(LEVEL * (1 - LEVEL) / studies)


@pytest.mark.parametrize("n", [100, 400, 1000])
def test_questions(n):
    margin = 0.02
    rng = np.random.default_rng(n)

    @cache
    def not_worse(lost: int, gained: int) -> float:
        counts = [[n - lost - gained, lost], [gained, 0]]
        return paired_proportions(counts, rope=(-margin, np.inf)).verdict().p_rope

    p = [not_worse(*map(int, rng.multinomial(n, [0.08, 0.06, 0.86])[:2])) for _ in range(STUDIES)]
    assert within(np.mean(np.array(p) >= 0.95), STUDIES)
    assert within(np.mean(np.array(p) <= 0.05), STUDIES)


@pytest.mark.parametrize("n", [100, 1000])
def test_questions_looked_at_one_by_one(n, evidence):
    """At every question, and stopped where it passes or fails: each side errs at most so often."""
    rng = np.random.default_rng([n, 3])
    outcomes = []
    for _ in range(STUDIES):
        d = rng.choice([-1.0, 1.0, 0.0], p=[0.08, 0.06, 0.86], size=n)
        x = Differences([d], rho=0.0)
        outcomes.append(gate(x, margin=0.02, sequential=True, bounds=(-1, 1)).outcome)
    shares = {o: outcomes.count(o) / STUDIES for o in ("pass", "fail", "undecided")}
    evidence("gate_sequential", n=n, studies=STUDIES, **shares)
    assert shares["pass"] <= LEVEL
    assert shares["fail"] <= LEVEL
    assert n < 1000 or min(shares["pass"], shares["fail"]) > 0


@pytest.mark.parametrize("q", [5, 10, 30])
def test_data_sets(q):
    margin, studies = 0.01, 150
    rng = np.random.default_rng([q, 1])
    passed = dict.fromkeys(("location", "expected"), 0)
    for _ in range(studies):
        shared = np.sqrt(0.1) * rng.normal(size=(q, 1)) + np.sqrt(0.9) * rng.normal(size=(q, 10))
        x = rng.normal(-margin, 0.01, (q, 1)) + 0.02 * shared
        posterior = hierarchical_t(x, rho=0.1, rope=(-margin, np.inf), engine="quadrature")
        verdict = posterior.verdict()
        for part in passed:
            passed[part] += getattr(verdict, part)["rope"] >= 0.95
    assert within(passed["location"] / studies, studies)
    # the true chance is one half: at most 1 study of 2,000 in the evidence, so rarely 2 of 150
    assert passed["expected"] <= 1


def test_the_table():
    table = pd.read_csv(TABLE, comment="#")
    gates = table[table["rule"].str.startswith("gate")]
    assert set(gates["n"]) == {100, 400, 1000, 5, 10, 30}
    assert all(within(p, n) for p, n in zip(gates["pass"], gates["studies"], strict=True))
    assert (table.loc[table["rule"] == "observed difference", "pass"] > 0.4).all()
