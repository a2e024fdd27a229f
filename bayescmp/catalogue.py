"""The catalogue: everything the rest of the package knows about each test, one line per test.

`compare` finds a test here by its name or chooses it, `crosscheck` runs it with its frequentist
counterparts, the report describes and cites it, and `which_test` and ``bayescmp info tests`` list
it. Your own test is one more line, in this package or another one:

    >>> from bayescmp import bayesian
    >>> from bayescmp.catalogue import BayesianTest, register, unregister
    >>> def plain_t(x, *, rope, seed=None):
    ...     return bayesian.correlated_t(x.x[0], rho=0, rope=rope, names=x.names, seed=seed)
    >>> register(BayesianTest("plain_t", plain_t, "plain t", twins=("paired_t",)))
    >>> import bayescmp as bc
    >>> bc.which_test(datasets=1).tests
    ('correlated_t', 'robust_t', 'plain_t')
    >>> unregister("plain_t")

An installed package announces its tests to every process, the command line included, as entry
points of the group ``bayescmp.tests``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from pkgutil import resolve_name
from typing import Any, TypeAlias

from bayescmp.base.arguments import arg, must
from bayescmp.base.checks import RhoLike, instance, one_of, optional, text, validate_params
from bayescmp.bayesian.hierarchical.problem import HierarchicalPrior
from bayescmp.errors import unknown_name
from bayescmp.wording.references import REFERENCES, SOURCES, cite_test

__all__ = [
    "BAYESIAN",
    "FREQUENTIST",
    "GROUP",
    "OWN",
    "SCOPES",
    "BayesianTest",
    "FrequentistTest",
    "Sizes",
    "Span",
    "bayesian_test",
    "bayesian_tests",
    "cited",
    "frequentist_test",
    "frequentist_tests",
    "preferred",
    "title",
    "twins_of",
]


# Fields of a line of the catalogue.


#: A test's function, with any arguments and result.
Function: TypeAlias = Callable[..., Any]

#: The least and the most algorithms, metrics or data sets of a test.
Span = tuple[int, int | None]
ONE: Span = (1, 1)
TWO: Span = (2, 2)
SEVERAL: Span = (2, None)
GROUP: Span = (3, None)
ANY: Span = (1, None)

#: The input of a frequentist test, which is also the subject of a row of a cross-check.
SCOPES = {
    "datasets": "two algorithms over several data sets",
    "table": "two of all algorithms, ranked over several data sets",
    "dataset": "two algorithms on one data set",
    "metrics": "two algorithms on one data set, several metrics",
    "groups": "two of all algorithms on one data set",
    "groups_metrics": "two of all algorithms on one data set, several metrics",
    "items": "two algorithms' answers to the same questions",
    "runs": "two algorithms' unpaired runs",
    "all_datasets": "all algorithms over several data sets",
    "all_folds": "all algorithms on one data set",
    "all_items": "all algorithms' answers to the same questions",
    "all_runs": "all algorithms' unpaired runs",
    "areas": "two algorithms' predictions for the same test cases",
    "counts": "two algorithms' successes in independent trials",
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
#: Other inputs that tests of a unit accept. Tests for graded scores of items accept right and
#: wrong answers. Tests of folds accept the areas computed from the values that rank the items.
ITEMS = {"items": ("items", "answers"), "folds": ("folds", "values")}
#: Options that a closed form accepts and ignores: it has one engine, and no progress to show.
_HARMLESS = {"engine": ("auto", "exact"), "progress": (False, True)}


@dataclass(frozen=True)
class Sizes:
    """The size of a comparison; ``words`` describe it.

    ``folds`` is the smallest number of scores on a data set. ``unit`` is what is scored: "folds",
    "items", "answers" (independent, right or wrong), "judged" (humans scored some), or "counts".
    """

    metrics: int = 1
    algorithms: int = 2
    datasets: int = 1
    folds: int = 2
    paired: bool = True
    unit: str = "folds"
    words: str = ""


@dataclass(frozen=True, eq=False)
class _Test:
    """A test's name, function or its path, title, how it decides, and `settings` that make it."""

    name: str
    function: Function | str
    title: str
    decides: Function | str | None = field(default=None, kw_only=True)
    rows: Function | str | None = field(default=None, kw_only=True)
    settings: Mapping[str, object] = field(default_factory=dict, kw_only=True)

    @cached_property
    def call(self) -> Function:
        """The function itself, with its settings."""
        function = _import_function(self.function)
        return partial(function, **self.settings) if self.settings else function

    @cached_property
    def decide(self) -> Function | None:
        """The function that decides simulated tables, if there is one."""
        return _import_function(self.decides)

    @cached_property
    def by_row(self) -> Function | None:
        """The function on every row at once, if there is one: data sets, or pairs."""
        return _import_function(self.rows)


