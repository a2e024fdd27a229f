"""Every sentence of a verdict, whole, beside the numbers that it quotes."""

from __future__ import annotations

import pytest

import bayescmp as bc
from bayescmp.left_out import LeftOut
from bayescmp.metrics import Direction
from bayescmp.verdict import Known, Spread, as_rope, as_ropes
from bayescmp.verdict.words import decision, ropes_in_words, sentences

IRIS = "the data set iris"


def three(*p, rope=0.01, error=0.0, expected=None, location=None, **options):
    """A verdict over three regions."""
    regions = ("left", "rope", "right")
    options = {"metric": "accuracy", **options}
    return bc.Verdict(
        dict(zip(regions, p, strict=True)), dict.fromkeys(regions, error), ("knn", "gbm"),
        as_rope(rope), expected=expected and dict(zip(regions, expected, strict=True)),
        location=location and dict(zip(regions, location, strict=True)), **options,
    )  # fmt: skip


def four(*p, rope=(0.01, 0.02), expected=None, location=None, **options):
    """A verdict over four regions."""
    regions = ("equivalent", "first", "second", "trade_off")
    options = {"metric": "tpr, fpr", "metrics": ("tpr", "fpr"), **options}
    return bc.Verdict(
        dict(zip(regions, p, strict=True)), dict.fromkeys(regions, 0.0), ("knn", "gbm"),
        as_ropes(rope, ("tpr", "fpr")),
        expected=expected and dict(zip(regions, expected, strict=True)),
        location=location and dict(zip(regions, location, strict=True)), **options,
    )  # fmt: skip


def says(v, *expected):
    """The sentences are these, and no others."""
    assert v.explain() == " ".join(expected)


TAKEN = "Taking differences in accuracy within ±0.01 as practically equivalent, "


def test_decided_over_data_sets_with_everything_known():
    # the case of the specification: 300 data sets, δ ~ N(.012, .03), rope .01
    v = three(
        0.0, 0.0002, 0.9998, expected=(0.2322, 0.2286, 0.5392), location=(0.0, 0.1288, 0.8712),
        mean_interval=((0.00855, 0.0155),), known=Known(0.5391, (0.4985, 0.5791)),
        spread=(Spread(0.0301, (0.0276, 0.0329), (-0.0474, 0.0716)),),
        method="Bayesian hierarchical correlated t test, Corani et al. 2017",
        prior="corani2017: δ0 ~ U(-1, 1)",
    )  # fmt: skip
    says(
        v,
        TAKEN + "the most probable outcome on a new data set is, with posterior probability "
        ">0.999, that gbm is practically better; with probability <0.001, that the two are "
        "practically equivalent; and with probability <0.001, that knn is practically better.",
        "The predictive probability that gbm is practically better than knn on a new data set is "
        "0.539, that the two are practically equivalent 0.229, and that knn is practically better "
        "0.232.",
        "The scale of the differences between data sets, σ0, has posterior median 0.0301 (central "
        "95 % interval 0.0276 to 0.0329); the difference on a new data set lies between -0.0474 "
        "and 0.0716 with predictive probability 0.95.",
        "For the mean difference over data sets the probabilities are 0.871 (gbm better), 0.129 "
        "(equivalent) and <0.001 (knn better).",
        "The mean difference over data sets lies between 0.00855 and 0.0155 with probability 0.95 "
        "(positive where gbm is better).",
        "Decision at the threshold of 0.95: the most probable outcome on a new data set is that "
        "gbm is practically better.",
        "Method: Bayesian hierarchical correlated t test, Corani et al. 2017.",
        "Prior: corani2017: δ0 ~ U(-1, 1).",
    )
    assert decision(v) == "gbm is practically better (threshold 0.95, evidence strong)"


