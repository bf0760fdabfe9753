"""Entries that were built from passages: kept, decided on and read by name, and in nothing that is said of the team's gold set."""

from __future__ import annotations

from annotate.analysis.gold.coverage import coverage, growth, roles
from annotate.analysis.gold.regression import EVERY
from annotate.domain.gold import GoldRole, GoldStatus, synthetic_entry
from annotate.domain.gold.splits import Shares
from annotate.store import Store
from annotate.workflow.gold import export, release, review
from annotate.workflow.gold.review import Actor
from annotate.workflow.judging.gold_references import GoldReferences
from proxy.records import Item, Judgement
from support.gold import Say, entry
from support.store import LATER, NOW, report_of

QUESTION = "Q a?"  # what item `a` of the traffic asks as well
BUILT = synthetic_entry(QUESTION, "1889 | in 1889", ["It was built in 1889."], maker="template number v1", now=NOW)
LEAD = Actor("lead", LATER)


def build(store: Store) -> None:
    """Add an accepted entry and a candidate."""
    other = synthetic_entry("When?", "1900", ["It was in 1900."], maker="template number v1", now=NOW)
    with store.atomic():
        for candidate in (BUILT, other):
            store.gold.write(candidate, who="lead", why=None, now=NOW)
    review.set_status(store, {BUILT.gold_id: None}, GoldStatus.ACCEPTED, LEAD)


def told(store: Store) -> list[object]:
    """All that is said of the gold set, and what the report says."""
    return [
        *(store.gold.entries(), store.gold.counts(), store.gold.questions(), store.gold.checks.entries(EVERY, None)),
        *(
            store.gold.page(GoldStatus.CANDIDATE, start=0, size=9),
            store.gold.page(GoldStatus.ACCEPTED, start=0, size=9),
        ),
        *(coverage(store), growth(store), roles(store), store.gold.sources.without_ids()),
        *(store.gold.statistics.find(GoldStatus.ACCEPTED), list(export.rows(store, None)), report_of(store)),
    ]


def test_synthetic_entries_are_read_by_name(store: Store) -> None:
    build(store)

    (accepted,) = store.gold.synthetic(GoldStatus.ACCEPTED)
    assert (accepted.gold_id, accepted.question, accepted.reference) == (BUILT.gold_id, QUESTION, BUILT.reference)
    assert (accepted.role, accepted.contexts, accepted.annotator) == (
        GoldRole.SYNTHETIC,
        BUILT.contexts,
        "template number v1",
    )
    assert [synthetic.question for synthetic in store.gold.synthetic(GoldStatus.CANDIDATE)] == ["When?"]
    assert len(store.gold.synthetic()) == 2


def test_nothing_else_speaks_of_them(store: Store, say: Say) -> None:
    """The team's own gold set, its coverage and the report are the same before and after."""
    say("b", Judgement.RIGHT)
    say("c", Judgement.WRONG, reference="Another answer.")
    before = told(store)

    build(store)

    assert told(store) == before
    asked = Item(id="a", question=QUESTION, answer="In 1889.")
    assert GoldReferences(store).filled(asked) is asked


def test_releases_hold_none_of_them(store: Store, say: Say) -> None:
    """The team's entry asks the same and says something else: it is released, and gets a role of its own."""
    say("a", Judgement.RIGHT)
    build(store)
    review.accept_all(store, LEAD)

    made = release.release(
        store, "v1", Shares(test=1, calibration=0, examples=0), with_doubts=False, who="lead", now=LATER
    )

    assert (made.release.entries, made.roles, made.conflicting) == (1, {"test": 1}, 0)
    assert entry(store).role is GoldRole.TEST
    assert len(store.gold.synthetic(GoldStatus.CANDIDATE)) == 1
    review.retire_all(store, LEAD)
    assert len(store.gold.synthetic(GoldStatus.CANDIDATE)) == 1
