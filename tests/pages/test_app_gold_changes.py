"""The gold page where things change: flags, second persons, edits at the same time, marks and releases; without a browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from annotate.domain.annotation import Annotation
from annotate.domain.feedback import Feedback
from annotate.domain.gold import GoldEntry, GoldSource, GoldStatus
from annotate.domain.gold.drafts import ReferenceDraft
from annotate.domain.gold.splits import Shares
from annotate.pages.gold import exports
from annotate.store import Store
from annotate.store.audit.policies import Policy
from annotate.store.labels.resolution import PlacedAnnotation
from annotate.workflow.gold import drafts, release, review
from annotate.workflow.gold.export import TARGETS
from annotate.workflow.gold.review import Actor
from proxy.records import Context, Item, Judgement
from proxy.text.controls import displayable
from support.app import HOSTILE, NOW, Open, in_store, three, walk, words
from support.gold import steps, turn
from support.gold_page import press

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

ANN, LEAD = Actor("ann", NOW), Actor("lead", NOW)
ACCEPTED = GoldStatus.ACCEPTED


def say(store: Store, item: str, judgement: Judgement | None, reference: str | None = None) -> None:
    """One annotator's word on an item, as a pull brings it."""
    annotation = Annotation(
        source="test", id=item, item_id=item, annotator="ann", judgement=judgement, reference=reference, at=NOW
    )
    with store.atomic(durable=True):
        store.labels.keep([PlacedAnnotation(annotation, store.traffic.items.keys([item])[item], None)], now=NOW)


def flagged(store: Store) -> None:
    """An accepted reference whose annotator wrote another one since, and one whose annotation is gone; hostile texts."""
    with store.atomic():
        store.traffic.items.add([Item(id=n, question=f"{n} {HOSTILE}", answer=HOSTILE) for n in "ab"], now=NOW)
    say(store, "a", Judgement.WRONG, f"First. {HOSTILE}")
    say(store, "b", Judgement.RIGHT)
    review.accept_all(store, LEAD)
    say(store, "a", Judgement.WRONG, f"Second. {HOSTILE}")
    say(store, "b", None)


def entry(path: Path, item: str) -> GoldEntry:
    """The entry of an item, read anew."""
    return in_store(
        path, lambda store: next(gold_entry for gold_entry in store.gold.entries() if gold_entry.item_id == item)
    )


def texts(app: AppTest) -> str:
    """Everything that others wrote, as the page shows it."""
    return "\n".join(str(text.value) for text in app.text)


@pytest.mark.slow
def test_what_changed_after_acceptance_comes_first_with_both_sides(opened: Open) -> None:
    """The old reference and what is said now stand side by side, hostile texts as text."""
    app = opened(flagged, "gold")

    assert app.header[0].value == "Changed after acceptance: 2"
    assert "The annotator wrote another reference." in words(app).replace("\\", "")
    assert "The annotation was deleted or taken back." in words(app).replace("\\", "")
    for part in ("First. ", "Second. "):
        assert displayable(part + HOSTILE) in texts(app)
    assert "No annotation stands." in texts(app)


@pytest.mark.slow
def test_a_source_that_changed_is_shown_before_and_now(opened: Open, store_path: Path) -> None:
    """Both texts stand side by side, hostile or not; keeping the entry settles it."""

    def make(store: Store) -> None:
        for name, text in (("a", f"On the ground floor. {HOSTILE}"), ("b", f"Upstairs. {HOSTILE}")):
            item = Item(id=name, question=f"{name}?", answer="There.", contexts=(Context(text=text, id="d1"),))
            with store.atomic():
                store.traffic.items.add([item], now=NOW)
            if name == "a":
                say(store, "a", Judgement.RIGHT)
                review.accept_all(store, LEAD)

    app = opened(make, "gold")

    assert "Its source changed: passage d1" in words(app).replace("\\", "")
    assert displayable(f"On the ground floor. {HOSTILE}"[:20]) in texts(app)
    assert "Upstairs. " in texts(app)
    app.button(key=f"keep-{entry(store_path, 'a').gold_id}").click().run()
    assert entry(store_path, "a").flag is None


