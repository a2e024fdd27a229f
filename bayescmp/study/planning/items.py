"""How many questions, and answers to each, decide between two models? In closed form."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from bayescmp.base import checks
from bayescmp.bayesian.joint.bootstrap import BootstrapPosterior
from bayescmp.bayesian.paired.items import ItemPosterior
from bayescmp.errors import InputError
from bayescmp.results.plan import UNDECIDED, Benchmark, ItemPlan, shape_within
from bayescmp.results.verdict import check_threshold
from bayescmp.scores.rope import Rope, RopeLike, as_rope


def plan_items(
    *,
    difference: float,
    between: float,
    within: float = 0.0,
    rope: RopeLike,
    questions: Iterable[int] = (100, 200, 500, 1000, 2000),
    epochs: Iterable[int] = (1,),
    threshold: float = 0.95,
    power: float = 0.8,
    names: tuple[str, str] = ("first", "second"),
) -> ItemPlan:
    """Plan how many questions and epochs decide between two models, before there are any answers.

    The mean difference over n questions with k answers of each model has the variance
    (σ²_b + σ²_w/k)/n. It is taken as normal, and so is its posterior: chances have closed forms.

    Parameters
    ----------
    difference : float
        The mean difference of the two models' scores, second minus first.
    between : float
        σ²_b, variance of the questions' true differences.
    within : float
        σ²_w, variance of a question's difference over single answers; the sum of both models'
        variances, if they answer independently.
    rope : float or (float, float)
        Region of practical equivalence.
    questions : iterable of int
        Numbers of questions.
    epochs : iterable of int
        Numbers of answers of each model to each question.
    threshold : float
        Probability at which a region is decided for.
    power : float
        Chance with which the detectable difference is decided.
    names : (str, str)
        The two models.

    Returns
    -------
    ItemPlan
        With a frame, ``needed()``, ``cheapest()`` and ``explain()``.

    Raises
    ------
    InputError
        Numbers outside their ranges; no variance at all.

    See Also
    --------
    plan : For data sets with folds.

    References
    ----------
    Miller (2024), Adding error bars to evals, arXiv:2411.00640, section 5 (power); O'Hagan,
    Stevens & Campbell (2005), Pharmaceutical Statistics 4:187-201.

    Examples
    --------
    >>> import bayescmp as bc
    >>> plan = bc.plan_items(difference=0.03, between=0.06, within=0.24, rope=0.0,
    ...                      questions=[500, 1000], epochs=[1, 4])
    >>> plan.frame["decided"].round(2).tolist()
    [0.34, 0.54, 0.61, 0.86]
    """
    if not checks.is_number(difference) or not np.isfinite(difference):
        raise InputError(f"difference={difference!r}; accepted: a finite number")
    for name, value in (("between", between), ("within", within)):
        _check_variance(name, value)
    if not between + within > 0:
        raise InputError("between and within are both 0; accepted: a positive variance")
    benchmark = Benchmark(float(difference), float(between), float(within))
    return _plan(benchmark, as_rope(rope), questions, epochs, threshold, power, names)


def plan_of_items(
    posterior: ItemPosterior,
    *,
    questions: Iterable[int] = (0, 100, 200, 500, 1000, 2000),
    epochs: Iterable[int] | None = None,
    seen_epochs: int = 1,
    within: float | None = None,
    threshold: float = 0.95,
    power: float = 0.8,
) -> ItemPlan:
    """Say what further questions and epochs would decide; see `ItemPosterior.plan`."""
    row, seen = posterior.summary().loc["delta"], posterior.questions
    mean, uncertainty = row[["mean", "sd"]].to_numpy(float) ** np.array([1, 2])
    k = checks.check_whole("seen_epochs", seen_epochs)
    if epochs is not None and within is None:
        raise InputError(
            "epochs is given, but within is not: one number a question does not tell the models' "
            "own noise from the questions'; accepted: within, the variance of single answers"
        )
    noise = 0.0 if within is None else _check_variance("within", within)
    between = max(seen * uncertainty - noise / k, 0.0)
    benchmark = Benchmark(float(mean), float(between), noise)
    amounts = checks.check_wholes("epochs", [k] if epochs is None else epochs, k)
    more = checks.check_wholes("questions", questions, 0)
    rope = posterior.rope
    assert isinstance(rope, Rope)  # one metric
    total = [seen + n for n in more]
    return _plan(
        benchmark, rope, total, amounts, threshold, power, posterior.names, uncertainty, seen
    )


def plan_of_board(
    posterior: BootstrapPosterior,
    names: tuple[str, str],
    questions: Iterable[int] | None,
    threshold: float,
) -> ItemPlan:
    """Say what further questions of a leaderboard decide; see `BootstrapPosterior.plan`."""
    i, j = (posterior.algorithms.index(name) for name in names)
    asked = posterior.questions
    if asked is not None:
        seen = int(asked[:, [i, j]].max(axis=1).sum())
    elif posterior.errors is None:
        seen = int(posterior.table.n.sum())
    else:
        raise InputError(
            "plan() of a leaderboard needs to know how many questions its means are of, and "
            "errors= does not tell; accepted: leaderboard(..., questions=...), or scores of "
            "questions"
        )
    d = posterior.averages[:, j] - posterior.averages[:, i]
    mean, uncertainty = float(d.mean()), float(d.var())
    more = [0, seen, 3 * seen, 9 * seen, 19 * seen] if questions is None else questions
    total = [seen + n for n in checks.check_wholes("questions", more, 0)]
    benchmark = Benchmark(mean, seen * uncertainty, 0.0)
    return _plan(benchmark, posterior.rope, total, (1,), threshold, 0.8, names, uncertainty, seen)


def _check_variance(name: str, value: object) -> float:
    if not checks.is_number(value) or not 0 <= value < np.inf:
        raise InputError(f"{name}={value!r}; accepted: a variance, 0 or more")
    return float(value)


def _plan(
    benchmark: Benchmark,
    rope: Rope,
    questions: Iterable[int],
    epochs: Iterable[int],
    threshold: float,
    power: float,
    names: tuple[str, str],
    uncertainty: float | None = None,
    seen: int = 0,
) -> ItemPlan:
    """Make a row for each design; `uncertainty` is the difference's, where data tell it."""
    threshold, power = check_threshold(threshold), checks.check_level(power, "power")
    rows = []
    for k, n in product(
        checks.check_wholes("epochs", epochs, 1), checks.check_wholes("questions", questions, 1)
    ):
        later = benchmark.variance(n, k)
        spread = later if uncertainty is None else max(uncertainty - later, 0.0)
        made = chances(benchmark.difference, spread, later, rope, threshold)
        sd = float(np.sqrt(later))
        rows.append(
            {
                "questions": n,
                "epochs": k,
                "decided": 1 - made[UNDECIDED],
                **made,
                "width": 2 * float(ndtri(0.975)) * sd,
                "detectable": _place_beyond(rope, float(ndtri(threshold) + ndtri(power)) * sd),
            }
        )
    return ItemPlan(pd.DataFrame(rows), benchmark, rope, names, threshold, power, seen)


