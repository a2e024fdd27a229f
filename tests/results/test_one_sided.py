"""Ropes with one infinite end: worse, or not worse, and the probabilities of those two."""

import json
import re
from functools import cache
from math import inf

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp import Rope, Ropes, bayesian, plots
from bayescmp.bayesian.hierarchical.answers import solve_problem
from bayescmp.errors import InputError
from bayescmp.scores.rope import as_rope, rope_from_ends
from bayescmp.study.planning.deciding import TrueDifferences
from bayescmp.study.planning.means import Population
from bayescmp.study.planning.more import FurtherData, continuations
from bayescmp.summaries.verdict import list_odds, write_headline, write_setting
from tests.bayesian.hierarchical_multivariate.cases import fitted, simulated
from tests.reference.printed_results import by_fake
from tests.rows import each_row

WORSE = Rope(-0.01, inf)
RNG = np.random.default_rng(7)
X = RNG.normal(0.004, 0.02, (12, 10)) + RNG.normal(0, 0.008, (12, 1))
ROW, MEANS = X[0], X.mean(axis=1)
BOTH = RNG.normal([0.004, -0.002], 0.02, (30, 2))
ANSWERS = RNG.random(300) < 0.7, RNG.random(300) < 0.72
S = {"seed": 1}

TESTS = {
    "correlated_t": lambda r: bayesian.correlated_t(ROW, rho=0.1, rope=r, **S),
    "hierarchical_t": lambda r: bayesian.hierarchical_t(
        X, rho=0.1, rope=r, engine="quadrature", **S
    ),
    "sign": lambda r: bayesian.sign(MEANS, rope=r, **S),
    "signed_rank": lambda r: bayesian.signed_rank(MEANS, rope=r, draws=4000, **S),
    "two_sample_t": lambda r: bayesian.two_sample_t(ROW + 0.8, X[1] + 0.79, rope=r, **S),
    "paired_proportions": lambda r: bayesian.paired_proportions(
        *map(np.asarray, ANSWERS), rope=r, **S
    ),
    "proportions": lambda r: bayesian.proportions((205, 300), (220, 300), rope=r, **S),
    "cluster_bootstrap": lambda r: bayesian.cluster_bootstrap(
        MEANS, clusters=np.arange(12) // 2, rope=r, **S
    ),
    "constant": lambda r: bayesian.correlated_t(np.zeros(10), rho=0.1, rope=r, **S),
}
every_test = pytest.mark.parametrize("name", TESTS)
pytestmark = pytest.mark.filterwarnings("ignore:all differences are zero")


@pytest.fixture(scope="module")
def scores():
    return bc.Scores.read("examples/data/scores.csv").select(algorithms=["knn", "gbm", "svm"])


@pytest.fixture(scope="module")
def pair(scores):
    """The example table's knn and gbm: the ROPE ±0.01, and its one-sided question."""
    ask = {"engine": "quadrature", "seed": 1}
    two = bc.compare(scores, "knn", "gbm", "accuracy", 0.01, **ask).verdict()
    return two, bc.compare(scores, "knn", "gbm", "accuracy", (-0.01, inf), **ask).verdict()


# The region itself.


def test_ends_are_read_written_and_turned():
    assert as_rope((-0.01, inf)) == as_rope(np.array([-0.01, np.inf])) == WORSE
    assert WORSE.ends == [-0.01, None]
    assert rope_from_ends(json.loads(json.dumps(WORSE.ends))) == WORSE
    box = Ropes([WORSE, Rope(-0.1, 0.1)])
    assert rope_from_ends(json.loads(json.dumps(box.ends))) == box
    assert WORSE.swapped() == Rope(-inf, 0.01)
    assert WORSE.scaled(0) == Rope(0, inf)
    assert WORSE.scaled(2) == Rope(-0.02, inf)
    assert (WORSE.size, WORSE.width, WORSE.one_sided, WORSE.empty) == (0.01, 0.02, True, False)
    assert not Rope(0, inf).empty
    assert [str(WORSE), str(WORSE.swapped())] == ["[−0.01, ∞)", "(−∞, 0.01]"]


@each_row("ends", [(-inf, inf), (float("nan"), inf), (0.01, inf), inf, (inf, inf)])
def test_what_is_no_region_is_refused(ends):
    with pytest.raises(InputError, match="One end of a pair may be infinite"):
        as_rope(ends)


# The probabilities of the two regions.


def test_the_most_probable_outcome_is_no_sum_but_the_others_are(pair):
    """knn and gbm of the example table: .401 against .727."""
    two, one = pair
    assert two.p_rope + two.p_right == pytest.approx(0.401, abs=1e-3)
    assert one.p_rope == pytest.approx(0.727, abs=1e-3)
    for part in ("expected", "location"):
        all_, not_worse = getattr(two, part), getattr(one, part)["rope"]
        assert all_["rope"] + all_["right"] == pytest.approx(not_worse, abs=1e-9)


