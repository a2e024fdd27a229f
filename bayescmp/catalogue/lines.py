"""The tests, one entry each, and how they are added and looked up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from importlib.metadata import entry_points

from bayescmp.bayesian.hierarchical.prior import HierarchicalPrior
from bayescmp.catalogue.entries import (
    ANY,
    GROUP,
    SCOPES,
    SEVERAL,
    BayesianTest,
    FrequentistTest,
    Sizes,
)
from bayescmp.errors import InputError, unknown_name
from bayescmp.references import REFERENCES

__all__ = [
    "BAYESIAN",
    "FREQUENTIST",
    "bayesian_test",
    "bayesian_tests",
    "cited",
    "frequentist_test",
    "frequentist_tests",
    "preferred",
    "register",
    "title",
    "twins_of",
    "unregister",
]

#: In the order in which they are preferred: of those that fit, "auto" takes the first.
_BAYESIAN = (
    BayesianTest("correlated_t", "bayescmp.bayesian:correlated_t", "correlated t",
                 "the Bayesian correlated t test on the data set's folds",
                 ("corani2015",), ("corrected_t", "delong")),
    BayesianTest("robust_t", "bayescmp.bayesian:robust_t", "robust correlated t",
                 "the Bayesian correlated t test with t-distributed folds", ("corani2015",)),
    BayesianTest("hierarchical_t", "bayescmp.bayesian:hierarchical_t", "hierarchical t",
                 "the Bayesian hierarchical correlated t test, which asks for the most probable "
                 "outcome on the next data set", ("corani2017",),
                 ("wilcoxon", "sign_test", "corrected_t"),
                 datasets=SEVERAL, prior=HierarchicalPrior.corani2017()),
    BayesianTest("signed_rank", "bayescmp.bayesian:signed_rank", "signed rank",
                 "the Bayesian signed-rank test on the data sets' mean differences",
                 ("benavoli2014",), ("wilcoxon", "quade"), datasets=SEVERAL, folds=1),
    BayesianTest("sign", "bayescmp.bayesian:sign", "sign",
                 "the Bayesian sign test on the data sets' mean differences",
                 ("benavoli2017",), ("sign_test", "friedman"), datasets=SEVERAL, folds=1),
    BayesianTest("multivariate_t", "bayescmp.catalogue.calls:multivariate_t", "multivariate t",
                 "the Bayesian multivariate correlated t test", ("corani2015",),
                 ("hotelling_paired",), metrics=SEVERAL,
                 aliases=("correlated", "correlated_t")),
    BayesianTest("robust_multivariate_t", "bayescmp.catalogue.calls:robust_multivariate_t",
                 "robust multivariate t",
                 "the Bayesian multivariate correlated t test with t-distributed folds",
                 ("corani2015",), metrics=SEVERAL, aliases=("robust", "robust_t")),
    BayesianTest("hierarchical_multivariate_t", "bayescmp.bayesian:hierarchical_multivariate_t",
                 "hierarchical multivariate t",
                 "the Bayesian hierarchical multivariate t test", ("corani2017",),
                 metrics=SEVERAL, datasets=SEVERAL,
                 aliases=("hierarchical", "hierarchical_t")),
    BayesianTest("groups", "bayescmp.bayesian:groups", "groups",
                 "the Bayesian comparison of all algorithms with folds as blocks", (),
                 ("tukey", "pairwise_hotelling"), metrics=ANY, algorithms=GROUP),
    BayesianTest("joint_t", "bayescmp.bayesian:joint_t", "joint t",
                 "the joint Bayesian hierarchical correlated t test of all algorithms",
                 ("corani2017", "gelman2012"), algorithms=GROUP, datasets=SEVERAL),
    BayesianTest("bootstrap", "bayescmp.bayesian:bootstrap", "bootstrap over data sets",
                 "the Bayesian bootstrap over data sets", ("rubin1981",), algorithms=GROUP,
                 datasets=SEVERAL, folds=1),
    BayesianTest("bayesian_friedman", "bayescmp.bayesian:friedman", "Bayesian Friedman",
                 "the Bayesian Friedman test", ("benavoli2015",), algorithms=GROUP,
                 datasets=SEVERAL, folds=1),
    BayesianTest("bradley_terry", "bayescmp.bayesian:bradley_terry", "Bradley-Terry",
                 "the Bayesian Bradley-Terry model of who beat whom", ("wainer2023",),
                 algorithms=GROUP, datasets=SEVERAL, folds=1),
    BayesianTest("plackett_luce", "bayescmp.bayesian:plackett_luce", "Plackett-Luce",
                 "the Bayesian Plackett-Luce model of rankings", ("turner2020",),
                 algorithms=GROUP, datasets=SEVERAL, folds=1),
    BayesianTest("paired_proportions", "bayescmp.bayesian:paired_proportions",
                 "paired proportions", "the Bayesian comparison of paired proportions",
                 ("agresti2005",), (("mcnemar", "items"),), unit="answers"),
    BayesianTest("cluster_bootstrap", "bayescmp.bayesian:cluster_bootstrap",
                 "bootstrap over clusters", "the Bayesian bootstrap over clusters of items",
                 ("rubin1981", "miller2024"), unit="items"),
    BayesianTest("two_sample_t", "bayescmp.catalogue.calls:two_sample_t",
                 "two-sample t",
                 "the Bayesian two-sample t test with unequal variances", (),
                 ("welch", "brunner_munzel", "mann_whitney"), paired=False),
)  # fmt: skip

_FREQUENTIST = (
    FrequentistTest("wilcoxon", "bayescmp.catalogue.calls:wilcoxon", "Wilcoxon", "datasets",
                    "the Wilcoxon test", ("demsar2006",), equivalence="tost_signed_rank"),
    FrequentistTest("sign_test", "bayescmp.catalogue.calls:sign_test", "sign test", "datasets",
                    "the sign test", ("demsar2006",), equal=0.5, equivalence="tost_means"),
    FrequentistTest("friedman", "bayescmp.catalogue.calls:ranked_friedman", "Friedman", "table",
                    "the Friedman test", ("demsar2006",)),
    FrequentistTest("quade", "bayescmp.catalogue.calls:ranked_quade", "Quade", "table",
                    "the Quade test", ("garcia2010",)),
    FrequentistTest("aligned", "bayescmp.catalogue.calls:ranked_aligned", "aligned ranks", "table",
                    "the test of aligned ranks", ("garcia2010",)),
    FrequentistTest("wilcoxon", "bayescmp.catalogue.calls:ranked_wilcoxon", "Wilcoxon", "table",
                    "the Wilcoxon test", ("demsar2006",)),
    FrequentistTest("sign", "bayescmp.catalogue.calls:ranked_sign", "sign test", "table",
                    "the sign test", ("demsar2006",)),
    FrequentistTest("corrected_t", "bayescmp.frequentist:corrected_t", "corrected t", "dataset",
                    "the corrected resampled t test", ("nadeau2003",),
                    equivalence="tost_paired",
                    rows="bayescmp.frequentist.paired.by_row:corrected_t_by_row"),
    FrequentistTest("paired_t", "bayescmp.frequentist:paired_t", "paired t", "dataset",
                    "the paired t test"),
    FrequentistTest("tost_paired", "bayescmp.frequentist:tost_paired",
                    "TOST, corrected t", "dataset",
                    "two one-sided corrected t tests of equivalence",
                    ("schuirmann1987", "nadeau2003"), claims="equivalence"),
    FrequentistTest("tost_means", "bayescmp.catalogue.calls:tost_means",
                    "TOST, t of means", "datasets",
                    "two one-sided t tests of equivalence", ("schuirmann1987",),
                    claims="equivalence"),
    FrequentistTest("tost_signed_rank", "bayescmp.catalogue.calls:tost_signed_rank",
                    "TOST, signed rank", "datasets",
                    "two one-sided signed-rank tests of equivalence", ("schuirmann1987",),
                    claims="equivalence"),
    FrequentistTest("tukey", "bayescmp.catalogue.calls:tukey",
                    "Tukey", "groups", "the Tukey test"),
    FrequentistTest("hotelling_paired", "bayescmp.frequentist:hotelling_paired",
                    "Hotelling", "metrics",
                    "Hotelling's paired test corrected for the overlap of folds",
                    ("yildiz2011", "nadeau2003")),
    FrequentistTest("pairwise_hotelling", "bayescmp.catalogue.calls:pairwise_hotelling",
                    "Hotelling", "groups_metrics",
                    "Hotelling's tests of all pairs", ("yildiz2011", "nadeau2003")),
    FrequentistTest("welch", "bayescmp.catalogue.calls:welch", "Welch", "runs", "Welch's t test",
                    ("colas2019",)),
    FrequentistTest("mann_whitney", "bayescmp.catalogue.calls:mann_whitney",
                    "Mann-Whitney", "runs",
                    "the Mann-Whitney test", ("colas2019",), equal=0.5),
    FrequentistTest("brunner_munzel", "bayescmp.catalogue.calls:brunner_munzel",
                    "Brunner-Munzel", "runs",
                    "Brunner and Munzel's test", (), equal=0.5),
    FrequentistTest("mcnemar", "bayescmp.catalogue.calls:mcnemar", "McNemar", "items",
                    "McNemar's exact test", ("dietterich1998",), equal=0.5),
    FrequentistTest("iman_davenport", "bayescmp.catalogue.calls:iman_davenport",
                    "Iman-Davenport", "all_datasets",
                    "the Iman-Davenport test", ("demsar2006",)),
    FrequentistTest("anova", "bayescmp.catalogue.calls:anova", "ANOVA", "all_folds",
                    "the analysis of variance with folds as blocks"),
    FrequentistTest("cochran_q", "bayescmp.catalogue.calls:cochran_q",
                    "Cochran's Q", "all_items", "Cochran's Q test"),
    FrequentistTest("kruskal_wallis", "bayescmp.catalogue.calls:kruskal_wallis",
                    "Kruskal-Wallis", "all_runs", "the Kruskal-Wallis test"),
    FrequentistTest("delong", "bayescmp.catalogue.calls:delong", "DeLong", "areas",
                    "DeLong's test of areas", ("delong1988",)),
)  # fmt: skip

BAYESIAN: dict[str, BayesianTest] = {}
#: By name and scope.
FREQUENTIST: dict[tuple[str, str], FrequentistTest] = {}


# -- adding and finding ---------------------------------------------------------------------------


def register(*tests: BayesianTest | FrequentistTest) -> None:
    """Add tests of your own; see the example at the top of this module.

    Parameters
    ----------
    *tests : BayesianTest or FrequentistTest
        Twins before the Bayesian tests that name them.

    Raises
    ------
    InputError
        For a name that is taken, an unknown scope, twin or citation.

    See Also
    --------
    unregister
    """
    for test in tests:
        for key in test.cites:
            if key not in REFERENCES:
                raise unknown_name(f"citation of {test.name}", key, REFERENCES)
        if isinstance(test, FrequentistTest):
            _add_frequentist(test)
        else:
            _add_bayesian(test)


def _add_bayesian(test: BayesianTest) -> None:
    if test.name in BAYESIAN:
        raise InputError(f"there is a Bayesian test {test.name!r} already")
    for twin in test.twins:
        _twin_of(twin)
    BAYESIAN[test.name] = test


def _add_frequentist(test: FrequentistTest) -> None:
    if test.scope not in SCOPES:
        raise unknown_name("scope", test.scope, SCOPES)
    if (test.name, test.scope) in FREQUENTIST:
        raise InputError(f"there is a frequentist test {test.name!r} of {test.scope!r} already")
    FREQUENTIST[test.name, test.scope] = test


def unregister(name: str) -> None:
    """Remove a test from the catalogue.

    Parameters
    ----------
    name : str
        Of a Bayesian or a frequentist test.

    See Also
    --------
    register
    """
    if BAYESIAN.pop(name, None) is None:
        for key in [key for key in FREQUENTIST if key[0] == name]:
            del FREQUENTIST[key]


@cache
def _load_installed() -> None:
    """Register what installed packages announce, once."""
    for entry in entry_points(group="bayescmp.tests"):
        register(entry.load())


def bayesian_tests() -> tuple[BayesianTest, ...]:
    """All Bayesian tests, the preferred first."""
    _load_installed()
    return tuple(BAYESIAN.values())


def preferred(sizes: Sizes) -> BayesianTest | None:
    """The first Bayesian test for scores of these sizes.

    Those of installed packages come last, and are looked for only where no other fits.
    """
    own = next((t for t in BAYESIAN.values() if t.fits(sizes)), None)
    return own or next((t for t in bayesian_tests() if t.fits(sizes)), None)


def frequentist_tests(scope: str | None = None) -> tuple[FrequentistTest, ...]:
    """All frequentist tests, or those of a scope."""
    _load_installed()
    return tuple(t for t in FREQUENTIST.values() if scope in (None, t.scope))


def bayesian_test(
    name: str,
    *,
    among: Iterable[BayesianTest] | None = None,
    what: str = "Bayesian test",
    more: Sequence[str] = (),
) -> BayesianTest:
    """A Bayesian test by one of its names.

    Parameters
    ----------
    name : str
        With hyphens or underscores.
    among : iterable of BayesianTest, optional
        These only.
    what : str
        What an error calls it.
    more : sequence of str
        Other names that an error lists.

    Raises
    ------
    InputError
        If there is none, with the nearest names.
    """
    known = bayesian_tests() if among is None else tuple(among)
    plain = str(name).replace("-", "_")
    for test in (*(t for t in known if t.name == plain), *known):
        if plain in test.names:
            return test
    raise unknown_name(what, name, [*more, *(t.name for t in known)])


def frequentist_test(name: str, scope: str | None = None) -> FrequentistTest:
    """A frequentist test by its name, and by its scope where the name has several.

    Raises
    ------
    InputError
        If there is none, with the nearest names.
    """
    _load_installed()
    return _frequentist(name, scope)


def _frequentist(name: str, scope: str | None = None) -> FrequentistTest:
    known = [t for t in FREQUENTIST.values() if scope in (None, t.scope)]
    for test in known:
        if test.name == name:
            return test
    raise unknown_name("frequentist test", name, dict.fromkeys(t.name for t in known))


def _twin_of(given: str | tuple[str, str]) -> FrequentistTest:
    return _frequentist(given) if isinstance(given, str) else _frequentist(*given)


def twins_of(test: BayesianTest) -> tuple[FrequentistTest, ...]:
    """The frequentist tests that answer the same question."""
    return tuple(_twin_of(twin) for twin in test.twins)


def title(name: str) -> str:
    """A test's name as it is written in tables."""
    test = _any(name)
    return name.replace("_", " ") if test is None else test.title


def cited(*names: str) -> tuple[str, ...]:
    """The works that tests rest on, in order."""
    tests = [_any(name) for name in names]
    return tuple(dict.fromkeys(key for test in tests if test is not None for key in test.cites))


def _any(name: str) -> BayesianTest | FrequentistTest | None:
    _load_installed()
    twins = (t for t in FREQUENTIST.values() if t.name == name)
    return BAYESIAN.get(name) or next(twins, None)


register(*_FREQUENTIST, *_BAYESIAN)
