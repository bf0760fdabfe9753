"""Seals: digests of the rows that figures rest on, kept in the chain of events, so that a row changed behind it is found.

Sealed are waves with their strata, frames and draws, the draws asked about passages, annotations, named causes, labels, gold
entries with their revisions and the answers compared with them, and policies; not the traffic. Triggers that live as long as the
connection note every row that Assay writes, whatever part of it does; the next event seals them: it carries one digest over the
digests of those rows, which lie in the table `seals`. Of two seals of a row the newer holds.

A digest of a row is salted, and leaves out what is NULL or as the schema has it by default: a text that was forgotten cannot
be guessed from it once the salt is gone, and a column that a migration adds changes none. A migration that changes a sealed
row otherwise has to note every row as written (`make_notes`), and to seal them in an event of its own.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import NamedTuple, TypeAlias

from annotate.store.engine import frame_blocks
from annotate.store.engine.sqlite import Database
from proxy.errors import StoreError

ASSAY = "assay"
GONE = bytes(32)
SALT = 16
FRAMES, CHANGED = "frames", "changed"
# The rows of a frame are many and never change: one digest for all of them, made with that of their wave.
CHUNK = 1000
# Whose rows are written over in part, so that what somebody changed in them would be sealed with the rest; labels are made
# anew from annotations, and the others are only added.
WRITTEN_OVER = "gold"
# The table with the two columns that name a row; the second helps to say what a row was that is gone.
TABLES = {
    "waves": ("key", "0"),
    "draws": ("key", "wave"),
    "passage_questions": ("draw", "0"),
    "annotations": ("sequence", "item"),
    "causes": ("sequence", "item"),
    "labels": ("item", "coalesce({row}.draw, -1)"),
    "gold": ("gold_id", "0"),
    "gold_revisions": ("sequence", "gold_id"),
    "gold_answers": ("gold_id", "item"),
    "policies": ("name", "0"),
}
# What else a digest covers.
MORE = {
    "waves": "(SELECT json_group_array(json_array(stratum, size, drawn, is_fixed)) FROM "
    "(SELECT * FROM strata WHERE wave = t.key ORDER BY stratum))",
    "draws": "(SELECT id FROM items WHERE key = t.item)",
}
Key: TypeAlias = tuple[str, int | str | bytes, int | str | bytes]


class Seal(NamedTuple):
    """Seal of a row: its digest (GONE where it was deleted) and the salt, empty once what it held was forgotten."""

    digest: bytes
    salt: bytes


def watch(db: Database) -> None:
    """Note every sealed row that this connection writes from now on."""
    execute = db.conn.execute
    make_notes(db)
    for table in (*TABLES, "strata"):
        for change in ("INSERT", "UPDATE", "DELETE"):
            row = "old" if change == "DELETE" else "new"
            noted, first, second = ("waves", f"{row}.wave", "0") if table == "strata" else (table, *_names(table, row))
            execute(
                f"CREATE TEMP TRIGGER note_{table}_{change} AFTER {change} ON main.{table} "
                f"BEGIN INSERT INTO unsealed VALUES ('{noted}', {first}, {second}); END"
            )
    db.conn.create_function("as_sealed", -1, lambda *row: _text(list(row)), deterministic=True)
    execute(
        f"CREATE TEMP TRIGGER before_{WRITTEN_OVER} BEFORE UPDATE ON main.{WRITTEN_OVER} "
        "WHEN NOT EXISTS (SELECT 1 FROM replaced WHERE first = old.gold_id) "
        f"BEGIN INSERT INTO replaced VALUES (old.gold_id, as_sealed({_columns(db, WRITTEN_OVER, 'old')})); END"
    )


def due(db: Database) -> int:
    """Return how many rows this transaction has written that no event has sealed yet."""
    return int(db.conn.execute("SELECT count(*) FROM (SELECT DISTINCT * FROM temp.unsealed)").fetchone()[0])


def seal(db: Database, event: int) -> str | None:
    """Seal what was written since the last event of this transaction; the digest that this event carries, None for nothing."""
    if not due(db):
        return None
    seals = []
    _note_replaced(db)
    if changed := db.conn.execute("SELECT kind, first, second FROM temp.changed ORDER BY 1, 2, 3").fetchall():
        pairs = [(kind, json.dumps([_written(first), _written(second)])) for kind, first, second in changed]
        seals.append(_keep(db, event, CHANGED, [((CHANGED, *pair), b"") for pair in pairs]))
        db.conn.execute("DELETE FROM temp.changed")
    for table in TABLES:
        condition = (
            "(SELECT DISTINCT first, second FROM temp.unsealed WHERE kind = ?) u "
            "LEFT JOIN main.{table} t ON {first} = u.first AND {second} = u.second"
        )
        rows = [(key, text) for key, text in _rows(db, table, condition, "u.first, u.second", [table])]
        if rows:
            seals.append(_keep(db, event, table, rows))
        if rows and table == "waves":
            frames = _frames(db, [int(first) for (_, first, _), _ in rows])
            seals.append(_keep(db, event, FRAMES, [((FRAMES, wave, 0), text) for wave, text in frames.items()]))
    db.conn.execute("DELETE FROM temp.unsealed")
    return _over(seals)


def note_changed(db: Database, keys: Iterable[Key]) -> None:
    """Have the next event say that these rows were not as they had been sealed: they are about to be sealed anew."""
    db.conn.executemany("INSERT OR IGNORE INTO temp.changed VALUES (?, ?, ?)", keys)


def found_changed(db: Database) -> Iterator[tuple[int, Key]]:
    """Yield the event that says so, and the row, for each row that was sealed anew after somebody had changed it."""
    query = "SELECT event, keys FROM seals WHERE kind = ? ORDER BY event"
    for event, keys in db.conn.execute(query, (CHANGED,)):
        for _, kind, parts in _keys(CHANGED, keys):
            ((_, first, second),) = _keys("", f"[{parts!s}]")
            yield event, (str(kind), first, second)


def lift_salts(db: Database) -> None:
    """Empty the salts of seals that a newer one has replaced: what the row held before cannot be guessed any more."""
    newer: set[Key] = set()
    query = "SELECT event, kind, keys, salts FROM seals ORDER BY event DESC"
    for event, kind, keys, salts in db.conn.execute(query).fetchall():
        lifted = bytearray(salts)
        for place, key in enumerate(_keys(kind, keys)):
            if key in newer:
                lifted[place * SALT : (place + 1) * SALT] = bytes(SALT)
            newer.add(key)
        if bytes(lifted) != salts:
            db.conn.execute("UPDATE seals SET salts = ? WHERE event = ? AND kind = ?", (bytes(lifted), event, kind))


def newest(db: Database, only: str | None = None) -> dict[Key, Seal]:
    """Return the seal that holds of each row, or of each row of one table."""
    seals: dict[Key, Seal] = {}
    query = "SELECT kind, keys, digests, salts FROM seals WHERE kind != ? AND kind = coalesce(?, kind) ORDER BY event"
    for kind, keys, digests, salts in db.conn.execute(query, (CHANGED, only)):
        for place, key in enumerate(_keys(kind, keys)):
            salt = salts[place * SALT : (place + 1) * SALT]
            seals[key] = Seal(digests[place * 32 : (place + 1) * 32], salt)
    return seals


def changed_events(db: Database) -> list[int]:
    """Return the events whose digest does not fit the seals that are kept of them, or the other way round."""
    seals: dict[int, list[tuple[str, str, bytes]]] = {}
    for event, kind, keys, digests in db.conn.execute("SELECT event, kind, keys, digests FROM seals"):
        seals.setdefault(event, []).append((kind, keys, digests))
    carried = dict(db.conn.execute("SELECT sequence, sealed FROM events WHERE sealed IS NOT NULL").fetchall())
    return sorted(event for event in seals.keys() | carried.keys() if carried.get(event) != _over(seals.get(event, [])))


def current(db: Database) -> Iterator[tuple[Key, bytes]]:
    """Yield every row that is to be sealed, as its digest covers it."""
    for table in TABLES:
        yield from ((key, text or b"") for key, text in _rows(db, table, "main.{table} t WHERE 1", "{first}, {second}"))
    waves = [row[0] for row in db.conn.execute("SELECT key FROM waves UNION SELECT DISTINCT wave FROM draws")]
    yield from (((FRAMES, wave, 0), text) for wave, text in _frames(db, waves).items())


def digest(text: bytes, salt: bytes) -> bytes:
    """Return the digest of a row."""
    return sha256(salt + text).digest()


def make_notes(db: Database) -> None:
    """Make the temporary tables that note what is written; a store that cannot be written needs them to find nothing."""
    for table, columns in (
        # A row may be noted twice: in a trigger, the conflict rule of the statement outside would hold.
        ("unsealed", "kind TEXT, first, second"),
        ("changed", "kind TEXT, first, second, PRIMARY KEY (kind, first, second)"),
        ("replaced", "first PRIMARY KEY, text BLOB"),
    ):
        db.conn.execute(f"CREATE TEMP TABLE IF NOT EXISTS {table} ({columns})")


def _note_replaced(db: Database) -> None:
    """Note the rows that were not as they had been sealed when this transaction wrote over them."""
    if rows := db.conn.execute("SELECT first, text FROM temp.replaced").fetchall():
        sealed = newest(db, WRITTEN_OVER)
        keys = [((WRITTEN_OVER, first, 0), text) for first, text in rows]
        note_changed(
            db, (key for key, text in keys if key in sealed and digest(text, sealed[key].salt) != sealed[key].digest)
        )
        db.conn.execute("DELETE FROM temp.replaced")


def _names(table: str, row: str) -> tuple[str, str]:
    """Return the two expressions that name a row."""
    first, second = TABLES[table]
    return f"{row}.{first}", second.format(row=row) if second[-1] in "0)" else f"{row}.{second}"


def _rows(
    db: Database, table: str, source: str, names: str, values: Sequence[object] = ()
) -> Iterator[tuple[Key, bytes | None]]:
    """Yield each row's key and what its digest covers; None for a row that is not there."""
    first_name, second_name = _names(table, "t")
    query = f"SELECT t.{TABLES[table][0]} IS NULL, {names}, {_columns(db, table, 't')} FROM {source}"
    query = query.format(table=table, first=first_name, second=second_name)
    for is_gone, first, second, *row in db.conn.execute(query, values):
        yield (table, first, second), None if is_gone else _text(row)


