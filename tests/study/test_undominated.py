"""Which algorithms are worth their price: closed forms, brute force, and who pays attention."""

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.commands.cli import main
from tests.rows import each_row

ROPE = {"accuracy": 0.01, "latency": 0.2}


def table(q=6, folds=10, seed=1, names=("small", "large", "slow")):
    rng = np.random.default_rng(seed)
    skill, cost = (
        {"small": 0.80, "large": 0.83, "slow": 0.80},
        {"small": 1.0, "large": 3.0, "slow": 3.0},
    )
    rows = []
    for i, name, j in product(range(q), names, range(folds)):
        accuracy = skill[name] + 0.01 * rng.normal()
        rows.append((f"d{i}", name, j + 1, accuracy, cost[name] * np.exp(0.1 * rng.normal())))
    return pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "accuracy", "latency"])


def scores(**options):
    return bc.Scores(table(**options), resampling="10-fold")


@pytest.fixture(scope="module")
def result():
    return bc.undominated(scores(), ["accuracy", "latency"], ROPE, seed=1, draws=800)


def dominates(other, own, ropes):
    """As it is defined, of two lists with higher the better."""
    better = any(b - a > rope for a, b, rope in zip(own, other, ropes, strict=True))
    worse = any(a - b > rope for a, b, rope in zip(own, other, ropes, strict=True))
    return better and not worse


def test_draws_are_counted_as_a_loop_counts_them(result):
    utilities = result.draws * [1, -1]
    p, by = np.zeros(3), np.zeros((3, 3))
    for u in utilities:
        wins = [[dominates(u[j], u[i], (0.01, 0.2)) for j in range(3)] for i in range(3)]
        p += ~np.any(wins, axis=1)
        by += wins
    frame = result.frame.loc[list(result.algorithms)]
    np.testing.assert_allclose(frame["p_average"], p / len(utilities))
    np.testing.assert_allclose(result.dominators(), by / len(utilities))
    assert set(frame.index[frame["p_dominated_by"] > 0.5]) == {"slow"}


def test_means_are_those_of_the_scores_and_the_method_is_that_of_so_many(result):
    """Draws of a mean over 6 data sets of 10 folds lie around it, a fiftieth of their sd off."""
    means = scores().frame.groupby("algorithm")[["accuracy", "latency"]].mean()
    shown = result.means.xs("mean", axis="columns", level=1).loc[means.index]
    np.testing.assert_allclose(shown, means, atol=0.002, rtol=0.002)
    assert "Bayesian bootstrap over data sets, Rubin 1981; 3 algorithms on 6 data" in result.method
    one = bc.undominated(scores(q=1), ["accuracy", "latency"], ROPE, seed=1, draws=800)
    assert one.method.startswith("correlated t posterior; 3 algorithms on 10 folds by 2 metrics")
    assert "with probability 0.95 or more each: small and large." in result.explain()


def test_of_means_the_next_data_set_is_a_weighted_one():
    """Without folds each data set is certain: its share is E w = 1/q; averages are w's."""
    x = np.array([[[0.8, 1], [0.7, 2]], [[0.6, 1], [0.9, 2]], [[0.8, 3], [0.8, 1]]])
    rows = [(i, a, *x[i, a]) for i in range(3) for a in range(2)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "accuracy", "latency"])
    result = bc.undominated(bc.Scores(frame), ["accuracy", "latency"], 0, seed=1, draws=20_000)
    # 0 dominates on the first, 1 on the third, neither on the second
    p = result.frame["p_next"]
    assert p.to_dict() == pytest.approx({"0": 2 / 3, "1": 2 / 3}, abs=0.01)
    w = np.random.default_rng(7).dirichlet(np.ones(3), 200_000)
    means = np.einsum("dq,qlm->dlm", w, x) * [1, -1]
    lead = means[:, 1] - means[:, 0]
    expected = 1 - ((lead >= 0).all(axis=1) & (lead > 0).any(axis=1)).mean()
    assert result.frame.loc["0", "p_average"] == pytest.approx(expected, abs=0.01)