@pytest.mark.slow
def test_keeping_editing_and_retiring_settle_a_flag(opened: Open, store_path: Path) -> None:
    """One is kept with a reason, one edited; the section goes when nothing is flagged."""
    app = opened(flagged, "gold")
    b = entry(store_path, "b").gold_id
    app.text_input(key=f"keep-why-{b}").set_value("still right").run()
    app.button(key=f"keep-{b}").click().run()
    assert app.header[0].value == "Changed after acceptance: 1"
    assert entry(store_path, "b").flag is None

    a = entry(store_path, "a")
    app.session_state[f"flag-open-{a.gold_id}"] = True
    app.run()
    field = app.text_area(key=f"flag-edit-{a.gold_id}-{a.revision}-text")
    assert field.value == displayable(f"Second. {HOSTILE}")
    field.set_value("Both agree.")
    next(button for button in app.button if button.label == "Save").click().run()

    gold_entry = entry(store_path, "a")
    assert (gold_entry.reference, gold_entry.status, gold_entry.flag, gold_entry.annotator) == (
        "Both agree.",
        ACCEPTED,
        None,
        "ann",
    )
    assert app.header[0].value != "Changed after acceptance: 1"
    history = in_store(store_path, lambda store: [why for *_, why in steps(store, b)])
    assert history[-1] == "kept: still right"
    assert in_store(store_path, lambda store: store.check()) == []


@pytest.mark.slow
def test_an_unchanged_form_changes_nothing(opened: Open, store_path: Path) -> None:
    """A text that cannot be shown as it is stays as it is when the form is saved untouched."""
    app = turn(opened(three, "gold"), "review")
    gold_entry = entry(store_path, "<b>2</b>")
    app.session_state[f"candidate-open-{gold_entry.gold_id}"] = True
    app.run()
    next(button for button in app.button if button.label == "Save").click().run()

    assert entry(store_path, "<b>2</b>") == gold_entry


@pytest.mark.slow
def test_what_someone_else_changed_is_not_accepted_unseen(opened: Open, store_path: Path) -> None:
    """The page shows one text, another person writes another: the button tells, and the next look shows it."""
    app = opened(flagged, "gold")
    entry = in_store(store_path, lambda store: store.gold.flagged()[0])
    in_store(store_path, lambda store: review.edit(store, entry.gold_id, "Meanwhile.", GoldSource.COMMAND, LEAD))
    app.button(key=f"flag-retire-{entry.gold_id}").click().run()

    assert "someone else has changed this one" in app.error[0].value
    assert "Meanwhile." in texts(turn(app, "set"))
    assert in_store(store_path, lambda store: store.gold.get(entry.gold_id)).status is ACCEPTED


@pytest.mark.slow
def test_who_comes_second_keeps_what_they_wrote(opened: Open, store_path: Path) -> None:
    """Someone else writes the reference first: the page tells, and the words of the second stand there to copy."""
    app = opened(walk, "gold")

    def first(store: Store) -> str:
        row = store.gold.without_reference()[0]
        return drafts.save(store, [row], ReferenceDraft(text="The first."), LEAD, [])

    gold_id = in_store(store_path, first)
    app.text_area[0].set_value("The second, in **many** words.")
    press(app, "Save, next")

    assert "Somebody else was quicker" in app.header[0].value
    assert "The first." in texts(app), "both texts stand beside each other"
    mine = app.text_area[0]
    assert (mine.label, mine.value) == ("What you wrote", "The second, in **many** words.")
    assert in_store(store_path, lambda store: store.gold.get(gold_id)).reference == "The first."


@pytest.mark.slow
def test_a_second_person_is_asked_for_in_words(opened: Open, store_path: Path) -> None:
    """The writer is refused and told why; the next person is not."""

    def make(store: Store) -> None:
        walk(store)
        review.set_policy(store, Policy.SECOND_PERSON, True, LEAD)
        row = store.gold.without_reference()[0]
        drafts.save(store, [row], ReferenceDraft(text="Never two."), ANN, [])

    app = opened(make, "gold")
    gold_id = in_store(
        store_path, lambda store: next(e for e in store.gold.entries() if e.reference == "Never two.").gold_id
    )
    turn(app, "review")
    assert "nobody accepts a reference of their own" in words(app)
    app.button(key=f"accept-{gold_id}").click().run()
    assert "second person" in app.error[0].value
    app.text_input[0].set_value("bob").run()
    app.button(key=f"accept-{gold_id}").click().run()

    assert not app.error
    assert in_store(store_path, lambda store: steps(store, gold_id))[-1][1:3] == ("accepted", "bob")


