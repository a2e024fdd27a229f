"""Answers: every model's score on every question, epochs averaged, sorted once for all pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.errors import InputError, unknown_name
from bayescmp.items.roles import label_codes, score_cells
from bayescmp.text import counted

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Answers"]


@dataclass(frozen=True, eq=False)
class Answers:
    """Scores of L models on T questions, in the order of (model, question).

    A question is an item of a benchmark; those of one benchmark stand together.

    Attributes
    ----------
    models, benchmarks : tuple of str
        In order of appearance.
    items : ndarray of shape (T,)
        What the table calls each question.
    benchmark : ndarray of int, shape (T,)
        Place of each question's benchmark in ``benchmarks``.
    cluster : ndarray of int, shape (T,), or None
        One number per cluster, no two benchmarks sharing one; None without clusters.
    starts : ndarray of int, shape (L + 1,)
        Where each model's answers start.
    question : ndarray of int, shape (m,)
        The question of each answer.
    score : ndarray of shape (m,)
        Mean over the epochs.
    epochs : ndarray of int, shape (m,)
        How many epochs that is.
    empty : int
        Rows without a score, which are not among them.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayescmp.items.answers import Answers
    >>> table = pd.DataFrame({"model": ["a", "a", "b"], "item": [1, 1, 1], "epoch": [1, 2, 1],
    ...                       "score": [0, 1, 1]})
    >>> roles = {name: name for name in table.columns}
    >>> Answers.read(table, roles).of("a")[1].tolist()
    [0.5]
    """

    models: tuple[str, ...]
    benchmarks: tuple[str, ...]
    items: np.ndarray
    benchmark: np.ndarray
    cluster: np.ndarray | None
    starts: np.ndarray
    question: np.ndarray
    score: np.ndarray
    epochs: np.ndarray
    empty: int = 0

    @classmethod
    def read(
        cls, frame: pd.DataFrame, roles: Mapping[str, str], missing: str = "error"
    ) -> Answers:
        """Answers from a long table.

        Parameters
        ----------
        frame : DataFrame of n rows
        roles : mapping of str to str
            Part to column, as `bayescmp.items.roles.recognise` has it.
        missing : {"error", "common"}
            Whether rows without a score are refused or left out.

        Raises
        ------
        InputError
            No rows, empty labels, scores that are not finite numbers, an item twice for one model,
            an item in two clusters, missing scores unless missing="common".
        """
        if len(frame) == 0:
            raise InputError("the table has no rows")
        score = score_cells(frame[roles["score"]])
        there = ~np.isnan(score)
        labels = {
            part: label_codes(frame[column], part)
            for part, column in roles.items()
            if part != "score"
        }
        if missing == "error":
            _refuse_missing(frame, roles, there)
        if not there.any():
            raise InputError(f"column {roles['score']!r} holds no score at all")
        codes = {part: code if there.all() else code[there] for part, (code, _) in labels.items()}
        names = {part: values for part, (_, values) in labels.items()}
        questions = _Questions.of(codes, names)
        answers = questions.sorted(codes, score if there.all() else score[there], names)
        return cls(**answers, empty=int((~there).sum()))

    def model(self, name: str) -> int:
        """Place of a model; an unknown one is refused."""
        return _place("model", name, self.models)

    def benchmark_code(self, name: str) -> int:
        """Place of a benchmark; an unknown one is refused."""
        return _place("benchmark", name, self.benchmarks)

    def of(self, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A model's questions, in order, its scores on them and their epochs, views all."""
        i = self.model(name)
        here = slice(self.starts[i], self.starts[i + 1])
        return self.question[here], self.score[here], self.epochs[here]

    def where(self, question: int) -> str:
        """A question in words."""
        benchmark = self.benchmarks[self.benchmark[question]]
        return f"item {str(self.items[question])!r} of benchmark {benchmark!r}"


