"""Learned measures: the combinations of metrics in which several algorithms differ most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayescmp.base import checks
from bayescmp.base.declare import count, declare, flag
from bayescmp.base.deferred import Sealed
from bayescmp.errors import InputError
from bayescmp.frequentist.comparisons import PosthocResult
from bayescmp.frequentist.groups import tukey
from bayescmp.frequentist.multivariate_samples import Design
from bayescmp.frequentist.variance import AnovaTable, anova
from bayescmp.scores.metrics import head_table
from bayescmp.wording.markup import Exhibit, Exhibited


# Weights of metrics in a learned measure: their length and sign, and how they are written.
def normalised(vectors: np.ndarray) -> np.ndarray:
    """Columns of length one, the largest element positive (the first, of equally large ones)."""
    length = np.linalg.norm(vectors, axis=0)
    unit = vectors / np.where(length > 0, length, 1.0)
    size = np.abs(unit)
    if not size.size:
        return unit
    first = np.argmax(size >= size.max(axis=0) * (1 - 1e-9), axis=0)
    sign = np.where(np.take_along_axis(unit, first[None], axis=0)[0] < 0, -1.0, 1.0)
    return np.asarray(unit * sign)


def written(weights: np.ndarray, metrics: Sequence[str], digits: int) -> str:
    """A weighted sum as text, without the metrics of weight 0."""
    terms = [
        ("−" if w < 0 else "+", f"{_decimal(abs(w), digits)}·{m}")
        for m, w in zip(metrics, weights, strict=True)
        if w != 0
    ]
    if not terms:
        return "0"
    first = ("−" if terms[0][0] == "−" else "") + terms[0][1]
    return " ".join([first, *(f"{sign} {text}" for sign, text in terms[1:])])


def _decimal(weight: float, digits: int) -> str:
    text = f"{weight:.{digits}f}"
    return text if float(text) else f"{weight:.{max(digits, 1)}g}"


LEARNED = (
    "the measure was learned from the same scores to separate the algorithms: its p-values are "
    "too small; MANOVA's hold"
)


#: Weights, of a column of length one, up to here are rounding if they are in either scale.
NOTHING = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class LearnedMeasures(Exhibited, Sealed):
    """Eigenvectors of E⁻¹H as measures, the one that separates the algorithms most first.

    Within algorithms the measures are uncorrelated (their vectors are orthogonal in E, not in the
    plain sense). Where metrics are dependent, many vectors give one measure; that with the
    shortest standardised weights is given.

    Attributes
    ----------
    weights : ndarray of shape (p, s)
        Each column of length one, for the metrics in their own units and directions; the largest
        weight of each is positive.
    standardised : ndarray of shape (p, s)
        For metrics divided by their standard deviation within algorithms, of length one.
    eigenvalues : ndarray of shape (s,)
        Variance between over that within algorithms (in sums of squares), descending.
    names, metrics : tuple of str
    design : Design
        The scores.
    notes : tuple of str
    """

    weights: np.ndarray
    standardised: np.ndarray
    eigenvalues: np.ndarray
    names: tuple[str, ...]
    metrics: tuple[str, ...]
    design: Design = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def share(self) -> np.ndarray:
        """Share of each eigenvalue in their sum, shape (s,)."""
        roots = self.eigenvalues
        if np.isinf(roots).any():
            return np.where(np.isinf(roots), 1.0, 0.0) / np.isinf(roots).sum()
        total = float(roots.sum())
        return roots / total if total > 0 else np.zeros_like(roots)

    @property
    def labels(self) -> tuple[str, ...]:
        """M1, M2, ..."""
        return tuple(f"M{k + 1}" for k in range(len(self.eigenvalues)))

    @property
    def frame(self) -> pd.DataFrame:
        """Weights of the metrics (rows) in each measure (columns)."""
        index = pd.Index(self.metrics, name="metric")
        table = pd.DataFrame(self.weights, index=index, columns=list(self.labels))
        return head_table(table, self.design.measured)

    def project(self, x: ArrayLike | None = None) -> Any:
        """Scores in the learned measures.

        Parameters
        ----------
        x : array_like of shape (..., p), optional
            Other scores of the same metrics; those the measures were learned from if not given.

        Returns
        -------
        ndarray of shape (..., s), or list of them where algorithms differ in folds

        Raises
        ------
        InputError
            Another number of metrics.

        Examples
        --------
        Simulated scores of three algorithms in eight folds; the third trades one for the other:

        >>> import numpy as np
        >>> from bayescmp.frequentist import learned_measures
        >>> x = np.random.default_rng(0).normal(size=(3, 8, 2))
        >>> x[2] += [2, -2]
        >>> result = learned_measures(x, names=["a", "b", "c"], metrics=["tpr", "tnr"])
        >>> result.project([0.5, 0.5]).round(3)
        array([0.004, 0.67 ])
        """
        if x is None:
            values = [sample @ self.weights for sample in self.design.samples]
            return np.array(values) if len({len(v) for v in values}) == 1 else values
        scores = checks.numbers(x, "x", f"(..., {len(self.metrics)})")
        if scores.shape[-1:] != (len(self.metrics),):
            raise InputError(
                f"x has shape {scores.shape}; accepted: (..., {len(self.metrics)}), the metrics "
                + ", ".join(self.metrics)
            )
        return scores @ self.weights

    @property
    def projections(self) -> Any:
        """The scores in the learned measures, shape (L, n, s)."""
        return self.project()

    def means(self) -> pd.DataFrame:
        """Mean of each measure: algorithms x measures."""
        values = np.array([np.mean(v, axis=0) for v in self.project()])
        index = pd.Index(self.names, name="algorithm")
        return pd.DataFrame(values, index=index, columns=list(self.labels))

    def anova(self, k: int = 1) -> AnovaTable:
        """ANOVA of measure k, with the blocks and the rho of the MANOVA.

        Its F is (ν_e/ν_h)·λ_k. The measure was chosen to make that large, on the same scores, so
        the p-value is descriptive, not a test: under equal means it is below 0.05 far more often
        than in 1 of 20 cases. `manova` tests; or learn on some folds and `project` others.

        Parameters
        ----------
        k : int
            1 for the first measure.
        """
        rows = self._rows(k)
        table = anova(rows, block=self.design.block, rho=self.design.rho, names=self.names)
        return replace(table, method=f"{table.method}, on M{k}", notes=(LEARNED,), **self._folds)

    def tukey(self, k: int = 1) -> PosthocResult:
        """Tukey's test of all pairs on measure k; see `anova` for what its p-values are worth.

        Parameters
        ----------
        k : int
            1 for the first measure.

        Returns
        -------
        PosthocResult
            Differences are second minus first in the measure, of which neither direction is
            better.
        """
        rows = self._rows(k)
        result = tukey(rows, block=self.design.block, rho=self.design.rho, names=self.names)
        notes = (*result.notes, LEARNED)
        return replace(result, method=f"{result.method}, on M{k}", notes=notes, **self._folds)

    @property
    def _folds(self) -> dict[str, Any]:
        """Where the scores come from; a measure has no better side."""
        return self.design.described() | {"directions": ()}

    @declare(digits=count(0), standardised=flag)
    def formula(self, k: int = 1, *, digits: int = 2, standardised: bool = False) -> str:
        """Measure k written out, as in ``M1 = −0.38·tp + 0.73·fp − 0.21·tn − 0.53·fn``.

        Parameters
        ----------
        k : int
            1 for the first measure.
        digits : int
            Decimals of the weights; significant digits of those that would round to 0, as the
            weight of a metric in large units does.
        standardised : bool
            Weights for metrics divided by their standard deviation within algorithms, which say
            how much each contributes.

        Returns
        -------
        str
            Metrics of weight 0 are left out.
        """
        at = self._column(k)
        column = (self.standardised if standardised else self.weights)[:, at]
        rounding = np.abs([self.weights[:, at], self.standardised[:, at]]).max(axis=0) < NOTHING
        return f"M{k} = {written(np.where(rounding, 0.0, column), self.metrics, digits)}"

    def to_dict(self) -> dict[str, object]:
        """The measures as plain numbers and text, for JSON."""
        finite = np.where(np.isfinite(self.eigenvalues), self.eigenvalues, np.nan)
        return {
            "formulas": [self.formula(k + 1) for k in range(len(self.eigenvalues))],
            "weights": {m: list(map(float, w)) for m, w in self.frame.iterrows()},
            "eigenvalues": [None if np.isnan(v) else float(v) for v in finite],
            "share": list(map(float, self.share)),
            "notes": list(self.notes),
            **self.design.origin(),
        }

    @property
    def _title(self) -> str:
        return f"Learned measures{self.design.on_measured}"

    def _exhibit(self) -> Exhibit:
        facts = {
            self.formula(k): f"λ = {root:.4g}, {100 * share:.1f} %"
            for k, (root, share) in enumerate(zip(self.eigenvalues, self.share, strict=True), 1)
        }
        means = self.means().reset_index()
        return Exhibit(self._title, means, self.notes, "measures", facts=facts)

    def _column(self, k: int) -> int:
        if not checks.is_number(k) or k not in range(1, len(self.eigenvalues) + 1):
            raise InputError(f"k={k!r}; accepted: 1 to {len(self.eigenvalues)}, the measures")
        return int(k) - 1

    def _rows(self, k: int) -> list[np.ndarray]:
        at = self._column(k)
        return [sample[:, at] for sample in self.project()]
