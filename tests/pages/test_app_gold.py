"""The gold page as a person uses it: references written, entries accepted, retired and downloaded, without a browser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotate.domain.feedback import Feedback
from annotate.domain.gold import GoldSource, GoldStatus
from annotate.domain.gold.drafts import ReferenceDraft
from annotate.pages.gold import exports
from annotate.pages.kit.privacy import escaped
from annotate.store import Store
from annotate.workflow.gold import drafts, review
from annotate.workflow.gold.export import TARGETS
from annotate.workflow.gold.review import Actor
from proxy.errors import UsageError
from proxy.records import Context, Judgement, Turn
from support.app import (
    NOW,
    Make,
    Open,
    drawn,
    in_store,
    nothing,
    three,
    walk,
)
from support.gold import label, steps, turn
from support.gold_page import press, reads
from support.store import add, item


@pytest.mark.slow
def test_a_reference_goes_from_the_form_into_the_store(opened: Open, store_path: Path) -> None:
    """What is typed becomes a candidate under the writer's name, an event tells it, and the queue is empty."""
    app = opened(walk, "gold")
    app.text_area[0].set_value("  Never take two at once.  ")
    press(app, "Save, next")

    assert [toast.value for toast in app.toast] == ["Saved for review"]
    assert not app.success
    assert not app.text_area
    assert "**None**" in app.title[0].value
    assert not press(turn(app, "review"), "Choose all on this page").toast, "said once"
    entries = in_store(store_path, lambda store: store.gold.page(GoldStatus.CANDIDATE, start=0, size=100))
    written = [entry for entry in entries if entry.source == "written in the app"]
    assert [(entry.reference, entry.annotator) for entry in written] == [("Never take two at once.", "ann")]
    assert in_store(store_path, lambda store: store.check()) == []
    assert in_store(store_path, lambda store: store.gold.without_reference()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "user", "why"), [("   ", "ann", "is empty"), ("Never two.", "", "give your name first")]
)
def test_a_blank_reference_or_writer_is_refused(opened: Open, store_path: Path, text: str, user: str, why: str) -> None:
    """Nothing is written, and the form says why, between the box and its button."""
    app = opened(walk, "gold", user)
    app.text_area[0].set_value(text)
    press(app, "Save, next")

    page_text = reads(app)
    assert why in page_text[page_text.index("role='alert'") :]
    assert not app.error
    assert app.text_area[0].value == text
    assert len(in_store(store_path, lambda store: store.gold.without_reference())) == 1


def with_reference(store: Store) -> None:
    """Two wrong answers, of which the first came with a reference in the traffic."""
    add(store, item("a", reference=" Never *two* at once. "), item("b"))
    for name in "ab":
        label(store, name, Judgement.WRONG)


@pytest.mark.slow
def test_a_reference_of_the_traffic_is_taken_over_by_a_person_only(opened: Open, store_path: Path) -> None:
    """It stands below the form, barred while a text of one's own does; one key fills the box, another makes it a candidate."""
    app = opened(with_reference, "gold")
    assert "Never *two* at once." in reads(app)
    assert not app.text_area[0].value
    assert in_store(store_path, lambda store: (len(store.gold.without_reference()), store.gold.entries())) == (2, [])
    app.text_area[0].set_value("Mine.")
    press(app, "Use")  # a key that was on its way with the text
    assert app.text_area[0].value == "Mine."
    assert [button.disabled for button in app.button if button.label == "Use"] == [True]
    assert "Markdown marks" not in reads(app)
    app.text_area[0].set_value("").run()
    press(app, "Use")
    assert app.text_area[0].value == "Never *two* at once."
    assert "The text holds Markdown marks" in reads(app)
    press(app, "Save, next")

    (entry,) = in_store(store_path, lambda store: store.gold.entries())
    told = (entry.item_id, entry.reference, entry.annotator, entry.source, entry.status)
    assert told == ("a", "Never *two* at once.", "ann", GoldSource.APP, GoldStatus.CANDIDATE)
    assert not [button for button in app.button if button.label == "Use"]
    assert in_store(store_path, lambda store: store.gold.without_reference()) == [], "b asks the same"


def several(store: Store) -> None:
    """Three wrong answers to one question, which found other passages; the second is seriously harmful."""
    dose, leaflet = Context(text="One dose a day.", title="Leaflet"), Context(text="Ask a pharmacist first.")
    passages = {"a": (dose,), "b": (leaflet, dose), "c": (dose,)}
    for name, contexts in passages.items():
        add(store, item(name, question="What dose?", answer=f"Two doses, or {name}.", contexts=contexts, system=name))
        label(store, name, Judgement.WRONG, harm="serious" if name == "b" else None)


