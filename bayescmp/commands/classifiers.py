"""`bayescmp auc`, `permute` and `experiment`: classifiers and their predictions."""

from __future__ import annotations

import argparse
import json
import sys
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from bayescmp.base.checks import choice
from bayescmp.commands._options import check_files, draw_to
from bayescmp.errors import InputError, unknown_name
from bayescmp.wording.text import as_shown, counted

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.base.typing import SupportsFit
    from bayescmp.commands._options import Subparsers
    from bayescmp.frequentist import PermutationResult, TestResult
    from bayescmp.scores.predictions import Predictions

__all__ = [
    "register_permute",
]


# `bayescmp auc`: areas under ROC curves of test items, and DeLong's test of each pair.


def register_auc(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "auc",
        help="areas under ROC curves of the same test items, from labels and predicted scores",
        description="Areas under ROC curves with intervals, and DeLong's test of every pair of "
        "algorithms. The answer holds for new items, not for new training sets; to compare areas "
        "over folds, use `compare`.",
    )
    parser.add_argument(
        "predictions",
        help="CSV or Parquet table: a row per test item with its label and a column of predicted "
        "scores per algorithm; or a row per item and algorithm, with columns algorithm and value. "
        "Columns dataset, repeat, fold and item are understood",
    )
    parser.add_argument("--truth", default="truth", help="the column of labels (default truth)")
    parser.add_argument("--positive", help="the positive class (default: 1 or True)")
    parser.add_argument("--dataset", help="which data set, where the table has several")
    parser.add_argument(
        "--algorithm", action="append", help="compare these only; may be given several times"
    )
    parser.add_argument(
        "--adjust", default="holm", help="adjustment of the p-values (default holm)"
    )
    parser.add_argument("--json", action="store_true", help="print the whole result as JSON")
    parser.set_defaults(run=run_auc)


def run_auc(args: argparse.Namespace) -> int:
    """Read, test, print."""
    from bayescmp.frequentist.multiplicity import canonical
    from bayescmp.scores.predictions import Predictions
    from bayescmp.scores.readers.base import read_table

    canonical(args.adjust)
    table = read_table(args.predictions, lambda _: ["dataset", "algorithm", "item"])
    predictions = Predictions.of_table(table, truth=args.truth, positive=args.positive)
    dataset = _dataset(predictions, args.dataset)
    names = args.algorithm or list(predictions.algorithms)
    alone = {name: _area(predictions, dataset, name) for name in names}
    areas = _areas(alone)
    pairs = _pairs(predictions, dataset, names, args.adjust)
    if args.json:
        parts = {"areas": areas, "pairs": pairs}
        records = {k: json.loads(_records(f)) for k, f in parts.items()}
        print(json.dumps({"dataset": dataset, "adjust": args.adjust, **records}, indent=2))
        return 0
    print(f"areas under ROC curves of {counted(next(iter(alone.values())).n, 'test item')}")
    print(as_shown(areas, index=False))
    for name in areas.loc[areas["low"].isna(), "algorithm"]:
        print(f"note: {name} has no interval, as its estimated variance is 0")
    if len(pairs):
        print(f"DeLong's test of each pair, adjusted by {args.adjust}")
        print(as_shown(pairs, index=False))
    return 0


def _dataset(predictions: Predictions, given: str | None) -> str:
    from bayescmp.errors import InputError

    if given is None and len(predictions.datasets) > 1:
        raise InputError(f"--dataset is missing: the table has {len(predictions.datasets)}")
    return given or predictions.datasets[0]


def _area(predictions: Predictions, dataset: str, name: str) -> TestResult:
    """One algorithm's area, by the items that it was tested on."""
    from bayescmp.frequentist import delong

    x = predictions.pair(name, name, dataset)
    return delong(x.truth, x.first, items=x.items)


def _areas(results: dict[str, TestResult]) -> pd.DataFrame:
    import pandas as pd

    rows = [{"algorithm": name, "auc": r.estimate, **_interval(r)} for name, r in results.items()]
    return pd.DataFrame(rows)


