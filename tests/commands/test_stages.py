"""Stages of a command's work, on a bar."""

from __future__ import annotations

import io
import sys

from bayescmp.commands._stages import stages


class Terminal(io.StringIO):
    def isatty(self):
        return True


def shown(stream, monkeypatch):
    monkeypatch.setattr(sys, "stderr", stream)
    with stages("reading", "comparing") as ended:
        before = stream.getvalue()
        ended()
        after = stream.getvalue()[len(before) :]
    return before, after


def test_each_stage_is_named_and_the_bar_goes(monkeypatch):
    terminal = Terminal()
    before, after = shown(terminal, monkeypatch)
    assert "reading: stage 1 of 2" in before
    assert "comparing: stage 2 of 2" in after
    assert terminal.getvalue().endswith("\r")  # the line is cleared


def test_nothing_is_written_to_a_file(monkeypatch):
    assert shown(io.StringIO(), monkeypatch) == ("", "")