@each_row(("sign", "expected"), [(1, 0.5), (-1, 1.0)])
def test_the_correlation_of_metrics_is_kept(sign, expected):
    """With differences that agree in both metrics one of two is dominated, else neither is."""
    d = np.random.default_rng(2).normal(size=20)
    d -= d.mean()
    one = np.column_stack([d, sign * d])
    blocks = bc.Blocks(np.stack([0 * one, one]), rho=0.1, metrics=["f1", "recall"])
    p = bc.undominated(blocks, rope=0, seed=1).frame["p_average"]
    assert p.tolist() == pytest.approx([expected, expected], abs=0.03)


def test_at_a_fixed_price_it_is_the_correlated_t_test():
    """Who is dearer is undominated if, and only if, it is practically better."""
    rng = np.random.default_rng(3)
    accuracy = rng.normal([[0.80], [0.815]], 0.02, (2, 10))
    price = np.broadcast_to([[1.0], [2.0]], (2, 10))
    blocks = bc.Blocks(np.stack([accuracy, price], axis=-1), rho=0.1, metrics=["accuracy", "cost"])
    p = bc.undominated(blocks, rope=[0.01, 0.5], seed=1, draws=20_000).frame["p_average"]
    again = bc.undominated(blocks, rope=[(-0.01, np.inf), 0.5], seed=1, draws=20_000).frame
    assert again["p_average"].to_dict() == pytest.approx(p.to_dict(), abs=1e-12)  # a margin
    test = bc.bayesian.correlated_t(accuracy[1] - accuracy[0], rho=0.1, rope=0.01).verdict()
    assert p["A1"] == 1
    assert p["A2"] == pytest.approx(test.p_right, abs=0.01)
    assert 0.2 < test.p_right < 0.9


def test_on_one_data_set_it_agrees_with_the_groups():
    """`groups` has a covariance for all algorithms, whose folds are independent here."""
    rng = np.random.default_rng(4)
    centre = np.array([[0.80, 1.0], [0.805, 1.1], [0.81, 1.2], [0.79, 1.05]])
    noise = rng.normal(size=(4, 400, 2)) @ np.linalg.cholesky([[4e-3, 2e-3], [2e-3, 0.5]]).T
    x = centre[:, None] + noise
    blocks = bc.Blocks(x, rho=0.0, metrics=["accuracy", "latency"], algorithms=list("abcd"))
    rope = {"accuracy": 0.003, "latency": 0.05}
    groups = bc.bayesian.groups(blocks, rope=rope, seed=1).ranking()["p_undominated"]
    ours = bc.undominated(blocks, rope=rope, seed=1).frame["p_average"]
    assert ours.loc[list("abcd")].to_numpy() == pytest.approx(
        groups.loc[list("abcd")].to_numpy(), abs=0.04
    )
    assert groups.min() < 0.7


def test_units_and_offsets_are_nothing():
    factor = 1e-12
    x = np.random.default_rng(9).normal([[[0.0, 0.0]], [[0.5, 0]], [[1, -0.5]]], 1, (3, 12, 2))
    own = bc.undominated(bc.Blocks(x, rho=0.1), rope=0.2, seed=1)
    units = bc.undominated(bc.Blocks((x + 3) * factor, rho=0.1), rope=0.2 * factor, seed=1)
    columns = ["p_average", "dominated_by", "p_dominated_by"]
    pd.testing.assert_frame_equal(units.frame[columns], own.frame[columns])


def test_the_order_of_algorithms_is_nothing():
    blocks = bc.Blocks(np.random.default_rng(9).normal(size=(3, 30, 2)), rho=0.1)
    p = bc.undominated(blocks, rope=0.1, seed=1).frame["p_average"]
    turned = blocks.select(algorithms=["A3", "A1", "A2"])
    again = bc.undominated(turned, rope=0.1, seed=1).frame["p_average"]
    assert again.to_dict() == pytest.approx(p.to_dict(), abs=0.03)


# Items.


