"""Results of scikit-learn (cross_validate, cross_val_score, searches) and skore's reports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from bayescmp.base.arguments import arg, either, must, must_be, read_option
from bayescmp.base.checks import as_names, check_choice, check_label, check_whole
from bayescmp.errors import InputError
from bayescmp.scores.columns import KEYS
from bayescmp.scores.designs import (
    TOLERANCE,
    as_resampling,
    as_rows,
    of_datasets,
    of_indices,
    offer_designs,
    same_splits,
)
from bayescmp.scores.metrics import direction, is_time, never_negative
from bayescmp.scores.readers.base import Reading, Source, read_scores, short_names
from bayescmp.scores.resampling import Resampling
from bayescmp.wording.text import format_count, join_items

# Score tables from the results of scikit-learn's ``cross_validate``.


#: A result of ``cross_validate``: arrays by name, and "indices" by the part they are of.
CvResult: TypeAlias = Mapping[str, Any]


def from_cv_results(
    results: Mapping[Any, object], folds: int | None = None, resampling: object = None
) -> tuple[pd.DataFrame, dict[str, Resampling]]:
    """Return table and designs of ``cross_validate`` results; see `Scores.from_cv_results`."""
    by_dataset: dict[str, dict[str, CvResult]] = {}
    for dataset, algorithm, result in _cells(results):
        if algorithm in by_dataset.get(dataset, {}):
            raise must(
                "results",
                f"hold {algorithm!r} on {dataset!r} once",
                "it twice: as a number and as text, or in several forms",
            )
        if result.get("indices") is not None:
            result = {**result, "indices": _indices(dataset, algorithm, result["indices"])}
        by_dataset.setdefault(dataset, {})[algorithm] = result
    if folds is not None:
        resampling = Resampling.k_fold(folds)
    declared = of_datasets(resampling, list(by_dataset))
    tables, designs = [], {}
    for dataset, cells in by_dataset.items():
        design = _design(dataset, cells, declared.get(dataset))
        shown = all(result.get("indices") is not None for result in cells.values())
        designs[dataset] = replace(design, unchecked=not shown)
        tables += [_table(dataset, a, result, designs[dataset]) for a, result in cells.items()]
    return pd.concat(tables, ignore_index=True), designs


def _design(
    dataset: str, cells: Mapping[str, CvResult], declared: Resampling | None
) -> Resampling:
    """Find how a data set was split, as the indices prove, else as declared."""
    known = [(a, r["indices"]) for a, r in cells.items() if r.get("indices") is not None]
    if known:
        same_splits(known, dataset)
        train, test = known[0][1]["train"], known[0][1]["test"]
        if declared is not None and declared.design in ("bootstrap", "windows", "given"):
            return declared
        design = of_indices(train, test, dataset)
        if declared is not None and not np.isclose(design.rho, declared.rho, rtol=TOLERANCE):
            raise must(
                "resampling",
                f"be as the indices of data set {dataset!r} show, {design}",
                repr(declared.spec),
            )
        return design
    counts = {a: len(_scores(dataset, a, r)[1]) for a, r in cells.items()}
    n, name = next((n, a) for a, n in counts.items())
    if declared is None:
        designs = join_items([*map(repr, offer_designs(n)), "'random splits 0.2'"], "or")
        read = either("Scores.read(results, resampling=...)", resampling=...)
        raise must(
            "resampling",
            "be given, as these results do not show how the data were split",
            f"{format_count(n, 'score')} of {name!r} on {dataset!r}",
            f"Use {read} with the splits that were used: {designs}, or the cv that cross_validate "
            "was given. Or run cross_validate with return_indices=True.",
        )
    if declared.folds is not None and n % declared.folds:
        raise must(
            "resampling",
            f"have folds that divide the {n} scores of the result of {name!r} on {dataset!r}",
            f"{declared.folds} folds",
        )
    return declared


def _indices(dataset: str, algorithm: str, indices: object) -> dict[str, list[np.ndarray]]:
    """Return the items of each split, "train" and "test", as whole numbers."""
    refusal = InputError(
        f"'indices' of {algorithm!r} on {dataset!r} must hold the items of each split as "
        "cross_validate(..., return_indices=True) returns them: "
        f"{{'train': [...], 'test': [...]}}.",
        "results",
    )
    if not isinstance(indices, Mapping) or not {"train", "test"} <= {*indices}:
        raise refusal
    try:
        parts = {part: list(map(np.asarray, indices[part])) for part in ("train", "test")}
    except (TypeError, ValueError):
        raise refusal from None
    rows = [*parts["train"], *parts["test"]]
    if len(parts["train"]) != len(parts["test"]) or any(
        items.ndim != 1 or items.dtype.kind not in "iub" for items in rows
    ):
        raise refusal
    return {part: list(map(as_rows, items)) for part, items in parts.items()}


def higher_by_scorers(
    frame: pd.DataFrame, ways: Mapping[str, Any], *, maximised: bool = False
) -> list[str]:
    """Metrics that scikit-learn's convention makes higher-is-better: its scorers negate losses.

    Metrics whose names show no direction, and losses that are negative throughout; if `maximised`
    (a search took the highest score), also losses that can be negative without negation.
    """
    declared = [name for names in ways.values() for name in as_names(names)]
    higher = []
    for metric in frame.columns.difference(list(KEYS), sort=False):
        known, values = direction(metric), frame[metric].to_numpy(dtype=float)
        if metric in declared or is_time(metric) or metric in ("n_test", "n_train"):
            continue
        if known.assumed or (
            known.lower and (values <= 0).all() and (maximised or never_negative(metric))
        ):
            higher.append(metric)
        elif known.lower and (values < 0).any() and not never_negative(metric):
            raise InputError(
                f"metric {metric!r} must not have negative values unless its direction is "
                "declared: scikit-learn's scorers negate losses, and this loss can be negative. "
                f"Declare {arg('higher_is_better', [metric])} if a scorer negated it, "
                f"{arg('lower_is_better', [metric])} if not.",
                "higher_is_better",
            )
    return higher


def _cells(results: Mapping[Any, object]) -> list[tuple[str, str, CvResult]]:
    """Return (data set, algorithm, result) of each, from either nesting or from pairs as keys."""
    hint = (
        "Use {dataset: {algorithm: cross_validate(...)}}, {(dataset, algorithm): "
        "cross_validate(...)}, or {algorithm: cross_validate(...)} for one data set."
    )
    cells: list[tuple[object, object, CvResult]] = []
    for key, value in results.items():
        if not isinstance(value, Mapping) or not value:
            raise must_be(f"results[{key!r}]", "a result of cross_validate", value, hint)
        if isinstance(key, tuple) and len(key) == 2:
            cells.append((*key, value))
        elif all(isinstance(part, Mapping) for part in value.values()):
            cells += [(key, algorithm, cell) for algorithm, cell in value.items()]
        else:
            cells.append(("data", key, value))
    return [(check_label(d, "results"), check_label(a, "results"), cell) for d, a, cell in cells]


def _scores(
    dataset: str, algorithm: str, result: CvResult
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return the arrays of scores and times by name, and the first of the scores."""
    where = f"of {algorithm!r} on {dataset!r}"
    keys = [key for key in result if isinstance(key, str)]
    arrays = {
        check_label(key.removeprefix("test_"), "results"): read_scores(
            result[key], f"{key!r} {where}"
        )
        for key in keys
        if key.startswith("test_") or key in ("fit_time", "score_time")
    }
    tests = [key.removeprefix("test_") for key in keys if key.startswith("test_")]
    splits = {"indices": result["indices"]["test"]} if result.get("indices") is not None else {}
    sizes = {name: len(values) for name, values in {**arrays, **splits}.items()}
    if len(set(sizes.values())) > 1:
        raise InputError(
            f"the result {where} must have one number per fold in each array (got "
            f"{', '.join(f'{n} in {name!r}' for name, n in sizes.items())})."
        )
    if not tests:
        raise InputError(
            f"result of {algorithm!r} on {dataset!r} must have a 'test_...' array (got "
            f"{', '.join(map(repr, result))})."
        )
    return arrays, arrays[tests[0]]