def _columns(db: Database, table: str, row: str) -> str:
    """Return what a row's digest covers, in the order of the schema, where new columns come last; a default counts as nothing."""
    covered = [MORE[table]] if table in MORE else []
    for _, name, _, _, default, _ in db.conn.execute(f"PRAGMA main.table_info({table})").fetchall():
        column = f'{row}."{name}"'
        covered.append(column if default is None else f"NULLIF({column}, {default})")
    return ", ".join(covered)


def _text(row: Sequence[object]) -> bytes:
    """Return a row as its digest covers it. `ascii` and not `repr`: what is printable differs between versions of Python."""
    last = len(row)
    while last and row[last - 1] is None:
        last -= 1
    return ascii(row[:last]).encode()


def _frames(db: Database, waves: Iterable[int]) -> dict[int, bytes]:
    """Return a digest of the frame of each of these waves, item by item; of one that cannot be read, nothing."""
    return {wave: _frame(db, wave) for wave in waves}


def _frame(db: Database, wave: int) -> bytes:
    """Return the digest of a frame's definition, which has digests of what it gives; of one without, that of its rows."""
    defined = db.conn.execute("SELECT content FROM frame_definitions WHERE wave = ?", (wave,)).fetchone()
    if defined is not None:
        return sha256(bytes(defined[0])).digest()
    frame, waiting = sha256(), list[list[object]]()
    try:
        for row in frame_blocks.rows_of(db, wave):
            waiting.append([row.item, row.stratum, row.chance])
            if len(waiting) == CHUNK:
                frame.update(ascii(waiting).encode())
                waiting.clear()
    except StoreError:
        return b""
    frame.update(ascii(waiting).encode())
    return frame.digest()