def items(metric, benchmarks=1, n=300):
    rng = np.random.default_rng(5)
    parts = []
    for model, p, tokens in (("small", 0.6, 100), ("large", 0.7, 400), ("verbose", 0.7, 900)):
        for b in range(benchmarks):
            parts.append(
                pd.DataFrame(
                    {
                        "model": model,
                        "benchmark": f"b{b}",
                        "item": range(n),
                        "accuracy": (rng.random(n) < p).astype(float),
                        "tokens": tokens * np.exp(0.5 * rng.normal(size=n)),
                    }
                )
            )
    frame = pd.concat(parts)
    lower = [metric] if metric == "tokens" else []
    return bc.Items(frame.drop(columns={"accuracy", "tokens"} - {metric}), lower_is_better=lower)


def test_items_are_as_weights_of_the_questions_have_them():
    """The same Dirichlet weights of the questions for all models and metrics, in a loop."""
    tables = [items("accuracy"), items("tokens")]
    result = bc.undominated(tables, rope=[0.05, 50], seed=1)
    x = np.concatenate([t.blocks().oriented for t in tables], axis=-1)
    w = np.random.default_rng(8).dirichlet(np.ones(x.shape[1]), 3000)
    p = np.zeros(3)
    for u in np.einsum("dn,lnp->dlp", w, x):
        p += [not any(dominates(u[j], u[i], (0.05, 50)) for j in range(3)) for i in range(3)]
    ours = result.frame.loc[["small", "large", "verbose"], "p_average"]
    assert ours.tolist() == pytest.approx((p / 3000).tolist(), abs=0.03)
    assert result.metrics == ("accuracy", "tokens")
    assert "on 300 questions" in result.method


def test_of_several_benchmarks_one_more_may_come():
    result = bc.undominated([items("accuracy", 3), items("tokens", 3)], rope=[0.05, 50], seed=1)
    assert result.datasets == 3
    assert "on a new benchmark" in str(result)
    assert {"p_next", "p_average"} < set(result.frame)


def test_items_of_several_metrics_are_the_same_items():
    with pytest.raises(bc.InputError, match="must have the same models and items"):
        bc.undominated([items("accuracy"), items("tokens", n=200)], rope=0)
    with pytest.raises(bc.InputError, match="scores must be Items, one for each metric"):
        bc.undominated([items("accuracy"), "tokens"], rope=0)
    with pytest.raises(bc.InputError, match=r"must be at least two, .*got only 'accuracy'"):
        bc.undominated(items("accuracy"), rope=0)


# What is asked, and what is told.


BAD = {
    "one rope of two": (
        {"rope": {"accuracy": 0.01}},
        "one region per metric .got none for 'latency'",
    ),
    "an uneven rope": ({"rope": {"accuracy": (-0.01, 0.02), "latency": 1}}, "must be symmetric"),
    "one metric": (
        {"metrics": ["accuracy"], "rope": 0},
        "must be at least two, .*got only 'accuracy'",
    ),
    "one algorithm": (
        {"algorithms": ["small"]},
        "algorithms must be .*got only 'small'",
    ),
    "few draws": ({"draws": 1}, "draws"),
}


@each_row("case", BAD)
def test_what_cannot_be_asked_is_refused(case):
    options, message = BAD[case]
    asked = {"metrics": ["accuracy", "latency"], "rope": ROPE, **options}
    with pytest.raises(bc.InputError, match=message) as error:
        bc.undominated(scores(), **asked)
    assert "\n" not in str(error.value)


def test_what_is_no_table_is_refused():
    pair = scores().differences("small", "large", "accuracy")
    with pytest.raises(bc.InputError, match="Differences are of one pair"):
        bc.undominated(pair, rope=ROPE)
    with pytest.raises(bc.InputError, match="scores must be Scores"):
        bc.undominated([0.1], rope=ROPE)
    with pytest.raises(bc.InputError, match="rho must be left out, since Blocks and Items"):
        bc.undominated(bc.Blocks(np.zeros((2, 3, 2)), rho=0.1), rope=0, rho=0.2)
    with pytest.raises(bc.InputError, match="one score of each algorithm on a single data set"):
        bc.undominated(bc.Blocks(np.zeros((2, 1, 2)), rho=0.1), rope=0)
    gap = table().query("not (dataset == 'd1' and algorithm == 'slow')")
    with pytest.raises(bc.InputError, match="slow"):
        bc.undominated(bc.Scores(gap, resampling="10-fold"), rope=ROPE)


