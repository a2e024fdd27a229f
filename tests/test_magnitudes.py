"""Numbers at the ends of the number line, and far from zero: every test answers, or refuses.

A comparison knows no unit. So scores (and the rope) times a factor have the same probabilities
and p-values, and estimates times the factor; scores plus an offset have the same differences.
"""

import inspect
import re
from functools import cache

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp import bayesian as b
from bayescmp import frequentist as f
from tests.rows import each_row

rng = np.random.default_rng(5)
D = rng.normal(0.03, 0.05, 10)
ROWS = rng.normal(0.02, 0.05, (6, 10))
ONE, TWO = rng.normal(0, 1, 7), rng.normal(0.6, 1.5, 8)
MEANS = rng.normal(0, 1, (8, 4)) + np.array([0, 0.2, 0.4, 0.9])
HOLES = np.where(np.eye(8, 4) > 0, np.nan, MEANS)
FOLDS = rng.normal(0, 1, (3, 9)) + np.array([[0], [0.3], [1]])
METRICS = rng.normal(0, 1, (3, 12, 2)) + np.array([[0, 0], [0.3, 0], [1, -0.5]])[:, None]
TRUTH = np.tile([0, 1], (4, 8))
LOW, HIGH = rng.normal(size=(2, 4, 16)) + np.stack([0.5 * TRUTH, 1.5 * TRUTH])
RUNS = {"a": MEANS[:, :2].T, "b": MEANS[:, 2:].T}
Q, S = {"engine": "quadrature", "rho": 0.1, "seed": 1}, {"seed": 1}


def runs(z):
    return {name: z(x) for name, x in RUNS.items()}


