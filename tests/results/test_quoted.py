"""Numbers that a verdict's sentences and its page quote are those computed."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import bayescmp as bc
from bayescmp.results.verdict import Known, Spread, sentences
from bayescmp.scores.rope import as_rope, as_ropes

# Every number that a verdict's sentences quote is the one that was computed, in its place.


NUMBER = re.compile(r"[<>]?-?\d+(?:\.\d+)?(?:e[-+]\d+)?")
THREE, FOUR = ("left", "rope", "right"), ("equivalent", "first", "second", "trade_off")


def shown(p):
    return "<0.001" if p < 0.001 else ">0.999" if p > 0.999 else f"{p:.3f}"


def ends(interval):
    return [f"{end:.3g}" for end in interval]


def drawn(rng, several, over_datasets, empty):
    """A verdict of random numbers: concentrated ones, so that bounds are met too."""
    regions = FOUR if several else THREE
    impossible = "equivalent" if several else "rope"
    weights = np.array([0.0 if empty and r == impossible else 0.3 for r in regions])

    def masses():
        p = np.zeros(len(regions))
        p[weights > 0] = rng.dirichlet(weights[weights > 0])
        return dict(zip(regions, p.tolist(), strict=True))

    def interval(scale=0.05):
        return tuple(sorted(rng.normal(0, scale, 2).tolist()))

    p = masses()
    size, width = 2 if several else 1, 0.0 if empty else 0.01
    rope = as_ropes(width, ("tpr", "fpr")) if several else as_rope(width)
    options = {"mean_interval": tuple(interval() for _ in range(size))}
    if over_datasets:
        options |= {
            "expected": masses(),
            "location": masses(),
            "known": Known(rng.random(), tuple(sorted(rng.random(2).tolist()))),
            "spread": tuple(Spread(rng.random(), interval(), interval()) for _ in range(size)),
        }
    else:
        options["target"] = "this data set"
    errors = dict.fromkeys(regions, float(rng.choice([0.0, 0.004])))
    return bc.Verdict(
        p,
        errors,
        ("knn", "gbm"),
        rope,
        metric="auc",
        metrics=("tpr", "fpr") if several else (),
        **options,
    )


def required(v, empty):
    """The numbers of each sentence before the decision, from the verdict's own fields."""
    order = [r for r in v.ranked if r in v.possible]
    rope = [] if empty else ["0.01"]
    deciding = [*rope, *(shown(v.probabilities[r]) for r in order)]
    means = [end for interval in v.mean_interval for end in ends(interval)] + ["0.95"]
    if v.expected is None:
        return [deciding, means]
    scales = [n for s in v.spread for n in (f"{s.median:.3g}", "95", *ends(s.interval))]
    following = [end for s in v.spread for end in ends(s.following)]
    return [
        deciding,
        [shown(v.expected[r]) for r in order],
        [*scales, *following, "0.95"],
        [*(shown(v.location[r]) for r in order), *means],
    ]


@settings(max_examples=150)
@given(st.integers(0, 10**9), st.booleans(), st.booleans(), st.booleans())
def test_quoted_numbers_are_the_computed_ones(seed, several, over_datasets, empty):
    v = drawn(np.random.default_rng(seed), several, over_datasets, empty)
    quoted = [NUMBER.findall(text.replace("σ0", "")) for text in sentences(v)]
    if several:
        assert quoted.pop(1) == []  # what it is to dominate
    expected = required(v, empty)
    assert quoted[: len(expected)] == expected
    decision, *causes = quoted[len(expected) :]
    top = v.ranked[0]
    borderline = [f"{v.errors[top]:.1g}", f"{v.probabilities[top]:.4f}"]
    assert decision == ["0.95", *(borderline if v.decision == "borderline" else [])]
    known = [] if v.known is None else [v.known.median, *v.known.interval]
    if v.cause == "data sets differ":
        median, *interval = map(shown, known)
        assert causes == [[median, "95", *interval, "0.95"]]
    others = {"95", "0.95", "0.01", "-0.01", "0", *required(v, empty)[-1]}
    assert {n for cause in causes for n in cause} <= others | set(map(shown, known))


# The page of verdicts is what the program says today.


DOCS = Path(__file__).parents[2] / "docs"


def test_verdicts_are_as_the_page_has_them():
    names = runpy.run_path(str(DOCS / "make_verdicts.py"))
    assert names["page"]() == (DOCS / "verdicts.md").read_text(encoding="utf-8")


def test_they_are_of_every_kind():
    names = runpy.run_path(str(DOCS / "make_verdicts.py"))
    verdicts = [p.verdict() for _, p in names["posteriors"]()]
    assert len(verdicts) == 18
    assert {v.cause for v in verdicts} == {
        "",
        "data sets differ",
        "edge of the rope",
        "too little data",
    }
    assert {v.decision for v in verdicts} == {
        "second",
        "equivalent",
        "trade-off",
        "undecided",
        "borderline",
    }
