"""One metric, or one weighted sum of metrics, of a closed form of several: a t distribution."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar

from bayescmp.bayesian.paired.correlated import CorrelatedPosterior

if TYPE_CHECKING:
    from bayescmp.typing import Json


__all__ = ["MarginalPosterior"]


@dataclass(frozen=True, eq=False, repr=False)
class MarginalPosterior(CorrelatedPosterior):
    """Posterior δ ~ t_df(location, scale) that is part of a larger one, whose method it names.

    Attributes
    ----------
    source : str
        What was fitted, in words.
    prior_words : str
        The prior of all that was fitted, in words.
    """

    _: KW_ONLY
    source: str
    prior_words: str

    kind: ClassVar[str] = "marginal_t"

    @property
    def method(self) -> str:  # type: ignore[override]
        """What was fitted, in words."""
        return self.source

    @property
    def reference(self) -> str:  # type: ignore[override]
        """The distribution, in words."""
        return f"t with {self.df} degrees of freedom"

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        return self.prior_words

    def _attributes(self) -> Json:
        more = {"source": self.source, "prior_words": self.prior_words}
        return {**super()._attributes(), **more}
