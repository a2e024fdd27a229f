"""The first section of a report: data, metrics, how folds were drawn."""

from __future__ import annotations

import json
import re

QUIET = {"seed": 1, "engine": "quadrature", "progress": False}


def test_the_setting_is_that_of_the_scores(text, plain):
    data = re.search(r'<script type="application/json" id="bayescmp-data">(.*?)</script>', text)
    setting = json.loads(data.group(1))["setting"]
    assert setting["datasets"] == list(plain.datasets)
    assert setting["algorithms"] == list(plain.algorithms)
    assert setting["uneven"] == []
    assert (
        f"{plain.differences(*plain.algorithms[:2], 'accuracy').rho[0]:g}" in setting["resampling"]
    )
