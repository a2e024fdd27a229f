"""Every line of the catalogue is met: on the command line, in `which_test`, in the cross-check."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.catalogue import BAYESIAN, FREQUENTIST, SCOPES, frequentist_test, twins_of
from bayescmp.commands.cli import main
from bayescmp.experiment.run import ExperimentScores

QUIET = {"seed": 1, "progress": False}


def folds(rng, names="abc", datasets=("one", "two", "three")):
    rows = [
        {
            "dataset": d,
            "algorithm": a,
            "repeat": 1,
            "fold": f,
            "tpr": rng.uniform(0.6, 0.9),
            "fpr": rng.uniform(0.1, 0.4),
        }
        for d in datasets
        for a in names
        for f in range(1, 6)
    ]
    return bc.Scores(pd.DataFrame(rows))


def one(values, resampling):
    wide = dict(zip("abc", np.asarray(values, dtype=float).T.tolist(), strict=True))
    return bc.Scores.read(wide, metric="accuracy", resampling=resampling)


def with_predictions(rng, names="abc"):
    """Areas of five folds of twenty items, and the values by which these are ranked."""
    rows = [
        {
            "dataset": "one",
            "algorithm": a,
            "repeat": 1,
            "fold": f,
            "item": 20 * f + i,
            "truth": i % 2,
            "value": rng.normal() + i % 2,
        }
        for a in names
        for f in range(1, 6)
        for i in range(20)
    ]
    values = pd.DataFrame(rows)
    folds = values.groupby(["dataset", "algorithm", "repeat", "fold"])
    areas = [bc.curves.auc(part["truth"], part["value"]) for _, part in folds]
    return ExperimentScores(
        folds.size().rename("n").reset_index().drop(columns="n").assign(auc=areas),
        seed=1,
        predictions=values,
        positive={"one": 1},
    )


@pytest.fixture(scope="module")
def checks():
    """A cross-check of each kind of scores: over data sets, on one, of items, runs and areas."""
    rng = np.random.default_rng(1)
    many = folds(rng)
    runs = one(rng.uniform(0.5, 0.9, (6, 3)), "seeds")
    items = one(rng.uniform(size=(30, 3)) < 0.7, "independent")
    return [
        bc.crosscheck(many, "tpr", 0.02, metrics=("tpr", "fpr"), engine="quadrature", **QUIET),
        bc.crosscheck(many, "tpr", 0.02, datasets=["one"], **QUIET),
        bc.crosscheck(items, rope=0.05, **QUIET),
        bc.crosscheck(runs, rope=0.05, paired=False, **QUIET),
        bc.crosscheck(with_predictions(rng), "auc", 0.05, **QUIET),
    ]


@pytest.mark.parametrize("key", FREQUENTIST, ids="-".join)
def test_frequentist_tests_are_met_in_the_crosscheck(checks, key):
    """In a row of its own, beside one as a test of equivalence, or before the pairs."""
    name, scope = key
    test = frequentist_test(name, scope)
    rows = [row for check in checks for row in check.rows]
    own = [r for r in rows if (r["frequentist"], r["scope"]) == key]
    if test.claims == "equivalence":
        names = [t.name for t in FREQUENTIST.values() if (t.equivalence, t.scope) == key]
        beside = [r["tost"] for r in rows if r["scope"] == scope and r["frequentist"] in names]
        assert beside
        assert np.all(np.isfinite(beside))
    elif scope.startswith("all_"):
        scores = {c.omnibus[m].method for c in checks for m in c.omnibus}
        assert any(test.title.split("-")[0].lower() in method.lower() for method in scores)
    elif own:
        assert all(np.isfinite(r["pvalue"]) for r in own)
    else:  # no Bayesian test names it a twin: it can be asked for as one
        assert key not in {(t.name, t.scope) for b in BAYESIAN.values() for t in twins_of(b)}


@pytest.mark.parametrize("name", BAYESIAN)
def test_bayesian_tests_with_twins_are_met_in_the_crosscheck(checks, name):
    rows = {(r["bayesian"], r["frequentist"]) for check in checks for r in check.rows}
    for twin in twins_of(BAYESIAN[name]):
        assert (name, twin.name) in rows


def test_every_line_is_listed_on_the_command_line(capsys):
    assert main(["tests", "--json"]) == 0
    assert {row["test"] for row in json.loads(capsys.readouterr().out)} == set(BAYESIAN)
    assert main(["tests", "--frequentist", "--json"]) == 0
    listed = {(row["test"], row["of"]) for row in json.loads(capsys.readouterr().out)}
    assert listed == {(name, SCOPES[scope]) for name, scope in FREQUENTIST}


@pytest.mark.parametrize("name", BAYESIAN)
def test_every_bayesian_test_is_chosen_for_some_scores(name):
    kinds = [
        bc.which_test(metrics=m, algorithms=a, datasets=d)
        for m in (1, 2)
        for a in (2, 3)
        for d in (1, 2)
    ] + [bc.which_test(paired=False), bc.which_test(unit="answers")]
    assert any(name in kind.tests for kind in kinds)
