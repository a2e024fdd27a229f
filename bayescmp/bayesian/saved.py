"""Reading saved posteriors: nothing in a file is trusted."""

from __future__ import annotations

import os
from typing import Any

from bayescmp import bayesian
from bayescmp.base.arguments import must_be
from bayescmp.base.files import as_path
from bayescmp.engines import engines
from bayescmp.errors import InputError
from bayescmp.results.diagnostics import Diagnostics
from bayescmp.results.posterior import Fitted, Posterior
from bayescmp.results.saving import (
    Arrays,
    check_draws,
    check_shapes,
    read,
    unpack,
    unpack_fields,
)
from bayescmp.scores.rope import Rope, Ropes, rope_from_ends


def load(path: str | os.PathLike[str]) -> Fitted:
    """Read a posterior that `Posterior.save` wrote.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    Posterior
        Of the class that was saved, with the same numbers.

    Raises
    ------
    InputError
        If the file does not exist, holds no posterior of this package, or has an invalid field,
        which the message names. Everything in a file is checked, and no code in it is run.

    See Also
    --------
    Posterior.save : Writes it.

    Examples
    --------
    >>> import os, tempfile
    >>> import bayescmp as bc
    >>> posterior = bc.bayesian.correlated_t([0.01, 0.03, 0.02], rho=0.1, rope=0.01)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     posterior.save(os.path.join(folder, "posterior.npz"))
    ...     bc.load(os.path.join(folder, "posterior.npz")).names
    ('first', 'second')
    """
    path = as_path("path", path)
    if not path.is_file():
        raise must_be("path", "a saved posterior", str(path), "That file does not exist.")
    try:
        facts, arrays = read(path)
        version, kind = str(facts["bayescmp"])[:40], str(facts["test"])[:40]
    except Exception as error:  # a damaged zip file, or another format, can fail in many ways
        raise InputError(
            f"{str(path)!r} does not hold a posterior saved by bayescmp: {_reason(error)}", "path"
        ) from error
    try:
        return _restore(kind, facts.get("posterior"), arrays)
    except Exception as error:  # what no field's check foresees
        raise InputError(
            f"{str(path)!r}, saved by bayescmp {version}: {_reason(error)}", "path"
        ) from error


def _restore(kind: str, facts: Any, arrays: Arrays) -> Fitted:
    """Return the posterior, once all that it is made of was checked."""
    for name in bayesian.__all__:  # a class is known when its module was imported
        getattr(bayesian, name)
    if kind not in Fitted.kinds:
        raise must_be(
            "test",
            f"one of {', '.join(sorted(Fitted.kinds))}",
            kind,
            "A later version may have written the file.",
        )
    made, model = Fitted.kinds[kind]
    given: dict[str, Any] = {"model": model, "rope": rope_from_ends(facts["rope"])}
    if model.answer is not None:
        given["answer"] = unpack(model.answer, facts["answer"], arrays, "answer")
    values = unpack_fields(made, facts, arrays, given=given)
    names = values["names"]
    if len(set(names)) < len(names) or (issubclass(made, Posterior) and len(names) != 2):
        raise must_be("names", "different names, two for a pair", list(names))
    _check_rope(given["rope"], values.get("metrics", ()))
    _check_engine(values["engine"], values["diagnostics"])
    posterior = made(**values)
    check_draws(posterior)
    check_shapes(posterior)
    return posterior


def _check_rope(rope: Rope | Ropes, metrics: tuple[str, ...]) -> None:
    if isinstance(rope, Ropes) and len(rope) != max(len(metrics), 1):
        raise must_be("metrics", f"{len(rope)} names, one for each ROPE", list(metrics))


def _check_engine(engine: str, diagnostics: Diagnostics) -> None:
    """Refuse draws of a sampler that pose as exact, and draws without a sampler's diagnostics."""
    if not engine:
        raise must_be("engine", "the name of an engine", engine)
    known = engines().get(engine)
    independent = engine == "exact" if known is None else known.independent
    if diagnostics.exact and not independent:
        raise must_be("diagnostics.exact", f"false for draws by the engine {engine!r}", True)
    of_sampler = ["rhat", "ess_bulk", "ess_tail"]
    if diagnostics.divergences is not None:
        of_sampler += ["max_treedepth", "ebfmi"]
    for name in [] if diagnostics.exact else of_sampler:
        if getattr(diagnostics, name) is None:
            raise must_be(f"diagnostics.{name}", "a number for draws by a sampler", None)


def _reason(error: Exception) -> str:
    """Say what is wrong, in a line."""
    if isinstance(error, KeyError):
        return f"{error.args[0]!r} is missing"
    if isinstance(error, RecursionError):
        return "its facts are nested too deeply"
    return " ".join((str(error) or type(error).__name__).split())
