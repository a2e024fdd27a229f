"""What results know of where their numbers come from: direction, resampling, what was left out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bayescmp.base.deferred import Sealed
from bayescmp.scores.blocks import Blocks
from bayescmp.scores.differences import Differences
from bayescmp.scores.metrics import Direction
from bayescmp.scores.pairing import LeftOut
from bayescmp.scores.resampling import sentence

if TYPE_CHECKING:
    from typing import Any

    from typing_extensions import Self

__all__ = ["Described"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Described(Sealed):
    """Whatever knows which way its metrics are better, and how its folds were drawn.

    Attributes
    ----------
    directions : tuple of Direction
        Which way each metric is better; empty for plain numbers.
    resampling : str
        The correlation of folds and its reason; empty where no folds enter.
    left_out : LeftOut or None
        What had no partner, where only common folds are compared.
    """

    directions: tuple[Direction, ...] = ()
    resampling: str = ""
    left_out: LeftOut | None = None

    @property
    def measured(self) -> str:
        """The metrics with their directions: "accuracy ↑", "tpr ↑, fpr ↓"; "" if not known."""
        return ", ".join(map(str, self.directions))

    @property
    def on_measured(self) -> str:
        """For a heading: " on accuracy ↑"; "" if not known."""
        return f" on {self.measured}" if self.directions else ""

    @property
    def remarks(self) -> list[str]:
        """Lines on the resampling and on what was left out, where there is something to say."""
        return [line for line in (self.resampling, str(self.left_out or "")) if line]

    def described(self, *, folds: bool = True) -> dict[str, Any]:
        """What a result keeps, as in `Differences.described`.

        Parameters
        ----------
        folds : bool
            Whether the folds enter the result, and so their correlation.

        Examples
        --------
        >>> from bayescmp.frequentist import corrected_t
        >>> corrected_t([0.02, 0.03, 0.01], rho=0.2).described()["resampling"]
        'rho 0.2: as given'
        """
        return {
            "directions": self.directions,
            "resampling": self.resampling if folds else "",
            "left_out": self.left_out,
        }

    def origin(self) -> dict[str, object]:
        """The same as plain text, for JSON.

        Examples
        --------
        >>> from bayescmp.frequentist import corrected_t
        >>> corrected_t([0.02, 0.03, 0.01], rho=0.2).origin()["directions"]
        []
        """
        return {
            "directions": [d.to_dict() for d in self.directions],
            "resampling": self.resampling,
            "left_out": self.left_out.to_dict() if self.left_out else None,
        }

    def of(self, x: object, *, folds: bool = True, rho: float | None = None) -> Self:
        """The same with what x knows of where its numbers come from.

        Parameters
        ----------
        x : object
            What was tested: Differences, Blocks, or what was read from them; plain numbers have no
            direction.
        folds : bool
            Whether the correlation of folds enters the test.
        rho : float, optional
            The correlation that was used, where it is not x's own.

        Examples
        --------
        >>> import bayescmp as bc
        >>> from bayescmp.frequentist import corrected_t
        >>> x = bc.Differences([0.02, 0.03, 0.01], rho=0.2)
        >>> corrected_t(x).resampling
        'rho 0.2: as given'
        """
        known: dict[str, Any] = {}
        if isinstance(x, Described | Differences | Blocks):
            known = x.described(folds=folds)
            known.pop("metric", None)
        if folds and rho is not None:
            known["resampling"] = sentence(np.array([rho]))
        return replace(self, **known)