@dataclass(frozen=True, eq=False)
class BayesianTest(_Test):
    """A Bayesian test.

    Attributes
    ----------
    name : str
        Its name in ``test=``.
    function : callable or str
        ``function(x, *, rope, seed, **options) -> Posterior``; ``x`` is a `Differences` for two
        algorithms and one metric, else `Blocks`, or a list of them for several data sets. A path,
        "package.module:name", is imported when it is first called.
    title : str
        As written in tables: "signed rank".
    settings : mapping
        Arguments of the function that make it this test: ``{"noise": "t"}``.
    says : str
        As written in a methods paragraph: "the Bayesian signed-rank test".
    cites : tuple of str
        Keys of `bayescmp.wording.references.REFERENCES`.
    twins : tuple of str or (str, str)
        The frequentist counterparts, with their scope if a name has several.
    metrics, algorithms, datasets : (int, int or None)
        The least and the most that it takes; None for no limit.
    folds : int
        Least scores on each data set; 1: only means are used, and rho does not matter.
    aliases : tuple of str
        Other names for it; its own without a final "_t" is always understood.
    prior : object
        Its default prior, if it takes the option ``prior`` of a cross-check.
    paired : bool
        Whether scores of the same folds or seeds pair; if not, ``x`` is `bayescmp.Runs`.
    unit : str
        "folds"; "items" or "answers" for an `ItemPair` of one benchmark, or "judged" with human
        scores; "counts" for a mapping of two names to successes and trials; "means" for
        `MeanDifferences`.
    by_default : bool
        Whether every cross-check runs it, or only one with ``twins=[Twin(...)]``.
    own_units : bool
        Whether its ROPE has its own units, such as mean ranks.
    decides : callable, str or None
        For `calibrate`: ``function(differences, rule) -> str``, with a
        `bayescmp.study.planning.deciding.Rule`.
    rows : callable, str or None
        For a test of one data set, verdicts on every data set, or with several metrics on every
        pair, at once: ``function(x, *, rope, threshold, seed) -> list of Verdict``.
    """

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
    by_default: bool = False
    own_units: bool = False

    @property
    def sentence(self) -> str:
        """The test as a methods paragraph names it."""
        return self.says or f"the Bayesian {self.title} test"

    @property
    def on_means(self) -> bool:
        """Whether it looks at each data set's mean only."""
        return self.folds == 1

    @property
    def names(self) -> tuple[str, ...]:
        """All names that are understood."""
        return (self.name, self.name.removesuffix("_t"), *self.aliases)

    def compares(self, metrics: int, algorithms: int) -> bool:
        """Whether it takes this many metrics and algorithms."""
        return _is_within(metrics, self.metrics) and _is_within(algorithms, self.algorithms)

    def fits(self, sizes: Sizes) -> bool:
        """Whether it takes scores of these sizes."""
        return (
            self.compares(sizes.metrics, sizes.algorithms)
            and _is_within(sizes.datasets, self.datasets)
            and sizes.folds >= self.folds
            and sizes.paired == self.paired
            and sizes.unit in ITEMS.get(self.unit, (self.unit,))
        )

    def options(self) -> set[str]:
        """Names of the options that it takes."""
        return set(self._parameters) - _GIVEN - set(self.settings)

    def shared_options(self) -> set[str]:
        """Names of the options that it takes in a cross-check."""
        return self.options() - ({"prior"} if self.prior is None else set())

    def checked(self, options: Mapping[str, object]) -> dict[str, object]:
        """Return the given options (not None); refuse one that the test does not take."""
        known = self.options()
        given = {
            k: v
            for k, v in options.items()
            if v is not None and (k in known or v not in _HARMLESS.get(k, ()))
        }
        for option in given:
            typed = arg(option)
            if typed != option and option in {"engine", "prior"} - self.shared_options():
                raise must(option, f"be left out for the test {self.name}")
            if option not in known and (option in self.settings or not self._passes_on):
                raise unknown_name(f"option of {self.name}", option, sorted(known), option)
        return given

    @cached_property
    def _parameters(self) -> dict[str, object]:
        """Parameters of the function, read only once since every pair of algorithms uses them."""
        parameters = inspect.signature(self.call).parameters
        return {name: parameter.kind for name, parameter in parameters.items()}

    @property
    def _passes_on(self) -> bool:
        """Whether the function checks its options itself (it takes ``**options``)."""
        return inspect.Parameter.VAR_KEYWORD in self._parameters.values()

    def shared(self, options: Mapping[str, object]) -> dict[str, object]:
        """Return the options that this test takes, out of those given for several tests."""
        known = self.shared_options()
        return {k: v for k, v in options.items() if k in known and v is not None}


