"""How many more data sets would decide a verdict, by a formula in place of a simulation."""

from __future__ import annotations

import math
from statistics import NormalDist

from bayescmp.verdict import Verdict

__all__ = ["MOST", "further_datasets"]

#: Times the data sets at hand beyond which no number is given.
MOST = 20


def further_datasets(verdict: Verdict, datasets: int) -> int | None:
    """How many more data sets would decide, if they were like those at hand.

    The distance from the mean to where another outcome would be the most probable stays, and its
    standard error shrinks with the root of the number of data sets. A probability p = Φ(z) of the
    likeliest outcome thus becomes Φ(z·√(m/q)) with m of them in place of q, which reaches the
    threshold t at m = q·(Φ⁻¹(t)/z)².

    Parameters
    ----------
    verdict : Verdict
        That is undecided.
    datasets : int
        That it rests on, q.

    Returns
    -------
    int or None
        None where the likeliest outcome has no probability over one half, or would need more than
        twenty times as many data sets.

    References
    ----------
    The sample size of a z test whose estimate stays: Cohen 1988, sec. 12.8.

    See Also
    --------
    bayescmp.plan : Simulates future data sets, and gives chances instead of one number.

    Examples
    --------
    >>> import bayescmp as bc
    >>> from bayescmp.planning.extrapolation import further_datasets
    >>> means = [0.02, 0.03, 0.00, 0.02, 0.03]
    >>> verdict = bc.bayesian.sign(means, rope=0.01, seed=1).verdict()
    >>> further_datasets(verdict, 5)
    13
    """
    p = max(verdict.probabilities.values())
    if not 0.5 < p < 1 or verdict.threshold >= 1:
        return None
    normal = NormalDist()
    needed = datasets * (normal.inv_cdf(verdict.threshold) / normal.inv_cdf(p)) ** 2
    return math.ceil(needed) - datasets if needed <= MOST * datasets else None