def test_of_two_regions_the_likelier_is_where_the_centre_lies(pair):
    """F_t((low − δ0)/σ0) > 1/2 if and only if δ0 < low, whatever σ0 and ν are."""
    _, one = pair
    assert one.p_rope == pytest.approx(one.location["rope"], abs=1e-9)


def test_draws_and_the_grid_agree():
    posterior = TESTS["hierarchical_t"](WORSE)
    delta0 = posterior.draws["delta0"].ravel()
    assert posterior.verdict().p_rope == pytest.approx(np.mean(delta0 >= -0.01), abs=2e-3)
    upper = {k: posterior.draws[k].ravel() for k in ("delta0", "sigma0", "nu")}
    chance = stats.t.sf((-0.01 - upper["delta0"]) / upper["sigma0"], upper["nu"]).mean()
    assert posterior.verdict().expected["rope"] == pytest.approx(chance, abs=2e-3)


def test_closed_forms():
    # stats.t of SciPy 1.17: location, and scale √((1/n + rho/(1 − rho))·s²)
    scale = np.sqrt((1 / 10 + 0.1 / 0.9) * ROW.var(ddof=1))
    p = stats.t.sf((-0.01 - ROW.mean()) / scale, 9)
    assert TESTS["correlated_t"](WORSE).verdict().p_rope == pytest.approx(p, abs=1e-12)
    # share of not worse ~ Beta(count + 1, worse), the prior's weight of 1 within
    worse = int((MEANS < -0.01).sum())
    assert worse > 0
    share = stats.beta.sf(0.5, 12 - worse + 1, worse)
    assert TESTS["sign"](WORSE).verdict().p_rope == pytest.approx(share, abs=1e-12)


def test_signed_rank_by_brute_force():
    z = np.r_[0.0, MEANS]  # z0 of weight 0.5 in the rope
    rng = np.random.default_rng(3)
    w = rng.dirichlet([0.5, *np.ones(12)], 20_000)
    within = np.add.outer(z, z) / 2 >= -0.01
    mass = np.einsum("ni,nj,ij->n", w, w, within.astype(float))
    assert TESTS["signed_rank"](WORSE).verdict().p_rope == pytest.approx(
        np.mean(mass > 0.5), abs=0.015
    )


def test_several_metrics_by_the_multivariate_t():
    """P(no metric worse) against SciPy's multivariate t, of the same location and scale."""
    posterior = bayesian.multivariate_t(BOTH, rho=0.1, rope=WORSE, **S)
    verdict, t = posterior.verdict(), posterior.distribution
    p = stats.multivariate_t(-t.location, t.scale, df=t.df).cdf([0.01, 0.01], random_state=1)
    assert verdict.probabilities["equivalent"] == pytest.approx(float(p), abs=1e-3)
    assert verdict.possible == ["equivalent", "first"]
    assert verdict.probabilities["second"] == verdict.probabilities["trade_off"] == 0
    assert verdict.label("equivalent") == "second not worse"


def test_a_constraint_beside_a_metric_has_one_side_only():
    ropes = Ropes([Rope(-0.01, 0.01), Rope(-0.005, inf)])
    posterior = bayesian.multivariate_t(BOTH, rho=0.1, rope=ropes, **S)
    x = posterior.distribution.sample(np.random.default_rng(2), (200_000,))
    worse = (x[:, 0] < -0.01) | (x[:, 1] < -0.005)
    better = x[:, 0] > 0.01
    expected = [~worse & ~better, worse & ~better, better & ~worse, worse & better]
    got = list(posterior.verdict().probabilities.values())
    assert got == pytest.approx([np.mean(e) for e in expected], abs=4e-3)


@pytest.mark.filterwarnings("ignore::bayescmp.DiagnosticWarning")
@each_row("first", [WORSE, Rope(-0.01, 0.01)], ids=["constraint", "metric"])
def test_several_metrics_over_data_sets(first, fake):
    """Draw by draw by SciPy's multivariate t; the second metric is a constraint."""
    ropes = Ropes([first, Rope(-0.005, inf)])
    posterior = fitted(simulated(), rope=ropes, draws=250)
    draws, masses, verdict = posterior.draws, posterior.masses(), posterior.verdict()
    for i in range(0, 250, 50):
        t = stats.multivariate_t(*(draws[name][0, i] for name in ("delta0", "Sigma0", "nu")))
        x = t.rvs(100_000, random_state=1)
        worse, better = (x < [-0.01, -0.005]).any(axis=1), x[:, 0] > first.high
        wanted = [~worse & ~better, worse & ~better, better & ~worse, worse & better]
        assert masses[0, i] == pytest.approx([np.mean(w) for w in wanted], abs=6e-3)
    likeliest = masses.reshape(-1, 4).argmax(axis=1)
    got = list(verdict.probabilities.values())
    assert got == pytest.approx([np.mean(likeliest == r) for r in range(4)], abs=1e-9)
    assert list(verdict.expected.values()) == pytest.approx(masses.mean(axis=(0, 1)), abs=1e-9)
    delta0 = draws["delta0"]
    not_worse = (delta0 >= [-0.01, -0.005]).all(axis=-1)
    within = not_worse & (delta0[..., 0] <= first.high)
    assert verdict.location["equivalent"] == pytest.approx(np.mean(within), abs=1e-9)
    text = " ".join(verdict.explain().split())
    for metric in posterior.metrics:  # whose lead is how large
        assert re.search(rf"in {metric} over data sets: \S+ in favour of second", text)
    posterior.plot()


