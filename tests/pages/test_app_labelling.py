"""The labelling page as a person uses it: both answers without names, a decision that counts, and who labels how."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from annotate.domain.adjudication import Decision
from annotate.pages.kit.adjudication import ON_SCREEN
from annotate.store import Store
from annotate.workflow.labelling.adjudicate import adjudicate
from proxy.records import Context, Item, Judgement, LabelBasis
from support.app import (
    HOSTILE,
    NOW,
    SEEN,
    Open,
    drawn,
    in_store,
    nothing,
    question,
    some_open,
    traffic,
    with_everything,
    words,
)
from support.labelling_page import at, disputed, said, take, work

LATER = "2026-11-22T09:00:00.000Z"
FORBIDDEN = ("faithfulness", "context relevance", "verdict", "passed_", "failed_", "stratum", "0.5")


def everything(app: AppTest) -> str:
    """All that a person can read on the page, tables left out."""
    shown = [
        *(text.value for text in app.text),
        *(str(element.label) for kind in (app.radio, app.selectbox) for element in kind),
    ]
    return words(app) + "\n".join(str(label) for label in shown)


def press(app: AppTest, label: str) -> AppTest:
    return next(button for button in app.button if button.label == label).click().run()


def fill(app: AppTest, label: Judgement, why: str, **more: Any) -> AppTest:
    """Fill the form in and send it."""
    app.radio[0].set_value(label)
    app.text_area[0].set_value(why)
    for name, value in more.items():
        {"harm": app.radio[-1], "reference": app.selectbox[0], "text": app.text_area[1]}[name].set_value(value)
    return press(app, "Save and go on (Ctrl+Enter)")


@pytest.mark.slow
def test_both_answers_stand_side_by_side_without_names_or_scores(opened: Open, store_path: Any) -> None:
    """The item, what its annotators say and why; who they are, and what judges make of it, is nowhere on the item."""
    app = at(opened(disputed, "labelling", "dr-three"), "adjudicate")
    page = everything(app)

    assert "To adjudicate: 3, serious harm first" in page
    assert "marks this answer as seriously harmful" in page
    assert "**Annotator A**" in page
    assert "**Annotator B**" in page
    assert "Dangerous." in page
    assert "dr-one" not in page
    assert "dr-two" not in page
    assert not [word for word in FORBIDDEN if word in page.lower().replace("verdict on", "")]
    asked = in_store(store_path, lambda store: store.traffic.items.get(store.labels.adjudication.waiting()[0].item))
    assert asked.question in [text.value for text in app.text]


@pytest.mark.slow
def test_a_decision_counts_at_once_and_the_next_one_comes(opened: Open, store_path: Any) -> None:
    """The label says adjudication, its reason is kept, an event tells it, and the page goes on."""
    app = at(opened(disputed, "labelling", "dr-three"), "adjudicate")
    item = in_store(store_path, lambda store: store.labels.adjudication.waiting()[0])
    fill(app, Judgement.WRONG, "  The second is right.  ", harm="serious", text="Ask first.")

    assert f"item {item.item_id} is wrong now" in app.success[0].value.replace("\\", "")
    assert "To adjudicate: 2" in words(app)
    label = in_store(store_path, lambda store: store.labels.of_item(item.item))
    assert label is not None
    assert (label.judgement, label.basis, label.annotator) == (Judgement.WRONG, LabelBasis.ADJUDICATION, "dr-three")
    assert (label.rationale, label.reference, label.harm) == ("The second is right.", "Ask first.", "serious")
    assert (
        in_store(store_path, lambda store: [entry.reference for entry in store.gold.entries()]).count("Ask first.") == 1
    )
    assert in_store(store_path, lambda store: store.check()) == []
    assert app.toggle(key="adjudicated-shown").label == "Show what was adjudicated: 1"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("label", "why", "more", "refusal"),
    [
        (Judgement.WRONG, "  ", {"harm": "minor"}, "reason is empty"),
        (Judgement.WRONG, "So it is.", {}, "how harmful"),
        (Judgement.RIGHT, "So it is.", {"text": "Never."}, "wrong answer only"),
        (None, "So it is.", {}, "unsure to leave it open"),
    ],
)
def test_what_is_refused_keeps_what_was_typed(
    opened: Open, store_path: Any, label: Judgement, why: str, more: dict[str, str], refusal: str
) -> None:
    """The page says what is missing, and nothing is kept."""
    app = fill(at(opened(disputed, "labelling", "dr-three"), "adjudicate"), label, why, **more)

    assert refusal in "\n".join(error.value for error in app.error)
    assert app.text_area[0].value == why
    assert in_store(store_path, lambda store: len(store.labels.adjudication.waiting())) == 3


@pytest.mark.slow
def test_the_reference_of_an_annotator_is_offered(opened: Open, store_path: Any) -> None:
    """Chosen beforehand where there is one; it counts only if the answer is wrong."""
    app = at(opened(disputed, "labelling", "dr-three"), "adjudicate")
    press(app, "Later")

    [offered] = [box for box in app.selectbox if box.key not in ("system", "selection-period")]
    assert offered.value in (0, 1)
    row = app.session_state[ON_SCREEN].item
    fill(app, Judgement.WRONG, "The dose.")
    label = in_store(store_path, lambda store: store.labels.of_item(row))
    assert label is not None
    assert label.reference == "Never."


@pytest.mark.slow
def test_two_who_adjudicate_at_once_are_both_told(opened: Open, store_path: Any) -> None:
    """The second sees that someone else was quicker, and what was typed is still there."""
    app = at(opened(disputed, "labelling", "dr-three"), "adjudicate")
    row = app.session_state[ON_SCREEN].item
    quick = Decision(judgement=Judgement.RIGHT, why="Quicker.")
    in_store(store_path, lambda store: adjudicate(store, row, quick, who="dr-four", now=LATER))
    fill(app, Judgement.WRONG, "Slower.", harm="minor")

    assert "someone else has just adjudicated this one" in "\n".join(error.value for error in app.error)
    assert app.text_area[0].value == "Slower."
    assert [label.rationale for label in in_store(store_path, lambda store: [store.labels.of_item(row)]) if label] == [
        "Quicker."
    ]
    press(app, "Go on")
    assert app.session_state[ON_SCREEN].item != row


@pytest.mark.slow
def test_unsure_leaves_it_open(opened: Open, store_path: Any) -> None:
    """It stays in the queue for others, with the reason, and goes off this person's screen."""
    app = at(opened(disputed, "labelling", "dr-three"), "adjudicate")
    row = app.session_state[ON_SCREEN].item
    fill(app, Judgement.UNSURE, "I would have to ask.")

    assert "left open" in app.success[0].value
    assert app.session_state[ON_SCREEN].item != row
    waiting = in_store(store_path, lambda store: store.labels.adjudication.waiting())
    assert len(waiting) == 3
    assert (
        next(case.adjudicated.rationale for case in waiting if case.item == row and case.adjudicated)
        == "I would have to ask."
    )


