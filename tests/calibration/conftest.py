"""The longest simulations come last; with ``--evidence`` runs write the tables of evidence/.

    python -m pytest -m calibration --evidence tests/calibration/test_sbc_groups.py

writes what that file measures, whether its tests pass or fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import measured
import pandas as pd
import pytest

LAST = "test_frequentist_level"


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: LAST in item.nodeid)


def pytest_addoption(parser):
    parser.addoption("--evidence", action="store_true", help="write the tables of evidence/")


@pytest.fixture(scope="session")
def evidence(request) -> Iterator[Callable[..., None]]:
    """Takes a row of a table of evidence/, by the table's name."""
    tables: dict[str, list[dict[str, object]]] = {}

    def record(table, **row):
        tables.setdefault(table, []).append(row)

    yield record
    if request.config.getoption("--evidence", default=False):
        for name, rows in tables.items():
            engines = {str(row.get("engine")) for row in rows} & {"pystan", "cmdstanpy"}
            path = measured.FOLDER / f"{name}.csv"
            measured.write(path, pd.DataFrame(rows), *sorted(engines), digits=4)