def _pairs(
    predictions: Predictions, dataset: str, names: list[str], adjust_by: str
) -> pd.DataFrame:
    """DeLong's test of each pair of algorithms."""
    import pandas as pd

    from bayescmp.frequentist.multiplicity import adjust
    from bayescmp.study.calls import delong

    rows = []
    for first, second in combinations(names, 2):
        result = delong(predictions.pair(first, second, dataset))
        rows.append(
            {
                "first": first,
                "second": second,
                "difference": result.estimate,
                **_interval(result),
                "z": result.statistic,
                "pvalue": result.pvalue,
            }
        )
    frame = pd.DataFrame(rows)
    if frame.empty:
        return frame
    p = frame["pvalue"]
    adjusted = pd.Series(adjust(p.fillna(1.0), adjust_by, n_algorithms=len(names)))
    return frame.assign(adjusted=adjusted.where(p.notna()))


def _records(frame: pd.DataFrame) -> str:
    """As JSON; what there is not is null."""
    return str(frame.to_json(orient="records", double_precision=15))


def _interval(result: TestResult) -> dict[str, float]:
    """At 95 %; NaN where there is none."""
    low, high = result.confidence_interval() if result.interval else (float("nan"),) * 2
    return {"low": low, "high": high}


# `bayescmp permute`: has a classifier learned anything, and from features taken jointly?


TESTS = ("labels", "columns", "both")

#: The classifiers that can be named: module, class, arguments, and whether features are scaled.
ESTIMATORS: dict[str, tuple[str, str, dict[str, object], bool]] = {
    "tree": ("sklearn.tree", "DecisionTreeClassifier", {}, False),
    "naive-bayes": ("sklearn.naive_bayes", "GaussianNB", {}, False),
    "1nn": ("sklearn.neighbors", "KNeighborsClassifier", {"n_neighbors": 1}, True),
    "knn": ("sklearn.neighbors", "KNeighborsClassifier", {"n_neighbors": 5}, True),
    "svm": ("sklearn.svm", "SVC", {"kernel": "linear"}, True),
    "rbf-svm": ("sklearn.svm", "SVC", {}, True),
    "logistic": ("sklearn.linear_model", "LogisticRegression", {"max_iter": 1000}, True),
    "lda": ("sklearn.discriminant_analysis", "LinearDiscriminantAnalysis", {}, True),
    "forest": ("sklearn.ensemble", "RandomForestClassifier", {"n_estimators": 100}, False),
    "boosting": ("sklearn.ensemble", "GradientBoostingClassifier", {}, False),
}


def register_permute(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "permute",
        help="permutation tests of one classifier on a data set",
        description="Test 1 permutes the labels: has the classifier learned anything? Test 2 "
        "permutes each column within each class: does it use the dependence between features? "
        "Columns "
        "of text are one-hot coded, missing numbers set to the median, within each fold.",
    )
    parser.add_argument("data", help="CSV or Parquet table, one row per case")
    parser.add_argument("--target", required=True, help="column of the classes")
    parser.add_argument("--estimator", required=True, help=", ".join(ESTIMATORS))
    parser.add_argument("--test", default="both", help=", ".join(TESTS) + " (default both)")
    parser.add_argument("--n", type=int, default=1000, help="random data sets (default 1000)")
    parser.add_argument("--cv", default="10", help="number of folds, or loo (default 10)")
    parser.add_argument("--repeats", type=int, default=10, help="repeats of cross-validation")
    parser.add_argument("--scoring", help="scorer of scikit-learn (default: the error rate)")
    parser.add_argument("--alpha", type=float, default=0.05, help="level of the decision")
    parser.add_argument(
        "--stop", help="besag-clifford or gandy: stop when the decision at alpha is settled"
    )
    parser.add_argument(
        "--drop",
        action="append",
        default=[],
        metavar="COLUMN",
        help="a column that is not a feature (repeatable)",
    )
    parser.add_argument(
        "--nominal",
        action="append",
        default=[],
        metavar="COLUMN",
        help="a numeric column that holds categories (repeatable)",
    )
    parser.add_argument("--seed", type=int, default=1, help="seed (default 1)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default 1)")
    parser.add_argument("--progress", action="store_true", help="show a bar, also in a file")
    parser.add_argument("--plot", metavar="FILE", help="write the null distributions' histogram")
    parser.add_argument("--json", action="store_true", help="print the whole result as JSON")
    parser.set_defaults(run=run_permute)


