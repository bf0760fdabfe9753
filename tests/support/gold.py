"""A store whose items annotators label and decide about, for the tests of the gold set."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from annotate.domain.annotation import Annotation
from annotate.domain.gold import GoldEntry, GoldSource, GoldStatus
from annotate.domain.gold.splits import Shares
from annotate.store import Store
from annotate.store.audit.policies import Policy
from annotate.store.labels.resolution import PlacedAnnotation
from annotate.workflow.gold import release, review
from annotate.workflow.gold.review import Actor
from proxy.records import Item, Judgement
from support.app import HOSTILE
from support.store import LATER, NOW

ANSWER = "The answer of the app."
if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

Say = Callable[..., int]


@pytest.fixture
def say(store: Store) -> Say:
    """Have somebody label an item of the store; return how many candidates for the gold set came of it."""
    with store.atomic():
        store.traffic.items.add([Item(id=name, question=f"Q {name}?", answer=ANSWER) for name in "abcde"], now=NOW)

    def label(item: str, judgement: Judgement | None, **changes: Any) -> int:
        row = store.traffic.items.keys([item])[item]
        who = changes.setdefault("annotator", "ann")
        annotation = Annotation(source="test", id=f"{item}-{who}", item_id=item, judgement=judgement, **changes)
        before = {gold_entry.gold_id for gold_entry in store.gold.entries(GoldStatus.CANDIDATE)}
        with store.atomic(durable=True):
            store.labels.keep([PlacedAnnotation(annotation, row, None)], now=NOW)
        return len({gold_entry.gold_id for gold_entry in store.gold.entries(GoldStatus.CANDIDATE)} - before)

    return label


def entry(store: Store, item: str = "a") -> GoldEntry:
    entries = [gold_entry for gold_entry in store.gold.entries() if gold_entry.item_id == item]
    assert len(entries) == 1
    return entries[0]


def decide(
    store: Store,
    status: GoldStatus,
    item: str = "a",
    why: str | None = None,
    *,
    who: str = "lead",
    seen: int | None = None,
    **more: Any,
) -> int:
    """Accept or retire the entry of an item, whose revision was `seen`."""
    gold_id = entry(store, item).gold_id
    return review.set_status(store, {gold_id: seen}, status, Actor(who, LATER), why=why, **more)


def ask_for_second_person(store: Store, is_on: bool = True) -> None:
    """Have the team ask for a second person."""
    with store.atomic():
        store.audit.policies.set(Policy.SECOND_PERSON, is_on)


def steps(store: Store, gold_id: str) -> list[tuple[str, str, str, str]]:
    """(at, status, who, why) of each revision of an entry, oldest first."""
    return [
        (revision.at, revision.status.value, revision.who, revision.why) for revision in store.gold.revisions(gold_id)
    ]


def last(store: Store, item: str = "a") -> tuple[str, str, str]:
    """(status, who, why) of the last revision of an item's entry."""
    return steps(store, entry(store, item).gold_id)[-1][1:]


def busy(store: Store) -> None:
    """Wrong answers that need a reference, of which one is seriously harmful; a flag, a conflict, a duplicate, a release."""
    questions = {
        **{f"w{n}": f"What is wrong with answer {n}?" for n in range(5)},
        **{"a": "How much of the red syrup?", "b": "how much of the RED syrup", "c": "When does it open?"},
        **{"d": "When does it open?", "e": "Where is the lift?", "f": "Is the pool heated?"},
    }
    answers = {"a": "Take 5 ml.", "b": "Take 50 ml.", "c": "At nine.", "d": "At nine.", "e": "Left.", "f": "Yes."}
    with store.atomic():
        items = [Item(id=name, question=text, answer=answers.get(name, HOSTILE)) for name, text in questions.items()]
        store.traffic.items.add(items, now=NOW)
    for name in answers:
        label(store, name, Judgement.RIGHT)
    with store.atomic(durable=True):
        accepted = [gold_entry.gold_id for gold_entry in store.gold.entries() if gold_entry.item_id != "f"]
        review.set_status(store, dict.fromkeys(accepted), GoldStatus.ACCEPTED, Actor("lead", NOW))
    for name in ("v1", "v2"):
        release.release(store, name, Shares(), with_doubts=True, who="lead", now=NOW)
    label(store, "e", Judgement.WRONG, reference="Right.", causes=("incomplete",))
    for n in range(5):
        label(store, f"w{n}", Judgement.WRONG, harm="serious" if n == 4 else None, rationale=f"Reason {n}. {HOSTILE}")


def label(store: Store, item: str, judgement: Judgement, **more: Any) -> None:
    """What the annotator says of an item, kept and offered to the gold set."""
    row = store.traffic.items.keys([item])[item]
    annotation = Annotation(source="test", id=item, item_id=item, judgement=judgement, annotator="ann", at=NOW, **more)
    with store.atomic(durable=True):
        store.labels.keep([PlacedAnnotation(annotation, row, None)], now=NOW)


def turn(app: AppTest, part: str) -> AppTest:
    """The gold page turned to one of its parts."""
    next(button_group for button_group in app.button_group if button_group.key == "part").set_value(part)
    return app.run()


def made_entry(name: str, **changes: Any) -> GoldEntry:
    """An entry without a store."""
    given: dict[str, Any] = {
        **{"gold_id": name, "item": None, "item_id": None, "reference": "R", "status": GoldStatus.ACCEPTED},
        **{"source": GoldSource.WRITTEN, "annotator": "ann", "updated_at": NOW},
    }
    return GoldEntry(**given | changes)
