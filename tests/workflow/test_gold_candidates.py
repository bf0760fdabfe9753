"""Which source wins: a person's reference, an answer called right, what came with the traffic, an end user's correction."""

from __future__ import annotations

import pytest

from annotate.domain.feedback import Feedback
from annotate.domain.gold import Candidate, GoldSource, GoldStatus, Others, offered
from annotate.store import Store
from annotate.store.audit.policies import Policy
from annotate.store.gold.entries import CORRECTIONS_FIRST
from annotate.workflow.gold import review, writing
from annotate.workflow.gold.review import Actor
from proxy.records import Item, Judgement, Label
from support.gold import ANSWER, Say, decide, entry, last
from support.store import LATER, NOW, Assay, traffic_row

RIGHT, WRONG, UNSURE = Judgement
CANDIDATE, ACCEPTED, RETIRED = GoldStatus
LEAD = Actor("lead", LATER)
EVERYTHING = Others("From the traffic.", "From a user.", "web")


def correct(store: Store, item: str, text: str | None, source: str | None = "web", now: str = NOW) -> None:
    """An end user's correction comes in."""
    feedback = Feedback(item_id=item, value="-1", sign=-1, correction=text, source=source)
    with store.atomic(durable=True):
        store.traffic.feedback.keep([feedback], now=now)


@pytest.mark.parametrize(
    ("judgement", "reference", "others", "wins"),
    [
        (WRONG, "Written.", EVERYTHING, ("Written.", GoldSource.WRITTEN, "ann")),
        (RIGHT, "Written.", EVERYTHING, (ANSWER, GoldSource.RIGHT_ANSWER, "ann")),
        (WRONG, None, EVERYTHING, ("From the traffic.", GoldSource.TRAFFIC, None)),
        (None, None, EVERYTHING, ("From the traffic.", GoldSource.TRAFFIC, None)),
        (WRONG, None, EVERYTHING._replace(reference=" "), ("From a user.", GoldSource.CORRECTION, "web")),
        (None, None, Others(correction="\n"), None),
        (UNSURE, "Written.", EVERYTHING, None),
        (WRONG, None, Others(), None),
        (WRONG, "", Others(), None),
    ],
)
def test_the_best_source_wins(
    judgement: Judgement | None, reference: str | None, others: Others, wins: tuple[str, GoldSource, str | None] | None
) -> None:
    """In this order; and an item whose label is unsure offers nothing until it is settled."""
    label = Label(item_id="a", judgement=judgement, reference=reference, annotator="ann") if judgement else None

    assert offered(label, ANSWER, others) == (wins and Candidate(*wins))


def test_a_blank_answer_offers_nothing() -> None:
    """Right or not, there is nothing to keep."""
    assert offered(Label(item_id="a", judgement=RIGHT), " \n", Others()) is None


def test_a_correction_waits_until_there_is_something_better(store: Store, say: Say) -> None:
    """It becomes a candidate under its sender; a label takes its place, and without one it comes back."""
    correct(store, "a", "From a user.")
    gold = entry(store)
    assert (gold.reference, gold.source, gold.annotator) == ("From a user.", GoldSource.CORRECTION, "web")
    assert last(store) == ("candidate", "assay", "")

    say("a", WRONG)
    assert entry(store).source is GoldSource.CORRECTION
    assert store.gold.without_reference() == [store.traffic.items.keys(["a"])["a"]]  # a person's word is still wanted
    say("a", WRONG, reference="Written.")
    assert (entry(store).reference, entry(store).source) == ("Written.", GoldSource.WRITTEN)
    say("a", None, deleted=True)
    assert entry(store).source is GoldSource.CORRECTION


def test_corrections_come_before_or_after_their_item(store: Store, say: Say) -> None:
    """Feedback meets its item by id; what waited for an item is offered when that comes in."""
    correct(store, "z", "From a user.")
    assert store.gold.entries() == []
    with store.atomic(durable=True):
        store.traffic.items.add([Item(id="z", question="Q?", answer="A")], now=LATER)
    assert entry(store, "z").reference == "From a user."
    with store.atomic(durable=True):
        assert store.gold.sweep(now=LATER) == 0


def test_the_first_correction_stays(store: Store, say: Say) -> None:
    """Nobody replaces it from outside, neither by another correction nor with a new revision of the item."""
    correct(store, "a", "First.")
    correct(store, "a", "Second.", now=LATER)
    correct(store, "b", None)
    with store.atomic(durable=True):
        store.traffic.items.add([Item(id="a", question="Q a?", answer="Another answer.")], now=LATER)

    assert [(entry.item_id, entry.reference) for entry in store.gold.entries()] == [("a", "First.")]


