"""Tables as people have them, each with its right answer, worked out in `tests.hostile`."""

import gzip
import inspect
import sqlite3
from contextlib import closing
from decimal import Decimal
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn import model_selection as ms

import bayescmp as bc
import bayescmp.bayesian as b
import bayescmp.frequentist as f
from bayescmp.bayesian.hierarchical_multivariate.fit import read_rows
from tests.hostile import (
    KEYS,
    NAMES,
    Case,
    emptied,
    expected,
    runs,
    table,
    through_csv,
    verdict,
    wide,
    without,
)
from tests.rows import each_row


def _renamed(part, name):
    return Case(lambda t: t.rename(columns={part: name}))


def _cells(column, how):
    return Case(lambda t: t.assign(**{column: how(t[column])}))


LABELS = {
    f"{part} as {name!r}": _renamed(part, name)
    for part, names in {
        "dataset": "Dataset data_set dataset_name DATA problem task Benchmark task-id db",
        "algorithm": "Algorithm algo classifier clf learner Model method estimator regressor",
        "fold": "Fold fold_id cv_fold split CV-Fold",
    }.items()
    for name in names.split()
}
LABELS |= {
    "blanks": Case(lambda t: t.rename(columns="  {} ".format)),
    "capitals": Case(lambda t: t.rename(columns=str.upper)),
    "columns=": Case(
        lambda t: t.rename(columns={"dataset": "where", "algorithm": "who"}),
        {"columns": {"dataset": "where", "algorithm": "who"}},
    ),
    "columns= beside another of that name": Case(
        lambda t: t.assign(model="x", who=t["algorithm"]).drop(columns="algorithm"),
        {"columns": {"algorithm": "who"}},
    ),
    "names of text": Case(lambda t: t.set_axis(pd.Index(t.columns, dtype="string"), axis=1)),
}

DTYPES = {
    "float32": _cells("accuracy", lambda s: s.astype("float32")),
    "longdouble": _cells("accuracy", lambda s: s.astype(np.longdouble)),
    "Float64": _cells("accuracy", lambda s: s.astype("Float64")),
    "Float32": _cells("accuracy", lambda s: s.astype("Float32")),
    "pyarrow": Case(lambda t: t.convert_dtypes(dtype_backend="pyarrow")),
    "objects": _cells("accuracy", lambda s: s.astype(object)),
    "decimals": _cells("accuracy", lambda s: [Decimal(x) for x in s]),
    "fractions": _cells("accuracy", lambda s: [Fraction(x) for x in s]),
    "numpy scalars": _cells("accuracy", lambda s: pd.Series([*s.to_numpy()], dtype=object)),
    "counts": Case(
        lambda t: t.assign(accuracy=(1024 * t["accuracy"]).astype(int)).rename(
            columns={"accuracy": "number_correct"}
        ),
        change=lambda a, b: 1024 * (b - a),
        rope=20,
    ),
    "right or wrong": Case(
        lambda t: t.assign(accuracy=t["accuracy"] > 0.7),
        change=lambda a, b: (b > 0.7) * 1.0 - (a > 0.7),
    ),
    "categories": Case(lambda t: t.astype(dict.fromkeys(KEYS, "category"))),
    "categories that do not occur": _cells(
        "dataset", lambda s: pd.Categorical(s, categories=["none", *NAMES["dataset"]])
    ),
    "strings": Case(lambda t: t.astype({"dataset": "string", "algorithm": "string"})),
    "arrow strings": Case(lambda t: t.astype({"dataset": "string[pyarrow]"})),
    "folds as Int64": _cells("fold", lambda s: s.astype("Int64")),
    "folds as text": _cells("fold", lambda s: "Fold" + s.astype(str)),
    "folds as floats": _cells("fold", lambda s: s.astype(float)),
    "folds as dates": _cells("fold", lambda s: pd.Timestamp("2020") + pd.to_timedelta(s, "D")),
    "folds from 1": _cells("fold", lambda s: s + 1),
    "numbered data sets": Case(
        lambda t: t.assign(dataset=t["dataset"].map({"iris": 3, "wine": 44, "glass": 5})),
        datasets={"iris": "3", "wine": "44", "glass": "5"},
    ),
    "numbered algorithms": Case(
        lambda t: t.assign(algorithm=t["algorithm"].map({"knn": 1, "svm": 2, "gbm": 3})),
        pair=("1", "2"),
    ),
    "algorithms of other tongues": Case(
        lambda t: t.replace({"knn": "k nächste", "svm": "サポート"}),
        pair=("k nächste", "サポート"),
    ),
    "names with commas and quotes": Case(
        lambda t: t.replace({"knn": 'k,"nn"', "svm": "svm (C=1, γ='auto')"}),
        pair=('k,"nn"', "svm (C=1, γ='auto')"),
    ),
}

