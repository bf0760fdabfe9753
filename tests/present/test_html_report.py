"""The one-page report: every number is that of `assay report --json`, nothing in it runs or asks, others' texts are text."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from annotate.present.report import FURTHER, HEADLINE
from annotate.project import Project
from annotate.store import Store
from support.app import HOSTILE, Make, judged, nothing, some_open, three, traffic, walk
from support.drift import fill, label_all
from support.html_report import Page
from support.store import Assay

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def page_of(store: Store) -> Page:
    """The page of this store, taken apart."""
    return Page(Project.open(store.path).print_report(is_plain=True))


def numbers_of(estimate: dict[str, Any]) -> Iterator[tuple[str, float]]:
    """What the row of an estimate must hold: nothing for what is null, both ends of an interval or none."""
    if estimate["estimate"] is not None:
        yield "estimate", estimate["estimate"]
    if estimate["low"] is not None and estimate["high"] is not None:
        yield from (("low", estimate["low"]), ("high", estimate["high"]))
    if "long_run" in estimate:
        yield from (("long_run_low", estimate["long_run"]["low"]), ("long_run_high", estimate["long_run"]["high"]))
    yield "n", estimate["n"]


@pytest.mark.slow
def test_every_number_is_exactly_that_of_the_json(assay: Assay) -> None:
    """Every quantity, cell, count and stratum of a store with weeks, compared as floating-point numbers without a tolerance."""
    label_all(assay, fill(assay, weeks=3))
    assay("report", "--html", "r.html")
    page, report = Page(Path("r.html").read_text(encoding="utf-8")), assay.json("report")

    rows = page.table("figures")
    assert set(rows) >= {*HEADLINE, *FURTHER}
    for name in (*HEADLINE, *FURTHER):
        assert rows[name].numbers == dict(numbers_of(report[name])), name
        assert report[name]["method"] in rows[name].words
        assert str(report[name].get("reason", "")).replace("`", "") in rows[name].words
    cells = [row.words.split() for row in page.rows if row.table == "cells"][1:]
    assert [line[1:3] for line in cells] == [
        [str(report["cells"][f"{side}_{verdict}"]) for side in ("right", "wrong")] for verdict in ("pass", "fail")
    ]
    strata = [row.words.split() for row in page.rows if row.table == "strata"][1:]
    for words, stratum in zip(strata, report["strata"], strict=True):
        assert words[:-7] == stratum["stratum"].split("_")
        assert words[-7:-3] == [f"{stratum[name]:,}" for name in ("size", "drawn", "right", "wrong")]
    weeks = [row.words.split()[:2] for row in page.rows if row.table == "weeks"][1:]
    assert weeks == [[window["window"], str(window["labels"])] for window in assay.json("drift")["windows"]]
    assert report["verdict"]["sentence"].replace("`", "") in page.words


@pytest.mark.slow
def test_judges_and_rules_are_those_of_the_json(store_in_file: Store) -> None:
    """The demo's judges with what they scored, and a row for each other rule."""
    walk(store_in_file)
    page, content = page_of(store_in_file), Project.open(store_in_file.path).report().to_dict()
    judges: Any = content["judges"]

    shown = [row.words for row in page.rows if row.table == "judges"][1:]
    for words, judge in zip(shown, judges, strict=True):
        assert judge["signature"] in words
        assert words.split()[-3:] == [str(judge["scored"]), str(judge["failed"]), f"{judge['mean']:.2f}"]
    rules: Any = content["candidates"]
    others = [rule for rule in [*judges, *rules] if rule["expression"] != "min(context_relevance, faithfulness) > 0.5"]
    assert len([row for row in page.rows if row.table == "rules"]) == 1 + len(others)


@pytest.mark.slow
@pytest.mark.parametrize("make", [nothing, traffic, judged, some_open, walk, three])
def test_every_state_has_a_whole_page(store_in_file: Store, make: Make) -> None:
    """From the empty store on: every element is closed, it has title, language and one first heading, and it asks nobody."""
    make(store_in_file)
    page = page_of(store_in_file)
    names = [name for name, _ in page.seen]

    assert names.count("h1") == names.count("main") == 1
    assert ("html", {"lang": "en"}) in page.seen
    assert not {"script", "link", "img", "iframe", "object", "form", "a"} & set(names)
    assert not any(
        name.startswith("on") or name in ("src", "href") for _, attributes in page.seen for name in attributes
    )
    pictures = [attributes for name, attributes in page.seen if name == "svg"]
    assert all(picture["role"] == "img" for picture in pictures)
    assert names.count("title") == 1 + len(pictures), "each picture says in words what it shows"


