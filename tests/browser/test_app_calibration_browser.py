"""The calibration page in a real browser: the slider and what a step of it says and costs, a threshold used, undone, certified."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

from annotate.analysis.calibration import explore
from annotate.present.report.tiles import interval_of
from annotate.store import Store
from proxy.evaluation.trust import percent
from proxy.text import numbers
from support.app import nothing
from support.browser import page_on, pick, settled, sign, until
from support.calibration import labelled, scored
from support.calibration_page import Shown, figures_of
from support.store import Assay

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, WebSocket

pytestmark = pytest.mark.browser

TITLE = "Where should the threshold be?"
MOST_BYTES_A_STEP = 10_000
MARKS = ".mark-symbol.role-mark path"


def asked(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def figures(page: Page) -> dict[str, Shown]:
    """The three figures at the threshold that is looked at, whether one is weighted or not."""
    shown = figures_of(page.locator(".a-figures").inner_html())
    return {name: Shown(figure.value, figure.beside.removesuffix(", weighted")) for name, figure in shown.items()}


def measured(db: Path, threshold: float) -> dict[str, Shown]:
    """The same, as the API measures them."""
    with closing(Store(db)) as store:
        at = explore.at(explore.ladder(store), threshold)
    precision, wrong = at.agreement.pass_precision, at.per_thousand
    low, high = interval_of(precision)
    least, most = interval_of(wrong)
    assert low is not None
    assert high is not None
    ends = f"{percent(low).removesuffix(' %')} to {percent(high)}"
    counts = f"{numbers.per_thousand(least)} to {numbers.per_thousand(most)}"
    return {
        "Right among the passed": Shown(percent(precision.estimate or 0), f"{ends} · n = {precision.n}"),
        "Passed by the proxy": Shown(percent(at.pass_rate.estimate or 0), f"n = {at.pass_rate.n}"),
        "False passes, of 1,000 answers": Shown(numbers.per_thousand(wrong.estimate), f"{counts} · n = {wrong.n}"),
    }


def look(page: Page, threshold: str) -> None:
    """Wait until the instrument shows this threshold."""
    page.locator("[data-testid=stSliderThumbValue]").get_by_text(threshold).wait_for()
    page.get_by_role("button", name=f"Use {threshold}").wait_for()
    settled(page)


def slide(page: Page, steps: int) -> None:
    """Move the threshold with the keyboard, a hundredth a step."""
    page.get_by_role("slider").focus()
    for _ in range(steps):
        page.keyboard.press("ArrowRight")


def rules(db: Path) -> list[tuple[str, str, bool]]:
    with closing(Store(db)) as store:
        return [(rule.name, rule.expression, rule.is_calibrated) for rule, _, _ in store.scores.rules.history()]


def test_a_step_of_the_slider_is_true_and_small(chromium: Browser, assay: Assay) -> None:
    """By keyboard: the figures are the API's at every step, the curve's axis is the slider's, and a step is few bytes."""
    labelled(scored(assay), 240)
    received: list[bytes] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda data: received.append(data.encode() if isinstance(data, str) else data))

    with page_on(chromium, assay.db, nothing) as (page, watch):
        page.on("websocket", listen)
        page.goto(page.url.partition("?")[0].rstrip("/") + "/calibration?lang=en")
        page.get_by_role("heading", name=TITLE).wait_for()
        settled(page)
        assert figures(page) == measured(assay.db, 0.5)
        for threshold in (0.51, 0.52, 0.53):
            received.clear()
            slide(page, 1)
            look(page, f"{threshold:.3f}")
            assert figures(page) == measured(assay.db, threshold)
            assert 0 < sum(map(len, received)) < MOST_BYTES_A_STEP
            assert page.evaluate("document.activeElement.type") == "range"

        track = page.locator("[data-testid=stSlider] [data-orientation=horizontal] [data-orientation=horizontal]").first
        plot, axis = page.locator(".a-plot").bounding_box(), track.bounding_box()
        assert plot is not None
        assert axis is not None
        assert (plot["x"], plot["width"]) == pytest.approx((axis["x"], axis["width"]), abs=1)
        instrument = page.locator(".st-key-card-cells").bounding_box()
        assert instrument is not None
        assert instrument["y"] + instrument["height"] < 768
        watch.assert_clean(page)


