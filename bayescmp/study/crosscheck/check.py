"""Every pair of algorithms by a Bayesian test and by its frequentist twins."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any, TypeAlias, TypeVar

import pandas as pd

from bayescmp.base.arguments import must
from bayescmp.base.checks import RhoLike, Seed, flag, jobs, optional, validate_params
from bayescmp.base.typing import Json, Pair
from bayescmp.base.workers import solve_tasks, with_bar
from bayescmp.catalogue import (
    ONE,
    BayesianTest,
    FrequentistTest,
    frequentist_tests,
    register_missing,
    registered_tests,
)
from bayescmp.errors import CountsError, EngineNotFound, InputError, warn_user
from bayescmp.frequentist import TestResult
from bayescmp.items.items import Items
from bayescmp.items.pair import answers_of
from bayescmp.results.posterior import Posterior
from bayescmp.results.verdict import Verdict
from bayescmp.scores.blocks import Blocks, scores_blocks
from bayescmp.scores.differences import Differences
from bayescmp.scores.pairing import LeftOut
from bayescmp.scores.rope import Rope, RopesLike
from bayescmp.scores.runs import Runs
from bayescmp.scores.scores import Scores, read_runs
from bayescmp.study.compare import (
    IndependentRuns,
    PairedScores,
    PairQuestion,
    PairScores,
    SharedItems,
    collect_comparisons,
    record_result,
    warn_of_pairs,
)
from bayescmp.study.comparisons import Comparisons, PairResult
from bayescmp.study.crosscheck.counts import crosscheck_counts
from bayescmp.study.crosscheck.results import CrossCheck
from bayescmp.study.crosscheck.rows import (
    Alone,
    FrequentistFacts,
    UnadjustedRow,
    judge_drafts,
    plain_verdict,
    stand_ins,
)
from bayescmp.study.question import GROUP, Question, Twin, ask_question, tests_of

Result = TypeVar("Result")

# One pair of algorithms by one metric: each Bayesian test and its frequentist counterpart.


@dataclass(eq=False)
class PairPart:
    """The results of one pair by one metric.

    `main` is the result of the test that gives the pair's verdict, `verdicts` are of each Bayesian
    test over data sets; `x` holds the scores, `error` the reason for having none, `content` the
    pair's part of a report.
    """

    metric: str
    pair: Pair
    drafts: list[UnadjustedRow] = field(default_factory=list)
    main: PairResult | None = None
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    x: Differences | None = None
    error: Exception | None = None
    content: Any = None

    @cached_property
    def table(self) -> pd.DataFrame | None:
        """The main test's estimates for each data set (``by_dataset``), if it has them."""
        posterior: Any = None if self.main is None else self.main.posterior
        shown = posterior is not None and "datasets" in posterior.shows
        return posterior.by_dataset() if shown else None

    @property
    def failed(self) -> bool:
        """Whether the test that should give the verdict failed."""
        return self.main is None and self.error is not None

    def light(self) -> PairPart:
        """Return the same without the posterior and everything computed from it."""
        main = None if self.main is None else self.main.without_posterior()
        return replace(self, main=main, x=None)


def pair_part(question: Question, metric: str, pair: Pair, *, brief: bool = False) -> PairPart:
    """Test one pair of algorithms by every Bayesian test and its frequentist counterpart.

    The main result has its posterior. With `brief`, only the main Bayesian test over data sets is
    done. Tests that fail have rows that state the error.
    """
    part = PairPart(metric, pair)
    _PairTests(question, part, question.ropes[metric]).run(brief)
    return part