LAYOUTS = {
    f"{' and '.join(levels)} in the index": Case(lambda t, levels=levels: t.set_index([*levels]))
    for n in (1, 2, 3)
    for levels in combinations(KEYS, n)
}
NAMED = {"metric": "accuracy"}
LAYOUTS |= {
    "shuffled": Case(lambda t: t.sample(frac=1, random_state=3)),
    "backwards": Case(lambda t: t[::-1]),
    "one number in the index": Case(lambda t: t.set_axis([7] * len(t))),
    "labels behind": Case(lambda t: t[["accuracy", "fold", "algorithm", "dataset"]]),
    "algorithms in columns": Case(wide, NAMED),
    "algorithms in columns, labels too": Case(lambda t: wide(t).reset_index(), NAMED),
    "algorithms in columns without their name": Case(
        lambda t: wide(t).reset_index().rename_axis(columns=None), NAMED
    ),
    "folds in columns": Case(lambda t: wide(t, "fold"), NAMED),
    "folds in columns fold_0, ...": Case(
        lambda t: wide(t, "fold").rename_axis(columns=None).add_prefix("fold_"), NAMED
    ),
    "folds in columns Fold 0, ...": Case(
        lambda t: wide(t, "fold").rename_axis(columns=None).add_prefix("Fold "), NAMED
    ),
    "folds in columns, labels too": Case(
        lambda t: wide(t, "fold").rename_axis(columns=None).add_prefix("fold").reset_index(), NAMED
    ),
    "data sets in columns": Case(lambda t: wide(t, "dataset"), NAMED),
    "algorithms and folds in columns": Case(lambda t: wide(t, ["algorithm", "fold"]), NAMED),
    "folds and algorithms in columns": Case(lambda t: wide(t, ["fold", "algorithm"]), NAMED),
    "algorithms and data sets in columns": Case(
        lambda t: wide(t, ["algorithm", "dataset"]), NAMED
    ),
    "metrics above algorithms": Case(lambda t: wide(t, values=["accuracy"])),
    "metrics beneath algorithms": Case(lambda t: wide(t, values=["accuracy"]).swaplevel(axis=1)),
    "unstacked": Case(lambda t: t.set_index(KEYS)["accuracy"].unstack("algorithm"), NAMED),
    "rows of folds, declared": Case(
        lambda t: wide(t).reset_index("fold", drop=True), {**NAMED, "resampling": "5-fold"}
    ),
    "rows of folds under db": Case(
        lambda t: wide(t).reset_index("fold", drop=True).rename_axis("db").reset_index(),
        {**NAMED, "resampling": 5},
    ),
    "rows of folds, unnamed": Case(
        lambda t: wide(t).reset_index("fold", drop=True).rename_axis(index=None, columns=None),
        {**NAMED, "resampling": "random splits 0.3"},
        rho=0.3,
    ),
    "grouped": Case(lambda t: t.groupby(KEYS, sort=False)["accuracy"].mean().reset_index()),
    "grouped, in the index": Case(lambda t: t.groupby(KEYS)["accuracy"].mean().to_frame()),
    "through its own frame": Case(lambda t: bc.Scores(t).frame),
    "twice through its own frame": Case(
        lambda t: bc.Scores(bc.Scores(wide(t), **NAMED).frame).frame
    ),
}

