"""`bayescmp.report`: compare, cross-check, and write it all down as HTML, Markdown and LaTeX."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from bayescmp.base.arguments import must, must_be
from bayescmp.base.checks import (
    check_unused,
    check_whole,
    flag,
    jobs,
    one_of,
    optional,
    validate_params,
)
from bayescmp.base.files import as_path, check_distinct, check_writable, replace_when_whole
from bayescmp.catalogue import title
from bayescmp.items.items import Items
from bayescmp.report.content import gather, gather_items
from bayescmp.report.pictures import any_letter
from bayescmp.study.crosscheck.check import PairPart
from bayescmp.study.question import Question, Twin, as_scores, ask_question, check_items
from bayescmp.wording import text
from bayescmp.wording.markup import EscapedText, begin, end, latex, markdown, visible
from bayescmp.wording.text import cut_all, format_count, join_items

if TYPE_CHECKING:
    import pandas as pd
    from jinja2 import Environment

    from bayescmp.base.checks import RhoLike, Seed
    from bayescmp.base.typing import Json
    from bayescmp.scores.differences import Differences
    from bayescmp.scores.rope import RopesLike
    from bayescmp.scores.scores import Scores


# Names of algorithms and metrics as parts of file names.


#: Characters kept of each part.
MOST = 40
#: Names that Windows keeps for devices.
_DEVICES = re.compile(r"^(con|prn|aux|nul|com\d|lpt\d)$")


def file_name(*parts: str, ending: str) -> str:
    """Make a file name that every system takes, different for different names.

    It has lower-case letters, digits and hyphens; if a part of it (any text) had to be changed by
    more than its case, a few digits of its hash distinguish it. `ending` has no dot.
    """
    return f"{'-'.join(_make_file_name(part) for part in parts)}.{ending}"


def _make_file_name(part: str) -> str:
    ascii_only = unicodedata.normalize("NFKD", part).encode("ascii", "ignore").decode()
    plain = re.sub(r"[^a-z0-9]+", "-", ascii_only.lower()).strip("-")[:MOST].strip("-")
    if plain and plain == part and not _DEVICES.match(plain):
        return plain
    digest = hashlib.sha256(part.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{plain}-{digest}" if plain else digest


# From content to HTML, Markdown and LaTeX, by templates that escape everything they are given.


#: File endings to templates.
FORMATS = {
    "html": "report.html.j2",
    "md": "report.md.j2",
    "tex": "report.tex.j2",
    "bib": "_bibtex.j2",
}
#: The template for models' answers to questions.
OF_ITEMS = "items.html.j2"


def render_report(content: Json, kind: str, *, whole: bool = False) -> str:
    """Render a report's content in a `kind` of `FORMATS`; with `whole`, LaTeX has long tables."""
    template = make_environment(kind).get_template(FORMATS[kind])
    given = {"data": _data(content), "short": make_cutter(content), "whole": whole}
    return str(template.render(**content, **given))


def policy(script: str) -> str:
    """Write a Content-Security-Policy (Level 3, section 8) that allows only this script."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def make_cutter(content: Json) -> Callable[[str, int], str]:
    """Make a function that cuts algorithms' names to a length, so that no two look the same."""

    @cache
    def labels(most: int) -> dict[str, str]:
        names = content["setting"]["algorithms"]
        return dict(zip(names, cut_all(names, most), strict=True))

    return lambda name, most: labels(most)[name]


@cache
def make_environment(kind: str) -> Environment:
    """Set up the templates of a format; what is put into them is escaped, always."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    escape = {"md": markdown, "tex": latex}.get(kind)
    environment = Environment(
        loader=PackageLoader("bayescmp.report"),
        undefined=StrictUndefined,
        autoescape=kind == "html",
        finalize=escape or visible,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        comment_start_string="((#",
        comment_end_string="#))",
    )
    environment.policies["json.dumps_kwargs"] = {
        "ensure_ascii": False,
        "allow_nan": False,
        "separators": (",", ":"),
        "sort_keys": False,
    }
    environment.globals.update(policy=policy, begin=begin, end=end)
    environment.filters.update(
        prob=format_probability_or_dash,
        plus_minus=text.plus_minus,
        p=text.format_pvalue,
        score=format_score,
        test=title,
        effect=_effect,
        omnibus=_omnibus,
        adjusted=text.adjusted_by,
        cut=cut_with_title,
        cite=lambda key: rf"\citep{{{key}}}",
        counted=text.format_count,
        listed=text.join_items,
        improvement=text.describe_improvement,
        raw=EscapedText,
    )
    return environment


def _data(content: Json) -> Json:
    """Return what is embedded for machines: all but pictures' geometry, long tables by columns."""
    pairs = [
        {**pair, "parts": [_compact(part) for part in pair["parts"]]} for pair in content["pairs"]
    ]
    metrics = [
        {k: v for k, v in m.items() if k not in ("cells", "diagram")}
        | {"opening": {k: v for k, v in m["opening"].items() if k != "ladder"}}
        for m in content["metrics"]
    ]
    kept = ("title", "setting", "brief", "several", "versions", "notes")
    return {**{k: content[k] for k in kept}, "metrics": metrics, "pairs": pairs}


