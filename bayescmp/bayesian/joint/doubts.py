"""When probabilities of being best, by the joint model, are too high."""

from __future__ import annotations

import numpy as np

__all__ = ["FEW", "TOO_SURE", "too_sure"]

#: Of what is compared, and on what.
TOO_SURE = (
    "the {}s differ on average by less than the {}s do, and these are few: in simulated studies "
    "of that kind probabilities of being best were too high"
)
#: Up to this many data sets it was seen.
FEW = 20


def too_sure(mu: np.ndarray, Sigma0: np.ndarray, datasets: int) -> bool:
    """Whether P(best) is likely to be too high.

    In simulated studies it was, where algorithms differed on average by less than data sets do,
    and data sets were few: no prior is calibrated at each size of the differences. Of two
    algorithms the test is the pairwise one, in which none is the luckiest of many.

    Parameters
    ----------
    mu : ndarray of shape (D, L)
        Draws of the effects on average.
    Sigma0 : ndarray of shape (D, L, L)
        Draws of how data sets differ.
    datasets : int
    """
    L = mu.shape[-1]
    if L == 2 or datasets > FEW:
        return False
    spread = np.trace(Sigma0, axis1=1, axis2=2) - Sigma0.sum(axis=(1, 2)) / L  # of contrasts
    return bool(np.median(mu.var(axis=1) * L / spread) < 1)
