"""One pair of algorithms in several metrics at once: which test fits, and its posterior."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from bayescmp.bayesian import hierarchical_multivariate_t, multivariate_t, pair_blocks
from bayescmp.blocks import Blocks
from bayescmp.differences import Differences, smallest_step
from bayescmp.errors import InputError, unknown_name
from bayescmp.posterior import Posterior
from bayescmp.scores import Scores

__all__ = ["SEVERAL_TESTS", "compare_several", "several_test"]

SEVERAL_TESTS: dict[str, Callable[..., Posterior]] = {
    "multivariate_t": multivariate_t,
    "robust_multivariate_t": multivariate_t,
    "hierarchical_multivariate_t": hierarchical_multivariate_t,
}
#: What a test of one metric is called in several.
SHORT = {
    "multivariate": "multivariate_t", "correlated": "multivariate_t",
    "correlated_t": "multivariate_t", "robust": "robust_multivariate_t",
    "robust_t": "robust_multivariate_t", "robust_multivariate": "robust_multivariate_t",
    "hierarchical": "hierarchical_multivariate_t", "hierarchical_t": "hierarchical_multivariate_t",
    "hierarchical_multivariate": "hierarchical_multivariate_t",
}  # fmt: skip


def several_test(test: str) -> str:
    """A test's name as in `SEVERAL_TESTS`, or "auto"; names of one metric's tests stand in."""
    plain = str(test).replace("-", "_")
    name = SHORT.get(plain, plain)
    if name != "auto" and name not in SEVERAL_TESTS:
        raise unknown_name("test of several metrics", test, ["auto", *SEVERAL_TESTS])
    return name


def compare_several(
    scores: Scores | Differences,
    first: str,
    second: str,
    metrics: Sequence[str],
    rope: Any,
    *,
    test: str = "auto",
    dataset: str | None = None,
    rho: Any = None,
    seed: Any = None,
    options: Mapping[str, Any],
) -> Posterior:
    """The posterior of two algorithms in several metrics.

    Parameters
    ----------
    scores : Scores
        The table; metrics may also follow from its columns tp, fn, fp and tn.
    first, second : str
        The two algorithms.
    metrics : sequence of str
        At least two.
    rope : float, sequence or mapping of metric to rope
        Region of practical equivalence, for all or one a metric.
    test : str
        "multivariate_t", "robust_multivariate_t" (one data set), "hierarchical_multivariate_t"
        (several); "auto" chooses by the number of data sets.
    dataset, rho, seed, options
        As for `compare`.
    """
    if isinstance(scores, Differences):
        raise InputError("scores are differences of one metric; for several give Scores")
    name = several_test(test)
    chosen = None if dataset is None else [str(dataset)]
    blocks = pair_blocks(scores, first, second, metrics=metrics, datasets=chosen, rho=rho)
    why = ""
    if name == "auto":
        name, why = _choose(blocks)
    posterior = _fitted(name, blocks, rope, seed, options)
    if not why:
        return posterior
    return dataclasses.replace(posterior, notes=(f"test {name}: {why}", *posterior.notes))


def _choose(blocks: Sequence[Blocks]) -> tuple[str, str]:
    """The test for these scores, and why."""
    if len(blocks) == 1:
        return (
            "multivariate_t",
            f"one data set, with {blocks[0].n} scores of {blocks[0].p} metrics",
        )
    return "hierarchical_multivariate_t", f"{len(blocks)} data sets, {blocks[0].p} metrics"


def _fitted(
    name: str, blocks: Sequence[Blocks], rope: Any, seed: Any, options: Mapping[str, Any]
) -> Posterior:
    if name == "hierarchical_multivariate_t":
        known = _options(name, options, {"xs", "rho", "rope", "seed", "names", "metrics"})
        return hierarchical_multivariate_t(blocks, rope=rope, seed=seed, **known)
    if len(blocks) > 1:
        raise InputError(
            f"test={name!r} takes one data set, the table has {len(blocks)}: name one with "
            "dataset=..., or use test='hierarchical_multivariate_t' for all of them"
        )
    given = dict(options)
    if name == "robust_multivariate_t":
        given["noise"] = "t"
    elif given.get("engine") == "auto":  # the closed form is the engine that there is
        del given["engine"]
    if given.get("progress") is not None and given.get("noise") != "t":
        del given["progress"]
    given.setdefault("resolution", _steps(blocks[0]))
    found = {k: v for k, v in given.items() if v is not None}
    return multivariate_t(blocks[0], rope=rope, seed=seed, **found)


def _options(name: str, options: Mapping[str, Any], taken: set[str]) -> dict[str, Any]:
    """Options that the test takes; None is what is not asked for."""
    known = set(inspect.signature(SEVERAL_TESTS[name]).parameters) - taken
    given = {k: v for k, v in options.items() if v is not None}
    for option in given:
        if option not in known:
            raise unknown_name(f"option of {name}", option, sorted(known))
    return given


def _steps(blocks: Blocks) -> np.ndarray | None:
    """Smallest steps seen in the scores, for metrics whose differences are all equal."""
    steps = np.array([smallest_step(blocks.x[..., k].ravel()) for k in range(blocks.p)])
    return None if np.all(np.isnan(steps)) else steps
