"""Do tests on one metric and on several decide alike? The table of Yıldız & Alpaydın."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from bayescmp.base.arguments import arg, must, must_be
from bayescmp.base.checks import check_unused, flag, one_of, share, text, validate_params
from bayescmp.base.records import Record
from bayescmp.base.typing import Json, as_facts
from bayescmp.errors import locate_errors
from bayescmp.frequentist.multiplicity import adjust as adjust_p
from bayescmp.frequentist.multiplicity import find_procedure
from bayescmp.frequentist.multivariate import hotelling_all_pairs
from bayescmp.frequentist.results import pairs_of
from bayescmp.present.forms import Summarised
from bayescmp.present.summary import Summary, summarise
from bayescmp.scores.blocks import Blocks, block_rows, common_datasets, scores_blocks
from bayescmp.scores.pairing import LeftOut
from bayescmp.scores.scores import Scores
from bayescmp.study.procedure.study import choose_names
from bayescmp.wording.markup import named_rows
from bayescmp.wording.text import adjusted_by, format_count, join_items

#: The four cells: the two tests' results for a pair.
CELLS = ("none", "multivariate only", "univariate only", "both")


@dataclass(frozen=True, eq=False, repr=False)
class AgreementResult(Summarised, Record):
    """Decisions of a univariate and a multivariate test on the same pairs.

    Attributes
    ----------
    decisions : DataFrame
        One row per comparison: dataset, (repeat,) first, second, difference (of the univariate
        metric, positive if the second is better), t, p_univariate, T2, p_multivariate,
        reject_univariate, reject_multivariate, cell ("none", "multivariate only", "univariate
        only", "both").
    univariate, multivariate : str, tuple of str
    alpha, adjust : float, str
        Level, and how p-values were adjusted over the pairs of a data set and repeat.
    rho : ndarray of shape (q,)
        Correlation of folds that was corrected for; 0 if none.
    datasets : tuple of str
    left_out : str
        What was left out because some algorithm had no score.
    """

    decisions: pd.DataFrame
    univariate: str
    multivariate: tuple[str, ...]
    alpha: float
    adjust: str
    rho: np.ndarray
    datasets: tuple[str, ...]
    left_out: str = ""

    @cached_property
    def counts(self) -> pd.DataFrame:
        """Comparisons in the four cells, with totals; univariate down, multivariate across."""
        cells = self.decisions["cell"].value_counts()
        square = np.array([cells.get(cell, 0) for cell in CELLS], dtype=int).reshape(2, 2)
        square = np.vstack([square, square.sum(axis=0)])
        labels = ["do not reject", "reject", "total"]
        return pd.DataFrame(
            np.column_stack([square, square.sum(axis=1)]),
            index=pd.Index(labels, name="univariate"),
            columns=pd.Index(labels, name="multivariate"),
        )

    @property
    def percent(self) -> pd.DataFrame:
        """Agreement in percent of all comparisons, as in the paper's tables 1 and 2."""
        return self.counts / max(len(self.decisions), 1) * 100.0

    @property
    def disagreements(self) -> pd.DataFrame:
        """The comparisons on which one test rejects and the other does not."""
        alone = self.decisions["cell"].isin(("multivariate only", "univariate only"))
        return self.decisions[alone].reset_index(drop=True)

    def by_pair(self) -> pd.DataFrame:
        """Count each cell, one row per data set and pair of algorithms."""
        keys = [self.decisions[k] for k in ("dataset", "first", "second")]
        table = pd.crosstab(keys, self.decisions["cell"])
        return table.reindex(columns=list(CELLS), fill_value=0).rename_axis(columns=None)

    def to_dict(self) -> Json:
        """Return the table and the settings as plain values, for JSON."""
        cells = self.decisions["cell"].value_counts()
        return as_facts(
            self,
            *("univariate", "multivariate", "alpha", "adjust", "rho"),
            n=len(self.decisions),
            left_out=self.left_out,
            counts={cell: cells.get(cell, 0) for cell in CELLS},
        )

    @property
    def frame(self) -> pd.DataFrame:
        """The percentages, one row per decision."""
        return named_rows(self.percent)


HEADLINE = "Decisions on {univariate} (univariate) and {multivariate} (multivariate)"
COUNTED = {
    True: "{comparisons} at the level {alpha:g}, corrected for the overlap of folds, {adjusted}.",
    False: "{comparisons} at the level {alpha:g}, {adjusted}.",
}


@summarise.register
def _summarise_agreement_result(result: AgreementResult) -> Summary:
    return Summary(
        HEADLINE.format(
            univariate=result.univariate, multivariate=join_items(list(result.multivariate))
        ),
        result.frame,
        notes=[result.left_out] if result.left_out else [],
        label="agreement",
        sentences=[
            COUNTED[bool(np.any(result.rho))].format(
                comparisons=format_count(len(result.decisions), "comparison"),
                alpha=result.alpha,
                adjusted=adjusted_by(result.adjust),
            )
        ],
        legend="percentages of the comparisons",
    )


@validate_params(univariate=text, alpha=share, corrected=flag, by=one_of("repeat", "all"))
def decision_agreement(
    scores: Scores,
    *,
    univariate: str = "error",
    multivariate: Iterable[str] = ("tpr", "fpr"),
    algorithms: Iterable[str] | None = None,
    datasets: Iterable[str] | None = None,
    alpha: float = 0.05,
    corrected: bool = True,
    rho: float | None = None,
    adjust: str = "none",
    by: str = "repeat",
) -> AgreementResult:
    """Compare the decisions of a test on one metric with those of a test on several.

    Every pair is tested on every data set, and separately in every repeat of the cross-validation,
    by the paired t test and by the paired Hotelling test.

    Parameters
    ----------
    scores : Scores
    univariate : str
        Metric of the t test.
    multivariate : iterable of str
        Metrics of the Hotelling test.
    algorithms, datasets : iterable of str, optional
    alpha : float
        Level of each test.
    corrected : bool
        Whether both tests allow for the overlap of training sets, unlike in the paper.
    rho : float, optional
        Correlation of folds; 1/folds from the labels if not given.
    adjust : str
        For each test's p-values of the pairs on a data set and repeat; see `frequentist.adjust`.
    by : {"repeat", "all"}
        Test in each repeat, or on the folds of all repeats together.

    Returns
    -------
    AgreementResult

    Raises
    ------
    InputError
        Unknown names, scores without folds or that don't pair, fewer than two metrics together.

    References
    ----------
    Yıldız & Alpaydın, section 3.2 and 3.3, tables 1 and 2; Nadeau & Bengio 2003 (corrected).

    See Also
    --------
    procedure, crosscheck

    Examples
    --------
    >>> import bayescmp as bc
    >>> import numpy as np
    >>> import pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> rows = [
    ...     ("iris", name, fold, *rng.normal([0.2, 0.8, 0.1 + lead, 0.8 + lead], 0.02)[[0, 2, 3]])
    ...     for name, lead in (("knn", 0.0), ("gbm", 0.1))
    ...     for fold in range(10)
    ... ]
    >>> columns = ["dataset", "algorithm", "fold", "error", "fpr", "tpr"]
    >>> scores = bc.Scores(pd.DataFrame(rows, columns=columns))
    >>> agreement = bc.decision_agreement(scores)
    >>> list(agreement.decisions["cell"])
    ['multivariate only']
    """
    if not corrected:
        check_unused(f"{arg('corrected', False)} takes folds as independent", rho=rho)
    method = find_procedure(adjust)
    if not isinstance(scores, Scores):
        raise must_be("scores", "Scores", scores)
    if not scores.has_folds:
        raise must("scores", "have folds, which both tests take", "none")
    several = choose_names("multivariate", multivariate, (), least=2)
    names = choose_names("algorithms", algorithms, scores.algorithms, least=2)
    where = choose_names("datasets", datasets, scores.datasets, least=1)
    metrics = list(dict.fromkeys([univariate, *several]))
    common, gone = common_datasets(scores, metrics, names, where)
    blocks = [
        scores_blocks(
            scores, metrics=metrics, dataset=d, algorithms=names, rho=rho if corrected else 0.0
        )
        for d in common
    ]
    left_out = LeftOut.join([gone, *(b.left_out for b in blocks)])
    twins = [(b.select(metrics=[univariate]), b.select(metrics=several)) for b in blocks]
    parts = []
    for both, (one, more) in zip(blocks, twins, strict=True):
        repeats = None
        if by == "repeat":
            rows, _ = block_rows(scores, both.metrics, both.dataset, both.algorithms)
            repeats = scores.pairing.repeats(rows[0])
        with locate_errors(f"on data set {one.dataset!r}"):
            parts.append(_in_dataset(one, more, repeats, corrected, method))
    return AgreementResult(
        decisions=_decided_pairs(parts, alpha),
        univariate=univariate,
        multivariate=several,
        alpha=float(alpha),
        adjust=method,
        rho=np.array([one.rho if corrected else 0.0 for one, _ in twins]),
        datasets=tuple(common),
        left_out=str(left_out) if left_out else "",
    )


# Both decisions on every pair of a data set.


def _in_dataset(
    one: Blocks, several: Blocks, repeats: np.ndarray | None, corrected: bool, adjust: str
) -> pd.DataFrame:
    """Do both tests of all pairs on a data set, in each repeat or on all folds."""
    if repeats is None:
        return _both_tests(one, several, slice(None), corrected, adjust)
    labels, counts = np.unique(repeats, return_counts=True)
    if counts.min() < 2:
        raise must(
            "by",
            "be 'all' if a repeat has a single fold",
            hint=f"{arg('by', 'all')} tests on the folds of all repeats together.",
        )
    parts = []
    for label in labels:
        with locate_errors(f"repeat {label}"):
            part = _both_tests(one, several, repeats == label, corrected, adjust)
        part.insert(1, "repeat", label)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def _both_tests(
    one: Blocks, several: Blocks, folds: object, corrected: bool, adjust: str
) -> pd.DataFrame:
    rho = one.rho if corrected else 0.0
    x = one.x[:, folds] * one.signs
    first, second = pairs_of(one.L).T
    means = x.mean(axis=(1, 2))
    difference = means[second] - means[first]
    squared, p_one, _ = hotelling_all_pairs(x, rho)  # with one metric T² is t²
    t2, p_several, _ = hotelling_all_pairs(several.x[:, folds], rho, several.metrics)
    names = np.array(one.algorithms, dtype=object)
    return pd.DataFrame(
        {
            "dataset": one.dataset,
            "first": names[first],
            "second": names[second],
            "difference": difference,
            "t": np.copysign(np.sqrt(squared), difference),
            "p_univariate": adjust_p(p_one, adjust),
            "T2": t2,
            "p_multivariate": adjust_p(p_several, adjust),
        }
    )


def _decided_pairs(parts: list[pd.DataFrame], alpha: float) -> pd.DataFrame:
    frame = pd.concat(parts, ignore_index=True)
    one = (frame["p_univariate"] <= alpha).to_numpy()
    several = (frame["p_multivariate"] <= alpha).to_numpy()
    cell = np.array(CELLS, dtype=object)[2 * one + several]
    return frame.assign(reject_univariate=one, reject_multivariate=several, cell=cell)
