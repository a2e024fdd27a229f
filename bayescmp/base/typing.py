"""Types that several modules share, and values as JSON has them."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    import xarray


#: A file or folder, as `open` takes it.
PathLike: TypeAlias = str | os.PathLike[str]

#: Facts by name, nested as JSON nests them: attributes of a saved posterior, a row of a report.
Json: TypeAlias = dict[str, Any]

#: Groups of a saved posterior: "posterior", "sample_stats", "constant_data".
Groups: TypeAlias = "Mapping[str, xarray.Dataset]"

#: Two algorithms: the first and the second.
Pair: TypeAlias = tuple[str, str]

#: Largest k-hat of weights that can be relied on (Vehtari et al. 2024).
RELIABLE = 0.7


class Reweighted(NamedTuple):
    """A setting under which draws were reweighted, and how far the weights can be relied on.

    Attributes
    ----------
    setting : str
        The change in words.
    k_hat : float
        Shape of the tail of the weights, which can be relied on up to `RELIABLE`.
    refitted, can_refit : bool
        Whether the model was fitted again, because they cannot, or can be.
    """

    setting: str
    k_hat: float
    refitted: bool = False
    can_refit: bool = False


#: The varied part of a fit, the change in words or as a record, and the resulting probabilities
#: of the regions.
Variation: TypeAlias = tuple[str, str | Reweighted, np.ndarray]

#: The same for every pair.
PairVariation: TypeAlias = tuple[str, str | Reweighted, dict[Pair, np.ndarray]]


def as_json(value: Any) -> Any:
    """Return a value as JSON has it, which knows neither infinity nor NaN; of a table its rows."""
    if hasattr(value, "to_dict"):
        return as_json(value.to_dict("records") if hasattr(value, "iloc") else value.to_dict())
    if isinstance(value, Mapping):
        return {str(name): as_json(one) for name, one in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [as_json(one) for one in value]
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def as_facts(thing: object, *names: str, **more: object) -> Json:
    """Return attributes of a result by name, and further facts, as JSON has them."""
    facts: Json = as_json({name: getattr(thing, name) for name in names} | more)
    return facts


class SupportsFit(Protocol):
    """An estimator as scikit-learn has them: it can be copied, and fitted."""

    def fit(self, X: Any, y: Any, /) -> object:
        """Learn from rows and their targets."""
        ...

    def get_params(self, deep: bool = True) -> Mapping[str, Any]:
        """Return parameters by name, those of nested estimators too where ``deep`` is true."""
        ...


class Splitter(Protocol):
    """An object that splits rows into training and test sets, like scikit-learn's splitters."""

    def split(
        self,
        X: Any,
        y: Any = None,
        groups: Any = None,
    ) -> Iterable[tuple[ArrayLike, ArrayLike]]:
        """Yield pairs of training and test rows."""
        ...
