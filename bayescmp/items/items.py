"""Items: tables of one row per question, and what is compared of them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bayescmp.blocks import Blocks
from bayescmp.checks import as_names
from bayescmp.errors import InputError
from bayescmp.items.clusters import contributions
from bayescmp.items.pair import ItemPair
from bayescmp.items.shared import Shared, in_common
from bayescmp.items.table import ItemTable
from bayescmp.resampling import Resampling
from bayescmp.scores import Scores

__all__ = ["Items"]


class Items(ItemTable):
    """Scores of models on items: a benchmark's questions, a test set's cases.

    Items are independent units, so nothing needs to be known about folds. Those of one cluster
    (questions on one passage, cases of one patient) are not independent, and are taken together.

    Parameters
    ----------
    frame : DataFrame
        Long table, one row per model and item, with a column for the model, the item and the
        score; of several benchmarks one for the benchmark, of clustered items one for the
        cluster, and where a model had several attempts at an item one for the epoch. Common
        spellings are accepted (``renamed`` reports them). An item is known by its name within its
        benchmark.
    columns : mapping of str to str, optional
        Which column plays which part ("model", "benchmark", "item", "cluster", "epoch",
        "score"), where its name does not say: ``{"cluster": "passage_title"}``.
    metric : str, optional
        The column of scores, right or wrong, 1 or 0, or graded. May be left out where its name
        says so or where it is the only column of numbers.
    lower_is_better, higher_is_better : iterable of str
        The metric, if its name does not show its direction, or shows the wrong one.
    missing : {"error", "common"}
        What to do where some model has no score on an item: raise an error that says where, or
        compare on the items that all models have, and count what is left out.

    Attributes
    ----------
    models, benchmarks : tuple of str
        What is compared, in order of appearance.
    direction : Direction
        The metric, and which way it is better.
    renamed : dict of str to str
        Columns that were recognised under another name.
    recognised : str
        The program that wrote the table, where one was recognised; see `read`.
    on_missing : str
        What was given as ``missing``.
    answers : Answers
        The scores, epochs averaged.

    Raises
    ------
    InputError
        No rows, a missing column, empty labels, scores that are not finite numbers, an item twice
        for one model without an epoch to tell them apart, an item in two clusters.

    See Also
    --------
    Scores : Scores of folds.
    compare : Two models, or all of them.

    Examples
    --------
    >>> import pandas as pd
    >>> import bayescmp as bc
    >>> table = pd.DataFrame({"model": ["small"] * 3 + ["large"] * 3, "question_id": [1, 2, 3] * 2,
    ...                       "correct": [1, 0, 0, 1, 1, 0]})
    >>> bc.Items(table)
    <Items: 3 items of 1 benchmark, 2 models>
      models: small, large
      metric: accuracy ↑
      read 'question_id' as item, 'correct' as score
    """

    def pair(
        self, first: str, second: str, *, benchmarks: Iterable[str] | str | None = None
    ) -> ItemPair:
        """Two models on the items that both have.

        Parameters
        ----------
        first, second : str
        benchmarks : iterable of str, optional
            All if not given.

        Returns
        -------
        ItemPair

        Raises
        ------
        InputError
            Unknown names, the same model twice, an item that only one of the two has (unless
            missing="common"), none in common.

        See Also
        --------
        blocks, scores : Of several models.

        Examples
        --------
        >>> import pandas as pd
        >>> import bayescmp as bc
        >>> table = pd.DataFrame({"model": ["a", "a", "b", "b"], "item": [1, 2] * 2,
        ...                       "benchmark": "gsm8k", "correct": [0, 1, 1, 1]})
        >>> bc.Items(table).pair("a", "b").x.tolist()
        [1.0, 0.0]
        """
        first, second = str(first), str(second)
        if first == second:
            raise InputError(f"first and second are both {first!r}: nothing to compare")
        shared = self._shared([first, second], benchmarks)
        self._warn_of_direction()
        names = tuple(self.benchmarks[c] for c in np.unique(shared.benchmark))
        return ItemPair(
            names=(first, second),
            benchmarks=names,
            first=shared.scores[0],
            second=shared.scores[1],
            benchmark=np.unique(shared.benchmark, return_inverse=True)[1],
            cluster=shared.cluster,
            epochs=shared.epochs,
            direction=self.direction,
            left_out=shared.left_out or None,
        )

    def blocks(self, benchmark: str | None = None, models: Iterable[str] | None = None) -> Blocks:
        """Several models on the items of one benchmark, for `bayescmp.bayesian.groups`.

        Parameters
        ----------
        benchmark : str, optional
            May be left out where there is one only.
        models : iterable of str, optional
            All if not given.

        Returns
        -------
        Blocks
            A block is an item; where items are clustered it is a cluster, with its contributions
            to the models' means.

        Raises
        ------
        InputError
            As for `pair`.

        Examples
        --------
        >>> import pandas as pd
        >>> import bayescmp as bc
        >>> table = pd.DataFrame({"model": ["a", "a", "b", "b"], "item": [1, 2] * 2,
        ...                       "correct": [0, 1, 1, 1]})
        >>> bc.Items(table).blocks().x.shape
        (2, 2, 1)
        """
        if benchmark is None and len(self.benchmarks) > 1:
            raise InputError(
                f"benchmark is missing: the table has {len(self.benchmarks)}, "
                f"{', '.join(map(repr, self.benchmarks))}"
            )
        name = self.benchmarks[0] if benchmark is None else str(benchmark)
        names = self._models(models)
        shared = self._shared(names, [name])
        self._warn_of_direction()
        return Blocks(
            contributions(shared.scores.T, shared.cluster).T,
            rho=0.0,
            algorithms=names,
            metrics=[self.direction.metric],
            dataset=name,
            lower_is_better=[self.direction.lower],
            directions=(self.direction,),
            left_out=shared.left_out or None,
            resampling=Resampling.independent(),
        )

    def scores(self, models: Iterable[str] | None = None) -> Scores:
        """A table of scores whose data sets are benchmarks and whose folds are items.

        For every test of several models over several benchmarks: `bayescmp.bayesian.joint_t`,
        `bayescmp.bayesian.bootstrap`, `compare_all`, `crosscheck`.

        Parameters
        ----------
        models : iterable of str, optional
            All if not given.

        Returns
        -------
        Scores
            With rho 0. Where items are clustered a fold is a cluster, with its contributions to
            the models' means, and the metric is called "accuracy by cluster".

        Raises
        ------
        InputError
            As for `pair`.

        Examples
        --------
        >>> import pandas as pd
        >>> import bayescmp as bc
        >>> table = pd.DataFrame({"model": ["a", "a", "b", "b"], "item": [1, 2] * 2,
        ...                       "benchmark": "gsm8k", "correct": [0, 1, 1, 1]})
        >>> bc.Items(table).scores().means().loc["gsm8k"].to_dict()
        {'a': 0.5, 'b': 1.0}
        """
        import pandas as pd

        names = self._models(models)
        shared = self._shared(names, None)
        parts = [_of_benchmark(shared, code) for code in np.unique(shared.benchmark)]
        dataset = np.concatenate([np.full(part.size, code) for code, part in parts])
        units = [np.repeat(np.arange(len(part)), part.shape[1]) for _, part in parts]
        grouped = shared.cluster is not None  # their contributions may leave the metric's range
        metric = f"{self.direction.metric} by cluster" if grouped else self.direction.metric
        lower = self.direction.lower
        table = {
            "dataset": np.array(self.benchmarks, dtype=object)[dataset],
            "algorithm": np.resize(np.array(names, dtype=object), len(dataset)),
            "fold": np.concatenate(units) + 1,
            metric: np.concatenate([part.ravel() for _, part in parts]),
        }
        return Scores(
            pd.DataFrame(table),
            lower_is_better=[metric] if lower else [],
            higher_is_better=[] if lower else [metric],
            resampling="independent",
        )

    # -- helpers -------------------------------------------------------------------------------

    def _models(self, names: Iterable[str] | None) -> list[str]:
        chosen = list(self.models) if names is None else as_names(names, "models")
        for name in chosen:
            self._answers.model(name)
        if len(set(chosen)) < max(len(chosen), 2):
            raise InputError(f"models={chosen!r}; accepted: at least two, each once")
        return chosen

    def _shared(self, models: list[str], benchmarks: Iterable[str] | str | None) -> Shared:
        wanted = None if benchmarks is None else as_names(benchmarks, "benchmarks")
        return in_common(self._answers, models, wanted, self.on_missing)


def _of_benchmark(shared: Shared, code: int) -> tuple[int, np.ndarray]:
    """A benchmark and its independent units, one row each with a column for each model."""
    here = shared.benchmark == code
    cluster = None if shared.cluster is None else shared.cluster[here]
    return code, contributions(shared.scores[:, here].T, cluster)
