"""The page on models' answers: what it says is what the package says, to the letter."""

from __future__ import annotations

import html
import re

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.commands.cli import main
from tests.items.test_pair import drawn

pytestmark = pytest.mark.usefixtures("without_pictures")


def text_of(page) -> str:
    """The text of a page, without its markup."""
    text = page.read_text(encoding="utf-8")
    body = re.sub(r"(?s)<(style|svg).*?</\1>", " ", text)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


@pytest.fixture
def items() -> bc.Items:
    return bc.Items(drawn(5, 120, 3))


def test_two_models_have_verdict_noise_flips_and_sentences(items, tmp_path):
    page = bc.report(items, tmp_path / "pair.html", rope=0.02, seed=1)
    text, post = text_of(page), bc.compare(items, rope=0.02, seed=1)
    for part in (post.explain("paper"), post.explain("checklist"), post.explain("methods")):
        assert part in text
    assert items.noise("a", "b", seed=1).explain() in text
    assert post.sensitivity().brief()[1:] in text
    assert post.fragility().brief() in text
    kinds = items.pair("a", "b").flips()["flip"].value_counts()
    assert f"harmful {kinds['harmful']}, beneficial {kinds['beneficial']}." in text
    assert "<title>a and b on " in page.read_text()
    assert page.read_text().count("<svg") == 1
    for word in ("fold", "data set", "algorithm"):
        assert word not in text


def test_single_epochs_have_no_noise_and_graded_ones_no_flips(tmp_path):
    one = drawn(5, 60, 1)
    text = text_of(bc.report(bc.Items(one), tmp_path / "one.html", rope=0.02, seed=1))
    assert "Which answers flipped" in text
    assert "Noise" not in text
    graded = one.assign(correct=np.random.default_rng(1).random(len(one)))
    text = text_of(bc.report(bc.Items(graded), tmp_path / "graded.html", rope=0.02, seed=1))
    assert "flipped" not in text


def test_several_models_stand_in_order_with_all_pairs(tmp_path):
    third = drawn(6, 120, 3).query("model == 'a'").assign(model="c<i>")
    several = bc.Items(pd.concat([drawn(5, 120, 3), third]))
    page = bc.report(several, tmp_path / "all.html", rope=0.02, seed=1, title="Ours")
    post = bc.compare(several, rope=0.02, seed=1)
    assert post.kind == "question_bootstrap"
    assert post.explain("paper") in text_of(page)
    assert "c<i>" not in page.read_text()
    assert page.read_text().count("<svg") == 2
    assert text_of(page).startswith("Ours Ours")


def test_several_models_on_few_questions_are_groups_with_their_sentences(tmp_path):
    few = pd.concat([drawn(5, 30, 1), drawn(6, 30, 1).query("model == 'a'").assign(model="c")])
    text = text_of(bc.report(bc.Items(few), tmp_path / "few.html", rope=0.02, seed=1))
    post = bc.compare(bc.Items(few), rope=0.02, seed=1)
    assert post.kind.startswith("groups")
    assert "All pairs" in text
    for form in ("paper", "methods"):
        assert " ".join(post.explain(form).split()) in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"path": "x.md"}, "accepted: one file that ends in .html"),
        ({"figures": "x"}, "figures is given, but not used: a page on items"),
        ({"metric": "bleu"}, "metric='bleu'; accepted"),
        ({"algorithms": ["a"]}, r"algorithms=\['a'\].*accepted: two models, or all"),
        ({"rope": None}, "rope is missing"),
        ({"rho": 0.1}, "their rho is 0"),
    ],
)
def test_what_a_page_on_items_refuses(items, options, message, tmp_path):
    path = tmp_path / options.pop("path", "x.html")
    with pytest.raises(bc.InputError, match=message):
        bc.report(items, path, **{"rope": 0.02, **options})


def test_from_the_command_line(tmp_path, capsys):
    drawn(5, 120, 3).to_csv(path := tmp_path / "answers.csv", index=False)
    out = tmp_path / "page.html"
    args = ["report", str(path), "--items", "--rope", "0.02", "--out", str(out), "--seed", "1"]
    assert main(args) == 0
    own = bc.report(bc.Items.read(path), tmp_path / "own.html", rope=0.02, seed=1)
    assert out.read_text() == own.read_text()