@dataclass(eq=False)
class _PairTests:
    """The tests of one pair by one metric, whose answers go to its part."""

    question: Question
    part: PairPart
    rope: Rope

    def run(self, brief: bool) -> None:
        """Run every test and its counterpart for which the scores are enough."""
        question, scores, part = self.question, self.question.scores, self.part
        asked = *part.pair, part.metric
        if not question.paired and self._is_only:
            self._by_itself("runs", scores.datasets[0], self._read_runs)
            return
        try:
            if not question.paired:
                self._run_apart(scores.runs(*asked), brief)
                return
            x = part.x = scores.differences(*asked, rho=question.rho)
        except InputError as error:
            part.error = error
            first = [t for t in question.twins if t.scope in ("datasets", "dataset")][:1]
            part.drafts += [self._draft(twin, "", error=str(error)) for twin in first]
            return
        twins = tests_of(question.twins, x)
        posteriors = self._over_datasets(PairedScores(x), x, twins, brief)
        if question.of_items(part.metric) and not x.rho.any():
            for dataset in scores.datasets:
                self._by_itself("items", dataset, self._read_items)
        self._on_datasets(x, twins, posteriors)

    def _run_apart(self, runs: Runs, brief: bool) -> None:
        """Run the tests of runs that do not pair, over data sets: by their means, which do."""
        twins = tuple(t for t in self.question.twins if t.test.datasets != ONE)
        means = runs.mean_differences()
        posteriors = self._over_datasets(IndependentRuns(runs), means, twins, brief)
        self._on_datasets(runs, twins, posteriors)

    def _draft(self, twin: Twin, dataset: str, *answer: Any, **more: Any) -> UnadjustedRow:
        return UnadjustedRow(twin, self.part.metric, dataset, self.part.pair, *answer, **more)

    def _read_runs(self, dataset: str) -> IndependentRuns:
        return IndependentRuns(self.question.scores.runs(*self.part.pair, self.part.metric))

    def _read_items(self, dataset: str) -> SharedItems:
        scores, part, rho = self.question.scores, self.part, self.question.rho
        return SharedItems(answers_of(scores, part.pair, part.metric, dataset, rho=rho))

    def _by_itself(
        self, scope: str, dataset: str, read: Callable[[str], IndependentRuns | SharedItems]
    ) -> None:
        """Run a scope's tests of unpaired data on a data set; they may give the pair's verdict."""
        verdicts: dict[str, Verdict] = {}
        of_one = (t for t in self.question.twins if t.scope == scope and t.test.datasets == ONE)
        for twin in of_one:
            try:
                scores = read(dataset)
                if twin.bayesian not in verdicts:
                    result = self._fit(scores, twin.test)
                    verdicts[twin.bayesian] = result.verdict
                    if self.part.main is None and self._is_only:
                        self.part.main = result
                test = FrequentistFacts.run(twin.check, scores.x, self.rope)
                draft = self._draft(twin, dataset, verdicts[twin.bayesian], test)
            except InputError as error:
                self.part.error = self.part.error or error
                draft = self._draft(twin, dataset, error=str(error))
            self.part.drafts.append(draft)

    def _over_datasets(
        self, scores: PairScores, x: Differences, twins: tuple[Twin, ...], brief: bool
    ) -> dict[str, Posterior]:
        """Test differences `x` (or means) over data sets, by each test once."""
        posteriors, errors = self._posteriors(scores, twins, brief)
        tests: dict[str, FrequentistFacts] = {}
        for twin in (t for t in twins if t.scope == "datasets"):
            name = twin.frequentist
            if name not in tests and name not in errors:
                try:
                    tests[name] = FrequentistFacts.run(twin.check, x, self.rope)
                except InputError as error:
                    errors[name] = str(error)
            why = errors.get(twin.bayesian, "") or errors.get(name, "")
            answer = self.part.verdicts.get(twin.bayesian), tests.get(name), why
            self.part.drafts.append(self._draft(twin, "", *answer, x.left_out))
        return posteriors

    def _posteriors(
        self, scores: PairScores, twins: tuple[Twin, ...], brief: bool
    ) -> tuple[dict[str, Posterior], dict[str, str]]:
        """Return the posteriors over the data sets, the main one first, and why some failed."""
        posteriors: dict[str, Posterior] = {}
        errors: dict[str, str] = {}
        over = {t.bayesian: t.test for t in twins if t.scope in ("datasets", "table")}
        for name, test in islice(over.items(), 1 if brief else None):
            first = not posteriors and not errors
            try:
                result = self._fit(scores, test)
            except EngineNotFound:
                raise
            except Exception as error:  # kept, and reported in the pair's rows
                errors[name] = str(error)
                self.part.error = error if first else self.part.error
                continue
            assert result.posterior is not None
            posteriors[name], self.part.verdicts[name] = result.posterior, result.verdict
            self.part.main = result if first else self.part.main
        return posteriors, errors

    def _ask(self, scores: PairScores, test: BayesianTest) -> PairQuestion:
        """Ask by a test, which takes those options that it knows."""
        options = test.shared(self.question.options)
        return PairQuestion(scores, self.rope, test, self.question.seed, options)

    def _fit(self, scores: PairScores, test: BayesianTest) -> PairResult:
        return record_result(self._ask(scores, test), self.question.threshold)

    def _on_datasets(
        self, x: Differences | Runs, twins: tuple[Twin, ...], over: Mapping[str, Posterior]
    ) -> None:
        """Test on each data set separately, or return a joint test's result for each of them."""
        areas = self.question.of_areas(self.part.metric)
        scopes = ("dataset", "areas") if areas else ("dataset",)
        scopes = ("runs",) if isinstance(x, Runs) else scopes
        verdicts: dict[str, list[Verdict | InputError]] = {}
        tests: dict[FrequentistTest, list[FrequentistFacts | InputError]] = {}
        for twin in (t for t in twins if t.scope in scopes):
            if twin.bayesian not in verdicts:
                verdicts[twin.bayesian] = self._decide_datasets(x, twin.test, over)
            if verdicts[twin.bayesian] and twin.check not in tests:
                tests[twin.check] = self._test_datasets(x, twin.check)
            answers = zip(verdicts[twin.bayesian], tests.get(twin.check, ()), strict=False)
            for dataset, answer in zip(x.datasets, answers, strict=False):
                left_out = x.left_out
                if left_out is not None and isinstance(x, Differences):
                    left_out = left_out.select_dataset(dataset)
                error = next((str(a) for a in reversed(answer) if isinstance(a, InputError)), "")
                both = (None, None) if error else answer
                self.part.drafts.append(self._draft(twin, dataset, *both, error, left_out))

    def _test_datasets(
        self, x: Differences | Runs, test: FrequentistTest
    ) -> list[FrequentistFacts | InputError]:
        """Test on each data set, at once if the test can, or return why not."""
        if test.by_row is not None:
            return [*FrequentistFacts.of_rows(test, x, self.rope)]
        return [_try(self._test_dataset, x.row(dataset), test) for dataset in x.datasets]

    def _test_dataset(self, row: Differences | Runs, test: FrequentistTest) -> FrequentistFacts:
        """Test on one data set, by the predictions for its items if the test compares areas."""
        items = self.question.scores.test_items if test.scope == "areas" else None
        x = row if items is None else items.pair(*row.names, *row.datasets)
        return FrequentistFacts.run(test, x, self.rope)

    def _decide_datasets(
        self, x: Differences | Runs, test: BayesianTest, over: Mapping[str, Posterior]
    ) -> list[Verdict | InputError]:
        """Return the verdict on each data set, or why not, from the test over them if possible."""
        question = self.question
        if test.name in over:
            return self._judge_datasets(over[test.name], self.part.verdicts[test.name], x.datasets)
        if test.by_row is not None and not self._is_only and not test.shared(question.options):
            asked = {"threshold": question.threshold, "seed": question.seed}
            return list(test.by_row(x, rope=self.rope, **asked))
        return [_try(self._decide_dataset, x.row(dataset), test) for dataset in x.datasets]

    @property
    def _is_only(self) -> bool:
        """Whether there is only one data set."""
        return len(self.question.scores.datasets) == 1

    def _decide_dataset(self, row: Differences | Runs, test: BayesianTest) -> Verdict:
        own = IndependentRuns(row) if isinstance(row, Runs) else PairedScores(row)
        if self._is_only and self.part.main is None:
            self.part.main = self._fit(own, test)
            return self.part.main.verdict
        posterior = self._ask(own, test).fit()
        return posterior.verdict_without_limits(threshold=self.question.threshold)

    def _judge_datasets(
        self, posterior: Any, like: Verdict, datasets: Sequence[str]
    ) -> list[Verdict | InputError]:
        """Return a verdict on each data set; none for a test without estimates for each."""
        if "datasets" not in posterior.shows:
            return []
        table = posterior.by_dataset()
        p = table[["p_left", "p_rope", "p_right"]].to_numpy()
        rows = dict(zip(map(str, table.index), p, strict=True))
        return [plain_verdict(rows[name], posterior.names, like) for name in datasets]


