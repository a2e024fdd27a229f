"""Scores: tables of them from anywhere, and the differences of two algorithms."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp import checks
from bayescmp.differences import Differences
from bayescmp.errors import InputError
from bayescmp.paired import paired_differences
from bayescmp.readers import registry as _readers
from bayescmp.scales import SCALES
from bayescmp.score_table import ScoreTable
from bayescmp.tables import read_long

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.checks import RhoLike
    from bayescmp.predictions import Predictions

__all__ = ["Scores"]


class Scores(ScoreTable):
    """Scores of algorithms on data sets, one row per fold and one column per metric.

    Parameters
    ----------
    frame : DataFrame
        Long table with a column for the data set and the algorithm, columns for repeat and fold
        where scores come from cross-validation, and one column of numbers per metric. Common
        spellings of those columns are accepted (``renamed`` reports them). Without a repeat column
        there is one repeat. Labels may also be levels of the index or of the columns. A wide table
        is accepted too: one column per algorithm, one row per data set or a fold.
    columns : mapping of str to str, optional
        Which column plays which part ("dataset", "algorithm", "repeat", "fold", "n_test",
        "n_train"), where its name does not say: ``{"dataset": "dataset_id"}``.
    metric : str, optional
        Name of the metric of a wide table, "score" if neither it nor the frame tells; of a long
        one, the column to keep, all of them if not given.
    lower_is_better, higher_is_better : iterable of str
        Metrics whose name does not show their direction, or shows the wrong one.
    resampling : Resampling, str, splitter or mapping, optional
        How the folds were drawn, for all data sets or by data set, where the table does not say:
        "10-fold", "10x10-fold", "random splits 0.33", "leave-one-out", "seeds", "independent", a
        scikit-learn splitter, ...; see `bayescmp.Resampling`. Checked against the table, and kept
        with it in a column ``resampling``.

    missing : {"error", "common"}
        What to do where one of two algorithms has no score in a fold: raise an error that says
        where, or compare on the folds and data sets that both have, and count what is left out.

    Attributes
    ----------
    datasets, algorithms, metrics : tuple of str
        What is compared, in order of appearance.
    renamed : dict of str to str
        Columns that were recognised under another name.
    ignored : tuple of str
        Columns that are neither a label nor a metric.
    scale : str
        On which scale pairs are compared; see `on_scale`.
    on_missing : str
        What was given as ``missing``.
    layout : str
        How a wide table was read; empty for a long one.
    pairing : Pairing
        Which rows belong together.
    recognised : str
        The program that wrote the table, where one was recognised; see `read`.
    resampling : Designs
        How each data set's folds were drawn: ``scores.resampling.of("iris")``.
    test_items : Predictions or None
        The predictions for each test item, if an experiment kept them.

    Notes
    -----
    Two more columns are understood that `bayescmp.run_experiment` writes where they are needed:
    ``failure``, why a fold's scores are missing, and ``fold_correlation``, the correlation of a
    data set's folds where their labels do not give it. A column ``resampling`` declares the design
    of each data set in words.

    Raises
    ------
    InputError
        No rows, a missing column, a missing label, duplicate (data set, algorithm, repeat, fold)
        rows, no numeric metric. Scores themselves (missing, infinite) are checked for the metric
        and the algorithms that are asked for.
    """

    test_items: Predictions | None = None

    @classmethod
    def read(cls, source: object, format: str = "auto", **options: object) -> Scores:
        """Scores from a file, or from what another program returned.

        Parameters
        ----------
        source : object
            A CSV or Parquet file; a DataFrame; what scikit-learn's ``cross_validate``,
            ``cross_val_score`` or a fitted search hold; a list of files whose tables belong
            together, or a mapping of algorithm to file.
        format : str
            The program that wrote it: "cross_validate", "cross_val_score", "sklearn-search",
            "skore", "tidymodels", "mlr3", "openml", "automlbenchmark", "tabarena", "sktime",
            "aeon", "moabb", "weka", "saes", "mlflow", "wandb", "wide"; "table" for a table as
            `Scores` takes it. With "auto" the format is recognised by its columns, and shown with
            the scores.
        **options
            As for `Scores`; what a format needs beyond that, as its message says.

        Returns
        -------
        Scores

        Raises
        ------
        InputError
            If the file does not exist, is empty or is not a table, the format does not tell how
            the folds were drawn and ``resampling`` is not given, or as for `Scores`.

        Examples
        --------
        >>> import bayescmp as bc
        >>> scores = bc.Scores.read({"knn": [0.8, 0.9, 0.7], "svm": [0.7, 0.8, 0.8]},
        ...                         metric="accuracy", resampling="3-fold")
        >>> scores.recognised
        'arrays of scikit-learn scores'
        """
        where = f"{str(source)!r}: " if isinstance(source, (str, os.PathLike)) else ""
        try:
            reading, left = _readers.read(source, format, **options)
            scores = cls(reading.frame, **_readers.settled(reading, left))
        except InputError as error:
            if not where or str(source) in str(error):
                raise
            raise InputError(f"{where}{error}") from None
        scores.recognised = reading.recognised
        return scores

    @classmethod
    def from_cv_results(
        cls,
        results: Mapping[Any, object],
        *,
        folds: int | None = None,
        resampling: object = None,
        **options: object,
    ) -> Scores:
        """Scores from what scikit-learn's ``cross_validate`` returned.

        Parameters
        ----------
        results : mapping
            ``{dataset: {algorithm: result}}``, ``{(dataset, algorithm): result}``, or
            ``{algorithm: result}`` for one data set. Splits have to be the same for all
            algorithms on a data set, which is checked where results have their indices.
        folds : int, optional
            Folds of one run: short for ``resampling=Resampling.k_fold(folds)``.
        resampling : Resampling, str, splitter or mapping, optional
            How the splits were drawn: the ``cv`` that ``cross_validate`` was given, words such as
            "10x10-fold", or a mapping of data set to such. Not needed where the results have their
            indices (``return_indices=True``).
        **options
            As for `Scores`.

        Returns
        -------
        Scores

        Raises
        ------
        InputError
            Where a result holds no scores, how the splits were drawn is not known, or the indices
            prove that two algorithms were run on different splits.

        Examples
        --------
        >>> import bayescmp as bc
        >>> results = {"knn": {"test_score": [0.75, 0.5]}, "svm": {"test_score": [0.5, 1.0]}}
        >>> bc.Scores.from_cv_results(results, folds=2).differences("knn", "svm").rho.tolist()
        [0.5]
        """
        options = {**options, "folds": folds, "resampling": resampling}
        return cls.read(results, "cross_validate", **options)

    @classmethod
    def from_means(
        cls,
        frame: pd.DataFrame,
        *,
        metric: str | None = None,
        columns: Mapping[str, str] | None = None,
        lower_is_better: Iterable[str] = (),
        higher_is_better: Iterable[str] = (),
    ) -> Scores:
        """Scores from a wide table of means: one row per data set, one column per algorithm.

        Parameters
        ----------
        frame : DataFrame of shape (data sets, algorithms)
            A column of text, or one named as a data set, names the data sets; else the index does.
        metric : str, optional
            What the means are of; "score" if it is not given and the frame does not tell, as that
            of `means` does.
        columns, lower_is_better, higher_is_better
            As for `Scores`.

        Returns
        -------
        Scores

        Examples
        --------
        >>> import pandas as pd
        >>> import bayescmp as bc
        >>> means = pd.DataFrame({"knn": [0.8, 0.9], "svm": [0.85, 0.7]}, index=["iris", "wine"])
        >>> bc.Scores.from_means(means, metric="accuracy")
        <Scores: 2 data sets, 2 algorithms, 4 rows>
          algorithms: knn, svm
          metrics: accuracy ↑
          read as a wide table: one column per algorithm, data sets from the index
        """
        table = read_long(frame, columns, metric, of_means=True)
        return cls._of(table, lower_is_better, higher_is_better)

    def replaced(self, frame: pd.DataFrame, *, lower_is_better: Iterable[str] = ()) -> Scores:
        """The same declarations for another table, such as some of the rows of this one.

        Parameters
        ----------
        frame : DataFrame
            As `frame` is.
        lower_is_better : iterable of str
            Metrics that are new in it, and for which lower is better.

        Examples
        --------
        >>> import bayescmp as bc
        >>> scores = bc.Scores.read(
        ...     {"knn": [0.75, 0.5], "svm": [0.5, 1.0]}, metric="accuracy", resampling="2-fold"
        ... )
        >>> scores.replaced(scores.frame.query("algorithm == 'svm'")).algorithms
        ('svm',)
        """
        declared = [(self._lower | set(lower_is_better)), self._higher]
        lower, higher = ([m for m in names if m in frame] for names in declared)
        scores = Scores(
            frame, lower_is_better=lower, higher_is_better=higher, missing=self.on_missing
        ).on_scale(self.scale)
        scores.resampling.seeds = self.resampling.seeds
        scores.test_items = self.test_items
        scores._warned = self._warned
        return scores

    def differences(
        self,
        first: str,
        second: str,
        metric: str | None = None,
        *,
        rho: RhoLike | None = None,
        scale: str | None = None,
    ) -> Differences:
        """Fold-by-fold differences of two algorithms, second minus first.

        Scores are paired by (repeat, fold). Metrics for which lower is better are flipped, so that
        a positive difference always means that the second is better.

        Parameters
        ----------
        first, second : str
            The two algorithms.
        metric : str, optional
            May be left out where the table has one metric only.
        rho : float, array_like of shape (q,) or mapping of data set to float, optional
            Correlation of two folds' differences; taken from the resampling if not given.
        scale : {"difference", "log_ratio", "standardised"}, optional
            What differs: the scores, their logarithms (positive scores, so that exp of a
            difference is how many times better the second is), or the scores in standard
            deviations σ of the pair's differences on each data set, σ² = s²/(1 − rho). That of
            the table if not given.

        Returns
        -------
        Differences
            Rows in the order of `datasets`, each in the order of (repeat, fold).

        Raises
        ------
        InputError
            Unknown names, scores missing or infinite, folds that do not pair, a data set that
            only one of the two was run on (unless the table was read with missing="common"), a
            number of folds that can't be determined, scores that the scale has no place for.

        Warns
        -----
        DiagnosticWarning
            If the scores of two data sets differ in size over a hundredfold, on the scale
            "difference".

        Examples
        --------
        >>> import pandas as pd
        >>> import bayescmp as bc
        >>> table = pd.DataFrame({"dataset": ["a", "a", "b", "b"], "algorithm": ["x", "y"] * 2,
        ...                       "rmse": [0.02, 0.01, 40.0, 20.0]})
        >>> bc.Scores(table).differences("x", "y", scale="log_ratio").means.round(3)
        array([0.693, 0.693])
        """
        return paired_differences(
            self,
            str(first),
            str(second),
            self.metric_named(metric),
            rho=rho,
            scale=self.scale if scale is None else scale,
            missing=self.on_missing,
        )

    def on_scale(self, scale: str) -> Scores:
        """The same table, whose pairs are compared on another scale.

        Parameters
        ----------
        scale : {"difference", "log_ratio", "standardised"}
            As for `differences`.

        Examples
        --------
        >>> import bayescmp as bc
        >>> scores = bc.Scores.read(
        ...     {"knn": [0.5, 0.25], "svm": [1.0, 0.5]}, metric="accuracy", resampling="2-fold"
        ... )
        >>> scores.on_scale("log_ratio").differences("knn", "svm").x[0].round(3).tolist()
        [0.693, 0.693]
        """
        other = copy(self)
        other.scale = checks.choice("scale", scale, SCALES)
        return other

    def select(
        self, *, datasets: Iterable[str] | None = None, algorithms: Iterable[str] | None = None
    ) -> Scores:
        """The scores of some of the data sets and algorithms, with the same declarations.

        Parameters
        ----------
        datasets, algorithms : iterable of str, optional
            All if not given.

        Raises
        ------
        InputError
            Unknown names, none at all, none of the algorithms on the data sets.

        Examples
        --------
        >>> import bayescmp as bc
        >>> scores = bc.Scores.read(
        ...     {"knn": [0.5, 0.2], "svm": [1.0, 0.5], "gbm": [0.9, 0.4]}, metric="accuracy",
        ...     resampling="2-fold",
        ... )
        >>> scores.select(algorithms=["gbm", "svm"]).algorithms
        ('svm', 'gbm')
        """
        keep = np.ones(len(self._frame), dtype=bool)
        for what, names, known, codes in (
            ("data set", datasets, self.datasets, self.pairing.dataset_codes),
            ("algorithm", algorithms, self.algorithms, self.pairing.algorithm_codes),
        ):
            if names is None:
                continue
            plural = f"{what.replace(' ', '')}s"
            chosen = [self._known(what, n, known) for n in checks.as_names(names, plural)]
            if not chosen:
                raise InputError(f"{plural} is empty; name at least one, or leave it out for all")
            keep &= np.isin(codes, [known.index(n) for n in chosen])
        return self if keep.all() else self.replaced(self.frame[keep])
