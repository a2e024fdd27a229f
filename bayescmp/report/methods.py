"""The methods paragraph: what was done, ready for a paper, with its citations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayescmp.bayesian import HierarchicalPrior
from bayescmp.catalogue import bayesian_test, cited, frequentist_test, title
from bayescmp.engines import engines
from bayescmp.scores.rope import describe_rope
from bayescmp.study.question import Question
from bayescmp.wording.references import REFERENCES, cite_short
from bayescmp.wording.text import adjusted_by, format_count, join_items

if TYPE_CHECKING:
    from bayescmp.base.typing import Json


def methods(question: Question, content: Json) -> Json:
    """Write the methods paragraph from the report's content so far.

    It has ``sentences``, text with the keys it cites; ``works``, each with key, short form, kind
    and BibTeX fields; and ``shorts``, key to short form.
    """
    parts = [part for pair in content["pairs"] for part in pair["parts"]]
    main = sorted({part["test"] for part in parts if "test" in part})
    rows = [row for part in parts for row in part["twins"]]
    answers = dict.fromkeys(row["bayesian"] for row in rows)
    others = [name for name in answers if name and name not in main]
    twins = list(dict.fromkeys(row["frequentist"] for row in rows))
    sentences = [
        _data(content["setting"]),
        _says(content["setting"]["estimand"]["text"], *content["setting"]["estimand"]["cites"]),
        *(_test(question, name, parts) for name in main),
        *_describe_others(others),
        *_joint(question),
        _decision(question),
        *_engine(content),
        *_twins(question, twins, content),
        *_effects(rows),
        *_equivalence_tests(question, rows),
    ]
    keys = list(dict.fromkeys(k for s in sentences for k in s["cites"]))
    works = [
        {"key": k, "short": cite_short(k), "kind": REFERENCES[k][0], "fields": REFERENCES[k][1]}
        for k in keys
    ]
    return {
        "sentences": sentences,
        "works": works,
        "shorts": {w["key"]: w["short"] for w in works},
    }


CROSS_CHECK = (
    "As a cross-check we give {tests}; p-values were {adjusted} and judged at the level {alpha:g}."
)


def _says(text: str, *cites: str) -> Json:
    return {"text": text, "cites": list(dict.fromkeys(cites))}


def _data(setting: Json) -> Json:
    folds, q = setting["folds"], len(setting["datasets"])
    per = f"{folds[0]}" if len(folds) == 1 else f"{folds[0]} to {folds[-1]}"
    sets = "one data set" if q == 1 else format_count(q, "data set")
    scores = "a single score" if folds == [1] else f"{per} scores"
    every = " on every data set" if q > 1 else ""
    how = setting["resampling"]
    known = how and folds != [1]
    rho = f"correlation of two folds' differences {how.removeprefix('rho ')}"
    drawn = [rho if how.startswith("rho ") else how] if known else []
    overlap = ", ".join(filter(None, [setting["pairing"], *drawn]))
    overlap = f" ({overlap})" if overlap else ""
    return _says(
        f"We compared {format_count(len(setting['algorithms']), 'algorithm')} on {sets} by "
        f"{join_items(setting['measured'])}, from {scores} of each{every}{overlap}."
    )


def _test(question: Question, name: str, parts: list[Json]) -> Json:
    test = bayesian_test(name)
    prior = _prior(question, name, parts)
    given = f", with the prior {prior}" if prior else ""
    return _says(
        f"Each pair was compared by {test.sentence}{given}, "
        f"{_equivalence(question, question.metrics)}.",
        *test.cites,
        "benavoli2017",
    )


def _prior(question: Question, name: str, parts: list[Json]) -> str:
    """Write the whole prior, with the bounds that were taken from the data; "" without one."""
    tested = [part for part in parts if part.get("test") == name]
    texts = list(dict.fromkeys(part["verdict"]["prior"] for part in tested))
    prior = question.options.get("prior") or bayesian_test(name).prior
    if len(texts) == 1 or not isinstance(prior, HierarchicalPrior):
        return join_items(texts, "or")
    bounds = [part["prior_bounds"] for part in tested]
    ranges: dict[str, Any] = {
        k: (min(b[k] for b in bounds), max(b[k] for b in bounds)) for k in bounds[0]
    }
    return prior.in_words(**ranges)


def _describe_others(names: list[str]) -> list[Json]:
    """Name the Bayesian tests other than the one that gives the verdicts."""
    if not names:
        return []
    tests = join_items([bayesian_test(name).sentence for name in names])
    return [_says(f"For comparison we also give the results of {tests}.", *cited(*names))]


def _equivalence(question: Question, metrics: tuple[str, ...]) -> str:
    """Write the ropes in words."""
    ropes = {m: question.ropes[m] for m in metrics}
    scale = question.scores.scale
    finite = {m: rope for m, rope in ropes.items() if not rope.empty and not rope.one_sided}
    within = [f"{describe_rope(rope, scale)} in {m}" for m, rope in finite.items()]
    without = [m for m, rope in ropes.items() if rope.empty]
    parts = (
        [f"taking differences within {join_items(within)} as practically equivalent"]
        if within
        else []
    )
    margins = [f"{rope.size:g} in {m}" for m, rope in ropes.items() if rope.one_sided]
    if margins:
        parts.append(f'testing for "not worse" by a margin of {join_items(margins)}')
    if without:
        parts.append(f"without a region of practical equivalence in {join_items(without)}")
    return join_items(parts)


def _joint(question: Question) -> list[Json]:
    twins = [twin for twin in question.twins if twin.scope == "metrics"]
    if not question.joint or not twins:
        return []
    tests = join_items([f"{t.test.sentence} with {t.check.sentence}" for t in twins])
    ropes = (
        ""
        if set(question.joint) <= set(question.metrics)
        else f", {_equivalence(question, question.joint)}"
    )
    return [
        _says(
            f"On each data set {join_items(list(question.joint))} were also compared jointly, by "
            f"{tests}{ropes}.",
            *(key for t in twins for key in (*t.test.cites, *t.check.cites)),
        )
    ]


def _decision(question: Question) -> Json:
    return _says(
        "An outcome was declared if its posterior probability, minus two standard errors, "
        f"reached {question.threshold:g}; "
        "the evidence for one outcome over another is called weak for posterior odds up to 3, "
        "positive up to 20 and strong beyond.",
        "corani2017",
    )


def _engine(content: Json) -> list[Json]:
    names = sorted(
        {p["engine"] for pair in content["pairs"] for p in pair["parts"] if "engine" in p}
    )
    known = {"exact": "in closed form or by independent draws"}
    known |= {name: how for name, e in engines().items() if (how := getattr(e, "how", ""))}
    how = join_items([known.get(name, f"by the engine {name}") for name in names])
    version = content["versions"]["bayescmp"]
    return [
        _says(
            f"Posteriors were computed {how} with bayescmp {version} (seed "
            f"{content['setting']['seed']})."
        )
    ]


def _twins(question: Question, twins: list[str], content: Json) -> list[Json]:
    alone = any(p["alone"] for pair in content["pairs"] for p in pair["parts"])
    first = next((t.frequentist for t in question.twins if t.scope == "dataset"), "")
    names = [title(t).removesuffix(" test") for t in twins]
    over = [f"the {join_items(names)} {'tests' if len(names) > 1 else 'test'}"] if names else []
    if alone and first not in twins:
        over.append(f"on each data set {frequentist_test(first, 'dataset').sentence}")
        twins = [*twins, first]
    cites = list(cited(*twins))
    if not over:
        return []
    cites += ["holm1979"] if question.adjust == "holm" else []
    exceptions = [
        *(["Tukey's test has its own adjustment"] if "tukey" in twins else []),
        *(["Holm's method if a p-value of the pairs is missing"] if content["notes"] else []),
    ]
    adjusted = adjusted_by(question.adjust, "the pairs")
    if question.adjust != "none" and exceptions:
        adjusted = f"{adjusted} ({'; '.join(exceptions)})"
    return [
        _says(
            CROSS_CHECK.format(tests=", and ".join(over), adjusted=adjusted, alpha=question.alpha),
            *cites,
        )
    ]


def _effects(rows: list[Json]) -> list[Json]:
    """State which effect sizes are given."""
    names = list(dict.fromkeys(row["effect"] for row in rows if row["effect"]))
    return [_says(f"Effect sizes ({join_items(names)}) have 95% intervals.")] if names else []


def _equivalence_tests(question: Question, rows: list[Json]) -> list[Json]:
    """Name the tests of equivalence that accompany tests of difference."""
    given = {row["frequentist"] for row in rows if row["tost"] is not None}
    beside = dict.fromkeys(
        frequentist_test(twin.check.equivalence, twin.scope)
        for twin in question.twins
        if twin.check.equivalence and twin.frequentist in given
    )
    if not beside:
        return []
    cites = [key for test in beside for key in test.cites]
    tests = join_items([test.sentence for test in beside])
    one_sided = join_items([test.says_by_margin for test in beside])
    ropes = {m: question.ropes[m] for m in question.metrics if not question.ropes[m].empty}
    regions = [m for m, rope in ropes.items() if not rope.one_sided]
    margins = [m for m, rope in ropes.items() if rope.one_sided]
    sentences = [
        ("Equivalence within the same regions", regions, tests),
        ("Non-inferiority by the same margin", margins, one_sided),
    ]
    both = bool(regions and margins)
    return [
        _says(f"{what}{f' in {join_items(of)}' if both else ''} was tested by {how}.", *cites)
        for what, of, how in sentences
        if of
    ]