def _keep(db: Database, event: int, kind: str, rows: Sequence[tuple[Key, bytes | None]]) -> tuple[str, str, bytes]:
    """Keep the seals of these rows with the event."""
    salts = secrets.token_bytes(SALT * len(rows))
    digests = b"".join(
        GONE if text is None else digest(text, salts[place * SALT : (place + 1) * SALT])
        for place, (_, text) in enumerate(rows)
    )
    keys = json.dumps([[_written(first), _written(second)] for (_, first, second), _ in rows])
    db.conn.execute("INSERT INTO seals VALUES (?, ?, ?, ?, ?)", (event, kind, keys, digests, salts))
    return kind, keys, digests


def _written(part: int | str | bytes) -> int | str | list[str]:
    """Return a part of a key as JSON has it; bytes are a text that UTF-8 cannot hold."""
    return [part.hex()] if isinstance(part, bytes) else part


def _keys(kind: str, keys: str) -> Iterator[Key]:
    for parts in json.loads(keys):
        first, second = (bytes.fromhex(part[0]) if isinstance(part, list) else part for part in parts)
        yield kind, first, second


def _over(seals: Iterable[tuple[str, str, bytes]]) -> str | None:
    """Return one digest over the seals of an event; None for none."""
    parts = [[kind, keys, digests.hex()] for kind, keys, digests in sorted(seals)]
    return sha256(json.dumps(parts).encode()).hexdigest() if parts else None