@every_test
def test_swapping_mirrors(name):
    one = TESTS[name](WORSE).verdict()
    other = one.swapped()
    assert other.rope == Rope(-inf, 0.01)
    assert (other.p_right, other.p_rope, other.p_left) == (one.p_left, one.p_rope, one.p_right)
    assert other.swapped() == one
    assert other.label("rope") == one.label("rope")
    assert other.label("right") == one.label("left")


def test_swapped_data_give_the_swapped_verdict():
    for test, data in (("sign", MEANS), ("signed_rank", MEANS)):
        one = getattr(bayesian, test)(data, rope=WORSE, **S).verdict()
        two = getattr(bayesian, test)(-data, rope=WORSE.swapped(), **S).verdict()
        assert two.p_rope == pytest.approx(one.p_rope, abs=1e-12)


@every_test
def test_two_regions_share_all_and_another_rope_refits_nothing(name):
    one, two = TESTS[name](WORSE), TESTS[name](0.01)
    verdict = one.verdict()
    assert verdict.p_right == 0
    assert verdict.p_left + verdict.p_rope == pytest.approx(1, abs=1e-9)
    assert two.verdict(WORSE).probabilities == pytest.approx(verdict.probabilities, abs=1e-9)
    assert list(verdict.odds) == [("left", "rope")]
    assert verdict.possible == ["left", "rope"]


@each_row("rope", [1, (-1, inf), (-0.1, 1), 2])
def test_differences_beyond_what_a_share_can_have_are_impossible(rope):
    """Two shares of right answers differ by at most one."""
    verdict = TESTS["paired_proportions"](rope).verdict()
    assert verdict.p_right == 0
    assert verdict.p_left + verdict.p_rope == pytest.approx(1, abs=1e-12)


@each_row("place", ["left", "right", "sides", "rope"])
def test_a_prior_beyond_the_infinite_end_is_within(place):
    for test in (bayesian.sign, bayesian.signed_rank):
        verdict = test(MEANS, rope=WORSE, place=place, prior=2.0, **S).verdict()
        assert verdict.p_right == 0
        assert verdict.expected["right"] == 0
        assert sum(verdict.expected.values()) == pytest.approx(1)
    within = bayesian.sign(MEANS, rope=WORSE, place="rope", prior=2.0, **S).weights()
    right = bayesian.sign(MEANS, rope=WORSE, place="right", prior=2.0, **S).weights()
    assert right.tolist() == within.tolist()


# Files, words, pictures.


@every_test
def test_saved_and_read(name, tmp_path):
    posterior = TESTS[name](WORSE)
    posterior.save(tmp_path / "a.npz")
    again = bc.load(tmp_path / "a.npz")
    assert again.rope == WORSE
    assert again.verdict() == posterior.verdict()
    assert json.loads(json.dumps(again.verdict().to_dict(), allow_nan=False))["rope"] == [
        -0.01,
        None,
    ]


def test_words(scores):
    verdict = bc.compare(scores, "knn", "svm", "accuracy", (-0.01, inf), **S).verdict()
    assert verdict.decision == "not worse"
    assert write_headline(verdict) == "svm is not practically worse than knn"
    assert [verdict.label(r) for r in verdict.possible] == ["svm worse", "svm not worse"]
    assert "margin 0.01" in write_setting(verdict)
    assert write_headline(verdict.swapped()) == write_headline(verdict)
    worse = bc.compare(scores, "svm", "knn", "accuracy", (0, inf), **S).verdict()
    assert worse.decision == "first"
    assert write_headline(worse) == "knn is practically worse than svm"
    assert write_setting(worse).endswith("margin 0")
    for form in ("short", "paper"):
        text = verdict.explain(form)
        assert "equivalent" not in text, text
        assert "inf" not in text.replace("infinitely", "").split(), text
    assert list_odds(verdict)[0].startswith("svm not worse : svm worse")


