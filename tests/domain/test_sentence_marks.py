"""An answer in pieces: nothing of it is lost or added, and each doubt stands on its own sentence."""

from __future__ import annotations

import random

import pytest

from annotate.domain.sentence_marks import SentenceMark, marked
from proxy.judges import OfflineFaithfulness
from proxy.records import Context, Item, Score, SentenceVerdict, Support
from proxy.text.controls import displayable
from proxy.text.language import sentences
from support.app import HOSTILE
from support.store import NASTY

FOUND = Support.SUPPORTED


def verdict(sentence: str, support: Support = Support.NOT_FOUND) -> SentenceVerdict:
    return SentenceVerdict(sentence=sentence, support=support, value=0.0)


def doubted(answer: str, *verdicts: SentenceVerdict) -> list[str]:
    """The texts of the pieces with a mark."""
    return [piece.text for piece in marked(answer, verdicts).pieces if piece.mark]


@pytest.mark.parametrize(
    ("answer", "sentence", "expected"),
    [
        ("Yes. It is.", "It is.", "It is."),
        ("Yes [1]. It is [2, 3] so.", "It is  so.", "It is [2, 3] so."),
        ("- One thing.\n- Other thing.", "Other thing.", "Other thing."),
        ("It is <b>free</b> now.", "It is  free  now.", "It is <b>free</b> now."),
        ("一。二。", "二。", "二。"),
        ("Lone \ud800 one.", "Lone \ufffd one.", "Lone \ud800 one."),
        ("A \u202e turn.", "A ⟨U+202E⟩ turn.", "A \u202e turn."),
        ("NUL \0 here.", "NUL \u2400 here.", "NUL \0 here."),
    ],
)
def test_a_sentence_is_found_again_as_it_was_written(answer: str, sentence: str, expected: str) -> None:
    """Judges leave out citation marks, tags, list signs and spaces, and show what cannot be shown by a stand-in."""
    assert doubted(answer, verdict(sentence)) == [expected]


def test_a_sentence_that_is_said_twice_is_marked_where_it_is_doubted() -> None:
    """The second of two like sentences, for the first was supported."""
    marks = marked("It is so. It is so.", [verdict("It is so.", FOUND), verdict("It is so.")])

    assert [(piece.text, piece.mark is not None) for piece in marks.pieces] == [
        ("It is so. ", False),
        ("It is so.", True),
    ]


def test_a_sentence_that_is_not_there_is_told_of_and_the_next_is_found_all_the_same() -> None:
    """Two doubts, numbered in order: one has no place, the other keeps its own."""
    lost, there = verdict("Never said."), verdict("It is.", Support.CONTRADICTED)
    marks = marked("Yes. It is.", [lost, there])

    assert marks.lost == (SentenceMark(1, lost),)
    assert [(piece.text, piece.mark) for piece in marks.pieces if piece.mark] == [("It is.", SentenceMark(2, there))]
    assert marks.marks == (SentenceMark(1, lost), SentenceMark(2, there))
    assert marks.claims == 2


def test_what_claims_nothing_or_is_supported_has_no_mark() -> None:
    """One piece, and one claim of two sentences."""
    marks = marked("Hello. It is.", [verdict("Hello.", Support.NO_CLAIM), verdict("It is.", FOUND)])

    assert [piece.mark for piece in marks.pieces] == [None]
    assert (marks.claims, marks.marks) == (1, ())


def test_a_supported_sentence_names_the_passage_that_it_rests_on() -> None:
    """Where the judge says which; a doubted one names none, whatever passage came nearest."""
    found = SentenceVerdict(sentence="It is.", support=FOUND, value=1.0, passage=2)
    near = SentenceVerdict(sentence="It was.", support=Support.NOT_FOUND, value=0.0, passage=1)
    marks = marked("Hello. It is. It was.", [found, near])

    assert [(piece.text, piece.passage, piece.mark is not None) for piece in marks.pieces] == [
        ("Hello. ", None, False),
        ("It is.", 2, False),
        (" ", None, False),
        ("It was.", None, True),
    ]


@pytest.mark.parametrize("seed", range(40))
def test_the_pieces_are_the_answer(seed: int) -> None:
    """Put together they are it, character for character, whatever it holds; every sentence the splitter gives is found."""
    rng = random.Random(seed)
    parts = [
        "It is. ",
        "Is it? ",
        "[1]",
        "【2】",
        "<b>",
        "</b>",
        "\n- ",
        "是的。",
        "네. ",
        "\u202e",
        "\0",
        "\ud800",
        "  ",
        HOSTILE,
        NASTY,
    ]
    answer = "".join(rng.choices(parts, k=rng.randint(0, 30)))
    split = [verdict(displayable(sentence)) for sentence in sentences(answer)]
    marks = marked(answer, split)

    assert "".join(piece.text for piece in marks.pieces) == answer
    assert len(marks.marks) == len([piece for piece in split if piece.sentence.strip()])
    assert marks.lost == ()


def test_the_offline_judge_s_sentences_are_found() -> None:
    """The judge itself: what it does not find in the passages is marked in the answer as written."""
    answer = "The lift is in the hall [1].\n\n* Horses graze <i>quietly</i> on distant meadows.\n"
    item = Item(
        id="a", question="Where is the lift?", answer=answer, contexts=(Context(text="The lift is in the hall."),)
    )
    score = OfflineFaithfulness().judge(item)

    assert isinstance(score, Score)
    assert doubted(answer, *score.sentences) == ["Horses graze <i>quietly</i> on distant meadows."]


def test_no_answer_and_no_verdict() -> None:
    """Nothing in, nothing out."""
    assert marked("", []).pieces == ()
    assert [piece.text for piece in marked("It is.", []).pieces] == ["It is."]
