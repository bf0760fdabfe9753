"""The key of a question: what makes two items ask the same, and what stores of the previous schema get from their texts."""

from __future__ import annotations

import time
from contextlib import closing
from hashlib import blake2b
from pathlib import Path

import pytest

from annotate.domain.question_key import question_key
from annotate.store import Store
from annotate.store.engine.database import open_database
from annotate.store.engine.migrations import MIGRATIONS
from proxy.records import Item, Turn
from support.store import LATER, NASTY, NOW

STEP = "0011_questions"
ASKED = "Tell me more"
BEFORE = (Turn(role="user", text="Where is room 1?"), Turn(role="assistant", text="Upstairs."))


def of_text(text: str) -> str:
    """The group that the previous schema gave to an item without one."""
    plain = " ".join(text.casefold().split())
    return (
        "question-" + blake2b(f"{len(plain)}:{plain}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()[:16]
    )


def item(name: str, question: str = ASKED, **changes: object) -> Item:
    """An item with an answer of its own."""
    return Item(id=name, question=question, answer=f"Answer {name}.", **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "other",
    [" tell  me\nMORE ", "\uff34\uff45\uff4c\uff4c me more", "Tell me\u00a0more"],
    ids=["case and spaces", "width", "hard space"],
)
def test_case_width_and_spaces_do_not_count(other: str) -> None:
    """In the question and in the turns before it."""
    assert question_key(other) == question_key(ASKED)
    turns = [Turn(role="USER", text=other)]
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
    assert len({question_key(one) for one in ("5 mg", "5 g", "5 mg?", NASTY, "", "\ud800")}) == 6
    assert question_key(NASTY) == question_key(NASTY.upper().lower())


@pytest.mark.slow
def test_a_run_of_accents_is_linear() -> None:
    """A hostile question takes no quadratic time."""
    start = time.process_time()
    question_key("a" + "\u0301\u0323" * 50_000)
    assert time.process_time() - start < 2


def test_an_item_without_a_group_belongs_to_its_question(tmp_path: Path) -> None:
    """Its key is its group; a group of the caller's is kept beside it, and a revised conversation asks another question."""
    with closing(Store(tmp_path / "a.db")) as store:
        with store.atomic():
            store.traffic.items.add(
                [item("a", history=BEFORE), item("b", history=BEFORE, group="g"), item("c")], now=NOW
            )
            store.traffic.items.add([item("c", history=BEFORE)], now=LATER)
        found = store._db.conn.execute('SELECT id, revision, question, "group" FROM items ORDER BY id, revision')
        key, plain = question_key(ASKED, BEFORE), question_key(ASKED)
        assert found.fetchall() == [
            ("a", 1, key, key),
            ("b", 1, key, "g"),
            ("c", 1, plain, plain),
            ("c", 2, key, key),
        ]
        with store.atomic():
            store.traffic.items.add([item("b", history=BEFORE), item("a", history=BEFORE, group="h")], now=LATER)
        groups = store._db.conn.execute('SELECT "group" FROM items WHERE id IN (?, ?) ORDER BY id', ("a", "b"))
        assert groups.fetchall() == [("h",), (key,)]


def previous(path: Path, monkeypatch: pytest.MonkeyPatch, rows: list[tuple[str, str, str, str, str | None]]) -> None:
    """A store of the previous schema: (id, group, question, history, forgotten at) of each item, all drawn as pairs by group."""
    with monkeypatch.context() as patch:
        patch.setattr("annotate.store.engine.database._migrate", lambda db: MIGRATIONS.apply(db, stop_before=STEP))
        db = open_database(path)
    run = db.conn.execute
    run("BEGIN")
    run("INSERT INTO rules VALUES (1, 'rule', 1, 'faithfulness > 0.5', '{}', '{}', 0, 1, '2026-11-20')")
    for wave, design in ((1, "pairs"), (2, "stratified")):
        run("INSERT INTO waves VALUES (?, 1, 1, 's', 2, 0.25, '2026-11-20', ?, NULL)", (wave, design))
        run("INSERT INTO strata VALUES (?, 'passed', 9, 9, 0)", (wave,))
    for key, (name, group, question, history, forgotten_at) in enumerate(rows, 1):
        run(
            "INSERT INTO items VALUES (?, ?, 1, 1, x'01', x'02', NULL, NULL, ?, NULL, 1, 1, 1, 1, '2026-11-20', ?)",
            (key, name, group, forgotten_at),
        )
        text = question.encode("utf-8", "surrogatepass") if "\ud800" in question else question
        run("INSERT INTO texts VALUES (?, ?, '[]', '[]', 'A.', ?, NULL, '{}')", (key, text, history))
        run("INSERT INTO frames VALUES (?, 1, 'passed', 0.5)", (key,))
        run(
            "INSERT INTO draws (wave, item, stratum, inclusion_probability, task_key) VALUES (1, ?, 'passed', 0.5, ?)",
            (key, name),
        )
    run("COMMIT")
    db.conn.close()


@pytest.mark.usefixtures("step_by_step")
def test_a_store_of_the_previous_schema_is_keyed_from_its_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Groups that were made of a text become the question's key; a caller's own stay, whatever they look like."""
    history = '[{"role":"user","text":"Where is room 1?"},{"role":"assistant","text":"Upstairs."}]'
    own = of_text("another text")
    previous(
        tmp_path / "old.db",
        monkeypatch,
        [
            ("plain", of_text(ASKED), ASKED, "[]", None),
            ("later", of_text(ASKED), ASKED, history, None),
            ("nasty", of_text(NASTY), NASTY, "[]", None),
            ("own", "conversation 7", ASKED, history, None),
            ("alike", own, ASKED, history, None),
            ("gone", of_text("secret"), "[forgotten]", "[]", "2026-11-21"),
            ("gone too", "conversation 7", "[forgotten]", "[]", "2026-11-21"),
        ],
    )
    with closing(Store(tmp_path / "old.db")) as store:
        assert store.check() == []
        rows = store._db.conn.execute(
            'SELECT i.id, i.question, i."group", d.lot FROM items i JOIN draws d ON d.item = i.key ORDER BY i.key'
        ).fetchall()
        waves = store._db.conn.execute("SELECT key, is_by_group FROM waves ORDER BY key").fetchall()

    key = question_key(ASKED, BEFORE)
    assert rows[:-1] == [
        ("plain", question_key(ASKED), question_key(ASKED), None),
        ("later", key, key, of_text(ASKED)),
        ("nasty", question_key(NASTY), question_key(NASTY), rows[2][3]),
        ("own", key, "conversation 7", "conversation 7"),
        ("alike", key, own, own),
        ("gone", of_text("secret"), of_text("secret"), None),
    ]
    assert rows[-1][2:] == ("conversation 7", "conversation 7")
    assert rows[-1][1] not in {row[1] for row in rows[:-1]}
    assert waves == [(1, 1), (2, 0)]


@pytest.mark.slow
@pytest.mark.usefixtures("step_by_step")
def test_two_hundred_thousand_items_take_seconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most without a conversation before them, as production has them."""
    rows = [(str(n), of_text(f"Question {n}?"), f"Question {n}?", "[]", None) for n in range(200_000)]
    previous(tmp_path / "old.db", monkeypatch, rows)
    start = time.process_time()
    Store(tmp_path / "old.db").close()
    assert time.process_time() - start < 20