@pytest.mark.slow
def test_the_same_form_twice_adds_one(store_path: Path) -> None:
    """A double click is one reference, one revision and one event."""
    store = Store(store_path)
    walk(store)
    row = store.gold.without_reference()[0]
    events = len(store.audit.events.all())
    draft = ReferenceDraft(text=" Never two. ", lacks_knowledge=True)
    names = {drafts.save(store, [row], draft, ANN, []) for _ in range(2)}
    gold_entry = store.gold.of_item(row)
    added, kept = len(store.audit.events.all()) - events, len(steps(store, names.pop()))
    store.close()

    assert gold_entry is not None
    assert (names, added, kept, gold_entry.lacks_knowledge) == (set(), 1, 1, True)


@pytest.mark.slow
def test_a_mark_is_set_with_the_reference_and_taken_off_later(opened: Open, store_path: Path) -> None:
    """The box of the form, then the box of the entry."""
    app = opened(walk, "gold")
    app.text_area[0].set_value("Nobody can know.")
    next(box for box in app.checkbox if box.key.startswith("reference-lacks")).check()
    press(app, "Save, next")
    assert in_store(store_path, lambda store: store.gold.count_lacking()) == 1
    turn(app, "review")
    assert "knowledge base lacks: 1" in words(app).replace("\\", "")
    next(box for box in app.checkbox if box.key.startswith("lacks-") and box.value).uncheck().run()

    assert in_store(store_path, lambda store: store.gold.count_lacking()) == 0


@pytest.mark.slow
def test_corrections_are_said_to_be_anybody_s_and_not_chosen_with_the_rest(opened: Open, store_path: Path) -> None:
    """Each is accepted by itself."""

    def make(store: Store) -> None:
        walk(store)
        with store.atomic(durable=True):
            store.traffic.items.add([Item(id="new", question="Is it?", answer="No")], now=NOW)
            for gold_entry in store.gold.page(GoldStatus.CANDIDATE, start=0, size=100):
                review.set_status(store, {gold_entry.gold_id: None}, GoldStatus.RETIRED, Actor("lead", NOW))
            store.traffic.feedback.keep([Feedback(item_id="new", value="-1", sign=-1, correction=HOSTILE)], now=NOW)

    app = turn(opened(make, "gold"), "review")
    gold_id = entry(store_path, "new").gold_id
    assert "anybody could have written it" in words(app)
    assert not [box for box in app.checkbox if box.key.startswith("choose-")]
    app.button(key=f"accept-{gold_id}").click().run()

    assert entry(store_path, "new").status is ACCEPTED


def test_near_duplicates_and_conflicts_are_said_on_candidates(opened: Open) -> None:
    """The other entry is named beside the one that the reader looks at."""

    def make(store: Store) -> None:
        with store.atomic():
            store.traffic.items.add(
                [Item(id=n, question="When was it?", answer=f"In 198{k}.") for k, n in enumerate("ab")], now=NOW
            )
        for name in "ab":
            say(store, name, Judgement.RIGHT)

    assert words(opened(make, "gold")).count("which asks nearly the same") == 2


@pytest.mark.slow
def test_releases_are_shown_with_their_hash_and_downloaded(opened: Open, store_path: Path) -> None:
    """The file holds what was released, under a name with markup in it too."""

    def make(store: Store) -> None:
        walk(store)
        review.accept_all(store, LEAD)
        release.release(store, "v1 _x_", Shares(), with_doubts=True, who="lead", now=NOW)

    app = turn(opened(make, "gold"), "releases")
    made = in_store(store_path, lambda store: store.gold.releases.get("v1 _x_"))
    assert made.hash in words(app)
    assert "v1 \\_x\\_" in words(app)
    assert exports.content(store_path, TARGETS[0], "v1 _x_").count(b"\n") == made.entries


@pytest.mark.slow
@pytest.mark.parametrize("page", ["flag", "accepted"])
def test_the_history_is_read_when_it_is_opened(opened: Open, store_path: Path, page: str) -> None:
    """Who did what, with the reference where it changed; and the passages, to check the reference against."""
    app = turn(opened(flagged, "gold"), "review" if page == "flag" else "set")
    gold_id = entry(store_path, "a").gold_id
    assert "accepted by lead" not in texts(app)
    app.session_state[f"{page}-history-{gold_id}"] = True
    app.run()

    assert "accepted by lead" in texts(app)
    assert "accepted by assay: flagged: the annotator wrote another reference" in texts(app)

    assert "What the app had found" not in words(app)
    app.session_state[f"{page}-behind-{gold_id}"] = True
    assert "What the app had found" in words(app.run())
