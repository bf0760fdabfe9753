"""Whether a quote stands in the passages: marks and case may differ, words and numbers may not."""

from __future__ import annotations

import time

import pytest

from proxy.judges.llm.sentences import normal, rank_of
from support.llm import brief

PASSAGES = (
    "Penguins breed on ice.",
    "The Eiffel Tower – “la dame de fer” – is 330\u00a0metres tall.\nIt weighs 10,100 tonnes; the drug’s dose is 0.5 mg.",
    "臺北101大樓高508公尺，\n是「綠建築」。完工於２００４年。",
    "에펠탑의 높이는 330미터이다. 1889년에 완공되었다.",
    "It is ineffective against well-known viruses. Don't take 150 mg… unless it is prescribed.",
    "東京タワーは333メートルである。",
)
HELD = [
    ("Penguins breed on ice.", 1),
    ("penguins BREED on ice", 1),
    ("  Penguins\n breed  on\tice ", 1),
    ('"Penguins breed on ice"', 1),
    ("**Penguins breed** on ice".replace("*", ""), 1),
    ('The Eiffel Tower - "la dame de fer" - is', 2),
    ("The Eiffel Tower — «la dame de fer» ― is", 2),
    ("„la dame de fer“", 2),
    ("330 metres tall", 2),
    ("330\u2003metres\u200b tall", 2),
    ("metres tall. It weighs", 2),
    ("10,100 tonnes", 2),
    ("the drug's dose", 2),
    ("0.5 mg", 2),
    ("The Eiffel Tower … 330 metres tall", 2),
    ("The Eiffel Tower ... is ... tall", 2),
    ("The Eiffel Tower [...] tall [...]", 2),
    ("The Eiffel Tower […] 0.5 mg", 2),
    ("...330 metres tall...", 2),
    ("臺北101大樓高508公尺", 3),
    ("臺北 101 大樓高 508 公尺", 3),
    ("508公尺，是『綠建築』", 3),
    ("508公尺, 是", 3),
    ("完工於2004年", 3),
    ("「綠建築」。", 3),
    ("臺北……綠建築", 3),
    ("에펠탑의 높이는 330미터", 4),
    ("330", 2),
    ("330미터", 4),
    ("1889년에 완공되었다.", 4),
    ("don’t take 150 mg", 5),
    ("150 mg... unless", 5),
    ("well‑known viruses", 5),
    ("タワーは３３３メートル", 6),
    ("東京ﾀﾜｰ", 6),
]
NOT_HELD = [
    "",
    " ",
    "…",
    "...",
    '""',
    ".",
    "I",
    "高",
    "Penguins breed on snow",
    "Penguins on ice",
    "ice on breed Penguins",
    "tall ... The Eiffel Tower",
    "Penguins ... 330 metres",
    "Penguins breed on ice. The Eiffel Tower",
    "Penguins breed on ice... and fly",
    "30 metres tall",
    "33",
    "0,100 tonnes",
    "10",
    "100 tonnes",
    "5 mg",
    "0",
    "50 mg",
    "effective against",
    "Eiffel Towe",
    "he Eiffel",
    "臺北101大樓高509公尺",
    "台北101大樓",
    "508尺",
    "에펠탑의 높이는 300미터",
    "에펠탑의높이는",
    "Do not take 150 mg",
]


def _rank(quote: str, *passages: str) -> int | None:
    return rank_of(quote, [normal(passage) for passage in passages or PASSAGES])


@pytest.mark.parametrize(("quote", "rank"), HELD)
def test_a_quote_is_found_whatever_its_marks(quote: str, rank: int) -> None:
    """Case, kinds of spaces, quotation marks and dashes, full width, and parts joined by an ellipsis."""
    assert _rank(quote) == rank


@pytest.mark.parametrize("quote", NOT_HELD)
def test_a_quote_with_another_word_or_number_is_not_found(quote: str) -> None:
    """Nor a part of a word or number: "30 metres" is not said by "330 metres", "effective" not by "ineffective"."""
    assert _rank(quote) is None


def test_a_part_of_a_word_does_not_hide_the_word_behind_it() -> None:
    """Every place is looked at, and parts are still found in their order."""
    assert _rank("30 m", "It is 330 m, or 30 m.") == 1
    assert _rank("30 m … high", "It is 330 m, or 30 m high.") == 1
    assert _rank("high … 30 m", "It is 30 m high, or 330 m.") is None


def test_the_first_passage_that_holds_it_is_named() -> None:
    """Ranks count from 1, and empty passages count."""
    assert _rank("b c", "", "a b c", "b c") == 2


@pytest.mark.parametrize("text", ["\ud800 x", "\0 x", "\u202ex", "\u0301" * 50, "ﬃ½²"])
def test_a_hostile_text_holds_itself(text: str) -> None:
    """No text raises, in a quote or in a passage."""
    assert _rank(text, f"a {text} b") == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("quote", "passage"),
    [
        ("a" + " " * 300_000 + "b", "x"),
        ("…" * 300_000, "x"),
        ("a..." * 75_000, "a " * 24_000),
        ("a" + "\u0301\u0316" * 100_000, "x"),
        ("x", "a" + "\u0301\u0316" * 24_000),
        ("a" * 100, "a" * 48_000 + " "),
        ("a a", "aa " * 16_000),
    ],
    ids=brief,
)
def test_a_hostile_quote_takes_little_time(quote: str, passage: str) -> None:
    """Time is about linear in both."""
    start = time.process_time()
    _rank(quote, passage)

    assert time.process_time() - start < 2
