"""Counts of successes on the command line: typed, such as 14/20 17/20, or as a table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bayescmp.base.arguments import must
from bayescmp.base.checks import check_choice
from bayescmp.commands.shared import (
    ANSWERS,
    Arguments,
    read_columns,
    tell,
)
from bayescmp.errors import CountsError

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.base.typing import Json
    from bayescmp.items.items import Items
    from bayescmp.results.verdict import Verdict
    from bayescmp.scores.counts import Counts
    from bayescmp.scores.rope import Rope
    from bayescmp.scores.scores import Scores

#: Words for counts, as messages name them.
COUNTS = "counts of successes"
#: Options for scores, which counts do not take, and for tables, which typed counts do not take.
OF_SCORES = (
    *("metric", "scale", "test", "rho", "prior", "resampling", "missing", "unpaired", "items"),
    *("lower_is_better", "higher_is_better", "read_option", "control"),
    *ANSWERS,
)
OF_TABLES = ("dataset", "format", "column", "sep", "decimal")


@dataclass(frozen=True, eq=False)
class GivenCounts:
    """Typed counts, or a table of counts with its declared columns; and the named algorithms."""

    counts: list[str] | pd.DataFrame
    columns: dict[str, Any] | None = None
    algorithms: list[str] | None = None

    @cached_property
    def by_dataset(self) -> dict[str, Counts]:
        """The counts by data set and name."""
        from bayescmp.study.counts import read_by_dataset

        return read_by_dataset(self.counts, self.columns)

    def on(self, datasets: list[str] | None) -> Counts:
        """Return the counts on the only data set, or on the one that is named."""
        names = list(self.by_dataset)
        for name in datasets or ():
            check_choice("dataset", name, names)
        if len(chosen := datasets or names) > 1:
            raise must(
                "dataset",
                "name one data set of counts",
                f"{len(chosen)}",
                "For all use `bayescmp compare`.",
            )
        return self.by_dataset[chosen[0]]


def read_scores_or_counts(args: Arguments) -> Scores | Items | GivenCounts:
    """Read the table, or counts that are typed in its place; a file of that name is a table."""
    from bayescmp.scores.counts import PARTS, are_typed, look_typed

    if are_typed(args.table):
        args.refuse((*OF_SCORES, *OF_TABLES), "a table", f"counts, {args.table}")
        return GivenCounts([args.table, *args.algorithms])
    if look_typed(args.table):
        tell([f"{args.table} is a file, and was read as a table"])
    if not {text.partition("=")[0] for text in args.column} & set(PARTS):
        try:
            return args.read_table()
        except CountsError:
            pass
    args.refuse(OF_SCORES, "scores", COUNTS)
    columns = read_columns(args.column, "successes=good")
    return GivenCounts(_read_count_frame(args), columns or None, args.algorithms or None)


def _read_count_frame(args: Arguments) -> pd.DataFrame:
    from bayescmp.scores.columns import names_in
    from bayescmp.scores.readers.files import read_noted

    frame, notes = read_noted(args.table, names_in, **args.take_options("sep", "decimal"))
    tell(notes)
    args.note_table(frame)
    return frame


def judge_each(
    rope: Rope, by_dataset: dict[str, Counts], names: tuple[str, str], threshold: float
) -> dict[str, Verdict]:
    """Return the verdict on each data set by its own counts."""
    from bayescmp.study.counts import judge_datasets

    pairs = {
        dataset: {name: counts[name] for name in names} for dataset, counts in by_dataset.items()
    }
    return {name: own for name, (own,) in judge_datasets(pairs, rope, threshold).items()}


def write_each(verdicts: dict[str, Verdict], by_dataset: dict[str, Counts]) -> str:
    """Write a table of the data sets, each judged by its own counts."""
    import pandas as pd

    from bayescmp.present.forms import as_text
    from bayescmp.present.summary import Cells, Column, Summary

    some = next(iter(verdicts.values()))
    heads = {region: some.label(region) for region in some.possible}
    rows = []
    for dataset, verdict in verdicts.items():
        top = verdict.ranked[0]
        rows.append(
            {
                "dataset": dataset,
                **{name: "{}/{}".format(*by_dataset[dataset][name]) for name in verdict.names},
                **{region: verdict.probabilities[region] for region in heads},
                "decision": heads[top] if verdict.decided else verdict.decision,
            }
        )
    columns: dict[object, Column] = {
        "dataset": Column(Cells.NAME, ""),
        **dict.fromkeys(some.names, Column(Cells.WORDS)),
        **{region: Column(Cells.PROBABILITY, head) for region, head in heads.items()},
        "decision": Column(Cells.WORDS, "verdict"),
    }
    return as_text(Summary("Each data set by its own counts", pd.DataFrame(rows), columns))


def counts_as_records(verdicts: dict[str, Verdict], by_dataset: dict[str, Counts]) -> list[Json]:
    """Return the counts of each data set, with their own verdict."""
    return [
        {
            "dataset": dataset,
            **{name: list(by_dataset[dataset][name]) for name in verdict.names},
            **{f"p_{region}": float(p) for region, p in verdict.probabilities.items()},
            "decision": verdict.decision,
        }
        for dataset, verdict in verdicts.items()
    ]
