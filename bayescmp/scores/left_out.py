"""What a comparison was made without, where only folds that all algorithms have are compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bayescmp.base.deferred import Sealed
from bayescmp.wording.text import counted

if TYPE_CHECKING:
    from bayescmp.base.typing import Json

__all__ = ["LeftOut"]


@dataclass(frozen=True)
class LeftOut(Sealed):
    """What was left out, because some compared algorithm had no score.

    Attributes
    ----------
    datasets : tuple of str
        Data sets without a fold in common.
    by_dataset : mapping of str to int
        Folds left out of each of the other data sets, those that lost none not named.
    algorithms : int
        How many are compared.
    units : (str, str)
        What data sets and folds are called: ("benchmark", "item") of a benchmark's items.

    Examples
    --------
    >>> from bayescmp.scores.left_out import LeftOut
    >>> print(LeftOut(("wine",), {"iris": 2}))
    left out, without a score of both: 1 data set ('wine') and 2 folds
    """

    datasets: tuple[str, ...] = ()
    by_dataset: Mapping[str, int] = field(default_factory=dict)
    algorithms: int = 2
    units: tuple[str, str] = ("data set", "fold")

    @property
    def folds(self) -> int:
        """Folds left out of the data sets that were compared."""
        return sum(self.by_dataset.values())

    def on(self, dataset: str) -> LeftOut | None:
        """What was left out of one data set; None if nothing was."""
        folds = self.by_dataset.get(dataset, 0)
        return replace(self, datasets=(), by_dataset={dataset: folds}) if folds else None

    @classmethod
    def joined(cls, parts: Iterable[LeftOut | None]) -> LeftOut:
        """What was left out of several data sets together."""
        known = [part for part in parts if part is not None]
        folds: dict[str, int] = {}
        for name, n in (item for part in known for item in part.by_dataset.items()):
            folds[name] = max(n, folds.get(name, 0))
        whole = dict.fromkeys(d for part in known for d in part.datasets)
        return cls(tuple(whole), folds, max((p.algorithms for p in known), default=2))

    def __bool__(self) -> bool:
        return bool(self.datasets or self.folds)

    @property
    def counts(self) -> str:
        """What was left out, counted: "1 data set ('wine') and 2 folds"."""
        parts = []
        if self.datasets:
            named = ", ".join(map(repr, self.datasets[:4]))
            more = ", ..." if len(self.datasets) > 4 else ""
            parts.append(f"{counted(len(self.datasets), self.units[0])} ({named}{more})")
        if self.folds:
            parts.append(counted(self.folds, self.units[1]))
        return " and ".join(parts) or "nothing"

    @property
    def why(self) -> str:
        """Why: "without a score of both"."""
        of = "algorithms" if self.units[1] == "fold" else "models"
        whom = "both" if self.algorithms == 2 else f"all {self.algorithms} {of}"
        return f"without a score of {whom}"

    def to_dict(self) -> Json:
        """Plain lists and numbers, for JSON; `from_dict` reads them back."""
        return {
            "datasets": list(self.datasets),
            "folds": dict(self.by_dataset),
            "algorithms": self.algorithms,
            "units": list(self.units),
        }

    @classmethod
    def from_dict(cls, plain: Json) -> LeftOut:
        """The inverse of `to_dict`."""
        units = plain.get("units", ("data set", "fold"))
        first, second = map(str, units)
        return cls(
            tuple(plain["datasets"]), dict(plain["folds"]), plain["algorithms"], (first, second)
        )

    def __str__(self) -> str:
        return f"left out, {self.why}: {self.counts}"