#: Each test of differences, by a function that puts numbers into another unit.
DIFFERENCES = {
    "f.paired_t": lambda z: f.paired_t(z(D)),
    "f.corrected_t": lambda z: f.corrected_t(z(D), rho=0.1),
    "f.cv52_t": lambda z: f.cv52_t(z(D.reshape(5, 2))),
    "f.cv52_f": lambda z: f.cv52_f(z(D.reshape(5, 2))),
    "f.cohens_d": lambda z: f.cohens_d(z(D)),
    "f.rank_biserial": lambda z: f.rank_biserial(z(D)),
    "f.wilcoxon": lambda z: f.wilcoxon(z(D)),
    "f.paired_permutation": lambda z: f.paired_permutation(z(D), n=500, **S),
    "f.tost_paired": lambda z: f.tost_paired(z(D), rope=z(0.05), rho=0.1),
    "f.tost_means": lambda z: f.tost_means(z(D), rope=z(0.05)),
    "f.tost_means by ranks": lambda z: f.tost_means(z(D), rope=z(0.05), method="wilcoxon"),
    "f.hotelling_paired": lambda z: f.hotelling_paired(z(METRICS[0])),
    "f.confidence_sequence": lambda z: f.confidence_sequence(z(D), bounds=(z(-9.0), z(9.0))),
    "b.correlated_t": lambda z: b.correlated_t(z(D), rho=0.1, rope=z(0.02)),
    "b.hierarchical_t": lambda z: b.hierarchical_t(z(ROWS), rope=z(0.02), **Q),
    "b.sign": lambda z: b.sign(z(D), rope=z(0.02), **S),
    "b.signed_rank": lambda z: b.signed_rank(z(D), rope=z(0.02), **S),
    "b.cluster_bootstrap": lambda z: b.cluster_bootstrap(z(D), rope=z(0.02), **S),
    "b.cluster_bootstrap of equals": lambda z: b.cluster_bootstrap(z(D * 0 + 1), rope=z(0.02)),
    "b.judge_corrected": lambda z: b.judge_corrected(
        z(np.resize(D, 20)), z(np.resize(D**2, 20)), z(np.resize(D**2, 50)), rope=z(0.02)
    ),
    "b.multivariate_t": lambda z: b.multivariate_t(z(METRICS[0]), rho=0.1, rope=z(0.1), **S),
}
#: Each test of scores, which an offset does not change.
SCORES = {
    "f.two_sample_permutation": lambda z: f.two_sample_permutation(z(ONE), z(TWO), n=500, **S),
    "f.diebold_mariano": lambda z: f.diebold_mariano(z(ONE), z(TWO[:7]), horizon=2),
    "f.welch": lambda z: f.welch(z(ONE), z(TWO)),
    "f.mann_whitney": lambda z: f.mann_whitney(z(ONE), z(TWO)),
    "f.brunner_munzel": lambda z: f.brunner_munzel(z(ONE), z(TWO)),
    "f.cliffs_delta": lambda z: f.cliffs_delta(z(ONE), z(TWO)),
    "f.kruskal_wallis": lambda z: f.kruskal_wallis([z(ONE), z(TWO)]),
    "f.anova": lambda z: f.anova(z(FOLDS)),
    "f.anova one-way": lambda z: f.anova(z(FOLDS), block=False),
    "f.anova not spherical": lambda z: f.anova(z(FOLDS), sphericity="huynh-feldt"),
    "f.partial_eta_squared": lambda z: f.partial_eta_squared(z(FOLDS)),
    "f.tukey": lambda z: f.tukey(z(FOLDS)),
    "f.dunnett": lambda z: f.dunnett(z(FOLDS), control=0),
    "f.pairwise_t": lambda z: f.pairwise_t(z(FOLDS)),
    "f.mauchly": lambda z: f.mauchly(z(FOLDS)),
    "f.wins_table": lambda z: f.wins_table([z(FOLDS), z(FOLDS[::-1])]),
    "f.hotelling_two_sample": lambda z: f.hotelling_two_sample(z(METRICS[0]), z(METRICS[1])),
    "f.manova": lambda z: f.manova(z(METRICS)),
    "f.pairwise_hotelling": lambda z: f.pairwise_hotelling(z(METRICS)),
    "f.learned_measures": lambda z: f.learned_measures(z(METRICS)),
    "f.mardia": lambda z: f.mardia(z(METRICS[0])),
    "f.friedman": lambda z: f.friedman(z(MEANS)),
    "f.iman_davenport": lambda z: f.iman_davenport(z(MEANS)),
    "f.friedman_aligned_ranks": lambda z: f.friedman_aligned_ranks(z(MEANS)),
    "f.quade": lambda z: f.quade(z(MEANS)),
    "f.kendalls_w": lambda z: f.kendalls_w(z(MEANS)),
    "f.nemenyi": lambda z: f.nemenyi(z(MEANS)),
    "f.posthoc": lambda z: f.posthoc(z(MEANS)),
    "f.posthoc by aligned ranks": lambda z: f.posthoc(z(MEANS), test="aligned"),
    "f.multiple_sign": lambda z: f.multiple_sign(z(MEANS), control=0),
    "f.page_trend": lambda z: f.page_trend(z(MEANS)),
    "f.contrast_estimation": lambda z: f.contrast_estimation(z(MEANS)),
    "f.average_ranks": lambda z: f.average_ranks(z(MEANS)),
    "f.skillings_mack": lambda z: f.skillings_mack(z(HOLES)),
    "f.delong": lambda z: f.delong(TRUTH[0], z(LOW[0]), z(HIGH[0])),
    "f.auc_test": lambda z: f.auc_test(TRUTH, z(LOW), z(HIGH)),
    "f.auc_pr_test": lambda z: f.auc_pr_test(TRUTH, z(LOW), z(HIGH)),
    "f.area_tests": lambda z: f.area_tests(TRUTH, z(LOW), z(HIGH), threshold=z(0.5)),
    "f.aggregate_runs": lambda z: f.aggregate_runs(runs(z), resamples=200, **S),
    "f.performance_profiles": lambda z: f.performance_profiles(
        runs(z), z(np.array([0, 0.5])), resamples=200, **S
    ),
    "f.probability_of_improvement": lambda z: f.probability_of_improvement(
        *runs(z).values(), resamples=200, **S
    ),
    "b.aggregate_runs": lambda z: b.aggregate_runs(runs(z), draws=200, **S),
    "b.performance_profiles": lambda z: b.performance_profiles(
        runs(z), z(np.array([0, 0.5])), draws=200, **S
    ),
    "b.probability_of_improvement": lambda z: b.probability_of_improvement(
        *runs(z).values(), draws=200, **S
    ),
    "b.two_sample_t": lambda z: b.two_sample_t(z(ONE), z(TWO), rope=z(0.2)),
    "b.means_with_errors": lambda z: b.means_with_errors(
        bc.MeanDifferences(means=z(MEANS[:1, :2]), errors=[[z(0.1)] * 2]), rope=z(0.1), **S
    ),
    "b.means_with_errors of several": lambda z: b.means_with_errors(
        bc.MeanDifferences(means=z(MEANS[:, :2]), errors=[[z(0.1)] * 2] * 8), rope=z(0.1), **S
    ),
    "b.hierarchical_t of runs": lambda z: b.hierarchical_t(
        bc.Runs([z(ONE), z(ONE[:4])], [z(TWO), z(TWO[2:])]), rope=z(0.2), engine="quadrature", **S
    ),
    "b.groups": lambda z: b.groups(z(FOLDS), rho=0.1, rope=z(0.1), **S),
    "b.groups of own variances": lambda z: b.groups(
        z(FOLDS), rho=0.1, rope=z(0.1), variances="own", **S
    ),
    "b.bootstrap": lambda z: b.bootstrap(z(MEANS), rope=z(0.1), **S),
    "b.bootstrap of folds": lambda z: b.bootstrap(z(METRICS), rope=z(0.1), rho=0.1, **S),
    "b.leaderboard": lambda z: b.leaderboard(z(MEANS), errors=z(0.1), rope=z(0.1), **S),
    "b.question_bootstrap": lambda z: b.question_bootstrap(z(MEANS), rope=z(0.1), **S).verdict(
        "M1", "M4"
    ),
    "b.friedman": lambda z: b.friedman(z(MEANS), **S),
}
#: Those at thresholds, which an offset moves past them.
AT_THRESHOLDS = ("f.area_tests", "f.performance_profiles", "b.performance_profiles")
#: Those that a sampler fits, which have to refuse before it starts.
SAMPLED = {
    "b.robust_t": lambda z: b.robust_t(z(D), rho=0.1, rope=z(0.02)),
    "b.joint_t": lambda z: b.joint_t(z(METRICS), rho=0.1, rope=z(0.1)),
    "b.hierarchical_multivariate_t": lambda z: b.hierarchical_multivariate_t(
        list(z(METRICS)), rho=0.1, rope=z(0.1)
    ),
}
#: Of counts, ranks, right answers, p-values, files or estimators, none of which has a unit.
WITHOUT_UNIT = {
    "f.adjust",
    "f.area_tests_of_scores",
    "f.cochran_q",
    "f.correct_items",
    "f.critical_difference",
    "f.mcnemar",
    "f.permutation_test",
    "f.sign_test",
    "b.bradley_terry",
    "b.confusion",
    "b.metric_by_weights",
    "b.pair_blocks",
    "b.paired_proportions",
    "b.proportions",
    "f.barnard",
    "f.boschloo",
    "f.fisher",
    "f.newcombe",
    "b.plackett_luce",
}
REFUSED = r"must be 1e-70 to 1e[+]70 in size .* Give the metric in another unit"


