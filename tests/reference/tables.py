"""Reference tables from the facts restated beside this file, for a checkout that stands alone.

The large score tables are not part of the project. What the tests need of them is: tables printed
in papers and books, expected values, and of the 54 data sets with 100 folds the sufficient
statistics (means and scatter matrices of five classifiers, by blocks of folds), from which rows
with exactly these statistics are rebuilt. ``make_facts.py`` derived the facts.
"""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import numpy as np
import pandas as pd

TABLES = Path(__file__).with_name("tables")
CLASSIFIERS = ("nbc", "aode", "hnb", "j48", "j48gr")


def blocks_of(dataset: int) -> list[slice]:
    """Folds whose statistics are kept separately: ten of the first run, and those a test picks.

    The documentation of baycomp analyses the first run; the tutorial folds 85 to 100 of set 17.
    """
    cuts = [0, 10, 84, 100] if dataset == 17 else [0, 10, 100]
    return [slice(a, b) for a, b in itertools.pairwise(cuts)]


def rows_of(mean: np.ndarray, scatter: np.ndarray, n: int) -> np.ndarray:
    """n rows in [0, 1] with a given mean and scatter matrix.

    Rows are moved in turn to the nearest ones with these statistics (orthogonal Procrustes) and
    beyond the nearest ones in the unit cube, until they are both to the eleventh digit.
    """
    values, vectors = np.linalg.eigh(scatter)
    kept = values > 1e-12 * values.max()
    factor = vectors[:, kept] * np.sqrt(values[kept])
    noise = np.random.default_rng(3).exponential(size=(n, kept.sum()))
    rows = mean - noise @ abs(factor.T)  # the long tail is on the left, as that of accuracies
    for _ in range(5000):
        u, _, v = np.linalg.svd((rows - rows.mean(axis=0)) @ factor, full_matrices=False)
        rows = mean + u @ v @ factor.T
        inside = np.clip(rows, 0, 1)
        if np.abs(inside - rows).max() <= 1e-11:
            return alike(inside, mean, scatter)
        rows += 1.9 * (inside - rows)
    raise ValueError("no rows in [0, 1] with this mean and scatter")


def alike(rows: np.ndarray, mean: np.ndarray, scatter: np.ndarray) -> np.ndarray:
    """The rows, with columns that never differ equal to the last digit."""
    for b in range(len(mean)):
        for a in range(b):
            spread = scatter[a, a] + scatter[b, b] - 2 * scatter[a, b]
            if mean[a] == mean[b] and spread <= 1e-12:
                rows[:, b] = rows[:, a]
    return rows


def accuracies() -> pd.DataFrame:
    """Rows of 54 data sets, five classifiers, 10x10 folds, with the statistics restated."""
    facts = pd.read_csv(TABLES / "uci54_statistics.csv")
    parts = []
    for dataset, rows in facts.groupby("dataset_id"):
        blocks = []
        for at, (_, row) in zip(blocks_of(dataset), rows.iterrows(), strict=True):
            scatter = np.zeros((5, 5))
            upper = np.triu_indices(5)
            scatter[upper] = row.filter(like="ss_").to_numpy()
            scatter = scatter + np.triu(scatter, 1).T
            blocks.append(
                rows_of(row[list(CLASSIFIERS)].to_numpy(float), scatter, at.stop - at.start)
            )
        x = np.concatenate(blocks)
        parts += [
            pd.DataFrame(
                {
                    "dataset_id": dataset,
                    "algorithm": name,
                    "repeat": np.arange(100) // 10 + 1,
                    "fold": np.arange(100) % 10 + 1,
                    "accuracy": x[:, i],
                }
            )
            for i, name in enumerate(CLASSIFIERS)
        ]
    return pd.concat(parts, ignore_index=True)


def rebuild(folder: Path) -> Path:
    """Write the tables to a folder under the names that they have in the reference data.

    Parameters
    ----------
    folder : Path
        An empty folder.

    Returns
    -------
    Path
        Its folder of tables.
    """
    data = folder / "data"
    data.mkdir(parents=True)
    for path in TABLES.glob("*.csv"):
        shutil.copy(path, data)
    shutil.copy(TABLES / "expected.json", folder)
    accuracies().to_csv(data / "accuracy_10x10cv_uci54.csv", index=False)
    return data
