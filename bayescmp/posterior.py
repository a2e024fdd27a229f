"""Posterior: draws or a density, its diagnostics, and what follows from them."""

from __future__ import annotations

import json
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bayescmp import _arviz, _html
from bayescmp.checks import seed_of
from bayescmp.diagnostics import Diagnostics
from bayescmp.errors import DiagnosticWarning, InputError
from bayescmp.verdict import Rope, Verdict

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Posterior", "seed_of", "summarise", "whole"]


@dataclass(frozen=True, eq=False)
class Posterior(ABC):
    """What a Bayesian comparison found.

    Attributes
    ----------
    names : (str, str)
        The first and the second algorithm.
    rope : Rope
        Region of practical equivalence that `verdict` uses unless told otherwise.
    engine, engine_version : str
        What computed it.
    diagnostics : Diagnostics
        Whether it can be trusted.
    seed : int
        Seed that gives the same numbers again on the same engine.
    metric : str
        What the scores measure; "" if not known.
    notes : tuple of str
        What the reader of a result should know.
    """

    _: KW_ONLY
    names: tuple[str, str]
    rope: Rope
    engine: str
    engine_version: str
    diagnostics: Diagnostics
    seed: int
    metric: str = ""
    notes: tuple[str, ...] = ()

    #: What was fitted, in words; the name under which a saved posterior finds its class.
    method: ClassVar[str] = ""
    kind: ClassVar[str] = ""
    kinds: ClassVar[dict[str, type[Posterior]]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.kind:
            Posterior.kinds[cls.kind] = cls

    @property
    def exact(self) -> bool:
        """Whether the posterior was computed, not sampled."""
        return self.diagnostics.exact

    @property
    @abstractmethod
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws of each variable, shape (chain, draw, ...), in units of the metric."""

    @abstractmethod
    def verdict(self, rope: Any = None, *, threshold: float = 0.95) -> Verdict:
        """Probabilities of the regions; never refits."""

    def rope_curve(self, widths: Any = None) -> pd.DataFrame:
        """Probabilities of the regions as the rope widens; never refits.

        Parameters
        ----------
        widths : array_like, optional
            Half-widths of symmetric ropes, >= 0; if not given, 41 from 0 to three times the
            posterior's own.

        Returns
        -------
        DataFrame
            One row a width: p_left, p_rope, p_right, and their errors se_left, se_rope, se_right.

        Raises
        ------
        InputError
            If a width is negative or not finite, or none is given and the posterior has no rope.
        """
        import pandas as pd

        found = [self.verdict(w) for w in _widths(widths, self.rope)]
        table = {
            f"{column}_{region}": [getattr(v, part)[region] for v in found]
            for column, part in (("p", "probabilities"), ("se", "errors"))
            for region in found[0].probabilities
        }
        return pd.DataFrame(table, index=pd.Index([v.rope.high for v in found], name="rope"))

    @abstractmethod
    def summary(self) -> pd.DataFrame:
        """Table of the parameters' posteriors."""

    @abstractmethod
    def plot(self, *, ax: Any = None, **options: Any) -> Any:
        """The plot that shows this posterior best."""

    @abstractmethod
    def _groups(self) -> dict[str, dict[str, np.ndarray]]:
        """Groups for ArviZ: "posterior", and what else is known."""

    @abstractmethod
    def _coords(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Coordinates, and the dimensions of each variable."""

    def _attributes(self) -> dict[str, Any]:
        """What besides the arrays makes this posterior, as JSON can hold it."""
        d = self.diagnostics
        return {
            "names": self.names, "rope": self.rope.ends, "engine": self.engine,
            "engine_version": self.engine_version, "seed": self.seed, "metric": self.metric,
            "notes": self.notes, "diagnostics": {**d.__dict__},
        }  # fmt: skip

    @classmethod
    @abstractmethod
    def _restore(cls, common: dict[str, Any], more: dict[str, Any], groups: Any) -> Posterior:
        """The inverse of `_groups` and `_attributes`."""

    def to_arviz(self) -> Any:
        """The posterior for ArviZ: an InferenceData, or a DataTree with ArviZ 1.x.

        Returns
        -------
        InferenceData or DataTree
            Groups "posterior", "sample_stats" (samplers) and "constant_data", with the data sets'
            names as coordinates.
        """
        from bayescmp._version import __version__

        coords, dims = self._coords()
        attrs = {"bayescmp": json.dumps(self._attributes()), "bayescmp_kind": self.kind,
                 "bayescmp_version": __version__}  # fmt: skip
        return _arviz.from_groups(self._groups(), coords=coords, dims=dims, attrs=attrs)

    def save(self, path: Any) -> None:
        """Write to netCDF, to be read by `load` or by ArviZ.

        Parameters
        ----------
        path : path-like
            The file; an existing one is overwritten.

        Raises
        ------
        InputError
            If the file can't be written.
        """
        try:
            _arviz.write(self.to_arviz(), Path(path))
        except OSError as error:
            raise InputError(f"cannot write {str(path)!r}: {error}") from error

    def _warn(self, stacklevel: int = 4) -> None:
        """Say aloud what is wrong, once, after the fit."""
        if not self.diagnostics.ok:
            advice = "" if self.exact else (
                "; the built-in engine (engine='quadrature') needs no sampler"
                if self.kind == "hierarchical_t" else "; more draws or a simpler model may help"
            )  # fmt: skip
            warnings.warn(
                f"{self.method} of {self.names[0]} and {self.names[1]}: "
                f"{'; '.join(self.diagnostics.messages)}{advice}",
                DiagnosticWarning,
                stacklevel=stacklevel,
            )

    def __str__(self) -> str:
        return "\n".join([self._title(), str(self.verdict()), *self._footer()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        facts = {"engine": f"{self.engine} ({self.engine_version}), seed {self.seed}",
                 "diagnostics": self.diagnostics, "notes": "; ".join(self.notes)}  # fmt: skip
        return _html.titled(self._title().splitlines()[0], self._found_html(), _html.facts(facts))

    def _found_html(self) -> str:
        """What was found, between the title and the facts."""
        return self.verdict()._repr_html_()

    def _title(self) -> str:
        of = f" on {self.metric}" if self.metric else ""
        first, second = self.names
        return f"{self.method}: {first} (left) vs {second} (right){of}, rope {self.rope}"

    def _footer(self) -> list[str]:
        lines = [f"engine       {self.engine} ({self.engine_version}), seed {self.seed}",
                 f"diagnostics  {self.diagnostics}"]  # fmt: skip
        return lines + [f"note         {note}" for note in self.notes]


def _widths(widths: Any, rope: Rope) -> np.ndarray:
    """Half-widths of a rope curve, checked."""
    if widths is None:
        if rope.empty:
            raise InputError("widths is missing: the posterior has no rope to take a scale from")
        return np.linspace(0, 3 * max(rope.high, -rope.low), 41)
    try:
        found = np.atleast_1d(np.asarray(widths, dtype=float))
    except (TypeError, ValueError):
        found = np.array([np.nan])
    if found.ndim != 1 or not len(found) or not np.all((found >= 0) & np.isfinite(found)):
        raise InputError(f"widths={widths!r}; accepted: half-widths >= 0, one or several")
    return found


def summarise(draws: np.ndarray) -> dict[str, float]:
    """Mean, sd, median and central 95 % interval of draws of shape (chain, draw)."""
    low, mid, high = np.quantile(draws, [0.025, 0.5, 0.975])
    return {"mean": float(draws.mean()), "sd": float(draws.std(ddof=1)), "median": float(mid),
            "2.5%": float(low), "97.5%": float(high)}  # fmt: skip


def whole(value: Any, name: str, *, at_least: int) -> int:
    """A whole number that is large enough.

    Raises
    ------
    InputError
        For anything else.
    """
    try:
        found = None if isinstance(value, bool) else int(value)
    except (TypeError, ValueError, OverflowError):
        found = None
    if found is None or found != value or found < at_least:
        raise InputError(f"{name}={value!r}; accepted: a whole number of at least {at_least}")
    return found
