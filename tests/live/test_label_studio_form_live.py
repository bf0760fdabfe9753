"""The form in a real browser: hostile texts are shown as text, every script reads right, and nothing is cut off."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import httpx
import pytest

from annotate.domain.labelling_form import LANGUAGES, Form
from annotate.label_studio.local import LocalServer
from proxy.records import Context, Item, Turn
from support.browser import until
from support.form import HIDDEN, SIZES, data_of, open_stream, project_with
from support.label_studio import HOSTILE
from support.tiers import shortly

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.live, pytest.mark.browser]

FORM = Form()
LONG = "A sentence of ordinary length that says something. " * 80
# Where the letters of each line of a text stand, in pixels from the box's left and right side.
SIDES = """box => [...box.querySelectorAll('.lsf-richtext__line, p')].map(line => {
    const range = document.createRange(); range.selectNodeContents(line);
    const inner = range.getBoundingClientRect(), outer = box.getBoundingClientRect();
    return [inner.left - outer.left, outer.right - inner.right];
})"""
MARKDOWN = (
    f"{HOSTILE} [a](javascript:window.hacked=1) ![b](http://evil.invalid/x) </div><style>*{{display:none}}</style>"
)


def show(page: Page, server: LocalServer, api: httpx.Client, item: Item, form: Form = FORM) -> None:
    open_stream(page, server, project_with(api, form, data_of(form, item)))


def test_hostile_texts_are_shown_as_text(page: Page, api: httpx.Client, label_studio_server: LocalServer) -> None:
    """Markup in any field is read, not run, and fetches nothing, under the strict policy that the server sends."""
    item = Item(
        id="1",
        question=f"Q {HOSTILE}",
        answer=f"A {MARKDOWN}\n- {MARKDOWN}\n- {HOSTILE}",
        contexts=(
            Context(text=f"P {MARKDOWN}", title=f"T {HOSTILE}"),
            Context(text=f"F {HOSTILE}", title=f"U {HOSTILE}"),
        ),
        history=(Turn(role=f"R {HOSTILE}", text=f"H {MARKDOWN}"),),
    )
    project = project_with(api, FORM, data_of(FORM, item))
    with page.expect_response(lambda answer: f"/projects/{project}/data" in answer.url) as document:
        open_stream(page, label_studio_server, project)
    page.keyboard.press("p")

    for letter, box in zip(
        "QATPUFRH", (".as-question", ".as-answer", *[".as-read"] * 4, *[".as-recent"] * 2), strict=True
    ):
        until(page, lambda: f"{letter} {HOSTILE[:60]}" in page.locator(box).inner_text())  # noqa: B023 (asked at once)
    assert "(http://evil.invalid/x)" in page.locator(".as-answer").inner_text()
    assert page.locator(".as-answer :is(ul, strong)").count() > 1
    page.wait_for_timeout(500)
    assert page.evaluate("window.hacked") is None
    assert page.locator(".as-form :is(script, img, iframe, a)").count() == 0
    assert (
        page.locator(".as-text .lsf-richtext__container :is(svg, style, input, [style], [onerror], [onload])").count()
        == 0
    )
    assert "script-src 'self'" in document.value.headers["content-security-policy"]


def test_each_line_reads_in_its_own_direction(page: Page, api: httpx.Client, label_studio_server: LocalServer) -> None:
    """An Arabic or Hebrew line begins at the right side and an English one at the left, in every box."""
    arabic, hebrew = "الجرعة القصوى 4 جرام يوميًا.", "המינון המרבי הוא 4 גרם."
    text = f"{arabic}\nAt most 4 g a day, in whatever form it is taken.\n\n1. {hebrew}"
    item = Item(
        id="1", question=text, answer=text, contexts=(Context(text=text),), history=(Turn(role="user", text=text),)
    )
    show(page, label_studio_server, api, item)

    for box in (".as-turn", ".as-question", ".as-answer", ".as-passage .as-folded"):
        first, second, third, last = page.locator(box).evaluate(SIDES)
        for left, right in (first, last):
            assert right < 20 < left, box
        assert second[0] < 20, box
        assert third is not None


def test_long_texts_are_whole_and_can_be_judged(
    page: Page, api: httpx.Client, label_studio_server: LocalServer
) -> None:
    """55,000 characters in every field arrive in full, are marked where the screen ends, and leave the keys working."""
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
        (".as-turn", text),
        (".as-question", text),
        (".as-answer", "word" * 13_750),
        (".as-passage >> nth=0 >> .as-folded", text),
        (".as-passage >> nth=1 >> .as-folded", "x" * 55_000),
    ):
        lines = page.locator(f"{box} >> :is(.lsf-richtext__line, p)").all_text_contents()
        assert "\n".join(lines) == expected, box
    assert page.evaluate(HIDDEN) == []
    mark, touch = page.locator(".as-more").first, "Emulation.setTouchEmulationEnabled"
    assert mark.inner_text().strip() == FORM._words()["more_below"]
    devtools = page.context.new_cdp_session(page)
    devtools.send(touch, {"enabled": True})
    until(page, lambda: mark.inner_text().strip() == FORM._words()["more_below_touch"])  # a finger has no keys
    assert not page.locator(".as-keys").is_visible()
    devtools.send(touch, {"enabled": False})


@pytest.mark.parametrize("language", shortly(("en", "ko"), "ko"))
def test_passages_and_turns_open_and_close_by_key(
    page: Page, api: httpx.Client, label_studio_server: LocalServer, language: str
) -> None:
    """The first passage stands open, in rank order under their titles; Shift and a digit, P, and H fold and open, and so does a click."""
    form = Form(language=language)
    texts = [f"Text of rank {rank}." for rank in range(1, 13)]
    turns = tuple(Turn(role="user", text=f"Turn {n}.") for n in range(5))
    contexts = tuple(Context(text=text, title=f"Title of {text}") for text in texts)
    item = Item(
        id="1", question="Q", answer="A", contexts=contexts, history=(Turn(role="system", text="Be kind."), *turns),
        metadata={"contexts": [{"text": text, "date": "2021-03-04"} for text in texts]},
    )  # fmt: skip
    show(page, label_studio_server, api, item, form)
    labels = page.locator(".as-passage .as-fold label")

    def opened() -> list[int]:
        return [rank for rank, text in enumerate(texts, start=1) if page.get_by_text(text, exact=True).is_visible()]

    def shown() -> list[int]:
        return [n for n in range(5) if page.get_by_text(f"Turn {n}.").is_visible()]

    titles = [f"{form.passage(rank)} · Title of {text} · 2021-03-04" for rank, text in enumerate(texts, start=1)]
    until(page, lambda: [label.split("[")[0] for label in labels.all_text_contents()] == titles)
    assert page.get_by_text("Be kind.").count() == 0
    assert not page.locator(".as-none").is_visible()
    tenth = (labels.nth(9).text_content() or "").rpartition("[")[2].rstrip("]")
    for key, ranks in (
        ("", [1]), ("Shift+2", [1, 2]), ("Shift+1", [2]), ("Shift+9", [2, 9]), ("Shift+2", [9]), (tenth, [9, 10]),
        ("p", list(range(1, 13))), ("p", [9, 10]), ("Shift+1", [1, 9, 10]),
    ):  # fmt: skip
        if key:
            page.keyboard.press(key)
        until(page, lambda: opened() == ranks)  # noqa: B023 (asked at once)
    labels.nth(10).click()
    until(page, lambda: opened() == [1, 9, 10, 11])
    for key, places in (("", [3, 4]), ("h", [0, 1, 2, 3, 4]), ("h", [3, 4])):
        if key:
            page.keyboard.press(key)
        until(page, lambda: shown() == places)  # noqa: B023 (asked at once)


LONG_TURNS = shortly([("en", 0), *((language, 6) for language in LANGUAGES)], ("en", 0), ("ko", 6))


def show_long(page: Page, api: httpx.Client, server: LocalServer, language: str, turns: int) -> Form:
    """A task whose texts go on below every screen, in the form that asks for most."""
    form = Form(language=language, asks_harm=True)
    item = Item(
        id="1",
        question="A question?",
        answer=LONG,
        contexts=(Context(text=LONG[:900]),) * 3,
        history=tuple(Turn(role="user", text=f"{n} {LONG[:300]}") for n in range(turns)),
    )
    show(page, server, api, item, form)
    return form


@pytest.mark.parametrize(("language", "turns"), LONG_TURNS)
def test_all_choices_are_seen_at_one_glance(
    page: Page, api: httpx.Client, label_studio_server: LocalServer, language: str, turns: int
) -> None:
    """At every size verdict, causes, harm and reference stand on the screen; older versions of Label Studio leave less room."""
    form = show_long(page, api, label_studio_server, language, turns)

    def on_screen(*choices: str) -> list[bool]:
        bar = page.get_by_test_id("bottombar-submit-button").bounding_box()
        boxes = [page.locator(f"input[name='{form._words()[choice]}']").bounding_box() for choice in choices]
        assert bar is not None
        return [box is not None and box["y"] >= 0 and box["y"] + box["height"] <= bar["y"] for box in boxes]

    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        until(page, lambda: all(on_screen("right", "wrong", "unsure")))
    page.keyboard.press("2")
    page.locator("textarea[name=reference]").wait_for()
    wanted = ("wrong", "retrieval_missed", "outdated_or_unsafe", "other", "harm_none", "harm_serious")
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        until(page, lambda: all(on_screen(*wanted)))


@pytest.mark.parametrize(("language", "turns"), LONG_TURNS)
def test_nothing_is_cut_off_without_a_mark(
    page: Page, api: httpx.Client, label_studio_server: LocalServer, language: str, turns: int
) -> None:
    """At every size, before a verdict and after *wrong*, what goes on below is marked; Space leads there."""
    show_long(page, api, label_studio_server, language, turns)

    for key in (None, "2"):
        if key:
            page.keyboard.press(key)
            page.locator("textarea[name=reference]").wait_for()
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            until(page, lambda: page.evaluate(HIDDEN) == [])
    page.set_viewport_size({"width": 1093, "height": 614})
    seen = [page.evaluate("scrollY")]
    for _ in range(40):
        page.keyboard.press("Space")
        page.wait_for_timeout(100)
        seen.append(page.evaluate("scrollY"))
        assert page.evaluate(HIDDEN) == []
        if seen[-1] == seen[-2]:
            break
    free = page.evaluate(
        "document.querySelector('.lsf-bottombar').getBoundingClientRect().top - document.querySelector('.as-decide').getBoundingClientRect().bottom"
    )
    assert max(after - before for before, after in pairwise(seen)) < free  # no line is passed over
    assert page.locator(".as-answer").evaluate("box => box.getBoundingClientRect().bottom") < 614
    page.set_viewport_size({"width": 1366, "height": 768})


@pytest.mark.parametrize("language", shortly(LANGUAGES, "zh-Hant"))
def test_an_item_without_passages_says_so(
    page: Page, api: httpx.Client, label_studio_server: LocalServer, language: str
) -> None:
    """Where nothing was retrieved or said before, the expert is told of the one in the form's language, not of the other."""
    form = Form(language=language)
    show(page, label_studio_server, api, Item(id="1", question="Q", answer="A"), form)

    until(page, lambda: page.locator(".as-none").is_visible())
    until(page, lambda: page.locator(".as-none").inner_text().strip() == form._words()["no_passages"])
    assert not page.locator(".as-talk").is_visible()
