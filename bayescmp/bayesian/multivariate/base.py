"""Several metrics on one data set: their subspace, directions, and what posteriors share.

Metrics may be linearly dependent (tp and fn of the same items) or constant: all mass of a
posterior then lies on a subspace. Closed forms take a root B of the singular scatter, BBᵀ = S;
samplers take an independent part of the metrics, from which the others follow.

The direction is the combination of metrics in which two algorithms differ most. Among all weighted
sums wᵀx the one whose mean is largest in units of the folds' standard deviation, (wᵀμ)²/wᵀΣw, is w
∝ Σ⁻¹μ (Fisher's discriminant); its mean then is the Mahalanobis length √(μᵀΣ⁻¹μ). Each draw of (μ,
Σ) gives a draw of both. As wᵀμ > 0, a direction always points to where the second algorithm is
better. Weights are for standardised metrics and scaled to length one. The length of the draws'
mean shows how certain the direction is: 1 if all agree, near 0 if the two hardly differ. Metrics
that do not vary have no part in it.

Draws are made in coordinates in which S is the identity, on the subspace where it has full rank r:
Σ⁻¹ | D ~ Wishart_r(n − 1, (1 − rho) S⁻¹) by Bartlett's decomposition, and μ | Σ, D ~ N(D̄, Σ (1 +
(n − 1) rho)/n). Integrating Σ out gives t_{n−r}(D̄, c·S/(n − r)).

References
----------
Fisher (1936), Annals of Eugenics 7:179-188; Anderson (2003), An Introduction to Multivariate
Statistical Analysis, section 7.2 (Bartlett's decomposition) and 7.7 (the posterior).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayescmp.base import checks
from bayescmp.base.arguments import either, must, must_be
from bayescmp.base.checks import check_choice
from bayescmp.base.records import Record
from bayescmp.base.typing import Json
from bayescmp.base.whitening import Whitening, describe, few_folds, whiten
from bayescmp.bayesian.regions import MultivariateT
from bayescmp.bayesian.sampling import wishart_roots
from bayescmp.errors import warn_user
from bayescmp.present.forms import Summarised
from bayescmp.present.summary import Cells, Column, Summary, summarise
from bayescmp.results.posterior import Fitted
from bayescmp.scores.resampling import inflation
from bayescmp.scores.rope import Ropes
from bayescmp.wording.markup import named_rows
from bayescmp.wording.text import join_items, write_number

# The subspace in which errors vary: a root of their scatter, kept metrics and the map back.


@dataclass(frozen=True, eq=False)
class MetricSteps:
    """Resolutions (p,) of constant metrics: declared, seen, or the ROPE's width (`borrowed`)."""

    size: np.ndarray
    borrowed: np.ndarray

    @classmethod
    def from_resolutions(cls, declared: np.ndarray, seen: np.ndarray, ropes: Ropes) -> MetricSteps:
        """Find resolutions from declared and seen steps, each (p,) and NaN where unknown."""
        known = np.where(np.isnan(declared), seen, declared)
        borrowed = np.isnan(known)
        return cls(np.where(borrowed, ropes.width, known), borrowed)


