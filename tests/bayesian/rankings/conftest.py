"""Stan programs that only check the built-in samplers: no engine is asked for them otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from bayescmp.engines import chains


@pytest.fixture
def reference_programs(monkeypatch) -> None:
    """Have engines find those of tests/reference."""
    folder = Path(__file__).parents[2] / "reference"
    monkeypatch.setattr(chains, "program_path", lambda model: folder / f"{model}.stan")
