"""Every model's score on every question, and the columns that they are read from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import comb

from bayescmp.base import checks
from bayescmp.base.arguments import arg, either, must, must_be
from bayescmp.errors import InputError
from bayescmp.scores import columns as _columns
from bayescmp.scores.pairing import LeftOut
from bayescmp.scores.questions import ANSWERS, PARTS, are_answers, read_grades, refuse_cells
from bayescmp.wording.text import format_count

# Which column of a table of items plays which part.


#: Parts that are labels, in the order of the table's columns.
LABELS = ("model", "benchmark", "item", "cluster", "judge", "epoch")
#: Spellings of the column of human scores, next to a judge's.
HUMAN = ("human", "human_score", "human_label", "human_rating")
#: Units that are left out where a model has no score.
UNITS = ("benchmark", "question")


def recognise(
    frame: pd.DataFrame, given: Mapping[str, Any] | None = None, metric: str | None = None
) -> dict[str, str]:
    """Map parts to columns: as given, as common spellings tell, or the only column of numbers."""
    columns = list(map(str, frame.columns))
    if not isinstance(given, Mapping | None):
        raise must_be("columns", "a mapping of part to column", given)
    if not isinstance(metric, str | None):
        raise must_be("metric", "the name of a column", metric)
    own = {**({"score": metric} if metric is not None else {}), **(given or {})}
    levels = checks.as_names(own.get("cluster"), "columns['cluster']")
    own.update({"cluster": levels[0]} if levels else {})
    inner = levels[1:]
    for column in inner:
        checks.check_choice("column", column, columns)
    others = [c for c in columns if c not in inner]
    known = dict(PARTS) | {"human": HUMAN}
    if "benchmark" not in own and _columns.plain_name(own.get("item")) in known["benchmark"]:
        del known["benchmark"]  # its column names the items
    if "judge" not in own and _columns.plain_name(own.get("score")) in known["judge"]:
        del known["judge"]  # its column has the scores
    roles = _columns.recognise(others, own, spellings=known, what="table of items")
    judge = roles.get("judge")
    if "judge" not in own and judge is not None and frame[judge].dtype.kind in "fiub":
        del roles["judge"]  # its marks, not its name
    human = roles.get("human")
    if "human" not in own and human is not None and not are_answers(frame[human]):
        del roles["human"]  # names, or empty
    if not {"item", "benchmark"} & {*own} and "item" not in roles and "benchmark" in roles:
        labels = [roles[part] for part in ("model", "benchmark", "epoch") if part in roles]
        if not frame.duplicated(labels).any():  # each task is one question
            roles["item"] = roles.pop("benchmark")
    model = roles.get("model")
    if "item" not in roles and model is not None and frame[model].is_unique:
        others = [c for c in columns if c not in roles.values() and are_answers(frame[c])]
        if len(others) > 1:
            raise must(
                "the table",
                "have one row per model and item",
                f"one row per model by column {model!r}, where {others[0]!r}, {others[1]!r} and "
                "so on may be questions",
                f"Transpose the table{either(f': bc.Items(frame.set_index({model!r}).T)', '')}.",
            )
    for part in ("model", "item"):
        if part not in roles:
            more = f"; {for_folds()}" if part == "item" else ""
            if part == "model" and metric is not None:
                more = f"; or leave out {arg('metric')} if each model has a column"
            raise must(
                "the table",
                f"have a column for the {part}",
                ", ".join(map(repr, columns)),
                f"Name it with {arg('columns', {part: ...})}{more}.",
            )
    if "score" not in roles:
        roles["score"] = _sole_score(frame, set(roles.values()))
    for level, column in enumerate(inner, start=2):
        roles[f"cluster {level}"] = column
    _columns.check_distinct(roles)
    return roles


def for_folds() -> str:
    """Say where scores of folds belong, which are not answers to questions."""
    return f"scores of folds and data sets are for {either('Scores', '`bayescmp compare`')}"


def _sole_score(frame: pd.DataFrame, taken: set[str]) -> str:
    """Find the only column of numbers that is not a label."""
    numeric = [c for c in frame.columns if c not in taken and are_answers(frame[c])]
    if len(numeric) == 1:
        return str(numeric[0])
    if not numeric:
        raise must(
            "frame",
            "have a column of scores",
            ", ".join(f"{c!r} ({frame[c].dtype})" for c in frame.columns),
        )
    raise must(
        "metric",
        "be given, since several columns may be the score",
        ", ".join(map(repr, numeric)),
        f"Name one with {arg('metric', ...)}.",
    )


def score_cells(cells: pd.Series) -> np.ndarray:
    """Read scores as floats, NaN where empty; True and "pass" are 1."""
    values, wrong = read_grades(cells)
    refuse_cells(cells, wrong, ANSWERS)
    refuse_cells(cells, np.isinf(values), "finite numbers, empty where missing")
    return values


def label_codes(cells: pd.Series, part: str) -> tuple[np.ndarray, np.ndarray]:
    """Return integer codes of a label, and its values in order of appearance."""
    try:
        codes, values = cells.factorize()
    except TypeError:
        raise must(
            f"column {cells.name!r}",
            f"hold one name or number per row for the {part}",
            "something other than a name",
        ) from None
    empty = np.flatnonzero(codes < 0)
    if len(empty):
        raise must(
            f"column {cells.name!r}",
            f"have a {part} in every row",
            f"none in row {empty[0]}, {format_count(len(empty), 'row')} in all",
        )
    names = np.asarray(values)
    _check_unlike(names, str(cells.name))
    return codes, names


def _check_unlike(values: np.ndarray, column: str) -> None:
    """Refuse labels that differ by their type or by blanks only, such as 1 and "1"."""
    if values.dtype.kind in "iub":
        return
    read: dict[str, object] = {}
    for value in values:
        plain = checks.check_label(value, f"column {column!r}").strip()
        if read.setdefault(plain, value) is not value:
            raise must(
                f"column {column!r}",
                "have one spelling for each name",
                f"{read[plain]!r} and {value!r}, which read alike",
            )


# Answers: every model's score on every question, epochs averaged, sorted once for all pairs.


@dataclass(frozen=True, eq=False)
class Answers:
    """Scores of L models on T questions, in the order of (model, question).

    A question is an item of a benchmark or, with several judges, an item before one of them; those
    of one benchmark are adjacent. `models` and `benchmarks` are in order of appearance. Of shape
    (T,) are `items`, names in the table; `benchmark`, places; `cluster`, numbers of the outermost,
    not shared by benchmarks (items, if there are several judges and no others; None without);
    `judge`, numbers, or None. `starts` (L + 1,) is where each model's answers start; of shape (m,)
    are `question`, `score` (mean over the `epochs`, their number) and `human` (mean, or NaN; None
    without the column). `attempts` are the scores of single epochs, if there are several, `empty`
    the number of rows without a score.
    """

    models: tuple[str, ...]
    benchmarks: tuple[str, ...]
    items: np.ndarray
    benchmark: np.ndarray
    cluster: np.ndarray | None
    judge: np.ndarray | None
    starts: np.ndarray
    question: np.ndarray
    score: np.ndarray
    epochs: np.ndarray
    attempts: Attempts | None = None
    human: np.ndarray | None = None
    empty: int = 0

    @classmethod
    def read(
        cls, frame: pd.DataFrame, roles: Mapping[str, str], missing: str = "error"
    ) -> Answers:
        """Read answers from a long table."""
        if len(frame) == 0:
            raise must("the table", "have at least one row", "none")
        score = score_cells(frame[roles["score"]])
        there = ~np.isnan(score)
        labels = {
            part: label_codes(frame[column], part)
            for part, column in roles.items()
            if part not in ("score", "human")
        }
        if missing == "error":
            _refuse_missing(frame, roles, there)
        if not there.any():
            raise must(f"column {roles['score']!r}", "hold scores", "none")
        codes = {part: code if there.all() else code[there] for part, (code, _) in labels.items()}
        names = {part: values for part, (_, values) in labels.items()}
        score = score if there.all() else score[there]
        question, known = _number_questions(codes, names)
        models, count = tuple(str(n).strip() for n in names["model"]), len(known["items"])
        key = codes["model"] * count + question
        answer, keys = _number_keys(key, len(models) * count)
        epochs, attempts = np.bincount(answer), None
        human = None
        if "human" in roles:
            human = _average_labels(score_cells(frame[roles["human"]])[there], answer)
        if epochs.max() > 1:
            attempts = Attempts(answer, score, codes.get("epoch", np.zeros_like(answer)))
        model, of_answer = np.divmod(keys, count)
        answers = cls(
            models=models,
            **known,
            starts=np.searchsorted(model, np.arange(len(models) + 1)),
            question=of_answer,
            score=np.bincount(answer, weights=score) / epochs,
            epochs=epochs,
            attempts=attempts,
            human=human,
            empty=int((~there).sum()),
        )
        if attempts is not None:
            answers._check_once(attempts, names.get("epoch"))
        return answers

    def _check_once(self, attempts: Attempts, epochs: np.ndarray | None) -> None:
        """Refuse an epoch of an item that a model has twice, or an item without epochs."""
        count = 1 if epochs is None else len(epochs)
        key = attempts.answer * count + attempts.epoch
        full, known = _number_keys(key, len(self.score) * count)
        if len(known) == len(full):
            return
        at, which = divmod(int(known[np.bincount(full) > 1][0]), count)
        question = self.question[at]
        model = int(np.searchsorted(self.starts, at, side="right")) - 1
        epoch = "" if epochs is None else f"epoch {epochs[which]} of "
        hint = (
            "Leave one of them."
            if epoch
            else "Several attempts at an item need a column 'epoch', or name it with "
            f"{arg('columns', {'epoch': ...})}."
        )
        raise must(
            "frame",
            "have each row once",
            f"{format_count(len(full) - len(known), 'duplicate row')}, {epoch}item "
            f"{str(self.items[question])!r} of benchmark "
            f"{self.benchmarks[self.benchmark[question]]!r} more than once for model "
            f"{self.models[model]!r}",
            hint,
        )

    @property
    def count(self) -> int:
        """Number of items, each counted once where several judges scored it."""
        if self.judge is None:
            return len(self.items)
        return len(set(zip(self.benchmark.tolist(), self.items.tolist(), strict=True)))

    @property
    def clusters(self) -> int:
        """Number of clusters; 0 where each item is its own, before however many judges."""
        if self.cluster is None:
            return 0
        clusters = len(np.unique(self.cluster))
        return 0 if self.judge is not None and clusters == self.count else clusters

    def model(self, name: str) -> int:
        """Find the place of a model; an unknown one is refused."""
        return self.models.index(checks.check_choice("model", name, self.models))

    def find_answers(self, model: str) -> slice:
        """Find where a model's answers stand, in the order of their questions."""
        i = self.model(model)
        return slice(self.starts[i], self.starts[i + 1])

    def describe_question(self, question: int) -> str:
        """Name a question in words."""
        benchmark = self.benchmarks[self.benchmark[question]]
        judged = "" if self.judge is None else f" before judge {self.judge[question] + 1}"
        return f"item {str(self.items[question])!r} of benchmark {benchmark!r}{judged}"


