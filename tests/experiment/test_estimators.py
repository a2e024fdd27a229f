"""Estimators: what is accepted, seeds, descriptions, kernels."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import Ridge
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import bayescmp as bc
from bayescmp.experiment.estimators import (
    as_estimators,
    as_text,
    classify,
    describe,
    is_pairwise,
    prepared,
)


@pytest.mark.parametrize(
    ("estimators", "message"),
    [
        ({}, "estimators is dict or empty"),
        (SVC(), "estimators is SVC or empty; accepted: a dict"),
        ({"a": SVC}, r"estimators\['a'\] is the class SVC; accepted: an instance, SVC\(\)"),
        ({"a": StandardScaler()}, r"is StandardScaler, which lacks fit, predict or get_params"),
        ({"a": "svm"}, r"is str, which lacks"),
        ({1: SVC(), "1": SVC(C=2)}, "estimators: two are named '1'"),
    ],
)
def test_refused(estimators, message):
    with pytest.raises(bc.InputError, match=message):
        as_estimators(estimators)


def test_classifiers_or_not_but_never_both():
    assert classify({"a": SVC(), "b": make_pipeline(StandardScaler(), SVC())})
    assert not classify({"a": Ridge()})
    with pytest.raises(bc.InputError, match="'a' is a classifier and 'b' is not"):
        classify({"a": SVC(), "b": Ridge()})


def test_every_open_random_state_is_set_and_no_other():
    bag = BaggingClassifier(DecisionTreeClassifier())
    model = prepared(make_pipeline(StandardScaler(), bag), 5).get_params()
    states = {k: v for k, v in model.items() if k.endswith("random_state")}
    assert sorted(states) == [
        "baggingclassifier__estimator__random_state", "baggingclassifier__random_state",
    ]  # fmt: skip
    assert states["baggingclassifier__estimator__random_state"] == 5
    assert isinstance(states["baggingclassifier__random_state"], int)
    assert bag.random_state is None
    fixed = prepared(BaggingClassifier(DecisionTreeClassifier(random_state=3)), 5)
    assert (fixed.random_state, fixed.estimator.random_state) == (5, 3)
    assert prepared(KNeighborsClassifier(), 5).get_params() == KNeighborsClassifier().get_params()
    assert prepared(RandomForestClassifier(), 2**32 - 1).random_state == 2**32 - 1


def test_kernels_and_distances():
    assert is_pairwise(SVC(kernel="precomputed"))
    assert is_pairwise(KNeighborsClassifier(metric="precomputed"))
    assert is_pairwise(make_pipeline(SVC(kernel="precomputed")))
    assert not is_pairwise(SVC())


def models():
    return [
        SVC(C=2, gamma=np.float64(0.5)),
        GridSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": [1, 10]},
                     scoring=make_scorer(f1_score)),
        make_pipeline(FunctionTransformer(np.log1p), SVC(class_weight={0: 1, 1: 2})),
        KNeighborsClassifier(metric_params={"w": np.arange(3)}),
    ]  # fmt: skip


@pytest.mark.slow
def test_descriptions_are_the_same_in_another_process():
    """Nothing of them is an address in memory."""
    code = "from tests.experiment.test_estimators import *; print([describe(m) for m in models()])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    descriptions = [describe(m) for m in models()]
    assert done.stdout.strip() == str(descriptions)
    assert "0x" not in str(descriptions)


def test_descriptions_tell_nested_parameters():
    one, other = (describe(make_pipeline(StandardScaler(), SVC(C=c))) for c in (1, 3))
    assert {k for k in one if one[k] != other[k]} == {"svc__C"}
    assert one[""] == "sklearn.pipeline.Pipeline"
    assert as_text(np.arange(3)) != as_text(np.arange(4))
    assert as_text({"b": (1, None)}) == "{'b': [1, None]}"


def test_what_can_not_be_told_in_another_process_is_refused():
    with pytest.raises(bc.InputError, match="accepted: functions with a name"):
        describe(FunctionTransformer(lambda x: x))
