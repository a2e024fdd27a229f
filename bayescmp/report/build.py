"""`bayescmp.report`: compare, cross-check, and write it all down."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from bayescmp.checks import whole
from bayescmp.crosscheck.pairs import PairPart
from bayescmp.crosscheck.plan import Plan, make_plan
from bayescmp.crosscheck.twins import Twin
from bayescmp.errors import InputError
from bayescmp.files import as_path, check_distinct, check_writable, replacing
from bayescmp.report.content import gather
from bayescmp.report.names import file_name
from bayescmp.report.render import FORMATS, rendered
from bayescmp.text import counted

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.checks import RhoLike, Seed
    from bayescmp.differences import Differences
    from bayescmp.scores import Scores
    from bayescmp.verdict.rope import RopesLike


__all__ = ["report"]


def report(
    scores: Scores | pd.DataFrame | Differences,
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
    paired: bool = True,
    title: str | None = None,
    in_full: int | None = None,
    figures: object = None,
    sensitivity: bool = False,
    progress: bool | None = None,
    **options: object,
) -> Path | list[Path]:
    """Compare all pairs of algorithms and write a report.

    Parameters
    ----------
    scores : Scores or DataFrame
        Scores of at least two algorithms.
    path : path-like or iterable of path-like
        Where to write. The ending says what: ".html" the whole report in one file that needs no
        network, ".md" its tables in Markdown, ".tex" its tables in LaTeX (booktabs) with the
        methods paragraph, ".bib" the works it cites. Several files come from one computation.
    rope : float or (float, float) or mapping
        Region of practical equivalence, in units of the metric; one for all, or one per metric.
    metric : str or iterable of str, optional
        Metric to compare by; with several, each alone and all together.
    metrics : iterable of str, optional
        Metrics to compare by together, beside ``metric`` alone; see `crosscheck`.
    algorithms, datasets, scale, twins, threshold, alpha, adjust, rho, seed, paired
        As for `crosscheck`.
    title : str, optional
        Heading of the report.
    in_full : int, optional
        How many pairs at most are shown in full, with pictures, estimates for each data set and
        the other Bayesian tests: those among the algorithms of the best mean rank. If not given,
        all pairs of up to eight algorithms; of more, the two of the best mean rank, without
        estimates for each of more than 30 data sets. The others are in the tables only, and the
        report says so. On 60 data sets a pair in full takes as long as 20 in the tables.
    figures : path-like, optional
        Folder for each pair's plots as files for a paper (PDF), made by `bayescmp.plots`.
    sensitivity : bool
        Whether each pair gets a paragraph on what its decision depends on: priors, correlations,
        ropes, single data sets. It takes a fit each, half a minute for thirty pairs on 14 data
        sets. The two algorithms of the best mean rank have a sentence anyway, on the first screen.
    progress : bool, optional
        Whether to show a progress bar; if not given, on a terminal.
    **options
        For the Bayesian tests: engine, prior, draws, ...

    Returns
    -------
    Path or list of Path
        What was written, as `path` was given.

    Raises
    ------
    InputError
        As for `crosscheck`; a file or folder that can't be written, an unknown ending.
    EngineNotFound
        If the engine that was asked for is not installed.

    Warns
    -----
    DiagnosticWarning
        How many pairs could not be compared, or can't be trusted.

    See Also
    --------
    crosscheck : The same as tables.

    Examples
    --------
    >>> import bayescmp as bc
    >>> import numpy as np
    >>> import pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> means = pd.DataFrame(rng.normal([0.80, 0.87], 0.02, (15, 2)), columns=["knn", "svm"])
    >>> scores = bc.Scores.from_means(means, metric="accuracy")
    >>> bc.report(scores, "report.md", rope=0.01, seed=1, progress=False).name
    'report.md'
    """
    single = isinstance(path, (str, os.PathLike))
    files = [as_path("path", p) for p in ([path] if single else _several(path))]
    kinds = [_kind(file) for file in files]
    check_distinct({f"path[{i}]": file for i, file in enumerate(files)})
    folder = None if figures is None else _folder(figures)
    plan = make_plan(
        scores,
        metric,
        rope,
        metrics=metrics,
        algorithms=algorithms,
        datasets=datasets,
        scale=scale,
        paired=paired,
        twins=twins,
        threshold=threshold,
        alpha=alpha,
        adjust_by=adjust,
        rho=rho,
        seed=seed,
        options=options,
    )
    content = gather(
        plan,
        title=_title(plan) if title is None else str(title),
        progress=progress,
        most=_most(in_full) if "html" in kinds else 0,
        pictures="html" in kinds,
        draw=None if folder is None else _Drawer(folder),
        sensitivity=sensitivity,
    )
    for file, kind in zip(files, kinds, strict=True):
        _write(file, rendered(content, kind))
    return files[0] if single else files


def _most(in_full: object) -> int | None:
    return None if in_full is None else whole("in_full", in_full, least=0)


def _title(plan: Plan) -> str:
    metrics = ", ".join(dict.fromkeys((*plan.metrics, *plan.joint)))
    return f"{counted(len(plan.algorithms), 'algorithm')} compared by {metrics}"


def _kind(file: Path) -> str:
    """The format that a file's ending asks for; refuses what can't be written, before the work."""
    kind = file.suffix.lower().lstrip(".")
    if kind not in FORMATS:
        raise InputError(
            f"path {str(file)!r} ends in {file.suffix!r}; accepted: "
            + ", ".join(f".{k}" for k in FORMATS)
        )
    check_writable("path", file)
    return kind


def _several(paths: object) -> list[object]:
    files = list(paths) if isinstance(paths, Iterable) else []
    if not files:
        raise InputError(f"path={paths!r}; accepted: a file, or several in a list")
    return files


def _folder(figures: object) -> Path:
    folder = as_path("figures", figures)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"figures {str(folder)!r} is a file; accepted: a directory")
    check_writable("figures", folder / "plot.pdf" if folder.is_dir() else folder)
    folder.mkdir(exist_ok=True)
    return folder


def _write(file: Path, text: str) -> None:
    """Write a file in whole or not at all."""
    with replacing(file) as part:
        part.write_text(text, encoding="utf-8", errors="replace")


class _Drawer:
    """Draws each pair's plots into a folder, while its posterior is there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, part: PairPart) -> None:
        from bayescmp.plots import plot_shrinkage, shrinkage

        assert part.main is not None
        posterior = part.main.posterior
        assert posterior is not None  # a pair is drawn with its posterior
        self._save(posterior.plot, posterior.figure_size(), part, "posterior")
        if part.table is not None:
            size = shrinkage.figure_size(len(part.table))
            self._save(lambda ax: plot_shrinkage(posterior, ax=ax), size, part, "datasets")

    def _save(
        self, draw: Callable[..., object], size: tuple[float, float], part: PairPart, what: str
    ) -> None:
        import warnings

        from matplotlib.figure import Figure

        from bayescmp.plots import save

        ax = Figure(figsize=size, layout="constrained").add_subplot()
        with warnings.catch_warnings():  # letters that the font has not: boxes in their place
            warnings.filterwarnings("ignore", message="Glyph")
            draw(ax=ax)
            save(ax, self.folder / file_name(*part.pair, part.metric, what, ending="pdf"))