BESIDE = {
    "row numbers of to_csv": Case(through_csv),
    "row numbers twice": Case(lambda t: through_csv(through_csv(t))),
    "index and level_0": Case(lambda t: t.reset_index().reset_index()),
    "blanks about a name": Case(lambda t: t.rename(columns={"accuracy": " accuracy "})),
    "a note": Case(lambda t: t.assign(note="fine")),
    "a note here and there": Case(lambda t: t.assign(note=[None, "slow", ""] * 15)),
    "identifiers": Case(lambda t: t.assign(run_id=[f"{i:08x}" for i in range(len(t))])),
    "dates": Case(lambda t: t.assign(started=pd.Timestamp("2024-01-01"))),
    "times": Case(lambda t: t.assign(fit_time=1.5, score_time=0.1)),
    "another metric": Case(lambda t: t.assign(rmse=2.0)),
    "a metric with gaps": Case(lambda t: t.assign(f1=[np.nan, *t["accuracy"][1:]])),
    "the test set named": Case(lambda t: t.assign(split="test")),
    "failures of nothing": Case(lambda t: t.assign(failure=None)),
}
DIRECTIONS = {
    "declared lower": Case(
        lambda t: t.rename(columns={"accuracy": "foo"}),
        {"lower_is_better": "foo"},
        change=lambda a, b: a - b,
    ),
    "declared higher": Case(
        lambda t: t.rename(columns={"accuracy": "foo"}), {"higher_is_better": ["foo"]}
    ),
    "declared against its name": Case(
        lambda t: t, {"lower_is_better": ["accuracy"]}, change=lambda a, b: a - b
    ),
    "negated by scikit-learn": Case(
        lambda t: t.assign(neg_rmse=-t["accuracy"])[[*KEYS, "neg_rmse"]], change=lambda a, b: a - b
    ),
    "percent": Case(
        lambda t: t.assign(accuracy=100 * t["accuracy"]), change=lambda a, b: 100 * (b - a), rope=2
    ),
}


def _split(rho, **columns):
    return Case(lambda t: t.assign(**columns), rho=rho)


def _declared(rho, how, make=lambda t: t):
    return Case(make, {"resampling": how}, rho=rho)


DESIGNS = {
    "sizes of folds": _split(0.2, n_train=120, n_test=30),
    "sizes of folds, not quite even": Case(
        lambda t: t.assign(n_test=30 + (t["fold"] == 4), n_train=121 - (t["fold"] == 4))
    ),
    "sizes of random splits": _split(1 / 3, n_train=100, n_test=50),
    "sizes of many random splits": _split(0.1, n_train=135, n_test=15),
    "sizes by data set": Case(
        lambda t: t.assign(
            n_train=80, n_test=t["dataset"].map({"iris": 20, "wine": 20, "glass": 80})
        ),
        rho={"iris": 0.2, "wine": 0.2, "glass": 0.5},
    ),
    "a share": _split(0.33, test_size=0.33),
    "a share that folds have": _split(0.2, test_size=0.2),
    "a share in text": _split(0.25, test_size="0.25"),
    "sizes in text": _split(0.25, n_train="75", n_test="25"),
    "sizes of one item": _split(0.0, n_train=4, n_test=1),
    "runs with sizes": Case(lambda t: runs(t).assign(n_train=80, n_test=20), rho=0.2),
    "runs with a share": Case(lambda t: runs(t).assign(test_size=0.4), rho=0.4),
    "seeds on one split": Case(
        lambda t: t.rename(columns={"fold": "seed"}).assign(split=0), rho=0.0
    ),
    "seeds, declared": Case(
        lambda t: t.rename(columns={"fold": "random_state"}), {"resampling": "seeds"}, rho=0.0
    ),
    "subjects": Case(
        lambda t: t.rename(columns={"fold": "subject"}),
        {"columns": {"fold": "subject"}, "resampling": "independent"},
        rho=0.0,
    ),
    "leave one out": _declared(0.0, "leave-one-out"),
    "random splits in percent": _declared(0.33, "random splits 33%"),
    "random splits as a fraction": _declared(1 / 3, "random splits 1/3"),
    "bootstrap with rho": _declared(0.4, "bootstrap rho 0.4"),
    "windows with rho": _declared(0.35, "windows rho 0.35"),
    "rho alone": _declared(0.15, "rho 0.15"),
    "rho as a number": _declared(0.15, 0.15),
    "one test set": _declared(0.75, "one test set 5"),
    "a number of folds": _declared(0.2, 5),
    "KFold": _declared(0.2, ms.KFold(5)),
    "GroupKFold": _declared(0.2, ms.GroupKFold(5)),
    "StratifiedShuffleSplit": _declared(0.25, ms.StratifiedShuffleSplit(5, test_size=0.25)),
    "ShuffleSplit by its training share": _declared(0.3, ms.ShuffleSplit(5, train_size=0.7)),
    "ShuffleSplit that leaves some unused": _declared(
        0.2, ms.ShuffleSplit(5, test_size=0.1, train_size=0.4)
    ),
    "LeaveOneOut": _declared(0.0, ms.LeaveOneOut()),
    "Resampling": _declared(0.2, bc.Resampling.k_fold(5)),
    "by data set": _declared(
        {"iris": 0.2, "wine": 0.4, "glass": 0.2}, {"wine": "random splits 0.4"}
    ),
    "a column of designs": _split(0.3, resampling="random splits 0.3"),
    "a column of correlations": _split(0.45, fold_correlation=0.45),
    "a declaration beside its column": Case(
        lambda t: t.assign(resampling="rho 0.1"), {"resampling": "rho 0.2"}
    ),
}


