"""Several metrics of several algorithms on one data set, paired by fold: (L, n, p)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from bayescmp import checks
from bayescmp import metrics as _metrics
from bayescmp.errors import InputError, unknown_name
from bayescmp.left_out import LeftOut
from bayescmp.resampling import Resampling, sentence
from bayescmp.text import counted

if TYPE_CHECKING:
    import pandas as pd


__all__ = ["Blocks"]


@dataclass(frozen=True, eq=False)
class Blocks:
    """Scores of L algorithms on the same n folds of one data set, p metrics each.

    Parameters
    ----------
    x : array_like of shape (L, n, p)
        In each metric's own direction; (L, n) is taken as one metric. Fold j of one algorithm is
        fold j of all.
    rho : float
        Correlation of two folds' differences, in [0, 1); 0 for independent ones.
    algorithms : sequence of str, optional
        "A1", "A2", ... if not given.
    metrics : sequence of str, optional
        "m1", "m2", ... if not given.
    dataset : str
    lower_is_better : sequence of bool, optional
        One per metric; taken from the metrics' names if not given, with a warning where one does
        not.
    directions : sequence of Direction, optional
        How these are known; as declared, or by the names. Empty for metrics without names.
    left_out : LeftOut, optional
        What was left out where only common folds are compared: of this data set, or of all that
        are compared together.
    resampling : Resampling, optional
        How the folds were drawn, as `Scores` knows it.

    Attributes
    ----------
    x : ndarray of shape (L, n, p)
        Read-only.

    Raises
    ------
    InputError
        Another shape, missing or infinite scores (with their places), names that don't fit, rho
        outside [0, 1).
    """

    x: Any
    _: KW_ONLY
    rho: float = 0.0
    algorithms: Any = None
    metrics: Any = None
    dataset: str = "data"
    lower_is_better: Any = None
    directions: Any = None
    left_out: LeftOut | None = None
    resampling: Resampling | None = None

    def __post_init__(self) -> None:
        x = _numbers(self.x)
        L, _, p = x.shape
        metrics = checks.labels("metrics", self.metrics, p, "m")
        lower, named = self.lower_is_better, self.metrics is not None
        fields = {
            "x": x,
            "algorithms": checks.labels("algorithms", self.algorithms, L, "A"),
            "metrics": metrics,
            "rho": checks.one_rho(self.rho),
            "lower_is_better": _by_name(self.metrics, metrics)
            if lower is None
            else tuple(map(bool, lower)),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        if len(self.lower_is_better) != p:
            raise InputError(f"lower_is_better has {len(self.lower_is_better)} for {p} metrics")
        if self.directions is None:
            object.__setattr__(self, "directions", self._directions(named, lower is not None))
        checks.finite(self.x, "x", self._place_of)

    def _directions(self, named: bool, declared: bool) -> tuple[_metrics.Direction, ...]:
        """Which way each metric is better, and how that is known."""
        if not named:
            return ()
        declarations = self.lower_is_better if declared else [None] * self.p
        return tuple(map(_metrics.direction, self.metrics, declarations))

    def _place_of(self, at: tuple[int, ...]) -> str:
        i, j, k = at
        return (
            f"metric {self.metrics[k]!r} of algorithm {self.algorithms[i]!r} on data set "
            f"{self.dataset!r} in fold {j + 1} of {self.n}"
        )

    @property
    def L(self) -> int:  # noqa: N802 - the papers' letter
        """Number of algorithms."""
        return int(self.x.shape[0])

    @property
    def n(self) -> int:
        """Number of folds, all repeats together."""
        return int(self.x.shape[1])

    @property
    def p(self) -> int:
        """Number of metrics."""
        return int(self.x.shape[2])

    @property
    def rho_sentence(self) -> str:
        """The correlation of folds and its reason, as in "rho 0.1: 10 folds, 10 repeats"."""
        design = self.resampling
        own = [design] if design is not None and design.rho == self.rho else None
        return sentence(np.array([self.rho]), own)

    def described(self, *, folds: bool = True) -> dict[str, Any]:
        """What a result keeps of where its numbers come from, as in `Differences.described`.

        Parameters
        ----------
        folds : bool
            Whether the folds enter the result, and so their correlation.

        Examples
        --------
        >>> import bayescmp as bc
        >>> blocks = bc.Blocks([[0.8, 0.9], [0.6, 0.7]], metrics=["f1"], rho=0.5)
        >>> blocks.described()["resampling"]
        'rho 0.5: as given'
        """
        return {
            "directions": tuple(self.directions),
            "resampling": self.rho_sentence if folds else "",
            "left_out": self.left_out,
        }

    @property
    def signs(self) -> np.ndarray:
        """-1 for metrics of which lower values are better, else 1; shape (p,)."""
        return np.where(self.lower_is_better, -1.0, 1.0)

    @property
    def oriented(self) -> np.ndarray:
        """The scores with higher the better for every metric, shape (L, n, p)."""
        return self.x * self.signs

    def differences(self, first: int | str = 0, second: int | str = 1) -> np.ndarray:
        """Fold-by-fold differences of two algorithms, second minus first, after flipping.

        Parameters
        ----------
        first, second : str or int
            Names or positions of the algorithms.

        Returns
        -------
        ndarray of shape (n, p)
            Positive where the second is better on that metric.

        Raises
        ------
        InputError
            Unknown algorithm.

        Examples
        --------
        >>> import bayescmp as bc
        >>> blocks = bc.Blocks([[0.8, 0.9], [0.6, 0.7]], metrics=["f1"], algorithms=["knn", "svm"])
        >>> blocks.differences("svm", "knn").ravel().round(1).tolist()
        [0.2, 0.2]
        """
        i, j = self._place(first), self._place(second)
        return np.asarray((self.x[j] - self.x[i]) * self.signs)

    def pair(self, first: int | str, second: int | str) -> Blocks:
        """Two of the algorithms, in this order.

        Examples
        --------
        >>> import bayescmp as bc
        >>> blocks = bc.Blocks([[0.8, 0.9], [0.6, 0.7]], metrics=["f1"], algorithms=["knn", "svm"])
        >>> blocks.pair("svm", "knn").algorithms
        ('svm', 'knn')
        """
        return self.select(algorithms=(first, second))

    def select(
        self, *, algorithms: Iterable[Any] | None = None, metrics: Iterable[str] | None = None
    ) -> Blocks:
        """The same folds with some of the algorithms or metrics, in the order given.

        Parameters
        ----------
        algorithms : iterable of str or int, optional
        metrics : iterable of str, optional

        Returns
        -------
        Blocks

        Raises
        ------
        InputError
            Unknown names.

        Examples
        --------
        >>> import bayescmp as bc
        >>> blocks = bc.Blocks([[0.8, 0.9], [0.6, 0.7]], metrics=["f1"], algorithms=["knn", "svm"])
        >>> blocks.select(algorithms=["svm"]).x.shape
        (1, 2, 1)
        """
        rows = range(self.L) if algorithms is None else [self._place(a) for a in algorithms]
        wanted = self.metrics if metrics is None else list(metrics)
        for m in wanted:
            if m not in self.metrics:
                raise unknown_name("metric", m, self.metrics)
        columns = [self.metrics.index(m) for m in wanted]
        return replace(
            self,
            x=self.x[np.ix_(list(rows), range(self.n), columns)],
            algorithms=[self.algorithms[i] for i in rows],
            metrics=[self.metrics[k] for k in columns],
            lower_is_better=[self.lower_is_better[k] for k in columns],
            directions=tuple(self.directions[k] for k in columns) if self.directions else (),
        )

    def means(self) -> pd.DataFrame:
        """Mean of each metric, in its own direction: algorithms x metrics.

        Examples
        --------
        >>> import bayescmp as bc
        >>> blocks = bc.Blocks([[0.8, 0.9], [0.6, 0.7]], metrics=["f1"], algorithms=["knn", "svm"])
        >>> blocks.means()["f1"].round(2).tolist()
        [0.85, 0.65]
        """
        import pandas as pd

        index = pd.Index(self.algorithms, name="algorithm")
        columns = pd.Index(self.metrics, name="metric")
        return pd.DataFrame(self.x.mean(axis=1), index=index, columns=columns)

    def _place(self, algorithm: int | str) -> int:
        if isinstance(algorithm, int | np.integer) and not isinstance(algorithm, bool):
            if 0 <= algorithm < self.L:
                return int(algorithm)
        elif str(algorithm) in self.algorithms:
            return int(self.algorithms.index(str(algorithm)))
        raise unknown_name("algorithm", algorithm, self.algorithms)

    def __repr__(self) -> str:
        return (
            f"<Blocks of {self.dataset!r}: {counted(self.L, 'algorithm')}, "
            f"{counted(self.n, 'fold')}, {counted(self.p, 'metric')} "
            f"({', '.join(self.metrics)}), {self.rho_sentence}"
            f"{f'; {self.left_out}' if self.left_out else ''}>"
        )


# -- helpers -----------------------------------------------------------------------------------


def _numbers(x: ArrayLike) -> np.ndarray:
    accepted = "(L, n, p), L algorithms on the same n folds with p metrics"
    values = checks.numbers(x, "x", accepted)
    values = values[..., None] if values.ndim == 2 else values
    if values.ndim != 3 or 0 in values.shape:
        raise InputError(f"x has shape {np.shape(x)}; accepted: {accepted}")
    values.flags.writeable = False
    return values


def _by_name(given: object, metrics: tuple[str, ...]) -> tuple[bool, ...]:
    """Directions as the metrics' names tell; metrics without names are taken as they are.

    So are m1, m2, ..., the names that the package itself gives to metrics without one.
    """
    if given is None or all(re.fullmatch(r"m\d+", m) for m in metrics):
        return (False,) * len(metrics)
    directions = [_metrics.direction(m) for m in metrics]
    for direction in directions:
        _metrics.warn_assumed(direction)
    return tuple(d.lower for d in directions)
