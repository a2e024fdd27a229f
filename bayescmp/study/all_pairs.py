"""All pairs of algorithms, or all against a control: in parallel, one failure at a time."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain
from time import perf_counter
from typing import TypeAlias

import pandas as pd

from bayescmp.base.checks import RhoLike, Seed, declare, flag, jobs, optional, text
from bayescmp.base.deferred import compute_fields
from bayescmp.base.typing import Json, Pair
from bayescmp.base.workers import in_order, list_workers, with_bar
from bayescmp.errors import DiagnosticWarning, warn_user
from bayescmp.results.posterior import Posterior
from bayescmp.scores.blocks import UnpairedScores, unpaired_scores
from bayescmp.scores.differences import Differences
from bayescmp.scores.pairing import LeftOut
from bayescmp.scores.rope import RopesLike, label_scale
from bayescmp.scores.scores import Scores
from bayescmp.study.compare import fit_test
from bayescmp.study.comparisons import Comparisons, PairResult, average_of, best_of
from bayescmp.study.question import (
    Question,
    ask_question,
    default_rho,
    required_rope,
    select_asked,
)
from bayescmp.wording.text import format_count

# Results of tests with their warnings, and one warning for many pairs.


def record_result(question: Question, *, explained: bool = False) -> PairResult:
    """Fit the test of a question about one pair; record the result together with its warnings.

    `explained` finds out now why a verdict is undecided, which takes draws that are at hand; later
    it takes another fit.
    """
    start = perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DiagnosticWarning)
        posterior = fit_test(question)
        verdict = posterior.verdict(threshold=question.threshold)
        if explained and verdict.decision == "undecided":
            verdict = compute_fields(verdict, "known")
        summary = posterior.summary()
    kept = ("engine", "engine_version", "diagnostics", "seed", "directions", "resampling", "notes")
    own: Json = {name: getattr(posterior, name) for name in kept}
    return PairResult(
        verdict=verdict,
        summary=summary,
        test=posterior.kind if question.test is None else question.test.name,
        datasets=getattr(question.given, "q", 1),
        **own,
        warnings=tuple(
            str(w.message) for w in caught if issubclass(w.category, DiagnosticWarning)
        ),
        seconds=perf_counter() - start,
        left_out=posterior.left_out or LeftOut(),
        posterior=posterior,
    )


def warn_of_pairs(
    results: Iterable[tuple[Pair, PairResult]],
    failures: Iterable[tuple[Pair, Exception]],
    hint: str = "",
) -> None:
    """Warn once of the pairs that failed, and once of those that can't be trusted.

    `hint` says where the user finds out more.
    """
    results, failed = list(results), [(pair, str(error)) for pair, error in failures]
    doubtful = [(pair, "; ".join(r.trouble)) for pair, r in results if r.trouble]
    total = len(results) + len(failed)
    for cases, what in ((failed, "could not be compared"), (doubtful, "can't be trusted")):
        if cases:
            (first, second), why = cases[0]
            warn_user(
                f"{len(cases)} of {format_count(total, 'pair')} {what}, e.g. "
                f"{first} and {second}: {why}{hint}"
            )


#: One pair's work, small enough to be sent to another process: the question about its own scores
#: (or why there are none), and whether the posterior is kept.
Task: TypeAlias = tuple[Question | Exception, bool]
#: Seconds that worker processes cost before they do anything: new ones, and an earlier call's.
START_UP, RESTART = 1.5, 0.1
#: Processes that have solved pairs, and so have imported what that takes.
WARM: set[int | None] = set()


@declare(metric=optional(text), n_jobs=jobs, keep_posteriors=flag, progress=optional(flag))
def compare_all(
    scores: Scores | pd.DataFrame,
    metric: str | None = None,
    rope: RopesLike | None = None,
    *,
    control: str | None = None,
    algorithms: Iterable[str] | None = None,
    test: str = "auto",
    rho: RhoLike | None = None,
    scale: str | None = None,
    datasets: Iterable[str] | None = None,
    seed: Seed = None,
    threshold: float = 0.95,
    n_jobs: int | None = None,
    progress: bool | None = None,
    keep_posteriors: bool = False,
    **options: object,
) -> Comparisons:
    """Compare all pairs of algorithms, or all of them with a control.

    Every pair is a test of its own, under the same seed: `compare` gives the same numbers. A pair
    that fails is reported, and the others are kept.

    Parameters
    ----------
    scores : Scores or DataFrame
        Scores of at least two algorithms.
    metric : str, optional
        May be left out where the table has only one metric.
    rope : float or (float, float)
        Region of practical equivalence, in units of the metric. With one infinite end, the
        question for each pair is whether the one with the worse mean is worse than the other; with
        a control, or for two algorithms, it is as for `compare`.
    control : str, optional
        Compare all others only with this algorithm, which is the first of each pair.
    algorithms : iterable of str, optional
        Compare only these.
    test, rho, scale, seed, **options
        As for `compare`; "auto" chooses for each pair.
    datasets : iterable of str, optional
        Compare only on these.
    threshold : float
        Probability at which a region is decided for.
    n_jobs : int, optional
        Largest number of processes; if not given or -1, one per core. They start only where that
        saves time: starting takes a second, but those of an earlier call stay for five minutes.
        The numbers do not depend on it. ``joblib.parallel_config(backend=...)`` moves the work
        elsewhere, for example to a Dask cluster.
    progress : bool, optional
        Whether to show a progress bar; if not given, only on a terminal.
    keep_posteriors : bool
        Whether to keep each pair's whole posterior, about a megabyte, beside its verdict and
        summary. One that was not kept is fitted again, with the same numbers, when the result's
        ``posterior`` is asked for it.

    Returns
    -------
    Comparisons
        ``frame`` is the tidy table, ``results`` holds each pair's verdict, ``posterior`` gives the
        posterior behind it; ``best`` says which of three algorithms or more is best over several
        data sets, by the Bayesian bootstrap.

    Raises
    ------
    InputError
        Unknown names, a bad rope or threshold, a single algorithm; the first pair's error if all
        pairs fail.

    Warns
    -----
    DiagnosticWarning
        If pairs failed or can't be trusted, and how many; each one's row in ``frame`` says why.

    See Also
    --------
    compare : One pair.
    crosscheck : All pairs, with the frequentist tests beside them.

    Examples
    --------
    >>> import bayescmp as bc
    >>> import numpy as np
    >>> import pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> means = pd.DataFrame(
    ...     rng.normal([0.80, 0.81, 0.87], 0.02, (15, 3)), columns=["knn", "gbm", "svm"]
    ... )
    >>> scores = bc.Scores.from_means(means, metric="accuracy")
    >>> comparisons = bc.compare_all(scores, rope=0.01, seed=1)
    >>> comparisons.frame[["first", "second", "decision"]]
      first second   decision
    0   gbm    svm     second
    1   knn    svm     second
    2   knn    gbm  undecided
    >>> comparisons.order
    ('svm', 'gbm', 'knn')
    """
    required_rope(rope)
    question = ask_question(**select_asked(locals()))
    (metric,), pairs = question.metrics, question.pairs
    tasks = ((_try_pair(question, pair), keep_posteriors) for pair in pairs)
    done = list(with_bar(_solve_tasks(tasks, len(pairs), n_jobs), "pairs", progress, len(pairs)))
    results = {p: r for p, r in zip(pairs, done, strict=True) if isinstance(r, PairResult)}
    failures = {p: r for p, r in zip(pairs, done, strict=True) if isinstance(r, Exception)}
    if not results:
        raise next(iter(failures.values()))
    hint = " (the frame's columns error and notes say why)"
    warn_of_pairs(results.items(), failures.items(), hint)
    return replace(
        collect_comparisons(question, metric, results, failures),
        metric=label_scale(metric, question.scores.scale),
        refit=partial(_fit_pair, question),
    )


def _ask_pair(question: Question, pair: Pair) -> Question:
    """Return the question about one pair, with its own scores alone."""
    test, (metric,) = question.test, question.metrics
    x: Differences | UnpairedScores
    if test is not None and not test.paired:
        x = unpaired_scores(question.scores, *pair, metric)
    else:
        x = question.scores.differences(*pair, metric, rho=default_rho(question.rho, test))
    return replace(question, given=x)


def _fit_pair(question: Question, pair: Pair) -> Posterior:
    """Fit a pair on demand, from the scores that all pairs were compared on."""
    return fit_test(_ask_pair(question, pair))


def collect_comparisons(
    question: Question,
    metric: str,
    results: Mapping[Pair, PairResult],
    failures: Mapping[Pair, Exception],
) -> Comparisons:
    """Return the verdicts by one metric, each algorithm's mean, and without a control the best."""
    names, rope, scores = question.algorithms, question.ropes[metric], question.scores
    best = None
    if question.control is None:
        best = best_of(scores, metric, rope, question.seed, question.rho)
    means = average_of(scores.means(metric)[list(names)], scores.scale)
    return Comparisons(names, results, failures, question.control, metric, rope, best, means)


