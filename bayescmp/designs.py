"""How the folds of each data set of a table were drawn."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from bayescmp import checks, splits
from bayescmp import columns as _columns
from bayescmp.deferred import Lean
from bayescmp.evidence import Evidence, infer
from bayescmp.pairing import Pairing, starts_of
from bayescmp.resampling import Resampling
from bayescmp.rows import runs_of
from bayescmp.splits import UNESTABLISHED, none_established
from bayescmp.tables import UNKNOWN

__all__ = ["Designs", "given"]


class Designs(Lean):
    """Resampling designs of a table's data sets, inferred from what the table tells.

    Parameters
    ----------
    pairing : Pairing
        The table; what is declared is written to its column ``resampling``, so that it travels
        with the table.
    declared : Resampling, str, splitter, mapping or None
        As `Scores` takes it.
    seeds : bool
        Whether repeats are seeds, and folds name the split they ran on.

    Attributes
    ----------
    seeds : bool

    Examples
    --------
    >>> import pandas as pd
    >>> import bayescmp as bc
    >>> table = pd.DataFrame([{"dataset": "iris", "algorithm": a, "fold": f, "accuracy": 0.9}
    ...                       for a in ("knn", "svm") for f in range(5)])
    >>> print(bc.Scores(table).resampling.of("iris"))
    rho 0.2: 5 folds
    >>> print(bc.Scores(table, resampling="random splits 0.3").resampling.of("iris"))
    rho 0.3: 5 random splits, 30% tested, as declared
    """

    def __init__(self, pairing: Pairing, declared: object = None, *, seeds: bool = False) -> None:
        self._pairing, self.seeds = pairing, seeds
        names, frame = pairing.datasets, pairing.frame
        stated = _columns.declared_resampling(frame)
        self._unknown = {name for name, text in stated.items() if text == UNKNOWN}
        self._unestablished = {n: text for n, text in stated.items() if text in UNESTABLISHED}
        known = {n: text for n, text in stated.items() if text not in (UNKNOWN, *UNESTABLISHED)}
        self._declared = {
            **splits.of_datasets(known, names),
            **splits.of_datasets(declared, names),
        }
        if declared is not None:
            specs = [
                self._declared[n].spec if n in self._declared else stated.get(n) for n in names
            ]
            frame["resampling"] = np.array(specs, dtype=object)[pairing.dataset_codes]

    def of(self, dataset: str, rows: np.ndarray | None = None) -> Resampling:
        """How a data set's folds were drawn, and the correlation that follows.

        Parameters
        ----------
        dataset : str
        rows : ndarray of int, optional
            The rows of one algorithm on it; those of the first one if not given.

        Returns
        -------
        Resampling

        Raises
        ------
        InputError
            If the table does not tell, or contradicts what was declared.
        """
        code = self._pairing.dataset_code(dataset)
        if rows is None:
            here = np.flatnonzero(self._pairing.dataset_codes == code)
            algorithms = self._pairing.algorithm_codes[here]
            rows = here[algorithms == algorithms[0]]
        if not self._pairing.has_folds:
            return Resampling("single", 0.0, evidence="labels")
        stated = _columns.stated_correlations(self._pairing.frame, rows, np.array([0]))[0]
        if not np.isnan(stated):
            return Resampling("given", float(stated), evidence="labels")
        known = {name: values[rows] for name, values in self._splits.items()}
        declared = self._declared.get(dataset)
        if declared is None and dataset in self._unestablished:
            design = self._unestablished[dataset]
            raise none_established(dataset, UNESTABLISHED[design], design)
        unknown = dataset in self._unknown
        same = (*(values.tobytes() for values in known.values()), declared, unknown)
        if same not in self._inferred:  # most data sets of a table are split alike
            evidence = Evidence(**known, seeds=self.seeds, unlabelled=unknown, where=dataset)
            self._inferred[same] = infer(evidence, declared)
        return self._inferred[same]

    def of_algorithm(self, algorithm: str) -> list[Resampling]:
        """The design of each data set that an algorithm was run on; kept for its other pairs."""
        if algorithm not in self._by_algorithm:
            self._by_algorithm[algorithm] = self.of_rows(self._pairing.rows(algorithm))
        return list(self._by_algorithm[algorithm])

    def of_rows(self, rows: np.ndarray) -> list[Resampling]:
        """The design of each data set that an algorithm's rows, sorted by data set, are of."""
        codes = self._pairing.dataset_codes[rows]
        starts = starts_of(codes)
        parts = runs_of(rows, starts)
        names = [self._pairing.datasets[code] for code in codes[starts]]
        like_first = self._like_first(rows, starts, names)
        first = self.of(names[0], parts[0])
        return [
            first if same else self.of(name, part)
            for name, part, same in zip(names, parts, like_first, strict=True)
        ]

    def _like_first(self, rows: np.ndarray, starts: np.ndarray, names: list[str]) -> np.ndarray:
        """Which data sets tell of their splits just what the first one does, as most do."""
        q = len(names)
        sizes = np.diff(np.r_[starts, len(rows)])
        stated = any((self._declared, self._unknown, self._unestablished))
        stated |= "fold_correlation" in self._pairing.frame
        if stated or (sizes != sizes[0]).any():
            return np.zeros(q, dtype=bool)
        tables = [values[rows].reshape(q, -1) for values in self._splits.values()]
        same = [np.all(table == table[0], axis=1) for table in tables]
        return np.asarray(np.logical_and.reduce(same))

    @cached_property
    def _inferred(self) -> dict[tuple[object, ...], Resampling]:
        return {}

    @cached_property
    def _by_algorithm(self) -> dict[str, list[Resampling]]:
        return {}

    @cached_property
    def _splits(self) -> dict[str, np.ndarray]:
        """What each row tells of its split: codes of repeat and fold, and the sizes."""
        frame = self._pairing.frame
        codes = {c: frame[c].factorize(sort=True)[0] for c in ("repeat", "fold")}
        sizes = {
            c: frame[c].to_numpy(dtype=float) for c in ("n_train", "n_test") if c in frame.columns
        }
        return {**codes, **sizes}


def given(rho: object, q: int) -> list[Resampling]:
    """Designs of q data sets whose correlation is given, as a number or one each."""
    values = np.broadcast_to(checks.rho(rho, q), (q,)).tolist()
    designs = {r: Resampling.given(r) for r in set(values)}
    return [designs[r] for r in values]