def test_several_metrics_are_decided_by_any():
    ahead = bayesian.multivariate_t(BOTH + 1, rho=0.1, rope=[WORSE, WORSE], names=("a", "b"))
    assert str(ahead).startswith("b is not practically worse than a in any metric\n")
    behind = bayesian.multivariate_t(BOTH - 1, rho=0.1, rope=[WORSE, WORSE], names=("a", "b"))
    assert str(behind).startswith("b is practically worse than a in a metric\n")


def test_sensitivity_and_the_curve_of_margins():
    posterior = TESTS["hierarchical_t"](WORSE)
    frame = posterior.sensitivity(datasets=False).frame
    assert set(frame.loc[frame["question"] == "rope", "setting"]) == {
        "0.5 times", "1 times", "2 times"
    }  # fmt: skip
    curve = posterior.rope_curve([0, 0.01, 0.02])
    assert curve.loc[0.01, "p_rope"] == pytest.approx(posterior.verdict().p_rope)
    assert curve.loc[0.02, "p_rope"] == posterior.verdict(Rope(-0.02, inf)).p_rope
    assert (curve["p_right"] == 0).all()


@every_test
def test_pictures(name):
    posterior = TESTS[name](WORSE)
    posterior.plot()
    ax = plots.plot_verdict_bar(posterior.verdict())
    labels = [text.get_text().split("  ")[0] for text in ax.get_legend().get_texts()]
    assert labels == ["second worse", "second not worse"]
    ax = plots.plot_rope_curve(posterior)
    label = ax.get_xlabel().split("\n")[0]
    assert label.removesuffix(" in success rate ↑") == "margin"
    assert (
        "margin 0.01; threshold 0.95"
        in plots.caption(plots.plot_verdict_bar(posterior.verdict())).lower()
    )


def test_pictures_that_make_no_sense_are_refused():
    with pytest.raises(InputError, match=r"two finite bounds for a simplex .*plot_verdict_bar"):
        plots.plot_simplex(TESTS["sign"](WORSE))
    posterior = bayesian.multivariate_t(BOTH, rho=0.1, rope=WORSE, **S)
    with pytest.raises(InputError, match=r"finite bounds.*\(got .*∞\)\).*plot_verdict_bar"):
        plots.plot_regions(posterior)
    posterior.plot()  # the bar


# Several algorithms.


def test_all_against_a_control(scores):
    ask = {"engine": "quadrature", "progress": False, "seed": 1}
    done = bc.compare_all(scores, "accuracy", (-0.01, inf), control="knn", **ask)
    assert done.verdict("knn", "svm").decision == "not worse"
    assert "knn is not practically better than svm. Undecided: knn against gbm." in str(done)
    assert plots.plot_ladder(done).texts[0].get_text().endswith("margin 0.01")
    table = plots.plot_verdicts(done)
    heads = [label.get_text() for label in table.get_xticklabels()]
    assert heads == ["other\nworse", "other not\nworse"]
    assert "each against knn" in table.get_xlabel()
    every = plots.plot_verdicts(bc.compare_all(scores, "accuracy", (-0.01, inf), **ask))
    assert "equivalent" not in every.get_xlabel()
    assert "data sets not worse / worse" in every.get_xlabel()
    assert "margin 0.01" in " ".join(every.get_xlabel().split())


WINS = pd.DataFrame([[0, 6, 3], [4, 0, 2], [7, 8, 0]], index=list("abc"), columns=list("abc"))
SEVERAL = RNG.normal([0.80, 0.82, 0.85], 0.02, (12, 3))
FOLDS = SEVERAL[:, :, None] + RNG.normal(0, 0.02, (12, 3, 10))
STANDINGS = {
    "joint_t": lambda r: by_fake(bayesian.joint_t, FOLDS.transpose(0, 2, 1), rho=0.1, rope=r),
    "bootstrap": lambda r: bayesian.bootstrap(SEVERAL, rope=r, **S),
    "friedman": lambda r: bayesian.friedman(SEVERAL, rope=r, **S),
    "bradley_terry": lambda r: bayesian.bradley_terry(WINS, rope=r, **S),
    "plackett_luce": lambda r: bayesian.plackett_luce([[*"bac"], [*"abc"]] * 6, rope=r, **S),
    "leaderboard": lambda r: bayesian.leaderboard(SEVERAL, rope=r, questions=200, **S),
    "question_bootstrap": lambda r: bayesian.question_bootstrap(
        np.random.default_rng(2).random((80, 3)) < [0.6, 0.65, 0.7], rope=r, **S
    ),
}
every_standing = pytest.mark.parametrize("name", STANDINGS)
BOXES = {
    "one": BOTH[:, :1],
    "two": BOTH,
    "alike": BOTH[:, [0, 0]],
    "three": np.c_[BOTH, BOTH @ [1, 1]],
}


