"""Labelling by keys in a real browser: what is pressed, what is stored, and who the server says did it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
import pytest

from annotate.domain import labelling_task
from annotate.domain.labelling_form import LANGUAGES, Form
from annotate.domain.labelling_guide import guide_from
from annotate.domain.passage_relevance import PassageRelevance
from annotate.label_studio.local import LocalServer
from proxy.records import Context, Item, Judgement
from support.browser import until
from support.form import data_of, next_task, open_stream, project_with, raw_tasks, stored
from support.label_studio import HOSTILE, Expert, post, verdict
from support.tiers import shortly

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.live, pytest.mark.browser]

FORM = Form(asks_harm=True)


def questions(api: httpx.Client, count: int, form: Form = FORM, **settings: object) -> int:
    """A project with tasks whose questions are Q0, Q1 ..."""
    items = [Item(id=str(n), question=f"Q{n}", answer=f"Answer {n}.") for n in range(count)]
    return project_with(api, form, data_of(form, *items), **settings)


def press(page: Page, *keys: str) -> int:
    """Press these keys and say how many they were; keys held together are one."""
    for key in keys:
        page.keyboard.press(key)
    return len(keys)


def read_the_guide(page: Page) -> None:
    """Click the button in the menu, which takes clicks once the mouse is over the menu."""
    page.locator(".lsf-menu-header").hover(position={"x": 400, "y": 4})
    page.get_by_role("button", name="Instructions").click()


@pytest.mark.parametrize("language", shortly(LANGUAGES, "en", "zh-Hant"))
def test_the_same_keys_store_the_same_words_in_every_language(
    page: Page, api: httpx.Client, label_studio_server: LocalServer, language: str
) -> None:
    """Two presses make a right, an unsure or a wrong label; more keys say causes and harm, which go when it turns right.

    Only a draw that is asked about its passages shows that question, and only after the verdict.
    """
    form = Form(language=language, asks_harm=True, asks_passages=True)
    passages = (Context(text="A"), Context(text="B"))
    items = [Item(id=str(n), question=f"Q{n}", answer=f"Answer {n}.", contexts=passages) for n in range(5)]
    tasks = [labelling_task.task(f"k{n}", item, form, is_asked=n == 1) for n, item in enumerate(items)]
    project = project_with(api, form, [each.data for each in tasks])
    asked = page.locator(".as-asked input")
    open_stream(page, label_studio_server, project)

    next_task(page, "Q0")
    press(page, "1")
    until(page, lambda: page.locator("input[type=radio]:checked").count() == 1)
    assert asked.count() == 0
    assert not page.locator(".as-ask").is_visible()
    press(page, "q", "Control+Enter")
    next_task(page, "Q1")
    assert not page.locator(".as-ask").is_visible()
    press(page, "3")
    until(page, lambda: asked.count() == 4)
    asked.nth(0).click()
    asked.nth(3).click()
    page.locator(".as-ask").get_by_text(form._words()["missing"]).click()
    press(page, "Control+Enter")
    next_task(page, "Q2")
    assert press(page, "2", "Control+Enter") == 2
    next_task(page, "Q3")
    press(page, "2", "4", "9", "7", "7", "m", "s", "Control+Enter")
    next_task(page, "Q4")
    press(page, "2", "5", "s", "1", "Control+Enter")
    page.get_by_text("No More Tasks Left in Queue").wait_for()

    records, reasons = stored(api, project, form)
    made = [(each.judgement, each.causes, each.harm) for n in range(5) for each in records[f"k{n}"]]
    assert reasons == []
    assert made == [
        (Judgement.RIGHT, (), None),
        (Judgement.UNSURE, (), None),
        (Judgement.WRONG, (), None),
        (Judgement.WRONG, ("retrieval_missed", "other"), "serious"),
        (Judgement.RIGHT, (), None),
    ]
    of_passages = [each.passages for n in range(5) for each in records[f"k{n}"]]
    assert of_passages == [None, PassageRelevance(relevant=(True, False), is_sufficient=False), None, None, None]
    assert {each.form_version for [each] in records.values()} == {form.version}
    assert all(each.seconds is not None and each.seconds > 0 for [each] in records.values())
    assert {each.edited_by for [each] in records.values()} == {None}


def test_everything_goes_by_keys_in_the_fewest_steps(
    page: Page, api: httpx.Client, label_studio_server: LocalServer
) -> None:
    """A wrong answer with its reference takes four presses and the typing, on a page just opened, on the next, and after a click.

    In the field Ctrl+Enter does nothing, since Label Studio listens for it outside of fields alone; Shift+Enter takes the text and leaves.
    """
    project = questions(api, 8)
    open_stream(page, label_studio_server, project)
    reference, submit = page.locator("textarea[name=reference]"), page.get_by_test_id("bottombar-submit-button")

    next_task(page, "Q0")
    presses = press(page, "2", "Tab")
    page.keyboard.type("By keys, 123.")
    assert presses + press(page, "Shift+Enter", "Control+Enter") == 4
    next_task(page, "Q1")
    press(page, "2", "Tab")
    page.keyboard.type("On the next, 123.")
    press(page, "Control+Enter", "Escape", "Control+Enter")
    page.wait_for_timeout(500)
    next_task(page, "Q1")
    press(page, "Shift+Enter", "Control+Enter")
    next_task(page, "Q2")
    page.get_by_text("Answer 2.").click()
    press(page, "2", "Tab")
    page.keyboard.type("After a click.")
    press(page, "Shift+Enter", "Control+Enter")
    next_task(page, "Q3")
    press(page, "Control+Space")
    next_task(page, "Q4")
    press(page, "2")
    reference.click()
    page.keyboard.type("By mouse, 123.")
    submit.click()
    next_task(page, "Q5")
    press(page, "2", "Tab")
    page.keyboard.type("A second thought.")
    page.get_by_text("Answer 5.").click()
    press(page, "1", "Control+Enter")
    next_task(page, "Q6")
    press(page, "3", "Tab")
    page.keyboard.type("1 cannot tell")  # in the reason: neither the digit nor a blank chooses
    press(page, "Shift+Enter", "Control+Enter")
    next_task(page, "Q7")
    press(page, "Control+Enter")
    page.get_by_text("Pick right, wrong or unsure").wait_for()

    records, reasons = stored(api, project, FORM)
    made = [(record.judgement, record.reference) for n in range(8) for record in records[f"k{n}"]]
    assert reasons == []
    assert [record.rationale for record in records["k6"]] == ["1 cannot tell"]
    assert made == [
        (Judgement.WRONG, "By keys, 123."),
        (Judgement.WRONG, "On the next, 123."),
        (Judgement.WRONG, "After a click."),
        (None, None),
        (Judgement.WRONG, "By mouse, 123."),
        (Judgement.RIGHT, None),
        (Judgement.UNSURE, None),
    ]


@pytest.mark.parametrize("language", shortly(LANGUAGES, "ko"))
def test_the_guide_stands_behind_its_button(
    page: Page, api: httpx.Client, label_studio_server: LocalServer, language: str
) -> None:
    """It keeps its headings and cases in every language."""
    form = Form(language=language)
    open_stream(page, label_studio_server, questions(api, 1, form, expert_instruction=form.guide()))
    read_the_guide(page)
    page.locator(".as-guide ol").wait_for()
    until(page, lambda: page.locator(".as-guide ol li").count() == 6)
    until(page, lambda: page.locator(".as-guide h2, .as-guide h3").count() == 5)


def test_a_guide_of_ones_own_is_text(page: Page, api: httpx.Client, label_studio_server: LocalServer) -> None:
    """A team's own may hold any markup, and none of it runs."""
    own = guide_from(f"# Own\n\nRead {HOSTILE}\n\n- {HOSTILE}")
    open_stream(page, label_studio_server, questions(api, 1, expert_instruction=own))
    read_the_guide(page)
    page.locator(".as-guide li").wait_for()

    page.wait_for_timeout(500)
    assert page.evaluate("window.hacked") is None
    assert page.locator(".as-guide :is(script, img, iframe, svg)").count() == 0
    until(page, lambda: "<img src=x onerror='window.hacked=1'>" in page.locator(".as-guide p").inner_text())


