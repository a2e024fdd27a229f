"""Score tables from what scikit-learn's ``cross_validate`` returns."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bayescmp import splits
from bayescmp.columns import KEYS
from bayescmp.errors import InputError
from bayescmp.evidence import TOLERANCE
from bayescmp.metrics import direction, is_time, never_negative
from bayescmp.resampling import Resampling
from bayescmp.text import counted

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["from_cv_results", "higher_is_better"]

#: What ``cross_validate`` returns: arrays by name, and "indices" by the part they are of.
CvResult: TypeAlias = Mapping[str, Any]


def from_cv_results(
    results: Mapping[Any, object], folds: int | None = None, resampling: object = None
) -> tuple[pd.DataFrame, dict[str, Resampling]]:
    """Long table and designs from ``cross_validate`` results; see `Scores.from_cv_results`."""
    import pandas as pd

    by_dataset: dict[str, dict[str, CvResult]] = {}
    for dataset, algorithm, result in _cells(results):
        by_dataset.setdefault(dataset, {})[algorithm] = result
    if folds is not None:
        resampling = Resampling.k_fold(folds)
    declared = splits.of_datasets(resampling, list(by_dataset))
    tables, designs = [], {}
    for dataset, cells in by_dataset.items():
        designs[dataset] = _design(dataset, cells, declared.get(dataset))
        tables += [_table(dataset, a, result, designs[dataset]) for a, result in cells.items()]
    return pd.concat(tables, ignore_index=True), designs


def _design(
    dataset: str, cells: Mapping[str, CvResult], declared: Resampling | None
) -> Resampling:
    """How a data set was split: as the indices prove, else as declared."""
    known = [(a, r["indices"]) for a, r in cells.items() if r.get("indices") is not None]
    if known:
        splits.same_splits(known, dataset)
        train, test = known[0][1]["train"], known[0][1]["test"]
        if declared is not None and declared.design in ("bootstrap", "windows", "given"):
            return declared
        design = splits.of_indices(train, test, dataset)
        if declared is not None and not np.isclose(design.rho, declared.rho, rtol=TOLERANCE):
            raise InputError(
                f"resampling={declared.spec!r} of data set {dataset!r}, but the indices say: "
                f"{design}"
            )
        return design
    counts = {a: len(_scores(dataset, a, r)[1]) for a, r in cells.items()}
    n, name = next((n, a) for a, n in counts.items())
    if declared is None:
        raise InputError(
            f"result of {name!r} on {dataset!r} holds {counted(n, 'score')}, and nothing says how "
            f"the data were split: give resampling, e.g. the cv that cross_validate was given, or "
            "words ('10-fold', '5x2-fold', 'random splits 0.2'); or run cross_validate with "
            "return_indices=True"
        )
    if declared.folds is not None and n % declared.folds:
        raise InputError(
            f"folds={declared.folds} does not divide the {n} scores of the result of {name!r} on "
            f"{dataset!r}"
        )
    return declared


def higher_is_better(
    frame: pd.DataFrame, declared: Collection[str], *, maximised: bool = False
) -> list[str]:
    """Metrics that scikit-learn's convention tells the direction of: its scorers turn losses.

    Parameters
    ----------
    frame : DataFrame
        Labels, and one column per metric.
    declared : collection of str
        Metrics whose direction the user declared.
    maximised : bool
        Whether the program took the highest score for the best, as a search does: a loss that is
        negative throughout was turned then, also one that can be negative by itself.

    Returns
    -------
    list of str
        Metrics whose names tell nothing, and losses that are negative throughout. A loss that is
        positive was not turned: its name tells its direction.

    Raises
    ------
    InputError
        For a loss that can be negative by itself (such as "nll") and is: it may be turned or not.
    """
    higher = []
    for metric in frame.columns.difference(list(KEYS), sort=False):
        known, values = direction(metric), frame[metric].to_numpy(dtype=float)
        if metric in declared or is_time(metric) or metric in ("n_test", "n_train"):
            continue
        if known.assumed or (
            known.lower and (values <= 0).all() and (maximised or never_negative(metric))
        ):
            higher.append(metric)
        elif known.lower and (values < 0).any() and not never_negative(metric):
            raise InputError(
                f"metric {metric!r} has negative values: scikit-learn's scorers negate losses, "
                f"and this loss can be negative by itself. Declare higher_is_better=[{metric!r}] "
                f"if a scorer negated it, lower_is_better=[{metric!r}] if not"
            )
    return higher


def _cells(results: Mapping[Any, object]) -> list[tuple[str, str, CvResult]]:
    """(data set, algorithm, result) of each, from either nesting or from pairs as keys."""
    accepted = (
        "accepted: {dataset: {algorithm: cross_validate(...)}}, {(dataset, algorithm): "
        "cross_validate(...)}, or {algorithm: cross_validate(...)} for one data set"
    )
    if not isinstance(results, Mapping) or not results:
        raise InputError(f"results is {type(results).__name__} or empty; {accepted}")
    cells = []
    for key, value in results.items():
        if not isinstance(value, Mapping) or not value:
            raise InputError(f"results[{key!r}] is not a cross_validate result; {accepted}")
        if isinstance(key, tuple) and len(key) == 2:
            cells.append((str(key[0]), str(key[1]), value))
        elif all(isinstance(v, Mapping) for v in value.values()):
            cells += [(str(key), str(algorithm), cell) for algorithm, cell in value.items()]
        else:
            cells.append(("data", str(key), value))
    return cells


def _scores(
    dataset: str, algorithm: str, result: CvResult
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Arrays of scores and times by their names, and the first of the scores."""
    arrays = {
        k.removeprefix("test_"): np.asarray(v, float)
        for k, v in result.items()
        if k.startswith("test_") or k in ("fit_time", "score_time")
    }
    tests = [k.removeprefix("test_") for k in result if k.startswith("test_")]
    if not tests:
        raise InputError(
            f"result of {algorithm!r} on {dataset!r} has no 'test_...' array, found: "
            f"{', '.join(map(repr, result))}"
        )
    return arrays, arrays[tests[0]]


def _table(dataset: str, algorithm: str, result: CvResult, design: Resampling) -> pd.DataFrame:
    """Long table of one result."""
    import pandas as pd

    table, first = _scores(dataset, algorithm, result)
    indices, i = result.get("indices"), np.arange(len(first))
    if indices is not None:
        table["n_test"] = np.array([len(t) for t in indices["test"]])
        table["n_train"] = np.array([len(t) for t in indices["train"]])
    runs = design.design in ("random splits", "seeds", "bootstrap")
    folds = 1 if runs else design.folds or len(first)
    labels = {
        "dataset": dataset,
        "algorithm": algorithm,
        "repeat": i // folds + 1,
        "fold": i % folds + 1,
    }
    return pd.DataFrame({**labels, **table})
