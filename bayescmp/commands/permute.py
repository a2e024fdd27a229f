"""`bayescmp permute`: has a classifier learned anything, and from features taken jointly?"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bayescmp.commands._options import check_files, draw_to
from bayescmp.errors import InputError, unknown_name

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.commands._options import Subparsers
    from bayescmp.frequentist import PermutationResult
    from bayescmp.typing import SupportsFit

__all__ = ["register", "run"]

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


def register(subparsers: Subparsers) -> None:
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
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Test, print, and write what was asked for."""
    from bayescmp.plots.null_distribution import plot_null_distribution

    test = str(args.test)
    if test not in TESTS:
        raise unknown_name("test", test, TESTS)
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
    from bayescmp.table_files import read_table

    table = read_table(args.data)
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

    if name not in ESTIMATORS:
        raise unknown_name("estimator", name, ESTIMATORS)
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
