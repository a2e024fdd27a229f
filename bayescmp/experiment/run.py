"""Cross-validated runs of scikit-learn estimators: the same folds for all, in parallel."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, NoReturn

import numpy as np
import pandas as pd

from bayescmp.base import checks
from bayescmp.base.arguments import arg, must
from bayescmp.base.checks import PROCESSES, Seed, count, flag, jobs, optional, validate_params
from bayescmp.base.typing import Json, PathLike
from bayescmp.base.workers import end_with, one_by_one, run_workers
from bayescmp.errors import InputError, warn_user
from bayescmp.experiment import data as _data
from bayescmp.experiment import scoring as _scoring
from bayescmp.experiment.data import Dataset, Fold, Splits
from bayescmp.experiment.store import Checkpoint, FoldJob, FoldOutcome, Key, MemoryStore, run_fold
from bayescmp.scores.columns import KEYS
from bayescmp.scores.predictions import Predictions
from bayescmp.scores.scores import Scores

if TYPE_CHECKING:
    from tqdm import tqdm


# The folds of an experiment, solved by processes side by side.


#: Tasks a worker gets at a time where a backend hands its results over in one piece, as Ray's
#: and multiprocessing's do.
ROUND = 4


def _solve(
    parent: int, key: Key, job: FoldJob, X: object, y: np.ndarray, fold: Fold
) -> tuple[Key, FoldOutcome]:
    end_with(parent)
    return key, run_fold(job, X, y, fold)


def solve_folds(
    tasks: Iterator[tuple[Key, FoldJob, Dataset, Fold]], n_jobs: int | None
) -> Iterator[tuple[Key, FoldOutcome]]:
    """Yield each outcome once its fold is finished."""
    from joblib import effective_n_jobs

    own = os.getpid()
    calls = ((own, key, job, d.X, d.y, fold) for key, job, d, fold in tasks)
    parallel = one_by_one(n_jobs, "generator_unordered", batch_size=1)  # none waits for another
    if parallel.return_generator:
        yield from run_workers(parallel, _solve, calls)
        return
    with parallel:
        size = ROUND * max(effective_n_jobs(parallel.n_jobs), 1)
        while batch := list(islice(calls, size)):
            yield from run_workers(parallel, _solve, batch)


# The result of an experiment: Scores with a list of missing folds, and responses if kept.


#: The failure of folds that were not run because the run ended.
NOT_RUN = "not run: the experiment was interrupted"


class ExperimentScores(Scores):
    """Scores of an experiment.

    A fold that failed, or was not run, has a row of NaN with the reason in column ``failure``.

    Attributes
    ----------
    seed : int
        The experiment's; the same seed gives the same folds and numbers.
    interrupted : bool
        Whether it was stopped early, by Ctrl-C or because a worker process was killed.
    predictions : DataFrame or None
        If kept, one row per test item of a fold: dataset, algorithm, repeat, fold, item (its row
        in the data set), truth, predicted, and value, to rank by (the positive class's probability
        or decision value; NaN without one).
    """

    def __init__(
        self,
        frame: pd.DataFrame,
        *,
        seed: int,
        interrupted: bool = False,
        predictions: pd.DataFrame | None = None,
        positive: Mapping[str, object] | None = None,
        higher_is_better: Iterable[str] = (),
    ) -> None:
        super().__init__(frame, higher_is_better=higher_is_better)
        self.seed = seed
        self.interrupted = interrupted
        self.predictions = predictions
        if predictions is not None:
            self.test_items = Predictions(predictions, dict(positive or {}))

    def responses(self, dataset: str, algorithm: str) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Return labels and ranking values of each fold, for curves.

        Both are lists with one array per fold, in the order of (repeat, fold): True for the
        positive class, and values to rank by. They have to be kept.
        """
        if self.test_items is None:
            raise must(
                "keep_predictions",
                "be True to keep predictions",
                "False",
                f"Run again with {arg('keep_predictions', True)}.",
            )
        part = self.test_items.responses(dataset, algorithm)
        folds = [fold for _, fold in part.groupby(["repeat", "fold"], sort=True)]
        truth = [fold["truth"].to_numpy() for fold in folds]
        return truth, [fold["value"].to_numpy(dtype=float) for fold in folds]


