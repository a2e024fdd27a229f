"""Verdicts in words: every situation, every number, every name."""

import math
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

import bayescmp as bc
from bayescmp.present.paper import split_paragraphs
from bayescmp.results.verdict import DatasetSpread, IfKnown
from bayescmp.scores.metrics import Direction
from bayescmp.scores.pairing import LeftOut
from bayescmp.scores.rope import as_rope, as_ropes
from bayescmp.wording.markup import escape, latex
from tests.reference import printed_results
from tests.rows import each_row

THREE, FOUR = ("left", "rope", "right"), ("equivalent", "first", "second", "trade_off")
INF = math.inf


def pair(*p, rope=0.01, error=0.0, expected=None, location=None, **options):
    """A verdict on knn and gbm over three regions, or over four in tpr and fpr."""
    several = len(p) == 4
    regions = FOUR if several else THREE
    metrics = ("tpr", "fpr") if several else ()
    return bc.Verdict(
        dict(zip(regions, p, strict=True)),
        dict.fromkeys(regions, error),
        ("knn", "gbm"),
        as_ropes(rope, metrics) if several else as_rope(rope),
        expected=expected and dict(zip(regions, expected, strict=True)),
        location=location and dict(zip(regions, location, strict=True)),
        **{"metric": "accuracy", "metrics": metrics, **options},
    )


OVER = {"expected": (0.2, 0.3, 0.5)}
WIDE, CLOSE = {"mean_interval": ((-0.02, 0.05),)}, {"mean_interval": ((0.008, 0.012),)}

SITUATIONS = {
    "first": (pair(0.97, 0.02, 0.01), "knn is practically better than gbm", ""),
    "equivalent": (pair(0.01, 0.98, 0.01), "knn and gbm are practically equivalent", ""),
    "second, no ROPE": (pair(0.02, 0.0, 0.98, rope=0), "gbm is better than knn", ""),
    "data sets differ": (
        pair(0.1, 0.3, 0.6, known=IfKnown(0.54, (0.47, 0.62)), **OVER),
        "knn and gbm: undecided, the data sets disagree",
        "The data sets disagree. Even if the parameters were known exactly, the most probable "
        "outcome would occur on a new data set with probability 0.540. More data sets cannot "
        "raise this.",
    ),
    "too little data": (
        pair(0.0, 0.2, 0.8, **WIDE),
        "knn and gbm: undecided, there is not enough data",
        "There is not enough data to decide.",
    ),
    "too few data sets": (
        pair(0.0, 0.2, 0.8, known=IfKnown(0.71, (0.52, 0.99)), **WIDE, **OVER),
        "knn and gbm: undecided, there is not enough data",
        "There is not enough data to decide. More data sets, or more scores on each, would help.",
    ),
    "edge": (
        pair(0.0, 0.4, 0.6, **CLOSE),
        "knn and gbm: undecided, the difference is close to a bound of the ROPE",
        "The mean difference is close to a bound of the ROPE. Whether this mean difference "
        "matters is a judgement that more data cannot make.",
    ),
    "edge of a margin": (
        pair(0.4, 0.6, 0.0, rope=(-0.01, INF), mean_interval=((-0.012, -0.008),)),
        "knn and gbm: undecided, the difference is close to the margin",
        "The mean difference is close to the margin. Whether this mean difference matters is a "
        "judgement that more data cannot make.",
    ),
    "no known cause": (pair(0.3, 0.3, 0.4), "knn and gbm: undecided", ""),
    "borderline": (
        pair(0.0, 0.047, 0.953, error=0.0042),
        "knn and gbm: undecided, more draws are needed",
        "More draws would decide.",
    ),
    "borderline, exact": (
        pair(0.0, 0.0501, 0.9499, error=0.0002, exact=True),
        "knn and gbm: undecided, the probability is at the threshold",
        "",
    ),
    "tied": (pair(0.0, 0.5, 0.5), "knn and gbm: undecided", ""),
    "not worse": (
        pair(0.01, 0.99, 0.0, rope=(-0.01, INF)),
        "gbm is not practically worse than knn",
        "",
    ),
    "worse": (pair(0.0, 0.01, 0.99, rope=(-INF, 0.01)), "knn is practically worse than gbm", ""),
    "dominates": (pair(0.01, 0.01, 0.97, 0.01), "gbm dominates knn", ""),
    "trade-off": (pair(0.01, 0.01, 0.01, 0.97), "knn and gbm: a trade-off", ""),
    "equivalent in all": (
        pair(0.97, 0.01, 0.01, 0.01),
        "knn and gbm are practically equivalent in all metrics",
        "",
    ),
    "not worse in any": (
        pair(0.99, 0.01, 0.0, 0.0, rope=[(-0.01, INF)] * 2),
        "gbm is not practically worse than knn in any metric",
        "",
    ),
}