@dataclass(frozen=True, eq=False)
class FrequentistTest(_Test):
    """A frequentist test, as the counterpart of Bayesian ones.

    Attributes
    ----------
    name : str
    function : callable or str
        As for `BayesianTest`: ``function(x) -> result``; the scope defines ``x``. The result has
        statistic, pvalue and estimate; for all pairs difference, statistic, pvalue, adjusted and
        adjust. In the scopes "table" and "all_datasets" it is
        ``function(means, lower_is_better=...)``, with a PosthocResult or a `TestResult`.
    title, settings, says, cites
        As for `BayesianTest`.
    scope : str
        One of `SCOPES`.
    equal : float
        The estimate if neither algorithm is better.
    claims : str
        What a small p-value supports: a "difference" or "equivalence", by
        ``function(x, *, rope)``.
    equivalence : str
        The test of equivalence, of the same scope, that a cross-check shows with it.
    says_by_margin : str
        For a test of equivalence, its description if one bound of the ROPE is infinite.
    rows : callable, str or None
        In the scope "dataset", the same on every data set at once:
        ``function(differences) -> RowTests``, with ``rope=`` for equivalence.
    decides : callable, str or None
        As for `BayesianTest`, for a test over data sets.
    """

    scope: str
    says: str = ""
    cites: tuple[str, ...] = ()
    equal: float = 0.0
    claims: str = "difference"
    equivalence: str = ""
    says_by_margin: str = ""

    @property
    def sentence(self) -> str:
        """The test as a methods paragraph names it."""
        return self.says or f"the {self.title} test"

    def favours(self, result: object) -> str:
        """Side that a result's estimate is on, "first" or "second"; "" if it has none."""
        estimate = getattr(result, "estimate", None)
        if not isinstance(estimate, float):
            return ""
        lead = estimate - self.equal
        return "second" if lead > 0 else "first" if lead < 0 else ""


def _import_function(function: Function | str | None) -> Any:
    return resolve_name(function) if isinstance(function, str) else function


def _is_within(count: int, span: Span) -> bool:
    least, most = span
    return count >= least and (most is None or count <= most)


# The tests, one entry each, and how they are added and looked up.


