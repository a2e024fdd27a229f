"""`bayescmp auc`, `permute` and `experiment`: classifiers and their predictions."""

from __future__ import annotations

import sys
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bayescmp.base.arguments import must_be
from bayescmp.base.checks import check_choice
from bayescmp.base.files import replace_when_whole
from bayescmp.commands.pairs import show_pair
from bayescmp.commands.shared import Arguments, as_records, tell
from bayescmp.commands.table import command
from bayescmp.errors import InputError
from bayescmp.present.forms import as_text
from bayescmp.present.summary import PAIR, Summary
from bayescmp.wording.text import adjusted_by, format_count

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.base.typing import SupportsFit
    from bayescmp.frequentist import PermutationResult, TestResult
    from bayescmp.scores.predictions import Predictions

#: Exit code of work that was interrupted, and what is done was told.
INTERRUPTED = 130


# `bayescmp auc`: areas under ROC curves of test items, and DeLong's test of each pair.


@command(
    "auc",
    "predictions --sep --decimal --truth --positive --dataset --algorithm --adjust --full --json",
    {"--dataset": "which data set, where the table has several"},
)
def compare_areas(args: Arguments) -> None:
    """Compare areas under ROC curves on the same test items, from labels and predicted scores.

    Areas under ROC curves with intervals, and DeLong's test of every pair of algorithms. The
    answer holds for new items, not for new training sets; to compare areas over folds, use
    `compare`.
    """
    import pandas as pd

    predictions = _read_predictions(args)
    dataset = _dataset(predictions, args.dataset)
    names = args.algorithms or list(predictions.algorithms)
    alone = {name: _area(predictions, dataset, name) for name in names}
    areas = pd.DataFrame(
        {"algorithm": name, "auc": r.estimate, **_interval(r)} for name, r in alone.items()
    )
    pairs = _pairs(predictions, dataset, names, args.adjust)
    items = next(iter(alone.values())).n
    args.show(
        _areas_as_text(areas, pairs, items, args),
        lambda: {
            "dataset": dataset,
            "adjust": args.adjust,
            "areas": as_records(areas, 15),
            "pairs": as_records(pairs, 15),
        },
    )


def _read_predictions(args: Arguments) -> Predictions:
    """Read the predictions that the options name."""
    from bayescmp.scores.predictions import Predictions

    table = _read_file(args, args.predictions, ["dataset", "algorithm", "item"])
    return Predictions.of_table(table, truth=args.truth, positive=args.positive)


def _read_file(args: Arguments, path: str, names: list[str]) -> pd.DataFrame:
    """Read a table with these columns of names, and say how it was read."""
    from bayescmp.scores.readers.files import read_noted

    table, notes = read_noted(path, lambda _: names, **args.take_options("sep", "decimal"))
    tell(notes)
    return table


def _areas_as_text(
    areas: pd.DataFrame, pairs: pd.DataFrame, items: int, args: Arguments
) -> list[str]:
    ordered = areas.sort_values("auc", ascending=False, kind="stable")
    summaries = [
        Summary(
            f"{ordered['algorithm'].iloc[0]} has the largest area under its ROC curve",
            ordered,
            notes=[
                f"{name} has no interval, as its estimated variance is 0"
                for name in areas.loc[areas["low"].isna(), "algorithm"]
            ],
            setting=f"AUC ↑, {format_count(items, 'test item')}",
            legend="low, high: 95% confidence interval",
        )
    ]
    if len(pairs):
        title = f"DeLong's test of each pair, {adjusted_by(args.adjust)}"
        summaries.append(Summary(title, pairs, PAIR))
    return [as_text(summary, whole=args.full) for summary in summaries]


def _dataset(predictions: Predictions, given: str | None) -> str:
    if given is None and len(predictions.datasets) > 1:
        raise InputError(f"--dataset is missing: the table has {len(predictions.datasets)}")
    return predictions.datasets[0] if given is None else given


