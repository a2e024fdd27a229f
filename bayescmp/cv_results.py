"""Score tables from what scikit-learn's ``cross_validate`` returns."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.errors import InputError
from bayescmp.metrics import direction, is_time, never_negative

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["from_cv_results", "higher_is_better"]


def from_cv_results(results: Mapping[Any, Any], folds: int | None) -> pd.DataFrame:
    """Long table from scikit-learn's ``cross_validate`` results; see `Scores.from_cv_results`."""
    import pandas as pd

    return pd.concat([_one_cv_result(*cell, folds) for cell in _cells(results)], ignore_index=True)


def higher_is_better(frame: pd.DataFrame, declared: Collection[str]) -> list[str]:
    """Metrics that scikit-learn's convention tells the direction of: its scorers turn losses.

    Parameters
    ----------
    frame : DataFrame
        As `from_cv_results` gives it.
    declared : collection of str
        Metrics whose direction the user declared.

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
    found = []
    for metric in frame.columns.drop(["dataset", "algorithm", "repeat", "fold"]):
        known, values = direction(metric), frame[metric].to_numpy(dtype=float)
        if metric in declared or is_time(metric) or metric in ("n_test", "n_train"):
            continue
        if known.assumed or (known.lower and (values <= 0).all() and never_negative(metric)):
            found.append(metric)
        elif known.lower and (values < 0).any() and not never_negative(metric):
            raise InputError(
                f"metric {metric!r} has negative values: scikit-learn's scorers negate losses, "
                f"and this loss can be negative by itself. Declare higher_is_better=[{metric!r}] "
                f"if a scorer negated it, lower_is_better=[{metric!r}] if not"
            )
    return found


def _cells(results: Mapping[Any, Any]) -> list[tuple[str, str, Mapping[str, Any]]]:
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
            raise InputError(f"results[{key!r}] is no cross_validate result; {accepted}")
        if isinstance(key, tuple) and len(key) == 2:
            cells.append((str(key[0]), str(key[1]), value))
        elif all(isinstance(v, Mapping) for v in value.values()):
            cells += [(str(key), str(algorithm), cell) for algorithm, cell in value.items()]
        else:
            cells.append(("data", str(key), value))
    return cells


def _one_cv_result(
    dataset: str, algorithm: str, result: Mapping[str, Any], folds: int | None
) -> pd.DataFrame:
    import pandas as pd

    scores = {k: np.asarray(v, float) for k, v in result.items()
              if k.startswith("test_") or k in ("fit_time", "score_time")}  # fmt: skip
    tests = [k for k in scores if k.startswith("test_")]
    if not tests:
        raise InputError(
            f"result of {algorithm!r} on {dataset!r} has no 'test_...' array, found: "
            f"{', '.join(map(repr, result))}"
        )
    n = len(scores[tests[0]])
    table = {(k[5:] if k.startswith("test_") else k): v for k, v in scores.items()}
    indices = result.get("indices")
    if indices is not None:
        table["n_test"] = np.array([len(t) for t in indices["test"]])
        table["n_train"] = np.array([len(t) for t in indices["train"]])
        folds = folds or _folds_from_indices(indices["test"])
    folds = _check_folds(folds, n, f"result of {algorithm!r} on {dataset!r}")
    labels = {"dataset": dataset, "algorithm": algorithm,
              "repeat": np.arange(n) // folds + 1, "fold": np.arange(n) % folds + 1}  # fmt: skip
    return pd.DataFrame({**labels, **table})


def _folds_from_indices(tests: Any) -> int:
    """Number of splits until a test set meets an earlier one: the folds of one run."""
    seen: set[int] = set()
    for i, test in enumerate(tests):
        now = set(np.asarray(test).tolist())
        if now & seen:
            return i
        seen |= now
    return len(tests)


def _check_folds(folds: int | None, n: int, where: str) -> int:
    if folds is None:
        if n <= 10:
            return n
        raise InputError(
            f"{where} holds {n} scores and does not say how many folds a run has: give folds, "
            f"e.g. folds=10 for repeated 10-fold (or run cross_validate with return_indices=True)"
        )
    if not isinstance(folds, (int, np.integer)) or folds < 1 or n % folds:
        raise InputError(f"folds={folds!r} does not divide the {n} scores of the {where}")
    return int(folds)