@dataclass(frozen=True, eq=False)
class Attempts:
    """Scores of single epochs, (r,), of an `answer` each; `epoch` numbers are common."""

    answer: np.ndarray
    score: np.ndarray
    epoch: np.ndarray


def _average_labels(human: np.ndarray, answer: np.ndarray) -> np.ndarray:
    labelled = ~np.isnan(human)
    count = np.bincount(answer, weights=labelled)
    total = np.bincount(answer, weights=np.where(labelled, human, 0.0))
    return np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0)


def _number_questions(
    codes: Mapping[str, np.ndarray], names: Mapping[str, np.ndarray]
) -> tuple[np.ndarray, dict[str, Any]]:
    """Return which question each row is of, and what `Answers` holds of the questions."""
    count, alone = len(names["item"]), "benchmark" not in codes
    benchmarks = ("benchmark",) if alone else tuple(str(n).strip() for n in names["benchmark"])
    key = codes["item"] if alone else codes["benchmark"] * count + codes["item"]
    question, known = _number_keys(key, count * len(benchmarks))
    benchmark, item = np.divmod(known, count)
    items = np.asarray(names["item"], dtype=object)[item]
    cluster, judge = _clusters(codes, question, benchmark, items, names, benchmarks), None
    judges = len(names.get("judge", ()))
    if judges > 1:
        cells = question * judges + codes["judge"]
        question, known = _number_keys(cells, len(items) * judges)
        at, judge = np.divmod(known, judges)
        cluster = at if cluster is None else cluster[at]
        items, benchmark = items[at], benchmark[at]
    return question, {
        "items": items,
        "benchmark": benchmark,
        "cluster": cluster,
        "judge": judge,
        "benchmarks": benchmarks,
    }


