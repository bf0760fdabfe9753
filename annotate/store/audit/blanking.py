"""Blank the texts of items in every table that holds some: every revision, what judges and annotators said, the gold set.

The rule: no row goes and no number changes. A gold entry without its texts is retired.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

import orjson

from annotate.store.audit.tombstones import FORGOTTEN
from annotate.store.engine.database import from_column, of_traffic
from annotate.store.engine.sqlite import Database
from proxy.questions.records import short_hash

REFUSED = "forgotten"  # the reason of a refused row that was blanked
LISTED = "(SELECT value FROM json_each(?))"
TEXTS = f"""
    UPDATE texts SET question = '{FORGOTTEN}', answer = '{FORGOTTEN}', context_details = '[]', history = '[]',
        contexts = (SELECT json_group_array('{FORGOTTEN}') FROM json_each(contexts)), reference = NULL, metadata = '{{}}'
    WHERE key IN {LISTED}
"""
OF_JUDGES = f"judge IN (SELECT key FROM judges) AND item IN {LISTED}"
OF_ITEMS = (
    f"UPDATE scores SET reason = '' WHERE {OF_JUDGES}",
    f"UPDATE failures SET reason = '' WHERE {OF_JUDGES}",
    f"UPDATE attempts SET reply = NULL, reason = NULL, is_open = 0 WHERE item IN {LISTED}",
    f"DELETE FROM trial_outcomes WHERE item IN {LISTED}",
    f"DELETE FROM gold_sources WHERE item IN {LISTED}",
    f"DELETE FROM gold_answers WHERE item IN {LISTED}",
    f"DELETE FROM reference_drafts WHERE item IN {LISTED}",
    # Why an answer is left out may quote it.
    f"UPDATE reference_drafts SET left_out = '[]' WHERE EXISTS (SELECT 1 FROM json_each(left_out) WHERE value ->> 0 IN {LISTED})",
    f"DELETE FROM reference_drafts WHERE origin_item IN {LISTED}",  # it began as a copy of what is forgotten
    f"DELETE FROM vectors WHERE key IN (SELECT vector FROM vector_items WHERE item IN {LISTED})",
    f"UPDATE labels SET reference = NULL, rationale = NULL WHERE item IN {LISTED}",
)
GOLD = f"""
    UPDATE gold SET reference = '{FORGOTTEN}', question = CASE WHEN question IS NOT NULL THEN '{FORGOTTEN}' END,
        contexts = CASE WHEN contexts IS NOT NULL THEN '[]' END, status = 'retired', flag = NULL,
        updated_at = ?
    WHERE gold_id = ?
"""
RETIRED = """
    INSERT INTO gold_revisions (gold_id, reference, status, source, annotator, who, why, at)
    SELECT gold_id, reference, 'retired', source, annotator, ?, 'forgotten', ? FROM gold WHERE gold_id = ?