#: The package's own, in the order in which they are preferred: of those that fit, "auto" takes the
#: first.
OWN = (
    BayesianTest("correlated_t", "bayescmp.bayesian:correlated_t", "correlated t",
                 "the Bayesian correlated t test on the data set's folds",
                 ("corani2015",), ("corrected_t", "delong"), by_default=True,
                 rows="bayescmp.bayesian.paired.correlated:decide_each_dataset"),
    BayesianTest("robust_t", "bayescmp.bayesian:robust_t", "robust correlated t",
                 "the Bayesian correlated t test with t-distributed folds", ("corani2015",)),
    BayesianTest("hierarchical_t", "bayescmp.bayesian:hierarchical_t", "hierarchical t",
                 "the Bayesian hierarchical correlated t test, about the most probable "
                 "outcome on a new data set", ("corani2017",),
                 ("wilcoxon", "sign_test", "corrected_t"),
                 datasets=SEVERAL, prior=HierarchicalPrior.corani2017(), by_default=True,
                 decides="bayescmp.study.planning.deciding:by_hierarchical_t"),
    BayesianTest("signed_rank", "bayescmp.bayesian:signed_rank", "signed rank",
                 "the Bayesian signed-rank test on the data sets' mean differences",
                 ("benavoli2014",), ("wilcoxon", "quade"), datasets=SEVERAL, folds=1,
                 by_default=True),
    BayesianTest("sign", "bayescmp.bayesian:sign", "sign",
                 "the Bayesian sign test on the data sets' mean differences",
                 ("benavoli2017",), ("sign_test", "friedman"), datasets=SEVERAL, folds=1,
                 by_default=True),
    BayesianTest("multivariate_t", "bayescmp.bayesian.multivariate.fit:multivariate_t_of_pair",
                 "multivariate t", "the Bayesian multivariate correlated t test", ("corani2015",),
                 ("hotelling_paired",), metrics=SEVERAL,
                 aliases=("correlated", "correlated_t"), by_default=True,
                 rows="bayescmp.bayesian.multivariate.fit:decide_all_pairs"),
    BayesianTest("robust_multivariate_t",
                 "bayescmp.bayesian.multivariate.fit:multivariate_t_of_pair",
                 "robust multivariate t",
                 "the Bayesian multivariate correlated t test with t-distributed folds",
                 ("corani2015",), metrics=SEVERAL, aliases=("robust", "robust_t"),
                 settings={"noise": "t"}),
    BayesianTest("hierarchical_multivariate_t", "bayescmp.bayesian:hierarchical_multivariate_t",
                 "hierarchical multivariate t",
                 cites=("corani2017",), metrics=SEVERAL, datasets=SEVERAL,
                 aliases=("hierarchical", "hierarchical_t")),
    BayesianTest("groups", "bayescmp.bayesian:groups", "groups",
                 "the Bayesian comparison of all algorithms with folds as blocks", (),
                 ("tukey", "pairwise_hotelling"), metrics=ANY, algorithms=GROUP,
                 by_default=True),
    BayesianTest("joint_t", "bayescmp.bayesian:joint_t", "joint t",
                 "the joint Bayesian hierarchical correlated t test of all algorithms",
                 ("corani2017", "gelman2012"), algorithms=GROUP, datasets=SEVERAL),
    BayesianTest("bootstrap", "bayescmp.bayesian:bootstrap", "bootstrap over data sets",
                 "the Bayesian bootstrap over data sets", ("rubin1981",), algorithms=GROUP,
                 datasets=SEVERAL, folds=1),
    BayesianTest("leaderboard", "bayescmp.bayesian:leaderboard", "average of these benchmarks",
                 "the Bayesian average over given benchmarks", ("miller2024",), algorithms=GROUP,
                 datasets=SEVERAL, folds=1),
    BayesianTest("bayesian_friedman", "bayescmp.bayesian:friedman", "Bayesian Friedman",
                 "the Bayesian Friedman test", ("benavoli2015",), algorithms=GROUP,
                 datasets=SEVERAL, folds=1, own_units=True),
    BayesianTest("bradley_terry", "bayescmp.bayesian:bradley_terry", "Bradley-Terry",
                 "the Bayesian Bradley-Terry model of pairwise wins", ("wainer2023",),
                 algorithms=GROUP, datasets=SEVERAL, folds=1, own_units=True),
    BayesianTest("plackett_luce", "bayescmp.bayesian:plackett_luce", "Plackett-Luce",
                 "the Bayesian Plackett-Luce model of rankings", ("turner2020",),
                 algorithms=GROUP, datasets=SEVERAL, folds=1, own_units=True),
    BayesianTest("paired_proportions", "bayescmp.bayesian:paired_proportions",
                 "paired proportions", "the Bayesian comparison of paired proportions",
                 ("agresti2005",), (("mcnemar", "items"),), unit="answers", by_default=True),
    BayesianTest("cluster_bootstrap", "bayescmp.bayesian:cluster_bootstrap",
                 "bootstrap over clusters", "the Bayesian bootstrap over clusters of items",
                 ("rubin1981", "miller2024"), unit="items"),
    BayesianTest("question_bootstrap", "bayescmp.bayesian:question_bootstrap",
                 "bootstrap over questions", "the Bayesian bootstrap over questions",
                 ("rubin1981", "miller2024"), unit="items", algorithms=GROUP),
    BayesianTest("judge_corrected", "bayescmp.bayesian.paired.judge:judge_corrected_of_pair",
                 "judge corrected",
                 "the Bayesian correction of a judge's scores by human scores",
                 ("angelopoulos2023",), unit="judged"),
    BayesianTest("proportions", "bayescmp.bayesian:proportions", "independent proportions",
                 "the Bayesian comparison of independent proportions", ("agresti2005",),
                 ("barnard", "boschloo", "fisher"), folds=1, unit="counts"),
    BayesianTest("hierarchical_two_sample_t", "bayescmp.bayesian:hierarchical_t",
                 "hierarchical two-sample t",
                 "the Bayesian hierarchical t test of independent runs, which share one variance "
                 "on a data set, about the most probable outcome on a new data set",
                 ("corani2017",), ("wilcoxon", "sign_test", "welch"), datasets=SEVERAL,
                 aliases=("hierarchical_t", "hierarchical"), paired=False,
                 prior=HierarchicalPrior.corani2017(), by_default=True),
    BayesianTest("two_sample_t", "bayescmp.bayesian.unpaired:two_sample_t_of_runs",
                 "two-sample t",
                 "the Bayesian two-sample t test with unequal variances", (),
                 ("welch", "brunner_munzel", "mann_whitney"), paired=False, by_default=True),
    BayesianTest("means_with_errors", "bayescmp.bayesian:means_with_errors", "means with errors",
                 "the Bayesian comparison of means with standard errors", ("corani2017",),
                 datasets=ANY, unit="means"),
)  # fmt: skip