COMMON = {"missing": "common"}
MISSING = {
    "a row of a third algorithm": Case(
        lambda t: without(t, dataset="iris", algorithm="gbm", fold=2)
    ),
    "a third algorithm on one data set": Case(
        lambda t: without(t, dataset="iris", algorithm="gbm")
    ),
    "a fold of everyone": Case(
        lambda t: t[t["fold"] != 4], rho=0.25, change=lambda a, b: (b - a)[:4]
    ),
    "a row": Case(
        lambda t: without(t, algorithm="svm", fold=2),
        COMMON,
        change=lambda a, b: np.delete(b - a, 2),
    ),
    "a cell": Case(
        lambda t: emptied(t, algorithm="svm", fold=0), COMMON, change=lambda a, b: (b - a)[1:]
    ),
    "cells of both": Case(
        lambda t: emptied(emptied(t, algorithm="svm", fold=0), algorithm="knn", fold=4),
        COMMON,
        change=lambda a, b: (b - a)[1:4],
    ),
    "a fold of nobody, five declared": Case(
        lambda t: emptied(t, fold=1),
        {**COMMON, "resampling": "5-fold"},
        change=lambda a, b: np.delete(b - a, 1),
    ),
    "cells, in columns": Case(
        lambda t: wide(emptied(t, algorithm="svm", fold=3)),
        {**NAMED, **COMMON},
        change=lambda a, b: np.delete(b - a, 3),
    ),
}

RIGHT = {"labels": LABELS, "beside": BESIDE, "missing": MISSING}


def _metric(scores):
    named = [m for m in scores.metrics if m in ("accuracy", "foo")]
    return named[0] if named else scores.sole_metric


def _check(scores, case, which=""):
    """Names, differences and correlations exactly; the verdict to 1e-12."""
    differences = scores.differences(*case.pair, _metric(scores))
    by_hand = expected(case)
    assert set(differences.datasets) == set(by_hand), which
    for name, x in by_hand.items():
        row = differences.row(name)
        assert row.x[0] == pytest.approx(x, abs=1e-13), which
        rho = case.rho[name] if isinstance(case.rho, dict) else case.rho
        assert row.rho[0] == pytest.approx(rho, abs=1e-15), which
        v = bc.bayesian.correlated_t(row, rope=case.rope).verdict()
        answer = [v.p_left, v.p_rope, v.p_right]
        assert answer == pytest.approx(verdict(x, rho, case.rope), abs=1e-12), which