"""


class Blanked(NamedTuple):
    """Counts of what was blanked: revisions of items, annotations on them, gold entries, feedback, rows in quarantine."""

    items: int
    revisions: int
    annotations: int
    gold: int
    feedback: int
    quarantined: int


def blank(db: Database, ids: Sequence[str], *, who: str, now: str) -> Blanked:
    """Blank the items with these ids, in all their revisions; call inside a transaction."""
    execute, names = db.conn.execute, json.dumps(list(ids))
    rows = execute(f"SELECT key FROM items WHERE id IN {LISTED}", (names,))
    keys = json.dumps([row[0] for row in rows])
    texts = _texts(db, keys)
    built = drop_built_questions(db, keys)
    execute(f"UPDATE items SET forgotten_at = coalesce(forgotten_at, ?) WHERE id IN {LISTED}", (now, names))
    revisions = execute(TEXTS, (keys,)).rowcount
    for statement in OF_ITEMS:
        execute(statement, (keys,))
    _blank_details(db, keys)
    of_traffic(db).follow_held(json.loads(keys))
    blank_checks(db)
    annotations = execute(
        f"UPDATE annotations SET reference = NULL, rationale = NULL WHERE item IN {LISTED}", (keys,)
    ).rowcount
    gold = [
        row[0] for row in execute(f"SELECT gold_id FROM gold WHERE item IN {LISTED} ORDER BY gold_id", (keys,))
    ] + built
    blank_gold(db, gold, who=who, now=now)
    # What was said stands in the spans of a trace too; without an answer nothing counts them.
    for item_id in ids:
        drop_spans(db, item_id.partition("/")[0])
        drop_spans(db, item_id)
    execute(f"DELETE FROM tool_scores WHERE item_id IN {LISTED}", (names,))
    execute(f"UPDATE asides SET why = NULL WHERE item_id IN {LISTED}", (names,))
    feedback = execute(
        f"UPDATE feedback SET comment = NULL, correction = NULL WHERE item_id IN {LISTED}", (names,)
    ).rowcount
    return Blanked(
        items=len(ids),
        revisions=revisions,
        annotations=annotations,
        gold=len(gold),
        feedback=feedback,
        quarantined=blank_quarantine(db, _speaks_of(ids, texts)),
    )


def drop_built_questions(db: Database, keys: str) -> list[str]:
    """Delete test questions that hold a passage of these rows, with their items and what models replied about it.

    Their gold entries are returned, to be blanked.
    """
    rows = db.conn.execute(f"SELECT contexts FROM texts WHERE key IN {LISTED}", (keys,))
    passages = {text for (contexts,) in rows for text in json.loads(contexts)} - {FORGOTTEN}
    gold = [
        gold_id
        for gold_id, contexts in db.conn.execute("SELECT gold_id, contexts FROM gold WHERE role = 'synthetic'")
        if passages.intersection(json.loads(contexts))
    ]
    of_them = f"question_id IN (SELECT question_id FROM questions WHERE gold_id IN {LISTED})"
    db.conn.execute(f"DELETE FROM question_items WHERE {of_them}", (json.dumps(gold),))
    holding = [
        (item_id,)
        for item_id, contexts in db.conn.execute("SELECT item_id, contexts FROM question_items")
        if passages.intersection(text for _, text in json.loads(contexts))
    ]
    db.conn.executemany("DELETE FROM question_items WHERE item_id = ?", holding)
    db.conn.execute(f"DELETE FROM questions WHERE gold_id IN {LISTED}", (json.dumps(gold),))
    db.conn.executemany(
        "DELETE FROM question_replies WHERE instr(subject, ?)", [(short_hash(text),) for text in sorted(passages)]
    )
    return gold


def drop_spans(db: Database, trace: str) -> None:
    """Delete the spans of a trace."""
    for table in ("spans", "traces"):
        db.conn.execute(f"DELETE FROM {table} WHERE trace = ?", (trace,))


def blank_gold(db: Database, gold_ids: Collection[str], *, who: str, now: str) -> None:
    """Blank and retire gold entries with all their revisions."""
    if (
        gold_ids
    ):  # answers of other items were compared with their references, whose vectors do not say which are of them
        db.conn.execute("DELETE FROM vectors")
    for gold_id in gold_ids:
        db.conn.execute(GOLD, (now, gold_id))
        db.conn.execute("UPDATE gold_revisions SET reference = ?, why = NULL WHERE gold_id = ?", (FORGOTTEN, gold_id))
        db.conn.execute(RETIRED, (who, now, gold_id))
        for table in ("gold_sources", "gold_answers"):
            db.conn.execute(f"DELETE FROM {table} WHERE gold_id = ?", (gold_id,))


def blank_checks(db: Database) -> None:
    """Blank what models replied in checks against the gold set: which item and reference it was of is not kept."""
    db.conn.execute("UPDATE attempts SET reply = NULL, reason = NULL WHERE item IS NULL AND purpose = 'item'")


def blank_quarantine(db: Database, is_meant: Callable[[str, str], bool]) -> int:
    """Blank the refused rows that are meant, by their stage and what came; their file and line stay."""
    rows = db.conn.execute("SELECT rowid, stage, reason, raw FROM quarantine WHERE reason != ?", (REFUSED,))
    meant = [
        (row,)
        for row, stage, reason, raw in rows
        if is_meant(stage, f"{from_column(reason)}\n{(raw or b'').decode('utf-8', 'replace')}")
    ]
    db.conn.executemany(f"UPDATE quarantine SET raw = x'', reason = '{REFUSED}' WHERE rowid = ?", meant)
    return len(meant)


def names(text: str, name: str) -> bool:
    """Return whether a refused row holds the name as a whole, plain or as JSON writes it."""
    written = {name, json.dumps(name)[1:-1], json.dumps(name, ensure_ascii=False)[1:-1]}
    return any(re.search(rf"(?<![\w-]){re.escape(form)}(?![\w-])", text) for form in written)


def _texts(db: Database, keys: str) -> list[str]:
    """Return what these rows say, as far as it is long enough to be known again."""
    rows = db.conn.execute(f"SELECT question, answer, reference, contexts FROM texts WHERE key IN {LISTED}", (keys,))
    parts = [
        part
        for question, answer, reference, contexts in rows
        for part in (from_column(question), from_column(answer), from_column(reference or ""), *json.loads(contexts))
    ]
    return [part for part in parts if len(part) >= 12 and part != FORGOTTEN]


def _speaks_of(ids: Sequence[str], texts: Sequence[str]) -> Callable[[str, str], bool]:
    """Return whether a refused row names one of the items or repeats one of their texts."""
    written = {
        form for text in texts for form in (text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1])
    }
    return lambda _, raw: any(form in raw for form in written) or any(names(raw, item_id) for item_id in ids)


def _blank_details(db: Database, keys: str) -> None:
    """Blank the words in what judges said of sentences and passages; verdicts and values stay."""
    query = f"SELECT judge, item, content FROM details WHERE {OF_JUDGES}"
    for judge, item, text in db.conn.execute(query, (keys,)).fetchall():
        details = orjson.loads(text)
        if "sentences" in details:
            details["sentences"] = [
                ["", support, value, passage, ""] for _, support, value, passage, *_ in details["sentences"]
            ]
        if details.pop("raw", None) is not None and not details:
            db.conn.execute("DELETE FROM details WHERE judge = ? AND item = ?", (judge, item))
        else:
            content = orjson.dumps(details).decode()
            db.conn.execute("UPDATE details SET content = ? WHERE judge = ? AND item = ?", (content, judge, item))