def _table(dataset: str, algorithm: str, result: CvResult, design: Resampling) -> pd.DataFrame:
    table, first = _scores(dataset, algorithm, result)
    indices, i = result.get("indices"), np.arange(len(first))
    if indices is not None:
        table["n_test"] = np.array([len(t) for t in indices["test"]])
        table["n_train"] = np.array([len(t) for t in indices["train"]])
    runs = design.design in ("random splits", "seeds", "bootstrap")
    folds = 1 if runs else design.folds or len(first)
    labels = {
        "dataset": dataset,
        "algorithm": algorithm,
        "repeat": i // folds + 1,
        "fold": i % folds + 1,
    }
    return pd.DataFrame({**labels, **table})


# Results of scikit-learn: cross_validate, cross_val_score, and searches over parameters.


_SPLIT = re.compile(r"split(\d+)_test_(.+)$")


def is_cross_validate(source: Source) -> bool:
    """Whether it is a mapping whose innermost mappings have arrays ``test_...``."""
    return any(str(key).startswith("test_") for cell in _mappings(source.value) for key in cell)


def read_cross_validate(
    source: Source, *, folds: int | None = None, resampling: object = None, **ways: Any
) -> Reading:
    """Read results of ``cross_validate``; see `bayescmp.Scores.from_cv_results`."""
    frame, designs = from_cv_results(source.value, folds, resampling)
    known = "results of scikit-learn's cross_validate"
    return Reading(frame, known, resampling=designs, higher=higher_by_scorers(frame, ways))