def test_a_correction_is_never_accepted_with_the_rest(store: Store, say: Say) -> None:
    """--all leaves it; by its id a person may accept it, and then nothing outside changes it."""
    correct(store, "a", "From a user.")
    say("b", RIGHT)
    done = review.accept_all(store, LEAD)

    assert (done.changed, done.corrections, done.own, done.withheld) == (1, 1, 0, {})
    assert entry(store, "a").status is CANDIDATE

    decide(store, ACCEPTED)
    correct(store, "a", "Second.")
    say("a", WRONG)
    assert (entry(store).reference, entry(store).flag) == ("From a user.", None)
    assert store.gold.without_reference() == []


def test_one_sender_does_not_fill_the_page(store: Store) -> None:
    """Of fifty corrections of one sender five stand before the other sender's, after what annotators say; all can be reached."""
    with store.atomic(durable=True):
        store.traffic.items.add([Item(id=f"{n:02}", question=f"Q {n}?", answer="A") for n in range(60)], now=NOW)
        rows = [
            Feedback(item_id=f"{n:02}", value="-1", sign=-1, correction=f"C {n}", source="flood") for n in range(50)
        ]
        rows += [Feedback(item_id=f"{n}", value="-1", sign=-1, correction=f"C {n}", source="web") for n in (50, 51)]
        store.traffic.feedback.keep(rows, now=NOW)
        writing.write(store, [store.traffic.items.keys(["59"])["59"]], "R", GoldSource.APP, Actor("ann", NOW))
    pages = [store.gold.page(CANDIDATE, start=start, size=10) for start in range(0, 60, 10)]
    every = [entry for page in pages for entry in page]

    assert [entry.annotator for entry in every[:8]] == ["ann", *["flood"] * CORRECTIONS_FIRST, "web", "web"]
    assert len({entry.gold_id for entry in every}) == len(every) == 53


def test_references_of_the_traffic_are_offered_only_when_asked_for(store: Store) -> None:
    """Off at first; switched on, what is here is offered at once and what comes later with its file."""
    with store.atomic(durable=True):
        store.traffic.items.add([Item(id="a", question="Q?", answer="A", reference="From the traffic.")], now=NOW)
    assert store.gold.entries() == []
    assert review.set_policy(store, Policy.TRAFFIC_REFERENCES, True, LEAD)

    assert (entry(store).source, entry(store).status) == (GoldSource.TRAFFIC, CANDIDATE)
    assert not review.set_policy(store, Policy.TRAFFIC_REFERENCES, True, LEAD)


def test_a_second_annotator_is_named_too(store: Store, say: Say) -> None:
    """Both stand behind the answer that both call right, so neither is a second person."""
    say("a", RIGHT)
    say("a", RIGHT, annotator="bob")

    assert entry(store).annotator == "ann, bob"


@pytest.mark.slow
def test_feedback_and_traffic_files_offer_their_corrections(assay: Assay) -> None:
    """Whichever file came first; the same files again add nothing."""
    feedback = assay.write("f.jsonl", [{"item_id": "a", "value": -1, "correction": "From a user.", "source": "web"}])
    traffic = assay.write("t.jsonl", [traffic_row("a")])
    assay("ingest", assay.write("other.jsonl", [traffic_row("b")]))
    assay("feedback", feedback)
    for _ in range(2):
        assay("ingest", traffic)
        assay("feedback", feedback)

    assert assay.sql("SELECT reference, source, status FROM gold") == [
        ("From a user.", "an end user's correction", "candidate")
    ]
    assert len(assay.sql("SELECT * FROM gold_revisions")) == 1


def test_a_superseded_item_is_flagged_by_the_file_that_supersedes_it(loaded: Assay) -> None:
    """A new answer under the same id comes in with `assay ingest`: the entry of the old one says so."""
    loaded("labels", "import", loaded.write("l.jsonl", [{"item_id": "a", "label": "right", "annotator": "ann"}]))
    loaded("gold", "accept", "--all")
    loaded("ingest", loaded.write("new.jsonl", [traffic_row("a", answer="It has moved.")]))

    (entry,) = loaded.json("gold", "list")["gold"]
    assert (entry["flag"], entry["status"]) == ("a newer revision of the item came in", "accepted")