_FREQUENTIST = (
    FrequentistTest("wilcoxon", "bayescmp.frequentist:wilcoxon", "Wilcoxon", "datasets",
                    cites=SOURCES["wilcoxon"], equivalence="tost_signed_rank",
                    decides="bayescmp.study.planning.deciding:by_wilcoxon"),
    FrequentistTest("sign_test", "bayescmp.frequentist.signs:sign_test_of_means",
                    "sign test", "datasets", "the sign test", SOURCES["sign"], equal=0.5,
                    equivalence="tost_means"),
    FrequentistTest("friedman", "bayescmp.frequentist:posthoc", "Friedman", "table",
                    cites=SOURCES["friedman"], settings={"test": "friedman", "adjust": "none"}),
    FrequentistTest("quade", "bayescmp.frequentist:posthoc", "Quade", "table",
                    cites=SOURCES["quade"], settings={"test": "quade", "adjust": "none"}),
    FrequentistTest("aligned", "bayescmp.frequentist:posthoc", "aligned ranks", "table",
                    "the test of aligned ranks", SOURCES["aligned"],
                    settings={"test": "aligned", "adjust": "none"}),
    FrequentistTest("wilcoxon", "bayescmp.frequentist:posthoc", "Wilcoxon", "table",
                    cites=SOURCES["wilcoxon"], settings={"test": "wilcoxon", "adjust": "none"}),
    FrequentistTest("sign", "bayescmp.frequentist:posthoc", "sign test", "table",
                    "the sign test", SOURCES["sign"], settings={"test": "sign", "adjust": "none"}),
    FrequentistTest("corrected_t", "bayescmp.frequentist:corrected_t", "corrected t", "dataset",
                    "the corrected resampled t test", SOURCES["correction"],
                    equivalence="tost_paired",
                    rows="bayescmp.frequentist.paired:corrected_t_by_row"),
    FrequentistTest("paired_t", "bayescmp.frequentist:paired_t", "paired t", "dataset"),
    FrequentistTest("tost_paired", "bayescmp.frequentist:tost_paired",
                    "TOST, corrected t", "dataset",
                    "two one-sided corrected t tests of equivalence",
                    cite_test("tost", corrected=True), claims="equivalence",
                    says_by_margin="one-sided corrected t tests",
                    rows="bayescmp.frequentist.paired:tost_paired_by_row"),
    FrequentistTest("tost_means", "bayescmp.frequentist:tost_means",
                    "TOST, t of means", "datasets",
                    "two one-sided t tests of equivalence", SOURCES["tost"],
                    claims="equivalence", says_by_margin="one-sided t tests",
                    decides="bayescmp.study.planning.deciding:by_tost_means"),
    FrequentistTest("tost_signed_rank", "bayescmp.frequentist:tost_means",
                    "TOST, signed rank", "datasets",
                    "two one-sided signed-rank tests of equivalence", SOURCES["tost"],
                    claims="equivalence", says_by_margin="one-sided signed-rank tests",
                    settings={"method": "wilcoxon"}),
    FrequentistTest("tukey", "bayescmp.frequentist:tukey",
                    "Tukey", "groups"),
    FrequentistTest("hotelling_paired", "bayescmp.frequentist:hotelling_paired",
                    "Hotelling", "metrics",
                    "Hotelling's paired test corrected for the overlap of folds",
                    cite_test("hotelling", corrected=True),
                    rows="bayescmp.frequentist.multivariate:hotelling_of_each"),
    FrequentistTest("pairwise_hotelling", "bayescmp.frequentist:pairwise_hotelling",
                    "Hotelling", "groups_metrics",
                    "Hotelling's tests of all pairs", cite_test("hotelling", corrected=True),
                    settings={"pooled": True, "adjust": "none"}),
    FrequentistTest("welch", "bayescmp.frequentist.unpaired:compare_runs", "Welch", "runs",
                    "Welch's t test", SOURCES["welch"], settings={"test": "welch"}),
    FrequentistTest("mann_whitney", "bayescmp.frequentist.unpaired:compare_runs",
                    "Mann-Whitney", "runs", cites=SOURCES["mann_whitney"], equal=0.5,
                    settings={"test": "mann_whitney"}),
    FrequentistTest("brunner_munzel", "bayescmp.frequentist.unpaired:compare_runs",
                    "Brunner-Munzel", "runs",
                    "Brunner and Munzel's test", (), equal=0.5,
                    settings={"test": "brunner_munzel"}),
    FrequentistTest("barnard", "bayescmp.frequentist:barnard", "Barnard", "counts",
                    "Barnard's exact test"),
    FrequentistTest("boschloo", "bayescmp.frequentist:boschloo", "Boschloo", "counts",
                    "Boschloo's exact test"),
    FrequentistTest("fisher", "bayescmp.frequentist:fisher", "Fisher", "counts",
                    "Fisher's exact test"),
    FrequentistTest("mcnemar", "bayescmp.frequentist:mcnemar", "McNemar", "items",
                    "McNemar's exact test", SOURCES["mcnemar"], equal=0.5),
    FrequentistTest("iman_davenport", "bayescmp.frequentist:iman_davenport",
                    "Iman-Davenport", "all_datasets", cites=SOURCES["iman_davenport"]),
    FrequentistTest("anova", "bayescmp.frequentist.variance:anova_of_blocks", "ANOVA",
                    "all_folds", "the analysis of variance with folds as blocks"),
    FrequentistTest("cochran_q", "bayescmp.frequentist:cochran_q",
                    "Cochran's Q", "all_items", "Cochran's Q test"),
    FrequentistTest("kruskal_wallis", "bayescmp.frequentist:kruskal_wallis",
                    "Kruskal-Wallis", "all_runs"),
    FrequentistTest("delong", "bayescmp.frequentist.areas:delong_of_pair", "DeLong", "areas",
                    "DeLong's test of areas", SOURCES["delong"]),
)  # fmt: skip

