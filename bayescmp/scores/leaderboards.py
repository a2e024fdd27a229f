"""Leaderboards: tables with one row per algorithm and one column per benchmark or data set.

Nothing but names tells them from tables with one row per data set and one column per algorithm.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import pandas as pd

from bayescmp.base.arguments import either, must
from bayescmp.scores.columns import plain_name, recognise
from bayescmp.scores.layout import is_summary, read_folds

#: How it was read.
WORDS = "one row per algorithm, one column per data set"

#: The first words of names of benchmarks, and names of data sets that papers share.
_BENCHMARKS = re.compile(
    r"(?:mmlu|gsm8k|gsm|arc|arc_c|hellaswag|hella|winogrande|winog|truthfulqa|tqa|humaneval|mbpp|bbh|"
    r"math|math500|gpqa|ifeval|drop|boolq|piqa|siqa|openbookqa|obqa|lambada|squad|squadv2|cola|"
    r"sst2|sst|mrpc|qqp|mnli|qnli|rte|wnli|stsb|sts|musr|aime|aime24|aime25|swe|livecodebench|"
    r"ceval|cmmlu|xnli|snli|anli|mgsm|race|triviaqa|nq|agieval|commonsenseqa|csqa|copa|"
    r"mmmu|mathvista|docvqa|cifar10|cifar100|cifar|mnist|fashion_mnist|svhn|imagenet|coco|imdb|"
    r"iris|wine|glass|sonar|ionosphere|vehicle|letter|abalone|adult|ecoli|yeast|zoo|vowel|segment|"
    r"hepatitis|anneal|audiology|mushroom|soybean|splice|spambase|nursery|titanic|covertype|"
    r"pendigits|optdigits|satimage|waveform|breast_cancer|breast_w|balance_scale|credit_g|"
    r"kr_vs_kp|primary_tumor)(?:_.*)?"
)
#: The first words of names of algorithms.
_ALGORITHMS = re.compile(
    r"(?:svm|svc|knn|rf|random_forest|gbm|gradient_boosting|xgboost|xgb|lightgbm|lgbm|catboost|"
    r"naive_bayes|logistic_regression|logreg|mlp|decision_tree|c4_5|j48|adaboost|extra_trees|lda|"
    r"qda|resnet\d*|vgg\d*|densenet\d*|efficientnet|vit|bert|roberta|t5|gpt\d*|llama\d*|qwen\d*|"
    r"mistral|mixtral|gemma\d*|gemini|claude|phi\d*|deepseek|falcon|command_r|ppo|sac|dqn|a2c|td3|"
    r"ddpg)(?:_.*)?"
)
_UNNAMED = re.compile(r"(?:unnamed: \d+|index|level_\d+|)", re.IGNORECASE)


def _are(kind: re.Pattern[str], names: Iterable[Hashable]) -> bool:
    """Whether all names, two at least, are of a kind."""
    plain = [plain_name(name) for name in names]
    return len(plain) > 1 and all(kind.fullmatch(name) for name in plain)


@dataclass(frozen=True, eq=False)
class Leaderboard:
    """A table whose column `rows` names each algorithm once, and whose `columns` are data sets.

    Columns that summarise the others by their names are `left_out`.
    """

    frame: pd.DataFrame
    rows: str
    columns: tuple[str, ...]
    left_out: tuple[str, ...]

    @classmethod
    def of(cls, frame: pd.DataFrame) -> Leaderboard | None:
        """Read a table as a leaderboard; None for other labels, folds, and rows named twice."""
        plain = frame.columns.map(str)
        levels = frame.columns.nlevels, frame.index.nlevels
        if levels != (1, 1) or frame.columns.name is not None or not plain.is_unique:
            return None
        if frame.index.dtype.kind not in "iu" and frame.index.name not in frame.columns:
            frame = frame.reset_index()
        frame = frame.set_axis(frame.columns.map(str), axis=1)
        parts = recognise(frame.columns)
        texts = [c for c in frame.columns if frame[c].dtype.kind not in "fiub"]
        rows = parts.get("algorithm", texts[0] if texts else "")
        named = "algorithm" in parts or _UNNAMED.fullmatch(rows)
        cells = [c for c in texts if c != rows and not _BENCHMARKS.fullmatch(plain_name(c))]
        alone = {*parts} <= {"algorithm"} and not cells and rows in frame
        if not (named and alone and len(frame) > 1 and frame[rows].is_unique):
            return None
        if read_folds(frame[rows].tolist()) is not None:
            return None
        own = [c for c in frame.columns if c != rows]
        left_out = tuple(filter(is_summary, own))
        return cls(frame, rows, tuple(c for c in own if c not in left_out), left_out)

    @property
    def known(self) -> bool:
        """Whether all columns are data sets by their names, and the rows are not."""
        return _are(_BENCHMARKS, self.columns) and not _are(_BENCHMARKS, self.frame[self.rows])

    def stack(self, metric: str = "score") -> pd.DataFrame:
        """Return one row per algorithm and data set."""
        long = self.frame.melt(
            [self.rows], list(self.columns), var_name="dataset", value_name=metric
        )
        return long.rename(columns={self.rows: "algorithm"})[["dataset", "algorithm", metric]]


def check_rows_are_datasets(rows: Iterable[Hashable], column: str) -> None:
    """Refuse rows that are algorithms by their names, in a column or an index without a name."""
    rows = list(rows)
    if _UNNAMED.fullmatch(column) and _are(_ALGORITHMS, rows):
        named = either("frame.rename_axis('dataset')", columns={"dataset": column})
        leaderboard = either(
            "bayescmp.Scores.read(frame, format='leaderboard')", format="leaderboard"
        )
        raise must(
            "the column of names",
            "have a name",
            f"{rows[0]!r}, {rows[1]!r}, ..., which are algorithms by their names",
            f"Use {leaderboard} if the other columns are data sets, or {named} if the rows are.",
            argument="columns",
        )