#: What is free of units.
FREE = re.compile("pvalue|adjusted|probabilit|best|df|effect|/n$|/p$")


def facts(result):
    """All numbers that a result gives, by their names; of pairs those of the first pair."""
    parts = {"": getattr(result, "frame", result)}
    if hasattr(result, "verdict"):
        pair = ["A1", "A2"] if "A1" in result.names else []
        parts["verdict"] = result.verdict(*pair)
    for name in ("best", "summary", "by_dataset", "probabilities"):
        if callable(getattr(result, name, None)):
            parts[name] = getattr(result, name)()
    if getattr(result, "interval", None) is not None and hasattr(result, "confidence_interval"):
        parts["interval"] = result.confidence_interval()
    numbers = {}
    for name, part in parts.items():
        _collect(numbers, name, part)
    return numbers


def _collect(numbers, name, part):
    if isinstance(part, pd.DataFrame):
        part = part.reset_index(drop=True).select_dtypes("number").to_dict("list")
    elif hasattr(part, "to_dict"):
        part = part.to_dict()
    if isinstance(part, dict):
        for key, value in part.items():
            _collect(numbers, f"{name}/{key}", value)
    elif isinstance(part, list | tuple | np.ndarray):
        for i, value in enumerate(part):
            _collect(numbers, f"{name}/{i}", value)
    elif isinstance(part, float | int | np.number) and not isinstance(part, bool):
        numbers[name] = float(part)


def differing(base, numbers, factor, rtol=1e-4):
    """Numbers that are neither the same nor those in the other unit, or its square."""
    assert base
    assert base.keys() == numbers.keys()
    odd = {}
    for name, value in base.items():
        powers = [0] if FREE.search(name) else [0, 1, 2]
        fits = [
            np.isclose(
                numbers[name], value * factor**w, rtol=rtol, atol=1e-9 * factor**w, equal_nan=True
            )
            for w in powers
        ]
        if not any(fits):
            odd[name] = (value, numbers[name])
    return odd


def unscaled(x):
    return np.asarray(x, dtype=float) if np.ndim(x) else x


