"""Replace a person's name by a pseudonym in every table; blank the reasons they gave, and on request their references.

Drafts that they have not saved are deleted. The pseudonym is the same everywhere, so that who read what, and who agrees with
whom, can still be told. The events hold a key instead of the name, so they stay as they are.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import NamedTuple

from annotate.domain.gold import GoldSource
from annotate.store.audit.accounts import forget_accounts
from annotate.store.audit.blanking import blank_checks, blank_gold, blank_quarantine, names
from annotate.store.audit.tombstones import FORGOTTEN
from annotate.store.engine.database import from_column, to_column
from annotate.store.engine.sqlite import Database

# Labels and the gold set name all annotators of a side in one column.
COLUMNS = (
    ("annotations", "annotator"),
    ("annotations", "edited_by"),
    ("labels", "annotator"),
    ("gold", "annotator"),
    ("gold_revisions", "annotator"),
    ("gold_revisions", "who"),
    ("gold_answers", "who"),
    ("projects", "annotator"),
    ("releases", "who"),
    ("reference_drafts", "annotator"),
)
NOT_OF_ANNOTATORS = ("traffic", "feedback", "scores")
THEIRS = "FROM annotations a WHERE a.item = {item} AND ? IN (a.annotator, a.edited_by) AND a.{text} = {same}"
THEIR_REFERENCE = THEIRS.format(item="g.item", text="reference", same="r.reference")
# Whoever adjudicates an item may take an annotator's reference over, word for word.
COPIES = """
    SELECT c.sequence FROM annotations c JOIN annotations a ON a.item = c.item AND a.reference = c.reference
    WHERE ? IN (a.annotator, a.edited_by)
"""
WRITTEN = f"""
    SELECT g.gold_id FROM {{table}} r JOIN gold g USING (gold_id) WHERE r.source != '{GoldSource.RIGHT_ANSWER.value}'
    AND r.reference != '{FORGOTTEN}' AND (r.annotator = ? OR EXISTS (SELECT 1 {THEIR_REFERENCE}))
"""


class Renamed(NamedTuple):
    """Counts of what was done to a person's traces; `references` are those in the gold set, kept or blanked."""

    pseudonym: str
    annotations: int
    rationales: int
    references: int
    references_blanked: int
    quarantined: int


def knows(db: Database, name: str) -> bool:
    """Return whether this name stands anywhere in the store."""
    if db.conn.execute("SELECT 1 FROM people WHERE name = ?", (to_column(name),)).fetchone():
        return True
    everybody = _everybody(db, name)
    values = (value for table, column in COLUMNS for value in _holding(db, table, column, name))
    return any(name in _split(from_column(value), everybody) for value in values)


def rename(db: Database, name: str, pseudonym: str, *, references: bool, who: str, now: str) -> Renamed:
    """Replace the name in every table but that of the people in the events; call inside a transaction."""
    execute, everybody = db.conn.execute, _everybody(db, name)
    execute("DELETE FROM reference_drafts WHERE annotator = ?", (to_column(name),))
    forget_accounts(db, name)
    for table, column in COLUMNS:
        for old in _holding(db, table, column, name):
            joined = from_column(old)
            parts = [pseudonym if part == name else part for part in _split(joined, everybody)]
            if pseudonym in parts:
                _replace(db, table, column, old, ", ".join(sorted(parts)))
    execute("UPDATE projects SET is_in_use = 0 WHERE annotator = ?", (pseudonym,))
    execute("UPDATE asides SET why = NULL WHERE who IN (SELECT key FROM people WHERE name = ?)", (to_column(name),))
    for policy, value in execute("SELECT name, value FROM policies").fetchall():
        execute("UPDATE policies SET value = ? WHERE name = ?", (_without(value, name, pseudonym), policy))
    annotations = execute("SELECT count(*) FROM annotations WHERE annotator = ?", (pseudonym,)).fetchone()[0]
    quarantined = blank_quarantine(db, lambda stage, raw: stage not in NOT_OF_ANNOTATORS and names(raw, name))
    written = _written(db, pseudonym)
    if references:
        _blank_references(db, pseudonym, written, who=pseudonym if who == name else who, now=now)
    return Renamed(
        pseudonym=pseudonym,
        annotations=annotations,
        rationales=_blank_rationales(db, pseudonym),
        references=len(written),
        references_blanked=len(written) if references else 0,
        quarantined=quarantined,
    )