def test_undecided_because_data_sets_differ():
    v = three(
        0.1, 0.3, 0.6, expected=(0.25, 0.3, 0.45), known=Known(0.54, (0.47, 0.62)), threshold=0.9
    )
    assert sentences(v)[-2:] == [
        "No decision is reached at the threshold of 0.9; the evidence for 'gbm better' over "
        "'equivalent' is weak.",
        "The data sets differ: if the parameters were known exactly, the most probable outcome on "
        "a new data set would have a probability of 0.540 (posterior median; central 95 % "
        "interval 0.470 to 0.620). More data sets can show which outcome is the most probable, "
        "but are not expected to raise its predictive probability to 0.9.",
    ]
    assert decision(v) == "undecided: data sets differ (threshold 0.9, evidence weak)"


@pytest.mark.parametrize(
    ("rope", "interval", "text"),
    [
        (0.01, (-0.02, 0.05), "-0.02 to 0.05, is wider than the rope"),
        (0, (-0.02, 0.05), "-0.02 to 0.05, contains zero"),
        (0.01, (-0.02, 0.0), "-0.02 to 0, is wider than the rope"),  # as wide is not narrower
    ],
)
def test_undecided_because_the_mean_is_not_known(rope, interval, text):
    v = three(0.0, 0.2 if rope else 0.0, 0.8, rope=rope, mean_interval=(interval,), target=IRIS)
    assert sentences(v)[-1] == (
        f"There is too little data: the central 95 % interval of the mean difference, {text}."
    )
    assert decision(v).startswith("undecided: too little data (threshold 0.95")


def test_undecided_because_it_is_not_known_how_far_data_sets_differ():
    v = three(
        0.1, 0.0, 0.9, expected=(0.2, 0.1, 0.7), known=Known(0.71, (0.52, 0.9995)),
        mean_interval=((0.02, 0.03),),
    )  # fmt: skip
    assert sentences(v)[-1] == (
        "There is too little data to tell how far data sets differ: if the parameters were known "
        "exactly, the most probable outcome on a new data set would have a probability of 0.710 "
        "(posterior median; central 95 % interval 0.520 to >0.999)."
    )


def test_undecided_at_a_threshold_that_asks_for_more_than_the_interval():
    v = three(0.0, 0.03, 0.97, mean_interval=((0.0105, 0.012),), target=IRIS, threshold=0.99)
    assert sentences(v)[-1] == "There is too little data for a threshold of 0.99."


@pytest.mark.parametrize(
    ("rope", "interval", "text"),
    [
        (0.01, (0.008, 0.0131), "0.008 to 0.0131, is narrower than the rope and contains its end "
         "0.01"),
        ((-0.02, 0.01), (-0.03, -0.01), "-0.03 to -0.01, is narrower than the rope and contains "
         "its end -0.02"),
    ],
)  # fmt: skip
def test_undecided_at_the_edge_of_the_rope(rope, interval, text):
    v = three(0.0, 0.4, 0.6, rope=rope, mean_interval=(interval,), target=IRIS)
    assert sentences(v)[-1] == (
        "The mean difference is at the edge of the rope: its central 95 % interval, " + text + "."
    )
    assert decision(v) == "undecided: edge of the rope (threshold 0.95, evidence weak)"


def test_undecided_for_no_known_cause():
    v = three(0.3, 0.3, 0.4, metric="")
    says(
        v,
        "Taking differences within ±0.01 as practically equivalent, the posterior probability "
        "that gbm is practically better than knn on a new data set is 0.400, that knn is "
        "practically better 0.300, and that the two are practically equivalent 0.300.",
        "All refer to the mean difference on a new data set alone.",
        "No decision is reached at the threshold of 0.95; the evidence for 'gbm better' over "
        "'knn better' is weak.",
    )
    assert decision(v) == "undecided (threshold 0.95, evidence weak)"