@dataclass(frozen=True, eq=False)
class ErrorSubspace:
    """The subspace in which the errors of p metrics vary.

    `residuals` (N, p), zero in metrics that do not vary, have `freedom` degrees of freedom; `have`
    states their number ("10 folds"). `constant` metrics do not vary, `still` is the sentence about
    them (``{metric}``); `dependent` ones follow linearly from the ones before.
    """

    metrics: tuple[str, ...]
    residuals: np.ndarray
    steps: MetricSteps
    freedom: int
    have: str
    still: str
    space: Whitening
    constant: tuple[str, ...]
    dependent: tuple[str, ...]

    @classmethod
    def from_residuals(
        cls,
        residuals: np.ndarray,
        largest: np.ndarray,
        metrics: Sequence[str],
        steps: MetricSteps,
        *,
        freedom: int,
        have: str,
        still: str,
    ) -> ErrorSubspace:
        """Find the subspace of residuals (N, p), the deviations from the model's means.

        `largest` (p,) is the size of each metric, against which rounding is judged; `steps` are
        for those that do not vary. More metrics than degrees of freedom are refused.
        """
        space = whiten(residuals, largest)
        if int(np.sum(~space.constant)) > int(space.rank) >= freedom:
            raise few_folds(residuals, freedom, metrics, have)
        residuals = np.where(space.constant, 0.0, residuals)
        constant, dependent = describe(residuals, space, metrics)
        names = tuple(metrics)
        return cls(names, residuals, steps, freedom, have, still, space, constant, dependent)

    @property
    def constant_places(self) -> np.ndarray:
        """Places of the metrics that do not vary: their spread is the spread of rounding."""
        return np.flatnonzero(self.space.constant)

    @property
    def borrowed(self) -> tuple[int, ...]:
        """Places of those whose resolution is taken to be the ROPE's width."""
        return tuple(int(j) for j in self.constant_places if self.steps.borrowed[j])

    @property
    def rank(self) -> int:
        """Dimension of the subspace, metrics with the spread of rounding included."""
        return int(self.space.rank) + len(self.constant_places)

    @property
    def df(self) -> int:
        """Degrees of freedom of the posterior's t: those of the errors, minus rank − 1."""
        if self.freedom < self.rank:
            raise few_folds(self.residuals, self.freedom, self.metrics, self.have)
        return self.freedom - max(self.rank, 1) + 1

    @property
    def kept_places(self) -> list[int]:
        """Places of the independent metrics that vary."""
        left_out = {*self.constant, *self.dependent}
        return [j for j, m in enumerate(self.metrics) if m not in left_out]

    @property
    def map_back(self) -> np.ndarray:
        """Errors of all metrics from those of the kept ones, shape (k, p)."""
        scaled = self.residuals / self.space.scale  # free of the metrics' units
        mapped = np.linalg.lstsq(scaled[:, self.kept_places], scaled, rcond=None)[0]
        return np.asarray(mapped * self.space.scale / self.space.scale[self.kept_places][:, None])

    @property
    def _varying_basis(self) -> tuple[np.ndarray, np.ndarray]:
        """Orthonormal basis of the scaled residuals, (p, k), and their lengths along it, (k,)."""
        basis = self.space.basis[:, np.linalg.norm(self.space.basis, axis=0) > 0]
        return basis, np.linalg.norm((self.residuals / self.space.scale) @ basis, axis=0)

    @property
    def whitener(self) -> np.ndarray:
        """Map of the metrics, (p, k), to coordinates in which the residuals' scatter is I."""
        basis, lengths = self._varying_basis
        return np.asarray(basis / lengths / self.space.scale[:, None])

    def root(self, roundings: float) -> np.ndarray:
        """Return a root B, (p, r), of the errors' scatter; constant metrics have roundings'."""
        basis, lengths = self._varying_basis
        varying = self.space.scale[:, None] * basis * lengths
        rounding = np.zeros((len(self.metrics), len(self.constant_places)))
        sizes = self.steps.size[self.constant_places] * np.sqrt(roundings / 12)
        rounding[self.constant_places, np.arange(len(self.constant_places))] = sizes
        return np.hstack([varying, rounding])

    def rounding_draws(self, shape: tuple[int, ...], roundings: float, seed: int) -> np.ndarray:
        """Draw the means of constant metrics about those observed: (*shape, p)."""
        z = np.random.default_rng([seed, 7]).standard_t(
            self.freedom, (*shape, len(self.constant_places))
        )
        sizes = self.steps.size[self.constant_places] * np.sqrt(roundings / 12 / self.freedom)
        draws = np.zeros((*shape, len(self.metrics)))
        draws[..., self.constant_places] = z * sizes
        return draws

    def warn_if_borrowed(self) -> None:
        """Warn the user of metrics that do not vary and have no resolution; see `notes`."""
        for j in self.borrowed:
            metric = self.metrics[j]
            warn_user(f"{self.still.format(metric=metric)}: {self._spread_of(metric)}")

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for readers of a result on dependent and constant metrics."""
        notes = [f"{self.still.format(metric=m)}: {self._spread_of(m)}" for m in self.constant]
        if self.dependent:
            one = len(self.dependent) == 1
            verb = "is a linear combination" if one else "are linear combinations"
            kept = join_items([self.metrics[j] for j in self.kept_places])
            notes.insert(0, f"{join_items(self.dependent)} {verb} of {kept}")
        if self.rank < len(self.metrics):
            notes.append(
                f"the posterior lies on a subspace of dimension {self.rank} of "
                f"{len(self.metrics)} metrics; verdicts are over all of them"
            )
        return tuple(notes)

    def _spread_of(self, metric: str) -> str:
        place = self.metrics.index(metric)
        step = f"h = {self.steps.size[place]:.3g}"
        if place in self.borrowed:
            return (
                f"spread from the ROPE's width, {step}, because "
                f"nothing indicates the metric's resolution; give {either('resolution=')}"
            )
        return f"spread from its resolution, {step}"


# The combination of metrics in which two algorithms differ most, with its posterior.


@dataclass(frozen=True, eq=False, repr=False)
class SeparatingDirection(Record, Summarised):
    """Posterior of the direction that separates two algorithms most.

    `weights` (p,) are the direction at the centre, S⁻¹D̄ (Hotelling's), of standardised metrics,
    of length one; positive weights favour the second algorithm. `draws` (draws, p) are draws of
    them, `separation` (draws,) of √(μᵀΣ⁻¹μ), in standard deviations of a fold; `sd` (p,) are the
    standard deviations of the folds' differences.
    """

    metrics: tuple[str, ...]
    weights: np.ndarray
    draws: np.ndarray
    separation: np.ndarray
    sd: np.ndarray

    @property
    def raw_weights(self) -> np.ndarray:
        """Weights of the metrics in their own units; 0 for those that don't vary."""
        return np.divide(self.weights, self.sd, out=np.zeros_like(self.sd), where=self.sd > 0)

    @property
    def concentration(self) -> float:
        """Length of the mean of the draws, 0 (anyone's guess) to 1 (certain)."""
        return float(np.linalg.norm(self.draws.mean(axis=0)))

    @property
    def frame(self) -> pd.DataFrame:
        """One row per metric: weight, mean of its draws, central 95% interval, P(weight > 0)."""
        low, high = np.quantile(self.draws, [0.025, 0.975], axis=0)
        table = {
            "weight": self.weights,
            "mean": self.draws.mean(axis=0),
            "2.5%": low,
            "97.5%": high,
            "p_positive": (self.draws > 0).mean(axis=0),
        }
        return pd.DataFrame(table, index=pd.Index(self.metrics, name="metric"))

    def formula(self) -> str:
        """Return the combination in words, of standardised metrics: ``0.73·tpr − 0.68·fpr``."""
        (weight, metric), *rest = zip(self.weights, self.metrics, strict=True)
        first = f"{write_number(weight, '.2f')}·{metric}"
        return " ".join([first, *(f"{'−' if w < 0 else '+'} {abs(w):.2f}·{m}" for w, m in rest)])


@summarise.register
def _summarise_separating_direction(direction: SeparatingDirection) -> Summary:
    low, mid, high = np.quantile(direction.separation, [0.025, 0.5, 0.975])
    return Summary(
        f"Direction {direction.formula()}",
        named_rows(direction.frame, "metric"),
        {"p_positive": Column(Cells.PROBABILITY)},
        label="direction",
        facts={
            "separation": f"{mid:.3g} sd of a fold (95% CrI {low:.3g} to {high:.3g})",
            "certainty": f"{direction.concentration:.2f} of 1",
        },
        setting="standardised, better is positive",
    )


def direction_of(
    posterior: MultivariateT,
    *,
    n: int,
    rho: float,
    metrics: tuple[str, ...],
    seed: int,
    draws: int,
) -> SeparatingDirection:
    """Draw Σ⁻¹μ, scaled to length one, and √(μᵀΣ⁻¹μ), from the closed form for n folds."""
    r = posterior.rank
    if r == 0:
        raise must(
            "x", "vary in at least one metric, for a direction", "equal differences in all metrics"
        )
    degrees = posterior.df + r - 1
    root = posterior.factor * np.sqrt(posterior.df / inflation(n, rho))  # S = root·rootᵀ
    sd = np.sqrt(np.sum(root**2, axis=1) / degrees)
    unit = np.where(sd > 0, sd, 1.0)
    # To coordinates where S = I, and weights back to those of standardised metrics.
    inverse = np.linalg.pinv(root / unit[:, None])
    centre = inverse @ (posterior.location / unit)
    own, rng = (np.random.default_rng([seed, stream]) for stream in (0, 1))
    precision_root = wishart_roots(own, degrees, r, (draws,)) * np.sqrt(1 - rho)
    spread = np.sqrt((1 + (n - 1) * rho) / n)
    # Λ = TTᵀ; μ = centre + spread·T⁻ᵀz, so Λμ = T(Tᵀcentre + spread·z) and μᵀΛμ = |Tᵀcentre + …|²
    y = np.einsum("dij,i->dj", precision_root, centre) + spread * rng.standard_normal((draws, r))
    weights = np.einsum("dij,dj->di", precision_root, y) @ inverse
    lengths = np.linalg.norm(y, axis=1)
    return SeparatingDirection(
        metrics, _unit((centre @ inverse)[None])[0], _unit(weights), lengths, sd
    )


def _unit(w: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(w, axis=-1, keepdims=True)
    return np.asarray(w / np.where(length > 0, length, 1.0))


# Facts from posteriors on one data set; metrics by name, and weights of them.


def find_columns(metrics: Sequence[str] | str, known: Sequence[str]) -> list[int]:
    """Find the places of metrics among those known; at least one is needed."""
    names = checks.as_names(metrics, "metrics")
    if not names:
        raise must(
            "metrics", "name at least one", "none", f"Known: {', '.join(map(repr, known))}."
        )
    for name in names:
        check_choice("metric", name, known, "metrics")
    return [known.index(m) for m in names]


def name_chosen(posterior: Fitted, columns: Sequence[int]) -> Json:
    """Return the names and ROPEs of some of a posterior's metrics, as a posterior keeps them."""
    names, ropes = posterior.metrics, posterior.ropes()
    chosen = tuple(names[j] for j in columns)
    return {
        "metrics": chosen,
        "metric": ", ".join(chosen),
        "rope": Ropes(ropes[j] for j in columns),
    }


def as_matrix(name: str, values: ArrayLike, p: int, dimensions: int) -> np.ndarray:
    """Check weights of the metrics, and return them in shape (k, p)."""
    accepted = f"finite weights, {p} in a row, one per metric"
    M = checks.read_numbers(values, name, accepted)
    if M.ndim not in (1, dimensions) or M.shape[-1] != p or not np.all(np.isfinite(M)):
        raise must_be(name, accepted, M)
    return np.atleast_2d(M)


def as_names(metrics: Sequence[str] | None, k: int) -> tuple[str, ...]:
    """Check names of k new metrics; "m1", "m2", ... if not given."""
    own = [f"m{j + 1}" for j in range(k)]
    names = tuple(own if metrics is None else checks.as_names(metrics, "metrics"))
    if len(names) != k or len(set(names)) < k:
        raise must_be("metrics", f"{k} different names, one per row", metrics)
    return names


def lend_spread(posterior: Any, ropes: Ropes) -> Any:
    """Return the posterior with these ROPEs, whose widths may lend metrics a spread."""
    own = posterior.ropes()
    places = [j for j in posterior.borrowed if own[j] != ropes[j]]
    if not places:
        return posterior
    factor = posterior.factor.copy()
    for j in places:
        if not own[j].width:
            raise must(
                "rope",
                "be 0 in a metric without spread, as in the fit, which had no resolution",
                str(ropes[j]),
                "Fit again with that rope, or with resolution=.",
            )
        factor[j] *= ropes[j].width / own[j].width
    return replace(posterior, factor=factor, rope=ropes)