def _try(run: Callable[..., Result], *given: object) -> Result | InputError:
    try:
        return run(*given)
    except InputError as error:
        return error


def table_drafts(
    question: Question, metric: str, parts: Iterable[PairPart]
) -> list[UnadjustedRow]:
    """Draft tests that rank all algorithms together, in addition to each pair's own verdict."""
    parts, drafts = list(parts), []
    for twin in question.table_twins:
        means = question.scores.means(metric)[list(question.algorithms)]
        lower = question.scores.lower_is_better(metric)
        tests: dict[Pair, FrequentistFacts] = {}
        why = ""
        try:
            ranked = twin.check.call(means, lower_is_better=lower)
            tests = dict(zip(question.pairs, FrequentistFacts.of_pairs(ranked), strict=True))
        except InputError as error:
            why = str(error)
        for part in parts:
            answer = part.verdicts.get(twin.bayesian), tests.get(part.pair), why
            left_out = None if part.main is None else part.main.left_out
            drafts.append(UnadjustedRow(twin, metric, "", part.pair, *answer, left_out))
    return drafts


# Several metrics, or all algorithms at once, on each data set with its folds as blocks.


Answer = tuple[Verdict | None, FrequentistFacts | None, str, LeftOut | None]
Read = Callable[[tuple[str, ...]], Blocks]