def test_borderline_of_a_sampler_and_of_a_quadrature():
    v = three(0.0, 0.047, 0.953, error=0.0042, expected=(0.1, 0.3, 0.6))
    assert sentences(v)[-1] == (
        "Borderline at the threshold of 0.95: with a Monte Carlo standard error of 0.004 the "
        "largest probability, 0.9530, may be on either side of it; more draws are needed."
    )
    assert decision(v) == "borderline: more draws needed (threshold 0.95, evidence strong)"
    v = three(0.0, 0.0501, 0.9499, error=0.0002, exact=True)
    assert sentences(v)[-1] == (
        "Borderline at the threshold of 0.95: with a numerical error of 0.0002 the largest "
        "probability, 0.9499, may be on either side of it."
    )
    assert decision(v) == "borderline (threshold 0.95, evidence positive)"


def test_one_data_set_has_one_quantity_and_says_which():
    v = three(
        0.0121, 0.0279, 0.96, target=IRIS, mean_interval=((0.0095, 0.041),), exact=True,
        method="Bayesian correlated t test, Corani & Benavoli 2015", prior="p(δ, σ) ∝ 1/σ",
    )  # fmt: skip
    says(
        v,
        TAKEN + "the posterior probability that gbm is practically better than knn on the data "
        "set iris is 0.960, that the two are practically equivalent 0.028, and that knn is "
        "practically better 0.012.",
        "All refer to the mean difference on the data set iris alone.",
        "The mean difference lies between 0.0095 and 0.041 with probability 0.95 (positive where "
        "gbm is better).",
        "Decision at the threshold of 0.95: gbm is practically better on the data set iris.",
        "Method: Bayesian correlated t test, Corani & Benavoli 2015.",
        "Prior: p(δ, σ) ∝ 1/σ.",
    )


def test_another_quantity_has_its_own_name():
    v = three(0.97, 0.02, 0.01, rope=0, target="items like those of the test set",
              quantity="difference", mean_interval=((-0.2, -0.01),))  # fmt: skip
    says(
        v,
        "In accuracy, the posterior probability that knn is better than gbm on items like those "
        "of the test set is 0.970 and that gbm is better 0.010.",
        "All refer to the difference on items like those of the test set alone.",
        "The difference lies between -0.2 and -0.01 with probability 0.95 (positive where gbm is "
        "better).",
        "Decision at the threshold of 0.95: knn is better on items like those of the test set.",
    )


def test_equivalent_is_first_where_it_is_the_most_probable():
    v = three(0.01, 0.98, 0.01, target=IRIS)
    assert sentences(v)[0] == (
        TAKEN + "the posterior probability that the two are practically equivalent on the data "
        "set iris is 0.980, that knn is practically better 0.010, and that gbm is practically "
        "better 0.010. All refer to the mean difference on the data set iris alone."
    )
    assert sentences(v)[-1] == (
        "Decision at the threshold of 0.95: the two are practically equivalent on the data set "
        "iris."
    )
    assert decision(v) == "practically equivalent (threshold 0.95, evidence strong)"


def test_without_a_rope_nothing_is_practically_so():
    v = three(0.02, 0.0, 0.98, rope=0, expected=(0.3, 0.0, 0.7), location=(0.01, 0.0, 0.99),
              target="the average of two new data sets")  # fmt: skip
    says(
        v,
        "In accuracy, the most probable outcome on the average of two new data sets is, with "
        "posterior probability 0.980, that gbm is better; and with probability 0.020, that knn "
        "is better.",
        "The predictive probability that gbm is better than knn on the average of two new data "
        "sets is 0.700 and that knn is better 0.300.",
        "For the mean difference over data sets the probabilities are 0.990 (gbm better) and "
        "0.010 (knn better).",
        "Decision at the threshold of 0.95: the most probable outcome on the average of two new "
        "data sets is that gbm is better.",
    )
    assert decision(v) == "gbm is better (threshold 0.95, evidence strong)"


def test_bounds_follow_the_number_of_draws():
    v = three(0.0, 0.0, 1.0, floor=1 / 400, target=IRIS)
    assert sentences(v)[0].startswith(
        TAKEN + "the posterior probability that gbm is practically better than knn on the data "
        "set iris is >0.997, that knn is practically better <0.003, and that the two are "
        "practically equivalent <0.003."
    )