@each_row("rope", [(-0.01, inf), (-inf, 0.01), (0, inf), (-inf, 0), 0])
@each_row("name", [*TESTS, *STANDINGS, *BOXES])
def test_regions_that_cannot_be_are_exactly_zero(name, rope):
    """In every part of every verdict, and in every variation: rounding must not make a region."""
    if name in BOXES:
        own = Rope(*rope) if rope else 0
        fit = bayesian.multivariate_t(BOXES[name], rho=0.1, rope=own, **S)
    else:
        fit = {**TESTS, **STANDINGS}[name](rope)
    for verdict in fit.verdicts().values() if name in STANDINGS else [fit.verdict()]:
        gone = {*verdict.probabilities} - {*verdict.possible}
        gone |= {"trade_off"} if name in ("one", "alike") else set()
        assert gone
        for part in (verdict.probabilities, verdict.expected, verdict.location):
            assert part is None or {part[region] for region in gone} == {0.0}
            assert part is None or sum(part.values()) == pytest.approx(1, abs=1e-9)
    if name not in ("hierarchical_t", *STANDINGS):
        table = fit.sensitivity().frame
        gone = [region for region in verdict.shape.impossible if f"p_{region}" in table]
        assert (table[[f"p_{region}" for region in gone]] == 0).all(axis=None)


def not_worse(posterior, first, second, margin):
    """The share of draws in which the second is likelier not to be worse than to be."""
    i, j = (posterior.algorithms.index(name) for name in (first, second))
    lead = posterior.averages[:, j] - posterior.averages[:, i]
    if posterior.kind in ("bradley_terry", "plackett_luce"):
        return np.mean(1 / (1 + np.exp(-lead)) >= 0.5 - margin)
    if posterior.kind == "joint_t":  # symmetric around the average
        return np.mean(lead >= -margin)
    inside = [(c.w, c.u[..., j] - c.u[..., i] >= -margin - 1e-12) for c in posterior.clouds()]
    mass = np.concatenate([(w * there).sum(axis=1) for w, there in inside])
    return np.mean((mass > 0.5) + 0.5 * np.isclose(mass, 0.5))


@every_standing
def test_of_several_the_second_that_is_named_is_asked_about(name):
    """By counting draws, in either order; a single number of all statements has one margin."""
    margin = 0.6 if name == "friedman" else 0.01
    one, other, two = (STANDINGS[name](r) for r in ((-margin, inf), (-inf, margin), margin))
    first, second, _ = one.algorithms
    for a, b in ((first, second), (second, first)):
        p = one.verdict(a, b).p_rope
        assert p == pytest.approx(not_worse(two, a, b, margin), abs=1e-9)
        assert other.verdict(b, a).p_rope == pytest.approx(p, abs=1e-9)
        for part in ("expected", "location"):
            own, both = getattr(one.verdict(a, b), part), getattr(two.verdict(a, b), part)
            if own is not None:
                assert own["rope"] == pytest.approx(both["rope"] + both["right"], abs=1e-9)
    assert one.ranking().equals(two.ranking())
    for rung, lower in zip(one.ladder().rungs, one.ladder().names[1:], strict=True):
        assert rung.label in (f"{lower} worse", f"{lower} not worse")
    assert "margin" in str(one)


def test_a_ladder_of_two_regions_counts_and_names_them():
    posterior = bayesian.bootstrap(SEVERAL, rope=(-0.2, inf), **S)
    assert posterior.ladder().decided == 3
    key = [text.get_text() for text in plots.plot_ladder(posterior).texts]
    assert "the lower is not practically worse" in key
    assert key.count("≤") == 3  # two between neighbours, one in the key
    assert "3 of 3 pairs decided" in key


def test_groups_count_what_is_not_worse():
    posterior = bayesian.groups(FOLDS[0], rho=0.1, rope=(-0.2, inf), **S)
    assert "3 of 3 pairs decided, all at once with probability" in str(posterior)
    pairs = dict.fromkeys(posterior.pairs, "not worse")
    steps = [
        posterior.effects[:, j, 0] - posterior.effects[:, i, 0]
        for i, j in ((0, 1), (0, 2), (1, 2))
    ]
    assert posterior.joint() == posterior.joint(pairs) == np.mean(np.min(steps, axis=0) >= -0.2)