def group_drafts(question: Question, metric: str) -> list[UnadjustedRow]:
    """Draft tests of all algorithms at once by one metric, on each data set."""
    twins = [t for t in question.twins if t.scope == "groups"]
    if not twins or len(question.algorithms) < GROUP or not question.scores.has_folds:
        return []
    return [
        draft
        for dataset in question.scores.datasets
        for draft in _draft_rows(question, (metric,), dataset, twins)
    ]


def joint_drafts(question: Question, dataset: str) -> list[UnadjustedRow]:
    """Draft tests of several metrics together on a data set, in pairs and of all algorithms."""
    scopes = ["metrics", *(["groups_metrics"] if len(question.algorithms) >= GROUP else [])]
    twins = [t for t in question.twins if t.scope in scopes]
    return _draft_rows(question, question.joint, dataset, twins)


def _draft_rows(
    question: Question, metrics: tuple[str, ...], dataset: str, twins: list[Twin]
) -> list[UnadjustedRow]:
    """Draft all tests and their counterparts on one data set; failed ones state the error."""

    def blocks_of(algorithms: tuple[str, ...]) -> Blocks:
        scores, rho = question.scores, question.rho
        return scores_blocks(
            scores, metrics=metrics, dataset=dataset, algorithms=algorithms, rho=rho
        )

    drafts = []
    for twin in twins:
        answers = _pair_by_pair if twin.scope == "metrics" else _all_at_once
        drafts += [
            UnadjustedRow(twin, ", ".join(metrics), dataset, pair, *answer)
            for pair, answer in answers(question, twin, blocks_of).items()
        ]
    return drafts


