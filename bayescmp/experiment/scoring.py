"""Metrics of a fold: scikit-learn's scorers by name, confusion counts, rates and areas."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayescmp import curves
from bayescmp.base.arguments import must, must_be
from bayescmp.errors import InputError, unknown_name
from bayescmp.experiment.data import Dataset, as_text, key_by_name
from bayescmp.scores import metrics
from bayescmp.scores.columns import KEYS, NOTES

#: Areas under the ROC curve, and under the precision-recall curve: by Davis & Goadrich's
#: interpolation and by straight lines. scikit-learn's average_precision, a sum of steps, is a
#: third number.
AREAS = ("auc", "auc_pr", "auc_pr_trapezoid")

#: Shorthands for several metrics.
_GROUPS = {"confusion": metrics.COUNTS, "rates": ("tpr", "fnr", "fpr", "tnr")}

#: Rates that scikit-learn takes as 0 if nothing was predicted positive, and so do we.
_ZERO = ("precision", "mcc")

Scorer = Callable[[Any, Any, Any], float]


@dataclass(frozen=True)
class ComputedMetric:
    """A metric that is computed here, from labels, counts and ranking values."""

    name: str


Metric = ComputedMetric | str | Scorer


def as_scoring(scoring: object, classifies: bool) -> dict[str, Metric]:
    """Return metrics by the name of their column."""
    if scoring is None:
        scoring = "accuracy" if classifies else "r2"
    if isinstance(scoring, str) or callable(scoring):
        scoring = [scoring]
    if not isinstance(scoring, Mapping):
        if not isinstance(scoring, Iterable):
            accepted = "names of metrics, a function of (estimator, X, y), or a dict of them"
            raise must_be("scoring", accepted, scoring)
        groups = [_GROUPS.get(s, [s]) if isinstance(s, str) else [s] for s in scoring]
        scoring = {_name_of(s): s for group in groups for s in group}
    if not scoring:
        raise must_be("scoring", "at least one metric", scoring)
    return {n: _as_metric(n, s, classifies) for n, s in key_by_name("scoring", scoring).items()}


def _name_of(scorer: object) -> str:
    return scorer if isinstance(scorer, str) else str(getattr(scorer, "__name__", "score"))


def _is_own(name: str) -> bool:
    """Whether a metric is computed here, from counts and ranking values."""
    # normalise() cuts off averages: f1_macro is scikit-learn's, not the two-class f1.
    plain = metrics.normalise(name) == name and metrics.canonical_rate(name) is not None
    return plain or name in (*metrics.COUNTS, *AREAS)


def _as_metric(name: str, scorer: object, classifies: bool) -> Metric:
    from sklearn.metrics import get_scorer, get_scorer_names

    if name in (*KEYS, *NOTES, "n_train", "n_test", "fit_time", "score_time"):
        raise must(
            "scoring",
            "have other names than the columns of the table",
            repr(name),
            "Give it another name.",
        )
    if isinstance(scorer, str) and classifies and _is_own(scorer):
        _check_same_direction(name, scorer)
        return ComputedMetric(scorer)
    if isinstance(scorer, str):
        if scorer not in get_scorer_names():
            own = [*_GROUPS, *metrics.COUNTS, *AREAS, *metrics.rates()] if classifies else []
            raise unknown_name("metric in scoring", scorer, [*own, *get_scorer_names()], "scoring")
        _check_direction(name, scorer)
        return scorer
    if not callable(scorer):
        raise InputError(
            f"scoring[{name!r}] must be a metric's name or a function of (estimator, X, y) (got "
            f"{type(scorer).__name__}).",
            argument="scoring",
        )
    if isinstance(scorer, type(get_scorer("accuracy"))):
        _check_direction(name, "a scikit-learn scorer")
    return scorer


def _check_direction(name: str, scorer: str) -> None:
    """Refuse a column's name that says lower is better: scikit-learn's scorers never are."""
    if metrics.lower_is_better(name):
        raise must(
            f"scoring[{name!r}]",
            "have the name of a metric for which higher is better",
            f"a name for which lower is better, but {scorer}, whose losses come out negative",
            f"Name it 'neg_{name}'.",
        )


def _check_same_direction(name: str, metric: str) -> None:
    better = {True: "lower", False: "higher"}
    implied, actual = (better[metrics.lower_is_better(n)] for n in (name, metric))
    if implied != actual:
        raise must(
            f"scoring[{name!r}]",
            f"have the name of a metric for which {actual} is better, as for {metric!r}",
            f"a name for which {implied} is better",
            f"Name it {metric!r}.",
        )


def describe(scoring: Mapping[str, Metric]) -> dict[str, str]:
    """Return metrics as text, the same in every process."""
    return {
        name: s.name if isinstance(s, ComputedMetric) else s if isinstance(s, str) else as_text(s)
        for name, s in scoring.items()
    }


def positive_class(
    scoring: Mapping[str, Metric], name: str, data: Dataset, classifies: bool
) -> object:
    """Return the positive class of a data set; None if it has none."""
    if not classifies:
        return None
    if data.positive is not None:
        return data.positive
    classes = np.unique(data.y)
    if len(classes) <= 2:
        return classes[-1]
    needy = [
        m
        for m, s in scoring.items()
        if isinstance(s, ComputedMetric)
        and metrics.canonical_rate(s.name) not in ("accuracy", "error")
    ]
    if needy:
        raise must(
            "scoring",
            f"have metrics for the {len(classes)} classes of data set {name!r}",
            f"{needy[0]!r}, which needs two",
            "Name the positive one (positive=...), or take a metric of several classes such as "
            "'f1_macro'.",
        )
    return None


class _Answers:
    """A fitted estimator that computes each answer once, since scorers all need predictions."""

    def __init__(self, model: object, X: object) -> None:
        self._model, self._X, self._known = model, X, {}  # type: ignore[var-annotated]

    def __getattr__(self, name: str) -> Any:
        asked = getattr(self._model, name)
        if name not in ("predict", "predict_proba", "decision_function", "predict_log_proba"):
            return asked

        @functools.wraps(asked)
        def answer(X: object, **options: object) -> object:
            if X is not self._X or options:
                return asked(X, **options)
            if name not in self._known:
                self._known[name] = asked(X)
            return self._known[name]

        return answer


def rank_cases(model: object, X: object, positive: object) -> np.ndarray | None:
    """Return what the model ranks by: positive class's probability, decision value, None."""
    kind = next((k for k in ("predict_proba", "decision_function") if hasattr(model, k)), None)
    if kind is None or not hasattr(model, "classes_"):
        return None
    values = np.asarray(getattr(model, kind)(X), dtype=float)
    place = np.flatnonzero(np.asarray(model.classes_) == positive)
    if len(place) == 0:
        return np.zeros(values.shape[0])
    if values.ndim == 1:  # with two classes, decision values are those of the second
        return values if place[0] == 1 or len(model.classes_) == 1 else -values
    return values[:, place[0]]


