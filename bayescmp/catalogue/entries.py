"""What a line of the catalogue holds."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, TypeAlias

from bayescmp.errors import unknown_name

if TYPE_CHECKING:
    from bayescmp.checks import Seed
    from bayescmp.verdict.rope import RopesLike


__all__ = [
    "ANY",
    "GROUP",
    "ONE",
    "SCOPES",
    "SEVERAL",
    "TWO",
    "BayesianTest",
    "FrequentistTest",
    "Sizes",
    "Span",
]

#: A test's function: arguments and result are its own.
Function: TypeAlias = Callable[..., Any]

#: How many a test takes: the least and the most.
Span = tuple[int, int | None]
ONE: Span = (1, 1)
TWO: Span = (2, 2)
SEVERAL: Span = (2, None)
GROUP: Span = (3, None)
ANY: Span = (1, None)

#: What a frequentist test is given, and with it what a row of a cross-check is about.
SCOPES = {
    "datasets": "the differences of two algorithms over several data sets",
    "table": "as datasets; the frequentist test ranks all algorithms together",
    "dataset": "the differences of two algorithms on one data set",
    "metrics": "several metrics of two algorithms on one data set",
    "groups": "all algorithms on one data set by one metric, folds as blocks",
    "groups_metrics": "as groups, by several metrics",
    "items": "right and wrong answers of two algorithms to the same items",
    "runs": "scores of two algorithms' runs with seeds of their own, which do not pair",
    "all_datasets": "the means of all algorithms over several data sets, in one test",
    "all_folds": "scores of all algorithms on one data set, folds as blocks",
    "all_items": "right and wrong answers of all algorithms to the same items",
    "all_runs": "scores of all algorithms' runs, which do not pair",
    "areas": "two algorithms' predictions for the same test items, where they were kept",
}
#: Arguments that callers fill in themselves: all others are options of the user's.
_GIVEN = {
    "x",
    "first",
    "second",
    "clusters",
    "xs",
    "scores",
    "wins",
    "metric",
    "rho",
    "rope",
    "seed",
    "names",
    "metrics",
    "dataset",
    "algorithms",
    "options",
    "lower_is_better",
}
#: What tests of a unit take besides: those for graded scores of items right and wrong ones, those
#: of folds the areas that follow from the values by which items are ranked.
ITEMS = {"items": ("items", "answers"), "folds": ("folds", "values")}
#: Options that a closed form accepts and ignores: it has one engine, and no progress to show.
_HARMLESS = {"engine": ("auto", "exact"), "progress": (False, True)}


@dataclass(frozen=True)
class Sizes:
    """How much there is to compare: ``folds`` is the smallest number of scores on a data set.

    ``unit`` is what is scored: "folds", "items", or "answers" where items are independent and
    right or wrong.
    """

    metrics: int = 1
    algorithms: int = 2
    datasets: int = 1
    folds: int = 2
    paired: bool = True
    unit: str = "folds"


@dataclass(frozen=True, eq=False)
class BayesianTest:
    """A Bayesian test.

    Attributes
    ----------
    name : str
        What ``test=`` calls it.
    function : callable or str
        ``function(x, *, rope, seed, **options) -> Posterior``; ``x`` is a `Differences` for two
        algorithms and one metric, else `Blocks`, of several data sets a list of them. By its path,
        "package.module:name", it is imported when it is first called.
    title : str
        As written in tables: "signed rank".
    says : str
        As written in a methods paragraph: "the Bayesian signed-rank test".
    cites : tuple of str
        Keys of `bayescmp.references.REFERENCES`.
    twins : tuple of str or (str, str)
        The frequentist tests that answer the same question, with their scope where a name has
        several.
    metrics, algorithms, datasets : (int, int or None)
        The least and the most that it takes; None for no limit.
    folds : int
        Least scores on each data set. A test that needs a single one looks at means alone: the
        correlation of folds does not matter to it.
    aliases : tuple of str
        Other names for it; its own without a final "_t" is always understood.
    prior : object
        Its default prior, if the option ``prior`` of a cross-check is meant for it. Other tests,
        for which a prior is something else, do not take that option.
    paired : bool
        Whether scores of the same folds or seeds pair. A test of runs that do not is given
        `bayescmp.unpaired.UnpairedScores`.
    unit : str
        "folds"; or "items" for a test whose ``x`` is an `ItemPair` of one benchmark, "answers"
        where the items have to be independent and right or wrong.
    """

    name: str
    function: Function | str
    title: str
    says: str = ""
    cites: tuple[str, ...] = ()
    twins: tuple[str | tuple[str, str], ...] = ()
    metrics: Span = ONE
    algorithms: Span = TWO
    datasets: Span = ONE
    folds: int = 2
    aliases: tuple[str, ...] = ()
    prior: object = None
    paired: bool = True
    unit: str = "folds"

    @cached_property
    def call(self) -> Function:
        """The function itself."""
        return _imported(self.function)

    @property
    def sentence(self) -> str:
        """As a methods paragraph writes it."""
        return self.says or f"the Bayesian {self.title} test"

    @property
    def on_means(self) -> bool:
        """Whether it looks at each data set's mean only."""
        return self.folds == 1

    @property
    def names(self) -> tuple[str, ...]:
        """All names that are understood."""
        return (self.name, self.name.removesuffix("_t"), *self.aliases)

    def compares(self, *, metrics: int, algorithms: int) -> bool:
        """Whether it takes this many metrics and algorithms."""
        sizes = _within(metrics, self.metrics) and _within(algorithms, self.algorithms)
        return sizes and self.unit == "folds"

    def fits(self, sizes: Sizes) -> bool:
        """Whether it takes scores of these sizes."""
        return (
            _within(sizes.metrics, self.metrics)
            and _within(sizes.algorithms, self.algorithms)
            and _within(sizes.datasets, self.datasets)
            and sizes.folds >= self.folds
            and sizes.paired == self.paired
            and sizes.unit in ITEMS.get(self.unit, (self.unit,))
        )

    def options(self) -> set[str]:
        """Names of the options it takes."""
        return set(self._parameters) - _GIVEN

    def shared_options(self) -> set[str]:
        """Options it takes in a cross-check."""
        return self.options() - ({"prior"} if self.prior is None else set())

    def checked(self, options: Mapping[str, object]) -> dict[str, object]:
        """The options that were given, None meaning that one was not.

        Raises
        ------
        InputError
            For an option that the test does not take.
        """
        known = self.options()
        given = {
            k: v
            for k, v in options.items()
            if v is not None and (k in known or v not in _HARMLESS.get(k, ()))
        }
        for option in given:
            if option not in known and not self._passes_on:
                raise unknown_name(f"option of {self.name}", option, sorted(known))
        return given

    @cached_property
    def _parameters(self) -> dict[str, object]:
        """What the function takes; read once, as every pair of algorithms asks for it."""
        parameters = inspect.signature(self.call).parameters
        return {name: parameter.kind for name, parameter in parameters.items()}

    @property
    def _passes_on(self) -> bool:
        """Whether the function checks its options itself (it takes ``**options``)."""
        return inspect.Parameter.VAR_KEYWORD in self._parameters.values()

    def shared(self, options: Mapping[str, object]) -> dict[str, object]:
        """The options that this test takes, out of those given for several tests."""
        known = self.shared_options()
        return {k: v for k, v in options.items() if k in known and v is not None}

    def fit(self, x: object, *, rope: RopesLike, seed: Seed, options: Mapping[str, object]) -> Any:
        """The posterior; the options have gone through `checked` or `shared`."""
        return self.call(x, rope=rope, seed=seed, **options)


