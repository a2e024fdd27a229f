"""Whatever is printed keeps to one rule of rounding, and counts in the singular and the plural."""

from __future__ import annotations

import re
import warnings
from functools import cache

import numpy as np
import pytest

import bayescmp as bc
import bayescmp.bayesian as b
import bayescmp.frequentist as f
from tests.kinds import places, results_of, shown

#: Zero, one or an error that was rounded away, rounding of the machine, a signed zero, a wrong
#: plural.
BAD = re.compile(
    r"(?<![\d.])[01]\.000+(?![\d])|±\s*0(?:\.0*)?(?![\d.])|[\d.]e-(?:1[1-9]|[2-9]\d|\d{3})"
    r"|[-−]0(?:\.0*)?(?![\d.])|(?<![\d.,])1 (?:data sets|folds|repeats|pairs|draws|items|questions"
    r"|runs|tasks|rows|algorithms|comparisons|matches|simulated tables|differences)\b"
)
QUICK = {"rope": 0.01, "seed": 1}
RNG = np.random.default_rng(1)


@cache
def scene(name):
    """Scores that are certain: far apart, nearly alike, the same, or equal but in their order."""
    rng = np.random.default_rng(3)
    table = places()
    which = table["algorithm"].map({"knn": 0, "svm": 1, "gbm": 2}).to_numpy()
    fold, noise = table["fold"].to_numpy(), rng.normal(0, 0.002, len(table))
    auc = {
        "apart": 0.3 * which + 0.3 + noise,
        "alike": 0.7 + 0.01 * fold + noise,
        "same": 0.7 + 0.013 * fold,
        "shuffled": 0.7 + 0.02 * ((fold + 2 * which) % 5),
    }[name]
    return bc.Scores(table.assign(rmse=1.1 - auc + noise[::-1] * (name != "same"), auc=auc))


def more(scores):
    """Kinds that have no metric's direction to print, or take longer."""
    x = scores.differences("knn", "svm", "rmse")
    runs = {a: scores.means("auc")[[a]].to_numpy() for a in ("knn", "svm")}
    same = [True] * 30
    all_of = {"metric": "rmse", "engine": "quadrature", "progress": False, **QUICK}
    return {
        "compare": lambda: bc.compare(scores, "knn", "gbm", metric="rmse", **QUICK),
        "compare_all": lambda: bc.compare_all(scores, **all_of),
        "crosscheck": lambda: bc.crosscheck(scores, **all_of),
        "plan": lambda: b.hierarchical_t(x, engine="quadrature", **QUICK).plan(
            datasets=[0, 3], simulations=5, seed=1
        ),
        "bc.plan": lambda: bc.plan(
            delta0=0.03, sigma0=0.003, rope=0.01, rho=0.1, datasets=[3, 12], simulations=10
        ),
        "calibrate": lambda: bc.calibrate(
            rope=0.01, rho=0.1, datasets=[3], delta0=[0.03], sigma0=[0.001], simulations=5, seed=1
        ),
        "two_sample_t": lambda: b.two_sample_t([0.1, 0.1, 0.1], [0.9, 0.9, 0.9], **QUICK),
        "paired_proportions": lambda: b.paired_proportions(same, same, **QUICK),
        "cluster_bootstrap": lambda: b.cluster_bootstrap(
            np.repeat(0.5, 12), clusters=np.arange(12) // 2, **QUICK
        ),
        "mcnemar": lambda: f.mcnemar(same, [False] * 30),
        "aggregate_runs": lambda: f.aggregate_runs(runs, resamples=50, seed=1),
        "tost_paired": lambda: f.tost_paired(x.row("p"), rope=0.01),
        "joint_t": lambda: b.joint_t(
            scores, metric="rmse", rho=0.2, engine="fake", draws=250, **QUICK
        ),
        "hierarchical_multivariate_t": lambda: b.hierarchical_multivariate_t(
            [np.full((5, 2), 0.5) + 1e-3 * RNG.normal(size=(5, 2)) for _ in range(3)],
            rho=0.2,
            engine="fake",
            draws=250,
            **QUICK,
        ),
        "multivariate_t": lambda: b.multivariate_t(
            np.full((9, 2), -0.5) + 1e-3 * RNG.normal(size=(9, 2)), rho=0.1, **QUICK
        ),
        "confusion": lambda: b.confusion([50, 0, 0, 50], [0, 50, 50, 0], **QUICK),
        "mardia": lambda: f.mardia(np.random.default_rng(1).normal(size=(20, 2))),
    }


#: Ranks keep their digits; sensitivity takes longer.
SEVERAL, ONCE = {"average_ranks", "sensitivity"}, {("sensitivity", "same")}
#: Each kind of certain scores; those that take longer, or take no scores, but once.
CASES = [
    *(
        (kind, name)
        for name in ("apart", "alike", "same", "shuffled")
        for kind in results_of(scene(name))
        if (kind, name) in ONCE or kind not in SEVERAL
    ),
    *((kind, "apart") for kind in more(scene("apart"))),
]


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_what_is_printed_is_rounded_by_the_rule(kind, name, fake):
    make = {**results_of(scene(name)), **more(scene(name))}[kind]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", bc.DiagnosticWarning)
            result = make()
            printed = dict(shown(result))
    except bc.InputError:
        assert name in ("same", "shuffled")  # there is nothing to rank, no variance to estimate
        return
    for part, text in printed.items():
        if part not in ("JSON", "summary", "frame"):  # those are not rounded
            assert badly_rounded(text) == [], part


def badly_rounded(text):
    """Lines with a number against the rule; styles and mean ranks keep their digits."""
    text = re.sub(r"(?i)mean ranks:(?: \w+ [\d.]+,?)+", "", text)
    lines = re.split(r"\n|</t[dhr]>", re.sub(r'style="[^"]*"', "", text))
    return [line for line in lines if BAD.search(line)]


def test_reports_are_rounded_by_the_rule(tmp_path):
    files = [tmp_path / f"report.{kind}" for kind in ("html", "md", "tex")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)
        bc.report(
            scene("apart"), files, metric="auc", engine="quadrature", progress=False, **QUICK
        )
    for file in files:
        text = re.sub(r"(?s)<(script|svg|style).*?</\1>", "", file.read_text(encoding="utf-8"))
        assert badly_rounded(text) == [], file.suffix


@pytest.mark.parametrize(
    "text",
    [
        "1.000",
        "0.0000",
        "p 0.000,",
        "0.95 ± 0",
        "± 0.000",
        "3e-15",
        "2.1e-300",
        "-0",
        "−0.00",
        "1 data sets",
        "(1 folds",
    ],
)
def test_the_pattern_sees_what_it_is_for(text):
    assert BAD.search(text)


@pytest.mark.parametrize(
    "text", ["11.000", "1.0004", "± 0.02", "<1e-10", "-0.01", "21 folds", "0-9"]
)
def test_the_pattern_passes_what_is_fine(text):
    assert not BAD.search(text)
