"""A complaint is looked at and set aside: with who, when and why, taken back as easily, never a label and never another chance."""

from __future__ import annotations

import pytest

from annotate.analysis.rule_in_force import built_in
from annotate.domain.complaints import Aside, Complaint, ComplaintState, ComplaintTally
from annotate.domain.sampling.proposal import ProposalRequest
from annotate.store import Store
from annotate.workflow.judging.offline import judge
from annotate.workflow.labelling import complaints
from annotate.workflow.sampling.draw import draw_wave
from proxy.errors import UsageError
from support.inbox import label, states, take, thumb
from support.store import LATER, NASTY, NOW, add, item


@pytest.fixture
def inbox(store: Store) -> Store:
    """Two answers with a thumb down, and a thumb on an id that nobody knows."""
    add(store, item("a"), item("b"))
    take(store, [thumb("a"), thumb("b"), thumb("lost")])
    judge(store, list(built_in().values()), now=NOW)
    return store


def shown(store: Store, name: str) -> Complaint:
    complaint = store.traffic.complaints.of(name)
    assert complaint is not None
    return complaint


def test_what_is_set_aside_leaves_the_list_with_who_when_and_why(inbox: Store) -> None:
    """Once, however often it is asked; an event tells it, and taking it back lets it wait again."""
    seen = shown(inbox, "a")
    assert complaints.set_aside(inbox, seen, f" {NASTY} ", who=" ann ", now=NOW)
    assert not complaints.set_aside(inbox, seen, "again", who="ben", now=LATER)
    assert complaints.set_aside(inbox, shown(inbox, "lost"), "a test", who="ann", now=NOW)

    assert states(inbox) == {"a": "seen", "b": "waiting", "lost": "seen"}
    assert shown(inbox, "a").aside == Aside("ann", NOW, NASTY.strip())
    assert inbox.traffic.complaints.tally() == ComplaintTally(waiting=1, seen=2)
    assert complaints.take_back(inbox, "a", who="ben", now=LATER)
    assert not complaints.take_back(inbox, "a", who="ben", now=LATER)
    assert shown(inbox, "a").state is ComplaintState.WAITING
    told = [(event.who, event.read()) for event in inbox.audit.events.all() if event.what == complaints.EVENT]
    assert told == [
        ("ann", {"item_id": "a", "aside": True}),
        ("ann", {"item_id": "lost", "aside": True}),
        ("ben", {"item_id": "a", "aside": False}),
    ]
    assert inbox.check() == []


def test_it_changes_no_chance_and_is_no_label(inbox: Store) -> None:
    """The next wave takes it with its stratum as it would have, and then it waits for its label."""
    complaints.set_aside(inbox, shown(inbox, "a"), "spam", who="ann", now=NOW)
    assert list(inbox.labels.read()) == []
    wave = draw_wave(inbox, ProposalRequest(labels=4, seed=1), now=NOW)

    assert [(stratum.stratum, stratum.size, stratum.drawn) for stratum in wave.strata] == [("thumbs_down", 2, 2)]
    assert states(inbox)["a"] == "open"
    label(inbox, [{"item_id": "a", "label": "wrong", "annotator": "ann"}])
    assert states(inbox)["a"] == "labelled"


def test_it_waits_again_when_it_is_another(inbox: Store) -> None:
    """One thumb more, other content, or at last the answer that the thumb was about."""
    for name in ("a", "b", "lost"):
        complaints.set_aside(inbox, shown(inbox, name), "spam", who="ann", now=NOW)
    take(inbox, [thumb("a", comment="once more")])
    add(inbox, item("b", answer="Another."), item("lost"), now=LATER)

    assert states(inbox) == dict.fromkeys(("a", "b", "lost"), "waiting")


def test_what_has_changed_since_it_was_seen_is_refused(inbox: Store) -> None:
    """A thumb, other content, a draw: nobody sets aside what they have not seen. A name and a reason are needed."""
    seen = shown(inbox, "a")
    for who, why in (("", "spam"), ("ann", " ")):
        with pytest.raises(UsageError):
            complaints.set_aside(inbox, seen, why, who=who, now=NOW)
    take(inbox, [thumb("a", comment="once more")])
    with pytest.raises(UsageError, match="changed since you looked"):
        complaints.set_aside(inbox, seen, "spam", who="ann", now=NOW)
    seen = shown(inbox, "a")
    draw_wave(inbox, ProposalRequest(labels=4, seed=1), now=NOW)
    with pytest.raises(UsageError, match="changed since you looked"):
        complaints.set_aside(inbox, seen, "spam", who="ann", now=NOW)
    assert inbox.traffic.complaints.tally().seen == 0


def test_forgetting_takes_the_reason_too(inbox: Store) -> None:
    """Of the answer, and of the person who gave it; that it was set aside stays."""
    complaints.set_aside(inbox, shown(inbox, "lost"), "secret-one", who="ann", now=NOW)
    complaints.set_aside(inbox, shown(inbox, "b"), "secret-two", who="ben", now=NOW)
    inbox.audit.forgetting.forget_items(["b"], why=None, who="eve", now=LATER)
    inbox.audit.forgetting.forget_annotator("ann", references=False, why=None, who="eve", now=LATER)

    [(first,), (second,)] = inbox._db.conn.execute("SELECT why FROM asides")
    assert (first, second) == (None, None)
    complaint = shown(inbox, "lost")
    assert complaint.state is ComplaintState.SEEN
    assert "ann" not in complaint.aside.who