#: Parts that are left out for machines: plots and words, or repeated rows of the tests.
_DRAWN = ("figures", "explained", "sensitivity", "holds", "labels", "odds", "effects")


def _compact(part: Json) -> Json:
    kept = {k: v for k, v in part.items() if k not in _DRAWN}
    for name in ("datasets", "alone", "twins"):
        rows = kept.get(name) or []
        columns = list(rows[0]) if rows else []
        kept[name] = {"columns": columns, "rows": [[row[c] for c in columns] for row in rows]}
    return kept


def format_probability_or_dash(p: float | None) -> str:
    """Write a probability by the rule of every text, a dash if there is none."""
    return "–" if p is None else text.format_probability(p)


def _effect(row: Json) -> str:
    """Write a twin's effect size with its interval: "Cohen's d 0.42 (0.1 to 0.8)"."""
    if row.get("effect_size") is None:
        return "–"
    low, high = row["effect_low"], row["effect_high"]
    ends = "−∞" if low is None else f"{low:.2g}", "∞" if high is None else f"{high:.2g}"
    return f"{row['effect']} {row['effect_size']:.2g} ({' to '.join(ends)})"


def _omnibus(test: Json) -> str:
    line = f"{test['method']} of all algorithms: {text.state_pvalue(test['pvalue'])}"
    effect = test.get("effect")
    if not effect or effect["estimate"] is None:
        return line
    low, high = effect["interval"]
    return f"{line}, {effect['measure']} {effect['estimate']:.2g} ({low:.2g} to {high:.2g})"


def format_score(value: float | None) -> str:
    """Write a score with four decimals, or as many digits if it is large."""
    if value is None:
        return "–"
    return (f"{value:.4f}" if abs(value) < 10 else f"{value:.4g}").replace("-", "−")


def cut_with_title(name: str, most: int = 24) -> str:
    """Cut a name to a length; the title attribute has the whole."""
    return name if len(name) <= most else name[: most - 1] + "…"


# `bayescmp.report`: compare, cross-check, and write it all down.


