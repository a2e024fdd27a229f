"""Estimators of an experiment: checked, described for comparison, cloned and seeded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.errors import InputError
from bayescmp.experiment.data import named

if TYPE_CHECKING:
    from bayescmp.typing import SupportsFit

__all__ = ["as_estimators", "as_text", "classify", "describe", "is_pairwise", "prepared"]

_ACCEPTED = "accepted: a dict of names, each with an unfitted scikit-learn estimator"


def as_estimators(estimators: Mapping[str, object]) -> dict[str, object]:
    """Validated estimators by name.

    Raises
    ------
    InputError
        No mapping, no estimator, a class where an instance belongs.
    """
    if not isinstance(estimators, Mapping) or not estimators:
        raise InputError(f"estimators is {type(estimators).__name__} or empty; {_ACCEPTED}")
    for name, estimator in estimators.items():
        if isinstance(estimator, type):
            raise InputError(
                f"estimators[{name!r}] is the class {estimator.__name__}; accepted: an instance, "
                f"{estimator.__name__}()"
            )
        if not all(hasattr(estimator, method) for method in ("fit", "predict", "get_params")):
            raise InputError(
                f"estimators[{name!r}] is {type(estimator).__name__}, which lacks fit, predict or "
                f"get_params; {_ACCEPTED}"
            )
    return named("estimators", estimators)


def classify(estimators: Mapping[str, object]) -> bool:
    """Whether the estimators are classifiers: all of them, or none.

    Raises
    ------
    InputError
        If some are and some are not.
    """
    from sklearn.base import is_classifier

    kinds = {name: bool(is_classifier(e)) for name, e in estimators.items()}
    if len(set(kinds.values())) > 1:
        yes, no = (next(n for n, k in kinds.items() if k is kind) for kind in (True, False))
        raise InputError(
            f"estimators: {yes!r} is a classifier and {no!r} is not; no score compares the two"
        )
    return next(iter(kinds.values()))


def is_pairwise(estimator: object) -> bool:
    """Whether the estimator takes a precomputed kernel or distances: rows times rows."""
    try:
        from sklearn.utils import get_tags
    except ImportError:  # scikit-learn before 1.6
        from sklearn.utils._tags import _safe_tags

        return bool(_safe_tags(estimator, key="pairwise"))
    return bool(get_tags(estimator).input_tags.pairwise)


def prepared(estimator: object, seed: int) -> SupportsFit:
    """An unfitted copy whose random states come from the seed.

    Every parameter ``random_state`` that is None, of the estimator or of one nested in it, is
    set; those that the user has fixed are left. The first, in alphabetical order, is the seed
    itself.
    """
    from sklearn.base import clone

    copied = clone(estimator)
    parameters = copied.get_params(deep=True)
    names = [
        name
        for name in sorted(parameters)
        if name.rpartition("__")[2] == "random_state" and parameters[name] is None
    ]
    more = np.random.SeedSequence(seed).generate_state(len(names))
    values = {name: int(more[i]) if i else seed for i, name in enumerate(names)}
    return copied.set_params(**values) if values else copied


def describe(estimator: Any) -> dict[str, str]:
    """Class and parameters as text, the same in every process.

    Parameters
    ----------
    estimator : estimator

    Returns
    -------
    dict of str to str
        By parameter, nested ones with their path; "" is the class itself.
    """
    parameters = estimator.get_params(deep=True)
    texts = {"": _name(type(estimator))}
    texts.update({name: as_text(value) for name, value in sorted(parameters.items())})
    return texts


def _name(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"


def as_text(value: object) -> str:
    """A value as text, the same in every process.

    What has parameters of its own is described by its class: its parameters are listed beside it.
    """
    if value is None or isinstance(value, (bool, int, float, str, np.number)):
        return repr(value.item() if isinstance(value, np.generic) else value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(as_text, value))}]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{k!r}: {as_text(v)}" for k, v in value.items()) + "}"
    if hasattr(value, "get_params") and not isinstance(value, type):
        return _name(type(value))
    if type(value).__module__ == "sklearn.metrics._scorer":  # its repr names all that it is of
        return repr(value)
    if hasattr(value, "__qualname__") and "<lambda>" not in value.__qualname__:
        return _name(value)
    return f"{_name(type(value))} {_hashed(value)}"


def _hashed(value: object) -> str:
    """A hash of what has no other text; a lambda has none, as it can't be pickled."""
    import pickle

    import joblib

    try:
        return str(joblib.hash(value))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InputError(
            f"{value!r} can't be identified in a checkpoint; accepted: functions "
            "with a name, at the top level of a module"
        ) from error