def _area(predictions: Predictions, dataset: str, name: str) -> TestResult:
    """Estimate one algorithm's area on the items that it was tested on."""
    from bayescmp.frequentist import delong

    x = predictions.pair(name, name, dataset)
    return delong(x.truth, x.first, items=x.items)


def _pairs(
    predictions: Predictions, dataset: str, names: list[str], adjust_by: str
) -> pd.DataFrame:
    """Run DeLong's test on each pair of algorithms."""
    import pandas as pd

    from bayescmp.frequentist.areas import delong_of_pair
    from bayescmp.frequentist.multiplicity import adjust

    pairs = {
        pair: delong_of_pair(predictions.pair(*pair, dataset)) for pair in combinations(names, 2)
    }
    frame = pd.DataFrame(
        {
            "first": first,
            "second": second,
            "difference": result.estimate,
            **_interval(result),
            "z": result.statistic,
            "pvalue": result.pvalue,
        }
        for (first, second), result in pairs.items()
    )
    if frame.empty:
        return frame
    p = frame["pvalue"]
    adjusted = pd.Series(adjust(p.fillna(1.0), adjust_by, n_algorithms=len(names)))
    return frame.assign(adjusted=adjusted.where(p.notna()))


def _interval(result: TestResult) -> dict[str, float]:
    """Return the 95% interval; NaN where there is none."""
    low, high = result.confidence_interval() if result.interval else (float("nan"),) * 2
    return {"low": low, "high": high}


# `bayescmp metric`: two models on the same test items, by a metric that is no mean of theirs.


@command(
    "metric",
    "predictions --sep --decimal --truth --positive --dataset --metric! --first --second --rope! "
    "--threshold --draws=4000 --seed --plot --save --full --json",
    {
        "--metric": "{metrics_by_weights}",
        "--dataset": "which data set, where the table has several",
        "--first": "the first model (left)",
        "--second": "the second model (right)",
        "--draws": "weights drawn (default 4000)",
    },
)
def compare_by_metric(args: Arguments) -> None:
    """Compare two models on the same test items by F1, log loss or another metric of the whole.

    The difference of two models in a metric of a test set of two classes, under random weights of
    its items, the same for both. The answer holds for new items, not for new training sets.
    """
    from bayescmp.bayesian import metric_by_weights

    predictions = _read_predictions(args)
    x = predictions.pair(*args.pair_of(predictions), _dataset(predictions, args.dataset))
    truth, first, second = (np.concatenate(part) for part in (x.truth, x.first, x.second))
    posterior = metric_by_weights(
        truth,
        (first, second),
        args.metric,
        rope=args.read_rope(),
        names=x.names,
        **args.take_options("draws", "seed"),
    )
    args.draw("plot", posterior.figure_size, posterior.plot)
    show_pair(posterior, args)


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


@command(
    "permute",
    "data --sep --decimal --target! --estimator! --test=both --n --cv --repeats --scoring --alpha "
    "--stop --drop --nominal --seed --jobs=1 --progress --plot --full --json",
    {
        "--estimator": ", ".join(ESTIMATORS),
        "--test": ", ".join(TESTS) + " (default both)",
        "--alpha": "level of the decision (default 0.05)",
        "--seed": "seed (default 1)",
        "--jobs": "processes (default 1)",
        "--plot": "write the null distributions' histogram",
    },
)
def permute_data(args: Arguments) -> int:
    """Run permutation tests of one classifier on a data set.

    Test 1 permutes the labels: has the classifier learned anything? Test 2 permutes each column
    within each class: does it use the dependence between features? Within each fold, columns of
    text are one-hot coded, and missing numbers are set to the median.
    """
    from bayescmp.plots import plot_null_distribution

    test = str(args.test)
    check_choice("test", test, TESTS)
    if args.plot:
        _check_picture(args.plot)
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