@each_row(("v", "headline", "advice"), SITUATIONS.values(), ids=SITUATIONS)
def test_each_situation_has_its_headline_and_its_advice(v, headline, advice):
    assert re.split("  +|\n", str(v))[0] == headline
    assert v.to_dict()["headline"] == headline
    last = v.explain().rpartition(").")[2].strip()
    assert last == advice
    assert ("threshold 0.95" in v.explain()) == ("Verdict at the threshold" in v.explain("paper"))


def test_tied_outcomes_are_both_named():
    assert SITUATIONS["tied"][0].explain() == (
        "No outcome on a new data set is the most probable: the two are practically equivalent "
        "and gbm is practically better have the same posterior probability, 0.500 (threshold "
        "0.95)."
    )


@each_row(
    ("options", "sentence"),
    [
        (
            {"estimate": (-0.01,), "mean_interval": ((-0.02, 0.004),)},
            "Mean difference: 0.010 in favour of knn (95% credible interval −0.004 to 0.020).",
        ),
        (
            {"estimate": (0.0001,), "mean_interval": ((-0.03, 0.03),)},
            "Mean difference: 0 (95% credible interval −0.030 to 0.030, positive in favour of "
            "gbm).",
        ),
        (
            # e^0.01 − 1 and its bounds; the algorithm that is behind has the larger error
            {
                "estimate": (0.01,),
                "mean_interval": ((0.004, 0.02),),
                "metric": "error",
                "directions": (Direction("error", True, "declared", "log_ratio"),),
            },
            "On average, the error of knn is 1.0% larger (95% credible interval 0.4% to 2.0%).",
        ),
    ],
)
def test_a_lead_is_in_favour_of_the_algorithm_in_front(options, sentence):
    assert sentence in pair(0.3, 0.3, 0.4, **options).explain()


# Every number is one of the verdict's own, in its place.


NUMBER = re.compile(r"[<>]?-?\d+(?:\.\d+)?(?:e[-+]\d+)?")


def shown(p):
    return "<0.001" if p < 0.001 else ">0.999" if p > 0.999 else f"{p:.3f}"


def drawn(rng, several, over_datasets, empty):
    """A verdict of random numbers: concentrated ones, so that bounds are met too."""
    weights = np.full(4 if several else 3, 0.3)
    weights[0 if several else 1] *= not empty

    def masses():
        p = np.zeros(len(weights))
        p[weights > 0] = rng.dirichlet(weights[weights > 0])
        return p.tolist()

    def interval():
        return tuple(sorted(rng.normal(0, 0.05, 2).tolist()))

    size = 2 if several else 1
    means = tuple(interval() for _ in range(size))
    options = {"mean_interval": means, "estimate": tuple(sum(ends) / 2 for ends in means)}
    if over_datasets:
        options |= {
            "expected": masses(),
            "location": masses(),
            "known": IfKnown(rng.random(), tuple(sorted(rng.random(2).tolist()))),
            "spread": tuple(
                DatasetSpread(rng.random(), interval(), interval()) for _ in range(size)
            ),
        }
    error = float(rng.choice([0.0, 0.004]))
    return pair(*masses(), rope=0.0 if empty else 0.01, error=error, **options)


def leads(v):
    """Each mean difference and its interval, to two digits of the width."""
    for middle, (low, high) in zip(v.estimate, v.mean_interval, strict=True):
        digits = max(1 - math.floor(math.log10(high - low)), 0)
        low, high = (low, high) if middle >= 0 else (-high, -low)
        texts = [f"{end:.{digits}f}" for end in (abs(middle), low, high)]
        by, *ends = (text if text.strip("-0.") else "0" for text in texts)
        yield from (by, "95", *ends)


@settings(max_examples=150)
@given(st.integers(0, 10**9), st.booleans(), st.booleans(), st.booleans())
def test_each_number_is_one_of_the_verdicts(seed, several, over_datasets, empty):
    v = drawn(np.random.default_rng(seed), several, over_datasets, empty)
    top = v.ranked[0]
    error = [f"{v.errors[top]:.1g}"] if v.decision == "borderline" else []
    known = [shown(v.known.median)] if v.cause == "data sets differ" else []
    short = [shown(v.probabilities[top]), *error, "0.95", *leads(v), *known]
    assert NUMBER.findall(v.explain().replace("−", "-")) == short
    order = [r for r in v.ranked if r in v.possible]
    masses = [p for p in (v.probabilities, v.expected, v.location) if p is not None]
    spreads = [
        text
        for s in v.spread
        for text in (
            f"{s.median:.3g}",
            "95",
            *(f"{end:.3g}" for end in (*s.interval, *s.following)),
            "0.95",
        )
    ]
    paper = [shown(p[r]) for p in masses for r in order]
    paper += [*spreads, *leads(v), "0.95", *known]
    results, _ = split_paragraphs(v.explain("paper"))
    assert NUMBER.findall(results.replace("−", "-").replace("σ0", "")) == paper


# Explanations for a paper.


