"""What R and papers say, restated in tests/reference."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc


def mixing(rng: np.random.Generator, p: int) -> np.ndarray:
    """A random (p, p) map of determinant one: of any seed it is far from singular."""
    return np.eye(p) + np.tril(rng.normal(size=(p, p)), -1)


REFERENCE = Path(__file__).parent.parent / "reference"


def numbers(name: str) -> dict[str, np.ndarray]:
    """A table of names and values, as the R scripts write it."""
    result: dict[str, list[float]] = defaultdict(list)
    with (REFERENCE / name).open() as lines:
        for row in csv.DictReader(lines):
            result[row["name"]].append(float(row["value"]))
    return {name: np.array(values) for name, values in result.items()}


@pytest.fixture(scope="session")
def r() -> dict[str, np.ndarray]:
    """Numbers made by tests/reference/freq_r.R (R 4.2.2)."""
    return numbers("freq_r.csv")


@pytest.fixture(scope="session")
def tr() -> dict[str, np.ndarray]:
    """Numbers made by tests/reference/tests_r.R (R 4.2.2, coin, pROC, effectsize)."""
    return numbers("tests_r.csv")


@pytest.fixture(scope="session")
def rr() -> dict[str, np.ndarray]:
    """Numbers made by tests/reference/ranks_r.R (R 4.2.2, coin, PMCMRplus, scmamp)."""
    return numbers("ranks_r.csv")


@pytest.fixture(scope="session")
def gr() -> dict[str, np.ndarray]:
    """Numbers made by tests/reference/groups_r.R (R 4.2.2, multcomp, effectsize)."""
    return numbers("groups_r.csv")


@pytest.fixture(scope="session")
def mr() -> dict[str, np.ndarray]:
    """Numbers made by tests/reference/multivariate_r.R (R 4.2.2)."""
    return numbers("multivariate_r.csv")


@pytest.fixture
def counts(mr) -> np.ndarray:
    """The four algorithms, eight folds, tp, fp and ms of that script, shape (4, 8, 3)."""
    return mr["counts"].reshape(4, 8, 3)


@pytest.fixture(scope="session")
def published() -> dict[str, dict]:
    """Published facts with their sources, by name."""
    entries = json.loads((REFERENCE / "freq_published.json").read_text())
    return {entry["name"]: entry for entry in entries}


@pytest.fixture(scope="session")
def table(reference_dir):
    """A reference table of data sets x algorithms, by file name."""

    def read(name: str) -> pd.DataFrame:
        if name == "accuracy_means_uci54":
            return pd.read_csv(reference_dir / f"{name}.csv", index_col=0).iloc[:, 1:]
        return pd.read_csv(reference_dir / f"{name}.csv", index_col=0)

    return read


@pytest.fixture(scope="session")
def confusion_counts(reference_dir) -> bc.Scores:
    """The cross-validated table of scikit-learn's classifiers, its first repeat."""
    table = pd.read_csv(reference_dir / "cv_confusion_sklearn.csv")
    return bc.Scores(table[table["repeat"] == 1])


@pytest.fixture(scope="session")
def of_confusion_counts(reference_dir):
    """Takes kinds of numbers that R gives of that table; words of each name, and the numbers."""
    entries = json.loads((reference_dir.parent / "expected.json").read_text())
    known = [(entry["name"].split("|"), entry["expected"]) for entry in entries]

    def of(*kinds: str) -> list:
        of_table = [entry for entry in known if entry[0][0] == "cvconf"]
        return [(words[1:], numbers) for words, numbers in of_table if {*words} & {*kinds}]

    return of