@pytest.mark.slow
def test_annotators_do_not_adjudicate_what_they_read(opened: Open) -> None:
    """They are told so, see none of it, and are offered what others read."""
    app = at(opened(disputed, "labelling", "DR-Two"), "adjudicate")

    assert "Read by yourself: 2" in words(app)
    assert "1 answer to decide" in work(app)
    assert "Labelled by yourself, so for somebody else to decide: 2." in work(app)
    assert "Dangerous." not in everything(app)
    assert "No annotator is sure" in words(app)


@pytest.mark.slow
def test_without_a_name_nothing_is_shown(opened: Open) -> None:
    """The name is asked first, once; then the queue begins."""
    app = at(opened(disputed, "labelling", ""), "adjudicate")
    assert "Give your name above" in app.info[0].value
    assert not app.text_area

    app.text_input[0].set_value("dr-three").run()

    assert len(app.text_area) == 2


@pytest.mark.slow
def test_later_shows_the_next_one_until_none_is_left(opened: Open) -> None:
    """What was put off comes back on demand."""
    app = at(opened(disputed, "labelling", "dr-three"), "adjudicate")
    for _ in range(3):
        press(app, "Later")
    assert "You have put off all of them for later: 3." in words(app)

    press(app, "Begin again")

    assert len(app.text_area) == 2