@each_row("group", RIGHT)
def test_the_right_answer(group):
    """And what is handed in is not changed."""
    for name, case in RIGHT[group].items():
        given = case.make(table())
        before = given.copy(deep=True)
        _check(bc.Scores(given, **case.options), case, name)
        pd.testing.assert_frame_equal(given, before)


# Files.


def _gzip(t, path):
    path.write_bytes(gzip.compress(t.to_csv(index=False).encode()))


def _sqlite(t, path):
    with closing(sqlite3.connect(path)) as database:
        t.to_sql("scores", database, index=False)


FILES = {
    "numbered.csv": lambda t, p: t.to_csv(p),
    "levels.parquet": lambda t, p: t.set_index(KEYS).to_parquet(p),
    "scores.sqlite": _sqlite,
}


@each_row("name", FILES)
def test_files(name, tmp_path):
    FILES[name](table(), tmp_path / name)
    _check(bc.Scores.read(tmp_path / name), Case(lambda t: t))


@each_row("name", ["NA", "n/a", "NULL"])
def test_names_that_look_like_nothing(name, tmp_path):
    table().replace({"knn": name, "glass": name}).to_csv(tmp_path / "scores.csv", index=False)
    case = Case(lambda t: t, pair=(name, "svm"), datasets={"glass": name})
    _check(bc.Scores.read(tmp_path / "scores.csv"), case)


# Scales, ropes, means.


def test_scales_by_hand():
    scores, rmse = bc.Scores(table()), bc.Scores(table().rename(columns={"accuracy": "rmse"}))
    for result, sign in ((scores, 1), (rmse, -1)):

        def ratio(a, b, sign=sign):
            return sign * np.log(b / a)

        def units(a, b, sign=sign):
            return sign * (b - a) / (b - a).std(ddof=1) * np.sqrt(1 - 0.2)

        for scale, change in (("log_ratio", ratio), ("standardised", units)):
            d = result.differences("knn", "svm", scale=scale)
            for name, x in expected(Case(lambda t: t, change=change)).items():
                assert d.row(name).x[0] == pytest.approx(x, rel=1e-12)


def _probabilities(scores, rope, **options):
    v = bc.compare(scores, "knn", "svm", rope=rope, dataset="iris", **options).verdict()
    return [v.p_left, v.p_rope, v.p_right]


def test_ropes_in_percent_by_hand():
    scores = bc.Scores(table())
    percent = bc.Scores(table().assign(accuracy=100 * table()["accuracy"]))
    by_hand = verdict(expected(Case(lambda t: t))["iris"], 0.2, 0.02)
    for given, rope in ((scores, 0.02), (scores, "2%"), (percent, 2), (percent, "2%")):
        assert _probabilities(given, rope) == pytest.approx(by_hand, abs=1e-12)
    logs = expected(Case(lambda t: t, change=lambda a, b: np.log(b / a)))["iris"]
    by_hand = verdict(logs, 0.2, np.log(1.02))
    actual = _probabilities(scores, "2%", scale="log_ratio")
    assert actual == pytest.approx(by_hand, abs=1e-12)


MEANS = {
    "no names of axes": lambda m: m.rename_axis(index=None, columns=None),
    "first column of any name": lambda m: m.rename_axis(columns=None).reset_index(names="which"),
    "numbers for data sets": lambda m: m.set_axis([10, 20, 30], axis=0).rename_axis("task"),
}


@each_row("name", MEANS)
def test_means_keep_every_algorithm(name):
    means = table().pivot_table(
        index="dataset", columns="algorithm", values="accuracy", sort=False
    )
    scores = bc.Scores(MEANS[name](means), metric="accuracy")
    assert set(scores.algorithms) == set(NAMES["algorithm"])
    np.testing.assert_allclose(
        scores.means()[list(means)].to_numpy(), means.to_numpy(), rtol=1e-14
    )
    difference = scores.differences("knn", "svm")
    np.testing.assert_allclose(difference.means, means["svm"] - means["knn"], rtol=1e-12)
    assert difference.rho.tolist() == [0.0] * 3