def is_arrays(source: Source) -> bool:
    """Whether it maps algorithms, or data sets and algorithms, to arrays of scores."""
    value = source.value
    return (
        isinstance(value, Mapping)
        and bool(value)
        and all(
            _is_array(v) or (isinstance(v, Mapping) and v and all(map(_is_array, v.values())))
            for v in value.values()
        )
    )


def read_arrays(
    source: Source, *, metric: str = "score", resampling: object = None, **ways: Any
) -> Reading:
    """Read arrays of ``cross_val_score``; how they were split has to be given."""
    rows = []
    check_label(metric, "metric")
    for key, value in source.value.items():
        cells = value.items() if isinstance(value, Mapping) else [(None, value)]
        for name, scores in cells:
            pair = key if isinstance(key, tuple) and len(key) == 2 else ("data", key)
            dataset, algorithm = pair if name is None else (key, name)
            rows += [
                {"dataset": dataset, "algorithm": algorithm, "fold": i + 1, metric: score}
                for i, score in enumerate(read_scores(scores, f"scores of {algorithm!r}"))
            ]
    frame = pd.DataFrame(rows)
    designs = of_datasets(resampling, list(dict.fromkeys(str(row["dataset"]) for row in rows)))
    higher = higher_by_scorers(frame, ways)
    return Reading(
        frame,
        f"arrays of scikit-learn scores{', higher is better' if higher else ''}",
        resampling={n: replace(design, unchecked=True) for n, design in designs.items()} or None,
        higher=higher,
        needs="arrays of scores do not show how the data were split",
    )


def is_search(source: Source) -> bool:
    """Whether it is a fitted search, its ``cv_results_`` or a table of it, or a mapping to one."""
    if _searches(source.value):
        return True
    results = getattr(source.value, "cv_results_", source.value)
    if source.frame is None and not isinstance(results, Mapping):
        return False
    names = [str(n) for n in (results if source.frame is None else source.frame.columns)]
    return "params" in names and any(map(_SPLIT.match, names))


def _column(key: object, values: object) -> list[object]:
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise InputError(f"{str(key)!r} of the search must be a list (got {values!r})")
    return list(values)


def _searches(value: object) -> dict[str, Source]:
    """Return the searches of a mapping with nothing else, by their names."""
    if not isinstance(value, Mapping):
        return {}
    inner = {
        check_label(name, "searches"): Source.from_value(search) for name, search in value.items()
    }
    return inner if inner and all(map(is_search, inner.values())) else {}


