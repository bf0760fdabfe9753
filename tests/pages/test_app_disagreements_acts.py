"""What people do on the page of disagreements: a second annotator, causes, the file; without a browser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotate.analysis import disagreements
from annotate.domain.annotation import CAUSES
from annotate.pages.disagreements import table
from annotate.store import Store
from annotate.store.labels.disagreements import DisagreementFilter, DisagreementKind
from annotate.workflow.labelling import decisions, second_reading
from support.app import NOW, Open, in_store, words
from support.disagreements import differ, differing
from support.disagreements_page import EVERY, FALSE_FAIL, MISS, at, shown


@pytest.mark.slow
def test_a_second_annotator_is_asked_for_and_no_more(
    opened: Open, store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The button keeps the wish under the name, says what comes next here, and takes it back; without a name it is off."""
    for name in ("LABEL_STUDIO_URL", "LABEL_STUDIO_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    app = at(opened(differing, "disagreements", "eva"), item=MISS.item_id)
    app.button(key="disagreements-ask").click().run()
    assert "goes to a second annotator" in app.success[0].value
    assert not any(code.value.startswith("assay push") for code in app.code)
    assert any(code.value.startswith("assay labels import FILE") for code in app.code)
    monkeypatch.setenv("LABEL_STUDIO_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", "secret")
    assert any(code.value.startswith("assay push") for code in app.run().code)
    assert len(in_store(store_path, lambda store: store.labels.second_readings.draws())) == 1
    app.button(key="disagreements-take-back").click().run()
    assert in_store(store_path, lambda store: store.labels.second_readings.draws()) == set()
    told_of = in_store(
        store_path, lambda store: [event for event in store.audit.events.all() if event.what == second_reading.EVENT]
    )
    assert [event.who for event in told_of] == ["eva", "eva"]


@pytest.mark.slow
def test_nothing_is_done_without_a_name(opened: Open) -> None:
    """Both actions are off."""
    app = at(opened(differing, "disagreements", ""), item=MISS.item_id)
    assert app.button(key="disagreements-ask").disabled
    assert [button.disabled for button in app.button if button.label == "Save the cause"] == [True]


@pytest.mark.slow
def test_causes_are_saved_and_a_conflict_keeps_what_was_chosen(opened: Open, store_path: Path) -> None:
    """The form sets them; where somebody was quicker it says so, and the choice stays in the form."""
    app = at(opened(differing, "disagreements", "eva"), item=MISS.item_id)
    row = in_store(store_path, lambda store: store.traffic.items.keys([MISS.item_id])[MISS.item_id])
    unnamed = [cause for cause in CAUSES if cause not in MISS.causes]
    form = app.multiselect(key=f"disagreements-causes-{row}")
    assert not form.proto.select_all
    form.set_value([unnamed[0]])
    store = Store(store_path)
    decisions.name_causes(store, MISS.item_id, (unnamed[1],), seen=MISS.causes, who="ben", now=NOW)
    store.close()
    [save] = [button for button in app.button if button.label == "Save the cause"]
    save.click().run()

    assert "while you were looking" in app.error[0].value
    assert app.multiselect(key=f"disagreements-causes-{row}").value == [unnamed[0]]
    [save] = [button for button in app.button if button.label == "Save the cause"]
    save.click().run()
    assert "are saved" in app.success[0].value
    causes = in_store(store_path, lambda store: store.labels.of_item(row))
    assert causes is not None
    assert causes.causes == (unnamed[0],)
    assert "ben named the cause" in shown(app)


@pytest.mark.slow
def test_a_false_fail_has_no_cause(opened: Open) -> None:
    """Annotators call the answer right: nobody can say why it is wrong."""
    app = at(opened(differing, "disagreements"), item=FALSE_FAIL.item_id)
    assert not [button for button in app.button if button.label == "Save the cause"]
    assert "goes with a wrong answer only" in words(app)


@pytest.mark.slow
def test_the_file_is_made_beside_the_page(opened: Open, store_path: Path) -> None:
    """The buttons are there; what they give is the filtered list."""
    app = opened(differing, "disagreements")
    assert [button.proto.label for button in app.get("download_button")] == ["List as CSV", "List as JSONL"]
    ground = in_store(store_path, disagreements.ground)
    made = (
        table.content(store_path, ground, DisagreementFilter(kind=DisagreementKind.MISS), "jsonl").decode().splitlines()
    )
    assert [json.loads(line)["item_id"] for line in made] == differ(EVERY, lambda case: case.kind == "miss")