BAYESIAN: dict[str, BayesianTest] = {}
#: Frequentist tests by name and scope.
FREQUENTIST: dict[tuple[str, str], FrequentistTest] = {}


# Adding and finding.


def register(*tests: BayesianTest | FrequentistTest) -> None:
    """Add your own tests; see the example at the top of this module.

    Parameters
    ----------
    *tests : BayesianTest or FrequentistTest
        Frequentist counterparts before the Bayesian tests that name them.

    Raises
    ------
    InputError
        For a name that is taken, an unknown scope, frequentist counterpart or citation.
    """
    for test in tests:
        for key in test.cites:
            if key not in REFERENCES:
                raise unknown_name(f"citation of {test.name}", key, REFERENCES, "tests")
        if isinstance(test, FrequentistTest):
            _add_frequentist(test)
        else:
            _add_bayesian(test)


def _add_bayesian(test: BayesianTest) -> None:
    if test.name in BAYESIAN:
        raise must("tests", "have new names", f"the Bayesian test {test.name!r}")
    for twin in test.twins:
        _twin_of(twin)
    BAYESIAN[test.name] = test


def _add_frequentist(test: FrequentistTest) -> None:
    if test.scope not in SCOPES:
        raise unknown_name("scope", test.scope, SCOPES, "tests")
    if (test.name, test.scope) in FREQUENTIST:
        found = f"the frequentist test {test.name!r} of {test.scope!r}"
        raise must("tests", "have new names", found)
    FREQUENTIST[test.name, test.scope] = test


