"""Tables and pictures in a real browser: found by its search, read by its tree, saved as files, led from to the answers."""

from __future__ import annotations

import csv
import io
import re
from contextlib import closing
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from annotate.analysis.report import report
from annotate.store import Store
from support.axe import barriers
from support.browser import page_on, settled
from support.systems import many

pytestmark = pytest.mark.browser

TABLE = "Which judges and metrics tell right from wrong?"
PNG = b"\x89PNG\r\n\x1a\n"
DARK = "rgb(15,19,23)"


def test_a_table_is_text_and_a_file_and_a_picture_is_one_too(chromium: Browser, tmp_path: Path) -> None:
    """One walk: search, CSV against the JSON, a count to its list and back, SVG and PNG by day and by night, a phone."""
    with page_on(chromium, tmp_path / "assay.db", many) as (page, watch):
        page.goto(f"{page.url}judges")
        table = page.get_by_role("table", name=TABLE)
        expect(table.get_by_role("rowheader", name="s", exact=True)).to_be_visible()
        settled(page)
        assert page.evaluate("window.find('read by the rule')")
        _file_is_the_json(page, tmp_path / "assay.db")

        page.goto(page.url.replace("judges", "judges?judges=scores"))
        settled(page)
        _count_leads_to_its_list(page)

        page.goto(f"{page.url.partition('/disagreements')[0]}/calibration")
        settled(page)
        own, drawn = page.locator(".a-save").first, page.locator(".a-save[data-file=reliability-diagram]")
        assert len(list(_svg(page, own, "right-among-the-passed-by-threshold").iter())) > len(("svg", "title", "rect"))
        assert _texts(_svg(page, drawn, "reliability-diagram")) >= {"0%", "100%"}
        assert _saved(page, own, "png", "right-among-the-passed-by-threshold").startswith(PNG)

        page.emulate_media(color_scheme="dark")
        page.reload()
        settled(page)
        assert _ground(_svg(page, drawn, "reliability-diagram")) == _ground(_svg(page, own, None)) == DARK
        assert barriers(page) == []

        page.set_viewport_size({"width": 390, "height": 844})
        page.goto(page.url.replace("calibration", "judges"))
        settled(page)
        _row_keeps_its_name(table)
        assert barriers(page) == []
        watch.assert_clean(page)


def _file_is_the_json(page: Page, db: Path) -> None:
    """Every digit of the AUROC and of both ends, by the same route as `assay report --json`."""
    with page.expect_download() as saved:
        page.get_by_test_id("stDownloadButton").first.get_by_role("button").click()
    [row] = csv.DictReader(io.StringIO(Path(saved.value.path()).read_text(encoding="utf-8")))
    with closing(Store(db, reads_only=True)) as store:
        [judge] = report.build(store).judges
    auroc, of_all, name = judge.alone.auroc, judge.auroc_of_all, "Ranking of right above wrong"
    assert of_all is not None

    assert saved.value.suggested_filename == "judges.csv"
    assert row["Judge"] == "s"
    assert [float(row[f"{name}{end}"]) for end in ("", ", low end", ", high end")] == [
        auroc.estimate,
        *of_all,
    ]
    assert int(row[f"{name}, n"]) == auroc.n


def _count_leads_to_its_list(page: Page) -> None:
    """By keyboard, in the same session; going back in the browser comes back."""
    link = page.locator("a.a-go[href*=counted]").first
    count = int(re.findall(r"\d+", link.inner_text())[0])
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/disagreements?counted=**")
    settled(page)
    expect(page.locator(".st-key-disagreements-foot")).to_contain_text(f"of {count}")
    # Three systems answered the first question: the row that is marked is the one that is open.
    expect(page.locator(".st-key-disagreements-rows input").first).to_be_checked()
    page.go_back()
    page.wait_for_url("**/judges?**")
    settled(page)
    expect(page.locator("a.a-go[href*=counted]").last).to_be_visible()
    page.go_forward()
    page.wait_for_url("**/disagreements?**")
    settled(page)


def _saved(page: Page, picture: Locator, kind: str, name: str | None) -> bytes:
    """What the browser saves, by keyboard."""
    picture.locator(f"button[data-kind={kind}]").focus()
    with page.expect_download() as saved:
        page.keyboard.press("Enter")
    assert name is None or saved.value.suggested_filename == f"{name}.{kind}"
    return Path(saved.value.path()).read_bytes()


def _svg(page: Page, picture: Locator, name: str | None) -> ET.Element:
    return ET.fromstring(_saved(page, picture, "svg", name))


def _texts(svg: ET.Element) -> set[str]:
    return {"".join(text.itertext()) for text in svg.iter("{http://www.w3.org/2000/svg}text")}


def _ground(svg: ET.Element) -> str | None:
    return next(svg.iter("{http://www.w3.org/2000/svg}rect")).get("fill")


def _row_keeps_its_name(table: Locator) -> None:
    """Scrolled to its end, the name of the row still stands at the left edge of what is seen."""
    region = table.locator("xpath=..")
    region.evaluate("element => { element.scrollLeft = element.scrollWidth; }")
    seen, name = region.bounding_box(), table.get_by_role("rowheader").first.bounding_box()
    assert region.evaluate("element => element.scrollLeft") > 0
    assert seen
    assert name
    assert abs(name["x"] - seen["x"]) < 3
