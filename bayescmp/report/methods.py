"""The methods paragraph: what was done, ready for a paper, with its citations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayescmp.bayesian import HierarchicalPrior
from bayescmp.catalogue import bayesian_test, cited, frequentist_test
from bayescmp.engines import engines
from bayescmp.scores.rope import describe_rope
from bayescmp.study.question import Question
from bayescmp.wording.references import REFERENCES, cite_short
from bayescmp.wording.text import adjusted_by, format_count, join_items

if TYPE_CHECKING:
    from bayescmp.base.typing import Json


def methods(question: Question, content: Json) -> Json:
    """Write the methods paragraph: ``sentences`` with keys, cited ``works``, ``shorts``."""
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


#: Sentence on the data, by whether there is one score of each, and one data set.
DATA = {
    (True, True): "We compared {algorithms} on one data set by {metrics}, from a single score of "
    "each{how}.",
    (True, False): "We compared {algorithms} on {datasets} by {metrics}, from a single score of "
    "each on every data set{how}.",
    (False, True): "We compared {algorithms} on one data set by {metrics}, from {scores} scores "
    "of each{how}.",
    (False, False): "We compared {algorithms} on {datasets} by {metrics}, from {scores} scores of "
    "each on every data set{how}.",
}
RHO = "Here rho is the correlation of two folds' differences."
#: The test that decides, by whether it has a prior.
TEST = {
    True: "Each pair was compared by {test}, with the prior {prior}, {regions}.",
    False: "Each pair was compared by {test}, {regions}.",
}
OTHERS = "For comparison we also give the results of {tests}."
#: Equivalent differences, by kind of ROPE.
REGIONS = {
    "ROPE": "taking differences within {ropes} as practically equivalent",
    "margin": 'testing for "not worse" by a margin of {ropes}',
    "none": "without a region of practical equivalence in {ropes}",
}
ROPE = "{rope} in {metric}"
#: Tests of several metrics, by whether their ROPEs were named before.
JOINT = {
    True: "On each data set {metrics} were also compared jointly, by {tests}.",
    False: "On each data set {metrics} were also compared jointly, by {tests}, {regions}.",
}
DECISION = (
    "An outcome was declared if its posterior probability, minus two standard errors, reached "
    "{threshold:g}; the evidence for one outcome over another is called weak for posterior odds "
    "up to 3, positive up to 20 and strong beyond."
)
ENGINE = "Posteriors were computed {how} with bayescmp {version} (seed {seed})."
#: Frequentist tests: of all data sets, on each of them, or both.
CROSS_CHECKS = {
    (True, False): "As a cross-check we give {tests}; p-values were {adjusted} and judged at the "
    "level {alpha:g}.",
    (False, True): "As a cross-check we give on each data set {alone}; p-values were {adjusted} "
    "and judged at the level {alpha:g}.",
    (True, True): "As a cross-check we give {tests}, and on each data set {alone}; p-values were "
    "{adjusted} and judged at the level {alpha:g}.",
}
EFFECTS = "Effect sizes ({names}) have 95% intervals."
#: Tests of equivalence, by kind of ROPE, and by whether the metrics have to be named.
EQUIVALENCE = {
    ("ROPE", False): "Equivalence within the same regions was tested by {tests}.",
    ("ROPE", True): "Equivalence within the same regions in {metrics} was tested by {tests}.",
    ("margin", False): "Non-inferiority by the same margin was tested by {tests}.",
    ("margin", True): "Non-inferiority by the same margin in {metrics} was tested by {tests}.",
}


def _says(text: str, *cites: str) -> Json:
    return {"text": text, "cites": list(dict.fromkeys(cites))}


def _data(setting: Json) -> Json:
    folds, q = setting["folds"], len(setting["datasets"])
    single = folds == [1]
    drawn = "" if single else setting["resampling"]
    how = ", ".join(filter(None, (setting["pairing"], drawn)))
    data = DATA[single, q == 1].format(
        algorithms=format_count(len(setting["algorithms"]), "algorithm"),
        datasets=format_count(q, "data set"),
        metrics=join_items(setting["measured"]),
        scores=f"{folds[0]}" if len(folds) == 1 else f"{folds[0]} to {folds[-1]}",
        how=f" ({how})" if how else "",
    )
    return _says(" ".join([data, *([RHO] if drawn else [])]))


def _test(question: Question, name: str, parts: list[Json]) -> Json:
    test = bayesian_test(name)
    prior = _prior(question, name, parts)
    regions = _equivalence(question, question.metrics)
    text = TEST[bool(prior)].format(test=test.sentence, prior=prior, regions=regions)
    return _says(text, *test.cites, "benavoli2017")


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
    return [_says(OTHERS.format(tests=tests), *cited(*names))]


def _equivalence(question: Question, metrics: tuple[str, ...]) -> str:
    """Write the ropes in words."""
    ropes = {m: question.ropes[m] for m in metrics}
    scale = question.scores.scale
    named: dict[str, list[str]] = {kind: [] for kind in REGIONS}
    for metric, rope in ropes.items():
        if rope.empty:
            named["none"].append(metric)
        elif rope.one_sided:
            named["margin"].append(ROPE.format(rope=f"{rope.size:g}", metric=metric))
        else:
            named["ROPE"].append(ROPE.format(rope=describe_rope(rope, scale), metric=metric))
    return join_items(
        [REGIONS[kind].format(ropes=join_items(each)) for kind, each in named.items() if each]
    )


def _joint(question: Question) -> list[Json]:
    twins = [twin for twin in question.twins if twin.scope == "metrics"]
    if not question.joint or not twins:
        return []
    text = JOINT[set(question.joint) <= set(question.metrics)].format(
        metrics=join_items(list(question.joint)),
        tests=join_items([f"{t.test.sentence} with {t.check.sentence}" for t in twins]),
        regions=_equivalence(question, question.joint),
    )
    return [_says(text, *(key for t in twins for key in (*t.test.cites, *t.check.cites)))]


def _decision(question: Question) -> Json:
    return _says(DECISION.format(threshold=question.threshold), "corani2017")


def _engine(content: Json) -> list[Json]:
    names = sorted(
        {p["engine"] for pair in content["pairs"] for p in pair["parts"] if "engine" in p}
    )
    known = {"exact": "in closed form or by independent draws"}
    known |= {name: how for name, e in engines().items() if (how := getattr(e, "how", ""))}
    how = join_items([known.get(name, f"by the engine {name}") for name in names])
    version, seed = content["versions"]["bayescmp"], content["setting"]["seed"]
    return [_says(ENGINE.format(how=how, version=version, seed=seed))]


def _twins(question: Question, twins: list[str], content: Json) -> list[Json]:
    alone = any(p["alone"] for pair in content["pairs"] for p in pair["parts"])
    first = next((t.frequentist for t in question.twins if t.scope == "dataset"), "")
    single = [frequentist_test(first, "dataset").sentence] if alone and first not in twins else []
    if not twins and not single:
        return []
    tests = join_items([frequentist_test(name).sentence for name in twins])
    twins = [*twins, *([first] if single else [])]
    cites = [*cited(*twins), *(["holm1979"] if question.adjust == "holm" else [])]
    exceptions = [
        *(["Tukey's test has its own adjustment"] if "tukey" in twins else []),
        *(["Holm's method if a p-value of the pairs is missing"] if content["notes"] else []),
    ]
    adjusted = adjusted_by(question.adjust, "the pairs")
    if question.adjust != "none" and exceptions:
        adjusted = f"{adjusted} ({'; '.join(exceptions)})"
    text = CROSS_CHECKS[bool(tests), bool(single)].format(
        tests=tests, alone="".join(single), adjusted=adjusted, alpha=question.alpha
    )
    return [_says(text, *cites)]


def _effects(rows: list[Json]) -> list[Json]:
    """State which effect sizes are given."""
    names = list(dict.fromkeys(row["effect"] for row in rows if row["effect"]))
    return [_says(EFFECTS.format(names=join_items(names)))] if names else []


def _equivalence_tests(question: Question, rows: list[Json]) -> list[Json]:
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
    both = bool(regions and margins)
    return [
        _says(EQUIVALENCE[kind, both].format(metrics=join_items(metrics), tests=how), *cites)
        for kind, metrics, how in (("ROPE", regions, tests), ("margin", margins, one_sided))
        if metrics
    ]
