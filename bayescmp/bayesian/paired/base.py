"""What the tests on one data set share: reading its differences, and their posteriors' words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.base.magnitudes import step_seen
from bayescmp.errors import InputError
from bayescmp.results.posterior import Posterior
from bayescmp.results.saving import array
from bayescmp.scores.differences import Differences, as_differences
from bayescmp.wording.text import counted

__all__ = ["PairedPosterior", "dataset_name", "one_dataset", "rounding", "spread_of"]


@dataclass(frozen=True, eq=False, repr=False)
class PairedPosterior(Posterior):
    """What the posteriors of δ, the mean difference on one data set, share.

    Attributes
    ----------
    dataset : str
        Name of the data set; "" if it has none.
    x : ndarray of shape (n,)
        The differences.
    rho : float
        Correlation of two of them.
    """

    _: KW_ONLY
    dataset: str
    x: np.ndarray = field(metadata=array("fold"))
    rho: float

    @property
    def data_text(self) -> str:
        """What was observed: "10 folds"."""
        return counted(len(self.x), self.sample)

    @property
    def target(self) -> str:
        """What the verdict is about."""
        return f"the data set {self.dataset}" if self.dataset else "this data set"

    def _title(self) -> str:
        where = f" ({self.dataset})" if self.dataset else ""
        n = counted(len(self.x), "difference")
        return f"{super()._title()}\n{'data':<13}{n}{where}, rho {self.rho:.4g}"


def one_dataset(
    x: ArrayLike | Differences,
    rho: ArrayLike | None,
    names: Sequence[str] | None,
    resolution: ArrayLike | None,
    least: int = 2,
) -> Differences:
    """The differences of one data set, from what the user gave.

    Raises
    ------
    InputError
        Several data sets, or fewer than ``least`` differences.
    """
    d = as_differences(x, rho=rho, names=names, resolution=resolution)
    if d.q > 1:
        raise InputError(
            f"x has {d.q} data sets, this test takes one: pick it with x.row(name), or use "
            "bayescmp.bayesian.hierarchical_t for all of them"
        )
    if d.n[0] < least:
        raise InputError(
            f"x has {counted(int(d.n[0]), 'difference')} for data set "
            f"{d.datasets[0]!r}; at least {least} folds are needed"
        )
    return d


def dataset_name(d: Differences, x: object) -> str:
    """The data set's name, where it was given one."""
    return d.datasets[0] if isinstance(x, Differences) else ""


def rounding(n: int, h: float) -> float:
    """Sum of squares of n errors of rounding to a step h, each uniform on ±h/2: n·h²/12."""
    return n * h**2 / 12


def spread_of(d: Differences) -> tuple[float, tuple[str, ...]]:
    """Sum of squares; of equal differences that of rounding to the metric's resolution.

    Where that is not known, it is the smallest step seen, the size of the common difference. Zeros
    show no step: their sum is 0.
    """
    s = d.statistics()
    if not s.constant[0]:
        return float(s.ss[0]), ()
    known = float(d.resolution[0])
    h = step_seen(d.x) if np.isnan(known) else known
    if np.isnan(h):
        return 0.0, ()
    seen = " as seen" if np.isnan(known) else ""
    note = f"all differences are equal: spread from the metric's resolution{seen}, h = {h:.3g}"
    return rounding(int(s.n[0]), h), (note,)