def _pair_by_pair(question: Question, twin: Twin, blocks_of: Read) -> dict[Pair, Answer]:
    if answers := _pairs_together(question, twin, blocks_of):
        return answers
    for pair in question.pairs:
        try:
            two = blocks_of(pair)
            verdict = _posterior(question, twin, two).verdict(threshold=question.threshold)
            answers[pair] = verdict, FrequentistFacts.run(twin.check, two), "", two.left_out
        except InputError as error:
            answers[pair] = None, None, str(error), None
    return answers


def _pairs_together(question: Question, twin: Twin, blocks_of: Read) -> dict[Pair, Answer]:
    """Answer for every pair at once; for none if a test cannot, a pair fails or folds differ."""
    test, check = twin.test.by_row, twin.check.by_row
    if test is None or check is None or _options(question, twin):
        return {}
    try:
        blocks = blocks_of(question.algorithms)
        if blocks.left_out:
            return {}
        asked = {"rope": _ropes(question, blocks), "threshold": question.threshold}
        verdicts = test(blocks, **asked, seed=question.seed)
        tests = FrequentistFacts.of_pairs(check(blocks))
    except InputError:
        return {}
    both = zip(question.pairs, verdicts, tests, strict=True)
    return {pair: (verdict, test, "", None) for pair, verdict, test in both}


def _all_at_once(question: Question, twin: Twin, blocks_of: Read) -> dict[Pair, Answer]:
    try:
        blocks = blocks_of(question.algorithms)
        verdicts = _posterior(question, twin, blocks).verdicts(threshold=question.threshold)
        tests = FrequentistFacts.of_pairs(twin.check.call(blocks))
    except InputError as error:
        return dict.fromkeys(question.pairs, (None, None, str(error), None))
    answers = zip(question.pairs, tests, strict=True)
    return {p: (verdicts[p], test, "", blocks.left_out) for p, test in answers}


def _posterior(question: Question, twin: Twin, blocks: Blocks) -> Any:
    ropes, options = _ropes(question, blocks), _options(question, twin)
    return twin.test.call(blocks, rope=ropes, seed=question.seed, **options)


def _ropes(question: Question, blocks: Blocks) -> dict[str, Rope]:
    return {m: question.ropes[m] for m in blocks.metrics}


def _options(question: Question, twin: Twin) -> dict[str, object]:
    """Take the options but the engine: it is a closed form; samplers are for the main test."""
    return {k: v for k, v in twin.test.shared(question.options).items() if k != "engine"}


# The tests of all algorithms at once, before the pairs.


def omnibus(question: Question) -> dict[str, TestResult]:
    """Test all (at least three) algorithms by each metric, unless one was not run everywhere."""
    results: dict[str, TestResult] = {}
    if len(question.algorithms) < GROUP:
        return results
    for metric in question.metrics:
        try:
            scope, x, options = _given_of_all(question, metric)
            for test in frequentist_tests(scope)[:1]:
                results[metric] = test.call(x, **options)
        except InputError:
            continue
    return results


def _given_of_all(question: Question, metric: str) -> tuple[str, Any, dict[str, bool]]:
    """Return the scope of the scores, the scores as it takes them, and which way is better."""
    scores, names = question.scores, question.algorithms
    if not question.paired and len(scores.datasets) == 1:
        runs = read_runs(scores, names, metric, scores.datasets[0])
        sign = scores.direction(metric).sign
        return "all_runs", {n: sign * x for n, x in zip(names, runs, strict=True)}, {}
    if len(scores.datasets) > 1:
        means = scores.means(metric)[list(names)]
        return "all_datasets", means, {"lower_is_better": scores.lower_is_better(metric)}
    blocks = scores_blocks(
        scores, metrics=(metric,), dataset=scores.datasets[0], algorithms=names, rho=question.rho
    )
    return "all_items" if question.of_items(metric) else "all_folds", blocks, {}


