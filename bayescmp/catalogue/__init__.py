"""The catalogue: everything the rest of the package knows about each test, one line per test.

`compare` finds a test here by its name or chooses it, `crosscheck` runs it beside its twins, the
report describes and cites it, `which_test` and ``bayescmp tests`` list it. A test of your own is
one more line, inside the package or out:

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

from bayescmp.catalogue.entries import (
    ANY,
    GROUP,
    ONE,
    SCOPES,
    SEVERAL,
    TWO,
    BayesianTest,
    FrequentistTest,
    Sizes,
    Span,
)
from bayescmp.catalogue.lines import (
    BAYESIAN,
    FREQUENTIST,
    bayesian_test,
    bayesian_tests,
    cited,
    frequentist_test,
    frequentist_tests,
    preferred,
    register,
    title,
    twins_of,
    unregister,
)

__all__ = [
    "ANY",
    "BAYESIAN",
    "FREQUENTIST",
    "GROUP",
    "ONE",
    "SCOPES",
    "SEVERAL",
    "TWO",
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
    "register",
    "title",
    "twins_of",
    "unregister",
]


def __dir__() -> list[str]:
    return __all__