def evaluate(
    model: object, X: object, y: np.ndarray, scoring: Mapping[str, Metric], positive: object
) -> tuple[dict[str, float], list[str], dict[str, np.ndarray]]:
    """Compute a fitted estimator's metrics on a fold's test rows: values, reasons, responses."""
    from sklearn.metrics import get_scorer

    answers = _Answers(model, X)
    responses = {"predicted": np.asarray(answers.predict(X))}
    if positive is not None:
        value = rank_cases(answers, X, positive)
        responses |= {} if value is None else {"value": value}
    values, reasons = {}, []
    for name, scorer in scoring.items():
        try:
            if isinstance(scorer, ComputedMetric):
                values[name] = _own_metric(scorer.name, y, responses, positive)
            elif isinstance(scorer, str):
                values[name] = float(get_scorer(scorer)(answers, X, y))
            else:
                values[name] = float(scorer(model, X, y))
            if not np.isfinite(values[name]):
                reasons.append(f"{name}: the scorer gave {values[name]}")
        except Exception as error:  # one metric's failure leaves the others
            values[name] = np.nan
            reasons.append(f"{name}: {error}")
    return values, reasons, responses


def _own_metric(
    name: str, y: np.ndarray, responses: Mapping[str, np.ndarray], positive: object
) -> float:
    from sklearn.metrics import confusion_matrix

    predicted = responses["predicted"]
    known = metrics.canonical_rate(name)
    if known in ("accuracy", "error"):  # of all classes, however many
        right = float(np.mean(predicted == y))
        return right if known == "accuracy" else float(np.mean(predicted != y))
    truth = y == positive
    if name in AREAS:
        return _area(name, truth, responses.get("value"))
    table = confusion_matrix(truth, predicted == positive, labels=[True, False])
    counts = dict(zip(metrics.COUNTS, table.ravel().tolist(), strict=True))
    if name in counts:
        return int(counts[name])
    value = float(metrics.rate(name, **counts))
    if np.isnan(value) and 0 < truth.sum() < len(truth) and known in _ZERO:
        return 0.0
    if np.isnan(value):
        raise ValueError(f"undefined: {_short_of(truth, predicted == positive)}")
    return value


def _short_of(truth: np.ndarray, predicted: np.ndarray | None = None) -> str:
    """Say what an undefined metric lacks."""
    if truth.all() or not truth.any():
        return f"the test rows have no {'negatives' if truth.all() else 'positives'}"
    all_positive = predicted is not None and predicted.all()
    return f"no row was predicted {'negative' if all_positive else 'positive'}"


def _area(name: str, truth: np.ndarray, value: np.ndarray | None) -> float:
    if value is None:
        raise ValueError("the estimator has neither predict_proba nor decision_function")
    if not truth.any() or (truth.all() and name == "auc"):
        raise ValueError(f"undefined: {_short_of(truth)}")
    if name == "auc":
        return float(curves.auc(truth, value, positive=True))
    method = "trapezoid" if name == "auc_pr_trapezoid" else "davis-goadrich"
    return float(curves.auc_pr(truth, value, positive=True, method=method))
