"""Keep questions that were built from passages, their test items, and the replies of models that were asked for them.

A question is there once, and an item is never changed: what is built again adds what is new. Nothing here is traffic.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from annotate.domain.gold import GoldEntry, synthetic_entry
from annotate.domain.questions import StoredQuestion, as_corrected
from annotate.store.engine.database import Room, from_column, to_column
from annotate.store.engine.sqlite import Database
from annotate.store.gold.entries import GoldRows
from annotate.store.scores.calls import read_reply, written_reply
from proxy.judges.llm.reading import Reply
from proxy.questions.records import (
    Ability,
    BuiltQuestion,
    Expected,
    FactChange,
    Passage,
    QuestionItem,
    QuestionKind,
    passage_of,
)

WHO = "assay"
PASSAGES = """
    SELECT t.contexts, t.context_details FROM texts t CROSS JOIN items i USING (key)
    WHERE i.is_current AND i.forgotten_at IS NULL ORDER BY t.key
"""
QUESTION = "SELECT question_id, gold_id, kind, expected, sources, maker FROM questions"
ITEMS = "SELECT question_id, item_id, ability, noise_rate, contexts, change FROM question_items ORDER BY question_id, item_id"

ASKED = (
    "SELECT g.question, i.contexts FROM question_items i JOIN questions USING (question_id) JOIN gold g USING (gold_id)"
)


class QuestionsAdded(NamedTuple):
    """The questions and items that were new."""

    questions: tuple[BuiltQuestion, ...]
    items: tuple[QuestionItem, ...]


class QuestionStore(Room):
    """The questions, question_items and question_replies tables."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._gold = GoldRows(db)

    def passages(self) -> Iterator[Passage]:
        """Yield the passages of the current items of the traffic, repeats included, the oldest item first."""
        for contexts, details in self._traffic.execute(PASSAGES):
            texts = json.loads(contexts)
            # No details are kept where no passage has any.
            for text, (identity, *_) in zip(texts, json.loads(details) or [(None,)] * len(texts), strict=True):
                yield passage_of(text, identity)

    def add(self, questions: Iterable[BuiltQuestion], items: Iterable[QuestionItem], *, now: str) -> QuestionsAdded:
        """Keep questions as gold candidates of role synthetic, and their items; return what is new."""
        known = self._ids("SELECT question_id FROM questions")
        new = [question for question in questions if question.id not in known and self._add(question, now)]
        known |= {question.id for question in new}
        made = self.item_ids()
        added = [item for item in items if item.id not in made and item.question_id in known]
        self._db.conn.executemany(
            "INSERT INTO question_items VALUES (?, ?, ?, ?, ?, ?, ?)", [_item_row(item, now) for item in added]
        )
        return QuestionsAdded(tuple(new), tuple(added))

    def _add(self, question: BuiltQuestion, now: str) -> bool:
        """Add a question; not where its gold entry is there, because it was forgotten."""
        texts = [source.text for source in question.sources]
        entry = synthetic_entry(question.question, question.reference, texts, maker=question.maker, now=now)
        if self._gold.get(entry.gold_id) is not None:
            return False
        self._gold.write(entry, who=WHO, why=None, now=now)
        sources = json.dumps([source.id for source in question.sources])
        row = (
            question.id,
            entry.gold_id,
            question.kind.value,
            json.dumps(question.expected),
            sources,
            question.maker,
            now,
        )
        self._db.conn.execute("INSERT INTO questions VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        return True

    def _ids(self, query: str) -> set[str]:
        return {row[0] for row in self._db.conn.execute(query)}

    def item_ids(self) -> set[str]:
        """Return the ids of all test items."""
        return self._ids("SELECT item_id FROM question_items")

    def asked(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the question of each test item, and the texts of its passages."""
        for question, contexts in self._db.conn.execute(ASKED):
            yield question, [text for _, text in json.loads(contexts)]

    def expected(self, gold_id: str) -> Expected | None:
        """Return what was expected of the question of a gold entry when it was built; None for any other entry."""
        row = self._db.conn.execute("SELECT expected FROM questions WHERE gold_id = ?", (gold_id,)).fetchone()
        return None if row is None else tuple(map(tuple, json.loads(row[0])))

    def all(self) -> list[StoredQuestion]:
        """Return every question with its items, by id."""
        entries = {entry.gold_id: entry for entry in self._gold.synthetic()}
        items = defaultdict[str, list[tuple[object, ...]]](list)
        for question_id, *row in self._db.conn.execute(ITEMS):
            items[question_id].append(tuple(row))
        return [
            _stored(row, entries[row[1]], items[row[0]])
            for row in self._db.conn.execute(f"{QUESTION} ORDER BY question_id").fetchall()
        ]

    def replies(self, subject: str, maker: str) -> tuple[Reply, ...]:
        """Return what was replied about these passages, in order."""
        query = "SELECT reply FROM question_replies WHERE subject = ? AND maker = ? ORDER BY step"
        return tuple(read_reply(from_column(reply)) for (reply,) in self._db.conn.execute(query, (subject, maker)))

    def keep_reply(self, subject: str, maker: str, step: int, reply: Reply, *, now: str) -> None:
        """Keep one reply; the first one of a step stays."""
        row = (subject, maker, step, to_column(written_reply(reply)), now)
        self._db.conn.execute("INSERT OR IGNORE INTO question_replies VALUES (?, ?, ?, ?, ?)", row)


def _item_row(item: QuestionItem, now: str) -> tuple[object, ...]:
    contexts = json.dumps([[passage.id, passage.text] for passage in item.contexts])
    change = item.change and json.dumps([item.change.passage, item.change.original, item.change.replacement])
    return item.id, item.question_id, item.ability.value, item.noise_rate, contexts, change, now


def _stored(row: Sequence[str], entry: GoldEntry, items: Sequence[Sequence[object]]) -> StoredQuestion:
    question_id, gold_id, kind, expected, sources, maker = row
    question = BuiltQuestion(
        kind=QuestionKind(kind),
        question=entry.question or "",
        expected=tuple(map(tuple, json.loads(expected))),
        sources=tuple(map(Passage.of, json.loads(sources), entry.contexts)),
        maker=maker,
    )
    question = question.with_expected(_as_edited(question, entry))
    made = tuple(_item(question, question_id, item) for item in items)
    return StoredQuestion(question_id=question_id, gold_id=gold_id, status=entry.status, question=question, items=made)


def _as_edited(question: BuiltQuestion, entry: GoldEntry) -> Expected:
    """Return what is expected, by the reference that a person wrote where it is no longer the one that was built."""
    if entry.reference == question.reference:
        return question.expected
    return as_corrected(question.expected, entry.reference) or question.expected


def _item(question: BuiltQuestion, question_id: str, row: Sequence[object]) -> QuestionItem:
    item_id, ability, noise_rate, contexts, change = row
    return QuestionItem(
        id=str(item_id),
        question_id=question_id,
        kind=question.kind,
        ability=Ability(str(ability)),
        noise_rate=float(str(noise_rate)),
        question=question.question,
        expected=question.expected,
        sources=tuple(source.id for source in question.sources),
        contexts=tuple(Passage.of(*pair) for pair in json.loads(str(contexts))),
        change=None if change is None else _change(json.loads(str(change))),
    )


def _change(values: Sequence[str]) -> FactChange:
    passage, original, replacement = values
    return FactChange(passage=passage, original=original, replacement=replacement)
