"""Metadata of a dataclass field: dimensions of an array, bounds, whether it is saved."""

from __future__ import annotations

import math
from dataclasses import Field, dataclass
from typing import Any


@dataclass(frozen=True)
class About:
    """Facts about a field, in addition to its type.

    Attributes
    ----------
    dims : tuple of str or None
        Dimensions of an array, beyond chain and draw; empty for scalars and arrays of many shapes.
        None if the field is not passed to ArviZ, in `group`, under `name`.
    group, name : str
    least, over, below : float
        Numbers are at least the first, over the second, and below the third.
    among : tuple of str
        The words that text may be; empty if any may.
    variables : tuple of str
        Draws that a fit, or a mapping of draws, must have.
    gaps, saved : bool
        Whether a number may be NaN (unknown); whether the field is saved, or has a default.
    """

    dims: tuple[str, ...] | None = None
    group: str = "constant_data"
    name: str = ""
    least: float = -math.inf
    over: float = -math.inf
    below: float = math.inf
    among: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    gaps: bool = False
    saved: bool = True

    @property
    def bounds(self) -> str:
        """The bounds in words: "at least 0 and below 1"."""
        bounds = [f"at least {self.least:g}"] * math.isfinite(self.least)
        bounds += [f"over {self.over:g}"] * math.isfinite(self.over)
        bounds += [f"below {self.below:g}"] * math.isfinite(self.below)
        return " and ".join(bounds) or "finite"


def about(*dims: str, **facts: Any) -> dict[str, About]:
    """Return metadata for `dataclasses.field` that contain an `About`, with an array's dimensions.

    Examples
    --------
    >>> from dataclasses import dataclass, field, fields
    >>> import numpy as np
    >>> from bayescmp.base.fields import about, about_field
    >>> @dataclass
    ... class Folds:
    ...     rho: np.ndarray = field(metadata=about("dataset", least=0, below=1))
    >>> about_field(fields(Folds)[0]).bounds
    'at least 0 and below 1'
    """
    return {"about": About(dims=dims, **facts)}


def about_field(field: Field[Any]) -> About:
    """Return what is known of a field."""
    known: About = field.metadata.get("about", About())
    return known