def read_search(
    source: Source,
    *,
    dataset: str = "data",
    best: int | str | None = None,
    metric: str | None = None,
    resampling: object = None,
    **ways: Any,
) -> Reading:
    """Read candidates of a search as algorithms, their scores on each split as folds.

    ``best`` keeps this many with the best means, the best first; of several metrics by ``metric``.
    With several searches it applies to each, by default 1.
    """
    options = {"dataset": dataset, "metric": metric, **ways}
    if searches := _searches(source.value):
        declared = of_datasets(resampling, [dataset])
        return _read_searches(searches, declared, best=1 if best is None else best, **options)
    results = source.frame
    if results is None:
        results = getattr(source.value, "cv_results_", source.value)
    table = {str(key): _column(key, results[key]) for key in results}
    names = [check_label(name, "params") for name in candidate_names(table["params"])]
    scores: dict[tuple[str, int], dict[str, object]] = {}
    for column, values in table.items():
        match = _SPLIT.match(column)
        if match:
            own = read_scores(values, f"{column!r} of the search")
            if len(own) != len(names):
                raise InputError(
                    f"{column!r} of the search must have {format_count(len(names), 'score')}, one "
                    f"per candidate (got {len(own)})"
                )
            for name, score in zip(names, own.tolist(), strict=True):
                row = scores.setdefault((name, int(match[1])), {})
                row.update(dataset=dataset, algorithm=name, fold=int(match[1]) + 1)
                row[match[2]] = score
    description = f"a search of scikit-learn over {format_count(len(names), 'candidate')}"
    design = _design_of_search(source.value)
    needs = "" if design else "results of a search do not show how the data were split"
    frame = pd.DataFrame(list(scores.values()))
    higher = higher_by_scorers(frame, ways, maximised=True)
    if metric is not None:
        metric = check_choice("metric", metric, frame.columns.difference(list(KEYS), sort=False))
        frame = frame[[*frame.columns.intersection(list(KEYS)), metric]]
        higher = [m for m in higher if m == metric]
    if best is not None:
        keep = check_whole("best", int(best) if str(best).isdecimal() else best)
        frame = _best(frame, keep, higher, ways)
        description += (
            f", the best {format_count(min(keep, len(names)), 'candidate')} by their means"
        )
    return Reading(frame, description, resampling=design, higher=higher, needs=needs)


def _read_searches(
    searches: Mapping[str, Source], declared: Mapping[str, Resampling], **options: Any
) -> Reading:
    """Read the best candidates of each search, on splits that all searches have to share."""
    splits = {name: getattr(source.value, "cv", None) for name, source in searches.items()}
    first, *others = splits
    for name in others:
        if repr(splits[name]) != repr(splits[first]) or _splits_at_random(splits[name]):
            raise InputError(
                f"searches {first!r} and {name!r} must split the data in the same way, so that "
                f"scores pair (got {splits[first]!r} and {splits[name]!r}). Run both with one "
                "splitter and one random_state."
            )
    readings = {name: read_search(source, **options) for name, source in searches.items()}
    frames, kept = [], []
    for name, reading in readings.items():
        candidates = list(dict.fromkeys(reading.frame["algorithm"]))
        called = {c: name if len(candidates) == 1 else f"{name}, {c}" for c in candidates}
        frames.append(reading.frame.assign(algorithm=reading.frame["algorithm"].map(called)))
        kept += [f"{new} ({old})" if new == name else new for old, new in called.items()]
    one = readings[first]
    unchecked = {n: replace(design, unchecked=True) for n, design in declared.items()}
    return Reading(
        pd.concat(frames, ignore_index=True),
        f"{format_count(len(readings), 'search', 'searches')} of scikit-learn, the best of each: "
        f"{', '.join(kept)}",
        resampling=one.resampling or unchecked or None,
        needs=one.needs,
        higher=one.higher,
    )


def _splits_at_random(cv: object) -> bool:
    """Whether a splitter gives different splits each time it is asked."""
    shuffles = getattr(cv, "shuffle", hasattr(cv, "random_state"))
    return bool(shuffles) and not isinstance(getattr(cv, "random_state", None), (int, np.integer))


def _best(
    frame: pd.DataFrame, keep: int, higher: Sequence[str], ways: Mapping[str, Any]
) -> pd.DataFrame:
    """Return the candidates with the best means, the best first; of equal ones the earliest."""
    measured = frame.columns.difference(list(KEYS), sort=False)
    if len(measured) > 1:
        raise must(
            "metric",
            f"name the metric of the means for {read_option('best', keep)} of a search by several",
            ", ".join(map(repr, measured)),
            f"For example {arg('metric', measured[0])}.",
        )
    metric = str(measured[0])
    up = metric in higher or metric in as_names(ways.get("higher_is_better"))
    lower = not up and (direction(metric).lower or metric in as_names(ways.get("lower_is_better")))
    means = frame.groupby("algorithm", sort=False)[metric].mean()
    means = (means / means.abs().max()).round(12)  # drop differences by rounding
    order = means.sort_values(ascending=lower, kind="stable", na_position="last").index[:keep]
    kept = frame[frame["algorithm"].isin(order)]
    places = kept["algorithm"].map({name: place for place, name in enumerate(order)})
    return kept.iloc[np.argsort(places.to_numpy(), kind="stable")].reset_index(drop=True)


