"""Coverage of 95 % intervals where answers have epochs, clusters within clusters, or judges.

``python evidence/answers_coverage.py 2000 > answers_coverage.csv``. What people use today stands
beside: the standard error of independent scores, with the normal quantile.
"""

from __future__ import annotations

import sys
from itertools import product

import measured
import numpy as np
import pandas as pd

import bayescmp as bc
from bayescmp.bayesian import cluster_bootstrap

Rng = np.random.Generator
Covered = dict[str, bool]


def within(truth: float, ends: tuple[float, float] | np.ndarray) -> bool:
    """Whether the interval holds the truth."""
    return bool(ends[0] <= truth <= ends[1])


def usual(x: np.ndarray, truth: float) -> bool:
    """The normal interval of independent numbers."""
    half = 1.959963985 * x.std(ddof=1) / np.sqrt(x.size)
    return within(truth, (x.mean() - half, x.mean() + half))


# pass^k: two models whose chance to be right varies from question to question.


EPOCHS = 4


def chances(rng: Rng, n: int) -> np.ndarray:
    """Of both models' single answers: of one difficulty each, the second a little better."""
    hard = rng.normal(0, 1.5, n)
    return 1 / (1 + np.exp(hard - np.array([[0.3], [0.7]]) - rng.normal(0, 0.5, (2, n))))


def of_pass(rng: Rng, n: int, k: int, truth: float) -> Covered:
    """pass^k of one benchmark; beside it p^k of the epochs' mean, which is biased."""
    right = rng.random((EPOCHS, 2, n)) < chances(rng, n)
    epoch, model, item = np.indices(right.shape)
    table = {"model": np.array(["a", "b"])[model.ravel()], "item": item.ravel()}
    frame = pd.DataFrame({**table, "epoch": epoch.ravel(), "correct": right.ravel()})
    pair = bc.Items(frame).pass_hat(k).pair("a", "b")
    shares = right.mean(axis=0) ** k
    return {
        "bayescmp": within(truth, cluster_bootstrap(pair, rope=0).interval),
        "usual": usual(pair.x, truth),
        "naive": usual(shares[1] - shares[0], truth),
    }


# Clusters within clusters: families of tasks of questions.


def of_levels(rng: Rng, families: int, family: float, task: float) -> Covered:
    """Questions of about four tasks of each family, about five of each task."""
    tasks = np.repeat(np.arange(families), rng.integers(1, 8, families))
    at = np.repeat(np.arange(len(tasks)), rng.integers(1, 10, len(tasks)))
    effects = family * rng.normal(size=families)[tasks] + task * rng.normal(size=len(tasks))
    x = effects[at] + rng.normal(size=len(at))
    outer = tasks[at]
    g, h = (
        rng.standard_gamma(1 - 4 / families, (1000, families)),
        rng.standard_gamma(1.0, (1000, len(tasks))),
    )
    w = (g[:, tasks] * h)[:, at]
    return {
        "bayescmp": within(0, cluster_bootstrap(x, clusters=outer, rope=0).interval),
        "inner": within(0, cluster_bootstrap(x, clusters=at, rope=0).interval),
        "multiplied": within(0, np.quantile(w @ x / w.sum(axis=1), [0.025, 0.975])),
        "usual": usual(x, 0),
    }


# Judges: each scores every answer.


def of_judges(rng: Rng, n: int, judges: int, taste: float) -> Covered:
    """Judges differ in what they think of the second model, by `taste` sd of a question's own."""
    x = rng.normal(size=(n, 1)) + taste * rng.normal(size=judges) + rng.normal(size=(n, judges))
    item, judge = np.indices(x.shape)
    pair = bc.items.pair.ItemPair(
        names=("a", "b"),
        benchmarks=("benchmark",),
        first=np.zeros(x.size),
        second=x.ravel(),
        benchmark=np.zeros(x.size, dtype=int),
        cluster=item.ravel(),
        judge=judge.ravel(),
        items=item.ravel(),
        epochs=(1, 1),
        direction=bc.scores.metrics.direction("mark", lower_is_better=False),
    )
    alone = cluster_bootstrap(x.mean(axis=1), rope=0)
    return {
        "bayescmp": within(0, cluster_bootstrap(pair, rope=0).interval),
        "questions": within(0, alone.interval),
        "usual": usual(x.ravel(), 0),
    }


def main() -> None:
    """Print the table."""
    studies = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    sys.stdout.write(measured.head("pandas") + "design,size,setting,method,coverage\n")
    many = chances(np.random.default_rng(0), 4_000_000)
    cases = [
        *(
            (of_pass, f"pass^{k}", n, "", (k, float(np.mean(many[1] ** k - many[0] ** k))))
            for k, n in product((1, 2, 4), (30, 100, 300))
        ),
        *(
            (of_levels, "families", n, f"{family:g} and {task:g}", (family, task))
            for n, (family, task) in product((8, 20), ((1, 0.5), (0.5, 1), (0, 1)))
        ),
        *(
            (of_judges, f"{judges} judges", n, f"{taste:g}", (judges, taste))
            for (n, judges), taste in product(
                ((30, 3), (30, 5), (30, 8), (30, 20), (100, 3)), (0.3, 1.0)
            )
        ),
    ]
    for once, design, n, setting, more in cases:
        rng = np.random.default_rng([n, len(design), len(setting)])
        runs = [once(rng, n, *more) for _ in range(studies)]
        for method in runs[0]:
            share = np.mean([run[method] for run in runs])
            sys.stdout.write(f"{design},{n},{setting},{method},{share:.4f}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