def test_a_forged_author_and_another_hand_are_seen(api: httpx.Client, expert: Expert, colleague: Expert) -> None:
    """Who asked the server is named beside the author that was claimed, at once and after an edit."""
    project = questions(api, 4)
    ids = {str(raw["data"]["external_id"]): int(raw["id"]) for raw in raw_tasks(api, project)}
    forger = api.get("/api/current-user/whoami").json()["id"]
    people = {user["email"]: user["id"] for user in api.get("/api/users/").json()}
    post(colleague.api, ids["k0"], verdict("right"))
    post(expert.api, ids["k1"], verdict("right"), completed_by=people[colleague.email])
    touched = post(colleague.api, ids["k2"], verdict("right"))
    expert.api.patch(f"/api/annotations/{touched}/", json={"result": verdict("wrong")}).raise_for_status()
    for value in ("right", "wrong"):
        post(colleague.api, ids["k3"], verdict(value))
    colleague.api.post(
        f"/api/tasks/{ids['k3']}/drafts", json={"result": verdict("unsure"), "lead_time": 1}
    ).raise_for_status()

    records, reasons = stored(api, project, FORM)
    seen = {
        key: [(annotation.judgement, annotation.annotator, annotation.edited_by) for annotation in annotations]
        for key, annotations in records.items()
    }
    assert forger == people[expert.email]
    assert reasons == []
    assert seen["k0"] == [(Judgement.RIGHT, colleague.email, None)]
    assert seen["k1"] == [(Judgement.RIGHT, colleague.email, expert.email)]
    assert seen["k2"] == [(Judgement.WRONG, colleague.email, expert.email)]
    assert sorted(seen["k3"]) == [(Judgement.RIGHT, colleague.email, None), (Judgement.WRONG, colleague.email, None)]