def chances(
    centre: float, spread: float, later: float, rope: Rope, threshold: float
) -> dict[str, float]:
    """Return the chance of each decision, where the later posterior mean is normal.

    `centre` and `spread` are the mean and variance of the later posterior mean, `later` is the
    later posterior's variance.
    """
    sd, beyond = np.sqrt(later), ndtri(threshold) * np.sqrt(later)
    held = _find_decided_range(rope, float(sd), threshold)
    shape = shape_within(rope)

    def below(x: float) -> float:
        return float(ndtr((x - centre) / np.sqrt(spread))) if spread > 0 else float(centre < x)

    first, second = below(rope.low - beyond), 1 - below(rope.high + beyond)
    within = 0.0 if held is None else below(held[1]) - below(held[0])
    made = dict(zip(shape.regions, (first, within, second), strict=True))
    undecided = max(1 - first - second - within, 0.0)
    return {
        **{decision: made[region] for region, decision in shape.possible.items()},
        UNDECIDED: undecided,
    }


def _place_beyond(rope: Rope, far: float) -> float:
    """Return so far beyond the upper end; with one infinite end so far within the margin."""
    if rope.low == -np.inf:
        return rope.high - far
    return (rope.low if rope.one_sided else rope.high) + far


def _find_decided_range(rope: Rope, sd: float, threshold: float) -> tuple[float, float] | None:
    """Return the values between which a posterior mean is decided to be in the region."""
    if rope.one_sided:
        edge = _place_beyond(rope, float(ndtri(threshold)) * sd)
        return (rope.low, edge) if rope.low == -np.inf else (edge, rope.high)
    r = (rope.high - rope.low) / 2

    def excess(x: float) -> float:
        return float(ndtr((r - x) / sd) - ndtr((-r - x) / sd)) - threshold

    if excess(0.0) <= 0:
        return None
    half = float(brentq(excess, 0.0, r + 10 * sd))
    return rope.middle - half, rope.middle + half
