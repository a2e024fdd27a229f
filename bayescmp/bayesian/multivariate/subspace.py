"""The subspace in which errors vary: a root of their scatter, kept metrics and the map back.

Metrics may be linearly dependent (tp and fn of the same items) or constant, which leaves the
scatter matrix of the errors singular. All mass of a posterior then lies on a subspace. The closed
forms take a root B of the scatter, BBᵀ = S; samplers take an independent part of the metrics, from
which the others follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayescmp.errors import warn_user
from bayescmp.verdict import Ropes
from bayescmp.whitening import Whitening, describe, few_folds, whiten

__all__ = ["Steps", "Subspace"]


@dataclass(frozen=True, eq=False)
class Steps:
    """The metrics' resolutions, for those that do not vary.

    Attributes
    ----------
    size : ndarray of shape (p,)
        As declared, else the smallest step that was seen, else the rope's width.
    borrowed : ndarray of bool, shape (p,)
        Where it is the rope's width, for nothing tells.
    """

    size: np.ndarray
    borrowed: np.ndarray

    @classmethod
    def of(cls, declared: np.ndarray, seen: np.ndarray, ropes: Ropes) -> Steps:
        """Resolutions from what was declared and seen, each (p,) and NaN where unknown."""
        known = np.where(np.isnan(declared), seen, declared)
        borrowed = np.isnan(known)
        return cls(np.where(borrowed, ropes.high - ropes.low, known), borrowed)


@dataclass(frozen=True, eq=False)
class Subspace:
    """Where the errors of p metrics vary.

    Attributes
    ----------
    metrics : tuple of str
        The p metrics.
    residuals : ndarray of shape (N, p)
        The errors; zero in metrics that do not vary.
    steps : Steps
        Resolutions of the metrics.
    freedom : int
        Degrees of freedom of the errors.
    have : str
        Of how many numbers they are, in words.
    space : Whitening
        Of the residuals.
    constant, dependent : tuple of str
        Metrics that do not vary, and those that follow linearly from the ones before them.
    """

    metrics: tuple[str, ...]
    residuals: np.ndarray
    steps: Steps
    freedom: int
    have: str
    space: Whitening
    constant: tuple[str, ...]
    dependent: tuple[str, ...]

    @classmethod
    def of(
        cls,
        residuals: np.ndarray,
        largest: np.ndarray,
        metrics: Sequence[str],
        steps: Steps,
        *,
        freedom: int,
        have: str,
    ) -> Subspace:
        """The subspace of residuals.

        Parameters
        ----------
        residuals : ndarray of shape (N, p)
            Deviations from the model's means.
        largest : ndarray of shape (p,)
            Size of each metric, against which rounding is judged.
        metrics : sequence of str
            The p metrics.
        steps : Steps
            Resolutions of the metrics, for those that do not vary.
        freedom : int
            Degrees of freedom of the residuals.
        have : str
            Of how many numbers they are ("10 folds"), for messages.

        Raises
        ------
        InputError
            If there are more metrics than degrees of freedom: that residuals are dependent then
            says nothing of the metrics.

        Examples
        --------
        >>> import numpy as np
        >>> x = np.array([[0.1, 0.2, 3.0], [0.3, 0.6, 3.0], [-0.4, -0.8, 3.0], [0.2, 0.4, 3.0]])
        >>> space = Subspace.of(
        ...     x - x.mean(axis=0), np.abs(x).max(axis=0), ("a", "b", "c"),
        ...     Steps(np.full(3, 0.1), np.zeros(3, bool)), freedom=3, have="4 folds",
        ... )
        >>> space.constant, space.dependent, space.rank
        (('c',), ('b',), 2)
        """
        space = whiten(residuals, largest)
        if int(np.sum(~space.constant)) > int(space.rank) >= freedom:
            raise few_folds(residuals, freedom, metrics, have)
        residuals = np.where(space.constant, 0.0, residuals)
        constant, dependent = describe(residuals, space, metrics)
        return cls(tuple(metrics), residuals, steps, freedom, have, space, constant, dependent)

    @property
    def still(self) -> np.ndarray:
        """Places of the metrics that do not vary: their spread is that of rounding."""
        return np.flatnonzero(self.space.constant)

    @property
    def borrowed(self) -> tuple[int, ...]:
        """Places of those whose resolution is taken to be the rope's width."""
        return tuple(int(j) for j in self.still if self.steps.borrowed[j])

    @property
    def rank(self) -> int:
        """Dimension of the subspace, metrics with the spread of rounding included."""
        return int(self.space.rank) + len(self.still)

    @property
    def df(self) -> int:
        """Degrees of freedom of the posterior's t: those of the errors, less rank − 1.

        Raises
        ------
        InputError
            If there are more metrics than degrees of freedom.
        """
        if self.freedom < self.rank:
            raise few_folds(self.residuals, self.freedom, self.metrics, self.have)
        return self.freedom - max(self.rank, 1) + 1

    @property
    def kept(self) -> list[int]:
        """Places of the independent metrics that vary."""
        left_out = {*self.constant, *self.dependent}
        return [j for j, m in enumerate(self.metrics) if m not in left_out]

    @property
    def map_back(self) -> np.ndarray:
        """Errors of all metrics from those of the kept ones, shape (k, p)."""
        scaled = self.residuals / self.space.scale  # free of the metrics' units
        mapped = np.linalg.lstsq(scaled[:, self.kept], scaled, rcond=None)[0]
        return np.asarray(mapped * self.space.scale / self.space.scale[self.kept][:, None])

    @property
    def _varying(self) -> tuple[np.ndarray, np.ndarray]:
        """Orthonormal basis of the scaled residuals, (p, k), and their lengths along it, (k,)."""
        basis = self.space.basis[:, np.linalg.norm(self.space.basis, axis=0) > 0]
        return basis, np.linalg.norm((self.residuals / self.space.scale) @ basis, axis=0)

    @property
    def whitener(self) -> np.ndarray:
        """Map of the metrics, (p, k), to coordinates in which the residuals' scatter is I."""
        basis, lengths = self._varying
        return np.asarray(basis / lengths / self.space.scale[:, None])

    def root(self, roundings: float) -> np.ndarray:
        """B of shape (p, r) with BBᵀ the scatter matrix of the errors.

        Parameters
        ----------
        roundings : float
            How many errors of rounding, of variance h²/12 each, make up the scatter of a metric
            that does not vary.

        Returns
        -------
        ndarray of shape (p, r)
            First the columns of what varies, which bring the coordinates of `whitener` back.
        """
        basis, lengths = self._varying
        varying = self.space.scale[:, None] * basis * lengths
        rounding = np.zeros((len(self.metrics), len(self.still)))
        sizes = self.steps.size[self.still] * np.sqrt(roundings / 12)
        rounding[self.still, np.arange(len(self.still))] = sizes
        return np.hstack([varying, rounding])

    def rounding_draws(self, shape: tuple[int, ...], roundings: float, seed: int) -> np.ndarray:
        """Independent draws of the mean of metrics that do not vary, about what was observed.

        Parameters
        ----------
        shape : tuple of int
            Of the draws.
        roundings : float
            As for `root`, times the factor c of the variance of a mean.
        seed : int
            Of the draws.

        Returns
        -------
        ndarray of shape (*shape, p)
            Zero in the other metrics; t with the errors' degrees of freedom.
        """
        z = np.random.default_rng([seed, 7]).standard_t(self.freedom, (*shape, len(self.still)))
        sizes = self.steps.size[self.still] * np.sqrt(roundings / 12 / self.freedom)
        draws = np.zeros((*shape, len(self.metrics)))
        draws[..., self.still] = z * sizes
        return draws

    def warn_if_borrowed(self, still: str) -> None:
        """Warn the user of metrics that do not vary and have no resolution; see `notes`."""
        for j in self.borrowed:
            metric = self.metrics[j]
            warn_user(f"{still.format(metric=metric)}: {self._spread_of(metric)}")

    def notes(self, still: str) -> tuple[str, ...]:
        """What the reader of a result should know of dependent and constant metrics.

        Parameters
        ----------
        still : str
            What to say of a metric that does not vary; ``{metric}`` stands for its name.
        """
        notes = [f"{still.format(metric=m)}: {self._spread_of(m)}" for m in self.constant]
        if self.dependent:
            verb = (
                "is a linear combination"
                if len(self.dependent) == 1
                else ("are linear combinations")
            )
            of = _listed([self.metrics[j] for j in self.kept])
            notes.insert(0, f"{_listed(self.dependent)} {verb} of {of}")
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
                f"spread from the rope's width, {step}, because "
                "nothing indicates the metric's resolution; give resolution="
            )
        return f"spread from its resolution, {step}"


def _listed(names: Sequence[str]) -> str:
    *head, last = names
    return f"{', '.join(head)} and {last}" if head else last
