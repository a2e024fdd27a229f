"""Critical differences of results, and refusals; Demšar's table is in `test_published`."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp.frequentist as f
from bayescmp.errors import InputError


def scores_of(seed, n, k, ties=False):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, k)) + 2 * rng.normal(size=(n, 1)) + 0.3 * np.arange(k)
    return np.round(x, 0) if ties else x


@pytest.mark.parametrize("adjust", ["nemenyi", "bonferroni", "none"])
def test_critical_difference_separates(adjust):
    result = f.posthoc(scores_of(5, 20, 6, ties=True), adjust=adjust)
    for alpha in (0.01, 0.05, 0.3):
        limit = result.critical_difference(alpha)
        assert np.array_equal(np.abs(result.difference) >= limit, result.different(alpha))


def test_critical_difference_of_a_table_is_that_of_its_size():
    x = scores_of(4, 13, 5, ties=True)
    assert f.nemenyi(x).critical_difference(0.1) == f.critical_difference(5, 13, alpha=0.1)
    control = f.posthoc(x, adjust="dunn", control=0, variance="published")
    expected = f.critical_difference(5, 13, control=True)
    assert control.critical_difference() == pytest.approx(expected)
    assert f.posthoc(x, adjust="holm").critical_difference() is None


def test_too_few_algorithms_and_levels_outside_are_refused():
    with pytest.raises(InputError, match="L=1"):
        f.critical_difference(1, 5)
    with pytest.raises(InputError, match="alpha"):
        f.critical_difference(3, 5, alpha=0)