def test_of_several_the_one_behind_is_asked_about(scores):
    """Whatever the table's order, and whichever end is infinite: as `compare` of those two."""
    ask = {"engine": "quadrature", "progress": False, "seed": 1}
    done = bc.compare_all(scores, "accuracy", (-0.01, inf), **ask)
    means = scores.means("accuracy").mean()
    assert done.algorithms == tuple(means.sort_values(ascending=False).index)
    alone = bc.compare(scores, "svm", "gbm", "accuracy", (-0.01, inf), engine="quadrature", seed=1)
    assert done["svm", "gbm"].verdict.p_left == pytest.approx(alone.verdict().p_left, abs=1e-12)
    turned = bc.compare_all(
        scores, "accuracy", (-inf, 0.01), algorithms=["gbm", "svm", "knn"], **ask
    )
    for first, second in done.results:
        p = turned[second, first].verdict.p_rope
        assert done[first, second].verdict.p_rope == pytest.approx(p, abs=1e-9)
    assert done.order == turned.order == done.algorithms
    assert "No lead is decided: svm comes first in order" in str(done)
    assert done.best.top_set(0.5) == bayesian.bootstrap(
        scores, metric="accuracy", rope=0.01, seed=1
    ).top_set(0.5)
    lower = bc.Scores(
        scores.frame.assign(error=1 - scores.frame["accuracy"]), lower_is_better=["error"]
    )
    assert bc.compare_all(lower, "error", (-0.01, inf), **ask).algorithms == done.algorithms


def test_a_pair_with_an_infinite_end_is_that_of_every_metric():
    """Two numbers are two half-widths, but a half-width is never infinite."""
    own, each = (
        bayesian.multivariate_t(BOTH, rho=0.1, rope=r, **S) for r in ((-0.01, inf), WORSE)
    )
    assert own.rope == each.rope == Ropes([WORSE, WORSE])
    assert bayesian.multivariate_t(BOTH, rho=0.1, rope=(0.01, 0.02), **S).rope[1] == Rope(
        -0.02, 0.02
    )


def test_the_crosscheck_says_not_worse(scores):
    two = scores.select(algorithms=["knn", "svm"])
    check = bc.crosscheck(
        two, "accuracy", (-0.01, inf), engine="quadrature", seed=1, progress=False
    )
    row = check.frame.iloc[0]
    assert (row["decision"], row["agreement"]) == ("not worse", "not_worse")
    assert "svm not worse (>0.999)" in row["words"]


def test_one_side_of_the_equivalence_test_is_the_test_of_the_margin():
    """scipy 1.17: ttest_1samp(MEANS, -0.01, alternative='greater'), wilcoxon(MEANS + 0.01)."""
    p = stats.ttest_1samp(MEANS, -0.01, alternative="greater").pvalue
    assert bc.frequentist.tost_means(MEANS, rope=WORSE).pvalue == pytest.approx(p, abs=1e-12)
    ranks = stats.wilcoxon(MEANS + 0.01, alternative="greater").pvalue
    got = bc.frequentist.tost_means(MEANS, rope=WORSE, method="wilcoxon").pvalue
    assert got == pytest.approx(ranks, abs=1e-12)


# A finite end so far out that it stands for an infinite one.


@each_row(("rope", "advice"), [((-0.01, 1), r"\(-0.01, inf\)"), ((-1, 0.01), r"\(-inf, 0.01\)")])
def test_an_end_out_of_reach_is_told_and_the_advice_works(scores, rope, advice):
    with pytest.warns(UserWarning, match=advice):
        bc.compare(scores, "knn", "svm", "accuracy", rope, engine="quadrature", seed=1)
    meant = (-0.01, inf) if rope[1] == 1 else (-inf, 0.01)
    bc.compare(scores, "knn", "svm", "accuracy", meant, engine="quadrature", seed=1)


# Plans: two regions, decided when either reaches the threshold.

FREE = {"datasets": [4, 10], "simulations": 12, "progress": False}


def decided_as(largest, made, planned):
    """Whether so many studies are decided, but for those whose probability is at the threshold."""
    clear = np.abs(np.array(largest) - 0.95) > 0.012
    least = (np.array(made) & clear).sum()
    return least <= round(12 * planned) <= least + (~clear).sum()


@each_row("rope", [WORSE, WORSE.swapped()], ids=["low", "high"])
@each_row("questions", [100, 900])
def test_items_have_the_power_of_a_test_of_non_inferiority(rope, questions):
    """Reached where d̂ − z·se > −m, d̂ ~ N(Δ, se²): Φ((Δ + m)/se − z).

    Julious (2004), Statistics in Medicine 23:1921-1986, doi:10.1002/sim.1783, has the sample size
    that follows from it, of a test of non-inferiority with Normal data.
    """
    toward, se = (1 if rope is WORSE else -1), np.sqrt(0.06 / questions)
    plan = bc.plan_items(
        difference=0.004 * toward, between=0.06, rope=rope, questions=[questions], power=0.9
    )
    z, row = stats.norm.ppf(0.95), plan.frame.iloc[0]
    assert row["not worse"] == pytest.approx(stats.norm.cdf(0.014 / se - z))
    worse = "first" if rope is WORSE else "second"
    assert row[worse] == pytest.approx(stats.norm.cdf(-0.014 / se - z))
    assert row["decided"] == pytest.approx(row["not worse"] + row[worse])
    detectable = -0.01 + (z + stats.norm.ppf(0.9)) * se
    assert row["detectable"] == pytest.approx(toward * detectable)
    n = 0.06 * ((z + stats.norm.ppf(0.9)) / 0.014) ** 2
    assert plan.cheapest(1, 1).questions == np.ceil(n)
    assert json.loads(json.dumps(plan.to_dict(), allow_nan=False))["rope"] == rope.ends