def assemble_table(
    splits: Mapping[str, Splits],
    algorithms: Iterable[str],
    metrics: Iterable[str],
    outcomes: Mapping[Key, FoldOutcome],
) -> pd.DataFrame:
    """Return the table of scores in the order of data sets, algorithms, repeats and folds."""
    metrics = list(metrics)
    absent = FoldOutcome(dict.fromkeys(metrics, np.nan), failure=NOT_RUN)
    rows = []
    for dataset, split in splits.items():
        for algorithm in algorithms:
            for f in split.folds:
                key = (dataset, algorithm, f.repeat, f.fold)
                outcome, labels = outcomes.get(key, absent), dict(zip(KEYS, key, strict=True))
                rest = {k: getattr(outcome, k) for k in ("fit_time", "score_time", "failure")}
                rows.append({**labels, **split.describe_split(f), **outcome.values, **rest})
    frame = pd.DataFrame(rows)
    if not frame["failure"].any():
        frame = frame.drop(columns="failure")
    unused = [c for c in ("fold_correlation", "resampling") if frame[c].isna().all()]
    frame = frame.drop(columns=unused)
    counts = [m for m in ("tp", "fn", "fp", "tn") if m in frame and frame[m].notna().all()]
    return frame.astype(dict.fromkeys(counts, "int64"))


def long_predictions(
    splits: Mapping[str, Splits], outcomes: Mapping[Key, FoldOutcome]
) -> pd.DataFrame:
    """Return one row per test item, in the order of the data sets and their folds."""
    order = {dataset: i for i, dataset in enumerate(splits)}
    parts = []
    for key in sorted(outcomes, key=lambda k: (order[k[0]], *k[1:])):
        if outcomes[key].responses:
            labels: dict[str, str | int] = dict(zip(KEYS, key, strict=True))
            parts.append(pd.DataFrame(outcomes[key].responses).assign(**labels))
    columns = [*KEYS, "item", "truth", "predicted", "value"]
    if not parts:
        return pd.DataFrame(columns=columns)
    long = pd.concat(parts, ignore_index=True).reindex(columns=columns)
    return long.astype({"dataset": "category", "algorithm": "category"})


@dataclass(frozen=True, eq=False)
class _Experiment:
    """Everything to be done."""

    data: Mapping[str, Dataset]
    splits: Mapping[str, Splits]
    estimators: Mapping[str, object]
    scoring: Mapping[str, _scoring.Metric]
    positive: Mapping[str, object]
    seed: int
    keep: bool
    threads: int | None

    def tasks(self) -> Iterator[tuple[Key, FoldJob, Dataset, Fold]]:
        """Yield every fold of every algorithm; folds of one data set follow each other."""
        for dataset, split in self.splits.items():
            for algorithm, estimator in self.estimators.items():
                job = FoldJob(
                    estimator, self.scoring, self.positive[dataset], self.keep, self.threads
                )
                for fold in split.folds:
                    key = (dataset, algorithm, fold.repeat, fold.fold)
                    yield key, job, self.data[dataset], fold

    @property
    def size(self) -> int:
        """Number of folds, over all data sets and algorithms."""
        return len(self.estimators) * sum(len(split.folds) for split in self.splits.values())

    def description(self) -> Json:
        """Describe what the numbers depend on; data first, as the rest follows from them."""
        import sklearn

        return {
            "datasets": {name: _data.digest_data(data) for name, data in self.data.items()},
            "estimators": {n: _data.describe(e) for n, e in self.estimators.items()},
            "scoring": _scoring.describe(self.scoring),
            "seed": self.seed,
            "folds": {name: _data.digest_splits(split) for name, split in self.splits.items()},
            "keep_predictions": self.keep,
            "versions": {"scikit-learn": sklearn.__version__, "numpy": np.__version__},
        }


