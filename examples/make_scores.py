"""Cross-validate eight classifiers on fourteen small real tasks: examples/data/scores.csv.

    python examples/make_scores.py                                 # the complete table, minutes
    python examples/make_scores.py --tasks iris wine --algorithms knn gbm --out part.csv

All data come with scikit-learn: nothing is downloaded. Every task has two classes, so that
true and false positives and negatives, F1, precision, recall and AUC all have their plain
meaning. On each task ten runs of stratified ten-fold cross-validation, the same folds for all
algorithms. The same seed gives the same file; a part of the table holds the same numbers as
the complete one. Where the data come from: examples/data/README.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
    load_wine,
)
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits
from tqdm import tqdm

SEED = 20170711
REPEATS = 10
FOLDS = 10
DECIMALS = 6
OUT = Path(__file__).parent / "data" / "scores.csv"

Data = tuple[np.ndarray, np.ndarray]  # (n, features) and (n,) of bool, True the positive class


@dataclass(frozen=True)
class Task:
    """A binary classification task and what its positive class is."""

    load: Callable[[], Data]
    positive: str


def iris(columns: slice) -> Data:
    X, y = load_iris(return_X_y=True)
    rows = y != 0  # without setosa, which a straight line tells from the others
    return X[rows][:, columns], y[rows] == 2


def wine(columns: slice) -> Data:
    X, y = load_wine(return_X_y=True)
    return X[:, columns], y == 1


def breast_cancer(columns: slice) -> Data:
    X, y = load_breast_cancer(return_X_y=True)
    return X[:, columns], y == 0  # scikit-learn codes malignant as 0


def diabetes(quantile: float) -> Data:
    X, y = load_diabetes(return_X_y=True, scaled=False)
    return X, y > np.quantile(y, quantile)


def diabetes_sex() -> Data:
    X, _ = load_diabetes(return_X_y=True, scaled=False)
    return np.delete(X, 1, axis=1), X[:, 1] == 2


def digits_pair(first: int, second: int) -> Data:
    X, y = load_digits(return_X_y=True)
    rows = (y == first) | (y == second)
    return X[rows], y[rows] == second


def every_third_digit(positive: Callable[[np.ndarray], np.ndarray]) -> Data:
    X, y = load_digits(return_X_y=True)
    return X[::3], positive(y[::3])


# A task's place in this table enters its seed: add new tasks at the end.
TASKS: dict[str, Task] = {
    "iris": Task(lambda: iris(np.s_[:]), "virginica, against versicolor"),
    "iris_sepal": Task(lambda: iris(np.s_[:2]), "virginica, against versicolor"),
    "wine": Task(lambda: wine(np.s_[:]), "class_1, against class_0 and class_2"),
    "wine_basic": Task(lambda: wine(np.s_[:5]), "class_1, against class_0 and class_2"),
    "cancer": Task(lambda: breast_cancer(np.s_[:]), "malignant"),
    "cancer_mean": Task(lambda: breast_cancer(np.s_[:10]), "malignant"),
    "cancer_error": Task(lambda: breast_cancer(np.s_[10:20]), "malignant"),
    "diabetes": Task(lambda: diabetes(0.5), "progression above the median, 140.5"),
    "diabetes_high": Task(lambda: diabetes(0.75), "progression above the upper quartile, 211.5"),
    "diabetes_sex": Task(diabetes_sex, "the sex coded 2, from the other nine measurements"),
    "digits_3_8": Task(lambda: digits_pair(3, 8), "8, against 3"),
    "digits_4_9": Task(lambda: digits_pair(4, 9), "9, against 4"),
    "digits_odd": Task(lambda: every_third_digit(lambda y: y % 2 == 1), "an odd digit"),
    "digits_high": Task(lambda: every_third_digit(lambda y: y >= 5), "5, 6, 7, 8 or 9"),
}

# scikit-learn's default settings, but for 50 trees in place of 100 to save time: nothing is
# tuned, for any task or algorithm.
ALGORITHMS: dict[str, Callable[[int], Any]] = {
    "knn": lambda seed: make_pipeline(StandardScaler(), KNeighborsClassifier()),
    "gbm": lambda seed: GradientBoostingClassifier(n_estimators=50, random_state=seed),
    "logistic": lambda seed: make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    "lda": lambda seed: LinearDiscriminantAnalysis(),
    "nb": lambda seed: GaussianNB(),
    "tree": lambda seed: DecisionTreeClassifier(random_state=seed),
    "forest": lambda seed: RandomForestClassifier(n_estimators=50, random_state=seed),
    "svm": lambda seed: make_pipeline(StandardScaler(), SVC()),
}


def seeds(task: str, repeat: int) -> list[int]:
    """Seed of a run's split, then one for the algorithms in each of its folds."""
    child = np.random.SeedSequence(SEED, spawn_key=(list(TASKS).index(task), repeat))
    return [int(s) for s in child.generate_state(1 + FOLDS)]