@validate_params(n_jobs=jobs, keep_posteriors=flag, progress=optional(flag))
def crosscheck(
    scores: Scores | Items | pd.DataFrame,
    metric: str | Iterable[str] | None = None,
    rope: RopesLike | None = None,
    *,
    metrics: Iterable[str] | None = None,
    algorithms: Iterable[str] | None = None,
    datasets: Iterable[str] | None = None,
    scale: str | None = None,
    twins: Iterable[Twin] | None = None,
    threshold: float = 0.95,
    alpha: float = 0.05,
    adjust: str = "holm",
    rho: RhoLike | None = None,
    seed: Seed = None,
    paired: bool | None = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
    keep_posteriors: bool = False,
    **options: object,
) -> CrossCheck:
    """Compare all pairs of algorithms by Bayesian tests and by their frequentist counterparts.

    A p-value measures how surprising the observed differences would be if the algorithms did not
    differ; a verdict states how probable it is that they differ enough to matter. Each row
    explains where the two disagree and why.

    Parameters
    ----------
    scores : Scores, Items or DataFrame
        Scores of at least two algorithms; items as from `Items.scores`. Counts of successes on one
        data set, as for `compare_counts`, are compared by Barnard's, Boschloo's and Fisher's
        tests.
    metric : str or iterable of str, optional
        Several are taken each alone and all together. May be left out if there is only one.
        Metrics that follow from columns tp, fn, fp and tn need not be columns.
    rope : float or (float, float) or mapping, optional
        Region of practical equivalence, for all metrics or one per metric; by default the
        direction is judged.
    metrics : iterable of str, optional
        Metrics to compare by together, in addition to ``metric`` alone. Without ``metric`` each of
        them is also compared alone.
    algorithms, datasets : iterable of str, optional
        Only these.
    scale : {"difference", "log_ratio", "standardised"}, optional
        As for `compare`.
    twins : iterable of Twin, optional
        The tests to run, if the scores suffice; by default those that `bayescmp.catalogue`
        declares ``by_default``.
    threshold, alpha : float
        Probability required for a decision; level at which an adjusted p-value is significant.
    adjust : str
        How p-values are adjusted over the pairs (of a data set); see
        `bayescmp.frequentist.adjust`.
    rho : float or array_like, optional
        Correlation of two folds' differences; from the fold labels if not given.
    seed : int or numpy Generator, optional
        The same seed gives the same numbers on the same engine.
    paired : bool, optional
        Whether scores of the same folds or seeds pair; by default as for `compare`.
    n_jobs, progress
        As for `compare_all`.
    keep_posteriors : bool
        Whether to keep the posterior of each pair's main test, in ``comparisons``.
    **options
        For the Bayesian tests that take them: engine, draws, ...; prior is for the hierarchical
        test.

    Returns
    -------
    CrossCheck
        ``pairs`` has one row per pair, ``frame`` one per pair of twins.

    Raises
    ------
    InputError
        Unknown names or options, a bad ROPE, threshold or level; the first error if all pairs
        fail.
    EngineNotFound
        If the requested engine is not installed.

    Warns
    -----
    DiagnosticWarning
        If pairs could not be compared or cannot be trusted.

    References
    ----------
    Benavoli, Corani, Demšar & Zaffalon (2017), JMLR 18(77).

    See Also
    --------
    compare_all, report, procedure

    Examples
    --------
    >>> import bayescmp as bc
    >>> import pandas as pd
    >>> knn, svm = [0.80, 0.78, 0.81, 0.79, 0.82, 0.77], [0.87, 0.88, 0.86, 0.87, 0.86, 0.88]
    >>> means = pd.DataFrame({"knn": knn, "svm": svm})
    >>> scores = bc.Scores.from_means(means, metric="accuracy")
    >>> check = bc.crosscheck(scores, rope=0.01, seed=1, progress=False)
    >>> check.pairs[["decision", "agreement"]].values.tolist()
    [['second', 'agree']]
    """
    asked: Json = {
        "algorithms": algorithms,
        "datasets": datasets,
        "threshold": threshold,
        "alpha": alpha,
        "adjust": adjust,
        "seed": seed,
    }
    of_scores: Json = {
        "metrics": metrics,
        "twins": twins,
        "rho": rho,
        "scale": scale,
        "paired": paired,
    }
    try:
        question = ask_question(scores, metric, rope, **asked, **of_scores, options=options)
    except CountsError:
        return crosscheck_counts(scores, rope, {"metric": metric, **of_scores, **options}, **asked)
    keep = None if keep_posteriors else PairPart.light
    parts = compare_each_pair(question, keep=keep, n_jobs=n_jobs, progress=progress)
    return conclude(question, parts)


