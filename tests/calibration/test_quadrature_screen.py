"""The built-in engine against a brute force that shares no code with it.

Prints what ``python -m tests.engines.quadrature.screen`` prints; the reference's answers stand in
tests/reference/quadrature.csv.
"""

import numpy as np
import pytest

from tests.engines.quadrature import screen
from tests.reference.make_quadrature import table

SPECIAL = ["tied", "clusters", "spike"]

pytestmark = pytest.mark.calibration


def test_no_verdict_is_silently_wrong(evidence):
    screened = screen.screen_all(table())
    summary = screen.summary(screened)
    print("\n", summary.to_string(index=False, float_format="%.3g"))
    for _, row in summary.iterrows():
        evidence("quadrature_screen", **row)
    assert screened.resolved.mean() > 0.98
    silent = screen.silent(screened)
    assert np.all(silent[silent.family.isin(SPECIAL)].off < 2e-3)
    assert np.mean(silent.excess.dropna() > 1) < 0.01
    assert not np.any(silent.excess > 2)
