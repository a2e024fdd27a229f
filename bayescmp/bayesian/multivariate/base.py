"""What the posteriors of several metrics on one data set share, and matrices of weights."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.bayesian.regions.posterior import SeveralPosterior
from bayescmp.errors import InputError, unknown_name
from bayescmp.text import counted
from bayescmp.verdict import Ropes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.typing import Coordinates, Json


__all__ = ["MultivariatePairedPosterior", "as_matrix", "as_names", "lend"]


@dataclass(frozen=True, eq=False, repr=False)
class MultivariatePairedPosterior(SeveralPosterior):
    """What the posteriors of the mean difference of p metrics on one data set share.

    Attributes
    ----------
    dataset : str
        Name of the data set; "" if it has none.
    x : ndarray of shape (n, p)
        The differences of the folds.
    rho : float
        Correlation of two of them.
    """

    _: KW_ONLY
    dataset: str
    x: np.ndarray
    rho: float

    @property
    def data_text(self) -> str:
        """What was observed: "10 folds"."""
        return counted(len(self.x), "fold")

    @property
    def target(self) -> str:
        """What the verdict is about."""
        return f"the data set {self.dataset}" if self.dataset else "this data set"

    @abstractmethod
    def select(self, metrics: Sequence[str]) -> MultivariatePairedPosterior:
        """The posterior of some of the metrics, in the order given.

        See Also
        --------
        bayescmp.frequentist.hotelling_paired

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import multivariate_t
        >>> x = np.array([[0.03, 0.01], [0.02, 0.03], [0.04, 0.02], [0.03, 0.03], [0.05, 0.02]])
        >>> posterior = multivariate_t(x, rho=0.2, rope=0.01, metrics=["tpr", "auc"], seed=1)
        >>> posterior.select(["auc"]).metrics
        ('auc',)
        """

    def plot(self, *, ax: Axes | None = None, **options: Any) -> Axes:
        """Two metrics with their regions, else the verdict as a bar; see `bayescmp.plots`.

        See Also
        --------
        bayescmp.plots.plot_regions, bayescmp.plots.plot_verdict_bar

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import multivariate_t
        >>> x = np.array([[0.03, 0.01], [0.02, 0.03], [0.04, 0.02], [0.03, 0.03], [0.05, 0.02]])
        >>> posterior = multivariate_t(x, rho=0.2, rope=0.01, metrics=["tpr", "auc"], seed=1)
        >>> axes = posterior.plot()
        """
        from bayescmp.plots import plot_regions, plot_verdict_bar

        if self.p == 2 or "metrics" in options:
            return plot_regions(self, ax=ax, **options)
        return plot_verdict_bar(self.verdict(**options), ax=ax)

    def _columns(self, metrics: Sequence[str] | str) -> list[int]:
        """Places of metrics."""
        names = [metrics] if isinstance(metrics, str) else list(metrics)
        if not names:
            raise InputError(f"metrics is empty; known: {', '.join(map(repr, self.metrics))}")
        for name in names:
            if name not in self.metrics:
                raise unknown_name("metric", name, self.metrics)
        return [self.metrics.index(m) for m in names]

    def _title(self) -> str:
        where = f" ({self.dataset})" if self.dataset else ""
        n = counted(len(self.x), "difference")
        return f"{super()._title()}\n{'data':<13}{n}{where}, rho {self.rho:.4g}"

    def _coords(self) -> Coordinates:
        coords = {"fold": np.arange(len(self.x)).tolist(), "metric": list(self.metrics)}
        return coords, {"x": ["fold", "metric"], "delta": ["metric"], "folds": ["fold"]}

    def _attributes(self) -> Json:
        return {**super()._attributes(), "rho": self.rho, "dataset": self.dataset}


def as_matrix(values: ArrayLike, p: int, dimensions: int) -> np.ndarray:
    """Weights of the metrics, checked, shape (k, p)."""
    try:
        M = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"weights {values!r} are not numbers; accepted: {p} a row") from None
    if M.ndim not in (1, dimensions) or M.shape[-1] != p or not np.all(np.isfinite(M)):
        raise InputError(
            f"weights have shape {M.shape}; accepted: finite, {p} a row, one per metric"
        )
    return np.atleast_2d(M)


def as_names(metrics: Sequence[str] | None, k: int) -> tuple[str, ...]:
    """Names of k new metrics, checked; "m1", "m2", ... if not given."""
    names = tuple(f"m{j + 1}" for j in range(k)) if metrics is None else tuple(map(str, metrics))
    if len(names) != k or len(set(names)) < k:
        raise InputError(f"metrics={metrics!r}; accepted: {k} different names, one per row")
    return names


def lend(factor: np.ndarray, borrowed: Sequence[int], own: Ropes, ropes: Ropes) -> np.ndarray:
    """The factor of a scale matrix with other ropes, whose widths are some metrics' resolution.

    Parameters
    ----------
    factor : ndarray of shape (p, r)
        As fitted.
    borrowed : sequence of int
        Places of the metrics whose spread comes from their rope's width, as its multiple.
    own, ropes : Ropes
        Those of the fit, and others.

    Returns
    -------
    ndarray of shape (p, r)
        The same object where nothing changes.

    Raises
    ------
    InputError
        If the fit had no rope in such a metric: then it has to be fitted again.
    """
    places = [j for j in borrowed if own[j] != ropes[j]]
    if not places:
        return factor
    lent = factor.copy()
    for j in places:
        if own[j].empty:
            raise InputError(
                f"rope={ropes[j]} given for a fit with rope=0 in a metric "
                "without spread, whose resolution is unknown: fit again with that rope, or with "
                "resolution="
            )
        lent[j] *= (ropes[j].high - ropes[j].low) / (own[j].high - own[j].low)
    return lent
