"""Three hundred real answers with their passages, and conversations made of them, in the form on every size of screen."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from annotate.domain.labelling_form import Form
from annotate.domain.passages import read_contexts
from annotate.label_studio.local import LocalServer
from proxy.records import Item, Turn
from support.browser import until
from support.form import HIDDEN, SIZES, data_of, open_stream, project_with

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.live, pytest.mark.browser, pytest.mark.long]

FILES = ("clapnq_rag", "qafeedback", "feedback_cdc")
TASKS, PARTS = 300, 6
CHOICES = ("Right", "Wrong", "Unsure", "Passages lack it", "Other", "None", "Serious")


def real_items(folder: Path | None) -> list[Item]:
    """Items of all files in random order; every fourth has a conversation of three other questions and answers."""
    if folder is None or not all((folder / f"{name}.jsonl").exists() for name in FILES):
        pytest.skip(f"set ASSAY_DATA to a folder with {', '.join(FILES)}")
    rows = [json.loads(line) for name in FILES for line in (folder / f"{name}.jsonl").open(encoding="utf-8")]
    random.Random(1).shuffle(rows)
    items = [
        Item(id=row["id"], question=row["question"], answer=row["answer"], contexts=read_contexts(row["contexts"]))
        for row in rows[:TASKS]
    ]
    return [replace(item, history=_turns(items, place)) if place % 4 == 0 else item for place, item in enumerate(items)]


def _turns(items: list[Item], place: int) -> tuple[Turn, ...]:
    before = [items[(place + 7 * step) % TASKS] for step in (1, 2, 3)]
    pairs = [(Turn(role="user", text=item.question), Turn(role="assistant", text=item.answer)) for item in before]
    return tuple(turn for pair in pairs for turn in pair)


@pytest.mark.parametrize("part", range(PARTS))
def test_no_real_text_is_cut_off_without_a_mark(
    page: Page, api: httpx.Client, label_studio_server: LocalServer, folder: Path | None, part: int
) -> None:
    """At each size: nothing goes on unseen and unmarked, neither before a verdict nor after *wrong*, whose choices are all in sight."""
    form = Form(asks_harm=True)
    items = real_items(folder)[part * TASKS // PARTS : (part + 1) * TASKS // PARTS]
    open_stream(page, label_studio_server, project_with(api, form, data_of(form, *items)))
    shown = page.locator(".as-question")

    for place, item in enumerate(items):
        until(page, lambda: " ".join(shown.inner_text().split()) == " ".join(item.question.split()))  # noqa: B023 (asked at once)
        _look(page, ())
        if place % 10 == 0:
            page.keyboard.press("2")
            page.locator("textarea[name=reference]").wait_for()
            _look(page, CHOICES)
        page.keyboard.press("Control+Space")


def _look(page: Page, choices: tuple[str, ...]) -> None:
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        until(page, lambda: page.evaluate(HIDDEN) == [])
        bar = page.get_by_test_id("bottombar-submit-button").bounding_box()
        assert bar is not None
        for choice in choices:
            box = page.locator(f"input[name='{choice}']").bounding_box()
            assert box is not None, choice
            assert 0 <= box["y"] <= box["y"] + box["height"] <= bar["y"], (choice, width)
    page.set_viewport_size({"width": 1366, "height": 768})
