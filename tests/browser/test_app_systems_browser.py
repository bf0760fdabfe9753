"""The page Systems in a real browser: a row is read, a draw is tried, sides and slices come from the address, two scores meet."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from support.axe import barriers
from support.browser import choose_row, page_on, pick, settled, until
from support.systems import QUESTIONS, RIGHT, graded, hostile, many

pytestmark = pytest.mark.browser


def open_page(page: Page, name: str, heading: str) -> None:
    page.get_by_role("link", name=name, exact=True).click()
    page.get_by_role("heading", name=heading).wait_for()
    settled(page)


def open_tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name, exact=True).click()
    settled(page)


def test_every_action_of_the_page(chromium: Browser, tmp_path: Path) -> None:
    """Sides, a listed question, the dry run, all pairs, what was not tested; then two scores on the page Judges."""
    with page_on(chromium, tmp_path / "assay.db", many) as (page, watch):
        open_page(page, "Systems", "Which system is better?")
        page.get_by_role("tab", name="All systems").wait_for()
        main = page.get_by_test_id("stMain")

        pick(page, "Old (A)", "top-k-3")
        pick(page, "New (B)", "rerank-2")
        settled(page)
        expect(main).to_contain_text("rerank-2 is better than top-k-3")
        until(page, lambda: "a=top-k-3" in page.url)

        open_tab(page, "Both answers")
        choose_row(page, "What broke, and what was fixed?")
        expect(main).to_contain_text("annotators: right; proxy:")
        expect(main).to_contain_text("Floor")

        main.get_by_role("button", name="to label").click()
        page.get_by_role("spinbutton", name="Labels").fill("20")
        page.get_by_role("button", name="Show what would be drawn").click()
        page.get_by_text("would draw").wait_for()
        expect(page.get_by_role("button", name="Draw these")).to_be_disabled()
        page.keyboard.press("Escape")

        for tab, part in (("All systems", "Every two systems"), ("Slices", "Not tested: too few labels")):
            open_tab(page, tab)
            page.get_by_text(part).click()
            settled(page)
        page.reload()
        settled(page)
        expect(main).to_contain_text("rerank-2 is better than top-k-3")
        watch.assert_clean(page)

        open_page(page, "Judges", "Which judges tell right from wrong")
        page.get_by_role("radio", name="Two scores").click()
        page.get_by_text("How do two scores go together?").wait_for()
        settled(page)
        expect(main).to_contain_text("Matched: 90 of 90 drawn labels")
        page.get_by_role("radiogroup", name="Means by").get_by_role("radio", name="month").click(force=True)
        settled(page)
        page.get_by_text("All thresholds").click()
        settled(page)
        choose_row(page, "Where they are furthest apart")
        expect(main).to_contain_text("The app answered")
        watch.assert_clean(page)


def test_hostile_names_stay_text(chromium: Browser, tmp_path: Path) -> None:
    """Systems with scripts and images for a name: shown, never run, nothing asked of another machine."""
    with page_on(chromium, tmp_path / "assay.db", hostile) as (page, watch):
        open_page(page, "Systems", "Which system is better?")
        main = page.get_by_test_id("stMain")

        expect(main).to_contain_text("<script>window.hacked=1</script>")
        assert main.locator("script, img").count() == 0
        watch.assert_clean(page)


def test_a_grade_opens_both_answers(chromium: Browser, tmp_path: Path) -> None:
    """A cell lists as many questions as it says, a row and a dot open both answers to theirs; light, dark, and by keyboard."""
    with page_on(chromium, tmp_path / "assay.db", graded) as (page, watch):
        page.goto(f"{page.url.rstrip('/')}/systems?systems=grades&a=top-k-8&b=rerank-2")
        settled(page)
        main = page.get_by_test_id("stMain")
        table = page.get_by_role("table", name="Each question by system")
        table.wait_for()
        assert table.locator("tbody tr").count() == 40
        cells = page.locator(".st-key-systems-grades-cells .mark-rect.role-mark path")
        counts = [re.search(r"n: (\d+)", cell.get_attribute("aria-label") or "") for cell in cells.all()]
        place, count = next((place, int(match[1])) for place, match in enumerate(counts) if match)
        assert sum(int(match[1]) for match in counts if match) == QUESTIONS
        cells.nth(place).click(force=True)  # on its number
        expect(table.locator("tbody tr")).to_have_count(count)
        assert count < 40

        row = table.locator("tbody tr").first
        question = row.get_by_role("link").inner_text()
        choose_row(page, "Each question by system")
        number = re.findall(r"\d+", question)[0]
        for system in ("top-k-8", "rerank-2"):
            expect(main).to_contain_text(f"{system} · {system}/{number}")
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme)
            settled(page)
            assert barriers(page) == []
            if folder := os.environ.get("ASSAY_SHOTS"):
                main.screenshot(path=Path(folder) / f"grades-{scheme}.png")

        dot = page.locator(".st-key-systems-grades-dots .mark-symbol.role-mark path").nth(3)
        label = dot.get_attribute("aria-label") or ""
        grade, system = re.search(r"grade: ([\d.]+)", label), next(name for name in RIGHT if name in label)
        before = main.get_by_text(re.compile(r"^top-k-8 · top-k-8/\d+$")).count()
        dot.click(force=True)
        settled(page)
        opened = main.get_by_text(re.compile(r"^top-k-8 · top-k-8/\d+$"))
        assert opened.count() == before + 1
        number = re.findall(r"\d+", opened.first.inner_text())[-1]
        assert grade
        assert float(grade[1]) == 1 + (int(number) * (1 + list(RIGHT).index(system))) % 5
        watch.assert_clean(page)