def run_permute(args: argparse.Namespace) -> int:
    """Test, print, and write what was asked for."""
    from bayescmp.plots.permutation import plot_null_distribution

    test = str(args.test)
    choice("test", test, TESTS)
    check_files(args, ("plot",), [args.data])
    if args.plot:
        _check_picture(args.plot)
    features, labels = _read(args)
    estimator = _estimator(args.estimator, features)
    results = []
    for one in TESTS[:2] if test == "both" else (test,):
        results.append(_test(estimator, features, labels, one, args))
        if results[-1].ended == "interrupted":
            break
    if args.json:
        print(json.dumps([r.to_dict() for r in results], indent=2, allow_nan=False))
    else:
        print("\n\n".join(map(str, results)))
    if args.plot:
        draw_to(args.plot, (3.4, 2.4), lambda ax: plot_null_distribution(results, ax=ax))
        if not args.json:
            print(f"written {args.plot}")
    return 130 if results[-1].ended == "interrupted" else 0


def _check_picture(path: str) -> None:
    """Refuse an unknown format before the work is done, which may take an hour."""
    from matplotlib.backend_bases import FigureCanvasBase

    known = FigureCanvasBase.get_supported_filetypes()
    if Path(path).suffix.lower().lstrip(".") not in known:
        raise InputError(
            f"--plot {path!r}: unknown picture format; accepted: {', '.join(sorted(known))}"
        )


def _test(
    estimator: SupportsFit,
    features: pd.DataFrame,
    labels: pd.Series,
    test: str,
    args: argparse.Namespace,
) -> PermutationResult:
    from bayescmp.frequentist import permutation_test

    cv = args.cv if args.cv == "loo" else _folds(args.cv)
    return permutation_test(
        estimator,
        features,
        labels,
        test=test,
        n=args.n,
        cv=cv,
        repeats=args.repeats,
        scoring=args.scoring,
        alpha=args.alpha,
        stop=args.stop,
        seed=args.seed,
        n_jobs=args.jobs,
        progress=args.progress or sys.stderr.isatty(),
    )


