"""The correlation of folds, from their sizes."""

from __future__ import annotations

import pytest

import bayescmp as bc


def test_rho_from_sizes():
    assert bc.rho_from_sizes(90, 10) == pytest.approx(0.1)
    with pytest.raises(bc.InputError, match="positive sizes"):
        bc.rho_from_sizes(0, 10)
