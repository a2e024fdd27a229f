"""Parameters with marks."""

from __future__ import annotations

import pytest


def first_and_slow(first: object, *others: object) -> list[object]:
    """Parameters of which the fast suite takes the first and the slow tests the others."""
    return [first, *(pytest.param(other, marks=pytest.mark.slow) for other in others)]
