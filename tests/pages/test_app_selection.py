"""The part of the traffic that is chosen in the header: shown where it makes sense, kept in the address, cleared by one key."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from annotate.analysis.report.report import ProjectReport, build
from annotate.analysis.rule_in_force import built_in
from annotate.domain.selection import Selection
from annotate.pages.kit import server
from annotate.pages.kit.selection import NO_SYSTEM
from annotate.present.messages import LANGUAGES, whole_table
from annotate.store import Store
from annotate.workflow.judging import offline
from proxy.records import Item, Judgement
from support.app import tables, widget, words
from support.judges import NOW, several
from support.mixed import mixed

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

HOME = "http://127.0.0.1:8501"
SEPTEMBER = Selection(system="s1", since="2026-09-01T00:00:00.000Z", until="2026-10-01T00:00:00.000Z")
ASKED = {"system": "s1", "from": "2026-09-01", "to": "2026-09-30"}
SHOWN, ELSEWHERE = "Shown: system s1 · 2026-09-01 to 2026-09-30", "This page shows all traffic"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two systems over two months, all labelled."""
    path = tmp_path_factory.mktemp("selection") / "assay.db"
    with closing(Store(path)) as store:
        several(store)
    return path


@pytest.fixture
def app(made: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The app, before its first page."""
    from streamlit.testing.v1 import AppTest

    monkeypatch.setenv("ASSAY_DB", str(made))
    return AppTest.from_file(str(server.app_file()), default_timeout=60)


def at(app: AppTest, page: str, **asked: str) -> AppTest:
    """The page as a link or the navigation opens it."""
    from streamlit.util import calc_hash

    app._page_hash = calc_hash(page) if page != server.FIRST_PAGE else ""
    app.query_params.clear()
    app.query_params.update(asked)
    app.context = {"url": f"{HOME}/{page}"}
    app.run()
    assert not app.exception
    return app


def report_of(made: Path, selection: Selection | None) -> ProjectReport:
    with closing(Store(made)) as store:
        return build(store, selection=selection)


def plain(app: AppTest) -> str:
    return words(app).replace("\\", "")


def test_the_overview_is_the_report_of_the_part(app: AppTest, made: Path) -> None:
    """Its figures and n, in place of those of all traffic; weeks of all traffic are called so, and no work is listed."""
    part, whole = report_of(made, SEPTEMBER), report_of(made, None)
    assert part.agreement.pass_precision.n != whole.agreement.pass_precision.n

    page = at(app, "overview", **ASKED)
    tiles = "\n".join(html.proto.body for html in page.get("html"))
    assert SHOWN in plain(page)
    assert f"n = {part.agreement.pass_precision.n:,}" in tiles
    assert f"n = {whole.agreement.pass_precision.n:,}" not in tiles
    assert f"n = {part.agreement.correctness.n:,}" in tiles
    assert whole_table()["selection.of_all"]["en"] in plain(page)
    assert not [block for block in page.get("page_link") if block.proto.page == "gold"]

    page.button(key="selection-clear").click().run()
    tiles = "\n".join(html.proto.body for html in page.get("html"))
    assert f"n = {whole.agreement.pass_precision.n:,}" in tiles
    assert "Shown:" not in plain(page)
    assert page.query_params == {}


def test_judges_and_disagreements_count_the_part(app: AppTest, made: Path) -> None:
    """The judges' table is that of the report of the part, the list the misses and false fails of it."""
    part, whole = report_of(made, SEPTEMBER), report_of(made, None)
    counts = {
        name: (report.agreement.counts.wrong_pass, report.agreement.counts.right_fail, report.agreement.counts.labels)
        for name, report in (("part", part), ("whole", whole))
    }
    misses, false_fails, labels = counts["part"]
    assert counts["part"] != counts["whole"]

    page = at(app, "disagreements", **ASKED)
    assert f"**In {misses + false_fails} of {labels} labelled answers**" in page.title[0].value
    assert f"Passed, but wrong: {misses}. Failed, but right: {false_fails}." in plain(page)

    [judge] = [each for each in part.judges if each.totals.judge == "context_relevance"]
    judges = at(page, "judges", **ASKED)
    judges.session_state["judges-agreement-1"] = True  # those without a verdict
    [row] = [row for row in tables(judges.run())[0].itertuples() if "context_relevance" in str(row)]
    assert part.items < whole.items
    assert f"{judge.totals.scored} of {part.items}" in str(row)


def test_a_count_of_all_traffic_lists_the_part_and_says_so(app: AppTest, made: Path) -> None:
    """A link of a page that does not follow the part asks for more than the list may hold: nothing claims that it is all."""
    counts = {
        name: report_of(made, of).agreement.counts.right_pass for name, of in (("part", SEPTEMBER), ("whole", None))
    }
    assert counts["part"] < counts["whole"]
    sentences = {name: whole_table()[f"disagreements.{name}"]["en"] for name in ("behind", "behind_part")}

    for asked, name, sentence in ((ASKED, "part", "behind_part"), ({}, "whole", "behind")):
        page = at(app, "disagreements", counted="cell~right_pass", **asked)
        assert f"of {counts[name]}" in plain(page)
        said = {key: words.replace("{count:,}", str(counts[name])) for key, words in sentences.items()}
        assert [key for key, words in said.items() if words in plain(page)] == [sentence]
        if asked:
            page.button(key="selection-clear").click().run()


def test_the_choice_holds_on_the_next_page_and_its_address_is_a_link(app: AppTest) -> None:
    """What is chosen on one page stands in the address of the next, which follows it or says that it does not."""
    page = at(app, "overview")
    page.selectbox(key="system").set_value("s1").run()
    page.selectbox(key="selection-period").set_value("last_month").run()
    assert page.query_params == ASKED

    for name, sentence in (("calibration", ELSEWHERE), ("systems", ELSEWHERE), ("judges", SHOWN), ("gold", ELSEWHERE)):
        assert sentence in plain(at(page, name)), name
        assert {key: page.query_params[key] for key in ASKED} == ASKED, name
    page.button(key="selection-clear").click().run()
    assert not set(ASKED) & set(page.query_params)
    assert not set(ASKED) & set(at(page, "judges").query_params)


def test_periods_are_counted_from_the_last_day_of_the_traffic(app: AppTest) -> None:
    """28 October 2026: the last seven days begin on the 22nd; days of one's own are written as they are, all days as none."""
    page = at(app, "judges")
    spans = {"last_7": ("2026-10-22", "2026-10-28"), "last_month": ("2026-09-01", "2026-09-30"), "": (None, None)}
    for period, (first, last) in spans.items():
        widget(page.selectbox, "selection-period").set_value(period).run()
        assert (page.query_params.get("from"), page.query_params.get("to")) == (first, last)
        assert widget(page.selectbox, "selection-period").value == period
    page.date_input[0].set_value((date(2026, 9, 3), date(2026, 9, 9))).run()
    assert (page.query_params["from"], page.query_params["to"]) == ("2026-09-03", "2026-09-09")
    assert widget(page.selectbox, "selection-period").value == "own"


def test_a_part_without_answers_says_so(app: AppTest) -> None:
    """No page is drawn, no error is shown, and the key that clears it is there; what is no system or day is named."""
    page = at(app, "disagreements", **{"from": "2031-01-01"})
    assert [info.value for info in page.info] == [whole_table()["selection.empty"]["en"]]
    assert not page.error
    page.button(key="selection-clear").click().run()
    assert "labelled answers" in page.title[0].value

    page = at(page, "overview", **{"system": "s9", "from": "soon"})
    assert "system = s9; from = soon" in plain(page)
    assert "Shown:" not in plain(page)


def test_a_part_that_no_wave_reached_has_its_counts_and_a_reason(
    app: AppTest, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers that came after the wave: the overview says that none was drawn, and Judges has no number."""
    path = tmp_path / "late.db"
    shutil.copy(made, path)
    monkeypatch.setenv("ASSAY_DB", str(path))
    with closing(Store(path)) as store:
        with store.atomic():
            items = [Item(id=f"late{n}", question=f"Who is {n}?", answer="Nobody.", system="new") for n in range(3)]
            store.traffic.items.add(items, now=NOW)
        offline.judge(store, list(built_in().values()), now=NOW)

    page = at(app, "overview", system="new")
    assert "No answer is labelled yet" in plain(page)
    assert "Shown: system new" in plain(page)
    assert "draw more" in plain(at(page, "judges", system="new"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_part_is_named_in_every_language(app: AppTest, language: str) -> None:
    """Above the title of a page that follows it, and of one that does not."""
    table = whole_table()
    for name, key in (("overview", "selection.shown"), ("labelling", "selection.not_followed")):
        before, after = table[key][language].split("{part}")
        page = plain(at(app, name, lang=language, **ASKED))
        assert before in page, name
        assert after in page, name
        assert table["selection.clear"][language] in [button.label for button in app.button]


def test_answers_that_name_no_system_can_be_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The header offers them beside the systems; each part has as many labelled answers with a verdict as are counted by hand."""
    from streamlit.testing.v1 import AppTest

    path = tmp_path / "assay.db"
    with closing(Store(path)) as store:
        mixed(store)
        labels = store.labels.that_count()
        items = store.traffic.items.read(list(labels))
    with closing(sqlite3.connect(path)) as rows:
        scored = {item for (item,) in rows.execute("SELECT item FROM scores GROUP BY item HAVING count(value) = 2")}
    decided = [row for row, label in labels.items() if label.judgement in (Judgement.RIGHT, Judgement.WRONG)]
    by_hand = Counter(items[row].system for row in decided if row in scored)
    monkeypatch.setenv("ASSAY_DB", str(path))
    page = at(AppTest.from_file(str(server.app_file()), default_timeout=60), "disagreements")
    counted = {}
    for code, system in (("old", "old"), ("new", "new"), (NO_SYSTEM, None)):
        widget(page.selectbox, "system").set_value(code).run()
        assert page.query_params["system"] == code
        [heading] = re.findall(r"In (\d+) of (\d+) labelled answers", page.title[0].value)
        counted[system] = int(heading[1])
    assert counted == by_hand
    assert "Shown: Without a system" in plain(page)