@cache
def facts_of(name):
    """All numbers of a test in the unit in which they stand above."""
    return facts({**DIFFERENCES, **SCORES, **SAMPLED}[name](unscaled))


@pytest.mark.parametrize("name", [*DIFFERENCES, *SCORES])
def test_another_unit_changes_no_answer(name):
    """Beyond what squares hold, a test answers right or says that it can not."""
    test, base = {**DIFFERENCES, **SCORES}[name], facts_of(name)
    for factor in (1e-60, 1e-9, 1e9, 1e60):
        assert differing(base, facts(test(lambda x, k=factor: unscaled(x) * k)), factor) == {}
    is_right_or_refused(name)


@each_row("name", SAMPLED)
def test_a_sampler_is_not_started_where_squares_do_not_hold(name):
    is_right_or_refused(name)


def is_right_or_refused(name):
    test = {**DIFFERENCES, **SCORES, **SAMPLED}[name]
    for factor in (1e-310, 1e-300, 1e-200, 1e-100, 1e100, 1e200, 1e300):
        try:
            numbers = facts(test(lambda x, k=factor: unscaled(x) * k))
        except bc.InputError as error:
            assert re.search(REFUSED, str(error)), factor  # noqa: PT017 - either is right
        else:
            odd = differing(facts_of(name), numbers, 1.0)
            assert {k: v for k, v in odd.items() if FREE.search(k)} == {}, factor


@each_row("factor", [1e-300, 1e-200, 1e200, 1e300])
@each_row(
    "test",
    [
        f.hotelling_paired,
        f.mardia,
        lambda x: f.manova([x, x[::-1]]),
        lambda x: b.multivariate_t(x, rho=0.1, rope=0.1),
        lambda x: b.groups([x, x[::-1]], rho=0.1, rope=0.1),
        lambda x: b.hierarchical_multivariate_t([x, x[::-1]], rho=0.1, rope=0.1),
    ],
)
def test_a_metric_of_its_own_unit_does_not_vanish_beside_another(test, factor):
    with pytest.raises(bc.InputError, match=REFUSED):
        test(METRICS[0] * [1, factor])


@each_row("name", [n for n in SCORES if n not in AT_THRESHOLDS])
def test_an_offset_changes_no_answer(name):
    """Beside the same scores less the offset, to the digits that are left."""
    for offset in (1e6, 1e9):

        def moved(x, by=offset):
            return unscaled(x) + by if np.ndim(x) else x

        base = facts(SCORES[name](lambda x, by=offset, to=moved: to(x) - by if np.ndim(x) else x))
        odd = differing(base, facts(SCORES[name](moved)), 1.0)
        assert {k: v for k, v in odd.items() if FREE.search(k)} == {}, offset


@each_row("offset", [1e12, 1e15])
@each_row("name", [n for n in SCORES if n not in AT_THRESHOLDS])
@pytest.mark.filterwarnings("ignore::bayescmp.DiagnosticWarning")
def test_an_offset_that_takes_the_digits_makes_nothing_significant(name, offset):
    try:
        numbers = facts(SCORES[name](lambda x: unscaled(x) + offset if np.ndim(x) else x))
    except bc.InputError as error:
        assert re.search("vary|equal|same score|tie|with errors", str(error))  # noqa: PT017
        return
    base = facts_of(name)
    ps = {k: v for k, v in numbers.items() if "pvalue" in k or "adjusted" in k}
    wrong = {k: v for k, v in ps.items() if not v > base[k] / 10 and np.isfinite(base[k])}
    assert wrong == {}


@each_row(
    "test",
    [
        f.anova,
        f.tukey,
        lambda x: f.dunnett(x, control=0),
        f.pairwise_t,
        lambda x: f.welch(x[0], x[1]),
    ],
)
def test_scores_that_differ_by_rounding_alone_are_called_so(test):
    result = test(FOLDS + 1e15)
    assert np.ravel(result.pvalue) == pytest.approx(1)
    assert "only rounding error is left" in str(result)


def test_every_public_test_is_here():
    """A test that is added joins a table above, or says that its input has no unit."""
    public = {
        f"{short}.{name}"
        for short, module in (("f", f), ("b", b))
        for name in module.__all__
        if inspect.isfunction(getattr(module, name))
    }
    assert {name.split()[0] for name in {**DIFFERENCES, **SCORES, **SAMPLED}} == (
        public - WITHOUT_UNIT
    )
    assert public > WITHOUT_UNIT
