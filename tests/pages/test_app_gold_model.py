"""A model's draft on the page that writes references, from a real endpoint: on request, beside its quotes, never saved unread."""

from __future__ import annotations

from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING

import pytest

from annotate.store import Store
from proxy.records import Context, Judgement
from support.app import Open, in_store
from support.endpoint import Endpoint
from support.gold import label
from support.gold_page import press, reads
from support.model import quick
from support.replies import Ruling
from support.store import add, item

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

pytestmark = pytest.mark.slow


def wrong(store: Store) -> None:
    """A wrong answer with a passage."""
    add(store, item("a", contexts=(Context(text="Never take two at once."),)))
    label(store, "a", Judgement.WRONG)


def quoting(key: str, choices: tuple[str, ...], data: dict[str, object], body: dict[str, object]) -> Ruling:
    """A model that quotes one passage, and makes one up."""
    quotes = {"q1": "Never take two", "q2": "<b>Three</b> are fine"}
    if key in quotes:
        return Ruling("quoted", quotes[key])
    return Ruling("answered" if "answered" in choices else choices[-1])


def awaited(app: AppTest) -> AppTest:
    """The page once the model has answered."""
    end = monotonic() + 60
    while "The model is writing a draft" in "".join(caption.value for caption in app.caption) and monotonic() < end:
        sleep(0.1)
        app.run()
    assert not app.exception
    return app


def test_a_draft_is_asked_for_read_and_saved(opened: Open, store_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is offered where no model is switched on; a fault is a sentence; what comes is marked, and saved once it is read."""
    monkeypatch.chdir(store_path.parent)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    app = opened(wrong, "gold")
    assert not [button for button in app.button if "draft" in button.label]
    answers = ["401"]
    with quick(), Endpoint(policy=quoting, faults=lambda number, body: answers.pop() if answers else None) as endpoint:
        Path("assay.toml").write_text(f'[draft]\nmodel = "m"\nurl = "{endpoint.url}"\n')
        assert not app.run().exception
        assert endpoint.requests == 0
        awaited(press(app, "Ask m for a draft"))
        assert "Incorrect API key" in reads(app)
        awaited(press(app, "Ask m for a draft"))
        said = reads(app)
        for part in (
            "Draft by m, checked by nobody",
            "scripted",
            "✓ Passage 1:",
            "✗ stands in no passage:",
            "Never take two",
        ):
            assert part in said, part
        assert not [button for button in app.button if button.label == "Ask m for a draft"]
        requests = endpoint.requests
        press(app, "Use")
        assert app.text_area[0].value == "scripted"
        press(app, "Save, next")
        assert "this is a model's draft as it came" in reads(app)
        assert in_store(store_path, lambda store: len(store.gold.without_reference())) == 1
        next(box for box in app.checkbox if "compared the draft" in box.label).check().run()
        press(app, "Save, next")
        assert endpoint.requests == requests

    def taken(store: Store) -> tuple[str, str, int | None]:
        entry = store.gold.of_item(store.traffic.items.key("a"))
        assert entry is not None
        proposal = store.gold.taken_proposal(entry.gold_id)
        assert proposal is not None
        return entry.reference, proposal.origin.code, proposal.edit_distance

    assert in_store(store_path, taken) == ("scripted", "model:m", 0)