@validate_params(
    sensitivity=flag, latex=one_of("compact", "full"), n_jobs=jobs, progress=optional(flag)
)
def report(
    scores: Scores | Items | pd.DataFrame | Differences,
    path: object = "report.html",
    *,
    rope: RopesLike | None = None,
    metric: str | Iterable[str] | None = None,
    metrics: Iterable[str] | None = None,
    algorithms: Iterable[str] | None = None,
    datasets: Iterable[str] | None = None,
    scale: str | None = None,
    twins: Iterable[Twin] | None = None,
    threshold: float = 0.95,
    alpha: float = 0.05,
    adjust: str = "holm",
    rho: RhoLike | None = None,
    seed: Seed = None,
    paired: bool | None = None,
    title: str | None = None,
    in_full: int | None = None,
    figures: object = None,
    sensitivity: bool = False,
    latex: str = "compact",
    n_jobs: int | None = None,
    progress: bool | None = None,
    **options: object,
) -> Path | list[Path]:
    """Compare all pairs of algorithms and write a report.

    Parameters
    ----------
    scores : Scores, Items or DataFrame
        Scores of at least two algorithms. `Items` have a separate page (".html").
    path : path-like or iterable of path-like
        Where to write: ".html" the whole report in one file that needs no network, ".md" its
        tables in Markdown, ".tex" in LaTeX (booktabs) with the methods paragraph, ".bib" the works
        it cites.
    rope : float or (float, float) or mapping, optional
        Region of practical equivalence, for all metrics or one per metric; by default the
        direction is judged.
    metric, metrics : str or iterable of str, optional
        Metrics to compare by, each alone and all together; see `crosscheck`.
    algorithms, datasets, scale, twins, threshold, alpha, adjust, rho, seed, paired
        As for `crosscheck`.
    title : str, optional
        Heading of the report.
    in_full : int, optional
        At most how many pairs, among the algorithms of the best mean rank, are shown in full: with
        plots, estimates for each data set and the other Bayesian tests. By default all pairs of up
        to eight algorithms; of more, the first two, without estimates for each of more than 30
        data sets.
    figures : path-like, optional
        Folder for each pair's plots as files for a paper (PDF), made by `bayescmp.plots`.
    sensitivity : bool
        Whether each pair, and not only the leading one, gets a paragraph on what its decision
        depends on, with one fit per assumption.
    latex : {"compact", "full"}
        "compact" has one table per metric instead of those of more than six pairs, and means on
        each of up to 20 data sets for up to eight algorithms. "full" has all tables.
    n_jobs, progress
        As for `compare_all`.
    **options
        For the Bayesian tests: engine, prior, draws, ...

    Returns
    -------
    Path or list of Path
        One path if one was given, else a list.

    Raises
    ------
    InputError
        As for `crosscheck`, or a file or folder that cannot be written, or an unknown ending.
    EngineNotFound
        If the requested engine is not installed.

    Warns
    -----
    DiagnosticWarning
        How many pairs could not be compared, or cannot be trusted.

    See Also
    --------
    crosscheck : The same answers as tables.

    Examples
    --------
    >>> import bayescmp as bc
    >>> import pandas as pd
    >>> means = pd.DataFrame({"knn": [0.80, 0.78, 0.81, 0.79], "svm": [0.87, 0.88, 0.86, 0.87]})
    >>> scores = bc.Scores.from_means(means, metric="accuracy")
    >>> bc.report(scores, "report.md", rope=0.01, seed=1, progress=False).name
    'report.md'
    """
    single = isinstance(path, (str, os.PathLike))
    files = [as_path("path", p) for p in ([path] if single else _list_files(path))]
    kinds = [_kind(file) for file in files]
    if "html" not in kinds:
        check_unused("only .html shows pairs in full", in_full=in_full)
    if "tex" not in kinds:
        check_unused("only .tex is LaTeX", latex=None if latex == "compact" else latex)
    check_distinct({f"path[{i}]": file for i, file in enumerate(files)})
    scores = as_scores(scores, metric=metric)
    if isinstance(scores, Items):
        check_items(scores, metric, rho, scale)
        unused = {"metrics": metrics, "twins": twins, "figures": figures, "in_full": in_full}
        check_unused("a page on items is of one metric, without them", **unused)
        if kinds != ["html"]:
            raise must_be("path", "one file that ends in .html for items", path)
        shown = gather_items(
            scores,
            rope,
            models=algorithms,
            benchmarks=datasets,
            threshold=threshold,
            seed=seed,
            title=title,
            options=options,
        )
        template = make_environment("html").get_template(OF_ITEMS)
        _write(files[0], str(template.render(**shown)))
        return files[0] if single else files
    folder = None if figures is None else _folder(figures)
    question = ask_question(
        scores,
        metric,
        rope,
        metrics=metrics,
        algorithms=algorithms,
        datasets=datasets,
        twins=twins,
        threshold=threshold,
        alpha=alpha,
        adjust=adjust,
        rho=rho,
        seed=seed,
        options=options,
        scale=scale,
        paired=paired,
    )
    most = None if in_full is None else check_whole("in_full", in_full, least=0)
    content = gather(
        question,
        title=_title(question) if title is None else str(title),
        n_jobs=n_jobs,
        progress=progress,
        most=most if "html" in kinds else 0,
        pictures="html" in kinds,
        draw=None if folder is None else partial(_draw_pair, folder),
        sensitivity=sensitivity,
    )
    for file, kind in zip(files, kinds, strict=True):
        _write(file, render_report(content, kind, whole=latex == "full"))
    return files[0] if single else files


def _title(question: Question) -> str:
    metrics = join_items(list(dict.fromkeys((*question.metrics, *question.joint))))
    return f"{format_count(len(question.algorithms), 'algorithm')} compared by {metrics}"


def _kind(file: Path) -> str:
    """Return the format of a file's ending; before the work, refuse what cannot be written."""
    kind = file.suffix.lower().lstrip(".")
    if kind not in FORMATS:
        endings = ", ".join(f".{ending}" for ending in FORMATS)
        raise must("path", f"end in {endings}", repr(str(file)))
    check_writable("path", file)
    return kind


def _list_files(paths: object) -> list[object]:
    files = list(paths) if isinstance(paths, Iterable) else []
    if not files:
        raise must_be("path", "a file, or several in a list", paths)
    return files


def _folder(figures: object) -> Path:
    folder = as_path("figures", figures)
    if folder.exists() and not folder.is_dir():
        raise must("figures", "be a directory", f"the file {str(folder)!r}")
    check_writable("figures", folder / "plot.pdf" if folder.is_dir() else folder)
    folder.mkdir(exist_ok=True)
    return folder


def _write(file: Path, text: str) -> None:
    """Write a file in whole or not at all."""
    with replace_when_whole(file) as part:
        part.write_text(text, encoding="utf-8", errors="replace")


def _draw_pair(folder: Path, part: PairPart) -> None:
    from matplotlib.figure import Figure

    from bayescmp.plots import intervals, plot_shrinkage, save

    assert part.main is not None
    posterior = part.main.posterior
    assert posterior is not None  # a pair is drawn with its posterior
    drawn: Json = {"posterior": (posterior.figure_size(), posterior.plot)}
    if part.table is not None:
        size = intervals.shrinkage_size(len(part.table))
        drawn["datasets"] = size, partial(plot_shrinkage, posterior)
    for what, (size, draw) in drawn.items():
        ax = Figure(figsize=size, layout="constrained").add_subplot()
        with any_letter():
            draw(ax=ax)
            save(ax, folder / file_name(*part.pair, part.metric, what, ending="pdf"))