@validate_params(
    n_jobs=jobs,
    threads=optional(count(1, PROCESSES)),
    progress=optional(flag),
    keep_predictions=flag,
    retry_failed=flag,
)
def run_experiment(
    estimators: Mapping[str, object],
    datasets: Mapping[str, object],
    *,
    cv: object = None,
    scoring: object = None,
    n_jobs: int | None = None,
    seed: Seed = None,
    checkpoint: PathLike | None = None,
    keep_predictions: bool = False,
    positive: object = None,
    progress: bool | None = None,
    threads: int | None = 1,
    retry_failed: bool = False,
) -> ExperimentScores:
    """Cross-validate every estimator on every data set, on the same folds.

    Parameters
    ----------
    estimators : mapping of str to estimator
        Unfitted scikit-learn estimators; clones' ``random_state`` None gets a seed that depends
        only on the data set's name, the repeat and the fold.
    datasets : mapping of str to data set
        ``(X, y)``, ``(X, y, groups)``, ``(DataFrame, "target column")``, scikit-learn's Bunch, a
        `bayescmp.experiment.Dataset`, or a function without arguments that returns one of them.
    cv : int, splitter, HoldoutResample, sequence or mapping, optional
        By default ten runs of (for classifiers stratified) ten-fold cross-validation. A number of
        folds is one run. A scikit-learn splitter without a ``random_state`` gets one from the
        seed. Also splits, as (train, test) or `bayescmp.experiment.Fold`, and a dict by data set.
        Repeat and fold are read from the tested rows (`bayescmp.experiment.labels_of`).
    scoring : str, callable, iterable, or mapping of str to str or callable, optional
        Names of scikit-learn's scorers; "accuracy", "error", "confusion" ("tp", "fn", "fp", "tn"),
        "rates" ("tpr", "fnr", "fpr", "tnr"), and whatever else follows from counts
        (`bayescmp.scores.metrics.rates`); "auc", "auc_pr" (Davis and Goadrich's) and
        "auc_pr_trapezoid" of `bayescmp.curves` ("average_precision" is scikit-learn's step sum);
        functions of (estimator, X, y). By default accuracy, or r2 for regressors.
    n_jobs : int, optional
        As joblib takes it; ``joblib.parallel_config(backend=...)`` moves the work elsewhere.
    seed : int or Generator, optional
        Of splits and estimators; by default the checkpoint's, else a random one, which is kept.
    checkpoint : path-like, optional
        A file in which every finished fold is saved (SQLite; `Scores.read` reads it). A stopped
        run continues where it left off; several runs may share one file.
    keep_predictions : bool
        Whether to keep the prediction for each test item.
    positive : object or mapping of str to object, optional
        The positive class, for all data sets or by data set; by default the last of two in sorted
        order. More than two classes are counted as it against the rest.
    progress : bool, optional
        Whether to show a progress bar; by default only on a terminal.
    threads : int, optional
        Threads of BLAS and OpenMP per fit; with None the last digits may depend on n_jobs.
    retry_failed : bool
        Whether to run the checkpoint's failed folds again; otherwise they count as done.

    Returns
    -------
    ExperimentScores
        With the columns n_train, n_test, the metrics, fit_time and score_time (seconds), and NaN
        and ``failure`` for a fold whose estimator raised.

    Raises
    ------
    InputError
        Bad arguments, a checkpoint of another experiment or on a full disk, or only failed folds.

    Warns
    -----
    DiagnosticWarning
        If folds failed; if the run was interrupted or a worker killed, which leaves the scores of
        the finished folds; if a checkpoint was begun with other versions.

    References
    ----------
    Bouckaert & Frank (2004), for ten runs of ten folds; Aslan (2009), section 3.2.3, for
    `HoldoutResample`.

    See Also
    --------
    bayescmp.compare, bayescmp.frequentist.permutation_test

    Examples
    --------
    >>> import bayescmp as bc
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> scores = bc.run_experiment(
    ...     {"majority": DummyClassifier(), "bayes": GaussianNB()},
    ...     {"iris": load_iris(return_X_y=True)},
    ...     cv=5, seed=1, n_jobs=1, progress=False,
    ... )
    >>> scores.means("accuracy").round(2).loc["iris"].to_dict()
    {'majority': 0.33, 'bayes': 0.95}
    """
    store = MemoryStore() if checkpoint is None else Checkpoint(checkpoint)
    try:
        seed, named = _choose_seed(seed, store), _data.as_estimators(estimators)
        classifies = _data.classify(named)
        metrics = _scoring.as_scoring(scoring, classifies)
        data = _data.as_datasets(datasets, positive)
        classes = {n: _scoring.positive_class(metrics, n, d, classifies) for n, d in data.items()}
        if isinstance(cv, Iterator):
            cv = list(cv)  # an iterator would be used up by the first data set
        splits = {n: _data.split_dataset(cv, n, d, seed, classifies) for n, d in data.items()}
        own = (named, metrics, classes, seed, keep_predictions, threads)
        experiment = _Experiment(data, splits, *own)
        if isinstance(store, Checkpoint):
            _claim(store, experiment, retry_failed)
        stopped = _run(experiment, store, n_jobs, progress)
        return _result(experiment, store.outcomes(), stopped)
    finally:
        store.close()


