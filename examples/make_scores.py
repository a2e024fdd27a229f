"""Cross-validate eight classifiers on fourteen small real tasks: examples/data/scores.csv.

    python examples/make_scores.py                                 # the complete table, minutes
    python examples/make_scores.py --tasks iris wine --algorithms knn gbm --out part.csv
    python examples/make_scores.py --jobs -1 --checkpoint run.db   # goes on where it was stopped

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
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from bayescmp.experiment import Fold, run_experiment

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
# tuned, for any task or algorithm. Their random states come with the folds.
ALGORITHMS: dict[str, Any] = {
    "knn": make_pipeline(StandardScaler(), KNeighborsClassifier()),
    "gbm": GradientBoostingClassifier(n_estimators=50),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    "lda": LinearDiscriminantAnalysis(),
    "nb": GaussianNB(),
    "tree": DecisionTreeClassifier(),
    "forest": RandomForestClassifier(n_estimators=50),
    "svm": make_pipeline(StandardScaler(), SVC()),
}

SCORES = ["accuracy", "auc", "f1", "precision", "recall", "tp", "fn", "fp", "tn"]
COLUMNS = ["dataset", "algorithm", "repeat", "fold", *SCORES]


def seeds(task: str, repeat: int) -> list[int]:
    """Seed of a run's split, then one for the algorithms in each of its folds."""
    child = np.random.SeedSequence(SEED, spawn_key=(list(TASKS).index(task), repeat))
    return [int(s) for s in child.generate_state(1 + FOLDS)]


def splits(task: str, X: np.ndarray, y: np.ndarray) -> Iterator[Fold]:
    """Every fold of every run, with the seed of the algorithms that are fitted to it."""
    for repeat in range(1, REPEATS + 1):
        split_seed, *fold_seeds = seeds(task, repeat)
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=split_seed).split(X, y)
        for fold, (train, test) in enumerate(folds, start=1):
            yield Fold(repeat, fold, train, test, fold_seeds[fold - 1])


def make_table(
    tasks: list[str], algorithms: list[str], jobs: int, checkpoint: Path | None = None
) -> pd.DataFrame:
    """The table of scores, its rows in the order of the names whatever the number of jobs."""
    data = {task: TASKS[task].load() for task in tasks}
    run = run_experiment(
        {algorithm: ALGORITHMS[algorithm] for algorithm in algorithms},
        data,
        cv={task: list(splits(task, X, y)) for task, (X, y) in data.items()},
        scoring=SCORES,
        seed=SEED,
        n_jobs=jobs,
        checkpoint=checkpoint,
        progress=True,
    )
    return run.frame[COLUMNS]


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
    parser.add_argument("--checkpoint", type=Path, metavar="FILE",
                        help="keep finished folds here, and go on from it")  # fmt: skip
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
    table = make_table(options.tasks, options.algorithms, options.jobs, options.checkpoint)
    write(table, options.out)
    print(f"{len(table)} rows written to {options.out}")


if __name__ == "__main__":
    main()
