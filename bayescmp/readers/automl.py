"""The AutoML benchmark: ``results.csv``."""

from __future__ import annotations

from bayescmp.errors import InputError
from bayescmp.readers.base import Reading, Source

__all__ = ["matches", "read"]


def matches(source: Source) -> bool:
    """A table with task, framework, constraint, fold and result."""
    return source.has("task", "framework", "constraint", "fold", "result")


def read(source: Source, *, constraint: str | None = None) -> Reading:
    """Scores of frameworks on tasks under one constraint.

    ``result`` is higher-is-better for every metric, since losses come out negative; ``info`` says
    why a fold has none.
    """
    frame = source.frame
    assert frame is not None  # as `matches` says
    there = list(dict.fromkeys(frame["constraint"].astype(str)))
    if constraint is not None:
        if str(constraint) not in there:
            raise InputError(f"constraint={constraint!r}; the table has: {', '.join(there)}")
        frame = frame[frame["constraint"].astype(str) == str(constraint)]
    elif len(there) > 1:
        raise InputError(
            f"the table holds results under the constraints {', '.join(map(repr, there))}: name "
            f"one, as in constraint={there[0]!r}"
        )
    named = frame["metric"].dropna().astype(str) if "metric" in frame else ()
    metrics = list(dict.fromkeys(named))
    name = metrics[0] if len(metrics) == 1 else "result"
    if name != "result" and not name.startswith("neg_") and (frame["result"].dropna() < 0).all():
        name = f"neg_{name}"
    table = frame[["task", "framework", "fold"]].set_axis(["dataset", "algorithm", "fold"], axis=1)
    table = table.assign(**{name: frame["result"].astype(float)})
    if "info" in frame:
        why = frame["info"].where(frame["result"].isna())
        table = table.assign(failure=why.astype(object).where(why.notna(), None))
    description = "results.csv of the AutoML benchmark, in which higher is better"
    if len(metrics) > 1:
        description += f", of several metrics ({', '.join(metrics)})"
    return Reading(table, description, higher=[name])
