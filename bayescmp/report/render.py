"""From content to HTML, Markdown and LaTeX, by templates that escape everything they are given."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from bayescmp import text
from bayescmp.catalogue import title
from bayescmp.markup import Raw, begin, end, latex, markdown, visible
from bayescmp.shortened import cut_all

if TYPE_CHECKING:
    from jinja2 import Environment

    from bayescmp.typing import Json

__all__ = [
    "FORMATS",
    "policy",
    "probability",
    "rendered",
    "score",
]

#: File endings to templates.
FORMATS = {
    "html": "report.html.j2",
    "md": "report.md.j2",
    "tex": "report.tex.j2",
    "bib": "_bibtex.j2",
}


def rendered(content: Json, kind: str) -> str:
    """The report in one of `FORMATS`.

    Parameters
    ----------
    content : dict
        As `bayescmp.report.content.gather` gives it.
    kind : str
        "html", "md", "tex" or "bib".

    Returns
    -------
    str
    """
    template = _environment(kind).get_template(FORMATS[kind])
    return str(template.render(**content, data=_data(content), short=_short(content)))


def policy(script: str) -> str:
    """The Content-Security-Policy of a page with one script, which loads and sends nothing.

    Parameters
    ----------
    script : str
        The script, to the letter; no other is run.

    References
    ----------
    W3C (2018), Content Security Policy Level 3, section 8.
    """
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _short(content: Json) -> Callable[[str, int], str]:
    """How an algorithm's name is cut to a length, so that no two look the same."""

    @cache
    def labels(most: int) -> dict[str, str]:
        names = content["setting"]["algorithms"]
        return dict(zip(names, cut_all(names, most), strict=True))

    return lambda name, most: labels(most)[name]


@cache
def _environment(kind: str) -> Environment:
    """Templates of a format; what is put into them is escaped, always."""
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
        prob=probability,
        plus_minus=text.plus_minus,
        p=text.pvalue,
        score=score,
        test=title,
        effect=_effect,
        omnibus=_omnibus,
        cut=cut,
        cite=_cite,
        counted=text.counted,
        improvement=text.improvement,
        raw=Raw,
    )
    return environment


def _data(content: Json) -> Json:
    """What is embedded for machines: all but the pictures' geometry, long tables by columns."""
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


#: Parts that are pictures and words, or repeat rows of the twins.
_DRAWN = ("figures", "explained", "sensitivity", "holds", "labels", "odds", "effects")


def _compact(part: Json) -> Json:
    kept = {k: v for k, v in part.items() if k not in _DRAWN}
    for name in ("datasets", "alone", "twins"):
        rows = kept.get(name) or []
        columns = list(rows[0]) if rows else []
        kept[name] = {"columns": columns, "rows": [[row[c] for c in columns] for row in rows]}
    return kept


def _cite(key: str) -> str:
    return rf"\citep{{{key}}}"


def probability(p: float | None) -> str:
    """A probability by the rule of every text, a dash where there is none."""
    return "–" if p is None else text.probability(p)


def _effect(row: Json) -> str:
    """A twin's effect size with its interval: "Cohen's d 0.42 (0.1 to 0.8)"."""
    if row.get("effect_size") is None:
        return "–"
    low, high = row["effect_low"], row["effect_high"]
    ends = "−∞" if low is None else f"{low:.2g}", "∞" if high is None else f"{high:.2g}"
    return f"{row['effect']} {row['effect_size']:.2g} ({' to '.join(ends)})"


def _omnibus(test: Json) -> str:
    """The test of all algorithms: "Friedman test of all algorithms: p = 0.012, W 0.4 (...)"."""
    line = f"{test['method']} of all algorithms: {text.equals(test['pvalue'])}"
    effect = test.get("effect")
    if not effect or effect["estimate"] is None:
        return line
    low, high = effect["interval"]
    return f"{line}, {effect['measure']} {effect['estimate']:.2g} ({low:.2g} to {high:.2g})"


def score(value: float | None) -> str:
    """A score: four decimals, or as many digits where it is large."""
    if value is None:
        return "–"
    return (f"{value:.4f}" if abs(value) < 10 else f"{value:.4g}").replace("-", "−")


def cut(name: str, most: int = 24) -> str:
    """A name cut to a length; the title attribute has the whole."""
    return name if len(name) <= most else name[: most - 1] + "…"
