"""Posteriors, of one difference or of every pair: diagnostics, text, files, and verdicts."""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import stdtr

from bayescmp.base.arguments import must, must_be
from bayescmp.base.checks import (
    check_choice,
    each,
    number,
    positive,
    read_numbers,
    validate_params,
)
from bayescmp.base.fields import about
from bayescmp.base.files import check_writable
from bayescmp.base.records import Record
from bayescmp.base.typing import Json, Pair, PairVariation, Variation
from bayescmp.base.version import __version__, built_in
from bayescmp.engines.base import Fit
from bayescmp.errors import InputError, warn_user
from bayescmp.present.forms import Summarised, explain, write_full
from bayescmp.present.summary import summarise
from bayescmp.results import arviz
from bayescmp.results.diagnostics import Diagnostics
from bayescmp.results.limits import RopeLimits, find_limits
from bayescmp.results.plotted import Plotted
from bayescmp.results.regions import FOUR, THREE, Shape
from bayescmp.results.saving import arrays_for_arviz, pack_fields, write
from bayescmp.results.sensitivity import Fragility, PairsSensitivity, Sensitivity
from bayescmp.results.verdict import CLEAR, Verdict, check_threshold, frame_of
from bayescmp.scores.columns import UNNAMED
from bayescmp.scores.metrics import Direction, are_ratios
from bayescmp.scores.pairing import LeftOut
from bayescmp.scores.rope import (
    Rope,
    Ropes,
    RopesLike,
    as_rope,
    as_ropes,
)

if TYPE_CHECKING:
    from arviz import InferenceData
    from xarray import DataTree


# Facts about a test that do not depend on the data.


@dataclass(frozen=True, kw_only=True)
class Model(Record):
    """A Bayesian test, as data: its name, its source, and its plots.

    Words may name attributes of the posterior ``p``: "t with {p.df} degrees of freedom".

    Attributes
    ----------
    kind : str
        The name under which its posteriors are saved.
    method, reference : str
        What is fitted, in words ("" if that depends on the data), and who proposed it.
    quantity, target, target_unnamed : str
        What its probabilities are of; what its verdict is about, also for a data set without a
        name.
    prior : str
        The prior; "" if the test has none to state.
    rows : str
        The attribute with a row for each fold ("x") or data set ("datasets") seen, or "".
    shows : tuple of str
        Its other results: further plots ("simplex", "density", "shrinkage", "regions" of two
        metrics, with "folds" and an "ellipsoid"), or estimates for each of the "datasets".
    picture, picture_without_rope : str
        The function of `bayescmp.plots` that draws it, also if the region is empty.
    fixed : dict of str to str
        What a sensitivity analysis cannot vary, and why: questions as in `Sensitivity.frame`.
    dims : dict of str to tuple of str
        Dimensions, beyond chain and draw, of variables that are not fields.
    answer : type, optional
        The record of what the test finds, if its posteriors hold one.
    unplanned : str
        Why `plan` predicts nothing, and what to do instead, in sentences; "" if there is a plan.
    """

    kind: str
    method: str = ""
    reference: str = ""
    quantity: str = "mean difference"
    target: str = "a new {p.unit}"
    target_unnamed: str = ""
    prior: str = ""
    rows: str = ""
    shows: tuple[str, ...] = ()
    picture: str = ""
    picture_without_rope: str = ""
    fixed: Mapping[str, str] = field(default_factory=dict, hash=False)
    dims: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    answer: type | None = None
    unplanned: str = ""


M = TypeVar("M", bound=Model)


# Parts of every posterior: its engine, diagnostics and text; ArviZ and files.