EVERYTHING = pair(
    0.0,
    0.0002,
    0.9998,
    expected=(0.2322, 0.2286, 0.5392),
    location=(0.0, 0.1288, 0.8712),
    estimate=(0.012,),
    mean_interval=((0.00855, 0.0155),),
    spread=(DatasetSpread(0.0301, (0.0276, 0.0329), (-0.0474, 0.0716)),),
    method="Bayesian hierarchical correlated t test, Corani et al. 2017",
    directions=(Direction("accuracy"),),
    resampling="rho 0.1: 10 folds",
    left_out=LeftOut(("iris",), {"wine": 2}),
    prior="corani2017: δ0 ~ U(−1, 1)",
)


def test_a_paper_gets_results_methods_and_references():
    results, methods, *entries = EVERYTHING.explain("paper").split("\n\n")
    assert results.startswith("For the most probable outcome on a new data set, the posterior ")
    assert "For the mean difference over data sets, the posterior probabilities are" in results
    for text in (
        "Differences in accuracy within ±0.01 were regarded as practically equivalent. In "
        "accuracy, higher is better.",
        "Test: Bayesian hierarchical correlated t test, Corani et al. 2017.",
        "Correlation of scores: rho 0.1: 10 folds.",
        "Left out: 1 data set ('iris') and 2 folds, without a score of both.",
        "Prior: corani2017: δ0 ~ U(−1, 1).",
        f"Computed with bayescmp {bc.__version__}.",
    ):
        assert text in methods
    keys = [re.match(r"@\w+\{([^,]+),", entry)[1] for entry in entries]
    assert keys == ["corani2017", "bates2024", "bayescmp"]


@each_row("metric", ["rmse", "return"])
def test_a_predicted_ratio_is_of_the_algorithm_whose_scores_are_larger(metric):
    """Twice as large on each data set, whether that is better or worse."""
    noise = np.random.default_rng(3).normal(0, 0.05, (8, 2, 5))
    scores = np.exp(noise) * np.array([2.0, 1.0])[:, None]
    labels = [(d, a, k) for d in range(8) for a in ("tiny", "huge") for k in range(5)]
    frame = pd.DataFrame(labels, columns=["dataset", "algorithm", "fold"])
    frame = frame.assign(**{metric: scores.ravel()}, dataset=frame["dataset"].map("d{}".format))
    for pair in (("tiny", "huge"), ("huge", "tiny")):
        fitted = bc.compare(frame, *pair, scale="log_ratio", rope="10%", seed=1)
        found = re.search(
            r"between (\S+)% and (\S+)% .* the score of (\w+) is larger", fitted.explain("paper")
        )
        low, high = (float(found[k].replace("−", "-")) for k in (1, 2))
        ahead = found[3] if low > 0 else next(name for name in pair if name != found[3])
        assert low * high > 0
        assert ahead == "tiny"


# Names.


PLAIN, ODD = ("qqqq", "zzzz"), ("{x}{", "e}-3")


@each_row("v", [EVERYTHING, *(s[0] for s in SITUATIONS.values())])
def test_names_are_printed_unchanged(v):
    plain, odd = (replace(v, names=names) for names in (PLAIN, ODD))
    forms = {
        str: str,
        bc.Verdict.explain: str,
        lambda w: w.explain("paper"): str,
        repr: str,
        bc.Verdict._repr_html_: escape,
        bc.Verdict.to_latex: latex,
    }
    for write, escaped in forms.items():
        expected = write(plain)
        for name, other in zip(PLAIN, ODD, strict=True):
            expected = expected.replace(name, escaped(other))
        assert write(odd) == expected


# Nothing is computed for printing.


@each_row("name", ["pair_of_several_metrics", "page_03", "page_08", "page_13"])
def test_words_are_made_of_the_verdict_alone(name):
    made = printed_results.made(name)
    v = made.verdict()
    v.explain("paper")  # imports
    called = set()

    def note(frame, event, _):
        if event == "call":
            called.add(Path(frame.f_code.co_filename))

    sys.setprofile(note)
    try:
        for text in (str(v), repr(v), v.explain(), v.explain("paper"), v._repr_html_()):
            assert text
        assert v.to_latex()
    finally:
        sys.setprofile(None)
    own = Path(bc.__file__).parent
    layers = {path.relative_to(own).parts[0] for path in called if own in path.parents}
    assert "present" in layers
    assert not layers & {"engines", "bayesian", "frequentist", "study"}


def test_titles_of_rows_are_whole_where_the_outcome_has_a_long_name():
    """The signed-rank test is about the average of two data sets, which fills a column."""
    x = bc.Differences(np.linspace(-0.03, 0.05, 12)[:, None], rho=0.0, names=("knn", "svm"))
    text = str(bc.bayesian.signed_rank(x, rope=0.01, seed=1))
    titles = [line.split("   ")[0] for line in text.splitlines()]
    assert "Most probable *" in titles
    assert any(title.startswith("On the average of two new data sets") for title in titles)
    assert "…" not in text