@each_row("questions", [0, 2000])
def test_items_at_hand_decide_as_simulated_ones_do(questions):
    """Further answers drawn with the posterior's own proportions, decided by the verdict."""
    posterior = TESTS["paired_proportions"](Rope(-0.06, inf))
    planned = posterior.plan(questions=[questions]).frame["decided"].iloc[0]
    theta = np.random.default_rng(7).dirichlet(posterior.weights.ravel(), 200)

    @cache
    def is_decided(*more):
        counts = posterior.counts + np.reshape(more, (2, 2))
        worse, _ = bayesian.paired_proportions(counts, rope=posterior.rope).tail(
            -0.06, upper=False
        )
        return not 0.05 < worse < 0.95

    decided = 0
    for t in theta:
        decided += is_decided(*np.random.default_rng(len(t) + decided).multinomial(questions, t))
    assert decided / 200 == pytest.approx(planned, abs=0.08)


@pytest.mark.slow
@pytest.mark.parametrize("rope", [WORSE, WORSE.swapped()], ids=["low", "high"])
def test_simulated_folds_are_decided_as_the_verdict_decides_them(rope):
    toward = 1 if rope is WORSE else -1
    asked = {"delta0": 0.004 * toward, "sigma0": 0.008, "rho": 0.1, "noise": 0.02}
    plan = bc.plan(**asked, **FREE, rope=rope, seed=3)
    truth = TrueDifferences(0.004 * toward, 0.008, 10.0, 0.02, 0.1, 10)
    for q in FREE["datasets"]:
        verdicts = [by_folds(truth.simulate(q, [3, s]), rope).verdict() for s in range(12)]
        row = plan.frame.set_index("datasets").loc[q]
        for decision in ("not worse", "first" if rope is WORSE else "second"):
            made = [v.decision == decision for v in verdicts]
            largest = [max(v.probabilities.values()) for v in verdicts]
            assert decided_as(largest, made, row[decision])
    assert plan.limit["not worse"] == 1
    # many studies share nodes: on them as one by one
    several = bc.plan(**asked, **{**FREE, "simulations": 48}, rope=rope, seed=3).frame
    single = [by_folds(truth.simulate(10, [3, s]), rope).verdict().decision for s in range(48)]
    share = single.count("not worse") / 48
    assert several["not worse"].iloc[1] == pytest.approx(share, abs=0.025)


def by_folds(x, rope):
    return bayesian.hierarchical_t(x, rope=rope, engine="quadrature", **S)


@each_row("name", ["sign", "signed_rank"])
def test_simulated_means_are_decided_as_the_verdict_decides_them(name):
    rope = Rope(-0.001, inf)
    posterior = TESTS[name](rope)
    plan = posterior.plan(**FREE)
    further = Population.from_means(posterior.z, rope, 12, 1).simulate_means(10, 1)
    for k in FREE["datasets"]:
        again = [
            getattr(bayesian, name)(np.append(MEANS, row[:k]), rope=rope, **S).verdict()
            for row in further
        ]
        made = [v.decision == "not worse" for v in again]
        largest = [v.p_rope for v in again]
        assert decided_as(largest, made, plan.frame.set_index("datasets").loc[k, "not worse"])


@each_row("name", ["hierarchical_t", "signed_rank", "sign"])
def test_a_plan_tells_two_regions(name):
    plan = TESTS[name](WORSE).plan(**{**FREE, "datasets": [0, 10]})
    assert plan.today == TESTS[name](WORSE).verdict().decision
    assert list(plan.limit) == ["first", "not worse"]
    assert list(plan.frame)[2:6] == ["decided", "first", "not worse", "undecided"]
    assert '"second not worse"' in plan.explain()
    text = str(plan)
    assert "second worse" in text
    assert "first better" not in text
    ax = plan.plot()
    labels = ax.get_legend_handles_labels()[1]
    assert sorted(labels) == ["decided", "second not worse", "second worse"]


