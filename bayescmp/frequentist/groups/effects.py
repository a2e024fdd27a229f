"""Partial η² from an F ratio, with the interval of the noncentral F distribution."""

from __future__ import annotations

from functools import partial

from scipy import optimize, stats

from bayescmp.frequentist.paired.effects import EffectSize

__all__ = ["explained"]


def explained(
    squares: tuple[float, float], df: tuple[float, float], f: float, rho: float = 0.0
) -> EffectSize:
    """Partial η² of the algorithms in an analysis of variance.

    Parameters
    ----------
    squares, df : (float, float)
        Sums of squares and degrees of freedom of the algorithms and of the error.
    f : float
        F, corrected for the correlation of folds.
    rho : float
        That correlation; the error of one score is SS_error/(1 - ρ).

    Returns
    -------
    EffectSize
    """
    effect, error = squares[0], squares[1] / (1 - rho)
    whole = effect + error
    # F·df times this is SS_algorithm over SS_error/(1 - ρ)
    unit = effect / error / (f * df[0]) if error > 0 and f > 0 else 0.0
    return EffectSize(
        "partial η²",
        effect / whole if whole > 0 else 0.0,
        int(df[0] + df[1]) + 1,
        partial(_interval, f, *df, unit),
    )


def _interval(f: float, df1: float, df2: float, unit: float, level: float) -> tuple[float, float]:
    """Ends at which F is a tail quantile of the noncentral F distribution."""
    if unit == 0:
        return (1.0, 1.0) if f > 0 else (0.0, 0.0)
    ends = (_noncentrality(f, df1, df2, share) for share in ((1 + level) / 2, (1 - level) / 2))
    low, high = (shift * unit / (1 + shift * unit) for shift in ends)
    return low, high


def _noncentrality(f: float, df1: float, df2: float, share: float) -> float:
    """λ at which P(F ≤ f) is the share, 0 where none is."""

    def gap(shift: float) -> float:
        return float(stats.ncf.cdf(f, df1, df2, shift)) - share

    if gap(0.0) <= 0:
        return 0.0
    high = max(1.0, 2 * f * df1)
    while gap(high) > 0:
        high *= 2
    return float(optimize.brentq(gap, 0.0, high, xtol=1e-10))
