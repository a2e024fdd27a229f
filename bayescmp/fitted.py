"""What every posterior has: its engine, diagnostics and text; ArviZ and files."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import KW_ONLY, asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bayescmp import _arviz, _html
from bayescmp._version import __version__
from bayescmp.diagnostics import Diagnostics
from bayescmp.errors import warn_user
from bayescmp.files import check_writable
from bayescmp.left_out import LeftOut
from bayescmp.metrics import Direction
from bayescmp.text import fact
from bayescmp.verdict import Rope, Ropes, rope_from_ends

if TYPE_CHECKING:
    import os

    import pandas as pd
    from arviz import InferenceData
    from matplotlib.axes import Axes
    from xarray import DataTree

    from bayescmp.typing import Coordinates, Groups, Json

__all__ = ["Fitted"]


@dataclass(frozen=True, eq=False)
class Fitted(ABC):
    """A fitted Bayesian model: what computed it, whether to trust it, how to save it.

    Attributes
    ----------
    names : tuple of str
        The algorithms.
    rope : Rope or Ropes
        Region of practical equivalence that is used where no other is given; one per metric where
        there are several.
    engine, engine_version : str
        What computed it.
    diagnostics : Diagnostics
        Whether it can be trusted.
    seed : int
        Seed that gives the same numbers again on the same engine.
    metric : str
        What the scores measure; "" if not known.
    directions : tuple of Direction
        Which way each metric is better; empty for plain numbers.
    resampling : str
        The correlation of folds and its reason ("rho 0.1: 10 folds, 10 repeats"); empty where no
        folds enter.
    left_out : LeftOut or None
        What had no partner, where only common folds are compared.
    unit : str
        What there may be several of: "data set", or "benchmark".
    subject, sample : str
        What is compared ("algorithm", or "model"), and what is scored there ("fold", or "item").
    notes : tuple of str
        What the reader of a result should know.
    """

    _: KW_ONLY
    names: tuple[str, ...]
    rope: Rope | Ropes
    engine: str
    engine_version: str
    diagnostics: Diagnostics
    seed: int
    metric: str = ""
    directions: tuple[Direction, ...] = ()
    resampling: str = ""
    left_out: LeftOut | None = None
    unit: str = "data set"
    subject: str = "algorithm"
    sample: str = "fold"
    notes: tuple[str, ...] = ()

    #: What was fitted, in words; the name under which a saved posterior finds its class.
    method: ClassVar[str] = ""
    kind: ClassVar[str] = ""
    kinds: ClassVar[dict[str, type[Fitted]]] = {}
    #: Arrays without which a saved one can't be restored: their names, group by group.
    stored: ClassVar[dict[str, tuple[str, ...]]] = {}
    #: What it can show: a plot beside its own ("simplex", "density", "shrinkage", "regions" of two
    #: metrics, with its "folds" and an "ellipsoid"), or what it makes of each of the "datasets".
    shows: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        if cls.kind:
            Fitted.kinds[cls.kind] = cls

    @property
    def measured(self) -> str:
        """The metric with its direction: "accuracy ↑", "tpr ↑, fpr ↓"; "" if not known."""
        return ", ".join(map(str, self.directions)) or self.metric

    @property
    def data_text(self) -> str:
        """What was observed, in words; "" where it is not known."""
        return ""

    def described(self) -> dict[str, Any]:
        """What a verdict keeps of where its numbers come from, as in `Differences.described`.

        Examples
        --------
        >>> import bayescmp as bc
        >>> posterior = bc.bayesian.correlated_t([0.01, 0.03, 0.02], rho=0.1, rope=0.01)
        >>> posterior.described()["resampling"]
        'rho 0.1: as given'
        """
        return {
            "metric": self.metric,
            "directions": self.directions,
            "resampling": self.resampling,
            "left_out": self.left_out,
            "unit": self.unit,
        }

    @property
    def prior_bounds(self) -> Mapping[str, float]:
        """Bounds of the prior that were taken from the data; empty where none was."""
        return {}

    @property
    def exact(self) -> bool:
        """Whether the posterior was computed, not sampled."""
        return self.diagnostics.exact

    @property
    @abstractmethod
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws of each variable, shape (chain, draw, ...), in units of the metric."""

    @abstractmethod
    def summary(self) -> pd.DataFrame:
        """Table of the parameters' posteriors."""

    @abstractmethod
    def plot(self, *, ax: Axes | None = None, **options: object) -> Axes:
        """The plot that shows this posterior best."""

    def figure_size(self) -> tuple[float, float]:
        """Width and height, in inches, of the figure that `plot` needs."""
        return (3.4, 3.4) if "simplex" in self.shows else (3.4, 2.3)

    # -- for ArviZ, and on disk ----------------------------------------------------------------

    @abstractmethod
    def _groups(self) -> dict[str, dict[str, np.ndarray]]:
        """Groups for ArviZ: "posterior", and what else is known."""

    @abstractmethod
    def _coords(self) -> Coordinates:
        """Coordinates, and the dimensions of each variable."""

    def _attributes(self) -> Json:
        """What besides the arrays makes this posterior, as JSON can hold it."""
        return {
            "names": self.names,
            "rope": self.rope.ends,
            "engine": self.engine,
            "engine_version": self.engine_version,
            "seed": self.seed,
            "metric": self.metric,
            "directions": [asdict(d) for d in self.directions],
            "resampling": self.resampling,
            "left_out": None if self.left_out is None else self.left_out.to_dict(),
            "unit": self.unit,
            "subject": self.subject,
            "sample": self.sample,
            "notes": self.notes,
            "diagnostics": asdict(self.diagnostics),
        }

    @classmethod
    @abstractmethod
    def _restore(cls, common: Json, more: Json, groups: Groups) -> Fitted:
        """The inverse of `_groups` and `_attributes`."""

    @staticmethod
    def restore(kind: str, attributes: Json, groups: Groups) -> Fitted:
        """A posterior from what `to_arviz` wrote: its kind, its attributes, the groups."""
        more = dict(attributes)
        left_out = more.pop("left_out", None)
        common = {
            **{k: more.pop(k) for k in ("engine", "engine_version", "seed", "metric")},
            **{k: tuple(more.pop(k)) for k in ("names", "notes")},
            "rope": rope_from_ends(more.pop("rope")),
            "directions": tuple(Direction(**d) for d in more.pop("directions", ())),
            "resampling": more.pop("resampling", ""),
            "unit": more.pop("unit", "data set"),
            "subject": more.pop("subject", "algorithm"),
            "sample": more.pop("sample", "fold"),
            "left_out": None if left_out is None else LeftOut.from_dict(left_out),
        }
        diagnostics = dict(more.pop("diagnostics"))
        for texts in {"messages", "misfit"} & set(diagnostics):  # earlier versions had no misfit
            diagnostics[texts] = tuple(diagnostics[texts])
        common["diagnostics"] = Diagnostics(**diagnostics)
        return Fitted.kinds[kind]._restore(common, more, groups)

    def to_arviz(self) -> InferenceData | DataTree:
        """The posterior for ArviZ: an InferenceData, or a DataTree with ArviZ 1.x.

        Returns
        -------
        InferenceData or DataTree
            Groups "posterior", "sample_stats" (samplers) and "constant_data", with the data sets'
            names as coordinates; where the model has them also "log_likelihood" (of each data set,
            or of each fold or run of one), "log_prior", "prior", "observed_data" and
            "posterior_predictive".

        Examples
        --------
        >>> import bayescmp as bc
        >>> posterior = bc.bayesian.correlated_t([0.01, 0.03, 0.02], rho=0.1, rope=0.01)
        >>> posterior.to_arviz()["posterior"]["delta"].shape
        (4, 2500)
        """
        return self._for_arviz({**self._groups(), **self._predictive_groups()})

    def _predictive_groups(self) -> dict[str, dict[str, np.ndarray]]:
        """Groups that follow from the others, and are not saved: likelihood, predictions."""
        return {}

    def _for_arviz(self, groups: dict[str, dict[str, np.ndarray]]) -> InferenceData | DataTree:
        coords, dims = self._coords()
        attrs = {
            "bayescmp": json.dumps(self._attributes()),
            "bayescmp_kind": self.kind,
            "bayescmp_version": __version__,
        }
        return _arviz.from_groups(groups, coords=coords, dims=dims, attrs=attrs)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write to netCDF, to be read by `load` or by ArviZ.

        Parameters
        ----------
        path : path-like
            The file; an existing one is replaced, in whole or not at all.

        Raises
        ------
        InputError
            If the file can't be written.

        See Also
        --------
        bayescmp.load : Reads it again.

        Examples
        --------
        >>> import os, tempfile
        >>> import bayescmp as bc
        >>> posterior = bc.bayesian.correlated_t([0.01, 0.03, 0.02], rho=0.1, rope=0.01)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     posterior.save(os.path.join(folder, "posterior.nc"))
        ...     again = bc.load(os.path.join(folder, "posterior.nc"))
        >>> again.verdict() == posterior.verdict()
        True
        """
        _arviz.write(self._for_arviz(self._groups()), check_writable("path", path))

    # -- in words ------------------------------------------------------------------------------

    def warn_if_doubtful(self) -> None:
        """Warn the user of diagnostics that failed, once, after the fit."""
        if self.diagnostics.ok:
            return
        advice = "" if self.exact else f"; {self._advice()}"
        warn_user(
            f"{self.method} of {' and '.join(self.names)}: "
            f"{'; '.join(self.diagnostics.messages)}{advice}"
        )

    def _advice(self) -> str:
        """What helps where a sampler failed."""
        return "more draws or a simpler model may help"

    @abstractmethod
    def _title(self) -> str:
        """What was compared, on the first lines."""

    def heading(self) -> str:
        """What was compared, in the first lines of its text."""
        return self._title()

    def footer(self) -> list[str]:
        """Engine, diagnostics and notes, the last lines of its text."""
        return self._footer()

    def _footer(self) -> list[str]:
        facts = [
            ("resampling", self.resampling),
            ("engine", f"{self.engine} ({self.engine_version}), seed {self.seed}"),
            ("diagnostics", str(self.diagnostics)),
            ("left out", f"{self.left_out.counts}, {self.left_out.why}" if self.left_out else ""),
            *(("note", note) for note in self.notes),
        ]
        return [fact(name, value) for name, value in facts if value]

    @abstractmethod
    def _result_text(self) -> str:
        """What was found, between the title and the footer."""

    @abstractmethod
    def _result_html(self) -> str:
        """What was found, between the title and the facts."""

    def __str__(self) -> str:
        return "\n".join([self._title(), self._result_text(), *self._footer()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        facts = {
            "resampling": self.resampling,
            "engine": f"{self.engine} ({self.engine_version}), seed {self.seed}",
            "diagnostics": self.diagnostics,
            "left out": self.left_out.counts if self.left_out else "",
            "notes": "; ".join(self.notes),
        }
        return _html.titled(self._title().splitlines()[0], self._result_html(), _html.facts(facts))