def splits(task: str, X: np.ndarray, y: np.ndarray) -> Iterator[tuple[int, int, Any, Any, int]]:
    """Repeat, fold, training rows, test rows and the algorithms' seed, for every fold."""
    for repeat in range(1, REPEATS + 1):
        split_seed, *fold_seeds = seeds(task, repeat)
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=split_seed).split(X, y)
        for fold, (train, test) in enumerate(folds, start=1):
            yield repeat, fold, train, test, fold_seeds[fold - 1]


def decision_values(model: Any, X: np.ndarray) -> np.ndarray:
    """What the model ranks by: the larger, the more likely positive."""
    if hasattr(model, "predict_proba"):
        return model.predict_proba(X)[:, 1]
    return model.decision_function(X)


def scores(y: np.ndarray, predicted: np.ndarray, ranked_by: np.ndarray) -> dict[str, float]:
    """Scores of one test fold; precision is 0 where nothing was predicted positive."""
    tp, fn = int((y & predicted).sum()), int((y & ~predicted).sum())
    fp, tn = int((~y & predicted).sum()), int((~y & ~predicted).sum())
    return {
        "accuracy": (tp + tn) / len(y),
        "auc": roc_auc_score(y, ranked_by),
        "f1": 2 * tp / (2 * tp + fp + fn),
        "precision": tp / max(tp + fp, 1),
        "recall": tp / (tp + fn),
        "tp": tp,
        "fn": fn,
        "fp": fp,
        "tn": tn,
    }


def run_cell(task: str, algorithm: str) -> list[dict[str, Any]]:
    """Rows of one algorithm on one task, in order of repeat and fold."""
    X, y = TASKS[task].load()
    rows = []
    # One thread: sums in another order would differ in their last digits.
    with threadpool_limits(1):
        for repeat, fold, train, test, seed in splits(task, X, y):
            model = ALGORITHMS[algorithm](seed).fit(X[train], y[train])
            row = {"dataset": task, "algorithm": algorithm, "repeat": repeat, "fold": fold}
            values = decision_values(model, X[test])
            rows.append(row | scores(y[test], model.predict(X[test]), values))
    return rows


def make_table(tasks: list[str], algorithms: list[str], jobs: int) -> pd.DataFrame:
    """The table of scores, its rows in the order of the names whatever the number of jobs."""
    cells = [(task, algorithm) for task in tasks for algorithm in algorithms]
    # A generator gives results in the order of the calls, and the progress bar something to show.
    results = Parallel(n_jobs=jobs, return_as="generator")(delayed(run_cell)(*c) for c in cells)
    rows = [row for cell in tqdm(results, total=len(cells), unit="cell") for row in cell]
    return pd.DataFrame(rows)


def write(table: pd.DataFrame, path: Path) -> None:
    """CSV with floats rounded to six decimals and the same line ends on every system."""
    table.round(DECIMALS).to_csv(path, index=False, lineterminator="\n")


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, metavar="FILE", help=f"default: {OUT.name} in data/")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes, -1 for all")
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS), metavar="TASK",
                        help=f"of {', '.join(TASKS)}")  # fmt: skip
    parser.add_argument("--algorithms", nargs="+", choices=ALGORITHMS, default=list(ALGORITHMS),
                        metavar="NAME", help=f"of {', '.join(ALGORITHMS)}")  # fmt: skip
    options = parser.parse_args(arguments)
    # In the tables' order and each once, so that a part is a part of the complete table.
    options.tasks = [t for t in TASKS if t in options.tasks]
    options.algorithms = [a for a in ALGORITHMS if a in options.algorithms]
    complete = len(options.tasks) == len(TASKS) and len(options.algorithms) == len(ALGORITHMS)
    if options.out is None and not complete:
        parser.error("a part of the table needs --out, or it would overwrite the complete one")
    options.out = options.out or OUT
    if not options.out.parent.is_dir():
        parser.error(f"--out: there is no folder {str(options.out.parent)!r}")
    if options.jobs == 0:
        parser.error("--jobs: 0 is no number of processes; use 1, 2, ... or -1 for all")
    return options


def main(arguments: list[str] | None = None) -> None:
    options = parse(arguments)
    table = make_table(options.tasks, options.algorithms, options.jobs)
    write(table, options.out)
    print(f"{len(table)} rows written to {options.out}")


if __name__ == "__main__":
    main()
