"""Items: tables of one row per question, and the comparisons they allow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayescmp.base.arguments import arg, either, must, must_be
from bayescmp.base.checks import as_names, check_choice, text, validate_params
from bayescmp.errors import InputError, name_argument
from bayescmp.items.answers import (
    LABELS,
    Answers,
    SharedAnswers,
    for_folds,
    in_common,
    of_k,
    recognise,
)
from bayescmp.items.pair import (
    NO_HUMANS,
    NO_JUDGES,
    ItemGroup,
    ItemPair,
    Noise,
    contributions,
    noise_of,
)
from bayescmp.scores import metrics
from bayescmp.scores.blocks import Blocks
from bayescmp.scores.columns import as_frame
from bayescmp.scores.layout import check_rows
from bayescmp.scores.metrics import Direction
from bayescmp.scores.pairing import BY_QUESTION, check_differ
from bayescmp.scores.questions import (
    are_right_or_wrong,
    find_wide_answers,
    with_named_levels,
)
from bayescmp.scores.readers.base import name_file_in_errors
from bayescmp.scores.resampling import Resampling
from bayescmp.scores.scores import MISSING, Scores
from bayescmp.scores.tables import plain_names, strip_labels, without_row_numbers
from bayescmp.wording.markup import add_title, html_facts
from bayescmp.wording.text import fold_text, format_count

if TYPE_CHECKING:
    from typing import Self

    from bayescmp.base.checks import Seed

# A table of items: its contents, the direction of its metric, and its views.


#: Names of a metric that say no more than that an answer is right.
_PLAIN = {
    *("score", "correct", "iscorrect", "right", "passed", "resolved", "value"),
    *("judge", "judgescore"),
}


class Items:
    """Scores of models on items: a benchmark's questions, a test set's cases.

    Items are independent units; those of one cluster (questions on one passage, cases of one
    patient) are not, and are taken together.

    Parameters
    ----------
    frame : DataFrame
        Long table, one row per model and item, with a column for the model, the item and the
        score, and perhaps benchmark, cluster and epoch; or wide table, one row per item and one
        column of scores per model. Common spellings are accepted (``renamed`` reports them). An
        item is known by its name within its benchmark.
    columns : mapping of str to str, optional
        The column of each part ("model", "benchmark", "item", "cluster", "judge", "epoch",
        "score", "human"), if its name does not show it. For a wide table "model" may be the list
        of the models' columns. Nested clusters are several columns, the outermost (which count)
        first, ``{"cluster": ["family", "task"]}``. "human" are human scores of some answers, next
        to a judge's scores of all: `compare` then corrects the judge.
    metric : str, optional
        The column of scores, right or wrong (1 and 0, True and False, "pass" and "fail"), or
        graded, if its name does not show it. For a wide table, the metric's name.
    lower_is_better, higher_is_better : iterable of str
        The metric, if its name does not show its direction.
    missing : {"error", "common"}
        If some model has no score on an item: raise an error, or compare on the common items.

    Raises
    ------
    InputError
        No rows, a missing column, empty labels, scores that are not finite numbers, an item twice
        without an epoch, an item in two clusters.

    See Also
    --------
    Scores, compare

    Examples
    --------
    >>> import pandas as pd
    >>> import bayescmp as bc
    >>> table = pd.DataFrame({"model": ["small"] * 3 + ["large"] * 3, "question_id": [1, 2, 3] * 2,
    ...                       "benchmark": "gsm8k", "correct": [1, 0, 0, 1, 1, 0]})
    >>> items = bc.Items(table)
    >>> items
    <Items: 3 questions of 1 benchmark, 2 models>
      models: small, large
      metric: accuracy ↑
      read 'question_id' as item, 'correct' as score
    >>> items.pair("small", "large").x.tolist()
    [0.0, 1.0, 0.0]
    """

    @name_argument("frame")
    def __init__(
        self,
        frame: pd.DataFrame,
        *,
        columns: Mapping[str, Any] | None = None,
        metric: str | None = None,
        lower_is_better: Iterable[str] = (),
        higher_is_better: Iterable[str] = (),
        missing: str = "error",
    ) -> None:
        frame = as_frame(frame)
        if not hasattr(frame, "columns"):
            raise must_be(
                "frame",
                "a DataFrame, one row per model and item",
                frame,
                "Read files with Items.read.",
            )
        check_choice("missing", missing, MISSING)
        frame, _ = without_row_numbers(plain_names(with_named_levels(frame))[0])
        self.layout = ""
        declared = columns.get("model") if isinstance(columns, Mapping) else None
        wide = find_wide_answers(frame, columns)
        if wide is not None and metric not in frame.columns:
            if not wide.binary and wide.item is None:
                raise must(
                    "the table",
                    "have a column for the item, since its scores are not only right and wrong",
                    "none",
                    f"Name the column of the questions with {arg('columns', {'item': ...})}; "
                    f"{for_folds()}.",
                )
            self.layout = f"one column per model, questions from {wide.source}"
            frame, columns = wide.stacked(metric or "score")
            metric = None
        roles = recognise(frame, columns, metric)
        frame, self._notes = strip_labels(frame, (roles[part] for part in LABELS if part in roles))
        self._answers = Answers.read(frame, roles, missing)
        if isinstance(declared, str | None):  # the user does not name each
            check_rows(self.models, "model")
        self._direction = _direction(
            roles["score"],
            self._answers.score,
            as_names(lower_is_better, "lower_is_better"),
            as_names(higher_is_better, "higher_is_better"),
        )
        self._renamed = {
            c: p for p, c in roles.items() if c != p and (wide is None or p in wide.labels)
        }
        self._missing, self._recognised, self._warned = missing, "", False

    @classmethod
    @validate_params(format=text)
    def read(cls, source: object, format: str = "auto", **options: object) -> Self:
        """Items from a file, or from what another program wrote.

        Parameters
        ----------
        source : object
            A CSV or Parquet file, or a pipe of one; an evaluation program's file or folder, a list
            of these logs, or a mapping of a model's name to its log; a DataFrame, also of polars
            or Arrow.
        format : str
            The program that wrote it: "table" for none, or

            =============== ============================================================
            lm-eval         ``samples_*.jsonl`` of lm-evaluation-harness
            inspect-log     ``.eval`` and ``.json`` logs of Inspect; in Python below 3.14 the
                            first need ``bayescmp[logs]``
            inspect         tables of Inspect's ``samples_df``
            every-eval-ever ``*_samples.jsonl``, next to its aggregate
            helm            ``per_instance_stats.json``, next to ``run_spec.json``
            swe-bench       reports of SWE-bench, with ``resolved_ids``
            mteb            results of MTEB, and its wide and long frames; tasks are items
            promptfoo       ``results.json`` of promptfoo
            =============== ============================================================

            With "auto" it is recognised, and shown with the items.
        **options
            As for `Items`; ``sep`` and ``decimal``, as for `Scores.read`; ``metric`` may be a
            mapping of task to metric (or scorer, or ``evaluation_result_id``) for the first four
            and HELM. Also ``filter`` (lm-eval); ``cluster``, a key of the samples' metadata
            (inspect-log, every-eval-ever); ``evals``, the output of ``evals_df`` for the same logs
            (inspect); ``item``, "sample_id" or "sample_hash", if they disagree (every-eval-ever);
            ``split`` and ``perturbation`` (helm); ``instances``, the ids of all instances, which
            then count as tried (swe-bench); ``metric``, "success" (by default), "score" or a named
            score (promptfoo).

        Returns
        -------
        Items

        Raises
        ------
        InputError
            If a file cannot be read or its format recognised, files are of several programs, two
            hold the same item of a model, several filters, metrics or scorers leave a choice, or
            as for `Items`.

        Examples
        --------
        >>> import pandas as pd
        >>> import bayescmp as bc
        >>> samples = pd.DataFrame({"model": ["a", "b"], "task_name": "gsm8k", "eval_id": [1, 2],
        ...                         "id": "q1", "epoch": 1, "score_match": ["C", "I"]})
        >>> bc.Items.read(samples).recognised
        'samples of Inspect, scorer match'
        """
        from bayescmp.scores.readers.items import read_items  # only where a program's are read

        with name_file_in_errors(source):
            reading, left = read_items(source, format, **options)
            parts = {**(reading.columns or {}), **(left.pop("columns", None) or {})}
            items = cls(reading.frame, columns=parts, **{**left, **reading.settle_ways(left)})
        items._recognised = reading.recognised
        items._notes = (*reading.notes, *items._notes)
        return items

    @property
    def answers(self) -> Answers:
        """The scores of all models on all questions, epochs averaged."""
        return self._answers

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models, in order of appearance."""
        return self._answers.models

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """Names of the benchmarks, in order of appearance."""
        return self._answers.benchmarks

    @property
    def direction(self) -> Direction:
        """The metric, and which way it is better."""
        return self._direction

    @property
    def renamed(self) -> dict[str, str]:
        """Columns that were recognised under another name."""
        return dict(self._renamed)

    @property
    def recognised(self) -> str:
        """The program that wrote the table; empty if none was recognised."""
        return self._recognised

    @property
    def notes(self) -> tuple[str, ...]:
        """Repairs of how a file is written: blanks around names."""
        return self._notes

    @property
    def on_missing(self) -> str:
        """The argument ``missing``."""
        return self._missing

    @property
    def clustered(self) -> bool:
        """Whether the table has clusters of items."""
        return self._answers.clusters > 0

    @property
    def frame(self) -> pd.DataFrame:
        """One row per model and item, epochs averaged, under the columns' own names.

        model, benchmark, item, cluster (its number) and human scores, if any, epochs, and the
        metric.
        """
        known, question = self._answers, self._answers.question
        model = np.repeat(np.arange(len(self.models)), np.diff(known.starts))
        columns = {
            "model": np.array(self.models, dtype=object)[model],
            "benchmark": np.array(self.benchmarks, dtype=object)[known.benchmark[question]],
            "item": known.items[question],
        }
        if known.cluster is not None:
            columns["cluster"] = known.cluster[question]
        scores = {"epochs": known.epochs, self.direction.metric: known.score}
        human = {} if known.human is None else {"human": known.human}
        return pd.DataFrame({**columns, **scores, **human})

    @property
    def span(self) -> float | None:
        """Length of the metric's range; None if it is unbounded or the scores exceed it."""
        return metrics.span_of(self.direction.metric, self._answers.score)

    def means(self) -> pd.DataFrame:
        """Mean score of each model (column) on each benchmark (row), over its items."""
        table = self.frame.groupby(["benchmark", "model"], sort=False)[self.direction.metric]
        return table.mean().unstack().reindex(index=self.benchmarks, columns=self.models)

    def pair(
        self, first: str, second: str, *, benchmarks: Iterable[str] | str | None = None
    ) -> ItemPair:
        """Pair two models on the items that both have.

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
        blocks, scores : For several models.
        """
        first, second = str(first), str(second)
        check_differ(first, second)
        shared = self._find_shared([first, second], benchmarks)
        self._warn_of_direction()
        names = tuple(self.benchmarks[c] for c in np.unique(shared.benchmark))
        return ItemPair(
            names=(first, second),
            benchmarks=names,
            first=shared.scores[0],
            second=shared.scores[1],
            benchmark=np.unique(shared.benchmark, return_inverse=True)[1],
            cluster=shared.cluster,
            judge=shared.judge,
            items=shared.items,
            epochs=shared.epochs,
            direction=self.direction,
            left_out=shared.left_out or None,
            human=None if self._answers.human is None else self._answers.human[shared.places],
        )

    def blocks(self, benchmark: str | None = None, models: Iterable[str] | None = None) -> Blocks:
        """Arrange several models on the items of one benchmark, for `bayescmp.bayesian.groups`.

        Parameters
        ----------
        benchmark : str, optional
            May be left out if there is one only.
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
        """
        name = self._benchmark(benchmark)
        names = self._models(models)
        shared = self._find_shared_unjudged(names, [name])
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
            unit="benchmark",
            sample="cluster" if self.clustered else "",
            pairing=BY_QUESTION,
        )

    def group(
        self, models: Iterable[str] | None = None, *, benchmark: str | None = None
    ) -> ItemGroup:
        """Arrange several models on one benchmark, for `bayescmp.bayesian.question_bootstrap`.

        Parameters
        ----------
        models, benchmark
            As for `blocks`.

        Returns
        -------
        ItemGroup

        Raises
        ------
        InputError
            As for `pair`.
        """
        name, names = self._benchmark(benchmark), self._models(models)
        self.check_no_humans()
        shared = self._find_shared(names, [name])
        self._warn_of_direction()
        return ItemGroup(
            models=tuple(names),
            benchmark=name,
            scores=shared.scores,
            cluster=shared.cluster,
            judge=shared.judge,
            direction=self.direction,
            span=metrics.span_of(self.direction.metric, shared.scores),
            left_out=shared.left_out or None,
        )

    def _benchmark(self, name: str | None) -> str:
        """Return the benchmark, which has to be named if there are several."""
        if name is None and len(self.benchmarks) > 1:
            raise must(
                "benchmark",
                "be given if the table has several",
                hint=f"It has {', '.join(map(repr, self.benchmarks))}.",
            )
        return self.benchmarks[0] if name is None else str(name)

    def scores(self, models: Iterable[str] | None = None) -> Scores:
        """Arrange the scores as a table whose data sets are benchmarks and whose folds are items.

        It suits every test of several models over several benchmarks: `bayescmp.bayesian.joint_t`,
        `bayescmp.bayesian.bootstrap`, `compare_all`, `crosscheck`.

        Parameters
        ----------
        models : iterable of str, optional
            All if not given.

        Returns
        -------
        Scores
            With rho 0. If items are clustered, a fold is a cluster, with its contributions to the
            models' means, and the metric is called "accuracy by cluster".

        Raises
        ------
        InputError
            As for `pair`.
        """
        names = self._models(models)
        shared = self._find_shared_unjudged(names, None)
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
        scores = Scores(
            pd.DataFrame(table),
            lower_is_better=[metric] if lower else [],
            higher_is_better=[] if lower else [metric],
            resampling="independent",
        )
        scores.unit = "benchmark"
        return scores

    # Scores from several epochs.

    def pass_hat(self, k: int) -> Self:
        """Score the items by pass^k: how often all of k answers are right.

        Parameters
        ----------
        k : int
            At most as many as there are epochs of any item.

        Returns
        -------
        Items
            With C(c, k)/C(K, k), the unbiased estimate, for an item with c of K epochs right.

        Raises
        ------
        InputError
            Scores other than 0 and 1, fewer than k epochs of an item.

        References
        ----------
        Yao, Shinn, Razavi & Narasimhan (2024), τ-bench, arXiv:2406.12045.

        Examples
        --------
        >>> import pandas as pd
        >>> import bayescmp as bc
        >>> table = pd.DataFrame({"model": "a", "item": 1, "epoch": [1, 2, 3, 4],
        ...                       "correct": [1, 0, 1, 0]})
        >>> bc.Items(table).pass_hat(2).answers.score.round(2).tolist()
        [0.17]
        """
        return self._of_k(k, every=True)

    def pass_at(self, k: int) -> Self:
        """Score the items by pass@k: how often any of k answers is right.

        Its parameters and errors are those of `pass_hat`. The score is 1 − C(K − c, k)/C(K, k),
        the unbiased estimate, for an item with c of K epochs right.

        Chen et al. (2021), arXiv:2107.03374.
        """
        return self._of_k(k, every=False)

    def _of_k(self, k: int, *, every: bool) -> Self:
        self.check_no_humans()
        items = copy(self)
        items._answers = of_k(self._answers, k, lower=self.direction.lower, every=every)
        items._direction = metrics.direction(f"pass{'^' if every else '@'}{k}")
        return items

    def noise(
        self,
        first: str,
        second: str,
        *,
        benchmarks: Iterable[str] | str | None = None,
        paired: bool = False,
        seed: Seed = None,
    ) -> Noise:
        """Split the variance of two models' difference into questions and answer noise.

        Parameters
        ----------
        first, second : str
        benchmarks : iterable of str, optional
        paired : bool
            Whether epochs of one name (random seed) belong together, or answers are independent.
        seed : int or numpy Generator, optional
            Of the interval.

        Returns
        -------
        Noise
            σ²_w, the mean over questions of the answers' variances, of both models together; σ²_b,
            the remaining variance of the questions' differences.

        Raises
        ------
        InputError
            As for `pair`; a single epoch of some item; with paired=True epochs that differ.

        See Also
        --------
        bayescmp.plan_items : The necessary numbers of questions and epochs.

        References
        ----------
        Miller (2024), arXiv:2411.00640, section 3.1; Rubin (1981), Annals of Statistics 9:130-134.

        Examples
        --------
        >>> import pandas as pd
        >>> import bayescmp as bc
        >>> table = pd.DataFrame({"model": ["a"] * 6 + ["b"] * 6, "item": [1, 1, 2, 2, 3, 3] * 2,
        ...                       "epoch": [1, 2] * 6,
        ...                       "correct": [1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0]})
        >>> noise = bc.Items(table).noise("a", "b", seed=1)
        >>> noise.within, noise.between
        (0.0, 1.0)
        """
        first, second = str(first), str(second)
        check_differ(first, second)
        self.check_no_humans()
        shared = self._find_shared([first, second], benchmarks)
        return noise_of(self._answers, shared, (first, second), paired, seed)

    # Helpers.

    def _models(self, names: Iterable[str] | None) -> list[str]:
        chosen = list(self.models) if names is None else as_names(names, "models")
        for name in chosen:
            self._answers.model(name)
        if len(set(chosen)) < max(len(chosen), 2):
            alone = f"For only one use {either('bayescmp.estimate', '`bayescmp estimate`')}."
            raise must_be("models", "at least two, each once", chosen, alone)
        return chosen

    def _find_shared(
        self, models: list[str], benchmarks: Iterable[str] | str | None
    ) -> SharedAnswers:
        wanted = None if benchmarks is None else as_names(benchmarks, "benchmarks")
        return in_common(self._answers, models, wanted, self.on_missing)

    def _find_shared_unjudged(
        self, models: list[str], benchmarks: Iterable[str] | None
    ) -> SharedAnswers:
        """Return what models share; judges, and human scores next to a judge's, are refused."""
        self.check_no_humans()
        if self._answers.judge is not None:
            raise InputError(NO_JUDGES, "items")
        return self._find_shared(models, benchmarks)

    def check_no_humans(self) -> None:
        """Refuse human scores next to a judge's, for what would ignore them."""
        if self._answers.human is not None:
            raise InputError(NO_HUMANS, "items")

    # Views

    def _warn_of_direction(self) -> None:
        """Say once that the metric's direction is assumed, if it is."""
        if not self._warned:
            self._warned = True
            metrics.warn_assumed(self.direction)

    @property
    def size_text(self) -> str:
        """Size of the table: "300 questions of 1 benchmark, 2 models"."""
        known = self._answers
        items = format_count(known.count, "question")
        if known.judge is not None:
            items = f"{items} before {known.judge.max() + 1} judges"
        return (
            f"{items} of {format_count(len(self.benchmarks), 'benchmark')}, "
            f"{format_count(len(self.models), 'model')}"
        )

    def __repr__(self) -> str:
        known = self._answers
        lines = [f"<Items: {self.size_text}>", f"  models: {', '.join(self.models)}"]
        if len(self.benchmarks) > 1:
            sizes = np.bincount(known.benchmark, minlength=len(self.benchmarks))
            named = [f"{b} ({n})" for b, n in zip(self.benchmarks, sizes, strict=True)]
            lines.append(f"  benchmarks: {', '.join(named)}")
        if self.clustered:
            lines.append(f"  {format_count(known.clusters, 'cluster')} of questions")
        if known.epochs.max() > 1:
            least, most = int(known.epochs.min()), int(known.epochs.max())
            lines.append(f"  epochs: {least if least == most else f'{least} to {most}'}, averaged")
        lines.append(f"  metric: {self.direction}")
        if known.human is not None:
            lines.append(f"  human scores: {(~np.isnan(known.human)).sum()} of {len(known.human)}")
        if self.layout:
            lines.append(f"  read as a wide table: {self.layout}")
        if self.recognised:
            lines.append(f"  read as {self.recognised}")
        if self.renamed:
            lines.append("  read " + ", ".join(f"{o!r} as {n}" for o, n in self.renamed.items()))
        lines += [f"  {note}" for note in self.notes]
        if known.empty:
            lines.append(f"  missing: {format_count(known.empty, 'score')}")
        return fold_text("\n".join(lines))

    def _repr_html_(self) -> str:
        known = self._answers
        facts = {
            "models": ", ".join(self.models),
            "benchmarks": ", ".join(self.benchmarks),
            "clusters": str(known.clusters) if self.clustered else "",
            "metric": str(self.direction),
            "missing": format_count(known.empty, "score") if known.empty else "",
        }
        return add_title(f"Items: {self.size_text}", html_facts(facts))


def _direction(column: str, values: np.ndarray, lower: list[str], higher: list[str]) -> Direction:
    """Find the metric and its direction; right or wrong under a plain name is accuracy."""
    for way, names in (("lower", lower), ("higher", higher)):
        wrong = [n for n in names if n != column]
        if wrong:
            raise must_be(f"{way}_is_better", f"the score, {column!r}", wrong[0])
    if lower and higher:
        raise must(
            f"metric {column!r}", "be declared once", "lower-is-better and higher-is-better"
        )
    plain = "".join(c for c in column.lower() if c.isalnum())
    share = bool(np.all((values >= 0) & (values <= 1)))
    if plain in _PLAIN and not lower and (share or are_right_or_wrong(values)):
        return metrics.direction("accuracy")
    return metrics.direction(column, bool(lower) if lower or higher else None)


def _of_benchmark(shared: SharedAnswers, code: int) -> tuple[int, np.ndarray]:
    """Return a benchmark and its independent units, one row each with a column for each model."""
    here = shared.benchmark == code
    cluster = None if shared.cluster is None else shared.cluster[here]
    return code, contributions(shared.scores[:, here].T, cluster)