@pytest.mark.slow
def test_a_reference_corrects_the_answers_that_are_ticked(opened: Open, store_path: Path) -> None:
    """The unticked one needs a reason and stays with it; later the same text, unchanged, corrects it too."""
    app = opened(several, "gold")
    page_text = reads(app)
    assert [
        page_text.index(f"Wrong answer {n} of 3") < page_text.index(f"Two doses, or {name}.")
        for n, name in ((1, "b"), (2, "a"))
    ]
    assert page_text.count("One dose a day.") == 1, "each passage once"
    assert "found for answer 1 only" in page_text
    assert "1 left" in app.title[0].value
    assert any(escaped("Wrong answers left: 3.") in line.value for line in app.markdown)

    app.text_area[0].set_value("One a day.")
    box = next(box for box in app.checkbox if box.label == "Answer 3 · c")
    box.uncheck().run()
    press(app, "Save, next")
    assert "Say why it does not correct" in reads(app)
    reason = next(field for field in app.text_input if field.label == "Why does it not correct answer 3?")
    reason.set_value("A child's dose.").run()
    press(app, "Save, next")

    assert [toast.value for toast in app.toast] == ["Saved for review. Answers left in the queue: 1"]
    page_text = reads(app)
    assert "Not corrected by the reference of ann" in page_text
    assert "A child's dose." in page_text
    assert "This question has a reference" in page_text
    assert any(escaped("Wrong answers left: 1.") in line.value for line in app.markdown)
    assert "1 left" in app.title[0].value
    assert not [box for box in app.checkbox if box.label.startswith("Answer")]
    press(app, "Use")
    press(app, "Save, next")
    assert "**None**" in app.title[0].value
    (entry,) = in_store(store_path, lambda store: store.gold.entries())
    assert (entry.item_id, entry.reference) == ("b", "One a day.")
    assert in_store(store_path, lambda store: store.gold.answers.corrected([entry.gold_id])) == {
        entry.gold_id: ["a", "c"]
    }
    turn(app, "review")
    assert "Corrects the answers of these items too: a, c" in [line.value for line in app.text]
    app.session_state[f"candidate-behind-{entry.gold_id}"] = True
    assert "Two doses, or c." in "".join(line.value for line in (*app.run().text, *app.markdown))


@pytest.mark.slow
def test_what_is_left_out_is_kept_with_the_draft(opened: Open, store_path: Path) -> None:
    """Skipped and begun again, tick and reason stand as they were; a question is skipped whole."""
    app = opened(several, "gold")
    next(box for box in app.checkbox if box.label == "Answer 2 · a").uncheck().run()
    next(field for field in app.text_input if field.label.startswith("Why")).set_value("Another app.").run()
    press(app, "Skip")
    assert not app.text_area
    press(app, "Begin again")

    assert [box.value for box in app.checkbox if box.label.startswith("Answer")] == [True, False, True]
    assert next(field for field in app.text_input if field.label.startswith("Why")).value == "Another app."
    (kept,) = in_store(store_path, lambda store: store.gold.drafts.of_question(store.traffic.items.key("c")))
    assert [answer.why for answer in kept.draft.left_out] == ["Another app."]


@pytest.mark.slow
def test_words_that_passages_share_are_marked(opened: Open) -> None:
    """The browser gets those of the answers and of the question, as they are written, and no other."""
    page_text = reads(opened(several, "gold"))
    answered, asked = json.loads(page_text[page_text.index("data-shared='") + 13 :].split("'", 1)[0])

    assert (answered, asked) == ([], ["dose"])


@pytest.mark.slow
def test_the_name_is_asked_once(opened: Open, store_path: Path) -> None:
    """A name that was typed signs what is accepted later."""
    app = opened(walk, "gold", "")
    app.text_input[0].set_value("dr-kim").run()
    entry = in_store(store_path, lambda store: store.gold.page(GoldStatus.CANDIDATE, start=0, size=1)[0])
    turn(app, "review")
    app.button(key=f"accept-{entry.gold_id}").click().run()

    history = in_store(store_path, lambda store: steps(store, entry.gold_id))
    assert history[-1][1:3] == ("accepted", "dr-kim")


@pytest.mark.slow
def test_putting_off_shows_the_next(opened: Open) -> None:
    """The only wrong answer put off leaves a way back."""
    app = opened(walk, "gold")
    press(app, "Skip")
    assert not app.text_area

    press(app, "Begin again")

    assert app.text_area


