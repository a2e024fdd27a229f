"""Some forty results, as different as they come: what they print stands in printed/.

A person reads those files; tests/results/test_quoted.py compares them and their numbers.
Written again by

    python -m tests.reference.printed_results
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import bayescmp as bc
from bayescmp import bayesian, frequentist
from bayescmp.engines import register
from tests.engines.fake import FakeEngine
from tests.reference import verdict_cases

HERE = Path(__file__).with_name("printed")
QUIET: dict[str, Any] = {"engine": "quadrature", "seed": 1, "progress": False}
FOUR = {"svm": 0.03, "gbm": 0.012, "nb": 0.0, "tree": -0.02}
LONG = {
    "gradient_boosted_trees_with_early_stopping_and_one_hot_encoding": 0.03,
    "gradient_boosted_trees_with_early_stopping_and_target_encoding": 0.02,
    "logistic_regression_on_polynomial_features_of_degree_two": 0.0,
}
TWENTY = {f"network_{k:02d}_layers": 0.004 * k for k in range(1, 21)}


def judged() -> bc.Items:
    """The answers of `answers` as a judge scores them, with human scores of 60 of the 300."""
    table = answers(passages=False).frame
    human = np.where(table["item"] % 4 == 1, 0, table["accuracy"])
    human = np.where(table["item"] % 5 == 0, human, np.nan)
    columns = {"model": table["model"], "item": table["item"], "judge": table["accuracy"]}
    return bc.Items(pd.DataFrame({**columns, "human": human}))


def referee(*names: str) -> bc.Referee:
    """A loop that discards its first proposals, keeps the last named one, and goes on."""
    loop = bc.Referee(Path(tempfile.mkdtemp()) / "state.json", units="seeds")
    x = np.random.default_rng(3).normal(0.7, 0.01, (4, 2, 20))
    x[1, 1] += 0.03
    x[2:] += 0.03
    for name, (old, new) in zip([*names, "more data", "more layers"], x, strict=True):
        loop.propose(name, incumbent=old, candidate=new)
    return loop


def means_with_errors(q: int) -> bc.Means:
    """Accuracies of two papers in percent, with their standard errors."""
    rng = np.random.default_rng(4)
    theirs = rng.uniform(60, 90, q).round(1)
    table = pd.DataFrame(
        {
            "dataset": [f"task {i + 1}" for i in range(q)],
            "theirs": theirs,
            "theirs_se": rng.uniform(0.3, 0.9, q).round(1),
            "ours": (theirs + rng.normal(1.5, 0.8, q)).round(1),
            "ours_se": rng.uniform(0.3, 0.9, q).round(1),
        }
    )
    return bc.Means(table, errors="se", metric="accuracy")


def scores(
    skills: dict[str, float],
    q: int = 12,
    *,
    metric: str = "accuracy",
    spread: float = 0.01,
    seed: int = 1,
    **options: Any,
) -> bc.Scores:
    """Ten folds on q data sets; algorithms differ by their skill, and from set to set."""
    return bc.Scores(folds(skills, q, metric=metric, spread=spread, seed=seed), **options)


def attempts() -> bc.Items:
    """Two models, four epochs of forty questions in ten clusters."""
    rng = np.random.default_rng(1)
    rows = [
        (name, item, item // 4, epoch, float(rng.random() < p))
        for name, skill in {"small": 2, "large": 4}.items()
        for item, p in enumerate(rng.beta(skill, 2, 40))
        for epoch in range(4)
    ]
    return bc.Items(pd.DataFrame(rows, columns=["model", "item", "cluster", "epoch", "correct"]))


def folds(
    skills: dict[str, float], q: int, *, metric: str, spread: float, seed: int
) -> pd.DataFrame:
    """A row for each fold."""
    rng = np.random.default_rng(seed)
    sign = -1 if metric == "rmse" else 1
    rows = []
    for d in range(q):
        easy = rng.normal(0.8, 0.03) + rng.normal(0, 0.02, 10)
        for name, skill in skills.items():
            values = easy + sign * (skill + rng.normal(0, spread)) + rng.normal(0, 0.01, 10)
            rows += [
                {"dataset": f"d{d + 1}", "algorithm": name, "fold": f, metric: values[f]}
                for f in range(10)
            ]
    return pd.DataFrame(rows)


def two_metrics() -> bc.Scores:
    """Accuracy and error of four algorithms."""
    first = folds(FOUR, 8, metric="accuracy", spread=0.01, seed=1)
    second = folds(FOUR, 8, metric="rmse", spread=0.03, seed=2)
    return bc.Scores(first.assign(rmse=second["rmse"]))


def answers(passages: bool, benchmarks: int = 1) -> bc.Items:
    """Right and wrong answers of two models to 300 questions, or to 60 passages of five."""
    rng = np.random.default_rng(4)
    rows = []
    for k in range(benchmarks):
        passage = np.arange(300) // 5
        hard = rng.normal(0, 1, 300) + rng.normal(0, 0.7, 60)[passage]
        for model, skill in (("small", 0.2), ("large", 0.9)):
            right = rng.random(300) < 1 / (1 + np.exp(hard - skill))
            rows.append(
                {
                    "model": model,
                    "benchmark": f"b{k + 1}",
                    "item": np.arange(300),
                    "passage": passage,
                    "correct": right,
                }
            )
    table = pd.concat(map(pd.DataFrame, rows))
    return bc.Items(table if passages else table.drop(columns="passage"))


def board(n: int) -> bc.Items:
    """Right and wrong answers of four models to n questions."""
    rng = np.random.default_rng(4)
    hard = rng.normal(0, 1.2, (n, 1))
    right = rng.random((n, 4)) < 1 / (1 + np.exp(hard - [0.2, 0.9, 1.1, -0.4]))
    names = ["small", "tuned, again", "large", "{x}"]
    return bc.Items(pd.DataFrame(right.astype(int), columns=names).rename_axis("question"))


def incomplete() -> bc.Scores:
    """Two folds of svm are missing, and a data set of nb."""
    table = folds(FOUR, 12, metric="accuracy", spread=0.01, seed=1)
    gone = (table["algorithm"] == "svm") & (table["dataset"] == "d1") & (table["fold"] < 2)
    gone |= (table["algorithm"] == "nb") & (table["dataset"] == "d2")
    return bc.Scores(table[~gone], resampling="10-fold", missing="common")


def compared(first: str, second: str, rope: Any, *args: Any, **options: Any) -> Any:
    """The posterior of two algorithms of `scores`."""
    table = scores(*args, **{"q": 12, **options.pop("table", {})})
    return bc.compare(table, first, second, rope=rope, **{**QUIET, **options})


def by_fake(test: Callable[..., Any], /, *args: Any, **options: Any) -> Any:
    """By the engine that needs no compiler, 4 x 250 draws; its chains may disagree."""
    options = {"draws": 250, **options}
    remove = register("fake", partial(FakeEngine, options.pop("stuck", 0)))
    try:
        return test(*args, engine="fake", seed=1, **options)
    finally:
        remove()


def some_failed() -> bc.Comparisons:
    """All pairs, of which those with nb cannot be compared."""
    table = folds(FOUR, 6, metric="accuracy", spread=0.01, seed=1)
    gone = (table["algorithm"] == "nb") & (table["dataset"] == "d1")
    return bc.compare_all(bc.Scores(table[~gone]), rope=0.01, **QUIET)


def moderated() -> bc.Moderators:
    """Twenty data sets of which two features are known, by the engine that needs no compiler."""
    rng = np.random.default_rng(3)
    names = [f"d{k + 1}" for k in range(20)]
    known = pd.DataFrame({"rows": rng.uniform(2, 5, 20), "missing": rng.uniform(0, 1, 20)}, names)
    x = 0.02 * (known["rows"].to_numpy()[:, None] - 3.2) + rng.normal(0, 0.01, (20, 10))
    pair = bc.Differences(x, rho=0.1, names=("knn", "gbm"), datasets=names, metric="accuracy")
    posterior = bayesian.hierarchical_t(pair, rope=0.01, engine="quadrature", seed=1)
    return by_fake(_moderators, posterior, known)


def _moderators(
    posterior: Any, known: pd.DataFrame, *, engine: str, seed: int, draws: int
) -> bc.Moderators:
    return posterior.moderators(known, engine=engine, seed=seed)


def agents() -> bc.Scores:
    """Three runs of two agents on eight games, of which nothing pairs, and a fourth on one."""
    rng = np.random.default_rng(3)
    rows = []
    for g in range(8):
        level, gain = rng.normal(1, 0.5), rng.normal(0.3, 0.15)
        for name, mean in (("dqn", level), ("rainbow", level + gain)):
            n = 3 + (g == 0 and name == "rainbow")
            rows += [(f"game{g + 1}", name, k + 1, rng.normal(mean, 0.12)) for k in range(n)]
    table = pd.DataFrame(rows, columns=["game", "agent", "seed", "reward"])
    return bc.Scores(table, higher_is_better=["reward"])


def pairs() -> dict[str, Callable[[], Any]]:
    """Two algorithms."""
    few = folds(FOUR, 5, metric="accuracy", spread=0.01, seed=1)
    rng = np.random.default_rng(6)
    several = [rng.normal([0.03, 0.02], 0.01, (10, 2)) for _ in range(6)]
    named = {"names": ("knn", "gbm"), "rope": 0.01}
    return {
        "pair_long_names": lambda: compared(*list(LONG)[::-2], 0.01, LONG),
        "pair_of_two_long_alike": lambda: compared(*list(LONG)[:2], 0.01, LONG),
        "pair_lower_is_better": lambda: compared(
            "nb", "svm", 0.01, FOUR, table={"metric": "rmse"}
        ),
        "pair_assumed_direction": lambda: compared(
            "nb", "svm", 0.01, FOUR, table={"metric": "skill"}
        ),
        "pair_of_ratios": lambda: compared(
            "gbm", "svm", 0.01, FOUR, table={"metric": "rmse"}, scale="log_ratio"
        ),
        "pair_standardised": lambda: compared("gbm", "svm", 0.2, FOUR, scale="standardised"),
        "pair_lopsided_rope": lambda: compared("svm", "gbm", (-0.02, 0.005), FOUR),
        "pair_without_rope": lambda: compared("svm", "gbm", None, FOUR),
        "pair_with_left_out": lambda: bc.compare(incomplete(), "svm", "nb", rope=0.01, **QUIET),
        "pair_with_human_scores": lambda: bc.compare(judged(), "small", "large", rope=0.02),
        "pair_with_errors": lambda: bc.compare(means_with_errors(1), "theirs", "ours", rope=0.5),
        "pair_with_errors_of_several": lambda: bc.compare(
            means_with_errors(6), "theirs", "ours", rope=0.5, seed=1
        ),
        "pair_of_means": lambda: bc.compare(
            bc.Scores.from_means(scores(FOUR).means("accuracy"), metric="accuracy"),
            "nb",
            "gbm",
            rope=0.01,
            seed=1,
        ),
        "pair_of_runs": lambda: bc.compare(agents(), "dqn", "rainbow", rope=0.1, **QUIET),
        "pair_failed_checks": lambda: by_fake(
            bayesian.hierarchical_t, bc.Scores(few).differences("nb", "svm"), rope=0.01, stuck=9
        ),
        "pair_of_several_metrics": lambda: by_fake(
            bayesian.hierarchical_multivariate_t,
            several,
            rho=0.1,
            rope=[0.01, 0.01],
            names=("knn", "gbm"),
            metrics=["tpr", "specificity"],
        ),
        "pair_of_models": lambda: bc.compare(answers(False), "small", "large", rope=0.02, seed=1),
        "pair_of_models_passages": lambda: bc.compare(
            answers(True), "small", "large", rope=0.02, seed=1
        ),
        "pair_of_models_benchmarks": lambda: bc.compare(
            answers(False, 4), "small", "large", rope=0.02, seed=1
        ),
        "pair_of_counts": lambda: bc.compare_counts(
            {"old": (14, 20), "new": (17, 20)}, rope=0.05, seed=1
        ),
        "pair_signs_few": lambda: bayesian.sign([0.02, 0.03, -0.01], seed=1, **named),
        "pair_in_doubt": lambda: bayesian.hierarchical_t(
            [0.02 + rng.normal(0, 0.004, 10) for _ in range(9)] + [0.5 + rng.normal(0, 0.3, 10)],
            rho=0.1,
            engine="quadrature",
            seed=1,
            **named,
        ),
    }


def many() -> dict[str, Callable[[], Any]]:
    """All pairs of algorithms."""
    three = {"a": 0.02, "b": 0.0, "c": 0.0}
    rank = {"test": "signed_rank"}
    return {
        "all_of_counts": lambda: bc.compare_counts(
            {"old": (140, 200), "new": (170, 200), "small": (9, 20)}, rope=0.02, seed=1
        ),
        "crosscheck_of_counts": lambda: bc.crosscheck(
            {"old": (14, 20), "new": (17, 20)}, rope=0.05, seed=1
        ),
        "all_of_two": lambda: bc.compare_all(scores({"svm": 0.03, "nb": 0.0}), rope=0.01, **QUIET),
        "all_of_four": lambda: bc.compare_all(scores(FOUR), rope=0.01, **QUIET),
        "all_of_twenty": lambda: bc.compare_all(
            scores(TWENTY), rope=0.01, seed=1, progress=False, draws=2000, **rank
        ),
        "all_long_names": lambda: bc.compare_all(scores(LONG), rope=0.01, **QUIET),
        "all_with_control": lambda: bc.compare_all(scores(FOUR), rope=0.01, control="nb", **QUIET),
        "all_nobody_leads": lambda: bc.compare_all(
            scores(three, 5, spread=0.05), rope=0.01, **QUIET
        ),
        "all_equivalent": lambda: bc.compare_all(
            scores({"a": 0.0, "b": 0.0, "c": 0.0}, 20, spread=0.001), rope=0.02, **QUIET
        ),
        "all_without_rope": lambda: bc.compare_all(scores(FOUR), **QUIET),
        "all_of_ratios": lambda: bc.compare_all(
            scores(FOUR, metric="rmse"), rope=0.01, scale="log_ratio", **QUIET
        ),
        "all_on_one_data_set": lambda: bc.compare_all(scores(FOUR, 1), rope=0.01, seed=1),
        "all_some_left_out": lambda: bc.compare_all(incomplete(), rope=0.01, **QUIET),
        "all_some_failed": some_failed,
    }


def checks() -> dict[str, Callable[[], Any]]:
    """Cross-checks, and posteriors of all algorithms at once."""
    return {
        "crosscheck_of_two": lambda: bc.crosscheck(
            scores({"svm": 0.03, "nb": 0.0}), rope=0.01, **QUIET
        ),
        "crosscheck_of_four": lambda: bc.crosscheck(scores(FOUR), rope=0.01, **QUIET),
        "crosscheck_of_two_metrics": lambda: bc.crosscheck(
            two_metrics(), metric=["accuracy", "rmse"], rope=0.01, **QUIET
        ),
        "crosscheck_on_one_data_set": lambda: bc.crosscheck(scores(FOUR, 1), rope=0.01, **QUIET),
        "crosscheck_disagreeing": lambda: bc.crosscheck(
            scores({"a": 0.008, "b": 0.0, "c": 0.004}, 30, spread=0.002), rope=0.01, **QUIET
        ),
        "crosscheck_long_names": lambda: bc.crosscheck(scores(LONG), rope=0.01, **QUIET),
        "bootstrap_of_four": lambda: bayesian.bootstrap(scores(FOUR), rope=0.01, seed=1),
        "bootstrap_of_twenty": lambda: bayesian.bootstrap(scores(TWENTY), rope=0.01, seed=1),
        "friedman_of_four": lambda: bayesian.friedman(scores(FOUR), rope=0.5, seed=1),
        "bradley_terry_of_four": lambda: bayesian.bradley_terry(scores(FOUR), seed=1),
        "undominated_of_four": lambda: bc.undominated(two_metrics(), rope=[0.01, 0.02], seed=1),
        "estimate_of_four": lambda: bc.estimate(scores(FOUR)),
        "estimate_of_counts": lambda: bc.estimate({"old": (14, 20), "new": (17, 20)}),
        "estimate_with_epochs": lambda: bc.estimate(attempts(), "small"),
        "board_of_four": lambda: bc.compare(board(300), rope=0.02, seed=1),
        "board_without_rope": lambda: bc.compare(board(300), rope=0, seed=1),
        "board_of_few_questions": lambda: bc.compare(board(60), rope=0.02, seed=1),
        "board_of_benchmarks": lambda: bayesian.leaderboard(
            [[0.61, 0.66, 0.67], [0.72, 0.73, 0.75]], rope=0.01, questions=[1319, 1172], seed=1
        ),
        "groups_of_four": lambda: bayesian.groups(scores(FOUR, 1), rope=0.01, seed=1),
    }


def others() -> dict[str, Callable[[], Any]]:
    """Plans, gates, what a verdict hangs on, and frequentist tests."""
    two = {"svm": 0.03, "nb": 0.0}
    means = scores(FOUR).means("accuracy")
    rng = np.random.default_rng(8)

    def pair(first: str = "gbm", second: str = "svm") -> Any:
        return bc.compare(
            bc.Scores.from_means(means, metric="accuracy"), first, second, rope=0.01, seed=1
        )

    def procedure() -> Any:
        return bc.procedure(scores(FOUR, 6), metrics="accuracy")

    return {
        "plan_of_a_pair": lambda: pair("nb", "gbm").plan(datasets=[4, 8], simulations=50, seed=1),
        "plan_ahead": lambda: bc.plan(
            delta0=0.012, sigma0=0.01, rope=0.01, rho=0.1, datasets=[4, 12], simulations=40, seed=1
        ),
        "plan_of_items": lambda: bc.plan_items(
            difference=0.03, between=0.06, within=0.24, rope=0.01, questions=[500, 4000]
        ),
        "plan_of_further_questions": lambda: bc.compare(board(300), rope=0.02, seed=1).plan(),
        "calibration": lambda: bc.calibrate(
            rope=0.01, rho=0.1, datasets=[6], delta0=[0.03], sigma0=[0.01], simulations=20, seed=1
        ),
        "referee": lambda: referee("loss of 3 terms", "warm-up"),
        "gate_passed": lambda: bc.gate(scores(two), "nb", "svm", margin=0.01, seed=1),
        "gate_undecided": lambda: bc.gate(scores(FOUR), "svm", "gbm", margin=0.01, seed=1),
        "gate_of_several": lambda: bc.gate(
            scores(FOUR), "nb", ["svm", "tree"], margin=0.01, seed=1
        ),
        "fragility_of_a_pair": lambda: pair("nb", "svm").fragility(seconds=600),
        "moderators": lambda: moderated(),
        "moderators_verdict": lambda: moderated().verdict(rows=4.5, rope=0.01),
        "fragility_undecided": lambda: pair("gbm", "svm").fragility(seconds=600),
        "sensitivity_holds": lambda: compared("nb", "svm", 0.01, FOUR).sensitivity(),
        "sensitivity_changes": lambda: compared("gbm", "svm", 0.01, FOUR).sensitivity(),
        "wilcoxon_significant": lambda: frequentist.wilcoxon(means["svm"] - means["nb"]),
        "wilcoxon_open": lambda: frequentist.wilcoxon([0.01, -0.02, 0.03, 0.01, -0.01]),
        "friedman_test": lambda: frequentist.friedman(scores(FOUR)),
        "posthoc_of_four": lambda: frequentist.posthoc(scores(FOUR)),
        "posthoc_of_twenty": lambda: frequentist.posthoc(
            scores(TWENTY), control="network_20_layers"
        ),
        "average_ranks_of_long_names": lambda: frequentist.average_ranks(scores(LONG)),
        "effect_size": lambda: frequentist.cliffs_delta(means["nb"], means["svm"]),
        "confidence_sequence": lambda: frequentist.confidence_sequence(
            rng.choice([-1, 0, 1], 400, p=[0.1, 0.7, 0.2])
        ),
        "procedure_of_four": procedure,
    }


@cache
def of_the_page() -> dict[str, Any]:
    """Verdicts of every kind."""
    pairs_of_page = verdict_cases.posteriors()
    return {
        f"page_{k:02d}": posterior if hasattr(posterior, "explain") else posterior.verdict()
        for k, (_, posterior) in enumerate(pairs_of_page, start=1)
    }


def results() -> dict[str, Callable[[], Any]]:
    """A function for each result, by the name of its file."""
    page = {f"page_{k:02d}": partial(_of_the_page, f"page_{k:02d}") for k in range(1, 19)}
    return {**pairs(), **many(), **checks(), **others(), **page}


def _of_the_page(name: str) -> Any:
    return of_the_page()[name]


@cache
def made(name: str) -> Any:
    """The result, once for all who look at it; whether it can be trusted is among its words."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return results()[name]()


def printed(result: Any) -> str:
    """What the terminal shows, 80 columns wide."""
    return f"{result}\n"


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    for name in results():
        (HERE / f"{name}.txt").write_text(printed(made(name)), encoding="utf-8")