def _number_keys(key: np.ndarray, space: int) -> tuple[np.ndarray, np.ndarray]:
    """Return codes of the keys that occur, in their order, and those keys."""
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
    """Return each question's cluster, numbered over all benchmarks; None if there are none."""
    if "cluster" not in codes:
        return None
    _check_levels(codes, names)
    cluster = np.empty(len(items), dtype=np.int64)
    cluster[question] = codes["cluster"]
    wrong = np.flatnonzero(cluster[question] != codes["cluster"])
    if len(wrong):
        row = int(wrong[0])
        one, other = (
            str(names["cluster"][c]) for c in (codes["cluster"][row], cluster[question[row]])
        )
        q = int(question[row])
        raise must(
            f"item {str(items[q])!r} of benchmark {benchmarks[benchmark[q]]!r}",
            "be in one cluster",
            f"{one!r} and {other!r}",
        )
    count = len(names["cluster"])
    return _number_keys(benchmark * count + cluster, count * len(benchmarks))[0]


def _check_levels(codes: Mapping[str, np.ndarray], names: Mapping[str, np.ndarray]) -> None:
    """Refuse levels of clusters that are given from the inside out."""
    levels = [part for part in codes if part.startswith("cluster")]
    for outer, inner in pairwise(levels):
        count = len(names[inner])
        both = len(np.unique(codes[outer] * count + codes[inner]))
        if both == len(names[outer]) > count:
            raise must(
                "columns['cluster']",
                "have the outermost clusters first, then those within them",
                f"each {outer} within one {inner}, of which there are {count}",
            )


