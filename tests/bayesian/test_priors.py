"""The whole prior is printed by every test: two that differ never read the same."""

import dataclasses
import inspect
import math
import warnings

import numpy as np

import bayescmp as bc
import bayescmp.bayesian as b
from tests.rows import each_row

RNG = np.random.default_rng(1)
ROWS = RNG.normal(0.01, 0.02, (6, 10))
CUBE = 0.8 + RNG.normal(0, 0.02, (6, 8, 3))
COUNTS = [[40, 10, 8, 42], [43, 7, 9, 41]]
QUICK = {"rope": 0.01, "seed": 1}
CORANI, PAIRS = bc.HierarchicalPrior.corani2017(), b.MultivariatePrior()


def nearly(value):
    """The next number: the smallest change of a prior that there is."""
    return math.nextafter(value, math.inf)


def hierarchical(x=ROWS, **options):
    return b.hierarchical_t(x, rho=0.1, engine="quadrature", **QUICK, **options)


def multivariate(unit=1.0, **options):
    x = [unit * np.column_stack([row, row[::-1] ** 2]) for row in ROWS]
    return b.hierarchical_multivariate_t(
        x, rho=0.1, metrics=["a", "b"], engine="fake", draws=100, **QUICK, **options
    )


def joint(unit=1.0, **options):
    return b.joint_t(unit * CUBE, rho=0.1, engine="fake", draws=100, **QUICK, **options)


def of_means(test, **options):
    return test(ROWS.mean(axis=1), **QUICK, **options)


def of_items(**options):
    return b.cluster_bootstrap(ROWS[0], clusters=np.arange(10) % 7, **QUICK, **options)


def answers(**options):
    first, second = np.arange(30) % 3 > 0, np.arange(30) % 4 > 0
    return b.paired_proportions(first, second, **QUICK, **options)


def of_errors(**options):
    x = bc.MeanDifferences(means=CUBE[:, 0, :2], errors=CUBE[:, 1, :2] / 50)
    return b.means_with_errors(x, **QUICK, **options)


#: Test to two functions that fit it, under priors that differ as little as they can.
DIFFERENT = {
    "cluster_bootstrap": (
        lambda: of_items(concentration=0.9),
        lambda: of_items(concentration=nearly(0.9)),
    ),
    "confusion": (
        lambda: b.confusion(*COUNTS, prior=[0.5] * 4, **QUICK),
        lambda: b.confusion(*COUNTS, prior=[0.5] * 3 + [nearly(0.5)], **QUICK),
    ),
    "friedman": (
        lambda: b.friedman(CUBE, rho=0.1, draws=100, prior=1.0, seed=1, rope=0.1),
        lambda: b.friedman(CUBE, rho=0.1, draws=100, prior=nearly(1.0), seed=1, rope=0.1),
    ),
    "hierarchical_multivariate_t": (
        multivariate,
        lambda: multivariate(prior=dataclasses.replace(PAIRS, lkj=nearly(2.0))),
    ),
    "hierarchical_t": (
        hierarchical,
        lambda: hierarchical(prior=dataclasses.replace(CORANI, alpha=(0.5, nearly(5.0)))),
    ),
    "joint_t": (joint, lambda: joint(prior=b.JointPrior(scale_sd=nearly(1.5)))),
    "means_with_errors": (
        of_errors,
        lambda: of_errors(prior=dataclasses.replace(CORANI, alpha=(0.5, nearly(5.0)))),
    ),
    "paired_proportions": (answers, lambda: answers(prior=[[0.5, 0.5], [0.5, nearly(0.5)]])),
    "proportions": (
        lambda: b.proportions((14, 20), (17, 20), **QUICK),
        lambda: b.proportions((14, 20), (17, 20), prior=(0.5, nearly(0.5)), **QUICK),
    ),
    "robust_t": (
        lambda: b.robust_t(ROWS[0], rho=0.1, nu_mean=29.0, draws=50, **QUICK),
        lambda: b.robust_t(ROWS[0], rho=0.1, nu_mean=nearly(29.0), draws=50, **QUICK),
    ),
    "sign": (lambda: of_means(b.sign), lambda: of_means(b.sign, prior=nearly(1.0))),
    "signed_rank": (
        lambda: of_means(b.signed_rank),
        lambda: of_means(b.signed_rank, prior=nearly(1.0)),
    ),
}
#: Arguments that set a prior.
SETTINGS = {"prior", "concentration", "nu_mean"}


def prior_of(fit):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)
        posterior = fit()
    return posterior.prior_text, posterior.explain("paper")


def test_every_test_whose_prior_can_be_set_is_there():
    settable = {
        name
        for name in filter(str.islower, b.__all__)
        if SETTINGS & set(inspect.signature(getattr(b, name)).parameters)
    }
    assert set(DIFFERENT) == settable


def test_priors_that_differ_read_differently(fake):
    for name in DIFFERENT:
        (one, page), (other, beside) = (prior_of(fit) for fit in DIFFERENT[name])
        assert one != other
        for text, prior in ((page, one), (beside, other)):
            assert " ".join(prior.split()) in " ".join(text.split())


@each_row("fit", [lambda u: hierarchical(u * ROWS), multivariate, joint])
def test_scales_that_come_of_the_data_are_printed_as_numbers(fit, fake):
    """The same rule, other data: another prior."""
    (one, _), (other, _) = (prior_of(lambda u=u: fit(u)) for u in (1.0, 1.01))
    assert one != other


def test_the_multivariate_scales_are_the_spread_and_the_largest_difference(fake):
    """Of data sets that differ by far more than their standard errors."""
    x = [row[:, None] * [1.0, 0.5] + 0.3 * i + row[::-1, None] ** 2 for i, row in enumerate(ROWS)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)
        text = b.hierarchical_multivariate_t(
            x, rho=0.1, metrics=["a", "b"], engine="fake", draws=100, **QUICK
        ).prior_text
    spread = 1000 * np.std([r.mean(axis=0) for r in x], ddof=1, axis=0)
    largest = np.abs(np.concatenate(x)).max(axis=0)
    assert f"δ0 ~ N(0, sd ({largest[0]:.4g}, {largest[1]:.4g}))" in text
    assert f"τ ~ half-t(3, scale ({spread[0]:.4g}, {spread[1]:.4g}))" in text