@pytest.mark.slow
def test_accepting_and_retiring_change_the_store(opened: Open, store_path: Path) -> None:
    """One by its own button, a whole page at once, and one taken out again with its reason."""
    app = turn(opened(walk, "gold"), "review")
    first = in_store(store_path, lambda store: store.gold.page(GoldStatus.CANDIDATE, start=0, size=1)[0].gold_id)
    app.button(key=f"retire-{first}").click().run()
    assert in_store(store_path, lambda store: store.gold.counts()[GoldStatus.RETIRED]) == 1

    next(button for button in app.button if button.label == "Choose all on this page").click().run()
    app.button(key="accept-chosen").click().run()
    assert app.success[0].value == escaped("Entries accepted: 10.")
    assert in_store(store_path, lambda store: list(store.gold.counts().values())) == [4, 10, 1]

    second = in_store(store_path, lambda store: store.gold.page(GoldStatus.ACCEPTED, start=0, size=1)[0].gold_id)
    turn(app, "set")
    app.text_input(key=f"why-{second}").set_value("outdated leaflet").run()
    app.button(key=f"retire-{second}").click().run()
    history = in_store(store_path, lambda store: steps(store, str(second)))
    assert history[-1][1:] == ("retired", "ann", "outdated leaflet")


@pytest.mark.slow
def test_the_download_holds_the_accepted_entries(store_path: Path) -> None:
    """One JSON object a line, with where it comes from; hostile texts survive."""
    store = Store(store_path)
    three(store)
    ids = [entry.gold_id for entry in store.gold.entries()]
    review.set_status(store, dict.fromkeys(ids), GoldStatus.ACCEPTED, Actor("ann", NOW))
    rows = [json.loads(line) for line in exports.content(store_path, TARGETS[0], None).decode().splitlines()]
    store.close()

    assert [row["item_id"] for row in rows] == ["<b>0</b>", "<b>2</b>"]
    assert rows[1]["reference"].startswith("<script>")
    assert {row["status"] for row in rows} == {"accepted"}


@pytest.mark.slow
def test_who_comes_second_is_told(store_path: Path) -> None:
    """A reference never overwrites one that another person has written in the meantime."""
    store = Store(store_path)
    walk(store)
    row = store.gold.without_reference()[0]
    drafts.save(store, [row], ReferenceDraft(text="The first."), Actor("ann", NOW), [])
    with pytest.raises(UsageError, match="has a reference already"):
        drafts.save(store, [row], ReferenceDraft(text="The second."), Actor("bob", NOW), [])
    kept = store.gold.page(GoldStatus.CANDIDATE, start=0, size=100)
    store.close()

    assert "The second." not in [entry.reference for entry in kept]


@pytest.mark.parametrize(("make", "command"), [(nothing, "assay ingest FILE"), (drawn, "assay labels import FILE")])
def test_an_empty_gold_set_names_the_next_command(opened: Open, make: Make, command: str) -> None:
    """Where no label has offered anything, the page says so and how to go on."""
    app = opened(make, "gold")

    assert app.title[0].value == "What do we know for sure?"
    assert command in app.code[0].value
    assert not app.header


@pytest.mark.slow
def test_all_that_is_known_stands_beside_the_form(opened: Open, store_path: Path) -> None:
    """The conversation as chat, every piece of feedback within reach, the annotator's note, passages folded."""
    history = tuple(Turn(role="user" if n % 2 else "assistant", text=f"turn {n}.") for n in range(5))
    long = Turn(role="nurse", text="A <long> tale. " * 40)

    def make(store: Store) -> None:
        add(
            store,
            item(
                "a",
                contexts=(Context(text="One at a time."), Context(text="Ask.", title="Leaflet")),
                metadata={
                    "contexts": [{"text": "One at a time."}, {"text": "Ask.", "date": "2021-03-04", "url": "wiki/7"}]
                },
                history=(*history, long),
            ),
        )
        label(store, "a", Judgement.WRONG, rationale="Never *two*.")
        given = [Feedback(item_id="a", value="-1", sign=-1, comment=f"Bad {n}", at=NOW) for n in range(5)]
        with store.atomic():
            store.traffic.feedback.keep(given, now=NOW)

    app = opened(make, "gold")
    page_text, row = reads(app), in_store(store_path, lambda store: store.traffic.items.key("a"))
    assert [expander.label for expander in app.expander] == ["Earlier turns: 4", "More feedback: 2"]
    assert "turn 4." in page_text
    assert "turn 3." not in page_text
    assert page_text.count("Thumb down by the user") == 3
    for name in ("earlier", "thumbs"):
        app.session_state[f"queue-{row}-{name}"] = True
    page_text = reads(app.run())
    assert "turn 3." in page_text
    assert page_text.count("Thumb down by the user") == 5
    assert "Never *two*." in page_text
    assert "Leaflet</bdi></b> · <bdi class='a-text'>2021-03-04 · wiki/7</bdi>" in page_text
    assert page_text.count("<details") == 4, "the passages, each of two, and the long turn"