FOUR_TAKEN = "Taking differences within ±0.01 in tpr and ±0.02 in fpr as practically equivalent, "
DOMINATES = (
    "One algorithm dominates where it is practically better in at least one of tpr and fpr and "
    "practically worse in none; in a trade-off each is practically better in one of them."
)


def test_four_regions_on_one_data_set():
    v = four(0.011, 0.013, 0.96, 0.016, target=IRIS, mean_interval=((0.01, 0.04), (-0.02, 0.03)))
    says(
        v,
        FOUR_TAKEN + "the posterior probability that gbm dominates knn on the data set iris is "
        "0.960, that there is a trade-off 0.016, that knn dominates 0.013, and that the two are "
        "practically equivalent in all metrics 0.011.",
        "All refer to the mean differences on the data set iris alone.",
        DOMINATES,
        "The mean differences lie between 0.01 and 0.04 in tpr and -0.02 and 0.03 in fpr, each "
        "with probability 0.95 (positive where gbm is better).",
        "Decision at the threshold of 0.95: gbm dominates on the data set iris.",
    )
    assert decision(v) == "gbm dominates (threshold 0.95, evidence strong)"


def test_four_regions_over_data_sets():
    v = four(
        0.0, 0.01, 0.02, 0.97, expected=(0.1, 0.2, 0.3, 0.4), location=(0.0, 0.1, 0.1, 0.8),
        mean_interval=((0.01, 0.04), (-0.05, -0.03)),
        spread=(Spread(0.02, (0.01, 0.03), (-0.02, 0.07), "τ"),
                Spread(0.03, (0.02, 0.04), (-0.1, 0.02), "τ")),
    )  # fmt: skip
    says(
        v,
        FOUR_TAKEN + "the most probable outcome on a new data set is, with posterior probability "
        "0.970, that there is a trade-off; with probability 0.020, that gbm dominates; with "
        "probability 0.010, that knn dominates; and with probability <0.001, that the two are "
        "practically equivalent in all metrics.",
        DOMINATES,
        "The predictive probability that there is a trade-off on a new data set is 0.400, that "
        "gbm dominates 0.300, that knn dominates 0.200, and that the two are practically "
        "equivalent in all metrics 0.100.",
        "The scale of the differences between data sets, τ, has posterior median 0.02 (central "
        "95 % interval 0.01 to 0.03) in tpr and 0.03 (central 95 % interval 0.02 to 0.04) in fpr; "
        "the differences on a new data set lie between -0.02 and 0.07 in tpr and -0.1 and 0.02 in "
        "fpr, each with predictive probability 0.95.",
        "For the mean differences over data sets the probabilities are 0.800 (trade-off), 0.100 "
        "(gbm dominates), 0.100 (knn dominates) and <0.001 (equivalent).",
        "The mean differences over data sets lie between 0.01 and 0.04 in tpr and -0.05 and -0.03 "
        "in fpr, each with probability 0.95 (positive where gbm is better).",
        "Decision at the threshold of 0.95: the most probable outcome on a new data set is that "
        "there is a trade-off.",
    )


def test_four_regions_undecided_name_the_metric():
    p = (0.3, 0.0, 0.6, 0.1)
    v = four(*p, target=IRIS, mean_interval=((0.008, 0.012), (0.01, 0.03)))
    assert sentences(v)[-1] == (
        "The mean difference is at the edge of the rope: its central 95 % interval, in tpr 0.008 "
        "to 0.012, is narrower than the rope and contains its end 0.01; and, in fpr 0.01 to 0.03, "
        "is narrower than the rope and contains its end 0.02."
    )
    v = four(*p, target=IRIS, mean_interval=((0.008, 0.012), (-0.01, 0.05)))
    assert sentences(v)[-1] == (
        "There is too little data: the central 95 % interval of the mean difference in fpr, -0.01 "
        "to 0.05, is wider than the rope."
    )
    assert sentences(v)[-2] == (
        "No decision is reached at the threshold of 0.95; the evidence for 'gbm dominates' over "
        "'equivalent' is weak."
    )


