"""The combination of metrics in which two algorithms differ most, with its posterior.

Among all weighted sums wᵀx of the metrics' differences the one whose mean is largest in units of
the folds' standard deviation, (wᵀμ)² / wᵀΣw, is w ∝ Σ⁻¹μ (Fisher's discriminant); its mean then is
the Mahalanobis length √(μᵀΣ⁻¹μ). Both depend on (μ, Σ) alone, so each draw of these from the joint
posterior gives a draw of the direction and of the separation. wᵀμ = μᵀΣ⁻¹μ > 0: a direction always
points to where the second algorithm is better, and draws can be averaged without a choice of sign.
Weights are those of standardised metrics and scaled to length one, so that neither units nor the
size of the separation matter. The length of the mean of the draws tells how sure the direction is:
1 if all draws agree, near 0 if it is anyone's guess, as it is where the two hardly differ. Metrics
that do not vary have no part in it: a difference without spread is not measured in spreads.

Draws are made in coordinates in which the scatter matrix S is the identity, on the subspace where
it has full rank r: Σ⁻¹ | D ~ Wishart_r(n − 1, (1 − rho) S⁻¹) by Bartlett's decomposition, and
μ | Σ, D ~ N(D̄, Σ (1 + (n − 1) rho)/n). Integrating Σ out gives t_{n−r}(D̄, c·S/(n − r)).

References
----------
Fisher (1936), Annals of Eugenics 7:179-188; Anderson (2003), An Introduction to Multivariate
Statistical Analysis, section 7.2 (Bartlett's decomposition) and 7.7 (the posterior).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bayescmp.bayesian.regions.elliptical import MultivariateT
from bayescmp.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Direction", "direction_of", "wishart_roots"]


@dataclass(frozen=True, eq=False)
class Direction:
    """Posterior of the direction that separates two algorithms most.

    Attributes
    ----------
    metrics : tuple of str
        The metrics.
    weights : ndarray of shape (p,)
        The direction at the posterior's centre, S⁻¹D̄ (Hotelling's), of standardised metrics, of
        length one; positive weights favour the second algorithm.
    draws : ndarray of shape (draws, p)
        Draws of the weights, each of length one.
    separation : ndarray of shape (draws,)
        √(μᵀΣ⁻¹μ): how many standard deviations of a fold the two are apart along the direction.
    sd : ndarray of shape (p,)
        Standard deviations of the folds' differences, by which metrics are standardised.
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
        """One row per metric: weight, mean of its draws, central 95 % interval, P(weight > 0)."""
        import pandas as pd

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
        """The combination in words, of standardised metrics: ``0.73·tpr − 0.68·fpr``.

        See Also
        --------
        bayescmp.frequentist.hotelling_paired

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import multivariate_t
        >>> x = np.array([[0.03, 0.01], [0.02, 0.03], [0.04, 0.02], [0.03, 0.03], [0.05, 0.02]])
        >>> posterior = multivariate_t(x, rho=0.2, rope=0.01, metrics=["tpr", "auc"], seed=1)
        >>> posterior.direction().formula()
        '0.73·tpr + 0.69·auc'
        """
        terms = [
            f"{'−' if w < 0 else '+'} {abs(w):.2f}·{m}"
            for w, m in zip(self.weights, self.metrics, strict=True)
        ]
        return (
            " ".join(terms).removeprefix("+ ").replace("− ", "−", 1 if terms[0][0] == "−" else 0)
        )

    def __str__(self) -> str:
        low, mid, high = np.quantile(self.separation, [0.025, 0.5, 0.975])
        return (
            f"direction   {self.formula()} (standardised, better is positive)\n"
            f"separation  {mid:.3g} sd of a fold ({low:.3g} to {high:.3g})\n"
            f"certainty   {self.concentration:.2f} of 1\n"
            f"{self.frame.to_string(float_format='%.3f')}"
        )

    __repr__ = __str__


def direction_of(
    posterior: MultivariateT,
    *,
    n: int,
    rho: float,
    metrics: tuple[str, ...],
    seed: int,
    draws: int,
) -> Direction:
    """Draws of Σ⁻¹μ, scaled to length one, and of √(μᵀΣ⁻¹μ).

    Parameters
    ----------
    posterior : MultivariateT
        Of μ, in closed form: t_{n−r}(D̄, c·S/(n − r)).
    n : int
        Folds.
    rho : float
        Correlation of two folds' differences.
    metrics : tuple of str
        The p metrics.
    seed, draws : int
        Of the draws, and how many.

    Returns
    -------
    Direction

    Raises
    ------
    InputError
        If no metric varies.
    """
    r = posterior.rank
    if r == 0:
        raise InputError("the differences do not vary in any metric: there is no direction")
    degrees = posterior.df + r - 1
    inflation = 1 / n + rho / (1 - rho)
    root = posterior.factor * np.sqrt(posterior.df / inflation)  # S = root·rootᵀ
    sd = np.sqrt(np.sum(root**2, axis=1) / degrees)
    unit = np.where(sd > 0, sd, 1.0)
    # To coordinates where S = I, and weights back to those of standardised metrics.
    inverse = np.linalg.pinv(root / unit[:, None])
    centre = inverse @ (posterior.location / unit)
    precision_root = wishart_roots(degrees, r, draws, seed) * np.sqrt(1 - rho)
    spread = np.sqrt((1 + (n - 1) * rho) / n)
    rng = np.random.default_rng([seed, 1])
    # Λ = TTᵀ; μ = centre + spread·T⁻ᵀz, so Λμ = T(Tᵀcentre + spread·z) and μᵀΛμ = |Tᵀcentre + …|²
    y = np.einsum("dij,i->dj", precision_root, centre) + spread * rng.standard_normal((draws, r))
    weights = np.einsum("dij,dj->di", precision_root, y) @ inverse
    lengths = np.linalg.norm(y, axis=1)
    return Direction(metrics, _unit((centre @ inverse)[None])[0], _unit(weights), lengths, sd)


def wishart_roots(df: float, r: int, draws: int, seed: int) -> np.ndarray:
    """Lower triangular T with TTᵀ ~ Wishart_r(df, I), by Bartlett: shape (draws, r, r)."""
    rng = np.random.default_rng([seed, 0])
    T = np.tril(rng.standard_normal((draws, r, r)), -1)
    T[:, np.arange(r), np.arange(r)] = np.sqrt(rng.chisquare(df - np.arange(r), (draws, r)))
    return T


def _unit(w: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(w, axis=-1, keepdims=True)
    return np.asarray(w / np.where(length > 0, length, 1.0))
