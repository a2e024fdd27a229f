"""`bayescmp permute`: has a classifier learned anything, and from features taken jointly?"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from bayescmp.base.arguments import must, must_be
from bayescmp.base.checks import check_choice
from bayescmp.commands.parser import REPEATED, Parser, add_group, add_shared
from bayescmp.commands.shared import INTERRUPTED, Arguments, read_file
from bayescmp.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.base.typing import SupportsFit
    from bayescmp.frequentist import PermutationResult

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

USAGE = "TABLE --target COLUMN --estimator NAME [options]"
EXAMPLE = "data.csv --target label --estimator tree --n 200"


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    parser.add_argument("table", metavar="TABLE", help="CSV or Parquet file, one row per case")
    add = parser.add_argument_group("the data and the classifier").add_argument
    add("--target", metavar="COLUMN", required=True, help="the column of the classes")
    add("--estimator", metavar="NAME", required=True, help=f"one of {', '.join(ESTIMATORS)}")
    drop, nominal = "a column that is not a feature", "a numeric column of categories"
    add("--drop", metavar="COLUMN", help=f"{drop} (repeatable)", **REPEATED)
    add("--nominal", metavar="COLUMN", help=f"{nominal} (repeatable)", **REPEATED)
    test = parser.add_argument_group("how it is tested")
    add = test.add_argument
    add("--test", default="both", help="labels, columns or both (default)")
    add("--n", type=int, default=1000, help="random data sets (default 1000)")
    add("--cv", metavar="FOLDS", default="10", help="number of folds, or loo (default 10)")
    add("--repeats", type=int, default=10, help="repeats of cross-validation (default 10)")
    add("--scoring", help="scorer of scikit-learn (default: the error rate)")
    add("--stop", help="besag-clifford or gandy: stop when the decision at alpha is settled")
    add_shared(test, "--alpha", "--seed")
    add_shared(test, "--n-jobs", default=-1, help="processes (default: -1, one per core)")
    output = add_group(parser, "output", "--full", "--json")
    add_shared(output, "--plot", help="write the histogram of the null distributions")
    progress = "show a progress bar, even in a file"
    output.add_argument("--progress", action="store_true", help=progress)
    add_group(parser, "how the table is read", "--sep", "--decimal")


def run(args: Arguments) -> int:
    """Has a classifier learned anything?

    Test 1 (labels) permutes the labels. Test 2 (columns) permutes each column within each
    class: does the classifier use the dependence between features? Within each fold, columns
    of text are one-hot coded, and missing numbers are set to the median.
    """
    from bayescmp.plots import plot_null_distribution

    test = str(args.test)
    check_choice("test", test, TESTS)
    features, labels = _read_table(args)
    estimator = make_estimator(args.estimator, features)
    results = []
    for one in TESTS[:2] if test == "both" else (test,):
        results.append(_test(estimator, features, labels, one, args))
        if results[-1].ended == "interrupted":
            break
    args.draw("plot", (3.4, 2.4), plot_null_distribution, results)
    args.show(results, lambda: [r.to_dict() for r in results])
    return INTERRUPTED if results[-1].ended == "interrupted" else 0


def _test(
    estimator: SupportsFit, features: pd.DataFrame, labels: pd.Series, test: str, args: Arguments
) -> PermutationResult:
    from bayescmp.frequentist import permutation_test

    return permutation_test(
        estimator,
        features,
        labels,
        test=test,
        cv=args.cv if args.cv == "loo" else _folds(args.cv),
        progress=args.progress or sys.stderr.isatty(),
        **args.take_options("n", "repeats", "scoring", "alpha", "stop", "seed", "n_jobs"),
    )


def _folds(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise must_be("cv", "a number of folds, or loo", text) from None


def _read_table(args: Arguments) -> tuple[pd.DataFrame, pd.Series]:
    table = read_file(args, args.nominal)
    for column in (args.target, *args.drop, *args.nominal):
        check_choice("column", column, table.columns)
    features = table.drop(columns=[args.target, *args.drop])
    if features.shape[1] == 0:
        raise InputError(
            f"{args.table!r} must have columns of features (got only the target).", "table"
        )
    for column in args.nominal:
        known = features[column].notna()
        features[column] = features[column].astype(str).where(known)
    labels = table[args.target]
    if labels.nunique() > max(20, len(labels) // 3) and labels.dtype.kind == "f":
        raise must(
            "target", "hold classes", f"{labels.nunique()} different numbers in {args.target!r}"
        )
    return features, labels.to_numpy()


def make_estimator(name: str, features: pd.DataFrame) -> SupportsFit:
    """Make a pipeline of what the columns need and the named classifier."""
    import importlib.util

    check_choice("estimator", name, ESTIMATORS)
    if importlib.util.find_spec("sklearn") is None:
        raise InputError(
            "scikit-learn must be installed for `bayescmp permute`. Use pip install scikit-learn."
        )
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
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    scaler = make_pipeline(*numbers) if numbers else "passthrough"
    used = [s for s in (("numbers", scaler, numeric), ("names", encoder, nominal)) if s[2]]
    if len(used) == 1 and used[0][1] == "passthrough":
        return model
    return make_pipeline(ColumnTransformer(used), model)
