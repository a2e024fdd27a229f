"""Types that several modules share."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import xarray

__all__ = ["Coordinates", "Groups", "Json", "PathLike", "Variation"]

#: A file or folder, as `open` takes it.
PathLike: TypeAlias = str | os.PathLike[str]

#: Facts by name, nested as JSON nests them: attributes of a saved posterior, a row of a report.
Json: TypeAlias = dict[str, Any]

#: Coordinates by name, and the dimensions of each variable, as ArviZ takes them.
Coordinates: TypeAlias = tuple[dict[str, Any], dict[str, list[str]]]

#: Groups of a saved posterior: "posterior", "sample_stats", "constant_data".
Groups: TypeAlias = "Mapping[str, xarray.Dataset]"

#: What is varied of a fit, how, in words, and the regions' probabilities then.
Variation: TypeAlias = tuple[str, str, np.ndarray]