# What is given by name.

LONG = table().assign(auc=lambda t: t["accuracy"] ** 2 + t["fold"] / 256)
SCORES = bc.Scores(LONG)
PAIR = SCORES.differences("knn", "svm", "accuracy")
BLOCKS = bc.scores_blocks(SCORES, metrics=["accuracy"], dataset="iris")
BOTH = bc.scores_blocks(SCORES, metrics=["accuracy", "auc"], dataset="iris")
TWO = BOTH.pair("knn", "svm")
EACH = b.pair_blocks(SCORES, "knn", "svm", metrics=["accuracy", "auc"])
FRAME = pd.DataFrame(BLOCKS.x[..., 0].T, columns=BLOCKS.algorithms)
ANSWERS = (FRAME > 0.7).astype(int)
ITEMS = bc.Items(
    LONG.assign(
        correct=lambda t: t["accuracy"] > 0.7, item=lambda t: t["dataset"] + t["fold"].astype(str)
    )[["algorithm", "item", "correct"]].rename(columns={"algorithm": "model"})
)


def _sides(posterior):
    """What speaks for either algorithm, by name."""
    v = posterior.verdict()
    first, *_, second = v.probabilities if len(v.probabilities) == 3 else ("first", "second")
    return {v.names[0]: v.probabilities[first], v.names[1]: v.probabilities[second]}


def _centres(result):
    return dict(zip(result.names, result.centres, strict=True))


def total_wins(wins):
    return dict(zip(wins.frame.index, wins.total, strict=True))


#: Every door that takes names, on data that have names, with what its result says of each name.
COUNTS = {"knn": (14, 20), "svm": (17, 20)}


def _sides_of_estimate(result):
    return dict(zip(result.names, (-result.estimate, result.estimate), strict=True))


#: Scores of two models on forty questions, by humans or by a judge.
QUESTIONS = pd.DataFrame(np.random.default_rng(5).normal(size=(40, 2)), columns=["knn", "svm"])

