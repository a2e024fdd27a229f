"""Two models on the same items, or all of them: which test fits, and its posterior."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp import checks
from bayescmp.catalogue import BayesianTest, Sizes, bayesian_test, bayesian_tests
from bayescmp.comparison.regions import region_of
from bayescmp.errors import InputError
from bayescmp.items.items import Items
from bayescmp.items.pair import ItemPair
from bayescmp.text import counted

if TYPE_CHECKING:
    from bayescmp.checks import Seed
    from bayescmp.verdict import Rope

__all__ = ["check_items", "compare_items", "unit_of"]


def compare_items(
    items: Items,
    first: str | None,
    second: str | None,
    rope: object,
    *,
    test: str = "auto",
    benchmark: str | None = None,
    seed: Seed = None,
    options: Mapping[str, object],
) -> Any:
    """The posterior of two models, or of all where none are named and there are more.

    Parameters
    ----------
    items : Items
    first, second : str, optional
        The two models; the only two need not be named.
    rope : float, (float, float) or str
    test : str
        "auto", or a test's name.
    benchmark : str, optional
        Compare on this one only.
    seed : int or numpy Generator, optional
    options : mapping
        Of the test.

    Returns
    -------
    Posterior; of three models or more that of `groups` or of the joint test

    Raises
    ------
    InputError
        Unknown names or tests; whatever `Items.pair` and the test refuse.
    """
    names = [None if name is None else str(name) for name in (first, second)]
    if names == [None, None] and len(items.models) == 2:
        names = list(items.models)
    if names == [None, None]:
        return _several(items, rope, test, benchmark, seed, options)
    if None in names:
        raise InputError(
            "first and second are needed, or neither: the table has the models "
            + ", ".join(map(repr, items.models))
        )
    one, other = map(str, names)
    pair = items.pair(one, other, benchmarks=None if benchmark is None else [benchmark])
    return _of_pair(pair, rope, test, seed, options)


def check_items(
    items: Items, metric: str | Iterable[str] | None, rho: object, scale: object
) -> None:
    """Refuse what scores of folds are asked for, and items have not.

    Raises
    ------
    InputError
    """
    known = items.direction.metric
    if metric is not None and checks.as_names(metric) != [known]:
        raise InputError(f"metric={metric!r}, but the items are scored by {known!r}")
    if rho is not None and not (isinstance(rho, int | float) and rho == 0):
        raise InputError("rho is given, but items are independent units: their rho is 0")
    if not isinstance(scale, str | None) or scale not in (None, "difference"):
        raise InputError(f"scale={scale!r} of items; accepted: 'difference'")


def unit_of(pair: ItemPair) -> str:
    """What is compared: "answers", independent and right or wrong, or "items"."""
    return "answers" if pair.binary and not pair.clustered else "items"


# -- two models --------------------------------------------------------------------------------


def _of_pair(
    pair: ItemPair, rope: object, test: str, seed: Seed, options: Mapping[str, object]
) -> Any:
    x = pair.differences()
    one = len(pair.benchmarks) == 1
    sizes = Sizes(datasets=x.q, folds=int(x.n.min()), unit=unit_of(pair) if one else "folds")
    chosen, why = _chosen(test, sizes, algorithms=2, what=_pair_text(pair))
    region = region_of(rope, "difference", x.span, x.scores, x.metric)
    given = x if chosen.unit == "folds" else pair
    return _noted(chosen.fit(given, rope=region, seed=seed, options=chosen.checked(options)), why)


def _pair_text(pair: ItemPair) -> str:
    """How much there is, in words."""
    graded = "right or wrong" if pair.binary else "graded"
    if pair.epochs[1] > 1:
        graded = "means over epochs"
    clusters = 0 if pair.cluster is None else len(np.unique(pair.cluster))
    among = f" in {counted(clusters, 'cluster')}" if pair.clustered else ""
    return f"{_sized(pair.n, len(pair.benchmarks))}{among}, {graded}"


def _sized(items: int, benchmarks: int) -> str:
    return f"{counted(items, 'item')} of {counted(benchmarks, 'benchmark')}"


# -- all of them -------------------------------------------------------------------------------


def _several(
    items: Items,
    rope: object,
    test: str,
    benchmark: str | None,
    seed: Seed,
    options: Mapping[str, object],
) -> Any:
    count = len(items.models)
    if count < 2:
        raise InputError(f"the table has one model only, {items.models[0]!r}: nothing to compare")
    name = items.benchmarks[0] if benchmark is None and len(items.benchmarks) == 1 else benchmark
    x = items.scores() if name is None else items.blocks(name)
    q = 1 if name is not None else len(items.benchmarks)
    sizes = Sizes(algorithms=count, datasets=q)
    chosen, why = _chosen(
        test, sizes, algorithms=count, what=f"{count} models on {counted(q, 'benchmark')}"
    )
    region = _region(items, rope)
    posterior = chosen.fit(x, rope=region, seed=seed, options=chosen.checked(options))
    spoken = replace(posterior, subject="model", sample="item", unit="benchmark")
    return _noted(spoken, why)


def _region(items: Items, rope: object) -> Rope:
    score = items.answers.score
    seen = (float(np.ptp(score)), float(np.abs(score).max()))
    return region_of(rope, "difference", items.span, seen, items.direction.metric)


# -- which test --------------------------------------------------------------------------------


def _chosen(test: str, sizes: Sizes, *, algorithms: int, what: str) -> tuple[BayesianTest, str]:
    """The test of this name, or the first that fits, and why it."""
    if str(test) != "auto":
        among = [
            t
            for t in bayesian_tests()
            if t.compares(metrics=1, algorithms=algorithms) or (algorithms == 2 and _of_items(t))
        ]
        return bayesian_test(test, among=among, more=("auto",)), ""
    for candidate in bayesian_tests():
        if candidate.fits(sizes):
            return candidate, f"test {candidate.name}: {what}"
    raise InputError(f"no test fits {what}, with as few as {counted(sizes.folds, 'unit')}")


def _of_items(test: BayesianTest) -> bool:
    return test.unit != "folds"


def _noted(posterior: Any, why: str) -> Any:
    return replace(posterior, notes=(why, *posterior.notes)) if why else posterior
