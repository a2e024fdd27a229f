"""What a report says of one pair: what its posterior says, in the tables and in full."""

from __future__ import annotations

import json

import bayescmp as bc
from bayescmp.report import selection
from bayescmp.report.content import gather
from bayescmp.report.render import rendered
from bayescmp.report.selection import leading_pair
from tests.report.conftest import plan_of


def test_a_pair_in_full_is_put_into_words(plain):
    plan = plan_of(plain, "accuracy", 0.02, options={"engine": "quadrature"})
    whole = gather(plan, title="Three", progress=False, pictures=False)
    for pair in whole["pairs"]:
        part = pair["parts"][0]
        post = bc.compare(
            plain, pair["first"], pair["second"], "accuracy", 0.02, seed=1, engine="quadrature"
        )
        verdict = post.verdict()
        assert part["explained"] == verdict.explain()
        assert part["labels"] == {r: verdict.label(r) for r in verdict.probabilities}
        assert part["odds"] == verdict.odds_in_words()
        assert part["columns"] == verdict.columns()
        assert part["verdict"] == verdict.to_dict()
        assert part["diagnostics"] == str(post.diagnostics)


def test_a_block_is_what_the_posterior_says(plain):
    """Of two algorithms, with what their verdict hangs on, which takes a fit each."""
    seen = []
    two = plan_of(plain, "accuracy", 0.02, algorithms=["knn", "svm"], datasets=["iris", "wine"],
                  options={"engine": "quadrature"})  # fmt: skip
    whole = gather(
        two, title="Two", progress=False, pictures=False, draw=seen.append, sensitivity=True
    )
    post = bc.compare(two.scores, "knn", "svm", "accuracy", 0.02, seed=1, engine="quadrature")
    verdict, part = post.verdict(), whole["pairs"][0]["parts"][0]
    assert [p.pair for p in seen] == [("knn", "svm")]
    assert part["sensitivity"] == post.sensitivity(threshold=0.95).explain()
    assert part["holds"] == post.sensitivity(threshold=0.95, datasets=False).brief()
    assert whole["metrics"][0]["sensitive"] is True
    assert (part["metric"], part["test"]) == ("accuracy", "hierarchical_t")
    assert part["direction"] == "accuracy ↑"
    assert part["prior_bounds"] == dict(post.prior_bounds)
    assert part["columns"] == verdict.columns()
    assert (part["floor"], part["decided"]) == (verdict.floor, verdict.decided)
    assert part["outcome"].startswith(verdict.headline if verdict.decided else verdict.decision)
    assert (part["engine"], part["engine_version"]) == (post.engine, post.engine_version)
    assert part["diagnostics"] == str(post.diagnostics)
    assert part["notes"] == list(dict.fromkeys(part["notes"]))
    assert any("two data sets" in note for note in part["notes"])
    assert part["seconds"] > 0
    summary = post.summary()
    assert list(part["summary"]) == list(summary.index)
    assert part["summary"]["delta0"]["mean"] == summary.loc["delta0", "mean"]
    json.dumps(whole, allow_nan=False)  # plain numbers, and none that is no number


def test_of_many_on_many_data_sets_the_leading_pair_has_its_outcome_alone(plain, monkeypatch):
    """Measured differences and p-values stay; a number of pairs asks for the rest as well."""
    monkeypatch.setattr(selection, "ALL", 2)
    monkeypatch.setattr(selection, "MANY", 3)
    plan = plan_of(plain, "accuracy", 0.02, options={"engine": "quadrature"})
    few = gather(plan, title="T", progress=False)
    assert [(p["first"], p["second"]) for p in few["pairs"] if p["full"]] == [leading_pair(plan)]
    (part,) = next(pair["parts"] for pair in few["pairs"] if pair["full"])
    x = plain.differences(*leading_pair(plan), "accuracy")
    assert [r["observed"] for r in part["datasets"]] == x.means.tolist()
    assert [set(r) for r in part["datasets"]] == [{"dataset", "n", "observed"}] * 4
    assert set(part["figures"]) == {"simplex"}
    page = rendered(few, "html")
    assert page.count("<summary>Numbers for each data set") == 1
    assert '<th scope="col" class="n">measured</th><th scope="col" class="n">corrected t' in page
    asked = gather(plan, title="T", progress=False, most=1, pictures=False)
    (part,) = next(pair["parts"] for pair in asked["pairs"] if pair["full"])
    assert {"mean", "low", "high", "p_rope"} <= set(part["datasets"][0])
