"""TabArena: ``results_per_split.csv``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from bayescmp.errors import InputError
from bayescmp.readers.base import Reading, Source, failures

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["matches", "read"]

#: Folds of one repeat in TabArena, which has 3 or 10 repeats; BeyondArena, which writes the same
#: columns, also has windows in time and single hold-outs.
FOLDS = 3

#: The data sets of TabArena-v0.1 (tabarena 0.1.0, TabArena-v0.1_tasks_metadata.csv).
TABARENA = """
APSFailure Amazon_employee_access Another-Dataset-on-used-Fiat-500 Bank_Customer_Churn
Bioresponse Diabetes130US E-CommereShippingData Fitness_Club Food_Delivery_Time
GiveMeSomeCredit HR_Analytics_Job_Change_of_Data_Scientists Is-this-a-good-customer MIC
Marketing_Campaign NATICUSdroid QSAR-TID-11 QSAR_fish_toxicity SDSS17 airfoil_self_noise anneal
bank-marketing blood-transfusion-service-center churn coil2000_insurance_policies
concrete_compressive_strength credit-g credit_card_clients_default
customer_satisfaction_in_airline diabetes diamonds hazelnut-spread-contaminant-detection
healthcare_insurance_expenses heloc hiva_agnostic houses in_vehicle_coupon_recommendation jm1
kddcup09_appetency maternal_health_risk miami_housing online_shoppers_intention
physiochemical_protein polish_companies_bankruptcy qsar-biodeg seismic-bumps splice
students_dropout_and_academic_success superconductivity taiwanese_bankruptcy_prediction
website_phishing wine_quality
"""


def matches(source: Source) -> bool:
    """A table with dataset, fold, method and metric_error."""
    return source.has("dataset", "fold", "method", "metric_error")


def read(source: Source, *, imputed: Literal["missing", "keep"] = "missing") -> Reading:
    """Errors of methods on data sets; TabArena's ``fold`` runs through the repeats of 3 folds.

    A row that is flagged as ``imputed`` holds another method's error: it is missing, unless
    ``imputed="keep"``.
    """
    frame = source.frame
    assert frame is not None  # as `matches` says
    if imputed not in ("missing", "keep"):
        raise InputError(f"imputed={imputed!r}; accepted: 'missing', 'keep'")
    table = frame[["dataset", "method"]].set_axis(["dataset", "algorithm"], axis=1)
    table, needs = _with_folds(table, frame["fold"].astype(int))
    error = frame["metric_error"].astype(float)
    note = "results_per_split.csv of TabArena, metric_error lower is better"
    if "imputed" in frame and frame["imputed"].astype(bool).any():
        flagged = frame["imputed"].astype(bool)
        note += f", {int(flagged.sum())} imputed rows {'kept' if imputed == 'keep' else 'missing'}"
        if imputed == "missing":
            error = error.mask(flagged)
            table = table.assign(failure=failures(flagged, "imputed"))
    times = {c: frame[c] for c in ("time_train_s", "time_infer_s") if c in frame}
    table = table.assign(metric_error=error, **times)
    return Reading(table, note, lower=["metric_error"], needs=needs)


def _with_folds(table: pd.DataFrame, split: pd.Series) -> tuple[pd.DataFrame, str]:
    """The table with its folds, and why they have to be declared where they do."""
    counts = split.groupby(table["dataset"]).agg(["min", "max", "nunique"])
    if (counts["nunique"] == 1).all():  # the subset "lite": one split of each data set
        return table, ""
    known = table["dataset"].isin(TABARENA.split())
    own = counts[counts.index.isin(TABARENA.split())]
    odd = own[(own["min"] != 0) | ((own["max"] + 1) % FOLDS != 0)]
    if len(odd):
        raise InputError(
            f"data set {str(odd.index[0])!r} has folds {odd['min'].iloc[0]} to "
            f"{odd['max'].iloc[0]}; TabArena's are counted from 0, {FOLDS} a repeat"
        )
    table = table.assign(
        repeat=(split // FOLDS + 1).where(known, 1), fold=(split % FOLDS + 1).where(known, split)
    )
    if known.all():
        return table, ""
    other = table["dataset"][~known].iloc[0]
    return table, (
        f"data set {str(other)!r} is not one of TabArena-v0.1's; others that it writes may be "
        "folds, windows in time or hold-outs"
    )