def test_four_regions_without_ropes_or_with_one():
    v = four(0.0, 0.01, 0.96, 0.03, rope=0, target=IRIS)
    assert sentences(v)[:2] == [
        "The posterior probability that gbm dominates knn on the data set iris is 0.960, that "
        "there is a trade-off 0.030, and that knn dominates 0.010. All refer to the mean "
        "differences on the data set iris alone.",
        "One algorithm dominates where it is better in at least one of tpr and fpr and worse in "
        "none; in a trade-off each is better in one of them.",
    ]
    v = four(0.0, 0.01, 0.96, 0.03, rope=[0, 0.02], target=IRIS)
    assert sentences(v)[0].startswith(
        "Taking differences within ±0.02 in fpr as practically equivalent, the posterior"
    )


def test_metrics_without_names():
    v = four(0.0, 0.0, 1.0, 0.0, metrics=(), metric="", mean_interval=((0.1, 0.2), (0.3, 0.4)))
    text = v.explain()
    assert "within ±0.01 in metric 1 and ±0.02 in metric 2 as" in text
    assert "in at least one of the metrics and" in text
    assert "between 0.1 and 0.2 in metric 1 and 0.3 and 0.4 in metric 2, each" in text


def test_ropes_in_words():
    metrics = ("tpr", "fpr", "auc")
    assert ropes_in_words(as_rope(0.01), metrics) == "±0.01"
    assert ropes_in_words(as_ropes([0.01, 0.02, 0.01], metrics), metrics) == (
        "±0.01 in tpr and auc and ±0.02 in fpr"
    )
    assert ropes_in_words(as_ropes([0.01, 0, 0.02], metrics), metrics) == (
        "±0.01 in tpr and ±0.02 in auc"
    )
    assert ropes_in_words(as_ropes(0, metrics), metrics) == ""


@pytest.mark.parametrize(
    ("lower", "evidence", "way"),
    [
        (False, "known", "higher is better"),
        (True, "declared", "lower is better"),
        (False, "assumed", "higher is assumed to be better"),
    ],
)
def test_the_first_sentence_says_which_way_is_better(lower, evidence, way):
    known = {"metric": "score", "directions": (Direction("score", lower, evidence),)}
    start = three(0.3, 0.3, 0.4, **known).explain()
    assert start.startswith(f"Taking differences in score ({way}) within ±0.01 as practically ")
    start = three(0.5, 0.0, 0.5, rope=0, **known).explain()
    assert start.startswith(f"In score ({way}), the posterior probability that knn is better ")


def test_several_metrics_say_which_way_each_is_better():
    ways = Direction("tpr"), Direction("fpr", lower=True)
    text = four(0.2, 0.3, 0.4, 0.1, directions=ways).explain()
    assert "in one of them. Higher is better in tpr and lower is better in fpr. No " in text
    ways = Direction("tpr"), Direction("fpr")
    assert ". Higher is better in tpr and fpr. " in four(1, 0, 0, 0, directions=ways).explain()


def test_resampling_and_what_was_left_out_stand_with_the_method():
    v = three(
        0.3, 0.3, 0.4, method="A test", prior="flat", resampling="rho 0.1: 10 folds",
        left_out=LeftOut(("iris",), {"wine": 2}),
    )  # fmt: skip
    assert sentences(v)[-1] == (
        "Method: A test. Resampling, rho 0.1: 10 folds. Left out, without a score of both: 1 data "
        "set ('iris') and 2 folds. Prior: flat."
    )
    assert sentences(three(0.3, 0.3, 0.4, resampling="rho 0"))[-1] == "Resampling, rho 0."