@dataclass(frozen=True, eq=False)
class _Questions:
    """The items of each benchmark, numbered, and which of them each row is of."""

    codes: np.ndarray
    items: np.ndarray
    benchmark: np.ndarray
    cluster: np.ndarray | None
    benchmarks: tuple[str, ...]

    @classmethod
    def of(cls, codes: Mapping[str, np.ndarray], names: Mapping[str, np.ndarray]) -> _Questions:
        count, alone = len(names["item"]), "benchmark" not in codes
        of = ("benchmark",) if alone else tuple(str(n).strip() for n in names["benchmark"])
        key = codes["item"] if alone else codes["benchmark"] * count + codes["item"]
        question, known = _numbered(key, count * len(of))
        benchmark, item = np.divmod(known, count)
        items = np.asarray(names["item"], dtype=object)[item]
        cluster = _clusters(codes, question, benchmark, items, names, of)
        return cls(question, items, benchmark, cluster, of)

    def sorted(
        self,
        codes: Mapping[str, np.ndarray],
        score: np.ndarray,
        names: Mapping[str, np.ndarray],
    ) -> dict[str, Any]:
        """The rows by (model, question), epochs averaged."""
        models = tuple(str(n).strip() for n in names["model"])
        key = codes["model"] * len(self.items) + self.codes
        if "epoch" in codes:
            self._check_epochs(key, codes["epoch"], models, names["epoch"])
        answer, known = _numbered(key, len(models) * len(self.items))
        epochs = np.bincount(answer)
        if "epoch" not in codes and len(known) < len(key):
            self._refuse_twice(models, int(known[epochs > 1][0]), len(key) - len(known))
        model, question = np.divmod(known, len(self.items))
        return {
            "models": models,
            "benchmarks": self.benchmarks,
            "items": self.items,
            "benchmark": self.benchmark,
            "cluster": self.cluster,
            "starts": np.searchsorted(model, np.arange(len(models) + 1)),
            "question": question,
            "score": np.bincount(answer, weights=score) / epochs,
            "epochs": epochs,
        }

    def _check_epochs(
        self,
        key: np.ndarray,
        epoch: np.ndarray,
        models: tuple[str, ...],
        epochs: np.ndarray,
    ) -> None:
        """Refuse an epoch of an item that a model has twice."""
        size = len(models) * len(self.items) * len(epochs)
        full, known = _numbered(key * len(epochs) + epoch, size)
        if len(known) < len(key):
            again = int(known[np.bincount(full) > 1][0])
            at, which = divmod(again, len(epochs))
            self._refuse_twice(models, at, len(key) - len(known), f"epoch {epochs[which]} of ")

    def _refuse_twice(
        self, models: tuple[str, ...], key: int, count: int, epoch: str = ""
    ) -> None:
        model, question = divmod(key, len(self.items))
        hint = (
            "accepted: once"
            if epoch
            else "several attempts at an item need a column 'epoch', or name it with "
            "columns={'epoch': ...}"
        )
        raise InputError(
            f"{counted(count, 'duplicate row')}: {epoch}item {str(self.items[question])!r} of "
            f"benchmark {self.benchmarks[self.benchmark[question]]!r} appears more than once for "
            f"model {models[model]!r}; {hint}"
        )


def _numbered(key: np.ndarray, space: int) -> tuple[np.ndarray, np.ndarray]:
    """Codes of the keys that occur, in their order, and those keys.

    Without sorting where a table of all that might occur is not much larger than the data.

    Parameters
    ----------
    key : ndarray of int, shape (n,)
        0 to space - 1.
    space : int
    """
    if space > 8 * len(key) + 2**20:
        known, codes = np.unique(key, return_inverse=True)
        return codes, known
    seen = np.zeros(space, dtype=bool)
    seen[key] = True
    return (np.cumsum(seen) - 1)[key], np.flatnonzero(seen)


def _clusters(
    codes: Mapping[str, np.ndarray],
    question: np.ndarray,
    benchmark: np.ndarray,
    items: np.ndarray,
    names: Mapping[str, np.ndarray],
    benchmarks: tuple[str, ...],
) -> np.ndarray | None:
    """The cluster of each question, numbered over all benchmarks; None where there are none."""
    if "cluster" not in codes:
        return None
    cluster = np.empty(len(items), dtype=np.int64)
    cluster[question] = codes["cluster"]
    wrong = np.flatnonzero(cluster[question] != codes["cluster"])
    if len(wrong):
        row = int(wrong[0])
        one, other = (
            str(names["cluster"][c]) for c in (codes["cluster"][row], cluster[question[row]])
        )
        q = int(question[row])
        raise InputError(
            f"item {str(items[q])!r} of benchmark {benchmarks[benchmark[q]]!r} is in the clusters "
            f"{one!r} and {other!r}; accepted: one cluster per item"
        )
    count = len(names["cluster"])
    return _numbered(benchmark * count + cluster, count * len(benchmarks))[0]


def _refuse_missing(frame: pd.DataFrame, roles: Mapping[str, str], there: np.ndarray) -> None:
    empty = np.flatnonzero(~there)
    if len(empty):
        row = frame.iloc[empty[0]]
        where = ", ".join(f"{p} {str(row[c])!r}" for p, c in roles.items() if p != "score")
        more = f", and {len(empty) - 1} more like it" if len(empty) > 1 else ""
        raise InputError(
            f"column {roles['score']!r} is missing (NaN) for {where}{more}; complete the run, "
            "score unanswered items as wrong, or compare what both models have: "
            "missing='common'"
        )


def _place(what: str, name: str, known: tuple[str, ...]) -> int:
    if name not in known:
        raise unknown_name(what, name, known)
    return known.index(name)