def _check_picture(path: str) -> None:
    """Refuse an unknown format before the work is done, which may take an hour."""
    from matplotlib.backend_bases import FigureCanvasBase

    known = FigureCanvasBase.get_supported_filetypes()
    if Path(path).suffix.lower().lstrip(".") not in known:
        raise InputError(
            f"--plot must be a figure that ends in {', '.join(sorted(known))} (got {path!r})."
        )


def _test(
    estimator: SupportsFit,
    features: pd.DataFrame,
    labels: pd.Series,
    test: str,
    args: Arguments,
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
    """Read features and classes from the table."""
    table = _read_file(args, args.data, args.nominal)
    for column in (args.target, *args.drop, *args.nominal):
        check_choice("column", column, table.columns)
    features = table.drop(columns=[args.target, *args.drop])
    if features.shape[1] == 0:
        raise InputError(f"{args.data!r} has no column but the target: there are no features")
    for column in args.nominal:
        known = features[column].notna()
        features[column] = features[column].astype(str).where(known)
    labels = table[args.target]
    if labels.nunique() > max(20, len(labels) // 3) and labels.dtype.kind == "f":
        raise InputError(
            f"--target must hold classes (got {labels.nunique()} different numbers in "
            f"{args.target!r})."
        )
    return features, labels.to_numpy()


def make_estimator(name: str, features: pd.DataFrame) -> SupportsFit:
    """Make a pipeline of what the columns need and the named classifier."""
    import importlib.util

    check_choice("estimator", name, ESTIMATORS)
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
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    scaler = make_pipeline(*numbers) if numbers else "passthrough"
    used = [s for s in (("numbers", scaler, numeric), ("names", encoder, nominal)) if s[2]]
    if len(used) == 1 and used[0][1] == "passthrough":
        return model
    return make_pipeline(ColumnTransformer(used), model)


# `bayescmp experiment`: cross-validate what a TOML file names, and go on where it was stopped.


@command(
    "experiment",
    "config --checkpoint --out --jobs --seed --allow --retry-failed",
    {
        "--out": "write the scores as CSV or .parquet",
        "--jobs": "processes, -1 for one per core",
        "--seed": {"default": None, "help": "seed of splits and estimators"},
    },
)
def run_estimators(args: Arguments) -> int:
    """Cross-validate scikit-learn estimators into a table of scores.

    Runs the estimators of a TOML file on its data sets, on the same folds. A fold that fails is
    recorded, and the others go on. The file may name estimators, transformers and splitters of
    scikit-learn with numbers, text and lists as parameters, scikit-learn's own data sets, and
    tables beside it: nothing that could run code. Caches (memory = ...) and pickles are refused;
    --allow only packages that you trust.
    """
    from bayescmp.experiment import run_experiment
    from bayescmp.experiment.config import ALLOWED, files_of, read_config

    args.check_files(files_of(args.config))
    if args.out:
        _writer(args.out)
    given = read_config(args.config, allowed=(*ALLOWED, *args.allow))
    given |= {k: v for k, v in args.take_options("n_jobs", "seed").items() if v is not None}
    estimators, datasets = given.pop("estimators"), given.pop("datasets")
    scores = run_experiment(
        estimators, datasets, **args.take_options("checkpoint", "retry_failed"), **given
    )
    print(scores)
    print(f"  seed: {scores.seed}")
    if args.out:
        with replace_when_whole(args.out) as part:
            getattr(scores.frame, f"to_{_writer(args.out)}")(part, index=False)
    for path in filter(None, (args.checkpoint, args.out)):
        print(f"written      {path}")
    return INTERRUPTED if scores.interrupted else 0


def _writer(path: str) -> str:
    """Choose how the file is written; without pyarrow, refuse Parquet before the work is done."""
    if Path(path).suffix not in (".parquet", ".pq"):
        return "csv"
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise InputError(
            f"--out {path!r}: writing Parquet needs pyarrow: pip install pyarrow"
        ) from error
    return "parquet"