def _refuse_missing(frame: pd.DataFrame, roles: Mapping[str, str], there: np.ndarray) -> None:
    empty = np.flatnonzero(~there)
    if len(empty):
        row = frame.iloc[empty[0]]
        where = ", ".join(f"{p} {str(row[c])!r}" for p, c in roles.items() if p != "score")
        more = f", and {len(empty) - 1} more" if len(empty) > 1 else ""
        raise must(
            f"column {roles['score']!r}",
            "have a score of every item",
            f"nan for {where}{more}",
            "Complete the run, score unanswered items as wrong, or compare the items that both "
            f"models have: {arg('missing', 'common')}",
        )


# pass^k and pass@k: the proportion of questions with all, or any, of k answers right.


def of_k(answers: Answers, k: int, *, lower: bool, every: bool) -> Answers:
    """Score answers by the unbiased estimate of pass^k (``every``) or pass@k.

    With c of K epochs right, C(c, k)/C(K, k) of the choices of k are right throughout, and C(K −
    c, k)/C(K, k) wrong throughout. Epochs are 1 or 0; 0 is right if ``lower``.
    """
    k = checks.check_whole("k", k)
    score = answers.score if answers.attempts is None else answers.attempts.score
    graded = score[(score != 0) & (score != 1)]
    if len(graded):
        raise InputError(
            f"The scores must be 0 or 1 (got {graded[0]:g}). Only right answers are counted.", "k"
        )
    K = answers.epochs
    few = np.flatnonzero(k > K)
    if len(few):
        model = int(np.searchsorted(answers.starts, few[0], side="right")) - 1
        raise must_be(
            "k",
            f"at most {int(K.min())}",
            k,
            f"Model {answers.models[model]!r} has {format_count(int(K[few[0]]), 'epoch')} of "
            f"{answers.describe_question(int(answers.question[few[0]]))} ({len(few)} in all).",
        )
    right = np.round(answers.score * K)
    right = K - right if lower else right
    chosen = comb(right, k) / comb(K, k) if every else 1 - comb(K - right, k) / comb(K, k)
    return replace(answers, score=chosen, epochs=np.ones_like(K), attempts=None)


