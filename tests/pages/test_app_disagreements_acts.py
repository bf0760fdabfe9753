"""What people do on the page of disagreements: a second annotator, causes, the file; without a browser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotate.analysis import disagreements
from annotate.domain.annotation import CAUSES
from annotate.pages.disagreements import rows
from annotate.pages.kit import adjudication
from annotate.store import Store
from annotate.store.labels.disagreements import DisagreementFilter, DisagreementKind
from annotate.workflow.labelling import decisions, second_reading
from support.app import NOW, Open, in_store
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
    assert "No Label Studio is known here" in app.success[0].value
    assert "eva asked for a second annotator" in shown(app)
    assert len(in_store(store_path, lambda store: store.labels.second_readings.draws())) == 1
    app.button(key="disagreements-take-back").click().run()
    monkeypatch.setenv("LABEL_STUDIO_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", "secret")
    assert in_store(store_path, lambda store: store.labels.second_readings.draws()) == set()
    told_of = in_store(
        store_path, lambda store: [event for event in store.audit.events.all() if event.what == second_reading.EVENT]
    )
    assert [event.who for event in told_of] == ["eva", "eva"]
    app.button(key="disagreements-ask").click().run()
    assert "the next send on the page Labelling" in app.success[0].value


@pytest.mark.slow
def test_nothing_is_done_without_a_name(opened: Open) -> None:
    """Both actions are off, and say why."""
    app = at(opened(differing, "disagreements", ""), item=MISS.item_id)
    for key in ("disagreements-ask", "disagreements-cause-open"):
        button = app.button(key=key)
        assert button.disabled
        assert "name" in button.proto.help


@pytest.mark.slow
def test_causes_are_saved_and_a_conflict_is_told(opened: Open, store_path: Path) -> None:
    """The dialog sets them; where somebody was quicker nothing is written, and it says so in the dialog."""
    app = at(opened(differing, "disagreements", "eva"), item=MISS.item_id)
    row = in_store(store_path, lambda store: store.traffic.items.keys([MISS.item_id])[MISS.item_id])
    key = f"disagreements-causes-{row}"
    unnamed = [cause for cause in CAUSES if cause not in MISS.causes]
    app.button(key="disagreements-cause-open").click().run()
    assert list(app.button_group(key=key).value) == list(MISS.causes)
    store = Store(store_path)
    decisions.name_causes(store, MISS.item_id, (unnamed[1],), seen=MISS.causes, who="ben", now=NOW)
    store.close()
    app.button_group(key=key).set_value([unnamed[0]])
    app.button(key=f"{key}-save").click().run()
    app.button(key="disagreements-cause-open").click().run()
    assert "while you were looking" in app.error[0].value

    app.button_group(key=key).set_value([unnamed[0]])
    app.button(key=f"{key}-save").click().run()
    assert "are saved" in app.success[0].value
    causes = in_store(store_path, lambda store: store.labels.of_item(row))
    assert causes is not None
    assert causes.causes == (unnamed[0],)
    assert "ben named the cause" in shown(app)


@pytest.mark.slow
def test_a_false_fail_has_no_cause_and_needs_no_reference(opened: Open) -> None:
    """Annotators call the answer right: nobody can say why it is wrong, or what it should have said."""
    app = at(opened(differing, "disagreements", "eva"), item=FALSE_FAIL.item_id)
    cause, write = app.button(key="disagreements-cause-open"), app.button(key="disagreements-write")
    assert (cause.disabled, write.disabled) == (True, True)
    assert "goes with a wrong answer only" in cause.proto.help
    assert not at(app, item=MISS.item_id).button(key="disagreements-write").disabled


@pytest.mark.slow
def test_nobody_overrules_what_they_have_read(opened: Open, store_path: Path) -> None:
    """Another person may: the page Labelling adjudicates that very answer, with the first label kept and an event."""
    app = at(opened(differing, "disagreements", MISS.annotator), item=MISS.item_id)
    assert app.button(key="disagreements-overrule").disabled

    app.text_input(key="who-field").set_value("eva").run()
    app.button(key="disagreements-overrule").click().run()
    assert not app.exception
    row = in_store(store_path, lambda store: store.traffic.items.keys([MISS.item_id])[MISS.item_id])
    assert app.session_state[adjudication.ON_SCREEN].item == row


@pytest.mark.slow
def test_the_file_is_made_beside_the_page(opened: Open, store_path: Path) -> None:
    """The buttons are there; what they give is the filtered list."""
    app = opened(differing, "disagreements")
    assert [button.proto.label for button in app.get("download_button")] == ["CSV", "JSONL"]
    ground = in_store(store_path, disagreements.ground)
    made = (
        rows.content(store_path, ground, DisagreementFilter(kind=DisagreementKind.MISS), "jsonl").decode().splitlines()
    )
    assert [json.loads(line)["item_id"] for line in made] == differ(EVERY, lambda case: case.kind == "miss")
