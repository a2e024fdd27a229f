"""The decision procedure: from scores to the tests that fit them, to wins and a ranking."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp import checks
from bayescmp.blocks import Blocks
from bayescmp.errors import located
from bayescmp.frequentist.pairs.adjust import canonical
from bayescmp.frequentist.pairs.places import pairs_of
from bayescmp.procedure.decisions import Decision, decide, pairwise_of
from bayescmp.procedure.frames import (
    dimension_frame,
    omnibus_frame,
    pairwise_frame,
    posthoc_results,
    risk_frame,
)
from bayescmp.procedure.kinds import check_kind, which_test
from bayescmp.procedure.results import ProcedureResult
from bayescmp.procedure.study import Study, as_study
from bayescmp.procedure.wins import beats, over_datasets, over_thresholds, ranking, smallest_pvalue
from bayescmp.text import counted

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.scores import Scores
    from bayescmp.typing import Json


__all__ = ["procedure"]


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

    The kind of comparison is read from the data: one or several metrics, two or several
    algorithms, one or several data sets, one or several thresholds (`which_test` gives the tests
    for each kind). On each data set (and at each threshold) all algorithms are tested at once,
    then the pairs. If a pair differs, the one with the lower risk wins. Wins are counted over
    thresholds and tested there, then over data sets.

    Parameters
    ----------
    scores : Scores, or mapping of threshold to Scores
        Scores of folds. Thresholds are numbers from 0 to 1, each with a table of its own (see
        `scores_at_thresholds`).
    metrics : str or iterable of str, optional
        Columns, or metrics that follow from the counts tp, fn, fp, tn. The four counts if the
        table has them, else its only metric.
    algorithms, datasets : iterable of str, optional
        All if not given.
    kind : Kind or str, optional
        What the comparison should be; an error if the data are of another kind.
    alpha : float
        Level of each step.
    corrected : bool
        Whether tests on folds allow for the overlap of training sets. False gives the plain
        tests, as in the thesis; with overlapping folds they reject far too often.
    rho : float, optional
        Correlation of folds; 1/folds from the labels if not given.
    pairwise : {"tukey", "t", "hotelling", "two-sample"}, optional
        Test of pairs: Tukey's if not given, for several metrics the paired Hotelling test. The
        thesis takes the two-sample one, which ignores the pairing of folds.
    adjust : str
        For the pairs on a data set (Tukey's test adjusts by itself) and for the sign tests over
        data sets; see `frequentist.adjust`.
    threshold_adjust : str
        For the right-tailed sign tests of both of all pairs over thresholds. "none" is what
        figure 7.1 prints.
    costs : mapping of metric to cost, or callable of the threshold, optional
        The risk is Σ cost·metric, over any metrics of the table or its counts. If not given, a
        single metric is its own risk; several have that of the errors, fp + fn, and at threshold
        θ 2θ·fp + 2(1 − θ)·fn, for which predicting the positive class above θ is best.
    require_omnibus : bool
        Whether a pair can differ only where the omnibus test rejects.

    Returns
    -------
    ProcedureResult

    Raises
    ------
    InputError
        Scores without folds, unknown names, folds that don't pair, missing scores, a kind, a test
        or costs that don't fit.

    Notes
    -----
    The sign test over thresholds treats thresholds as independent trials. They share the same
    predictions, so its p-values are a summary, not error rates.

    References
    ----------
    Aslan 2009, figure 7.1; Yıldız & Alpaydın, section 2; Nadeau & Bengio 2003 (corrected).

    See Also
    --------
    which_test : The tests that a kind of comparison calls for.
    crosscheck : The Bayesian tests beside the frequentist ones.

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
    >>> str(result.kind)
    'one metric, several algorithms, several data sets, one threshold'
    >>> result.ranking.index[0]
    'svm'
    """
    checks.level(alpha)
    adjust, threshold_adjust = canonical(adjust), canonical(threshold_adjust)
    study = as_study(
        scores,
        metrics=metrics,
        algorithms=algorithms,
        datasets=datasets,
        costs=costs,
        rho=rho if corrected else 0.0,
    )
    first = study.first
    sizes = {"datasets": len(study.datasets), "thresholds": max(1, len(study.thresholds))}
    actual = check_kind(kind, which_test(metrics=first.p, algorithms=first.L, **sizes))
    test = pairwise_of(pairwise, n_metrics=first.p)
    options: dict[str, Any] = {"pairwise": test, "adjust": adjust, "alpha": alpha}
    decisions = [
        [_decide(b, rho=b.rho if corrected else 0.0, **options) for b in row]
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
        **_tables(study, decisions, rejects, different),
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


def _decide(blocks: Blocks, **options: Any) -> Decision:
    with located(f"on data set {blocks.dataset!r}"):
        return decide(blocks, **options)


def _tables(
    study: Study, decisions: list[list[Decision]], rejects: np.ndarray, different: np.ndarray
) -> Json:
    return {
        "omnibus": omnibus_frame(study, decisions, rejects),
        "pairwise": pairwise_frame(study, decisions, different),
        "dimensions": dimension_frame(study, decisions),
        "risk": risk_frame(study),
    }


def _wins(
    study: Study, different: np.ndarray, alpha: float, adjust: str, threshold_adjust: str
) -> Json:
    """Who wins on each data set, the wins over data sets, sign tests and ranking."""
    steps: dict[str, Any] = dict.fromkeys(
        ("over_thresholds", "wins", "won", "sign_tests", "ranking")
    )
    if study.risk is None:
        return steps
    names = study.first.algorithms
    won = beats(different, study.risk)
    if study.thresholds:
        steps["over_thresholds"], won = over_thresholds(
            won, study.datasets, names, alpha=alpha, adjust=threshold_adjust
        )
    else:
        won = won[0]
    steps["wins"], steps["sign_tests"] = over_datasets(won, names, adjust=adjust)
    return steps | {"won": won, "ranking": ranking(won, study.risk.mean(axis=0), names)}


def _notes(study: Study, alpha: float, adjust: str) -> tuple[str, ...]:
    notes = []
    q, m = len(study.datasets), len(pairs_of(study.first.L))
    if study.thresholds and study.risk is not None:
        notes.append(
            "the sign test over thresholds takes them as independent, which they are not: its "
            "p-values are a summary"
        )
    if q > 1 and study.risk is not None:
        least = smallest_pvalue(q, m, adjust)
        if least > alpha:
            notes.append(
                f"with {q} data sets and {counted(m, 'pair')} the sign test can't "
                f"reject at {alpha:g}, whoever wins: the smallest adjusted p is {least:.3g}"
            )
    return tuple(notes)