def _design_of_search(search: object) -> Resampling | None:
    """Find how a search split the data, as far as its object tells; None means five folds."""
    cv = (5 if search.cv is None else search.cv) if hasattr(search, "cv") else None
    return as_resampling(cv) if isinstance(cv, int | np.integer) or hasattr(cv, "split") else None


def candidate_names(params: Sequence[Any]) -> list[str]:
    """Name candidates briefly by the parameters in which they differ: "C=1", "C=10"."""
    if not all(isinstance(p, Mapping) for p in params):
        return _number_repeats(
            [str(p).strip("{}").replace("'", "").replace(": ", "=") for p in params]
        )
    keys = list(dict.fromkeys(key for p in params for key in p))
    shown = {k: [_show(p[k]) if k in p else None for p in params] for k in keys}
    differing = [key for key in keys if len(set(shown[key])) > 1] or keys
    short = short_names(differing)
    names = [
        ", ".join(f"{short[k]}={shown[k][i]}" for k in differing if shown[k][i] is not None)
        for i in range(len(params))
    ]
    return _number_repeats([name or "default" for name in names])


def _number_repeats(names: list[str]) -> list[str]:
    """Return the names, numbering those that recur."""
    return [
        n if names.count(n) == 1 else f"{n} #{names[: i + 1].count(n)}"
        for i, n in enumerate(names)
    ]


def _show(value: object) -> str:
    if hasattr(value, "get_params"):
        return type(value).__name__
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _mappings(value: object) -> Iterator[Mapping[object, object]]:
    """Yield the value, if it is a mapping, and every mapping in it."""
    if isinstance(value, Mapping):
        yield value
        for inner in value.values():
            yield from _mappings(inner)


def _is_array(value: object) -> bool:
    if isinstance(value, (str, bytes, Mapping)):
        return False
    try:
        return np.ndim(np.asarray(value, dtype=float)) == 1
    except (TypeError, ValueError, OverflowError):
        return False


# skore: a comparison of cross-validated reports, or its table of splits.


_REPORT_SPLIT = re.compile(r"(.+)_split_(\d+)$")


def is_skore(source: Source) -> bool:
    """Whether it is a ComparisonReport, or a table with columns ``<estimator>_split_0``."""
    value = source.value
    if hasattr(value, "reports_") and hasattr(value, "metrics"):
        return True
    return source.frame is not None and any(
        _REPORT_SPLIT.match(str(c)) for c in source.frame.columns
    )


def read_skore(source: Source, *, dataset: str = "data") -> Reading:
    """Read scores of estimators on each split, one row per metric; a report brings its splits."""
    frame, design = source.frame, None
    if frame is None:
        frame = source.value.metrics.summarize().frame(aggregate=None)
        design = _design_of_reports(source.value.reports_, dataset)
    if frame.index.dtype.kind in "iu":  # the index was written as the first column
        frame = frame.set_index(frame.columns[0])
    rows = []
    for column in map(str, frame.columns):
        match = _REPORT_SPLIT.match(column)
        if match is None:
            raise InputError(
                f"the table of skore must have a column per split (got {column!r}). Write it with "
                "metrics.summarize().frame(aggregate=None)."
            )
        labels = {"dataset": dataset, "algorithm": match[1], "fold": int(match[2]) + 1}
        rows.append({**labels, **frame[column].rename(str).to_dict()})
    needs = "" if design else "the table of skore does not show how the data were split"
    return Reading(
        pd.DataFrame(rows),
        "a comparison of skore",
        resampling=design,
        needs=needs,
        higher=[m for m in ("default_score", "score") if m in frame.index],
    )


def _design_of_reports(
    reports: Mapping[str, object] | Iterable[object], dataset: str
) -> Resampling:
    """Find how the reports' data were split, which has to be the same for all of them."""
    named = reports.items() if isinstance(reports, Mapping) else enumerate(reports)
    indices = []
    for name, report in named:
        if not hasattr(report, "split_indices"):
            raise InputError(
                "the comparison of skore must be of cross-validation (got single splits). "
                "Compare CrossValidationReports."
            )
        trains, tests = zip(*report.split_indices, strict=True)
        indices.append((str(name), {"train": trains, "test": tests}))
    same_splits(indices, dataset)
    return of_indices(indices[0][1]["train"], indices[0][1]["test"], dataset)