def unregister(name: str) -> None:
    """Remove a Bayesian or a frequentist test from the catalogue, by its name."""
    if BAYESIAN.pop(name, None) is None:
        for key in [key for key in FREQUENTIST if key[0] == name]:
            del FREQUENTIST[key]


def registered_tests() -> tuple[BayesianTest | FrequentistTest, ...]:
    """Return the tests that were registered, twins before the Bayesian tests that name them."""
    twins = (test for test in FREQUENTIST.values() if test not in _FREQUENTIST)
    return (*twins, *(test for test in BAYESIAN.values() if test not in OWN))


def register_missing(tests: Iterable[BayesianTest | FrequentistTest]) -> None:
    """Add tests that another process has registered, and this one has not."""
    for test in tests:
        if isinstance(test, FrequentistTest):
            FREQUENTIST.setdefault((test.name, test.scope), test)
        else:
            BAYESIAN.setdefault(test.name, test)


@cache
def _load_installed() -> None:
    """Register what installed packages announce, once."""
    from importlib.metadata import entry_points

    for entry in entry_points(group="bayescmp.tests"):
        register(entry.load())


def bayesian_tests() -> tuple[BayesianTest, ...]:
    """Return all Bayesian tests, the preferred first."""
    _load_installed()
    return tuple(BAYESIAN.values())


