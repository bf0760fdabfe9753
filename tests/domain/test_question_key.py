"""The key of a question: what makes two items ask the same."""

from __future__ import annotations

import time
from contextlib import closing

import pytest

from annotate.domain.question_key import question_key
from annotate.store import Store
from proxy.records import Item, Turn
from support.store import LATER, NASTY, NOW

ASKED = "Tell me more"
BEFORE = (Turn(role="user", text="Where is room 1?"), Turn(role="assistant", text="Upstairs."))


def item(name: str, question: str = ASKED, **changes: object) -> Item:
    return Item(id=name, question=question, answer=f"Answer {name}.", **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "spelling",
    [" tell  me\nMORE ", "\uff34\uff45\uff4c\uff4c me more", "Tell me\u00a0more"],
    ids=["case and spaces", "width", "hard space"],
)
def test_case_width_and_spaces_do_not_count(spelling: str) -> None:
    """In the question and in the turns before it."""
    assert question_key(spelling) == question_key(ASKED)
    turns = [Turn(role="USER", text=spelling)]
    assert question_key("Why?", turns) == question_key("Why?", [Turn(role="user", text=ASKED)])


@pytest.mark.parametrize(
    "history",
    [(), BEFORE[:1], BEFORE[::-1], (*BEFORE, *BEFORE), (Turn(role="user", text="Where is room 1?Upstairs."),)],
    ids=["none", "shorter", "another order", "longer", "run together"],
)
def test_the_conversation_before_makes_another_question(history: tuple[Turn, ...]) -> None:
    """Follow-ups that read the same ask the same only after the same turns."""
    assert question_key(ASKED, history) != question_key(ASKED, BEFORE)


def test_signs_and_texts_that_utf8_cannot_hold_count() -> None:
    """A key is made of any text, and "5 mg" is not "5 g"."""
    assert len({question_key(question) for question in ("5 mg", "5 g", "5 mg?", NASTY, "", "\ud800")}) == 6
    assert question_key(NASTY) == question_key(NASTY.upper().lower())


@pytest.mark.slow
def test_a_run_of_accents_is_linear() -> None:
    """A hostile question takes no quadratic time."""
    start = time.process_time()
    question_key("a" + "\u0301\u0323" * 50_000)
    assert time.process_time() - start < 2


def test_an_item_without_a_group_belongs_to_its_question() -> None:
    """Its key is its group; a group of the caller's is kept beside it, and a revised conversation asks another question."""
    with closing(Store(":memory:")) as store:
        with store.atomic():
            store.traffic.items.add(
                [item("a", history=BEFORE), item("b", history=BEFORE, group="g"), item("c")], now=NOW
            )
            store.traffic.items.add([item("c", history=BEFORE)], now=LATER)
        cursor = store._db.conn.execute('SELECT id, revision, question, "group" FROM items ORDER BY id, revision')
        key, plain = question_key(ASKED, BEFORE), question_key(ASKED)
        assert cursor.fetchall() == [
            ("a", 1, key, key),
            ("b", 1, key, "g"),
            ("c", 1, plain, plain),
            ("c", 2, key, key),
        ]
        with store.atomic():
            store.traffic.items.add([item("b", history=BEFORE), item("a", history=BEFORE, group="h")], now=LATER)
        groups = store._db.conn.execute('SELECT "group" FROM items WHERE id IN (?, ?) ORDER BY id', ("a", "b"))
        assert groups.fetchall() == [("h",), (key,)]
