"""Results of a procedure: every table from the tests on one data set to the ranking."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bayescmp.errors import InputError, unknown_name
from bayescmp.frequentist.described import Described
from bayescmp.frequentist.pairs.result import PosthocResult
from bayescmp.frequentist.results import show_p
from bayescmp.frequentist.wins import WinsTable
from bayescmp.metrics import listed
from bayescmp.procedure.kinds import Kind
from bayescmp.text import as_shown, counted

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.typing import Json

__all__ = ["ProcedureResult"]

#: Rows of a table that the text of a result lists.
SHOWN = 15


@dataclass(frozen=True, eq=False)
class ProcedureResult(Described):
    """A comparison step by step. Frames are tidy: one row per test.

    Attributes
    ----------
    kind : Kind
        What was compared, and the tests that it called for.
    metrics, algorithms, datasets : tuple of str
    thresholds : tuple of float
        Empty if there is one only.
    omnibus : DataFrame
        All algorithms at once: dataset, (threshold,) method, statistic, df1, df2, pvalue, reject,
        rank (of the metrics; less than their number where they depend on each other).
    pairwise : DataFrame
        dataset, (threshold,) first, second, difference (by how much the second's risk is lower;
        NaN without risks), statistic, pvalue, adjusted, different, winner ("" if none).
    dimensions : DataFrame or None
        dataset, (threshold,) dimension: independent directions in which the algorithms differ.
        None with one metric or two algorithms.
    risk : DataFrame or None
        dataset, (threshold,) and one column per algorithm: mean risk of a fold. With one metric,
        the metric itself, negative where high is good. None where nothing says what a risk is.
    over_thresholds : DataFrame or None
        dataset, first, second, wins_first, wins_second, ties, p_first and p_second (right-tailed
        sign tests of the first's and of the second's wins), adjusted_first, adjusted_second,
        winner.
    wins : WinsTable or None
        Data sets won, pair by pair. None without risks.
    won : ndarray of bool, shape (q, L, L), or None
        Whether on a data set the row's algorithm wins over the column's.
    sign_tests : PosthocResult or None
        On the wins over data sets; None on one data set.
    ranking : DataFrame or None
        One row per algorithm, best first: won (data sets on which it beats another), beats and
        beaten (pairs and data sets), mean_risk, mean_rank (of its risk).
    alpha : float
    adjust : str
        Of the pairs on a data set and of the sign tests over data sets.
    corrected : bool
        Whether tests on folds allow for their overlap.
    rho : ndarray of shape (q,)
        Correlation of folds that was corrected for.
    costs : dict or None
        What the risk sums up; None if there is no risk, or if costs follow the threshold.
    notes : tuple of str
    tables : tuple (thresholds) of tuples (data sets) of PosthocResult
        The tests of pairs in each place; `posthoc` finds them by name.
    directions, resampling, left_out
        Where the numbers come from; see `Described`.
    """

    kind: Kind
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
    notes: tuple[str, ...] = ()
    tables: tuple[tuple[PosthocResult, ...], ...] = field(default=(), repr=False)

    def posthoc(
        self, dataset: str | None = None, *, threshold: float | None = None
    ) -> PosthocResult:
        """The tests of pairs on one data set: their cliques, underlined ordering and matrix.

        Parameters
        ----------
        dataset : str, optional
            May be left out if there is one.
        threshold : float, optional
            May be left out if there is one.

        Returns
        -------
        PosthocResult
            Its groups are of pairs not found different; whether the omnibus test rejects is not
            asked there.

        Raises
        ------
        InputError
            Unknown data set or threshold, or none named where there are several.
        """
        d = _place("dataset", dataset, self.datasets)
        t = _place("threshold", threshold, self.thresholds or (None,))
        return self.tables[t][d]

    def cliques(
        self, dataset: str | None = None, *, threshold: float | None = None
    ) -> tuple[tuple[str, ...], ...]:
        """Maximal groups of algorithms that were not found different on a data set.

        Parameters
        ----------
        dataset, threshold
            As for `posthoc`.

        Returns
        -------
        tuple of tuple of str
        """
        return self.posthoc(dataset, threshold=threshold).cliques(self.alpha)

    def to_dict(self) -> Json:
        """The result as plain numbers and text, for JSON."""
        return {
            "kind": str(self.kind),
            "tests": {
                "omnibus": self.kind.omnibus,
                "pairwise": self.kind.pairwise,
                "over_thresholds": self.kind.over_thresholds,
                "over_datasets": self.kind.over_datasets,
            },
            "metrics": list(self.metrics),
            "algorithms": list(self.algorithms),
            "datasets": list(self.datasets),
            "thresholds": list(self.thresholds),
            "alpha": self.alpha,
            "adjust": self.adjust,
            "corrected": self.corrected,
            "rho": self.rho.tolist(),
            "costs": self.costs,
            "omnibus": _records(self.omnibus),
            "pairwise": _records(self.pairwise),
            "dimensions": _records(self.dimensions),
            "risk": _records(self.risk),
            "over_thresholds": _records(self.over_thresholds),
            "wins": None if self.wins is None else _records(self.wins.frame.reset_index()),
            "sign_tests": None if self.sign_tests is None else self.sign_tests.to_dict(),
            "ranking": None if self.ranking is None else _records(self.ranking.reset_index()),
            "notes": list(self.notes),
            **self.origin(),
        }

    def __str__(self) -> str:
        parts = [self._head(), _text(self.omnibus)]
        if self.dimensions is not None:
            counts = self.dimensions["dimension"].value_counts().sort_index()
            dimensions = ", ".join(f"{d} on {n}" for d, n in counts.items())
            parts.append(f"dimensions in which they differ: {dimensions}")
        if len(self.pairwise) <= SHOWN:
            parts.append(_text(self.pairwise))
        else:
            share = self.pairwise["different"].mean()
            parts.append(
                f"{counted(len(self.pairwise), 'comparison')} of pairs, {share:.0%} different: "
                "see .pairwise"
            )
        if self.sign_tests is not None and self.wins is not None:
            parts += [str(self.wins), self._significant()]
        if self.ranking is not None:
            parts.append(f"Ranking\n{as_shown(self.ranking)}")
        return "\n\n".join([*parts, *self.notes])

    def _head(self) -> str:
        pairs = self.tables[0][0].method if self.kind.pairwise else ""
        steps = [self.kind.omnibus, pairs, self.kind.over_thresholds, self.kind.over_datasets]
        chain = " → ".join(step for step in steps if step)
        folds = f"corrected for the overlap of folds ({self.resampling})"
        folds = folds if self.corrected else "not corrected"
        what = f"{listed(self.metrics, self.directions)}; level {self.alpha:g}; {folds}"
        return f"{self.kind}\n  {chain}\n  {what}"

    def _significant(self) -> str:
        """The pairs that the sign tests find different."""
        assert self.sign_tests is not None
        rows = self.sign_tests.frame[self.sign_tests.different(self.alpha)]
        if rows.empty:
            return "Sign tests over data sets: no pair differs"
        lines = [
            f"  {b} over {a}: " + show_p(p) if d > 0 else f"  {a} over {b}: " + show_p(p)
            for a, b, d, p in zip(
                rows["first"], rows["second"], rows["difference"], rows["adjusted"], strict=True
            )
        ]
        return "\n".join(["Sign tests over data sets, adjusted:", *lines])

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def _place(what: str, given: object, known: tuple[object, ...]) -> int:
    if given is None:
        if len(known) > 1:
            shown = ", ".join(map(repr, known[:12]))
            raise InputError(f"{what} is missing: there are several, {shown}")
        return 0
    if given not in known:
        raise unknown_name(what, given, known)
    return known.index(given)


def _text(frame: pd.DataFrame) -> str:
    more = f"\n... and {len(frame) - SHOWN} more" if len(frame) > SHOWN else ""
    shown = frame.head(SHOWN)
    return as_shown(shown, index=False) + more


def _records(frame: pd.DataFrame | None) -> list[Json] | None:
    """Rows as plain values; JSON has neither infinity nor NaN."""
    if frame is None:
        return None
    return [{str(k): _plain(v) for k, v in row.items()} for row in frame.to_dict("records")]


def _plain(value: object) -> object:
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and not np.isfinite(value) else value
