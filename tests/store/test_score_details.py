"""What a judge said of sentences and passages, kept and read again as it was."""

from __future__ import annotations

import pytest

from annotate.store import Store
from annotate.store.scores.scores import ScoreDetail, from_content, to_content
from proxy.records import FailureKind, JudgeFailure, Score, SentenceVerdict, Support
from proxy.text.controls import displayable
from support.store import NASTY, NOW, add, item

SHOWN = displayable(NASTY)
SENTENCES = (
    SentenceVerdict(sentence="Room a is here.", support=Support.SUPPORTED, value=1.0, passage=2, quote="a is here"),
    SentenceVerdict(sentence=NASTY, support=Support.CONTRADICTED, value=0.123456, quote=NASTY, notes=(NASTY, "second")),
    SentenceVerdict(sentence="", support=Support.NO_CLAIM, value=None),
)


def score(**more: object) -> Score:
    """A score."""
    return Score(**{"item_id": "a", "judge": "j", "signature": "j|v1", "value": 0.5, **more})  # type: ignore[arg-type]


def failure(raw: str | None, kind: FailureKind = FailureKind.INVALID) -> JudgeFailure:
    """A failure."""
    return JudgeFailure(item_id="a", judge="j", signature="j|v1", kind=kind, reason="odd", raw=raw)


def test_sentences_and_passages_come_back() -> None:
    """Numbers to four digits, None as None, hostile text as it is shown: no lone surrogate reaches JSON."""
    detail = from_content(to_content(score(sentences=SENTENCES, passages=(None, 1.0, 0.33333))))

    assert detail.passages == (None, 1.0, 0.3333)
    assert detail.raw is None
    assert detail.sentences[0] == SENTENCES[0]
    assert detail.sentences[1] == SentenceVerdict(
        sentence=SHOWN, support=Support.CONTRADICTED, value=0.1235, quote=SHOWN, notes=(SHOWN, "second")
    )
    assert detail.sentences[2] == SENTENCES[2]


@pytest.mark.parametrize("raw", ["", "{", NASTY, "x" * 100_000, '{"sentences": [1]}'])
def test_a_raw_reply_comes_back(raw: str) -> None:
    """Empty, broken, hostile, long, or like details itself."""
    assert from_content(to_content(failure(raw))) == ScoreDetail(raw=displayable(raw))


def test_an_outcome_without_details_has_no_row(store: Store) -> None:
    """Neither a plain score nor a failure without a reply."""
    assert to_content(score()) is None
    assert to_content(failure(None)) is None
    assert from_content(None) == ScoreDetail()
    add(store, item())
    with store.atomic():
        store.scores.keep({1: [score()]}, now=NOW)
    assert store._db.conn.execute("SELECT count(*) FROM details").fetchone() == (0,)
    assert store.scores.detail(1, "j", "j|v1") == ScoreDetail()


def test_the_store_keeps_them_by_item_and_signature(store: Store) -> None:
    """Another signature has its own; what is there already stays."""
    add(store, item())
    with store.atomic():
        store.scores.keep({1: [score(sentences=SENTENCES)]}, now=NOW)
        store.scores.keep({1: [score(passages=(1.0,))]}, now=NOW)

    assert len(store.scores.detail(1, "j", "j|v1").sentences) == 3
    assert store.scores.detail(1, "j", "j|v1").passages == ()
    assert store.scores.detail(1, "j", "j|v2") == ScoreDetail()


def test_words_of_no_answer_give_way_to_the_answer(store: Store) -> None:
    """An unanswered request's error page goes when the judge has said its word; an unreadable reply stays."""
    add(store, item())
    for kind in (FailureKind.UNANSWERED, FailureKind.UNANSWERED):
        with store.atomic():
            store.scores.keep({1: [failure("<html>", kind)]}, now=NOW)
    assert store.scores.detail(1, "j", "j|v1") == ScoreDetail(raw="<html>")
    with store.atomic():
        store.scores.keep({1: [failure("prose")]}, now=NOW)
    assert store.scores.detail(1, "j", "j|v1") == ScoreDetail(raw="prose")
    with store.atomic():
        store.scores.keep({1: [score(sentences=SENTENCES)]}, now=NOW, retries=True)
    assert store.scores.detail(1, "j", "j|v1").raw is None
    assert len(store.scores.detail(1, "j", "j|v1").sentences) == 3


def test_a_failure_never_stands_beside_a_score(store: Store) -> None:
    """Of two processes that judged the same item the first one's word is kept."""
    add(store, item(), item("b"))
    with store.atomic():
        store.scores.keep({1: [score()], 2: [failure("prose")]}, now=NOW)
        store.scores.keep({1: [failure("later")], 2: [score(sentences=SENTENCES)]}, now=NOW)

    both = "SELECT (SELECT group_concat(item) FROM scores), (SELECT group_concat(item) FROM failures)"
    assert store._db.conn.execute(both).fetchone() == ("1", "2")
    assert store.scores.detail(2, "j", "j|v1").raw == "prose"
    assert store.scores.detail(1, "j", "j|v1") == ScoreDetail()