def test_a_threshold_is_looked_at_shared_used_and_undone(chromium: Browser, assay: Assay) -> None:
    """By keyboard and mouse, on one store: every action of the page, and what it leaves behind."""
    labelled(scored(assay), 240)
    with page_on(chromium, assay.db, nothing) as (page, watch):
        page.get_by_role("link", name="Calibration").click()
        page.get_by_role("heading", name=TITLE).wait_for()
        settled(page)
        sign(page, "dr-kim")
        assert page.get_by_role("button", name="Use 0.500").is_disabled()

        slide(page, 12)
        look(page, "0.620")
        until(page, lambda: asked(page).get("threshold") == ["0.62"])
        shown = figures(page)
        page.get_by_role("link", name="Judges").click()
        page.get_by_role("heading", level=1).get_by_text("judge").first.wait_for()
        settled(page)
        page.go_back()
        look(page, "0.620")
        assert asked(page)["threshold"] == ["0.62"]
        assert figures(page) == shown

        page.get_by_role("button", name="Use 0.620").click()
        page.get_by_text("In force now: mine, version 2: quality > 0.62").wait_for()
        settled(page)
        assert rules(assay.db)[-1] == ("mine", "quality > 0.62", False)
        page.get_by_role("heading", name="0.620 is in force").wait_for()
        assert "threshold" not in asked(page)
        page.get_by_role("button", name="Back to 0.500").click()
        page.get_by_role("heading", name="0.500 is in force").wait_for()
        settled(page)
        assert rules(assay.db)[-1] == ("mine", "quality > 0.5", False)

        for name, words in (
            ("isotonic", "By isotonic steps the chance is"),
            ("Platt", "By Platt's curve the chance is"),
        ):
            page.get_by_role("radio", name=name).or_(page.get_by_role("button", name=name)).first.click()
            page.get_by_text(words).wait_for()
        page.get_by_role("tab", name="Find a guaranteed threshold").click()
        page.get_by_role("button", name="Put the guaranteed threshold in force").click()
        page.get_by_text(re.compile(r"^Labels chose this threshold with a guarantee")).wait_for()
        settled(page)
        name, guaranteed, is_calibrated = rules(assay.db)[-1]
        assert (name, is_calibrated) == ("mine", True)
        page.get_by_text(re.compile(r"The threshold in force, 0\.\d+, keeps at least 90 %")).wait_for()

        slide(page, 5)
        page.get_by_text("Chosen by eye on these labels").wait_for()
        settled(page)
        page.get_by_role("button", name=re.compile("^Use 0")).click()
        page.get_by_role("dialog").get_by_role("button", name="Keep the guarantee").click()
        page.get_by_role("dialog").wait_for(state="detached")
        settled(page)
        assert rules(assay.db)[-1][1] == guaranteed
        watch.assert_clean(page)
    with closing(Store(assay.db)) as store:
        assert store.check() == []
        assert [event.who for event in store.audit.events.all()][-3:] == ["dr-kim"] * 3


def test_a_dot_opens_its_answer(chromium: Browser, assay: Assay) -> None:
    """The tab is in the address; the link names the answer that was clicked, which the chart did not."""
    labelled(scored(assay), 240)
    with page_on(chromium, assay.db, nothing) as (page, watch):
        page.goto(page.url.partition("?")[0].rstrip("/") + "/calibration?lang=en&tab=labels")
        page.get_by_text("Labelled draws: 240").wait_for()
        pick(page, "Judge", "quality")
        page.get_by_text("Labelled draws: 240").wait_for()
        settled(page)
        assert asked(page)["judge"] == ["quality"]
        page.locator(MARKS).first.click()
        page.wait_for_url("**/disagreements?*item=i*")
        settled(page)
        watch.assert_clean(page)