# The items that several models have in common.


@dataclass(frozen=True, eq=False)
class SharedAnswers:
    """Scores (L, n) of L models on the n items that all of them have, sorted by benchmark.

    Of shape (n,): `benchmark`, places in the table's; `cluster` and `judge`, or None; `items`,
    names. `epochs` are the least and most attempts at an item, `places` (L, n) among all answers.
    """

    scores: np.ndarray
    benchmark: np.ndarray
    cluster: np.ndarray | None
    judge: np.ndarray | None
    items: np.ndarray
    epochs: tuple[int, int]
    places: np.ndarray
    left_out: LeftOut


def in_common(
    answers: Answers, models: Sequence[str], benchmarks: Sequence[str] | None, missing: str
) -> SharedAnswers:
    """Pair the models' answers by item."""
    wanted = _select_questions(answers, benchmarks)
    own = [answers.find_answers(name) for name in models]
    all_of = [answers.question[one] for one in own]
    questions = all_of if wanted is None else [q[wanted[q]] for q in all_of]
    common, left_out = questions[0], LeftOut(algorithms=len(models), units=UNITS)
    if any(not np.array_equal(common, other) for other in questions[1:]):
        if missing == "error":
            _refuse_alone(answers, models, questions)
        common = reduce(np.intersect1d, questions)
        left_out = _left_out(answers, questions, common)
    if not len(common):
        raise InputError(
            f"models {', '.join(map(repr, models))} must have an item in common (got none).",
            "models",
        )
    places = np.array(
        [one.start + np.searchsorted(q, common) for one, q in zip(own, all_of, strict=True)]
    )
    epochs = answers.epochs[places]
    return SharedAnswers(
        scores=answers.score[places],
        benchmark=answers.benchmark[common],
        cluster=None if answers.cluster is None else answers.cluster[common],
        judge=None if answers.judge is None else answers.judge[common],
        items=answers.items[common],
        epochs=(int(epochs.min()), int(epochs.max())),
        places=places,
        left_out=left_out,
    )


def _select_questions(answers: Answers, benchmarks: Sequence[str] | None) -> np.ndarray | None:
    """Whether each question is of these benchmarks; None for all."""
    if benchmarks is None:
        return None
    if not benchmarks:
        raise must("benchmarks", "name at least one", "none", "Leave it out for all.")
    for name in benchmarks:
        checks.check_choice("benchmark", name, answers.benchmarks)
    return np.isin(answers.benchmark, [answers.benchmarks.index(name) for name in benchmarks])


def _refuse_alone(
    answers: Answers, models: Sequence[str], questions: Sequence[np.ndarray]
) -> None:
    """Name the first item that one model has and another has not."""
    for here, own in zip(models, questions, strict=True):
        for other, theirs in zip(models, questions, strict=True):
            alone = np.setdiff1d(own, theirs, assume_unique=True)
            if len(alone):
                common = len(reduce(np.intersect1d, questions))
                what = (
                    f", or compare what all of them have: {arg('missing', 'common')}"
                    if common
                    else ""
                )
                raise InputError(
                    "models must have scores of the same items (got "
                    f"{answers.describe_question(int(alone[0]))} with a score of {here!r} and "
                    f"none of {other!r}, {len(alone)} in all). Complete the run{what}.",
                    "items",
                )


def _left_out(answers: Answers, questions: Sequence[np.ndarray], common: np.ndarray) -> LeftOut:
    count = len(answers.benchmarks)
    any_of = np.bincount(answers.benchmark[reduce(np.union1d, questions)], minlength=count)
    kept = np.bincount(answers.benchmark[common], minlength=count)
    names = answers.benchmarks
    gone = {names[b]: int(any_of[b] - kept[b]) for b in range(count) if any_of[b] > kept[b] > 0}
    whole = tuple(names[b] for b in range(count) if any_of[b] and not kept[b])
    return LeftOut(whole, gone, len(questions), UNITS)
