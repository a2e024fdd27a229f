"""The engine against an independent reference, at a few problems of each family.

The whole screen is tests/calibration/test_quadrature_screen.py.
"""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.engines.quadrature import solve
from tests.engines.quadrature import families, screen
from tests.engines.quadrature.test_reference import FOUND, known_problem
from tests.reference.make_quadrature import QUANTITIES, check, table


@pytest.mark.parametrize("name", list(FOUND))
def test_problems_that_were_found(name):
    """Answers of another brute force; the first was off by .285, the second by .014."""
    problem, rope = known_problem(name)
    posterior = solve(problem)
    p, error = screen.answers(posterior, -rope, rope)
    for k, quantity in enumerate(QUANTITIES):
        if quantity in FOUND[name]:
            off = np.abs(p[k] - FOUND[name][quantity])
            assert screen.failed(posterior) or off.max() < 2e-3
            assert not np.any(off > 2 * error[k] + 2e-5)


@pytest.mark.parametrize("family", list(families.FAMILIES))
def test_the_first_and_the_hunted(family):
    """A few problems of each family, those among them that the engine once was lost at."""
    lines = table()
    seeds = [0, 1, 2, *families.HUNTED.get(family, [])]
    lines = lines[(lines.family == family) & lines.seed.isin(seeds)]
    assert len(lines) >= 6
    screened = screen.screen_all(lines)
    assert np.all(screen.silent(screened).off < 2e-3)
    assert not np.any(screen.silent(screened).excess > 2)


def test_seeds_give_the_problems_of_the_table():
    for (family, seed), lines in table().groupby(["family", "seed"]):
        number = check(families.make(family, seed))
        assert number == pytest.approx(lines.check.iloc[0], rel=1e-6), (family, seed)
