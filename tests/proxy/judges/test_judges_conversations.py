"""Offline context relevance within a conversation: what the turn before adds, and turns that ask for nothing.

The conversations are synthetic. Oracle: which passage of each was written to answer the follow-up.
"""

from __future__ import annotations

import numpy as np
import pytest

from proxy.judges import OfflineContextRelevance
from proxy.judges.offline.context_relevance import NOTHING_ASKED, asks_for_nothing, previous_question
from proxy.records import Context, Item, JudgeFailure, Turn
from support.conversations import ASKING, CONTINUING, FOLLOW_UPS

USER, APP = "user", "assistant"


def relevance(question: str, passage: str, *history: Turn) -> float:
    """The score of one passage."""
    score = OfflineContextRelevance().judge(
        Item(id="i", question=question, answer="-", contexts=(Context(text=passage),), history=history)
    )
    return 0.0 if isinstance(score, JudgeFailure) else score.value


def test_the_turn_before_tells_the_answering_passage_from_others() -> None:
    """AUROC of answering passages against the same aspect of another subject: .42 by the question alone, .80 when written."""

    def auroc(*, reads_before: bool) -> float:
        answering, others = [], []
        for follow_up in FOLLOW_UPS:
            history = (Turn(role=USER, text=follow_up.before), Turn(role=APP, text="I see.")) if reads_before else ()
            answering.append(relevance(follow_up.question, follow_up.answering, *history))
            others.append(relevance(follow_up.question, follow_up.far, *history))
        return float(np.mean([(a > b) + (a == b) / 2 for a in answering for b in others]))

    assert auroc(reads_before=False) < 0.5
    assert auroc(reads_before=True) > 0.75


def test_passages_that_only_share_the_subject_before_do_not_pass() -> None:
    """The turn before counts less than the question: a passage that speaks of nothing that was asked stays below 0.5."""
    for follow_up in FOLLOW_UPS:
        assert relevance(follow_up.question, follow_up.near, Turn(role=USER, text=follow_up.before)) <= 0.5


def test_a_new_subject_is_not_held_against_its_passage() -> None:
    """A question that says what it is about scores no less after a long turn about something else."""
    before = Turn(
        role=USER, text="My grandmother asked whether the pension office would accept the old paper form " * 3
    )
    for question in ("What is the phone number of the eye clinic?", "How do I register my newborn child in Tainan?"):
        passage = "Register your newborn child in Tainan at the town hall; the eye clinic has the phone number 4412."
        assert relevance(question, passage, before) == relevance(question, passage) > 0.5


@pytest.mark.parametrize("question", CONTINUING)
def test_a_turn_that_asks_for_nothing_is_not_scored(question: str) -> None:
    """No zero is invented for thanks: the record says why there is no score."""
    item = Item(
        id="i", question=question, answer="You are welcome.", contexts=(Context(text="Opening hours: 8 to 6."),)
    )
    score = OfflineContextRelevance().judge(item)

    assert isinstance(score, JudgeFailure)
    assert score.reason == NOTHING_ASKED


@pytest.mark.parametrize("question", ASKING)
def test_a_turn_that_asks_is_scored(question: str) -> None:
    """Polite or short words beside a subject do not make a question empty."""
    assert not asks_for_nothing(question)


@pytest.mark.parametrize(
    ("history", "expected"),
    [
        ((), ""),
        ((Turn(role=USER, text="A?"), Turn(role=APP, text="b.")), "A?"),
        ((Turn(role="Human", text="A?"), Turn(role="AI", text="b."), Turn(role="Human", text="Q?")), "A?"),
        ((Turn(role="", text="A?"), Turn(role="", text="b.")), "A?"),
        ((Turn(role="", text="A?"),), "A?"),
        ((Turn(role="Dr. Lin", text="A?"), Turn(role="system", text="Be brief.")), "A?"),
        ((Turn(role=APP, text="Welcome."),), ""),
    ],
)
def test_what_the_user_asked_before(history: tuple[Turn, ...], expected: str) -> None:
    """The last turn that is not the app's, and not the question itself logged once more."""
    assert previous_question("Q?", history) == expected
