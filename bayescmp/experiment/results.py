"""What an experiment gives: Scores that know what is missing, and responses if they were kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from bayescmp.errors import InputError
from bayescmp.experiment.fit import Outcome
from bayescmp.experiment.folds import Plan
from bayescmp.experiment.store import Key
from bayescmp.predictions import Predictions
from bayescmp.scores import Scores

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ExperimentScores", "assembled"]

#: What a fold's row says where the run ended before it.
NOT_RUN = "not run: the experiment was interrupted"


class ExperimentScores(Scores):
    """Scores of an experiment.

    A fold that failed, or was not run, has a row of NaN whose column ``failure`` says why;
    ``missing`` lists them.

    Attributes
    ----------
    seed : int
        The experiment's; the same seed gives the same folds and numbers.
    interrupted : bool
        Whether it was stopped before its end, by Ctrl-C or because a worker process was killed.
    predictions : DataFrame or None
        If they were kept: one row per test item of a fold, with the columns dataset, algorithm,
        repeat, fold, item (its row in the data set), truth, predicted, and value, by which the
        items are ranked (the positive class's probability or decision value; NaN without one).
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
        """Labels and ranking values of each fold, for curves.

        Parameters
        ----------
        dataset, algorithm : str

        Returns
        -------
        truth : list of ndarray of bool
            One array per fold, in the order of (repeat, fold): True for the positive class.
        values : list of ndarray of float
            The values by which the algorithm ranks the same items.

        Raises
        ------
        InputError
            Unknown names, predictions that were not kept, no positive class or ranking values.
        """
        if self.test_items is None:
            raise InputError("predictions were not kept: run with keep_predictions=True")
        part = self.test_items.responses(dataset, algorithm)
        folds = [fold for _, fold in part.groupby(["repeat", "fold"], sort=True)]
        truth = [fold["truth"].to_numpy() for fold in folds]
        return truth, [fold["value"].to_numpy(dtype=float) for fold in folds]


def assembled(
    plans: Mapping[str, Plan],
    algorithms: Iterable[str],
    metrics: Iterable[str],
    outcomes: Mapping[Key, Outcome],
) -> pd.DataFrame:
    """The table of scores in the order of data sets, algorithms, repeats and folds.

    Parameters
    ----------
    plans : mapping of str to Plan
    algorithms, metrics : iterable of str
    outcomes : mapping of (dataset, algorithm, repeat, fold) to Outcome
        Folds that are not in it get a row that says so.

    Returns
    -------
    DataFrame
    """
    import pandas as pd

    metrics = list(metrics)
    absent = Outcome(dict.fromkeys(metrics, np.nan), failure=NOT_RUN)
    rows = []
    for dataset, plan in plans.items():
        for algorithm in algorithms:
            for f in plan.folds:
                outcome = outcomes.get((dataset, algorithm, f.repeat, f.fold), absent)
                rows.append(
                    {
                        "dataset": dataset,
                        "algorithm": algorithm,
                        "repeat": f.repeat,
                        "fold": f.fold,
                        "n_train": len(f.train),
                        "n_test": len(f.test),
                        "fold_correlation": plan.correlation,
                        "resampling": plan.design,
                        **outcome.values,
                        "fit_time": outcome.fit_time,
                        "score_time": outcome.score_time,
                        "failure": outcome.failure,
                    }
                )
    frame = pd.DataFrame(rows)
    if not frame["failure"].any():
        frame = frame.drop(columns="failure")
    unused = [c for c in ("fold_correlation", "resampling") if frame[c].isna().all()]
    frame = frame.drop(columns=unused)
    counts = [m for m in ("tp", "fn", "fp", "tn") if m in frame and frame[m].notna().all()]
    return frame.astype(dict.fromkeys(counts, "int64"))


def long_predictions(plans: Mapping[str, Plan], outcomes: Mapping[Key, Outcome]) -> pd.DataFrame:
    """One row per test item, in the order of the data sets and their folds.

    Parameters
    ----------
    plans : mapping of str to Plan
    outcomes : mapping of (dataset, algorithm, repeat, fold) to Outcome

    Returns
    -------
    DataFrame
    """
    import pandas as pd

    names = ("dataset", "algorithm", "repeat", "fold")
    order = {dataset: i for i, dataset in enumerate(plans)}
    parts = []
    for key in sorted(outcomes, key=lambda k: (order[k[0]], *k[1:])):
        if outcomes[key].responses:
            labels: dict[str, str | int] = dict(zip(names, key, strict=True))
            parts.append(pd.DataFrame(outcomes[key].responses).assign(**labels))
    columns = [*names, "item", "truth", "predicted", "value"]
    if not parts:
        return pd.DataFrame(columns=columns)
    long = pd.concat(parts, ignore_index=True).reindex(columns=columns)
    return long.astype({"dataset": "category", "algorithm": "category"})