def rename_person(db: Database, name: str, pseudonym: str) -> None:
    """Forget the name behind the person's key in the events; who acted again after being forgotten has a second key."""
    execute, column = db.conn.execute, to_column(name)
    is_taken = execute("SELECT 1 FROM people WHERE name = ?", (pseudonym,)).fetchone()
    execute(
        "UPDATE people SET name = ? || CASE WHEN ? THEN '-' || key ELSE '' END WHERE name = ?",
        (pseudonym, bool(is_taken), column),
    )


def _holding(db: Database, table: str, column: str, name: str) -> list[str | bytes]:
    """Return the values of a column that hold the name somewhere."""
    rows = db.conn.execute(f"SELECT DISTINCT {column} FROM {table} WHERE instr({column}, ?)", (to_column(name),))
    return [row[0] for row in rows]


def _replace(db: Database, table: str, column: str, old: str | bytes, new: str) -> None:
    """Write the new value; the guards of a table that never changes are lifted for the name alone."""
    guards = db.conn.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ? AND name = tbl_name || '_update'",
        (table,),
    ).fetchall()
    for guard, _ in guards:
        db.conn.execute(f"DROP TRIGGER {guard}")
    db.conn.execute(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", (to_column(new), old))
    for _, sql in guards:
        db.conn.execute(sql)


def _everybody(db: Database, name: str) -> list[str]:
    """Return the name and every other that is known, longest first: a name may hold a comma."""
    rows = db.conn.execute("SELECT annotator FROM annotations UNION SELECT name FROM people")
    return sorted({name, *(from_column(row[0]) for row in rows)}, key=len, reverse=True)


def _split(joined: str, everybody: Collection[str]) -> Sequence[str]:
    """Return the names that a column of several holds; the parts between commas where it is not made of known names."""
    return _known(joined, everybody) or ([joined] if ", " not in joined else joined.split(", "))


def _known(joined: str, everybody: Collection[str]) -> list[str]:
    """Return the known names that the text is made of; none if it holds anything else."""
    if joined in everybody:
        return [joined]
    for name in everybody:
        rest = _known(joined.removeprefix(f"{name}, "), everybody) if joined.startswith(f"{name}, ") else []
        if rest:
            return [name, *rest]
    return []


def _without(value: str, name: str, pseudonym: str) -> str:
    """Return a policy without the name, as text or anywhere in its JSON."""

    def clean(node: object) -> object:
        if isinstance(node, list):
            return [clean(part) for part in node]
        if isinstance(node, dict):
            return {str(clean(key)): clean(part) for key, part in node.items()}
        return pseudonym if node == name else node

    try:
        policy = json.loads(value)
    except ValueError:
        return pseudonym if value == name else value
    cleaned = clean(policy)
    return value if cleaned == policy else json.dumps(cleaned)


def _blank_rationales(db: Database, person: str) -> int:
    """Blank the reasons that this person gave, in annotations, labels and the gold set; how many annotations had one."""
    own_rationale = THEIRS.format(item="labels.item", text="rationale", same="labels.rationale")
    db.conn.execute(f"UPDATE labels SET rationale = NULL WHERE EXISTS (SELECT 1 {own_rationale})", (person,))
    for table in ("gold_revisions", "gold_answers"):
        db.conn.execute(f"UPDATE {table} SET why = NULL WHERE who = ?", (person,))
    query = "UPDATE annotations SET rationale = NULL WHERE ? IN (annotator, edited_by) AND rationale IS NOT NULL"
    return db.conn.execute(query, (person,)).rowcount


def _written(db: Database, person: str) -> list[str]:
    """Return the gold entries with a reference that this person wrote, in any revision."""
    query = " UNION ".join(WRITTEN.format(table=table) for table in ("gold", "gold_revisions"))
    return sorted(row[0] for row in db.conn.execute(query, [person] * 4))


def _blank_references(db: Database, person: str, written: Sequence[str], *, who: str, now: str) -> None:
    """Blank what this person wrote as references, and retire the gold entries that rest on it."""
    own_reference = THEIRS.format(item="labels.item", text="reference", same="labels.reference")
    db.conn.execute(f"UPDATE labels SET reference = NULL WHERE EXISTS (SELECT 1 {own_reference})", (person,))
    db.conn.execute(f"UPDATE annotations SET reference = NULL WHERE sequence IN ({COPIES})", (person,))
    blank_checks(db)
    blank_gold(db, written, who=who, now=now)
