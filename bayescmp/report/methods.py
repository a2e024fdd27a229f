"""The methods paragraph: what was done, ready for a paper, with its citations."""

from __future__ import annotations

from typing import Any

from bayescmp.crosscheck.plan import Plan
from bayescmp.crosscheck.words import title
from bayescmp.report.references import CITED, REFERENCES, short

__all__ = ["methods"]

_SAYS = {
    "hierarchical_t": "the Bayesian hierarchical correlated t test, whose probabilities speak of "
    "the next data set",
    "signed_rank": "the Bayesian signed-rank test on the data sets' mean differences",
    "sign": "the Bayesian sign test on the data sets' mean differences",
    "correlated_t": "the Bayesian correlated t test on the data set's folds",
}


def methods(plan: Plan, content: dict[str, Any]) -> dict[str, Any]:
    """The paragraph, the works it cites, and their BibTeX entries as plain fields.

    Parameters
    ----------
    plan : Plan
    content : dict
        What the report says so far.

    Returns
    -------
    dict
        ``sentences``: text with the keys it cites; ``works``: key, short form, kind, fields;
        ``shorts``: key to short form.
    """
    main = sorted({p["test"] for pair in content["pairs"] for p in pair["parts"] if "test" in p})
    twins = list(dict.fromkeys(
        t["frequentist"] for pair in content["pairs"] for p in pair["parts"] for t in p["twins"]
    ))  # fmt: skip
    sentences = [_data(content["setting"]), *(_test(plan, name) for name in main),
                 *_joint(plan), _decision(plan), *_engine(content),
                 *_twins(plan, twins, content)]  # fmt: skip
    keys = list(dict.fromkeys(k for s in sentences for k in s["cites"]))
    works = [{"key": k, "short": short(k), "kind": REFERENCES[k][0], "fields": REFERENCES[k][1]}
             for k in keys]  # fmt: skip
    return {
        "sentences": sentences,
        "works": works,
        "shorts": {w["key"]: w["short"] for w in works},
    }


def _says(text: str, *cites: str) -> dict[str, Any]:
    return {"text": text, "cites": list(dict.fromkeys(cites))}


def _data(setting: dict[str, Any]) -> dict[str, Any]:
    folds, q = setting["folds"], len(setting["datasets"])
    per = f"{folds[0]}" if len(folds) == 1 else f"{folds[0]} to {folds[-1]}"
    sets = "one data set" if q == 1 else f"{q} data sets"
    scores = "a single score" if folds == [1] else f"{per} scores"
    every = " on every data set" if q > 1 else ""
    rho = ", ".join(f"{r:.4g}" for r in setting["rho"][:3])
    overlap = f" (correlation of two folds' differences {rho})" if folds != [1] and rho else ""
    return _says(
        f"We compared {len(setting['algorithms'])} algorithms on {sets} by "
        f"{_and(setting['metrics'])}, from {scores} of each{every}{overlap}."
    )


def _test(plan: Plan, name: str) -> dict[str, Any]:
    prior = f", with the prior {_prior(plan)}" if name == "hierarchical_t" else ""
    told = _SAYS.get(name, title(name))
    return _says(
        f"Each pair was compared by {told}{prior}, {_equivalence(plan, plan.metrics)}.",
        *CITED.get(name, ()), "benavoli2017",
    )  # fmt: skip


def _equivalence(plan: Plan, metrics: tuple[str, ...]) -> str:
    """The ropes in words."""
    ropes = {m: plan.ropes[m] for m in metrics}
    within = [f"{rope} in {m}" for m, rope in ropes.items() if not rope.empty]
    without = [m for m, rope in ropes.items() if rope.empty]
    parts = (
        [f"taking differences within {_and(within)} as practically equivalent"] if within else []
    )
    if without:
        parts.append(f"without a region of practical equivalence in {_and(without)}")
    return _and(parts)


def _joint(plan: Plan) -> list[dict[str, Any]]:
    if not plan.joint:
        return []
    told = "" if set(plan.joint) <= set(plan.metrics) else f", {_equivalence(plan, plan.joint)}"
    return [_says(
        f"On each data set {_and(list(plan.joint))} were also compared together, by the "
        "Bayesian multivariate correlated t test beside Hotelling's paired test corrected for the "
        f"overlap of folds{told}.", *CITED["multivariate_t"], *CITED["hotelling_paired"],
        *CITED["corrected_t"],
    )]  # fmt: skip


def _prior(plan: Plan) -> str:
    from bayescmp.bayesian import HierarchicalPrior

    return str(plan.options.get("prior") or HierarchicalPrior.corani2017())


def _decision(plan: Plan) -> dict[str, Any]:
    return _says(
        f"An outcome was declared where its posterior probability reached {plan.threshold:g}; "
        "the evidence for one outcome over another is called weak for posterior odds up to 3, "
        "positive up to 20 and strong beyond.", "corani2017",
    )  # fmt: skip


def _engine(content: dict[str, Any]) -> list[dict[str, Any]]:
    names = sorted({p["engine"] for pair in content["pairs"] for p in pair["parts"]
                    if "engine" in p})  # fmt: skip
    told = {"quadrature": "by deterministic quadrature", "exact": "in closed form or by "
            "independent draws", "cmdstan": "by Hamiltonian Monte Carlo in CmdStan",
            "pystan": "by Hamiltonian Monte Carlo in PyStan"}  # fmt: skip
    how = _and([told.get(n, f"by the engine {n}") for n in names])
    version = content["versions"]["bayescmp"]
    return [_says(f"Posteriors were computed {how} with bayescmp {version} (seed "
                  f"{content['setting']['seed']}).")]  # fmt: skip


def _twins(plan: Plan, twins: list[str], content: dict[str, Any]) -> list[dict[str, Any]]:
    alone = any(p["alone"] for pair in content["pairs"] for p in pair["parts"])
    cites = [k for t in twins for k in CITED.get(t, ())]
    names = [title(t).removesuffix(" test") for t in twins]
    over = [f"the {_and(names)} test{'s' if len(names) > 1 else ''}"] if names else []
    if alone and "corrected_t" not in twins:
        over.append("on each data set the corrected resampled t test")
        cites.append("nadeau2003")
    if not over:
        return []
    adjusted = f"p-values were adjusted over the pairs by the procedure {plan.adjust}"
    if plan.adjust == "holm":
        adjusted = "p-values were adjusted over the pairs by Holm's procedure"
        cites.append("holm1979")
    if plan.adjust == "none":
        adjusted = "p-values were not adjusted"
    if "tukey" in twins and plan.adjust != "none":
        adjusted += " (Tukey's by its own)"
    if content["notes"]:
        adjusted += " (Holm's where a pair's is missing)"
    told = f"As a cross-check we give {', and '.join(over)}; {adjusted} and judged at the level "
    return [_says(f"{told}{plan.alpha:g}.", *cites)]


def _and(parts: list[str]) -> str:
    """Parts joined as in a sentence."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