@dataclass(frozen=True, eq=False)
class FrequentistTest:
    """A frequentist test, as a twin of Bayesian ones.

    Attributes
    ----------
    name : str
    function : callable or str
        As for `BayesianTest`: ``function(x) -> result``, with what the scope says as ``x``; the
        result has statistic, pvalue and estimate, of all pairs difference, statistic, pvalue,
        adjusted and adjust. In the scope "table" it is
        ``function(means, lower_is_better=...) -> PosthocResult``, in "all_datasets" the same with
        a `TestResult`.
    title, says, cites
        As for `BayesianTest`.
    scope : str
        One of `SCOPES`.
    equal : float
        The estimate where neither algorithm is better.
    claims : str
        What a small p-value supports: a "difference" or "equivalence". A test of equivalence is
        ``function(x, *, rope) -> TestResult``.
    equivalence : str
        The test of equivalence, of the same scope, that stands beside it in a cross-check.
    rows : callable, str or None
        For a test in the scope "dataset", if there is one, the same on every data set at once:
        ``function(differences) -> RowTests``.
    """

    name: str
    function: Function | str
    title: str
    scope: str
    says: str = ""
    cites: tuple[str, ...] = ()
    equal: float = 0.0
    claims: str = "difference"
    equivalence: str = ""
    rows: Function | str | None = None

    @cached_property
    def call(self) -> Function:
        """The function itself."""
        return _imported(self.function)

    @cached_property
    def by_row(self) -> Function | None:
        """The function on every data set at once, if there is one."""
        return None if self.rows is None else _imported(self.rows)

    @property
    def sentence(self) -> str:
        """As a methods paragraph writes it."""
        return self.says or f"the {self.title} test"

    def favours(self, result: object) -> str:
        """The side that a result's estimate is on, "first" or "second"; "" where it has none."""
        estimate = getattr(result, "estimate", None)
        if not isinstance(estimate, float):
            return ""
        lead = estimate - self.equal
        return "second" if lead > 0 else "first" if lead < 0 else ""


def _imported(function: Function | str) -> Function:
    return resolve_name(function) if isinstance(function, str) else function


def _within(count: int, span: Span) -> bool:
    least, most = span
    return count >= least and (most is None or count <= most)
