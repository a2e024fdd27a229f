"""The longest simulations come last: where the time is short, most of the others have run."""

from __future__ import annotations

LAST = "test_frequentist_level"


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: LAST in item.nodeid)
