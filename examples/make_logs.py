"""Write examples/data/logs: answers of two made-up models, as lm-evaluation-harness logs them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent / "data" / "logs"


def main() -> None:
    """Two models, 400 questions, the second a little better."""
    rng = np.random.default_rng(11)
    hard = rng.normal(0, 1.5, 400)
    for model, skill in (("base", 0.3), ("tuned", 0.75)):
        right = rng.random(400) < 1 / (1 + np.exp(hard - skill))
        rows = [
            {
                "doc_id": i,
                "filter": "none",
                "metrics": ["exact_match"],
                "doc_hash": hashlib.sha256(f"question {i}".encode()).hexdigest()[:12],
                "exact_match": float(answer),
            }
            for i, answer in enumerate(right)
        ]
        file = FOLDER / model / "samples_gsm8k_2026-11-23T12-00-00.000000.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
