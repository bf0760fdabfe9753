"""The causes of a wrong answer, named by a person: a revision and an event, and right stays right."""

from __future__ import annotations

import pytest

from annotate.domain.adjudication import Decision
from annotate.domain.annotation import Annotation
from annotate.store import Store
from annotate.store.labels.resolution import PlacedAnnotation
from annotate.workflow.labelling import adjudicate, decisions
from annotate.workflow.labelling.decisions import EVENT, OVERTAKEN, name_causes
from proxy.errors import UsageError
from proxy.records import Judgement, Label
from support.disagreements import NOW, differ, differing, told

LATER = "2026-11-22T09:00:00.000Z"
WRONG = next(case for case in told() if case.kind == "miss" and case.causes)
RIGHT = next(case for case in told() if case.kind == "false_fail")
OTHER = tuple(cause for cause in ("incomplete", "other") if cause not in WRONG.causes)[:1]


def label(store: Store, name: str = WRONG.item_id) -> Label:
    resolved = store.labels.of_item(store.traffic.items.keys([name])[name])
    assert resolved is not None
    return resolved


def row(store: Store) -> tuple[int, int | None]:
    key = store.traffic.items.keys([WRONG.item_id])[WRONG.item_id]
    return key, store.labels.disagreements.draw_of_label(key)


def words(store: Store) -> dict[str, Judgement]:
    return {resolved.item_id: resolved.judgement for resolved in store.labels.that_count().values()}


def test_causes_are_named_once_with_who_and_an_event_and_nothing_else_changes(store: Store) -> None:
    """The label has them, the log of annotations does not move, the same again adds nothing."""
    differing(store)
    before, judgements, log = label(store), words(store), list(store.labels.every(revisions=True))

    assert name_causes(store, WRONG.item_id, OTHER, seen=WRONG.causes, who=" eva ", now=NOW)
    assert not name_causes(store, WRONG.item_id, OTHER, seen=WRONG.causes, who="ben", now=LATER)

    after = label(store)
    assert after.causes == OTHER
    assert (after.judgement, after.annotator, after.harm, after.rationale, after.at, after.basis) == (
        *(before.judgement, before.annotator, before.harm, before.rationale, before.at, before.basis),
    )
    assert words(store) == judgements
    assert list(store.labels.every(revisions=True)) == log
    assert store.labels.causes.history(*row(store)) == [(OTHER, "eva", NOW)]
    told_of = [(event.who, event.read()) for event in store.audit.events.all() if event.what == EVENT]
    assert told_of == [("eva", {"item_id": WRONG.item_id, "causes": list(OTHER)})]
    assert store.check() == []


def test_who_was_overtaken_is_told_and_writes_nothing(store: Store) -> None:
    """Two choose at once: the second sees the conflict, looks again, and may then."""
    differing(store)
    name_causes(store, WRONG.item_id, OTHER, seen=WRONG.causes, who="eva", now=NOW)

    with pytest.raises(UsageError, match=OVERTAKEN):
        name_causes(store, WRONG.item_id, ("outdated_or_unsafe",), seen=WRONG.causes, who="ben", now=LATER)
    assert label(store).causes == OTHER
    assert name_causes(store, WRONG.item_id, (), seen=OTHER, who="ben", now=LATER)
    assert label(store).causes == ()
    assert [change.causes for change in store.labels.causes.history(*row(store))] == [OTHER, ()]


@pytest.mark.parametrize(
    ("name", "causes", "who", "why"),
    [
        (WRONG.item_id, OTHER, "  ", "name"),
        (WRONG.item_id, ("bad luck",), "eva", "bad luck"),
        (RIGHT.item_id, OTHER, "eva", "wrong answer only"),
        ("nothing", OTHER, "eva", "no label"),
    ],
)
def test_what_makes_no_sense_is_refused(store: Store, name: str, causes: tuple[str, ...], who: str, why: str) -> None:
    """In words that say why; nothing is written."""
    differing(store)
    with pytest.raises(UsageError, match=why):
        name_causes(store, name, causes, seen=(), who=who, now=NOW)
    assert [event for event in store.audit.events.all() if event.what == EVENT] == []


def test_a_new_reading_does_not_undo_it_and_a_settlement_does(store: Store) -> None:
    """Another annotator of the same mind names other causes: the person's stand. Whoever adjudicates speaks for themselves, until
    causes are named again; taken back, the causes of before stand.
    """
    differing(store)
    item, draw = row(store)
    name_causes(store, WRONG.item_id, OTHER, seen=WRONG.causes, who="eva", now=NOW)
    annotation = Annotation(
        source="test", id="x", item_id=WRONG.item_id, annotator="eve", judgement=Judgement.WRONG, causes=("other",)
    )
    with store.atomic(durable=True):
        store.labels.keep([PlacedAnnotation(annotation, item, draw)], now=LATER)
    assert label(store).causes == OTHER

    decision = Decision(judgement=Judgement.WRONG, why="so", causes=("misread_question",), harm="none")
    adjudicate.adjudicate(store, item, decision, who="zoe", now=LATER)
    assert label(store).causes == ("misread_question",)
    name_causes(store, WRONG.item_id, ("unfaithful",), seen=("misread_question",), who="eva", now=LATER)
    assert label(store).causes == ("unfaithful",)
    adjudicate.take_back(store, item, "no", who="zoe", now=LATER)
    assert label(store).causes == ("unfaithful",)


def test_an_answer_that_turns_right_has_no_causes_and_gets_them_back(store: Store) -> None:
    """Causes never make an answer wrong: while annotators call it right they are not shown."""
    differing(store)
    item, _ = row(store)
    name_causes(store, WRONG.item_id, OTHER, seen=WRONG.causes, who="eva", now=NOW)
    adjudicate.adjudicate(store, item, Decision(judgement=Judgement.RIGHT, why="so"), who="zoe", now=LATER)
    assert (label(store).judgement, label(store).causes) == (Judgement.RIGHT, ())
    adjudicate.take_back(store, item, "no", who="zoe", now=LATER)
    assert (label(store).judgement, label(store).causes) == (Judgement.WRONG, OTHER)


def test_a_name_that_is_forgotten_is_gone_from_the_history(store: Store) -> None:
    """Who named causes or asked stands by a key, so the name goes with the person."""
    differing(store)
    name_causes(store, WRONG.item_id, OTHER, seen=WRONG.causes, who="eva", now=NOW)
    with store.atomic():
        store.audit.forgetting.forget_annotator("eva", references=False, why=None, who="zoe", now=LATER)

    [change] = store.labels.causes.history(*row(store))
    assert change.who.startswith("forgotten-")
    assert differ(told())  # the fixture is what the names above were taken from
    assert decisions.EVENT in {event.what for event in store.audit.events.all()}
