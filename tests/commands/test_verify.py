"""`bayescmp verify`."""

from __future__ import annotations

from bayescmp.cli import main
from bayescmp.engines import register
from tests.engines.fake import FakeEngine


def run(capsys, *args):
    code = main([str(a) for a in args])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_verify_prints_both_and_its_code_says_whether_they_agree(path, capsys):
    common = ["verify", path, "--metric", "accuracy", "--first", "knn", "--second", "gbm",
              "--rope", "0.05"]  # fmt: skip
    code, out, _ = run(capsys, *common, "--by", "quadrature")
    assert code == 0
    assert "the engines agree" in out
    remove = register("fake", FakeEngine)
    try:
        code, out, _ = run(capsys, *common, "--by", "fake", "--draws", "500")
    finally:
        remove()
    assert code == 3
    assert "DO NOT AGREE" in out