@each_row("rope", [Rope(-0.001, inf), Rope(-inf, 0.001)], ids=["low", "high"])
def test_continuations_on_shared_nodes_are_decided_as_their_draws_decide(rope):
    """The share of δ0's own draws on the margin's good side, each continuation solved alone."""
    posterior = TESTS["hierarchical_t"](rope)
    plan = posterior.plan(datasets=[10], simulations=12, progress=False)
    good = []
    for c in continuations(posterior, 12, 1):
        posed = c.pose_problem(FurtherData(10, None, 0))
        delta0 = posed.scale * solve_problem(posed).draws(8000, 1)["delta0"].ravel()
        good.append(np.mean((delta0 > rope.low) & (delta0 < rope.high)))
    largest = np.maximum(good, 1 - np.array(good))
    row = plan.frame.iloc[0]
    assert decided_as(largest, np.array(good) >= 0.95, row["not worse"])
    assert decided_as(largest, largest >= 0.95, row["decided"])


@pytest.mark.slow
def test_rates_of_two_regions():
    """t test of non-inferiority, by the noncentral t: normal data sets, their means alone."""
    table = bc.calibrate(
        rope=WORSE,
        rho=0.1,
        datasets=[10],
        delta0=[0.0],
        sigma0=[0.01],
        nu=inf,
        simulations=200,
        seed=1,
    ).frame.set_index("test")
    assert list(table.index) == ["hierarchical_t", "tost_means"]
    se = np.sqrt((0.01**2 + 0.02**2 * (1 + 9 * 0.1) / 10) / 10)
    power = stats.nct.sf(stats.t.ppf(0.95, 9), 9, 0.01 / se)
    assert table.loc["tost_means", "not worse"] == pytest.approx(power, abs=0.1)
    assert table.loc["tost_means", "right"] == "not worse"
    with pytest.raises(InputError, match="noise must be given"):
        bc.calibrate(rope=(0, inf), rho=0.1, delta0=[0.0], sigma0=[0.01], simulations=2)


# Words and pictures of two algorithms, of which one is asked about.


@each_row(
    ("lead", "rope", "asked", "counted"),
    [
        (0.07, (-0.01, inf), "svm is not practically worse than knn", "worse in 0, not pract"),
        (-0.07, (-0.01, inf), "svm is practically worse than knn", "worse in 1, not pract"),
        (0.07, (-inf, 0.01), "knn is practically worse than svm", "worse in 1, not pract"),
        (
            -0.012,
            (-0.01, inf),
            "Undecided whether svm is practically worse than knn",
            "undecided in 1",
        ),
    ],
)
def test_all_pairs_of_two_ask_about_one(lead, rope, asked, counted):
    x = np.random.default_rng(1).normal([0.8, 0.8 + lead], 0.02, (15, 2))
    means = bc.Scores.from_means(pd.DataFrame(x, columns=["knn", "svm"]), metric="accuracy")
    compared = bc.compare_all(means, rope=rope, seed=1, progress=False)
    assert str(compared).startswith(asked)
    assert counted in " ".join(compared.explain("paper").split())


@each_row(
    ("rope", "heads", "decided"),
    [
        ((-0.01, inf), ["second worse", "second not worse"], "second worse"),
        ((-inf, 0.01), ["first not worse", "first worse"], "first not worse"),
    ],
)
def test_tables_of_all_pairs_have_the_two_regions_that_there_are(rope, heads, decided):
    x = np.random.default_rng(1).normal([0.9, 0.8], 0.02, (15, 2))
    means = bc.Scores.from_means(pd.DataFrame(x, columns=["knn", "svm"]), metric="accuracy")
    compared = bc.compare_all(means, rope=rope, seed=1, progress=False)
    assert compared.verdict("knn", "svm").decision in ("first", "not worse")
    head, _, row, *_ = compared.to_markdown().split("\n\n")[-1].splitlines()
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert [name.strip() for name in head.strip("|").split("|")][3:-1] == heads
    assert cells[-1] == decided
    assert cells[3 + heads.index(decided)].startswith("**")
    check = bc.crosscheck(means, "accuracy", rope, seed=1, progress=False)
    for table in (compared.full(), check.full(), check.to_latex().replace("$", "")):
        assert ">0.999 <0.001" in table
        assert ">0.999 <0.001 <0.001" not in table
        assert "<0.001 >0.999 <0.001" not in table


def test_shrinkage_has_the_margin_for_a_line(scores):
    ask = {"engine": "quadrature", "seed": 1}
    for rope in ((-0.01, inf), (-inf, 0.01)):
        ax = plots.plot_shrinkage(bc.compare(scores, "knn", "gbm", "accuracy", rope, **ask))
        dashed = [line for line in ax.lines if line.get_linestyle() == "--"]
        ends = {float(x) for line in dashed for x in line.get_xdata()}
        assert {end for end in rope if np.isfinite(end)} <= ends
        plt.close("all")
