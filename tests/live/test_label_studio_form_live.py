"""The form in a real browser: hostile texts are shown as text, every script reads right, and one glance is enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import pytest

from annotate.domain.labelling_form import LANGUAGES, Form
from annotate.label_studio.local import LocalServer
from proxy.records import Context, Item, Turn
from support.browser import until
from support.form import data_of, open_stream, project_with
from support.label_studio import HOSTILE
from support.tiers import shortly

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = [pytest.mark.live, pytest.mark.browser]

FORM = Form()
LONG = "A sentence of ordinary length that says something. " * 80
# Where the letters of each line of a text stand, in pixels from the box's left and right side.
SIDES = """box => [...box.querySelectorAll('.lsf-richtext__line')].map(line => {
    const range = document.createRange(); range.selectNodeContents(line);
    const inner = range.getBoundingClientRect(), outer = box.getBoundingClientRect();
    return [inner.left - outer.left, outer.right - inner.right];
})"""


def show(page: Page, server: LocalServer, api: httpx.Client, item: Item, form: Form = FORM) -> None:
    open_stream(page, server, project_with(api, form, data_of(form, item)))


def test_hostile_texts_are_shown_as_text(page: Page, api: httpx.Client, label_studio_server: LocalServer) -> None:
    """Markup in any field is read, not run, and fetches nothing, under the strict policy that the server sends."""
    item = Item(
        id="1",
        question=f"Q {HOSTILE}",
        answer=f"A {HOSTILE}",
        contexts=(Context(text=f"P {HOSTILE}"), Context(text=f"F {HOSTILE}")),
        history=(Turn(role=f"R {HOSTILE}", text=f"H {HOSTILE}"),),
    )
    [data] = data_of(FORM, item)
    titled: Any = [
        {"title": f"{letter} {HOSTILE}", "text": passage["text"]}
        for letter, passage in zip("TU", data["passages"], strict=True)  # type: ignore[call-overload]
    ]
    project = project_with(api, FORM, [{**data, "passages": titled}])
    with page.expect_response(lambda answer: f"/projects/{project}/data" in answer.url) as document:
        open_stream(page, label_studio_server, project)
    page.get_by_text(f"U {HOSTILE}", exact=True).click()

    for letter in "QAPFRHTU":
        page.get_by_text(f"{letter} {HOSTILE}", exact=True).wait_for()
    page.wait_for_timeout(500)
    assert page.evaluate("window.hacked") is None
    assert page.locator(".as-form :is(script, img, iframe, a)").count() == 0
    assert "script-src 'self'" in document.value.headers["content-security-policy"]


def test_each_line_reads_in_its_own_direction(page: Page, api: httpx.Client, label_studio_server: LocalServer) -> None:
    """An Arabic or Hebrew line begins at the right side and an English one at the left, in every box."""
    arabic, hebrew = "الجرعة القصوى 4 جرام يوميًا.", "המינון המרבי הוא 4 גרם."
    text = f"{arabic}\nAt most 4 g a day.\n\n1. {hebrew}"
    item = Item(
        id="1", question=text, answer=text, contexts=(Context(text=text),), history=(Turn(role="user", text=text),)
    )
    show(page, label_studio_server, api, item)

    for box in (".as-turn", ".as-question", ".as-answer", ".as-passage .ant-collapse-content-box"):
        first, second, _, last = page.locator(box).evaluate(SIDES)
        for left, right in (first, last):
            assert right < 20 < left, box
        assert second[0] < 20 < second[1], box
        third = page.locator(f"{box} .lsf-richtext__line").nth(2)
        until(page, lambda: (third.bounding_box() or {"height": 0})["height"] > 10)  # noqa: B023 (asked at once)


def test_long_texts_are_whole_and_can_be_judged(
    page: Page, api: httpx.Client, label_studio_server: LocalServer
) -> None:
    """55,000 characters in every field arrive in full, scroll in their boxes, and leave the keys working."""
    text = "".join(f"Line {n} of a very long text.\n" for n in range(2000))[:55_000].strip()
    item = Item(
        id="1",
        question=text,
        answer="word" * 13_750,
        contexts=(Context(text=text), Context(text="x" * 55_000)),
        history=(Turn(role="user", text=text),),
    )
    show(page, label_studio_server, api, item)
    page.keyboard.press("1")

    until(page, lambda: page.locator("input[type=radio][name=Right]").is_checked())
    for box, expected in (
        (".as-question", text),
        (".as-answer", "word" * 13_750),
        (".as-passage >> nth=0 >> .ant-collapse-content-box", text),
        (".as-passage >> nth=1 >> .ant-collapse-content-box", "x" * 55_000),
    ):
        lines = page.locator(f"{box} >> .lsf-richtext__line").all_text_contents()
        assert "\n".join(lines) == expected, box
    assert page.evaluate("document.documentElement.scrollWidth") == 1366


@pytest.mark.parametrize("language", shortly(("en", "ko"), "ko"))
def test_the_first_passage_is_open_and_the_rest_folded(
    page: Page, api: httpx.Client, label_studio_server: LocalServer, language: str
) -> None:
    """In rank order under neutral titles; a click opens a folded one beside the open ones, or folds the first."""
    form = Form(language=language)
    texts = [f"Text of rank {rank}." for rank in range(1, 51)]
    item = Item(id="1", question="Q", answer="A", contexts=tuple(Context(text=text, title="secret") for text in texts))
    show(page, label_studio_server, api, item, form)
    headers = page.locator(".as-passage .ant-collapse-header")

    until(page, lambda: headers.all_text_contents() == [form.passage(rank) for rank in range(1, 51)])
    until(
        page, lambda: [header.get_attribute("aria-expanded") for header in headers.all()] == ["true"] + ["false"] * 49
    )
    until(page, lambda: page.get_by_text(texts[0]).is_visible())
    until(page, lambda: not page.get_by_text(texts[1]).is_visible())
    assert not page.locator(".as-none").is_visible()
    headers.nth(1).click()
    page.get_by_text(texts[1]).wait_for()
    until(page, lambda: page.get_by_text(texts[0]).is_visible())
    headers.nth(0).click()
    page.get_by_text(texts[0]).wait_for(state="hidden")


@pytest.mark.parametrize(
    ("language", "turns"), shortly([("en", 0), *((language, 6) for language in LANGUAGES)], ("en", 0), ("ko", 6))
)
def test_one_glance_is_enough(
    page: Page, api: httpx.Client, label_studio_server: LocalServer, language: str, turns: int
) -> None:
    """With long texts, what is needed to judge stands on a laptop's screen without scrolling, and so does the reference."""
    form = Form(language=language, asks_harm=True)
    item = Item(
        id="1",
        question=f"Long question? {LONG}",
        answer=LONG,
        contexts=(Context(text=LONG),) * 5,
        history=tuple(Turn(role="user", text=f"{n} {LONG}") for n in range(turns)),
    )
    show(page, label_studio_server, api, item, form)
    bottom = page.get_by_test_id("bottombar-submit-button").bounding_box()
    assert bottom is not None

    def stands(place: Locator, height: float | None = None) -> None:
        """The place, or its first pixels from above, is on the screen and above the bar with the buttons."""
        box = place.bounding_box()
        assert box is not None, place
        assert box["y"] >= 0, place
        assert box["y"] + (height or box["height"]) <= bottom["y"], place
        assert box["x"] + box["width"] <= 1366, place

    for verdict in ("right", "wrong", "unsure"):
        stands(page.locator(f"input[type=radio][name='{form._words()[verdict]}']"))
    for box in (".as-question", ".as-answer", *([".as-history"] if turns else [])):
        stands(page.locator(box))
    stands(page.get_by_text(form.passage(1), exact=True))
    stands(page.locator(".as-passage .lsf-richtext__line").first, height=200)
    until(page, lambda: page.locator(".as-earlier").is_visible() == bool(turns))
    assert (
        not turns or page.locator(".as-history").evaluate("box => box.scrollTop") == 0
    )  # 0 is the end: drawn from below
    page.keyboard.press("2")
    page.locator("textarea[name=reference]").wait_for()
    stands(page.locator("textarea[name=reference]"), height=40)


@pytest.mark.parametrize("language", shortly(LANGUAGES, "zh-Hant"))
def test_an_item_without_passages_says_so(
    page: Page, api: httpx.Client, label_studio_server: LocalServer, language: str
) -> None:
    """Where nothing was retrieved or said before, the expert is told of the one in the form's language, not of the other."""
    form = Form(language=language)
    show(page, label_studio_server, api, Item(id="1", question="Q", answer="A"), form)

    until(page, lambda: page.locator(".as-none").is_visible())
    until(page, lambda: page.locator(".as-none").inner_text().strip() == form._words()["no_passages"])
    assert not page.locator(".as-earlier").is_visible()