TAKE_NAMES = {
    "judge_corrected": lambda n: _sides(
        b.judge_corrected(QUESTIONS, QUESTIONS + 0.1, QUESTIONS.iloc[:30], names=n)
    ),
    "correlated_t": lambda n: _sides(b.correlated_t(PAIR.row("iris"), rope=0.02, names=n)),
    "hierarchical_t": lambda n: _sides(
        b.hierarchical_t(PAIR, rope=0.02, engine="quadrature", names=n, seed=1)
    ),
    "robust_t": lambda n: (lambda p: dict(zip(p.names, [-p.x.mean(), p.x.mean()], strict=True)))(
        b.robust_t(PAIR.row("iris"), rope=0.02, engine="fake", names=n)
    ),
    "sign": lambda n: _sides(b.sign(PAIR, rope=0.02, names=n, prior=0, seed=1)),
    "signed_rank": lambda n: _sides(b.signed_rank(PAIR, rope=0.02, prior=0, names=n, seed=1)),
    "multivariate_t": lambda n: _sides(b.multivariate_t(TWO, rope=0.02, names=n, seed=1)),
    "hierarchical_multivariate_t": lambda n: (
        lambda p: dict(zip(p.names, [-p.means.sum(), p.means.sum()], strict=True))
    )(b.hierarchical_multivariate_t(EACH, rope=0.02, engine="fake", draws=250, names=n)),
    "cluster_bootstrap": lambda n: _sides(
        b.cluster_bootstrap(ITEMS.pair("knn", "svm"), rope=0.02, names=n)
    ),
    "paired_proportions": lambda n: _sides(
        b.paired_proportions(ITEMS.pair("knn", "svm"), rope=0.02, names=n)
    ),
    "proportions": lambda n: _sides(b.proportions(COUNTS, rope=0.02, names=n, seed=1)),
    **{
        g.__name__: lambda n, g=g: _sides_of_estimate(g(COUNTS, names=n))
        for g in (f.barnard, f.boschloo, f.fisher, f.newcombe)
    },
    "hotelling_paired": lambda n: (
        lambda r: dict(zip(r.names, [-r.mean.sum(), r.mean.sum()], strict=True))
    )(f.hotelling_paired(TWO, names=n)),
    "hotelling_two_sample": lambda n: (
        lambda r: dict(zip(r.names, [-r.mean.sum(), r.mean.sum()], strict=True))
    )(f.hotelling_two_sample(TWO, names=n)),
    **{g.__name__: lambda n, g=g: _centres(g(FRAME, names=n)) for g in (f.tukey, f.pairwise_t)},
    "dunnett": lambda n: _centres(f.dunnett(FRAME, control="knn", names=n)),
    "anova": lambda n: {"p": f.anova(FRAME, names=n).pvalue},
    "partial_eta_squared": lambda n: {"eta": f.partial_eta_squared(FRAME, names=n).estimate},
    "mauchly": lambda n: {"p": f.mauchly(FRAME, names=n).pvalue},
    "cochran_q": lambda n: {
        name: float(share)
        for name, share in (
            part.split() for part in f.cochran_q(ANSWERS, names=n).notes[0][15:].split(", ")
        )
    },
    "wins_table": lambda n: total_wins(f.wins_table([FRAME], names=n)),
    "manova": lambda n: {"p": f.manova(BOTH, names=n).pvalue},
    "pairwise_hotelling": lambda n: {
        frozenset(p): v
        for p, v in (lambda r: zip(np.array(r.names)[r.pairs].tolist(), r.statistic, strict=True))(
            f.pairwise_hotelling(BOTH, names=n)
        )
    },
    "learned_measures": lambda n: (
        lambda r: dict(zip(r.names, np.mean(r.project(), axis=(1, 2)), strict=True))
    )(f.learned_measures(BOTH, names=n)),
}
#: Those that take plain arrays alone, or refuse names beside others.
OF_NUMBERS = {
    "area_tests",
    "delong",
    "diebold_mariano",
    "kruskal_wallis",
    "confusion",
    "two_sample_t",
    "groups",
} | {"question_bootstrap", "metric_by_weights"}


def test_every_door_that_takes_names_is_tried():
    doors = {
        name
        for module in (b, f)
        for name in module.__all__
        if not inspect.isclass(getattr(module, name))
        and "names" in inspect.signature(getattr(module, name)).parameters
    }
    assert doors == {*TAKE_NAMES, *OF_NUMBERS}


@each_row("door", TAKE_NAMES)
@pytest.mark.usefixtures("fake")
@pytest.mark.filterwarnings("ignore::bayescmp.errors.DiagnosticWarning")
def test_numbers_follow_the_names(door):
    """Names in another order say the same of each algorithm; those of others are refused."""
    call = TAKE_NAMES[door]
    own = call(None)
    names = ("knn", "svm") if len(own) == 2 and "gbm" not in own else NAMES["algorithm"]
    for given in (names, names[::-1]):
        turned = call(given)
        assert turned.keys() == own.keys()
        for name, value in own.items():
            assert turned[name] == pytest.approx(value, rel=1e-6, abs=2e-3)
    with pytest.raises(bc.InputError, match=r"'mlp'.*known|must be .*'mlp'"):
        call((*names[:-1], "mlp"))


PLACES = {"datasets": NAMES["dataset"]}


def _labelled(v):
    """A rope for each metric, where an array would be two ends of one."""
    plain = not isinstance(v, pd.Series) or ("auc" not in v and 0 in v)
    return dict(zip(("accuracy", "auc"), v, strict=True)) if plain else v