@pytest.mark.slow
def test_what_is_not_measurable_says_why(store_in_file: Store) -> None:
    """Before a draw every quantity of the proxy is — with its reason, and no number."""
    judged(store_in_file)
    row = page_of(store_in_file).table("figures")["sensitivity"]

    assert "estimate" not in row.numbers
    assert "not measurable: no wave has been drawn; run assay sample --labels N" in row.words


@pytest.mark.slow
def test_texts_of_others_are_text_and_those_of_questions_are_not_there(store_in_file: Store) -> None:
    """Ids and names that hold markup stand as they were written; questions, answers and annotators' names stay at home."""
    three(store_in_file)
    text = Project.open(store_in_file.path).print_report(is_plain=True)

    assert "<b>1</b>" not in text
    assert "&lt;b&gt;1&lt;/b&gt;" in text
    assert "window.hacked" not in text
    assert HOSTILE[:20] not in text
    assert "onerror" not in text


@pytest.mark.slow
def test_intervals_are_numbers_where_texts_are_masked(assay: Assay) -> None:
    """Masking reads words of others, never the elements that we wrote: none stands on the page as text."""
    assay.write("assay.toml", "[redaction]\non = true\n")
    label_all(assay, fill(assay, weeks=1))
    text = assay("report", "--html", "-").stdout

    assert "<data value=" in text
    assert "&lt;data" not in text


@pytest.mark.slow
def test_a_rule_with_markup_in_its_name_is_text(assay: Assay) -> None:
    """Names of judges and of rules are others' texts too."""
    name = "s<img src=x onerror=alert(1)>"
    fill(assay, weeks=1)
    rows = [{"item_id": f"w00-{n:02}", "judge": "t", "value": 0.5, "signature": name} for n in range(40)]
    assay("scores", "import", assay.write("t.jsonl", rows))
    text = assay("report", "--html", "-").stdout

    assert "<img" not in text
    assert "s&lt;img src=x onerror=alert(1)&gt;" in text


@pytest.mark.slow
def test_the_file_is_its_owners_and_the_output_can_be_piped(assay: Assay) -> None:
    """0600 as other exports; `-` is standard output; a wrong ending and two outputs are refused."""
    label_all(assay, fill(assay, weeks=1))
    assay("report", "--html", "r.html")
    piped = assay("report", "--html", "-")

    assert stat.S_IMODE(Path("r.html").stat().st_mode) == 0o600
    assert piped.stdout.startswith("<!doctype html>")
    assert "ends in .html" in assay("report", "--html", "r.txt", status=2).stderr
    assert "name a file" in assay("report", "--html", "-", "--json", status=2).stderr
    assert assay.json("report", "--html", "r.html")["items"] == 40


@pytest.mark.slow
def test_the_gate_holds_with_a_page_too(assay: Assay) -> None:
    """The page is written, and the status is still 3."""
    fill(assay, weeks=1)

    assert "gate failed" in assay("report", "--html", "r.html", "--gate", status=3).stderr
    assert Path("r.html").exists()


@pytest.mark.browser
def test_a_browser_opens_and_prints_it_and_asks_nobody(chromium: Browser, assay: Assay) -> None:
    """From file://: one request, for itself; no error; the pictures have a size; A4 pages come out."""
    label_all(assay, fill(assay, weeks=8))
    assay("report", "--html", "r.html")
    asked, errors = list[str](), list[str]()
    with chromium.new_context() as context:
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: errors.append(message.text))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(Path("r.html").resolve().as_uri())
        boxes = [circle.bounding_box() for circle in page.locator("svg circle").all()]
        printed = page.pdf(prefer_css_page_size=True)

    assert asked == [Path("r.html").resolve().as_uri()]
    assert errors == []
    assert len(boxes) > 8
    assert all(box and box["width"] > 4 for box in boxes)
    assert printed.startswith(b"%PDF")
    sizes = {
        tuple(round(float(part)) for part in box.split()[2:]) for box in re.findall(rb"/MediaBox \[([^\]]+)\]", printed)
    }
    assert sizes == {(595, 842)}, "A4 in points"