#: Functions that reduce a part in the process that computed it; None keeps the whole.
Keep: TypeAlias = Callable[[PairPart], PairPart] | None


def compare_each_pair(
    question: Question,
    *,
    keep: Keep = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
    brief: Container[Pair] = (),
) -> Iterator[PairPart]:
    """Yield each pair's part, in processes as `compare_all` uses them.

    By metric, then by pair. An importable `keep` reduces a part where it was computed; for `brief`
    pairs only the main Bayesian test is done. If all fail by a metric, the first error is raised.
    """
    steps = [(metric, pair) for metric in question.metrics for pair in question.pairs]
    added = registered_tests()
    tasks = ((question, metric, pair, pair in brief, keep, added) for metric, pair in steps)
    solved = solve_tasks(_compute_part, tasks, len(steps), n_jobs)
    errors: list[Exception] = []
    for part in with_bar(solved, "pairs", progress, len(steps)):
        if part.pair == question.pairs[0]:
            errors = []
        if part.failed and part.error is not None:
            errors.append(part.error)
        if len(errors) == len(question.pairs):
            raise errors[0]
        yield part


def _compute_part(
    question: Question,
    metric: str,
    pair: Pair,
    brief: bool,
    keep: Keep,
    added: tuple[BayesianTest | FrequentistTest, ...],
) -> PairPart:
    register_missing(added)
    part = pair_part(question, metric, pair, brief=brief)
    return part if keep is None else keep(part)


def conclude(
    question: Question,
    parts: Iterable[PairPart],
    *,
    progress: bool | None = None,
    alone: Alone | None = None,
) -> CrossCheck:
    """Add what needs all pairs: tests of all algorithms, adjusted p-values, the wording."""
    parts = list(parts)
    drafts: list[UnadjustedRow] = []
    comparisons: dict[str, Comparisons] = {}
    for metric in question.metrics:
        of_metric = [part for part in parts if part.metric == metric]
        drafts += [draft for part in of_metric for draft in part.drafts]
        drafts += table_drafts(question, metric, of_metric) + group_drafts(question, metric)
        comparisons[metric] = _comparisons(question, metric, of_metric)
    if question.joint:
        for dataset in with_bar(question.scores.datasets, "data sets", progress):
            drafts += joint_drafts(question, dataset)
    if not drafts:
        raise must(
            "scores",
            "have at least two folds or data sets for a frequentist counterpart",
            "fewer",
            "If each data set has one fold, use several.",
        )
    rows = judge_drafts(drafts, question, alone)
    notes: tuple[str, ...] = ()
    if stand_ins(drafts, question):
        notes = (
            f"p-values of some pairs are missing: for these, Holm's procedure replaces "
            f"{question.adjust}, which needs all of them",
        )
        warn_user(*notes)
    warn_of_pairs(
        [item for c in comparisons.values() for item in c.results.items()],
        [item for c in comparisons.values() for item in c.failures.items()],
    )
    kept = ("algorithms", "metrics", "joint", "ropes", "threshold", "alpha", "adjust", "seed")
    asked: Json = {name: getattr(question, name) for name in kept}
    return CrossCheck(
        rows=tuple(rows),
        datasets=question.scores.datasets,
        comparisons=comparisons,
        omnibus=omnibus(question),
        notes=notes,
        **asked,
    )


def _comparisons(question: Question, metric: str, parts: list[PairPart]) -> Comparisons:
    results = {part.pair: part.main for part in parts if part.main is not None}
    failures = {p.pair: p.error for p in parts if p.main is None and p.error is not None}
    return collect_comparisons(question, metric, results, failures)