def _folds(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(f"--cv {text!r}; accepted: a number of folds, or loo") from None


def _read(args: argparse.Namespace) -> tuple[pd.DataFrame, pd.Series]:
    """Features and classes of the table."""
    from bayescmp.scores.readers.base import read_table

    table = read_table(args.data, lambda _: args.nominal)
    for column in (args.target, *args.drop, *args.nominal):
        if column not in table.columns:
            raise unknown_name("column", column, table.columns)
    features = table.drop(columns=[args.target, *args.drop])
    if features.shape[1] == 0:
        raise InputError(f"{args.data!r} has no column but the target: there are no features")
    for column in args.nominal:
        known = features[column].notna()
        features[column] = features[column].astype(str).where(known)
    labels = table[args.target]
    if labels.nunique() > max(20, len(labels) // 3) and labels.dtype.kind == "f":
        raise InputError(
            f"--target {args.target!r} holds {labels.nunique()} different numbers; accepted: "
            "classes"
        )
    return features, labels.to_numpy()


def _estimator(name: str, features: pd.DataFrame) -> SupportsFit:
    """A pipeline of what the columns need and the named classifier."""
    import importlib.util

    choice("estimator", name, ESTIMATORS)
    if importlib.util.find_spec("sklearn") is None:
        raise InputError("permute needs scikit-learn: pip install scikit-learn")
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    module, kind, options, scaled = ESTIMATORS[name]
    model = getattr(importlib.import_module(module), kind)(**options)
    numeric = [c for c in features.columns if features[c].dtype.kind in "fiu"]
    nominal = [c for c in features.columns if c not in numeric]
    numbers: list[object] = []
    if features[numeric].isna().any().any():
        numbers.append(SimpleImputer(strategy="median", keep_empty_features=True))
    if scaled:
        numbers.append(StandardScaler())
    steps = [("numbers", make_pipeline(*numbers) if numbers else "passthrough", numeric)]
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    steps.append(("names", encoder, nominal))
    used = [step for step in steps if step[2]]
    if len(used) == 1 and used[0][1] == "passthrough":
        return model
    return make_pipeline(ColumnTransformer(used), model)


# `bayescmp experiment`: cross-validate what a TOML file names, and go on where it was stopped.


INTERRUPTED = 130


def register_experiment(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "experiment",
        help="cross-validate scikit-learn estimators into a table of scores",
        description="Runs the estimators of a TOML file on its data sets, on the same folds. "
        "A fold that fails is recorded, and the others go on. The file may name estimators, "
        "transformers and splitters of scikit-learn with numbers, text and lists as parameters, "
        "scikit-learn's own data sets, and tables beside it: nothing that could run code. Caches "
        "(memory = ...) and pickles are refused; --allow only packages that you trust.",
    )
    parser.add_argument("config", help="TOML file: [estimators.NAME], [datasets.NAME], [cv], ...")
    parser.add_argument(
        "--checkpoint",
        metavar="FILE",
        help="save every finished fold here at once, and resume from it; the other commands read "
        "it as a table of scores (an SQLite file, whatever its name)",
    )
    parser.add_argument("--out", metavar="FILE", help="write the scores as CSV or .parquet")
    parser.add_argument("--jobs", type=int, help="processes, -1 for one per core")
    parser.add_argument("--seed", type=int, help="seed of splits and estimators")
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="PACKAGE",
        help="a package besides scikit-learn whose classes the file may name (repeatable); its "
        "classes are called with whatever the file says",
    )
    parser.add_argument(
        "--retry-failed", action="store_true", help="run the checkpoint's failed folds again"
    )
    parser.set_defaults(run=run_experiment)


def run_experiment(args: argparse.Namespace) -> int:
    """Run, print, and write what was asked for."""
    from bayescmp.experiment import run_experiment
    from bayescmp.experiment.config import ALLOWED, files_of, read_config

    check_files(args, ("checkpoint", "out"), files_of(args.config))
    if args.out:
        _writer(args.out)
    given = read_config(args.config, allowed=(*ALLOWED, *args.allow))
    given |= {"n_jobs": args.jobs} if args.jobs is not None else {}
    given |= {"seed": args.seed} if args.seed is not None else {}
    estimators, datasets = given.pop("estimators"), given.pop("datasets")
    scores = run_experiment(
        estimators, datasets, checkpoint=args.checkpoint, retry_failed=args.retry_failed, **given
    )
    print(scores)
    print(f"  seed: {scores.seed}")
    if args.out:
        _write(scores.frame, args.out)
    for path in filter(None, (args.checkpoint, args.out)):
        print(f"written      {path}")
    return INTERRUPTED if scores.interrupted else 0


def _writer(path: str) -> str:
    """How the file is written; without pyarrow, Parquet is refused before the work is done."""
    if Path(path).suffix not in (".parquet", ".pq"):
        return "csv"
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        from bayescmp.errors import InputError

        raise InputError(
            f"--out {path!r}: writing Parquet needs pyarrow: pip install pyarrow"
        ) from error
    return "parquet"


def _write(frame: pd.DataFrame, path: str) -> None:
    """Write a table in whole or not at all."""
    from bayescmp.base.files import replacing

    with replacing(path) as part:
        getattr(frame, f"to_{_writer(path)}")(part, index=False)