#: Posteriors that have a plan, for all others.
INSTEAD = (
    "Plan more data sets with bayescmp.bayesian.hierarchical_t, signed_rank, sign or bootstrap, "
    "and more questions with bayescmp.compare of bayescmp.Items."
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Fitted(Record, Summarised, Plotted, ABC):
    """A fitted Bayesian model: what computed it, whether to trust it, how to save it.

    Attributes
    ----------
    names : tuple of str
    rope : Rope or Ropes
        Region of practical equivalence, one per metric if there are several.
    engine, engine_version : str
        What computed it.
    diagnostics : Diagnostics
        Whether it can be trusted.
    seed : int
        It gives the same numbers again on the same engine.
    metric, metrics : str, tuple of str
        What the scores measure, "" if not known; several that are compared at once.
    directions : tuple of Direction
        Which way each metric is better; empty for plain numbers.
    resampling : str
        The correlation of folds and its reason ("rho 0.1: 10 folds, 10 repeats"); "" without
        folds.
    pairing : str
        How scores were found to belong together, or not: "paired by fold".
    left_out : LeftOut or None
        What had no partner, if only common folds are compared.
    unit, subject, sample : str
        "data set" or "benchmark"; "algorithm" or "model"; "fold" or "question".
    notes : tuple of str
        What the reader of a result should know.
    model : Model
        What is known of the test itself: its name, source, plots.
    """

    names: tuple[str, ...]
    rope: Rope | Ropes
    engine: str
    engine_version: str
    diagnostics: Diagnostics
    seed: int = field(metadata=about(least=0))
    metric: str = ""
    metrics: tuple[str, ...] = ()
    directions: tuple[Direction, ...] = ()
    resampling: str = ""
    pairing: str = ""
    left_out: LeftOut | None = None
    unit: str = "data set"
    subject: str = "algorithm"
    sample: str = "fold"
    notes: tuple[str, ...] = ()

    model: Model

    #: The class for each model, by the name under which its posteriors are saved.
    kinds: ClassVar[dict[str, tuple[type[Fitted], Model]]] = {}

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        if "model" in vars(cls):
            cls.answering(vars(cls)["model"])

    @classmethod
    def answering(cls, model: M) -> M:
        """Declare, and return, a model that this class answers for, also when read from a file."""
        Fitted.kinds[model.kind] = cls, model
        return model

    @property
    def method(self) -> str:
        """The fitted model in words."""
        return self.model.method.format(p=self)

    @property
    def kind(self) -> str:
        """The name under which it is saved."""
        return self.model.kind

    @property
    def reference(self) -> str:
        """The model's authors."""
        return self.model.reference.format(p=self)

    @property
    def quantity(self) -> str:
        """The quantity of its probabilities."""
        return self.model.quantity

    @property
    def shows(self) -> tuple[str, ...]:
        """Its other results, as `Model` names them."""
        return self.model.shows

    @property
    def picture(self) -> str:  # type: ignore[override]
        """The function of `bayescmp.plots` that draws it."""
        return self.model.picture

    @property
    def fixed(self) -> Mapping[str, str]:
        """Questions that a sensitivity analysis cannot vary, each with the reason."""
        return {what: why.format(p=self) for what, why in self.model.fixed.items()}

    @property
    def measured(self) -> str:
        """The metric with its direction: "accuracy ↑", "tpr ↑, fpr ↓"; "" if not known."""
        return ", ".join(map(str, self.directions)) or self.metric

    @property
    def of_ratios(self) -> bool:
        """Whether the differences are those of logarithms."""
        return are_ratios(self.directions)

    @property
    def data_text(self) -> str:
        """The observed data: "10 folds", or "54 data sets"; "" if not known."""
        from bayescmp.summaries.fitted import count_rows

        return count_rows(self)

    @property
    def data_details(self) -> str:
        """The observed data with all that is known of them."""
        return self.data_text + (f" ({self._dataset})" if self._dataset else "")

    @property
    def own_draws(self) -> int:
        """Number of draws that the test made itself; 0 if there are none, or an engine's."""
        return 0

    @property
    def prior_text(self) -> str:
        """The prior in words; "" where the test has none to state."""
        return self.model.prior.format(p=self)

    @property
    def target(self) -> str:
        """The subject of the verdict."""
        named = self._dataset or not self.model.target_unnamed
        return (self.model.target if named else self.model.target_unnamed).format(p=self)

    @property
    def _dataset(self) -> str:
        """The only data set's name, if it was given one."""
        name: str = getattr(self, "dataset", "")
        return "" if name == UNNAMED else name

    @property
    def p(self) -> int:
        """Number of metrics that are compared at once; 0 for a single one."""
        return len(self.metrics)

    def ropes(self, rope: RopesLike | None = None) -> Ropes:
        """Return the posterior's own ROPEs, or those given (see `as_ropes`), one per metric."""
        if not self.metrics:
            return Ropes([self._region(rope)])
        own: Any = self.rope
        return Ropes(own) if rope is None else as_ropes(rope, self.metrics)

    def decide(
        self,
        p: Iterable[float],
        errors: Iterable[float],
        *,
        shape: Shape | None = None,
        **facts: Any,
    ) -> Verdict:
        """Make a verdict from regions' probabilities, with what this posterior knows of itself.

        `shape` has the regions, by default three, or four with several metrics; `facts` are a
        `Verdict`'s.
        """
        own = {
            "names": self.names,
            "method": ", ".join(text for text in (self.method, self.reference) if text),
            "target": self.target,
            "prior": self.prior_text,
            "quantity": self.quantity,
            **self.described(),
        }
        shape = shape or (FOUR if self.metrics else THREE)
        own |= {"metrics": self.metrics} if shape is FOUR else {}
        return Verdict.of(shape, p, errors, **{**own, **facts})

    def described(self) -> Json:
        """Return what a verdict keeps of its numbers' origin, as in `Differences.described`."""
        names = ("metric", "directions", "resampling", "pairing", "left_out", "unit")
        return {name: getattr(self, name) for name in names}

    @property
    def prior_bounds(self) -> Mapping[str, float]:
        """Bounds of the prior that were taken from the data; empty if none were."""
        return {}

    @property
    def computation(self) -> Json:
        """Return what computed it, as a posterior keeps it that is made of this one."""
        names = ("engine", "engine_version", "diagnostics", "seed")
        return {name: getattr(self, name) for name in names}

    @property
    def exact(self) -> bool:
        """Whether the posterior was computed, not sampled."""
        return self.diagnostics.exact

    @property
    @abstractmethod
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws of each variable, shape (chain, draw, ...), in units of the metric."""

    @property
    def is_centred(self) -> bool:
        """Whether the means of `summary` are of differences from the mean of all algorithms."""
        return False

    @abstractmethod
    def summary(self) -> pd.DataFrame:
        """Summarise the parameters' posteriors in a table."""

    def figure_size(self) -> tuple[float, float]:
        """Return the width and height, in inches, of the figure that `plot` needs."""
        if "simplex" in self.shows:
            return (3.4, 1.25) if self.rope.one_sided else (3.4, 3.4)
        return super().figure_size()

    # For ArviZ, and on disk.

    @property
    def labels(self) -> dict[str, object]:
        """Labels along dimensions of arrays that no field contains."""
        return {}

    def to_arviz(self) -> InferenceData | DataTree:
        """Return the posterior for ArviZ: an InferenceData, or a DataTree with ArviZ 1.x.

        Its method ``to_netcdf`` writes it to a file for programs that read netCDF.

        Groups "posterior", "sample_stats" (samplers) and "constant_data"; if the model has them
        also "log_likelihood" (of each data set, or fold or run of one), "log_prior", "prior",
        "observed_data" and "posterior_predictive".
        """
        groups, dims = arrays_for_arviz(self)
        groups["posterior"] = dict(self._posterior_group())
        return arviz.from_groups(
            {**groups, **self._predictive_groups()},
            coords=self._coordinates(),
            dims={**self.model.dims, **dims},
            attrs={
                "creation_library": "bayescmp",
                "creation_library_version": __version__,
                "inference_library": self.engine,
                "inference_library_version": self.engine_version,
                "test": self.kind,
            },
        )

    def _posterior_group(self) -> Mapping[str, np.ndarray]:
        """Return the draws that ArviZ is given."""
        return self.draws

    def _predictive_groups(self) -> dict[str, dict[str, np.ndarray]]:
        """Return groups that follow from the others and are not saved: likelihood, predictions."""
        return {}

    def _coordinates(self) -> dict[str, Any]:
        """Return the labels along dimensions of arrays, twice for dimensions of square arrays."""
        named = {
            "algorithm": self.names,
            "algorithm_": self.names,
            "opponent": self.names,
            "metric": self.metrics,
            "dataset": getattr(self, "datasets", ()),
        }
        return {dim: list(labels) for dim, labels in named.items() if labels} | self.labels

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the posterior to a file, to be read by `bayescmp.load`.

        The file is a zip file of arrays, in the format of ``numpy.savez_compressed``, and of
        "facts.json" with all other fields. For ArviZ, see `to_arviz`.

        Parameters
        ----------
        path : path-like
            The file, such as "posterior.npz"; an existing one is replaced, in whole or not at all.

        Raises
        ------
        InputError
            If the file cannot be written.

        See Also
        --------
        bayescmp.load : Reads it again.
        """
        path = check_writable("path", path)
        arrays: dict[str, np.ndarray] = {}
        facts = pack_fields(self, arrays, without=("model", "rope")) | {"rope": self.rope.ends}
        write(path, {"bayescmp": __version__, "test": self.kind, "posterior": facts}, arrays)

    @property
    def unplanned(self) -> str:
        """Why `plan` predicts nothing, and what to do instead; "" if there is a plan."""
        return self.model.unplanned.format(p=self)

    @property
    def has_plan(self) -> bool:
        """Whether `plan` can be called."""
        return type(self).plan is not Fitted.plan and not self.unplanned

    def plan(self, *args: Any, **options: Any) -> Any:
        """Refuse a plan, and state why there is none and what to do instead."""
        raise InputError(f"There is no plan for the {self.method}. {self.unplanned or INSTEAD}")

    def name_pair(self, first: str | None = None, second: str | None = None) -> Pair:
        """Return two of the algorithms by name, of which the only two need not be named."""
        if first is None and second is None and len(self.algorithms) == 2:
            return self.algorithms[0], self.algorithms[1]
        if first is None or second is None:
            missing = "first" if first is None else "second"
            raise must_be(missing, f"one of {', '.join(map(repr, self.algorithms))}", None)
        i, j = self._places(first, second)
        return self.algorithms[i], self.algorithms[j]

    # Every pair.

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The L algorithms."""
        return tuple(self.names)

    @property
    def pairs(self) -> list[Pair]:
        """All pairs (first, second), in the algorithms' order."""
        return list(combinations(self.algorithms, 2))

    def _place(self, name: str, argument: str | None = None) -> int:
        return self.algorithms.index(check_choice("algorithm", name, self.algorithms, argument))

    def _places(self, first: str, second: str) -> tuple[int, int]:
        """Find where two algorithms stand among all."""
        i, j = self._place(first, "first"), self._place(second, "second")
        if i == j:
            raise must("second", "differ from first", f"{second!r} for both")
        return i, j

    def _by_name(self, values: np.ndarray) -> dict[str, float]:
        return {name: float(value) for name, value in zip(self.algorithms, values, strict=True)}

    def _rank_table(self, values: np.ndarray) -> pd.DataFrame:
        index = pd.Index(self.algorithms, name="algorithm")
        columns = pd.Index(range(1, len(self.algorithms) + 1), name="rank")
        return pd.DataFrame(values, index=index, columns=columns)

    def verdicts(self, rope: Any = None, *, threshold: float = 0.95) -> dict[Pair, Verdict]:
        """Return the verdict on every pair (first, second), in the algorithms' order.

        Parameters
        ----------
        rope, threshold : optional
            Another region than the posterior's own; probability required for a decision.
        """
        asked = self._region(rope), check_threshold(threshold)
        if asked not in self._known_verdicts:
            self._known_verdicts[asked] = self._all_verdicts(*asked)
        return dict(self._known_verdicts[asked])

    @cached_property
    def _known_verdicts(self) -> dict[Any, dict[Pair, Verdict]]:
        """Verdicts that were computed, by region and threshold."""
        return {}

    @abstractmethod
    def _all_verdicts(self, rope: Any, threshold: float) -> dict[Pair, Verdict]:
        """Compute the verdicts for a region that `_region` has read."""

    def _region(self, rope: Any) -> Any:
        """Read the given ROPE, or the test's own; one per metric."""
        if self.metrics:
            return self.ropes(rope)
        return self.rope if rope is None else as_rope(rope)

    @property
    def frame(self) -> pd.DataFrame:
        """The verdicts as a table, one row per pair; `verdicts` takes another ROPE or threshold.

        first, second; ``p_``, ``se_`` (what decides) and, if there are several data sets,
        ``predictive_`` of each region; decision, most_probable, evidence.
        """
        return frame_of(self.verdicts().values())

    def pair_variations(
        self, *, datasets: bool = True, refit: bool = False
    ) -> Iterator[PairVariation]:
        """Yield all pairs' probabilities under other assumptions, as `Posterior.variations`.

        Yields
        ------
        question, setting, probabilities
            The last maps (first, second) to an array in the order of the verdict's regions.
        """
        yield from self._vary(datasets, refit)

    def _vary(self, datasets: bool, refit: bool) -> Iterator[Any]:
        """Yield what `pair_variations` yields; of two algorithms, what `variations` does."""
        yield from ()

    @validate_params(ropes=each(positive), thresholds=each(number()))
    def sensitivity(
        self,
        *,
        ropes: Sequence[float] = (0.5, 1.0, 2.0),
        thresholds: Sequence[float] = (0.9, 0.95, 0.99),
        threshold: float = 0.95,
        datasets: bool = True,
        refit: bool = False,
        progress: bool = False,
    ) -> Sensitivity | PairsSensitivity:
        """Show how every verdict changes under other assumptions.

        Other ropes, thresholds, priors and correlations of folds, and the absence of each data
        set.

        Parameters
        ----------
        ropes, thresholds : sequence of float
            Multiples of the ROPE; probabilities required for a decision.
        threshold : float
            The threshold of the decision itself.
        datasets : bool
            Whether to leave out data sets.
        refit : bool
            Samplers reweight their draws; a setting with unreliable weights (k-hat over 0.7)
            "needs a refit", which takes up to half a minute. On one data set it always gets one.
        progress : bool

        Returns
        -------
        Sensitivity, or PairsSensitivity of several algorithms
            With a frame, ``explain()`` and ``plot()``; of several also each pair's own, by names.
        """
        from bayescmp.study.sensitivity import sensitivity_of_any

        return sensitivity_of_any(
            self,
            ropes=ropes,
            thresholds=thresholds,
            threshold=threshold,
            datasets=datasets,
            refit=refit,
            progress=progress,
        )

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
        """Say what helps where a sampler failed."""
        return "more draws or a simpler model may help"

    def __repr__(self) -> str:
        return f"<{self.kind}: {summarise(self).headline}>"

    def full(self, **options: Any) -> str:
        """Write every table with all its rows, then what a paper would say."""
        return write_full(summarise(self, **options))


# Posteriors: draws or a density, their diagnostics, and their verdicts.


def name_closed_form() -> Json:
    """Return a posterior's facts about its computation in closed form."""
    return {
        "engine": "exact",
        "engine_version": built_in(),
        "diagnostics": Diagnostics(exact=True),
    }


def name_engine(fit: Fit, diagnostics: Diagnostics, seed: int) -> Json:
    """Return a posterior's facts about its computation by an engine."""
    return {
        "engine": fit.engine,
        "engine_version": fit.version,
        "diagnostics": diagnostics,
        "seed": seed,
    }


#: Chains, and draws in each, in which independent draws are returned, as a sampler's are.
CHAINS, DRAWS = 4, 2500


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Posterior(Fitted):
    """The posterior of a comparison of two algorithms.

    Attributes
    ----------
    names : (str, str)

    Examples
    --------
    >>> import os, tempfile
    >>> import bayescmp as bc
    >>> posterior = bc.bayesian.correlated_t([0.01, 0.03, 0.02, 0.02], rho=0.25, rope=0.01)
    >>> round(posterior.verdict(rope=0.02).p_rope, 1)
    0.5
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     posterior.save(os.path.join(folder, "posterior.npz"))
    ...     again = bc.load(os.path.join(folder, "posterior.npz"))
    >>> again.verdict() == posterior.verdict()
    True
    """

    names: tuple[str, str]
    rope: Any  # a Rope, or Ropes

    def _choose_picture(self, options: Json) -> tuple[str, object, Json]:
        return self._picture_of_metrics(options) if self.metrics else self._picture_of(options)

    def _picture_of_metrics(self, options: Json) -> tuple[str, object, Json]:
        """Choose one metric's density, if there is one; the regions of two; else the verdict."""
        if self.p == 1 and "density" in self.shows:
            return "plot_density", self, options
        if (self.p == 2 and not self.ropes().open) or "metrics" in options:
            return "plot_regions", self, options
        return "plot_verdict_bar", self.verdict(**options), {}

    def figure_size(self) -> tuple[float, float]:
        """Return width and height in inches: square for the regions of two metrics, else a bar."""
        if not self.metrics:
            return super().figure_size()
        return (3.4, 3.4) if self.p == 2 and not self.ropes().open else (3.4, 1.25)

    def _picture_of(self, options: Json) -> tuple[str, object, Json]:
        """Choose the test's own plot, or a different one if the region is empty or one-sided."""
        region = self._region(options.get("rope"))
        if self.model.picture_without_rope and region.empty:
            return self.model.picture_without_rope, self, options
        if self.picture == "plot_simplex" and region.one_sided:
            kept = {name: options.pop(name) for name in ("rope", "threshold") if name in options}
            return "plot_verdict_bar", self.verdict(**kept), options
        return self.picture, self, options

    def prior_facts(self) -> Json:
        """Return the prior as words and plain numbers, for JSON."""
        return {"text": self.prior_text}

    def verdict(self, rope: RopesLike | None = None, *, threshold: float = 0.95) -> Verdict:
        """Return the probabilities of the regions left of, in and right of the ROPE; never refit.

        Parameters
        ----------
        rope, threshold : optional
            Another region than the test's own; probability required for a decision.

        Without a ROPE its ``limits`` are those of `rope_limits`.
        """
        region, threshold = self._region(rope), check_threshold(threshold)
        verdict = self.verdict_without_limits(region, threshold=threshold)
        if isinstance(region, Ropes) or not region.empty:
            return verdict
        return replace(verdict, limits=self.rope_limits(threshold))

    def verdict_without_limits(
        self, rope: RopesLike | None = None, *, threshold: float = 0.95
    ) -> Verdict:
        """Return the verdict without ``limits``, and by a part of the draws if that is clear."""
        region, threshold = self._region(rope), check_threshold(threshold)
        verdict = self.fewer._decide_region(region, threshold)
        if self.fewer is self or verdict.is_clear:
            return verdict
        return self._decide_region(region, threshold)

    @property
    def fewer(self) -> Posterior:
        """The posterior with as many draws as a clear verdict needs, or itself."""
        return self

    def _decide_region(self, region: Any, threshold: float) -> Verdict:
        """Return the verdict by all draws."""
        return self.decide(**{"rope": region, **self._weigh_regions(region)}, threshold=threshold)

    def rope_limits(self, threshold: float = 0.95) -> RopeLimits:
        """Find which symmetric ROPEs would decide, and what; never refit.

        Parameters
        ----------
        threshold : float
            Probability at which a region is decided for.

        Returns
        -------
        RopeLimits
            ``leader``; ``better_up_to``, the largest half-width for which it is practically
            better, and ``equivalent_from``, the smallest for which the two are practically
            equivalent, in units of the metric. They are found by bisection, to 0.001 of the
            largest bound of the 95% interval. NaN where there is none.

        Raises
        ------
        InputError
            If several metrics are compared at once, each of which has its own ROPE.

        See Also
        --------
        rope_curve : The probabilities in between.

        Examples
        --------
        >>> import bayescmp as bc
        >>> posterior = bc.bayesian.correlated_t([0.02, 0.03, 0.03, 0.04], rho=0.25)
        >>> limits = posterior.rope_limits()
        >>> limits.leader, round(limits.better_up_to, 3), round(limits.equivalent_from, 3)
        ('second', 0.015, 0.045)
        """
        threshold = check_threshold(threshold)
        if self.metrics:
            raise InputError(
                f"Limits of a ROPE must be of one metric (got {', '.join(self.metrics)}). Compare "
                "by one of them at a time."
            )
        if threshold not in self._limits:
            self._limits[threshold] = find_limits(
                lambda r: self._weigh_enough(Rope(-r, r), threshold),
                self.names,
                self._largest_difference(),
                threshold,
            )
        return self._limits[threshold]

    @cached_property
    def _limits(self) -> dict[float, RopeLimits]:
        """Limits that were found, by threshold."""
        return {}

    def _weigh_enough(self, rope: Rope, threshold: float) -> tuple[np.ndarray, np.ndarray]:
        """Return what `_weigh_outcomes` does, by as many draws as a verdict takes."""
        p, errors = self.fewer._weigh_outcomes(rope)
        top = np.argmax(p)
        if self.fewer is self or abs(p[top] - threshold) > CLEAR * errors[top]:
            return p, errors
        return self._weigh_outcomes(rope)

    def _weigh_outcomes(self, rope: Rope) -> tuple[np.ndarray, np.ndarray]:
        """Return the probabilities that decide, and their errors, (3,) each."""
        parts = self._weigh_regions(rope)
        return parts["p"], parts["errors"]

    def _largest_difference(self) -> float:
        """Return the larger bound of the 95% interval, in size."""
        ((low, high),) = self._weigh_regions(self._region(None))["mean_interval"]
        return max(abs(low), abs(high))

    def _weigh_regions(self, rope: Any) -> Json:
        """Return p, errors, floor and so on of the regions of a ROPE, for `decide`."""
        raise NotImplementedError(f"a verdict of {self.kind}")

    def summary(self) -> pd.DataFrame:
        """Summarise what is estimated: mean, sd, median, central 95% interval.

        One row per parameter, in units of the metric; from samplers also effective sizes and
        r-hat.
        """
        return arviz.summary_frame(self._summary_rows(), self.measured)

    def _summary_rows(self) -> Mapping[str, Mapping[str, float]]:
        raise NotImplementedError(f"a summary of {self.kind}")

    def variations(self, *, datasets: bool = True, refit: bool = False) -> Iterator[Variation]:
        """Yield the regions' probabilities under other assumptions than the fit's.

        A sampler's draws are reweighted by Pareto-smoothed importance sampling (Vehtari, Simpson,
        Gelman, Yao & Gabry 2024, JMLR 25(72)), with a data set's own effects integrated out; k-hat
        is reported.

        Parameters
        ----------
        datasets : bool
            Whether to leave out each data set in turn, if there are several.
        refit : bool
            Whether a sampler fits again if k-hat is over 0.7; on one data set it always does.

        Yields
        ------
        question : str
            What is varied: "prior", "rho", "model", "without" or "runs".
        setting : str or Reweighted
            How, in words; of reweighted draws a record.
        probabilities : ndarray
            In the order of the verdict's regions.
        """
        yield from self._vary(datasets, refit)

    def pair_variations(
        self, *, datasets: bool = True, refit: bool = False
    ) -> Iterator[PairVariation]:
        """Yield what `variations` yields, under the names of the two algorithms."""
        for question, setting, p in self._vary(datasets, refit):
            yield question, setting, {self.names: p}

    def fragility(
        self, *, threshold: float = 0.95, most: int = 10, seconds: float = 10.0
    ) -> Fragility:
        """Find, by name, the smallest set without which the verdict would change.

        It is a set of data sets, of questions, of clusters or graded questions (bootstrap), or of
        one data set's folds or runs. The remaining data are fitted again (the hierarchical test by
        the built-in engine). If units are alike or few enough, every set is tried. Folds are
        sorted by their influence on Student's t, which proves that smaller sets change nothing.
        Otherwise sets grow by one unit, so that a size over two is an upper bound, and reported as
        one.

        Parameters
        ----------
        threshold : float
            Probability required for a decision.
        most, seconds : int, float
            At most so many are left out, and the search ends after this time.

        Returns
        -------
        Fragility
            With a frame, ``names``, and ``explain()``.

        Raises
        ------
        InputError
            For a test that needs a sampler to fit again, and for a pair of a larger model.

        References
        ----------
        Broderick, Giordano & Meager (2020), arXiv 2011.14999, for the question; sets are refitted
        here.
        """
        from bayescmp.study.fragility import fragility_of

        return fragility_of(self, threshold=threshold, most=most, seconds=seconds)

    def rope_curve(self, widths: ArrayLike | None = None) -> pd.DataFrame:
        """Return the probabilities of the regions as the ROPE widens; never refit.

        Parameters
        ----------
        widths : array_like, optional
            Half-widths of symmetric ROPEs, >= 0, or margins if one bound of the posterior's own is
            infinite; for several metrics, multiples of their ROPEs. By default 41 from 0 to three
            times its own, or to beyond the limits.

        One row per width: p_left, p_rope, p_right, and errors ``se_``; or those of the four
        regions.
        """
        if self.metrics:
            at = _factors(widths, self.ropes())
            return curve_of([self.verdict(self.ropes().scaled(f)) for f in at], at, "factor")
        at = _widths(self._widest_shown() if widths is None else widths)
        return curve_of(
            [self._decide_region(_at_width(self.rope, w), 0.95) for w in at], at, "rope"
        )

    def _widest_shown(self) -> np.ndarray:
        """Return half-widths to three times the own ROPE; without one, to beyond its limits."""
        if self.rope.size:
            return np.linspace(0, 3 * self.rope.size, 41)
        end = self.rope_limits().equivalent_from
        largest = self._largest_difference()
        return np.linspace(0, 1.25 * (largest if math.isnan(end) else max(end, largest)), 41)

    def _all_verdicts(self, rope: Any, threshold: float) -> dict[Pair, Verdict]:
        return {self.names: self.verdict(rope, threshold=threshold)}

    def explain(self, form: str = "short", *, threshold: float = 0.95) -> str:
        """Explain the verdict in sentences.

        Parameters
        ----------
        form : {"short", "paper"}
            A few sentences; or a results paragraph, a methods paragraph, and BibTeX entries.
        threshold : float
            Probability required for a decision.
        """
        return explain(summarise(self, threshold=threshold), form)

    def __repr__(self) -> str:
        failed = "" if self.diagnostics.ok else "; checks FAILED"
        return f"<{self.kind}: {summarise(self).headline}{failed}>"


def probabilities_of(posterior: Posterior) -> np.ndarray:
    """Return the regions' probabilities, in the order of the verdict's regions."""
    return np.array(list(posterior.verdict_without_limits().probabilities.values()))


def split_mass(left: ArrayLike, right: ArrayLike, rope: Rope) -> np.ndarray:
    """Split masses on a ROPE's sides, (..., 3); without a ROPE ties count half to each side."""
    below, above = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
    inside = np.maximum(1 - below - above, 0.0)
    if rope.empty:
        below, inside, above = below + inside / 2, np.zeros_like(inside), above + inside / 2
    # each region's masses stay together in memory: they are averaged and sorted by region
    return np.moveaxis(np.stack([below, inside, above]), 0, -1)


def split_student(df: ArrayLike, centre: ArrayLike, scale: ArrayLike, rope: Rope) -> np.ndarray:
    """Masses left of, in and right of a ROPE under Student's t: shape (..., 3)."""
    left = stdtr(df, np.subtract(rope.low, centre) / scale)
    right = stdtr(df, np.subtract(centre, rope.high) / scale)
    return split_mass(left, right, rope)


def curve_of(verdicts: Sequence[Verdict], at: Iterable[float], name: str) -> pd.DataFrame:
    """Tabulate p_ and se_ of the regions under several ROPEs, `at` values of the index `name`."""
    table = {
        f"{column}_{region}": [getattr(v, part)[region] for v in verdicts]
        for column, part in (("p", "probabilities"), ("se", "errors"))
        for region in verdicts[0].probabilities
    }
    return pd.DataFrame(table, index=pd.Index(at, name=name))


def _at_width(rope: Rope, width: float) -> Rope:
    """Make a ROPE of that half-width, one-sided if the given one is."""
    return Rope(*(e if np.isinf(e) else s * width for e, s in ((rope.low, -1), (rope.high, 1))))


def _factors(widths: ArrayLike | None, ropes: Ropes) -> np.ndarray:
    """Check multiples of several ropes."""
    if all(rope.empty for rope in ropes):
        raise InputError(
            "The posterior must have a ROPE in at least one metric, which can be widened (got "
            "none)."
        )
    accepted = "multiples of the ropes, >= 0"
    given = np.linspace(0, 3, 41) if widths is None else widths
    return _check_sizes(read_numbers(given, "widths", accepted), widths, accepted)


def _widths(widths: ArrayLike) -> np.ndarray:
    """Check half-widths of a ROPE curve, or margins of a one-sided ROPE."""
    try:
        values = np.asarray(widths, dtype=float)
    except (TypeError, ValueError, OverflowError):
        values = np.array([np.nan])
    return _check_sizes(values, widths, "half-widths >= 0, one or several")


def _check_sizes(values: np.ndarray, widths: object, accepted: str) -> np.ndarray:
    """Refuse an empty array, and numbers that are negative or not finite."""
    sizes = np.atleast_1d(values)
    if sizes.ndim != 1 or not len(sizes) or not np.all((sizes >= 0) & np.isfinite(sizes)):
        raise must_be("widths", accepted, widths)
    return sizes


def all_probabilities(posterior: Fitted, rope: Any = None) -> dict[Pair, np.ndarray]:
    """Return the regions' probabilities of every pair, in the order of the verdicts' regions."""
    return {
        pair: np.array(list(verdict.probabilities.values()))
        for pair, verdict in posterior.verdicts(rope).items()
    }
