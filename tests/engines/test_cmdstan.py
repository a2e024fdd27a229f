"""The cmdstan engine where there is no CmdStan: what it says is missing."""

from __future__ import annotations

from bayescmp.engines import engines


def test_a_cmdstan_that_cannot_compile_is_not_available(monkeypatch, tmp_path):
    """Such a tree is what importing prophet leaves in CMDSTAN."""
    (tmp_path / "makefile").write_text("CMDSTAN_VERSION := 2.33.1\n")
    monkeypatch.setenv("CMDSTAN", str(tmp_path))
    state = engines()["cmdstan"].available()
    assert not state.ok
    assert "CmdStan" in state.needs
    assert "bin" in state.needs
