"""Every plot with names and numbers of data sets to choose: cheap posteriors, no engine."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

import bayescmp as bc
from bayescmp import bayesian, curves, frequentist, plots
from bayescmp.results.diagnostics import Diagnostics
from bayescmp.results.ladder import Ladder
from bayescmp.results.plan import Plan
from bayescmp.results.regions import THREE
from bayescmp.results.sensitivity import Sensitivity
from bayescmp.results.verdict import Verdict
from bayescmp.scores.rope import Rope
from bayescmp.study.comparisons import Comparisons, PairResult
from bayescmp.study.planning.deciding import frame_of
from tests.frequentist.test_permutation import result_of

__all__ = ["MANY", "NAMES", "PAIRS", "SCENES"]

Names = tuple[str, ...]

NAMES: dict[str, Callable[[int], Names]] = {
    "short": lambda k: tuple(f"A{i}" for i in range(1, k + 1)),
    "long": lambda k: tuple(
        f"GradientBoosting{'Classifier' * 2}(depth={i:04d}, verbose=False)"[:60] for i in range(k)
    ),
    "colliding": lambda k: tuple(
        f"RandomForestClassifier(n_estimators={100 * i}, n_jobs=-1)" for i in range(1, k + 1)
    ),
    "right to left": lambda k: tuple(f"אלגוריתם לסיווג {i}" for i in range(1, k + 1)),
}


@lru_cache(maxsize=8)
def _means(names: Names, datasets: int) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    middle = 0.70 + 0.20 * np.arange(len(names)) / len(names)
    return pd.DataFrame(rng.normal(middle, 0.02, (datasets, len(names))), columns=list(names))


def _folds(names: Names) -> bc.Blocks:
    rng = np.random.default_rng(1)
    middle = np.linspace([0.20, 0.70], [0.10, 0.90], len(names))[:, None]
    x = rng.normal(middle, 0.02, (len(names), 12, 2))
    return bc.Blocks(x, rho=0.1, algorithms=names, metrics=["fpr", "tpr"])


def _verdict(names: tuple[str, str], lead: float) -> Verdict:
    p = np.exp([-lead, 0.2, lead])
    return Verdict.of(
        THREE,
        p / p.sum(),
        [0.001] * 3,
        names=names,
        rope=Rope(-0.01, 0.01),
        floor=1e-4,
        expected=[0.3, 0.3, 0.4],
        metric="accuracy",
        method="signed-rank test",
        mean_interval=((lead / 50 - 0.02, lead / 50 + 0.015),),
    )


def comparisons(names: Names, datasets: int = 3, control: str | None = None) -> Comparisons:
    """All pairs, of which those far from each other are decided."""
    places = list(combinations(range(len(names)), 2))
    if control is not None:
        places = [(0, j) for j in range(1, len(names))]
    step = 12 / len(names)
    results = {
        (names[i], names[j]): PairResult(
            _verdict((names[i], names[j]), step * (j - i)),
            "signed_rank",
            "built in",
            "0",
            Diagnostics(exact=True),
            datasets,
            1,
            (),
            (),
            0.0,
            means=tuple(np.random.default_rng(j).normal(step * (j - i) / 50, 0.02, datasets)),
        )
        for i, j in places
    }
    return Comparisons(names, results, {}, control, "accuracy", Rope(-0.01, 0.01))


def _paired(names: Names, datasets: int):
    x = np.random.default_rng(2).normal(0.012, 0.02, 30)
    return bayesian.correlated_t(x, rho=0.1, rope=0.01, names=names[:2])


def _long_tailed(names: Names):
    x = [0.01, 0.05, 0.02]
    return bayesian.correlated_t(x, rho=0.3, rope=0.01, names=names[:2])


def _ranked(names: Names, datasets: int, rope: float = 0.01):
    x = np.random.default_rng(2).normal(0.008, 0.02, datasets)
    return bayesian.signed_rank(x, rope=rope, seed=1, draws=2000, names=names[:2])


def _bootstrap(names: Names, datasets: int):
    return bayesian.bootstrap(_means(names, datasets), rope=0.01, seed=1, draws=400)


def _groups(names: Names, datasets: int):
    return bayesian.groups(_folds(names), rope=0.01, seed=1)


def _multivariate(names: Names, datasets: int):
    x = np.random.default_rng(3).normal([0.02, 0.01], 0.015, (20, 2))
    return bayesian.multivariate_t(
        x, rho=0.1, rope=0.01, metrics=["fpr", "tpr"], names=names[:2], seed=1
    )


def _shrunken(names: Names, datasets: int):
    rng = np.random.default_rng(4)
    observed = np.sort(rng.normal(0.01, 0.03, datasets))
    mean = 0.6 * observed
    p = np.stack([mean < -0.01, np.abs(mean) <= 0.01, mean > 0.01], axis=1).astype(float)
    table = pd.DataFrame(
        {
            "observed": observed,
            "mean": mean,
            "2.5%": mean - 0.02,
            "97.5%": mean + 0.02,
            **{f"p_{r}": p[:, i] for i, r in enumerate(THREE.regions)},
        },
        index=[f"{name} data" for name in NAMES["long"](datasets)],
    )
    return SimpleNamespace(
        shows=("shrinkage",),
        subject="algorithm",
        names=names[:2],
        measured="accuracy ↑",
        of_ratios=False,
        method="fake",
        rope=Rope(-0.01, 0.01),
        data_text="60 data sets",
        by_dataset=lambda rope: table,
        verdict=lambda rope=None: _verdict(names[:2], 0.5),
        summary=lambda: pd.DataFrame({"mean": {"delta0": 0.01}}),
    )


def _moderators(names: Names, datasets: int):
    rng = np.random.default_rng(5)
    features = (f"{names[0]} rows", "missing")
    values, level = rng.normal(3, 1, (datasets, 2)), rng.normal(0, 0.004, (4, 100))
    means = 0.02 * values[:, 0] - 0.06 + rng.normal(0, 0.01, datasets)
    posterior = SimpleNamespace(
        names=names[:2],
        datasets=tuple(f"d{i}" for i in range(datasets)),
        draws={"delta0": level, "sigma0": np.exp(level)},
        statistics=SimpleNamespace(mean=means),
        rope=Rope(-0.01, 0.01),
        of_ratios=False,
        measured="accuracy ↑",
        method="fake",
        data_text=f"{datasets} data sets",
        subject="algorithm",
    )
    beta = rng.normal([0.02, 0.0], 0.004, (4, 100, 2))
    return bc.Moderators(posterior=posterior, features=features, values=values, coefficients=beta)


def _ladder(names: Names, datasets: int) -> Ladder:
    return comparisons(names).ladder()


def _curves(kind):
    def draw(names: Names, datasets: int) -> Axes:
        rng = np.random.default_rng(1)
        y = rng.permuted(np.tile(np.arange(50) < 20, (5, 1)), axis=1).astype(int)
        first, second = (kind(y, rng.normal(size=y.shape) + s * y) for s in (0.5, 1.2))
        return plots.plot_curves(first, second, names=names[:2], rho=0.1, band=True)

    return draw


def _null(names: Names, datasets: int) -> Axes:
    rng = np.random.default_rng(0)
    same = {"n": 300, "estimator": names[0]}
    return plots.plot_null_distribution(
        [
            result_of(test="labels", null=rng.integers(40, 60, 300) / 100, **same),
            result_of(test="columns", null=rng.integers(20, 48, 300) / 100, **same),
        ]
    )


def _power(names: Names, datasets: int) -> Axes:
    rows = [
        (name, rho, 0.5 - 0.4 * rho, test, mean, mean - 0.05, mean + 0.05)
        for name in names[:4]
        for rho in (0.0, 0.25, 0.5, 0.75)
        for test, mean in (("labels", 0.5), ("columns", 0.5 - 0.3 * rho))
    ]
    columns = ["classifier", "rho", "error", "test", "null_mean", "null_low", "null_high"]
    return plots.plot_permutation_power(pd.DataFrame(rows, columns=columns))


def _wins(names: Names, datasets: int) -> Axes:
    rng = np.random.default_rng(1)
    middle = np.linspace(0.70, 0.90, len(names))[:, None]
    x = rng.normal(middle, 0.02, (datasets, len(names), 10))
    return plots.plot_wins(frequentist.wins_table(x, names=names, rho=0.1))


def _post_hoc(names: Names, datasets: int, **options):
    return frequentist.posthoc(_means(names, datasets), **options)


def _sensitivity(names: Names, datasets: int) -> Axes:
    settings = [
        ("fit", "as fitted"),
        ("prior", "wider"),
        ("prior", "narrower"),
        ("rho", "0"),
        ("rope", "0.02"),
        *(("without", n) for n in NAMES["long"](datasets)),
    ]
    left = np.linspace(0.1, 0.6, len(settings))
    frame = pd.DataFrame(settings, columns=["question", "setting"]).assign(
        p_left=left,
        p_rope=0.3,
        p_right=0.7 - left,
        change=left - 0.1,
        changes=left > 0.5,
        k_hat=np.nan,
        refitted=False,
        can_refit=False,
    )
    return plots.plot_sensitivity(Sensitivity(frame, _verdict(names[:2], 0.5)))


def _pairs_sensitivity(names: Names, datasets: int) -> Axes:
    posterior = bayesian.bootstrap(_means(names[:10], datasets), rope=0.01, seed=1, draws=200)
    return plots.plot_pairs_sensitivity(posterior.sensitivity(datasets=False))


def _plan(names: Names, datasets: int) -> Axes:
    decided = {
        (0, 0): ["undecided"] * 10,
        (5, 0): ["second"] * 4 + ["undecided"] * 6,
        (datasets, 0): ["second"] * 8 + ["equivalent", "undecided"],
        (0, 9): ["second"] * 2 + ["undecided"] * 8,
    }
    limit = {"first": 0.02, "equivalent": 0.18, "second": 0.8}
    return plots.plot_plan(Plan(frame_of(decided), limit, names[:2], 0.95, 10, 1, "undecided"))


Scene = Callable[[Names, int], Axes]

#: Plots of two algorithms.
PAIRS: dict[str, Scene] = {
    "density": lambda n, d: plots.plot_density(_paired(n, d)),
    "density with long tails": lambda n, d: plots.plot_density(_long_tailed(n)),
    "rope curve": lambda n, d: plots.plot_rope_curve(_paired(n, d)),
    "simplex": lambda n, d: plots.plot_simplex(_ranked(n, d)),
    "histogram": lambda n, d: plots.plot_histogram(_ranked(n, d, rope=0), rope=0),
    "shrinkage": lambda n, d: plots.plot_shrinkage(_shrunken(n, d)),
    "moderators": lambda n, d: plots.plot_moderators(_moderators(n, d)),
    "regions": lambda n, d: plots.plot_regions(_multivariate(n, d)),
    "verdict bar": lambda n, d: plots.plot_verdict_bar(_multivariate(n, d).verdict()),
    "roc": _curves(curves.roc_curves),
    "precision-recall": _curves(curves.pr_curves),
    "null distribution": _null,
    "sensitivity": _sensitivity,
    "plan": _plan,
}
#: Plots of any number of algorithms.
MANY: dict[str, Scene] = {
    "ladder": lambda n, d: plots.plot_ladder(comparisons(n, d)),
    "ladder on a control": lambda n, d: plots.plot_ladder(comparisons(n, d, n[0])),
    "ladder with probabilities": lambda n, d: plots.plot_ladder(_ladder(n, d), probabilities=True),
    "joint ladder": lambda n, d: plots.plot_ladder(_bootstrap(n, d), probabilities=True),
    "verdicts": lambda n, d: plots.plot_verdicts(comparisons(n, d)),
    "verdicts on a control": lambda n, d: plots.plot_verdicts(comparisons(n, d, n[0])),
    "verdict bars": lambda n, d: plots.plot_verdict_bar(comparisons(n, d, n[0]).results),
    "critical difference": lambda n, d: plots.plot_critical_difference(_post_hoc(n, d)),
    "critical difference on a line": lambda n, d: plots.plot_critical_difference(
        _post_hoc(n[:10], d), layout="line"
    ),
    "critical difference, control": lambda n, d: plots.plot_critical_difference(
        _post_hoc(n, d, control=n[0])
    ),
    "p-values": lambda n, d: plots.plot_pvalues(_post_hoc(n, d)),
    "p-values, control": lambda n, d: plots.plot_pvalues(_post_hoc(n, d, control=n[0])),
    "wins": _wins,
    "best": lambda n, d: plots.plot_best(_bootstrap(n, d)),
    "ranks": lambda n, d: plots.plot_ranks(_bootstrap(n, d)),
    "top sets": lambda n, d: plots.plot_top_sets(_bootstrap(n, d)),
    "forest": lambda n, d: plots.plot_forest(_groups(n, d)),
    "rank probabilities": lambda n, d: plots.plot_rank_probabilities(_groups(n, d)),
    "ellipses": lambda n, d: plots.plot_ellipses(_folds(n)),
    "means": lambda n, d: plots.plot_means(
        bc.estimate({name: (5 + k, 10 + 2 * k) for k, name in enumerate(n)})
    ),
    "front": lambda n, d: plots.plot_front(bc.undominated(_folds(n), rope=0.01, seed=1)),
    "ellipses and histograms": lambda n, d: plots.plot_ellipses(_folds(n), histogram="tpr"),
    "projection": lambda n, d: plots.plot_projection(frequentist.learned_measures(_folds(n))),
    "permutation power": _power,
    "sensitivity of pairs": _pairs_sensitivity,
}
SCENES: dict[str, Scene] = {**PAIRS, **MANY}
