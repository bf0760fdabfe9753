"""The one-page report: every number is that of `assay report --json`, nothing in it runs or asks, others' texts are text."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from annotate.analysis.printed_report import gather
from annotate.present.html import as_html
from annotate.present.html.quantities import WORDS
from annotate.store import Store
from support.app import HOSTILE, Make, judged, nothing, some_open, three, traffic, walk
from support.drift import fill, label_all
from support.html_report import Page
from support.store import Assay

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NOW = "2026-11-21T09:00:00.000Z"


def page_of(store: Store) -> Page:
    """The page of this store, taken apart."""
    return Page(as_html(gather(store, now=NOW)).decode())


def numbers_of(one: dict[str, Any]) -> Iterator[tuple[str, float]]:
    """What the row of an estimate must hold: nothing for what is null, both ends of an interval or none."""
    if one["estimate"] is not None:
        yield "estimate", one["estimate"]
    if one["low"] is not None and one["high"] is not None:
        yield from (("low", one["low"]), ("high", one["high"]))
    if "long_run" in one:
        yield from (("long_run_low", one["long_run"]["low"]), ("long_run_high", one["long_run"]["high"]))
    yield "n", one["n"]


@pytest.mark.slow
def test_every_number_is_exactly_that_of_the_json(assay: Assay) -> None:
    """Every quantity, cell, count and stratum of a store with weeks, compared as floating-point numbers without a tolerance."""
    label_all(assay, fill(assay, weeks=3))
    assay("report", "--html", "r.html")
    page, found = Page(Path("r.html").read_text(encoding="utf-8")), assay.json("report")

    rows = page.table("quantities")
    assert list(rows) == list(WORDS)
    for name, one in rows.items():
        assert one.numbers == dict(numbers_of(found[name])), name
        assert (found[name]["method"] or "—") in one.words
        assert str(found[name].get("reason", "")).replace("`", "") in one.words
    cells = {name: value for one in page.rows if one.table == "cells" for name, value in one.numbers.items()}
    assert cells == found["cells"]
    counts = {name: value for one in page.rows if one.table == "counts" for name, value in one.numbers.items()}
    assert counts == {name: found.get(name, found["label_counts"].get(name)) for name in counts}
    strata = page.table("strata")
    assert {name: one.numbers for name, one in strata.items()} == {
        one["stratum"]: {name: one[name] for name in ("size", "drawn", "right", "wrong", "unsure", "response")}
        for one in found["strata"]
    }
    weeks, windows = page.table("weeks"), assay.json("drift")["windows"]
    assert [(name, one.numbers["labels"]) for name, one in weeks.items()] == [
        (one["window"], one["labels"]) for one in windows
    ]
    assert found["verdict"]["sentence"].replace("`", "") in page.words


@pytest.mark.slow
def test_judges_and_rules_are_those_of_the_json(store: Store) -> None:
    """The demo's judges with what they scored, and a row for each candidate rule."""
    from annotate.analysis.report.report import build
    from annotate.present.report_json import as_json

    walk(store)
    page, found = page_of(store), as_json(build(store))
    judges: Any = found["judges"]

    assert {name: one.numbers for name, one in page.table("judges").items()} == {
        one["signature"]: {name: one[name] for name in ("scored", "failed", "mean")} for one in judges
    }
    rules: Any = found["candidates"]
    assert len(page.table("rules")) == len(judges) + len(rules)


@pytest.mark.slow
@pytest.mark.parametrize("make", [nothing, traffic, judged, some_open, walk, three])
def test_every_state_has_a_whole_page(store: Store, make: Make) -> None:
    """From the empty store on: every element is closed, it has title, language and one first heading, and it asks nobody."""
    make(store)
    page = page_of(store)
    names = [name for name, _ in page.seen]

    assert names.count("h1") == names.count("main") == 1
    assert ("html", {"lang": "en"}) in page.seen
    assert not {"script", "link", "img", "iframe", "object", "form", "a"} & set(names)
    assert not any(name.startswith("on") or name in ("src", "href") for _, found in page.seen for name in found)
    pictures = [found for name, found in page.seen if name == "svg"]
    assert all(found["role"] == "img" for found in pictures)
    assert names.count("title") == 1 + len(pictures), "each picture says in words what it shows"


def test_what_is_not_measurable_says_why(store: Store) -> None:
    """Before a draw every quantity of the proxy is — with its reason, and no number."""
    judged(store)
    row = page_of(store).table("quantities")["sensitivity"]

    assert "estimate" not in row.numbers
    assert "not measurable: no wave has been drawn; run assay sample --labels 200" in row.words


@pytest.mark.slow
def test_texts_of_others_are_text_and_those_of_questions_are_not_there(store: Store) -> None:
    """Ids and names that hold markup stand as they were written; questions, answers and readers' names stay at home."""
    three(store)
    text = as_html(gather(store, now=NOW)).decode()

    assert "<b>1</b>" not in text
    assert "&lt;b&gt;1&lt;/b&gt;" in text
    assert "window.hacked" not in text
    assert HOSTILE[:20] not in text
    assert "onerror" not in text


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
    """0600 as other exports; `-` is standard output with the sentence beside it; a wrong ending and two outputs are refused."""
    label_all(assay, fill(assay, weeks=1))
    said = assay("report", "--html", "r.html").stdout
    piped = assay("report", "--html", "-")

    assert stat.S_IMODE(Path("r.html").stat().st_mode) == 0o600
    assert said.endswith("The page is r.html.\n")
    assert piped.stdout.startswith("<!doctype html>")
    assert piped.stderr.strip() == assay.json("report")["verdict"]["sentence"]
    assert "ends in .html" in assay("report", "--html", "r.txt", status=2).stderr
    assert "name a file" in assay("report", "--html", "-", "--json", status=2).stderr
    assert assay.json("report", "--html", "r.html")["items"] == 40


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
        boxes = [one.bounding_box() for one in page.locator("svg circle").all()]
        printed = page.pdf(prefer_css_page_size=True)

    assert asked == [Path("r.html").resolve().as_uri()]
    assert errors == []
    assert len(boxes) > 8
    assert all(one and one["width"] > 4 for one in boxes)
    assert printed.startswith(b"%PDF")
    sizes = {
        tuple(round(float(part)) for part in one.split()[2:]) for one in re.findall(rb"/MediaBox \[([^\]]+)\]", printed)
    }
    assert sizes == {(595, 842)}, "A4 in points"
