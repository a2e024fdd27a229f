"""How many more data sets, or folds, until the verdict is decided?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bayescmp import checks
from bayescmp.bayesian.hierarchical.grid import grid_probabilities
from bayescmp.bayesian.hierarchical.prior import HierarchicalPrior
from bayescmp.bayesian.hierarchical.problem import Scaled, pose
from bayescmp.engines.quadrature import Settings
from bayescmp.errors import InputError
from bayescmp.planning.continuation import Continuation, Design, continuations
from bayescmp.planning.deciding import of_probabilities
from bayescmp.planning.parallel import run_all
from bayescmp.planning.result import Plan, frame_of
from bayescmp.planning.truth import Truth
from bayescmp.verdict import Rope, as_rope, check_threshold

if TYPE_CHECKING:
    from bayescmp.bayesian.hierarchical.base import HierarchicalBase
    from bayescmp.checks import Seed
    from bayescmp.verdict.rope import RopeLike

__all__ = ["plan", "plan_of"]

#: Simulations that one task makes.
BATCH = 10
TITLE = "simulated studies"


def plan_of(
    posterior: HierarchicalBase,
    *,
    datasets: Iterable[int] = range(0, 41, 5),
    folds: int | None = None,
    more_folds: int | Iterable[int] = 0,
    threshold: float = 0.95,
    simulations: int = 400,
    seed: Seed = 1,
    n_jobs: int | None = 1,
    progress: bool = False,
) -> Plan:
    """What further data would decide; see `HierarchicalPosterior.plan`."""
    rope = posterior.rope
    assert isinstance(rope, Rope)  # one metric
    threshold = check_threshold(threshold)
    sizes = _wholes("datasets", datasets, 0)
    more = _wholes("more_folds", [more_folds] if isinstance(more_folds, int) else more_folds, 0)
    folds = None if folds is None else checks.whole("folds", folds, least=2)
    simulations, number = checks.whole("simulations", simulations), checks.seed_of(seed)
    today = posterior.verdict(threshold=threshold)
    designs = [Design(k, folds, m) for m, k in product(more, sizes)]
    further = [d for d in designs if d.datasets or d.more_folds]
    each = continuations(posterior, simulations, number)
    tasks = [
        (each[start : start + BATCH], further, rope, threshold)
        for start in range(0, simulations if further else 0, BATCH)
    ]
    batches = run_all(_continued, tasks, n_jobs=n_jobs, title=TITLE, progress=progress)
    decided = {d: [one[d] for batch in batches for one in batch] for d in further}
    counted = {d: decided.get(d, [today.decision] * simulations) for d in designs}
    return Plan(
        frame_of({(d.datasets, d.more_folds): made for d, made in counted.items()}),
        dict(zip(("first", "equivalent", "second"), today.probabilities.values(), strict=True)),
        posterior.names,
        threshold,
        simulations,
        number,
        today.decision,
    )


def _continued(
    batch: Sequence[Continuation], designs: Sequence[Design], rope: Rope, threshold: float
) -> list[dict[Design, str]]:
    """What each design decides in each continuation."""
    return [{d: _decision(c.posed(d), rope, threshold) for d in designs} for c in batch]


def _decision(problem: Scaled, rope: Rope, threshold: float) -> str:
    return of_probabilities(grid_probabilities(problem, rope, Settings.quick()), threshold)


def plan(
    *,
    delta0: ArrayLike,
    sigma0: ArrayLike,
    rope: RopeLike,
    rho: float,
    datasets: Iterable[int] = (5, 10, 15, 20, 30, 40, 50, 60),
    folds: int = 10,
    nu: float = 10.0,
    noise: float | None = None,
    prior: HierarchicalPrior | None = None,
    threshold: float = 0.95,
    names: tuple[str, str] = ("first", "second"),
    simulations: int = 400,
    seed: Seed = 1,
    n_jobs: int | None = 1,
    progress: bool = False,
) -> Plan:
    """How many data sets decide the hierarchical test, before there are any data.

    Studies are simulated under what is assumed of the two algorithms, and each is decided by the
    hierarchical correlated t test. All numbers of data sets share their random numbers: a larger
    study contains the smaller one.

    Parameters
    ----------
    delta0 : float or array_like
        Centre of the data sets' mean differences, in units of the metric, second minus first.
        Several values, taken as equally probable, express uncertainty: each study draws one of
        them.
    sigma0 : float or array_like
        Their scale; one, or as many as of delta0.
    rope : float or (float, float)
        Region of practical equivalence.
    rho : float
        Correlation of two folds' differences, 1/folds for cross-validation.
    datasets : iterable of int
        Numbers of data sets, from 2 on.
    folds : int
        Differences on each: folds times repeats.
    nu : float
        Degrees of freedom of the data sets' mean differences; infinite ones make them normal.
    noise : float, optional
        Standard deviation of a fold's difference; twice the upper end of the rope if not given.
    prior : HierarchicalPrior, optional
        Of the analysis; ``HierarchicalPrior.corani2017()`` if not given.
    threshold : float
        Probability at which the test decides.
    names : (str, str)
        The two algorithms.
    simulations : int
        Simulated studies.
    seed : int or numpy Generator
        The same seed gives the same table.
    n_jobs : int, optional
        Processes, as joblib takes it.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    Plan
        With a frame, ``needed()``, ``explain()`` and ``plot()``.

    Raises
    ------
    InputError
        Numbers outside their ranges; no noise where there is no rope.

    See Also
    --------
    bayescmp.bayesian.hierarchical_t : With data at hand.
    bayescmp.calibrate : How often decisions are wrong, with the frequentist tests beside it.

    References
    ----------
    Kruschke (2013), Journal of Experimental Psychology: General 142:573-603; O'Hagan, Stevens &
    Campbell (2005), Pharmaceutical Statistics 4:187-201, for several values of the truth
    ("assurance").

    Examples
    --------
    Twenty simulations, for speed:

    >>> import bayescmp as bc
    >>> plan = bc.plan(delta0=0.02, sigma0=0.01, rope=0.01, rho=0.1, datasets=[4, 16],
    ...                simulations=20)
    >>> shares = plan.frame.set_index("datasets")["second"]
    >>> bool(shares[16] > shares[4])
    True
    """
    region = as_rope(rope)
    truths = _truths(delta0, sigma0, nu, _noise(noise, region), checks.one_rho(rho), folds)
    sizes = _wholes("datasets", datasets, 2)
    threshold = check_threshold(threshold)
    simulations, number = checks.whole("simulations", simulations), checks.seed_of(seed)
    chosen = np.random.default_rng(number).permutation(
        np.resize(np.arange(len(truths)), simulations)
    )
    prior = prior or HierarchicalPrior.corani2017()
    tasks = [
        (
            [
                (truths[chosen[s]], [number, s])
                for s in range(start, min(start + BATCH, simulations))
            ],
            sizes,
            prior,
            region,
            threshold,
        )
        for start in range(0, simulations, BATCH)
    ]
    batches = run_all(_studied, tasks, n_jobs=n_jobs, title=TITLE, progress=progress)
    decided = {(q, 0): [one[q] for batch in batches for one in batch] for q in sizes}
    outcomes = [truth.outcomes(region) for truth in truths]
    limit = {
        d: float(np.mean([d in o for o in outcomes])) for d in ("first", "equivalent", "second")
    }
    return Plan(frame_of(decided), limit, names, threshold, simulations, number)


def _studied(
    batch: Sequence[tuple[Truth, list[int]]],
    sizes: Sequence[int],
    prior: HierarchicalPrior,
    rope: Rope,
    threshold: float,
) -> list[dict[int, str]]:
    """What each number of data sets decides in each simulated study."""
    return [
        {q: _decision(pose(truth.simulate(q, seed), prior, rope), rope, threshold) for q in sizes}
        for truth, seed in batch
    ]


def _truths(
    delta0: ArrayLike, sigma0: ArrayLike, nu: float, noise: float, rho: float, folds: int
) -> list[Truth]:
    """One for each value of delta0 and sigma0."""
    centres = np.atleast_1d(checks.numbers(delta0, "delta0", "a finite number, or several"))
    scales = np.atleast_1d(checks.numbers(sigma0, "sigma0", "a positive number, or several"))
    try:
        centres, scales = np.broadcast_arrays(centres, scales)
    except ValueError:
        raise InputError(
            f"delta0 has {len(centres)} values and sigma0 {len(scales)}; accepted: as many of "
            "both, or one"
        ) from None
    if centres.ndim != 1 or not len(centres) or not np.all(np.isfinite(centres)):
        raise InputError(f"delta0={delta0!r}; accepted: a finite number, or several")
    if not np.all((scales > 0) & np.isfinite(scales)):
        raise InputError(f"sigma0={sigma0!r}; accepted: a positive number, or several")
    if not nu > 0:
        raise InputError(f"nu={nu!r}; accepted: a positive number")
    truth = Truth(0.0, 1.0, float(nu), noise, rho, checks.whole("folds", folds, least=2))
    return [
        replace(truth, delta0=float(d), sigma0=float(s))
        for d, s in zip(centres, scales, strict=True)
    ]


def _noise(noise: float | None, rope: Rope) -> float:
    if noise is None and not rope.high > 0:
        raise InputError("noise is missing: with no rope above zero there is no size to take")
    value = 2 * rope.high if noise is None else float(noise)
    if not (value > 0 and np.isfinite(value)):
        raise InputError(f"noise={noise!r}; accepted: a positive number")
    return value


def _wholes(name: str, values: Iterable[int], least: int) -> list[int]:
    """Different whole numbers, sorted."""
    numbers = sorted({checks.whole(name, value, least=least) for value in values})
    if not numbers:
        raise InputError(f"{name} is empty; accepted: one whole number or more, from {least} on")
    return numbers
