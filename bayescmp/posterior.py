"""Posteriors: draws or a density, their diagnostics, and what follows from them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.errors import InputError
from bayescmp.fitted import Fitted
from bayescmp.verdict import Rope, Verdict

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.sensitivity import Sensitivity
    from bayescmp.typing import Json, Variation
    from bayescmp.verdict.rope import RopesLike

__all__ = ["CHAINS", "DRAWS", "Posterior", "curve_of", "probabilities_of"]

#: Chains, and draws in each, in which independent draws are returned, as a sampler's are.
CHAINS, DRAWS = 4, 2500


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(Fitted):
    """The posterior of a comparison of two algorithms.

    Attributes
    ----------
    names : (str, str)
        The first and the second algorithm.
    """

    _: KW_ONLY
    names: tuple[str, str]
    rope: Rope

    #: What a sensitivity analysis can't vary, and why: questions as in `Sensitivity.frame`.
    fixed: ClassVar[Mapping[str, str]] = {}

    @property
    def prior_text(self) -> str:
        """The prior in words; "" where the test has none to state."""
        return ""

    def prior_facts(self) -> Json:
        """The prior as words and plain numbers, for JSON."""
        return {"text": self.prior_text}

    @abstractmethod
    def verdict(self, rope: RopesLike | None = None, *, threshold: float = 0.95) -> Verdict:
        """Probabilities of the regions; never refits."""

    def variations(self, *, datasets: bool = True, refit: bool = False) -> Iterator[Variation]:
        """The regions' probabilities under other assumptions than the fit's.

        Parameters
        ----------
        datasets : bool
            Whether to leave out each data set in turn, where there are several.
        refit : bool
            Whether a sampler fits again where its reweighted draws can't be relied on.

        Yields
        ------
        question, setting : str
            What is varied ("prior", "rho", "model", "without", "runs"), and how, in words.
        probabilities : ndarray
            In the order of the verdict's regions.

        See Also
        --------
        Posterior.sensitivity : Puts them in a table, with other ropes and thresholds.

        Examples
        --------
        >>> import bayescmp as bc
        >>> posterior = bc.bayesian.correlated_t([0.01, 0.03, 0.02, 0.02], rho=0.25, rope=0.01)
        >>> [(question, setting) for question, setting, _ in posterior.variations()]
        [('rho', '0'), ('rho', '0.5')]
        """
        yield from ()

    def sensitivity(
        self,
        *,
        ropes: Sequence[float] = (0.5, 1.0, 2.0),
        thresholds: Sequence[float] = (0.9, 0.95, 0.99),
        threshold: float = 0.95,
        datasets: bool = True,
        refit: bool = False,
        progress: bool = False,
    ) -> Sensitivity:
        """How the verdict changes under other assumptions.

        Other priors and correlations of folds, where the test has any, and without each data set
        in turn, where there are several; other ropes and thresholds.

        Parameters
        ----------
        ropes : sequence of float
            Multiples of the rope.
        thresholds : sequence of float
            Probabilities at which a region is decided for.
        threshold : float
            The threshold of the decision itself.
        datasets : bool
            Whether to leave out data sets.
        refit : bool
            Samplers reweight their draws; a setting whose weights can't be relied on (k-hat over
            0.7) "needs a refit". Whether it gets one, by the same engine, which takes up to half a
            minute. On one data set, where it takes a second or two, it gets one in any case.
        progress : bool
            Whether to show a progress bar.

        Returns
        -------
        Sensitivity
            With a frame, ``explain()`` and ``plot()``.

        See Also
        --------
        bayescmp.plots.plot_sensitivity : Draws it.

        Examples
        --------
        >>> import bayescmp as bc
        >>> posterior = bc.bayesian.correlated_t([0.01, 0.03, 0.02, 0.02], rho=0.25, rope=0.01)
        >>> posterior.sensitivity().frame["question"].unique().tolist()
        ['fit', 'rho', 'rope', 'threshold']
        """
        from bayescmp.sensitivity import sensitivity_of_any

        return sensitivity_of_any(
            self,
            ropes=ropes,
            thresholds=thresholds,
            threshold=threshold,
            datasets=datasets,
            refit=refit,
            progress=progress,
        )

    def rope_curve(self, widths: ArrayLike | None = None) -> pd.DataFrame:
        """Probabilities of the regions as the rope widens; never refits.

        Parameters
        ----------
        widths : array_like, optional
            Half-widths of symmetric ropes, >= 0; if not given, 41 from 0 to three times the
            posterior's own.

        Returns
        -------
        DataFrame
            One row per width: p_left, p_rope, p_right, and their errors se_left, se_rope,
            se_right.

        Raises
        ------
        InputError
            If a width is negative or not finite, or none is given and the posterior has no rope.

        See Also
        --------
        bayescmp.plots.plot_rope_curve : Draws it.

        Examples
        --------
        >>> import bayescmp as bc
        >>> posterior = bc.bayesian.correlated_t([0.01, 0.03, 0.02, 0.02], rho=0.25, rope=0.01)
        >>> posterior.rope_curve([0, 0.01, 0.02])["p_rope"].round(2).tolist()
        [0.0, 0.1, 0.5]
        """
        at = _widths(widths, self.rope)
        return curve_of([self.verdict(w) for w in at], at, "rope")

    def _title(self) -> str:
        of = f" on {self.measured}" if self.measured else ""
        first, second = self.names
        return f"{self.method}: {first} (left) vs {second} (right){of}, rope {self.rope}"

    def _result_text(self) -> str:
        return str(self.verdict())

    def _result_html(self) -> str:
        return self.verdict()._repr_html_()


def probabilities_of(posterior: Posterior) -> np.ndarray:
    """The regions' probabilities, in the order of the verdict's regions."""
    return np.array(list(posterior.verdict().probabilities.values()))


def curve_of(verdicts: Sequence[Verdict], at: Iterable[float], name: str) -> pd.DataFrame:
    """Table of verdicts under several ropes: p_ and se_ of each region.

    Parameters
    ----------
    verdicts : sequence of Verdict
        Of the same regions.
    at : iterable of float
        What each belongs to: the index.
    name : str
        Name of the index.
    """
    import pandas as pd

    table = {
        f"{column}_{region}": [getattr(v, part)[region] for v in verdicts]
        for column, part in (("p", "probabilities"), ("se", "errors"))
        for region in verdicts[0].probabilities
    }
    return pd.DataFrame(table, index=pd.Index(at, name=name))


def _widths(widths: ArrayLike | None, rope: Rope) -> np.ndarray:
    """Half-widths of a rope curve, checked."""
    if widths is None:
        if rope.empty:
            raise InputError("widths is missing: the posterior has no rope to take a scale from")
        return np.linspace(0, 3 * max(rope.high, -rope.low), 41)
    try:
        values = np.atleast_1d(np.asarray(widths, dtype=float))
    except (TypeError, ValueError):
        values = np.array([np.nan])
    if values.ndim != 1 or not len(values) or not np.all((values >= 0) & np.isfinite(values)):
        raise InputError(f"widths={widths!r}; accepted: half-widths >= 0, one or several")
    return values