def _try_pair(question: Question, pair: Pair) -> Question | Exception:
    try:
        return _ask_pair(question, pair)
    except Exception as error:  # kept, and reported with the pair
        return error


def _solve(question: Question | Exception, keep: bool) -> PairResult | Exception:
    """Return one pair's result, or why there is none."""
    if isinstance(question, Exception):
        return question
    try:
        x, result = question.given, record_result(question, explained=keep)
    except Exception as error:  # kept, and reported with the pair
        return error
    if isinstance(x, Differences):
        result = replace(result, means=tuple(map(float, x.means)))
    return result if keep else result.without_posterior()


def _solve_tasks(
    tasks: Iterator[Task], total: int, n_jobs: int | None
) -> Iterator[PairResult | Exception]:
    """Yield results in the order of the tasks.

    If `joblib.parallel_config` names a backend, they come from it. Otherwise the work starts in
    this process and moves to others once the pace so far says that they will pay for their start.
    """
    import joblib
    from joblib.parallel import BACKENDS, DEFAULT_BACKEND, get_active_backend

    if not isinstance(get_active_backend()[0], BACKENDS[DEFAULT_BACKEND]):
        yield from in_order(_solve, tasks, n_jobs)
        return
    workers = joblib.effective_n_jobs(-1 if n_jobs is None else n_jobs)
    yield from _while_it_pays(tasks, total, workers)
    first = next(tasks, None)
    if first is None:  # nothing is left to start processes for
        return
    # BLAS gets one thread in each process: more would fight for the same cores.
    with joblib.parallel_config(backend="loky", inner_max_num_threads=1):
        yield from in_order(_solve, chain([first], tasks), workers)
    WARM.update(list_workers())


def _while_it_pays(
    tasks: Iterator[Task], total: int, workers: int
) -> Iterator[PairResult | Exception]:
    """Yield results from this process, until so many others would be done sooner with the rest."""
    start, start_up = perf_counter(), RESTART if WARM & list_workers() else START_UP
    for done, task in enumerate(tasks):
        yield _solve(*task)
        if done == 0:  # the first includes imports and tables, and says nothing of the pace
            start = perf_counter()
            continue
        left = (total - done - 1) * (perf_counter() - start) / done
        if left * (1 - 1 / workers) > start_up:
            return
