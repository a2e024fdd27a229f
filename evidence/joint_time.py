"""How long does the joint test take, and how well does it sample everything that it reports?

``python joint_time.py 8x14 pystan 1000 1000``: algorithms x data sets, engine, warm-up and draws
of each of four chains, on the first study of ``joint_best.py``. Seconds are those of the fit and
of its chains' processes on the CPU, whatever else the machine does.
"""

from __future__ import annotations

import resource
import sys
import time
import warnings

import numpy as np
from joint_best import RHO, ROPE, study

from bayescmp import DiagnosticWarning
from bayescmp.bayesian import JointPosterior, joint_t
from bayescmp.results.arviz import ess, rhat


def reported(posterior: JointPosterior) -> dict[str, np.ndarray]:
    """What the test reports, (chain, draw, ...): effects, nu, scales of pairs, ranks, P(best)."""
    S = posterior.Sigma0
    a, b = np.triu_indices(S.shape[-1], 1)
    shape, following = posterior.nu.shape, posterior.standing("next")
    return {
        "effects on average": posterior.mu,
        "effects on data sets": posterior.u,
        "nu": posterior.nu,
        "log scales of pairs": np.log(S[..., a, a] + S[..., b, b] - 2 * S[..., a, b]),
        "ranks on average": posterior.standing("average").rank.reshape(*shape, -1),
        "ranks on the next data set": following.rank.reshape(*shape, -1),
        "P(best) on the next data set": following.best.reshape(*shape, -1),
    }


def worst(draws: np.ndarray) -> tuple[float, float]:
    """Smallest effective sample size and largest r-hat of all elements."""
    flat = draws.reshape(*draws.shape[:2], -1)
    elements = [flat[..., k] for k in range(flat.shape[-1]) if np.ptp(flat[..., k]) > 0]
    return min(map(ess, elements)), max(map(rhat, elements))


if __name__ == "__main__":
    warnings.simplefilter("ignore", DiagnosticWarning)  # what they would say is printed
    L, q = map(int, sys.argv[1].split("x"))
    engine, warmup, draws = sys.argv[2], *map(int, sys.argv[3:])
    x, _ = study(L, q, 0.02, 0)
    before = time.process_time()
    posterior = joint_t(x, rho=RHO, rope=ROPE, engine=engine, warmup=warmup, draws=draws, seed=1)
    seconds = time.process_time() - before + resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    again = ", a second run included" if posterior.diagnostics.refitted else ""
    print(f"{seconds:.1f} s of the CPU{again}")  # noqa: T201
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000:.0f} MB")  # noqa: T201
    for name, values in reported(posterior).items():
        print(f"  {name}: ess {worst(values)[0]:.0f}, r-hat {worst(values)[1]:.4f}")  # noqa: T201
