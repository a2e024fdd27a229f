"""The decision procedure: from scores to the tests that fit them, to wins and a ranking."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from bayescmp.base.arguments import arg, either, must
from bayescmp.base.checks import check_unused, flag, share, validate_params
from bayescmp.base.typing import Json, as_json
from bayescmp.errors import locate_errors, unknown_name
from bayescmp.frequentist.groups import WinsTable
from bayescmp.frequentist.multiplicity import find_procedure
from bayescmp.frequentist.results import DescribedResult, PosthocResult, pairs_of, show_p
from bayescmp.present.forms import Summarised
from bayescmp.present.summary import P_VALUES, PAIR, Cells, Column, Summary, summarise
from bayescmp.scores.blocks import Blocks
from bayescmp.scores.metrics import list_metrics
from bayescmp.scores.scores import Scores
from bayescmp.study.procedure.decisions import (
    DatasetDecision,
    beats,
    decide,
    dimension_frame,
    omnibus_frame,
    over_datasets,
    over_thresholds,
    pairwise_frame,
    pairwise_of,
    posthoc_results,
    rank_algorithms,
    risk_frame,
    smallest_pvalue,
)
from bayescmp.study.procedure.kinds import ComparisonKind, check_kind, which_test
from bayescmp.study.procedure.study import Study, as_study
from bayescmp.wording.markup import named_rows
from bayescmp.wording.text import adjusted_by, format_count, join_items

# Results of a procedure: every table from the tests on one data set to the ranking.


#: What the columns of a ranking are.
RANKED = (
    "won: data sets on which it beats another; beats, beaten: pairs and data sets; mean rank: of "
    "its risk"
)
#: Fields of a result as JSON, in addition to its kind and the origin of its numbers.
TOLD = (
    *("metrics", "algorithms", "datasets", "thresholds", "alpha", "adjust", "corrected", "rho"),
    *("costs", "omnibus", "pairwise", "dimensions", "risk", "over_thresholds", "wins"),
    *("sign_tests", "ranking", "notes"),
)


@dataclass(frozen=True, eq=False, repr=False)
class ProcedureResult(Summarised, DescribedResult):
    """A comparison step by step, in tidy frames of one row per test.

    Attributes
    ----------
    kind : Kind
        What was compared, and the tests that it called for.
    metrics, algorithms, datasets : tuple of str
    thresholds : tuple of float
        Empty if there is only one.
    omnibus : DataFrame
        dataset, (threshold,) method, statistic, df1, df2, pvalue, reject, rank (of the metrics).
    pairwise : DataFrame
        dataset, (threshold,) first, second, difference (by how much the second's risk is lower;
        NaN without risks), statistic, pvalue, adjusted, different, winner (empty if none).
    dimensions : DataFrame or None
        dataset, (threshold,) dimension: independent directions in which the algorithms differ.
        None with one metric or two algorithms.
    risk : DataFrame or None
        dataset, (threshold,) and each algorithm's mean risk of a fold, if any. With one metric,
        the metric itself, negative if high is good.
    over_thresholds : DataFrame or None
        dataset, first, second, wins_first, wins_second, ties, p_first and p_second (right-tailed
        sign tests of either's wins), adjusted_first, adjusted_second, winner.
    wins : WinsTable or None
        How many data sets each algorithm wins against each other; None without risks.
    won : ndarray of bool, shape (q, L, L), or None
        Whether on a data set the row's algorithm wins over the column's.
    sign_tests : PosthocResult or None
        Sign tests on the wins over data sets; None for one data set.
    ranking : DataFrame or None
        One row per algorithm, best first: won (data sets on which it beats another), beats and
        beaten (pairs and data sets), mean_risk, mean_rank (of its risk).
    alpha, adjust : float, str
        Level, and how p-values are adjusted, of pairs on a data set and of sign tests.
    corrected : bool
        Whether tests on folds allow for their overlap.
    rho : ndarray of shape (q,)
        Correlation of folds that was corrected for.
    costs : dict or None
        What the risk sums up, if it is the same for all thresholds.
    notes : tuple of str
    tables : tuple (thresholds) of tuples (data sets) of PosthocResult
        The tests of pairs in each place, which `posthoc` finds by name.
    directions, resampling, left_out
        See `bayescmp.frequentist.results.DescribedResult`.
    """

    kind: ComparisonKind
    metrics: tuple[str, ...]
    algorithms: tuple[str, ...]
    datasets: tuple[str, ...]
    thresholds: tuple[float, ...]
    omnibus: pd.DataFrame
    pairwise: pd.DataFrame
    dimensions: pd.DataFrame | None
    risk: pd.DataFrame | None
    over_thresholds: pd.DataFrame | None
    wins: WinsTable | None
    won: np.ndarray | None
    sign_tests: PosthocResult | None
    ranking: pd.DataFrame | None
    alpha: float
    adjust: str
    corrected: bool
    rho: np.ndarray
    costs: dict[str, float] | None
    tables: tuple[tuple[PosthocResult, ...], ...] = field(default=(), repr=False)

    def posthoc(
        self, dataset: str | None = None, *, threshold: float | None = None
    ) -> PosthocResult:
        """Return the tests of pairs on one data set, with cliques, underlined order and matrix.

        The data set and the threshold may be left out if there is only one. Groups are of pairs
        not found different, whether or not the omnibus test rejects.
        """
        where = _place("dataset", dataset, self.datasets)
        at = _place("threshold", threshold, self.thresholds or (None,))
        return self.tables[at][where]

    def cliques(
        self, dataset: str | None = None, *, threshold: float | None = None
    ) -> tuple[tuple[str, ...], ...]:
        """Return the maximal groups of algorithms not found different; see `posthoc`."""
        return self.posthoc(dataset, threshold=threshold).cliques(self.alpha)

    def to_dict(self) -> Json:
        """Return the result as plain numbers and text, for JSON."""
        facts = {name: getattr(self, name) for name in TOLD}
        facts["wins"] = None if self.wins is None else self.wins.frame.reset_index()
        facts["ranking"] = None if self.ranking is None else self.ranking.reset_index()
        steps = ("omnibus", "pairwise", "over_thresholds", "over_datasets")
        tests = {step: getattr(self.kind, step) for step in steps}
        return {"kind": str(self.kind), "tests": tests, **as_json(facts), **self.origin()}

    @property
    def frame(self) -> pd.DataFrame:
        """The ranking by the unchanged metric, or else the tests of all algorithms."""
        if self.ranking is None:
            return self.omnibus
        measured = self.measured_ranking()
        named = f"mean {self.metrics[0]}"
        return measured.rename(columns={"mean_risk": named}) if self.is_own_risk else measured

    def measured_ranking(self) -> pd.DataFrame:
        """Return the ranking with the metric itself, where a single one is its own risk."""
        assert self.ranking is not None
        if not self.is_own_risk:
            return self.ranking
        return self.ranking.assign(mean_risk=-self.directions[0].sign * self.ranking["mean_risk"])

    @property
    def is_own_risk(self) -> bool:
        """Whether the risk is the only metric itself, or minus it."""
        if len(self.metrics) > 1 or len(self.directions) != 1:
            return False
        return bool(self.costs == {self.metrics[0]: -self.directions[0].sign})


HEADLINES = {
    True: "{first} comes first; the algorithms differ on {rejected} of {places}",
    False: "The algorithms differ on {rejected} of {places}",
}
SIGN_TESTS = "Sign tests over data sets, {adjusted}: {pairs}."
OVER = "{better} over {worse} ({p})"
DIFFERING = {
    True: "1 of {comparisons} of pairs differs at {alpha:g}.",
    False: "{differ} of {comparisons} of pairs differ at {alpha:g}.",
}
DIMENSIONS = "Dimensions in which they differ: {dimensions}."
METHODS = {
    True: "{kind}: {steps}; level {alpha:g}; corrected for the overlap of folds ({resampling})",
    False: "{kind}: {steps}; level {alpha:g}; not corrected for the overlap of folds",
}


@summarise.register
def _summarise_procedure_result(result: ProcedureResult) -> Summary:
    ranked = result.ranking is not None
    rejected, places = int(result.omnibus["reject"].sum()), len(result.omnibus)
    place = "data set" if len(result.datasets) == places else "place"
    differ, count = int(result.pairwise["different"].sum()), len(result.pairwise)
    pairs = result.tables[0][0].method if result.kind.pairwise else ""
    steps = (result.kind.omnibus, pairs, result.kind.over_thresholds, result.kind.over_datasets)
    heads = result.ranking if result.ranking is not None else result.omnibus
    own = {"mean_risk": Column(head=f"mean {result.metrics[0]}")} if result.is_own_risk else {}
    return Summary(
        HEADLINES[ranked].format(
            first=result.ranking.index[0] if result.ranking is not None else "",
            rejected=rejected,
            places=format_count(places, place),
        ),
        named_rows(result.measured_ranking()) if ranked else result.omnibus,
        {**{key: Column(head=str(key).replace("_", " ")) for key in heads}, **P_VALUES, **own},
        notes=result.notes,
        label="procedure",
        setting=list_metrics(result.metrics, result.directions),
        sentences=[
            *_list_significant(result),
            DIFFERING[differ == 1].format(
                comparisons=format_count(count, "comparison"), differ=differ, alpha=result.alpha
            ),
            *_list_dimensions(result),
        ],
        legend=RANKED if ranked else "",
        method=METHODS[result.corrected].format(
            kind=result.kind,
            steps=" → ".join(filter(None, steps)),
            alpha=result.alpha,
            resampling=result.resampling,
        ),
        more=either("more: .full(), .omnibus, .pairwise, .wins, .posthoc()", ""),
        further=lambda: _list_further(result),
    )


def _list_significant(result: ProcedureResult) -> list[str]:
    """List the pairs that the sign tests over data sets find different."""
    if result.sign_tests is None:
        return []
    rows = result.sign_tests.frame[result.sign_tests.different(result.alpha)]
    columns = ("first", "second", "difference", "adjusted")
    apart = [
        OVER.format(better=b if lead > 0 else a, worse=a if lead > 0 else b, p=show_p(p))
        for a, b, lead, p in zip(*(rows[column] for column in columns), strict=True)
    ]
    pairs = join_items(apart) if apart else "no pair differs"
    return [SIGN_TESTS.format(adjusted=adjusted_by(result.adjust), pairs=pairs)]


def _list_dimensions(result: ProcedureResult) -> list[str]:
    """State in how many independent directions the algorithms differ by several metrics."""
    if result.dimensions is None:
        return []
    counts = result.dimensions["dimension"].value_counts().sort_index()
    dimensions = ", ".join(f"{dimension} on {n}" for dimension, n in counts.items())
    return [DIMENSIONS.format(dimensions=dimensions)]


def _list_further(result: ProcedureResult) -> list[Summary]:
    """Summarise pairwise wins, and the tests of all algorithms and pairs on each data set."""
    wins = [] if result.wins is None else [summarise(result.wins)]
    every = Summary("All algorithms at once", result.omnibus, P_VALUES)
    pairs = Summary("Pairs", result.pairwise, {"dataset": Column(Cells.NAME), **PAIR, **P_VALUES})
    return [*wins, every, pairs]


def _place(what: str, given: object, known: tuple[object, ...]) -> int:
    if given is None:
        if len(known) > 1:
            shown = ", ".join(map(repr, known[:12]))
            raise must(what, "be given if there are several", hint=f"There are {shown}.")
        return 0
    if given not in known:
        raise unknown_name(what, given, known)
    return known.index(given)


@validate_params(alpha=share, corrected=flag, require_omnibus=flag)
def procedure(
    scores: Scores | pd.DataFrame,
    *,
    metrics: str | Iterable[str] | None = None,
    algorithms: Iterable[str] | None = None,
    datasets: Iterable[str] | None = None,
    kind: object = None,
    alpha: float = 0.05,
    corrected: bool = True,
    rho: float | None = None,
    pairwise: str | None = None,
    adjust: str = "bonferroni",
    threshold_adjust: str = "bonferroni",
    costs: object = None,
    require_omnibus: bool = True,
) -> ProcedureResult:
    """Compare algorithms by the tests that their scores call for.

    The kind of comparison is read from the data (see `which_test`). On each data set (and at each
    threshold) all algorithms are tested at once, then the pairs. If a pair differs, the one with
    the lower risk wins. Wins are counted over thresholds and tested there, then over data sets.

    Parameters
    ----------
    scores : Scores, or mapping of threshold to Scores
        Scores of folds. Thresholds are numbers from 0 to 1 (see `scores_at_thresholds`).
    metrics : str or iterable of str, optional
        Columns, or metrics that follow from the counts tp, fn, fp, tn. By default the four counts
        if the table has them, else its only metric.
    algorithms, datasets : iterable of str, optional
        All if not given.
    kind : Kind or str, optional
        What the comparison should be; data of another kind are refused.
    alpha : float
        Level of each step.
    corrected : bool
        Whether tests on folds allow for the overlap of training sets. False gives the thesis's
        plain tests, which reject far too often.
    rho : float, optional
        Correlation of folds; 1/folds from the labels if not given.
    pairwise : {"tukey", "t", "hotelling", "two-sample"}, optional
        Test of pairs; by default Tukey's, or for several metrics the paired Hotelling test (the
        thesis takes the two-sample one).
    adjust : str
        For the pairs on a data set and the sign tests over data sets; see `frequentist.adjust`.
    threshold_adjust : str
        For the right-tailed sign tests over thresholds; "none" is what figure 7.1 prints.
    costs : mapping of metric to cost, or callable of the threshold, optional
        The risk is Σ cost·metric. By default a single metric is its own risk; for several it is fp
        + fn, or at threshold θ 2θ·fp + 2(1 − θ)·fn, for which predicting the positive class above
        θ is best.
    require_omnibus : bool
        Whether a pair can differ only if the omnibus test rejects.

    Returns
    -------
    ProcedureResult

    Raises
    ------
    InputError
        Scores without folds, unknown names, folds that don't pair, missing scores; options that
        don't fit.

    The sign test over thresholds treats them as independent trials, though they share predictions:
    its p-values are a summary, not error rates.

    References
    ----------
    Aslan 2009, figure 7.1; Yıldız & Alpaydın, section 2; Nadeau & Bengio 2003 (corrected).

    See Also
    --------
    which_test, crosscheck

    Examples
    --------
    >>> import bayescmp as bc
    >>> import numpy as np
    >>> import pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> rows = [
    ...     (f"d{d}", name, fold, rng.normal(level, 0.02))
    ...     for d in range(8)
    ...     for name, level in (("knn", 0.80), ("gbm", 0.81), ("svm", 0.87))
    ...     for fold in range(10)
    ... ]
    >>> table = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "accuracy"])
    >>> result = bc.procedure(bc.Scores(table))
    >>> result.ranking.index[0]
    'svm'
    """
    if not corrected:
        check_unused(f"{arg('corrected', False)} takes folds as independent", rho=rho)
    adjust = find_procedure(adjust)
    threshold_adjust = find_procedure(threshold_adjust, "threshold_adjust")
    study = as_study(
        scores,
        metrics=metrics,
        algorithms=algorithms,
        datasets=datasets,
        costs=costs,
        rho=rho if corrected else 0.0,
    )
    first = study.first_blocks
    actual = check_kind(
        kind,
        which_test(
            metrics=first.p,
            algorithms=first.L,
            datasets=len(study.datasets),
            thresholds=max(1, len(study.thresholds)),
        ),
    )
    test = pairwise_of(pairwise, n_metrics=first.p)
    options: dict[str, Any] = {"pairwise": test, "adjust": adjust, "alpha": alpha}
    decisions = [
        [_decide(blocks, rho=blocks.rho if corrected else 0.0, **options) for blocks in row]
        for row in study.blocks
    ]
    rejects = np.array([[d.omnibus_pvalue <= alpha for d in row] for row in decisions])
    different = np.array([[d.adjusted <= alpha for d in row] for row in decisions])
    if require_omnibus:
        different &= rejects[..., None]
    return ProcedureResult(
        kind=actual,
        metrics=first.metrics,
        algorithms=first.algorithms,
        datasets=study.datasets,
        thresholds=study.thresholds,
        omnibus=omnibus_frame(study, decisions, rejects),
        pairwise=pairwise_frame(study, decisions, different),
        dimensions=dimension_frame(study, decisions),
        risk=risk_frame(study),
        **_wins(study, different, alpha, adjust, threshold_adjust),
        alpha=float(alpha),
        adjust=adjust,
        corrected=bool(corrected),
        rho=study.rho if corrected else np.zeros(len(study.datasets)),
        costs=study.costs,
        notes=study.notes + _notes(study, alpha, adjust),
        tables=posthoc_results(study, decisions, test, adjust, corrected),
        directions=first.directions,
        resampling=study.rho_sentence if corrected else "",
    )


def _decide(blocks: Blocks, **options: Any) -> DatasetDecision:
    with locate_errors(f"on data set {blocks.dataset!r}"):
        return decide(blocks, **options)


def _wins(
    study: Study, different: np.ndarray, alpha: float, adjust: str, threshold_adjust: str
) -> Json:
    """Return the winners on each data set, the wins over data sets, sign tests and ranking."""
    steps: dict[str, Any] = dict.fromkeys(
        ("over_thresholds", "wins", "won", "sign_tests", "ranking")
    )
    if study.risk is None:
        return steps
    names = study.first_blocks.algorithms
    won = beats(different, study.risk)
    if study.thresholds:
        steps["over_thresholds"], won = over_thresholds(
            won, study.datasets, names, alpha=alpha, adjust=threshold_adjust
        )
    else:
        won = won[0]
    steps["wins"], steps["sign_tests"] = over_datasets(won, names, adjust=adjust)
    return steps | {"won": won, "ranking": rank_algorithms(won, study.risk.mean(axis=0), names)}


def _notes(study: Study, alpha: float, adjust: str) -> tuple[str, ...]:
    notes = []
    q, m = len(study.datasets), len(pairs_of(study.first_blocks.L))
    if study.thresholds and study.risk is not None:
        notes.append(
            "the sign test over thresholds takes them as independent, which they are not: its "
            "p-values are a summary"
        )
    if q > 1 and study.risk is not None:
        least = smallest_pvalue(q, m, adjust)
        if least > alpha:
            notes.append(
                f"with {q} data sets and {format_count(m, 'pair')} the sign test cannot "
                f"reject at {alpha:g}: the smallest possible adjusted p is {least:.3g}"
            )
    return tuple(notes)
