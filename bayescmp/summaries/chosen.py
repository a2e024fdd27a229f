"""Summary of the score that the best-looking algorithm is expected to reach."""

from __future__ import annotations

from bayescmp.present.summary import Explanation, Summary, summarise
from bayescmp.results.ladder import WinnerScore
from bayescmp.wording.text import format_estimate

HEADLINE = "{algorithm} has the best observed mean"
EXPECTED = {
    "model": "{algorithm} has the best observed mean ({observed}). Corrected for selection, its "
    "expected score {about} is {expected} (95% credible interval {low} to {high}).",
    "resampled": "{algorithm} has the best observed mean ({observed}). Corrected for selection by "
    "resampling, its expected score {about} is {expected} (95% credible interval {low} to "
    "{high}).",
}
NEW = "On a new {unit} of the same difficulty, the interval is {low} to {high}."
HOW = {
    "model": "The expected score is the mean of the model's posterior.",
    "resampled": "The choice was resampled, which removes only a part of the selection bias.",
}


@summarise.register
def summarise_chosen(chosen: WinnerScore) -> Summary:
    """Summarise the score that the chosen algorithm is expected to reach."""
    sentences = describe_chosen(chosen)
    return Summary(
        HEADLINE.format(algorithm=chosen.algorithm),
        chosen.frame,
        sentences=[sentences],
        legend="low, high: 95% credible interval",
        explanation=lambda: Explanation(
            short=[sentences], methods=[HOW["resampled" if chosen.resampled else "model"]]
        ),
    )


def describe_chosen(chosen: WinnerScore) -> str:
    """State the observed and the expected mean, with the interval."""
    expected, low, high = format_estimate(chosen.expected, chosen.interval)
    decimals = len(expected.partition(".")[2])
    kind = "resampled" if chosen.resampled else "model"
    sentences = [
        EXPECTED[kind].format(
            algorithm=chosen.algorithm,
            observed=f"{chosen.observed:.{decimals}f}",
            about=chosen.about,
            expected=expected,
            low=low,
            high=high,
        )
    ]
    if chosen.next_interval is not None:
        _, low, high = format_estimate(chosen.expected, chosen.next_interval)
        sentences.append(NEW.format(unit=chosen.unit, low=low, high=high))
    return " ".join(sentences)
