"""What the sampled posteriors of several metrics on one data set share: draws, noise, saving."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.fitted import Fitted

if TYPE_CHECKING:
    from bayescmp.typing import Coordinates, Groups, Json


__all__ = ["SampledPosterior"]


@dataclass(frozen=True, eq=False, repr=False)
class SampledPosterior(Fitted):
    """Draws of a sampler, beside what the model's own posterior class knows.

    Attributes
    ----------
    values : mapping of str to ndarray
        The draws, shape (chain, draw, ...): the model's own variables in all p metrics, "Sigma"
        (chain, draw, k, k) of the k metrics that were sampled, "nu" (chain, draw) with t noise.
    noise : {"normal", "t"}
        The folds' noise.
    sampled : tuple of str
        The metrics that were sampled; the others follow from them.
    prior_words : str
        The prior in words.
    sample_stats : mapping of str to ndarray
        Statistics of the sampler, shape (chain, draw).
    x : ndarray
        The scores or their differences, as the model's own class has them.
    """

    _: KW_ONLY
    values: Mapping[str, np.ndarray]
    noise: str
    sampled: tuple[str, ...]
    prior_words: str
    sample_stats: Mapping[str, np.ndarray]
    x: np.ndarray
    rope: Any  # one per metric

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws, shape (chain, draw, ...)."""
        return self.values

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        return self.prior_words

    def _groups(self) -> dict[str, dict[str, np.ndarray]]:
        return {
            "posterior": dict(self.values),
            "sample_stats": dict(self.sample_stats),
            "constant_data": {"x": self.x},
        }

    def _coords(self) -> Coordinates:
        coords, dims = super()._coords()  # type: ignore[safe-super]  # the model's own
        coords |= {"sampled": list(self.sampled), "sampled_": list(self.sampled)}
        return coords, {**dims, "Sigma": ["sampled", "sampled_"]}

    def _attributes(self) -> Json:
        more = {
            "noise": self.noise,
            "sampled": list(self.sampled),
            "prior_words": self.prior_words,
        }
        return {**super()._attributes(), **more}

    @classmethod
    def _restore(cls, common: Json, more: Json, groups: Groups) -> Fitted:
        values = {k: v.to_numpy() for k, v in groups["posterior"].data_vars.items()}
        own = groups["sample_stats"].data_vars if "sample_stats" in groups else {}
        stats = {k: v.to_numpy() for k, v in own.items()}
        for name in ("metrics", "sampled"):
            more[name] = tuple(more[name])
        x = groups["constant_data"]["x"].to_numpy()
        return cls(**common, **more, values=values, sample_stats=stats, x=x)
