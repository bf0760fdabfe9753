"""The thumbs-down as an inbox: what became of each answer that users complain about, whichever came first."""

from __future__ import annotations

import pytest

from annotate.analysis.rule_in_force import built_in
from annotate.domain.complaints import ComplaintState, ComplaintTally
from annotate.domain.sampling.proposal import ProposalRequest
from annotate.store import Store
from annotate.workflow.judging.offline import judge
from annotate.workflow.sampling.draw import draw_wave
from proxy.records import Judgement
from support.inbox import label, states, take, thumb
from support.store import LATER, NASTY, NOW, Assay, add, item


def test_an_answer_goes_from_waiting_to_drawn_to_labelled(store: Store) -> None:
    """By id whichever came first; a thumb up and a comment are no complaint; hand-picked labels end the wait too."""
    take(store, [thumb("a"), thumb("b"), thumb("lost"), {"item_id": "c", "value": 1}, thumb("picked")])
    add(store, *(item(name) for name in ("a", "b", "c", "picked")))
    label(store, [{"item_id": "picked", "label": "right", "annotator": "ann"}])
    assert states(store) == {"a": "waiting", "b": "waiting", "lost": "unknown", "picked": "labelled"}

    judge(store, list(built_in().values()), now=NOW)
    draw_wave(store, ProposalRequest(labels=4, seed=1), now=NOW)
    label(store, [{"item_id": "a", "label": "wrong", "annotator": "ann"}])
    complaints = {complaint.item_id: complaint for complaint in store.traffic.complaints.page(None, start=0, size=9)}
    assert {name: complaint.state.value for name, complaint in complaints.items()} == {
        **{"a": "labelled", "b": "open", "lost": "unknown", "picked": "labelled"},
    }
    assert (complaints["a"].wave, complaints["a"].judgement) == (1, Judgement.WRONG)
    assert store.traffic.complaints.tally() == ComplaintTally(open=1, labelled=2, unknown=1, right=1, wrong=1)
    assert store.traffic.complaints.tally().all == 4 == len(states(store))
    assert states(store, ComplaintState.OPEN) == {"b": "open"}


def test_an_answer_that_changed_waits_again(store: Store) -> None:
    """A thumb speaks of the id: other content under it was neither drawn nor labelled."""
    take(store, [thumb("a")])
    add(store, item("a"))
    judge(store, list(built_in().values()), now=NOW)
    draw_wave(store, ProposalRequest(labels=1, seed=1), now=NOW)
    label(store, [{"item_id": "a", "label": "wrong", "annotator": "ann"}])
    add(store, item("a", answer="Another."), now=LATER)

    [complaint] = store.traffic.complaints.page(None, start=0, size=9)
    assert (complaint.state, complaint.wave, complaint.judgement) == (ComplaintState.WAITING, None, None)


def test_the_newest_stand_first_a_page_at_a_time(store: Store) -> None:
    """By the newest thumb of each answer; pages neither overlap nor leave one out; thumbs of one answer are one entry."""
    add(store, *(item(str(n)) for n in range(25)))
    rows = [thumb(str(n), at=f"2026-11-{n + 1:02}T08:00:00Z", comment=f"words {n}") for n in range(25)]
    take(store, [*rows, *(thumb("0", at=f"2026-12-{n + 1:02}T08:00:00Z", comment=f"again {n}") for n in range(7))])
    pages = [
        complaint
        for start in (0, 10, 20, 30)
        for complaint in store.traffic.complaints.page(ComplaintState.WAITING, start=start, size=10)
    ]

    assert [page.item_id for page in pages] == ["0", *(str(n) for n in range(24, 0, -1))]
    first = pages[0]
    assert first.thumbs == 8
    assert [complaint.comment for complaint in first.newest] == [f"again {n}" for n in (6, 5, 4, 3, 2)]
    assert store.traffic.complaints.tally().waiting == 25


def test_hostile_words_come_back_as_they_were(store: Store) -> None:
    """Also what UTF-8 cannot hold."""
    add(store, item("a"))
    take(store, [thumb("a", comment=NASTY, correction=NASTY, source="app")])

    [[feedback]] = [complaint.newest for complaint in store.traffic.complaints.page(None, start=0, size=9)]
    assert (feedback.comment, feedback.correction, feedback.source) == (NASTY, NASTY, "app")


@pytest.mark.parametrize("state", list(ComplaintState))
def test_an_empty_inbox(store: Store, state: ComplaintState) -> None:
    """Nothing in any state."""
    assert store.traffic.complaints.page(state, start=0, size=9) == []
    assert store.traffic.complaints.tally() == ComplaintTally()


def test_what_was_forgotten_waits_for_nobody(assay: Assay) -> None:
    """Its words are gone, the thumb stays."""
    assay("ingest", assay.write("t.jsonl", [{"id": "a", "question": "Q?", "contexts": ["C"], "answer": "A."}]))
    assay("feedback", assay.write("f.jsonl", [thumb("a", comment="private")]))
    assay("forget", "--yes", "--item", "a", "--why", "asked")

    store = Store(assay.db)
    [complaint] = store.traffic.complaints.page(None, start=0, size=9)
    store.close()
    assert (complaint.state, complaint.newest[0].comment) == (ComplaintState.FORGOTTEN, None)


def test_the_tally_agrees_with_the_report(assay: Assay) -> None:
    """As many answers with a thumb down as `assay feedback` says; an id without an item is no item in the store."""
    assay(
        "ingest", assay.write("t.jsonl", [{"id": n, "question": "Q?", "contexts": ["C"], "answer": n} for n in "abc"])
    )
    told = assay.json("feedback", assay.write("f.jsonl", [thumb("a"), thumb("a", comment="x"), thumb("b"), thumb("z")]))

    store = Store(assay.db)
    tally = store.traffic.complaints.tally()
    store.close()
    assert (tally.all - tally.unknown, tally.unknown) == (told["thumbs_down"], told["unmatched"]) == (2, 1)
