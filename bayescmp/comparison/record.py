"""Results of tests with their warnings, and one warning for many pairs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from bayescmp.comparison.results import Pair, PairResult
from bayescmp.deferred import computed
from bayescmp.errors import DiagnosticWarning, warn_user
from bayescmp.left_out import LeftOut
from bayescmp.text import counted

if TYPE_CHECKING:
    from bayescmp.posterior import Posterior

__all__ = ["recorded", "warn_of_pairs"]


def recorded(
    fit: Callable[[], Posterior],
    *,
    test: str,
    threshold: float,
    datasets: int,
    means: Sequence[float] | np.ndarray = (),
    explained: bool = False,
) -> PairResult:
    """Fit, and record the result together with its warnings.

    Parameters
    ----------
    fit : callable
        Returns the posterior.
    test : str
        What the catalogue calls the test; "" takes the posterior's own name.
    threshold : float
        Of the verdict.
    datasets : int
        Number of data sets.
    means : array_like, optional
        Mean difference on each data set.
    explained : bool
        Whether to find out now why a verdict is undecided, which takes draws: they are at hand.
        Else it takes another fit when it is asked for.

    Returns
    -------
    PairResult
        With its posterior.
    """
    start = perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DiagnosticWarning)
        posterior = fit()
        verdict = posterior.verdict(threshold=threshold)
        if explained and verdict.decision == "undecided":
            verdict = computed(verdict, "known")
        summary = posterior.summary()
    return PairResult(
        verdict=verdict,
        summary=summary,
        test=test or posterior.kind,
        engine=posterior.engine,
        engine_version=posterior.engine_version,
        diagnostics=posterior.diagnostics,
        datasets=datasets,
        seed=posterior.seed,
        directions=posterior.directions,
        resampling=posterior.resampling,
        notes=posterior.notes,
        warnings=tuple(
            str(w.message) for w in caught if issubclass(w.category, DiagnosticWarning)
        ),
        seconds=perf_counter() - start,
        left_out=posterior.left_out or LeftOut(),
        means=tuple(float(mean) for mean in means),
        posterior=posterior,
    )


def warn_of_pairs(
    results: Iterable[tuple[Pair, PairResult]],
    failures: Iterable[tuple[Pair, Exception]],
    hint: str = "",
) -> None:
    """Warn once of the pairs that failed, and once of those that can't be trusted.

    Parameters
    ----------
    results : iterable of (pair, PairResult)
    failures : iterable of (pair, Exception)
    hint : str
        Where the user finds out more.
    """
    results, failures = list(results), list(failures)
    doubtful = [(pair, "; ".join(r.trouble)) for pair, r in results if r.trouble]
    failed = [(pair, str(error)) for pair, error in failures]
    total = len(results) + len(failed)
    for cases, what in (
        (failed, "could not be compared"),
        (doubtful, "can't be trusted"),
    ):
        if cases:
            (first, second), why = cases[0]
            warn_user(
                f"{len(cases)} of {counted(total, 'pair')} {what}, e.g. "
                f"{first} and {second}: {why}{hint}"
            )