@pytest.mark.slow
def test_what_was_adjudicated_can_be_taken_back(opened: Open, store_path: Any) -> None:
    """With a reason; the item is in the queue again."""
    app = at(opened(disputed, "labelling", "dr-three"), "adjudicate")
    fill(app, Judgement.RIGHT, "It is the usual dose.")
    app.toggle(key="adjudicated-shown").set_value(True).run()
    app.text_input[1].set_value("Hasty.")
    press(app, "Take back")

    assert "decide again" in app.success[0].value
    assert in_store(store_path, lambda store: len(store.labels.adjudication.waiting())) == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "command"),
    [
        (nothing, "assay ingest FILE"),
        (traffic, "assay judge"),
        (drawn, "assay draws export"),
        (some_open, "labels import"),
    ],
)
def test_every_empty_state_names_a_command(opened: Open, make: Any, command: str) -> None:
    """The page says what to run where only a command can do it."""
    app = opened(make, "labelling", "dr-three")
    if make in (drawn, some_open):
        assert all("assay labels history" in code.value for code in app.code)
        app = at(app, "send")

    assert question(app) == "What should we label next?"
    assert any(command in code.value for code in app.code)


def hostile(store: Store) -> None:
    """A disputed item whose every text is hostile, read by people with hostile names."""
    with store.atomic():
        store.traffic.items.add(
            [Item(id="<b>0</b>", question=HOSTILE, answer=HOSTILE, contexts=(Context(text=HOSTILE),))], now=NOW
        )
    rows = [
        said("<b>0</b>", word, f"{word} <i>x</i> \u202e", rationale=HOSTILE, reference=HOSTILE)
        for word in ("right", "wrong")
    ]
    take(store, rows)


@pytest.mark.slow
def test_hostile_texts_are_shown_as_text(opened: Open, store_path: Any) -> None:
    """What annotators wrote stands in text elements literally, before and after it is adjudicated."""
    app = at(opened(hostile, "labelling", "dr-three"), "adjudicate")
    texts = [text.value for text in app.text]
    for part in SEEN:
        assert sum(part in text for text in texts) >= 5
        assert part not in words(app)
    fill(app, Judgement.WRONG, HOSTILE.replace("\ud800", ""))

    assert not app.exception
    assert not any("\u202e" in text.value or "\0" in text.value for text in app.text)
    assert "<b>" not in app.success[0].value
    assert in_store(store_path, lambda store: store.labels.adjudication.waiting()) == []


@pytest.mark.slow
def test_the_overview_names_the_harm_and_so_does_the_gate(opened: Open) -> None:
    """An answer marked as seriously harmful is work that waits, and among all quantities; the gate names it."""
    app = opened(disputed)
    [link] = [link for link in app.get("page_link") if link.proto.label == "Read 1 marked harmful"]
    assert link.proto.query_string == "counted=harmful"
    page = words(with_everything(app)).replace("\\", "")

    assert "an annotator marked as seriously harmful, in the label that counts: 1" in page
    assert "its label says serious harm" in page


@pytest.mark.slow
def test_the_gate_of_the_overview_holds_the_limits_of_the_file(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A limit that is not reached is a reason; a file that cannot be read is said, and the plain limits hold."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "assay.toml").write_text("[gate.report]\ncorrectness = 0.99\n")
    app = with_everything(opened(disputed))
    assert "correctness must be shown to be at least 99 %" in words(app).replace("\\", "")

    (tmp_path / "assay.toml").write_text("[gate.report]\ncorrectness = 99\n")
    app.run()
    assert "correctness is a number from 0 to 1" in "".join(warning.value for warning in app.warning).replace("\\", "")
    assert "correctness must be shown" not in words(app)