def preferred(sizes: Sizes) -> BayesianTest | None:
    """Return the first Bayesian test for these sizes; those of installed packages come last."""
    own = next((t for t in BAYESIAN.values() if t.fits(sizes)), None)
    return own or next((t for t in bayesian_tests() if t.fits(sizes)), None)


def frequentist_tests(scope: str | None = None) -> tuple[FrequentistTest, ...]:
    """Return all frequentist tests, or those of a scope."""
    _load_installed()
    return tuple(t for t in FREQUENTIST.values() if scope in (None, t.scope))


def bayesian_test(
    name: str,
    *,
    among: Iterable[BayesianTest] | None = None,
    what: str = "Bayesian test",
    more: Sequence[str] = (),
    argument: str = "name",
) -> BayesianTest:
    """Find a Bayesian test by one of its names, `among` these; errors call it `what`."""
    known = bayesian_tests() if among is None else tuple(among)
    plain = str(name).replace("-", "_")
    for test in (*(t for t in known if t.name == plain), *known):
        if plain in test.names:
            return test
    raise unknown_name(what, name, [*more, *(t.name for t in known)], argument)


def named_test(
    test: str,
    *,
    metrics: int = 1,
    algorithms: int = 2,
    of_items: bool = False,
    unpaired: bool = False,
) -> BayesianTest | None:
    """Return the test of this name and sizes (`unpaired`: for runs), None for "auto"."""
    if str(test) == "auto":
        return None
    plain = str(test).replace("-", "_")
    of_runs = (t for t in bayesian_tests() if unpaired and not t.paired and plain in t.names)
    if (named := next(of_runs, None)) is not None:
        return named
    several = "test" if metrics == 1 else "test of several metrics"
    return bayesian_test(
        test,
        among=[
            t
            for t in bayesian_tests()
            if t.compares(metrics, algorithms)
            and (t.unit == "folds" or (of_items and t.unit != "counts"))
        ],
        what="Bayesian test" if of_items else several,
        more=("auto",),
        argument="test",
    )


def default_rho(rho: RhoLike | None, test: BayesianTest | None) -> RhoLike | None:
    """Return rho as given; 0 for tests on means, to which it does not matter."""
    return 0.0 if rho is None and test is not None and test.on_means else rho


@validate_params(name=text, scope=optional(one_of(*SCOPES)))
def frequentist_test(name: str, scope: str | None = None) -> FrequentistTest:
    """Find a frequentist test by its name, and by its scope if the name has several."""
    _load_installed()
    return _frequentist(name, scope)


def _frequentist(name: str, scope: str | None = None) -> FrequentistTest:
    known = [t for t in FREQUENTIST.values() if scope in (None, t.scope)]
    for test in known:
        if test.name == name:
            return test
    raise unknown_name("frequentist test", name, dict.fromkeys(t.name for t in known), "name")


def _twin_of(given: str | tuple[str, str]) -> FrequentistTest:
    return _frequentist(given) if isinstance(given, str) else _frequentist(*given)


@validate_params(test=instance("a BayesianTest", f"{__name__}:BayesianTest"))
def twins_of(test: BayesianTest) -> tuple[FrequentistTest, ...]:
    """Return the frequentist tests that answer the same question."""
    return tuple(_twin_of(twin) for twin in test.twins)


@validate_params(name=text)
def title(name: str) -> str:
    """Return a test's name as tables show it."""
    test = _any(name)
    return name.replace("_", " ") if test is None else test.title


def cited(*names: str) -> tuple[str, ...]:
    """Return the works that tests rest on, in order."""
    tests = [_any(name) for name in names]
    return tuple(dict.fromkeys(key for test in tests if test is not None for key in test.cites))


def _any(name: str) -> BayesianTest | FrequentistTest | None:
    _load_installed()
    twins = (t for t in FREQUENTIST.values() if t.name == name)
    return BAYESIAN.get(name) or next(twins, None)


register(*_FREQUENTIST, *OWN)