def test_what_is_told(result):
    assert repr(result) == "<Undominated: small and large are undominated, slow not>"
    text = str(result)
    assert "slow is dominated, most probably by " in text
    assert "accuracy ↑ ±0.01, latency ↓ ±0.2" in text
    assert (
        result.explain()
        == bc.undominated(scores(), ["accuracy", "latency"], ROPE, seed=1, draws=800).explain()
    )
    plain = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert plain["algorithms"][0]["p_average"] == result.frame["p_average"].iloc[0]
    assert "<table" in result._repr_html_()
    assert "undominated" in result.to_latex()
    close = bc.undominated(scores(names=("small", "slow")), rope={"accuracy": 0, "latency": 9})
    assert repr(close) == "<Undominated: No algorithm is decided to be undominated>"
    assert "On average over 6 data sets, no algorithm is undominated with" in close.explain()
    assert "Undecided (probability of being undominated): " in close.explain()


def test_a_picture_of_the_front(result):
    ax = result.plot()
    assert (ax.get_xlabel(), ax.get_ylabel()) == (
        "latency (lower is better)",
        "accuracy (higher is better)",
    )
    assert [t.get_text() for t in ax.get_legend().get_texts()][2].startswith("slow <0.0")
    turned = bc.plots.plot_front(result, metrics=["accuracy", "latency"])
    assert turned.get_xlabel() == "accuracy (higher is better)"
    with pytest.raises(bc.InputError, match="two of accuracy, latency"):
        bc.plots.plot_front(result, metrics=["accuracy", "accuracy"])
    with pytest.raises(bc.InputError, match=r"a result of bc\.undominated"):
        bc.plots.plot_front(scores())


def test_the_front_is_a_staircase():
    from bayescmp.plots.metrics import outline_front
    from bayescmp.scores.metrics import direction

    points = np.array([[1.0, 0.7], [2.0, 0.8], [3.0, 0.75], [2.0, 0.6]])
    steps = outline_front(points, [direction("cost"), direction("accuracy")])
    assert steps.T.tolist() == [[1, 0.7], [2, 0.7], [2, 0.8]]


def test_on_the_command_line_it_says_the_same(tmp_path, capsys):
    frame, (csv, front, out) = table(), (tmp_path / n for n in ("t.csv", "front.svg", "p.csv"))
    frame.to_csv(csv, index=False)
    words = "--metric accuracy --metric latency --rope accuracy=0.01 --rope latency=0.2 --seed 1"
    where = ["--resampling", "10-fold", "--plot", str(front), "--out", str(out)]
    assert main(["undominated", str(csv), *words.split(), *where]) == 0
    assert capsys.readouterr().out.startswith("small and large are undominated, slow not")
    result = bc.undominated(scores(), ["accuracy", "latency"], ROPE, seed=1)
    printed = pd.read_csv(out, index_col="algorithm", keep_default_na=False)
    pd.testing.assert_frame_equal(printed[[*result.frame]], result.frame, check_dtype=False)
    for metric, end in result.means:
        assert printed[f"{metric} {end}"].to_numpy() == pytest.approx(result.means[metric, end])
    assert front.read_text().startswith("<?xml")


def test_on_the_command_line_items_have_a_table_a_metric(tmp_path, capsys):
    both = items("accuracy").frame.merge(items("tokens").frame)
    both = both.drop(columns="epochs").rename(columns={"accuracy": "correct"})
    both.to_csv(tmp_path / "items.csv", index=False)
    words = "--metric correct --metric tokens --lower-is-better tokens --seed 1 --json"
    ropes = ["--rope", "correct=0.05", "--rope", "tokens=50"]
    assert main(["undominated", str(tmp_path / "items.csv"), *words.split(), *ropes]) == 0
    printed = json.loads(capsys.readouterr().out)
    own = bc.undominated([items("accuracy"), items("tokens")], rope=[0.05, 50], seed=1)
    assert printed["algorithms"] == own.to_dict()["algorithms"]