def _choose_seed(seed: Seed, store: MemoryStore | Checkpoint) -> int:
    """Return the seed as an integer; the checkpoint's, if none is given and it has one."""
    checks.make_generator(seed)
    if seed is not None and not isinstance(seed, np.random.Generator):
        return int(seed)
    stored = store.seed() if seed is None and isinstance(store, Checkpoint) else None
    return checks.seed_of(seed) if stored is None else stored


def _claim(store: Checkpoint, experiment: _Experiment, retry_failed: bool) -> None:
    """Make a checkpoint this experiment's; warn of other versions."""
    others = store.claim(experiment.description(), experiment.scoring)
    if others:
        warn_user(
            f"{store.name} was begun with other versions ({'; '.join(others)}); "
            "finished folds are kept unchanged"
        )
    if retry_failed:
        store.forget_failures()


def _run(
    experiment: _Experiment,
    store: MemoryStore | Checkpoint,
    n_jobs: int | None,
    progress: bool | None,
) -> str:
    """Run what is not done yet; return why it stopped before the end, or "" if it did not."""
    from tqdm import tqdm

    done = set(store.keys())
    hidden = None if progress is None else not progress
    drawn = {
        (name, f.repeat, f.fold): split.describe_split(f)
        for name, split in experiment.splits.items()
        for f in split.folds
    }
    bar = tqdm(total=experiment.size, initial=len(done), desc="folds", disable=hidden)
    last = None
    with bar, warnings.catch_warnings():
        # The interrupt is reported below, so joblib's own message is not needed.
        warnings.filterwarnings("ignore", r"\d+ tasks (have been|which were)", UserWarning)
        try:
            for key, outcome in solve_folds(_list_pending(experiment, store, done, bar), n_jobs):
                last = (key, outcome, drawn[(key[0], key[2], key[3])])
                store.add(*last)
                bar.update()
        except KeyboardInterrupt:
            if last:  # the interrupt may have come while it was written; twice does no harm
                store.add(*last)
            if not store.keys():
                raise
            return "interrupted"
        except InputError:
            raise
        except Exception as error:  # the backend's, since a fold's own are recorded
            if not store.keys():
                raise
            return f"stopped by {type(error).__name__} ({str(error).strip().partition('. ')[0]})"
    return ""


def _list_pending(
    experiment: _Experiment, store: MemoryStore | Checkpoint, done: set[Key], bar: tqdm[NoReturn]
) -> Iterator[tuple[Key, FoldJob, Dataset, Fold]]:
    """Yield tasks to do, one by one as asked: another process may have done some meanwhile."""
    for task in experiment.tasks():
        if task[0] in done:
            continue
        if isinstance(store, Checkpoint) and store.has(task[0]):
            bar.update()
            continue
        yield task


def _result(
    experiment: _Experiment, outcomes: Mapping[Key, FoldOutcome], stopped: str
) -> ExperimentScores:
    _report(outcomes, experiment.size, stopped)
    frame = assemble_table(experiment.splits, experiment.estimators, experiment.scoring, outcomes)
    kept = long_predictions(experiment.splits, outcomes) if experiment.keep else None
    return ExperimentScores(
        frame,
        seed=experiment.seed,
        interrupted=bool(stopped),
        predictions=kept,
        positive=experiment.positive,
        higher_is_better=[m for m, s in experiment.scoring.items() if isinstance(s, str)],
    )


def _report(outcomes: Mapping[Key, FoldOutcome], size: int, stopped: str) -> None:
    """Warn once of all that is missing; raise if there is nothing at all."""
    failed = {key: o.failure for key, o in outcomes.items() if o.failure}
    if failed:
        (dataset, algorithm, repeat, fold), why = next(iter(failed.items()))
        example = f"{algorithm} on {dataset}, repeat {repeat}, fold {fold}: {why}"
        if len(failed) == size and all(
            np.isnan(list(o.values.values())).all() for o in outcomes.values()
        ):
            raise must(
                "estimators", "be fitted in at least one fold", f"failures in all, e.g. {example}"
            )
        warn_user(
            f"{len(failed)} of {size} folds failed, e.g. {example} (the result's `missing` lists "
            "which and why)"
        )
    if stopped:
        warn_user(f"{stopped}: {len(outcomes)} of {size} folds are done; the others are missing")