#: Doors that take a number for each data set or metric, and the names that these have.
BY_NAME = {
    "rho of hierarchical_t": (
        "dataset",
        lambda v: b.hierarchical_t(PAIR, rho=v, rope=0.02, engine="quadrature", seed=1).summary(),
    ),
    "rho of Scores": (
        "dataset",
        lambda v: SCORES.differences("knn", "svm", "accuracy", rho=v).rho,
    ),
    "rho of compare": (
        "dataset",
        lambda v: bc.compare(PAIR, rho=v, rope=0.02, engine="quadrature", seed=1).summary(),
    ),
    "rho of bootstrap": (
        "dataset",
        lambda v: b.bootstrap(SCORES, metric="auc", rho=v, rope=0.02, seed=1).rho,
    ),
    "rho of hierarchical_multivariate_t": (
        "dataset",
        lambda v: read_rows(EACH, v, None, None, None, None).rho,
    ),
    "rho from sizes": (
        "dataset",
        lambda v: bc.Differences(PAIR.x, rho=bc.rho_from_sizes(1 - v, v), **PLACES).rho,
    ),
    "rope of multivariate_t": (
        "metric",
        lambda v: b.multivariate_t(TWO, rope=v, seed=1).rope.high,
    ),
    "rope of groups": ("metric", lambda v: b.groups(BOTH, rope=v, seed=1).rope.high),
    "rope of crosscheck": (
        "metric",
        lambda v: [
            r.high
            for r in bc.crosscheck(
                SCORES,
                ["accuracy", "auc"],
                _labelled(v),
                datasets=["iris"],
                seed=1,
                progress=False,
            ).ropes.values()
        ],
    ),
    "resolution of multivariate_t": (
        "metric",
        lambda v: (
            b.multivariate_t(
                TWO.differences(),
                rho=0.2,
                rope=0.02,
                resolution=v,
                metrics=TWO.metrics,
                engine="fake",
            ).fit.resolution
        ),
    ),
    "directions of Blocks": (
        "metric",
        lambda v: bc.Blocks(TWO.x, metrics=TWO.metrics, lower_is_better=v > 0.1).lower_is_better,
    ),
}


@each_row("door", BY_NAME)
@pytest.mark.usefixtures("fake")
@pytest.mark.filterwarnings("ignore::bayescmp.errors.DiagnosticWarning")
def test_a_series_is_taken_by_name(door):
    axis, call = BY_NAME[door]
    names = {**NAMES, "metric": ("accuracy", "auc")}[axis]
    values = np.array([0.05, 0.125, 0.25])[: len(names)]
    by_name = pd.Series(values, names)
    expected = call(values) if door != "rho from sizes" else values
    np.testing.assert_array_equal(call(by_name), expected)
    np.testing.assert_array_equal(call(by_name[::-1]), expected)
    np.testing.assert_array_equal(call(by_name.reset_index(drop=True)), expected)
    with pytest.raises(bc.InputError, match="'other'"):
        call(by_name.rename({names[0]: "other"}))


def test_the_rows_of_a_table_are_data_sets_by_their_names():
    tables = [
        LONG[LONG["algorithm"] == a].pivot(index="dataset", columns="fold", values="accuracy")
        for a in ("knn", "svm")
    ]
    x = bc.Differences.from_arrays(*tables, rho=0.2)
    assert x.datasets == tuple(sorted(NAMES["dataset"]))
    assert dict(zip(x.datasets, x.means, strict=True)) == pytest.approx(
        dict(zip(PAIR.datasets, PAIR.means, strict=True))
    )
    assert bc.Differences(tables[1] - tables[0], rho=0.2).datasets == x.datasets
    means = pd.Series(x.means, x.datasets)
    assert b.sign(means, rope=0.01, seed=1).datasets == x.datasets
    with pytest.raises(bc.InputError, match=r"datasets must be those of the data"):
        bc.Differences(tables[0], rho=0.2, datasets=NAMES["dataset"])


def test_the_columns_of_a_table_are_algorithms_by_their_names():
    assert bc.Blocks(FRAME).algorithms == f.tukey(FRAME).names == NAMES["algorithm"]
    with pytest.raises(bc.InputError, match=r"algorithms must be those of the data"):
        bc.Blocks(FRAME, algorithms=NAMES["algorithm"][::-1])
