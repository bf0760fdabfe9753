"""Numbered steps to the schema, an SQL file each. A released step is never edited: a change is a new step and a new file.

Stores that were made before the first release went through seventeen steps of another set, which came to the same schema. A
store with all of them is taken over as it is; one that lacks some is refused.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from importlib.resources import files

from annotate.domain.gold.sources import text_hash, unambiguous_texts
from annotate.domain.server_identity import shown_address
from annotate.store.engine import chain, frame_blocks, seals
from annotate.store.engine.sqlite import Database, Migrations
from proxy.records import Context
from proxy.text import times

FIRST = "0001_schema"
PREDICTOR_OF_A_WAVE = "0002_predictor_of_a_wave"
SPANS = "0003_spans"
SCALE_OF_FEEDBACK = "0004_scale_of_feedback"
PROJECT_OF_AN_ANNOTATOR = "0005_project_of_an_annotator"
STREAMS = "0006_streams"
SCORES_OF_TOOLS = "0007_scores_of_tools"
GOLD_SOURCES = "0008_gold_sources"
DISMISSED_ROWS = "0009_dismissed_rows"
REFERENCE_DRAFTS = "0010_reference_drafts"
ACCOUNTS = "0011_accounts"
QUESTIONS = "0012_questions"
PASSAGE_QUESTIONS = "0013_passage_questions"
VECTORS = "0014_vectors"
SERVERS = "0015_servers"
BLOCKS = "0016_blocks"
WHO_GETS_WHAT = "0017_who_gets_what"
GOLD_ANSWERS = "0018_gold_answers"
FRAME_BLOCKS = "0019_frame_blocks"
SEALED_GOLD_ANSWERS = "0020_sealed_gold_answers"
LAKE = "0021_lake"
FRAME_DEFINITIONS = "0022_frame_definitions"
ALIGNMENTS = "0023_alignments"
SCORE_MAPS = "0024_score_maps"
STEPS = (
    FIRST,
    PREDICTOR_OF_A_WAVE,
    SPANS,
    SCALE_OF_FEEDBACK,
    PROJECT_OF_AN_ANNOTATOR,
    STREAMS,
    SCORES_OF_TOOLS,
    GOLD_SOURCES,
    DISMISSED_ROWS,
    REFERENCE_DRAFTS,
    ACCOUNTS,
    QUESTIONS,
    PASSAGE_QUESTIONS,
    VECTORS,
    SERVERS,
    BLOCKS,
    WHO_GETS_WHAT,
    GOLD_ANSWERS,
    FRAME_BLOCKS,
    SEALED_GOLD_ANSWERS,
    LAKE,
    FRAME_DEFINITIONS,
    ALIGNMENTS,
    SCORE_MAPS,
)
ACCEPTED = """
    SELECT g.gold_id, g.item, g.updated_at, t.contexts, t.context_details FROM gold g JOIN texts t ON t.key = g.item
    WHERE g.status = 'accepted'
"""
MIGRATIONS = Migrations("store")
UNRELEASED = Migrations("assay")
LAST_UNRELEASED = "0018_totals_beside_the_store"
# Rows of these are only added: triggers of the schema refuse to change them.
UNCHANGING = ("releases", "release_entries", "events")


@MIGRATIONS(name=FIRST)
def schema(db: Database) -> None:
    """Create all tables, or note that a store of the unreleased steps has them."""
    if UNRELEASED.applied(db):
        db.conn.execute(f"DELETE FROM {UNRELEASED.migrations_table} WHERE migration_set = ?", (UNRELEASED.name,))
    else:
        run(db, FIRST)


@MIGRATIONS(name=PREDICTOR_OF_A_WAVE)
def predictor_of_a_wave(db: Database) -> None:
    """Add the column."""
    run(db, PREDICTOR_OF_A_WAVE)


@MIGRATIONS(name=SPANS)
def spans(db: Database) -> None:
    """Add the tables."""
    run(db, SPANS)


@MIGRATIONS(name=SCALE_OF_FEEDBACK)
def scale_of_feedback(db: Database) -> None:
    """Add the table, filled from the feedback that is there."""
    run(db, SCALE_OF_FEEDBACK)


@MIGRATIONS(name=PROJECT_OF_AN_ANNOTATOR)
def project_of_an_annotator(db: Database) -> None:
    """Rename the column; labels are sealed and keep the value of their basis, which is read by its older name too."""
    run(db, PROJECT_OF_AN_ANNOTATOR)


@MIGRATIONS(name=STREAMS)
def streams(db: Database) -> None:
    """Add the table, and the time of a draw."""
    run(db, STREAMS)


@MIGRATIONS(name=SCORES_OF_TOOLS)
def scores_of_tools(db: Database) -> None:
    """Add the tables."""
    run(db, SCORES_OF_TOOLS)


@MIGRATIONS(name=GOLD_SOURCES)
def gold_sources(db: Database) -> None:
    """Add the table, filled from the passages of the entries that are accepted."""
    run(db, GOLD_SOURCES)
    accepted = db.conn.execute(ACCEPTED).fetchall()
    for gold_id, item, at, contexts, details in accepted:
        pairs = zip(json.loads(contexts), json.loads(details), strict=False)
        passages = [Context(text=text, id=identity) for text, (identity, *_) in pairs]
        db.conn.executemany(
            "INSERT INTO gold_sources VALUES (?, ?, ?, ?, 1, ?)",
            [
                (gold_id, name, text_hash(text), item, at)
                for name, text in unambiguous_texts(passages).items()
                if name.encode("utf-8", "ignore").decode() == name  # half a character is no text for SQLite
            ],
        )


@MIGRATIONS(name=DISMISSED_ROWS)
def dismissed_rows(db: Database) -> None:
    """Add the column."""
    run(db, DISMISSED_ROWS)


@MIGRATIONS(name=REFERENCE_DRAFTS)
def reference_drafts(db: Database) -> None:
    """Add the table, and the columns of what a reference began as."""
    run(db, REFERENCE_DRAFTS)


@MIGRATIONS(name=ACCOUNTS)
def accounts(db: Database) -> None:
    """Add the table."""
    run(db, ACCOUNTS)


@MIGRATIONS(name=QUESTIONS)
def questions(db: Database) -> None:
    """Add the tables."""
    run(db, QUESTIONS)


@MIGRATIONS(name=PASSAGE_QUESTIONS)
def passage_questions(db: Database) -> None:
    """Add the table, and the columns of what annotators answer."""
    run(db, PASSAGE_QUESTIONS)


@MIGRATIONS(name=VECTORS)
def vectors(db: Database) -> None:
    """Add the tables."""
    run(db, VECTORS)


@MIGRATIONS(name=SERVERS)
def servers(db: Database) -> None:
    """Add the table, filled with the servers that were known by their address, whose users and passwords it leaves out."""
    run(db, SERVERS)
    addresses: set[str] = set()
    for name, at in db.conn.execute("SELECT server, min(at) FROM projects GROUP BY server ORDER BY 2, 1").fetchall():
        url = shown_address(name)
        db.conn.execute("INSERT INTO servers VALUES (?, ?, ?)", (name, None if url in addresses else url, at))
        addresses.add(url)


@MIGRATIONS(name=BLOCKS)
def blocks(db: Database) -> None:
    """Add the columns."""
    run(db, BLOCKS)


@MIGRATIONS(name=WHO_GETS_WHAT)
def who_gets_what(db: Database) -> None:
    """Add the columns."""
    run(db, WHO_GETS_WHAT)


@MIGRATIONS(name=GOLD_ANSWERS)
def gold_answers(db: Database) -> None:
    """Add the table, and the column of a draft."""
    run(db, GOLD_ANSWERS)


@MIGRATIONS(name=FRAME_BLOCKS)
def packed_frames(db: Database) -> None:
    """Add the tables, filled from the frames that are there; what seals cover of a frame stays as it was."""
    run(db, FRAME_BLOCKS)
    for (wave,) in db.conn.execute("SELECT key FROM waves ORDER BY key").fetchall():
        query = "SELECT item, stratum, probability FROM frames WHERE wave = ? ORDER BY item"
        frame_blocks.add_rows(db, wave, db.conn.execute(query, (wave,)))
    db.conn.execute("DROP TABLE frames")


@MIGRATIONS(name=SEALED_GOLD_ANSWERS)
def sealed_gold_answers(db: Database) -> None:
    """Seal the rows that are there, in an event of their own."""
    seals.make_notes(db)
    noted = db.conn.execute("INSERT INTO unsealed SELECT 'gold_answers', gold_id, item FROM gold_answers").rowcount
    if noted:
        sealed = seals.seal(db, chain.next_number(db))
        detail = json.dumps({"rows": noted})
        chain.append(db, times.now(), chain.person(db, seals.ASSAY), "seal", detail, sealed)


@MIGRATIONS(name=LAKE)
def lake(db: Database) -> None:
    """Add the tables."""
    run(db, LAKE)


@MIGRATIONS(name=FRAME_DEFINITIONS)
def frame_definitions(db: Database) -> None:
    """Add the table; frames that are there keep their rows."""
    run(db, FRAME_DEFINITIONS)


@MIGRATIONS(name=ALIGNMENTS)
def alignments(db: Database) -> None:
    """Add the tables."""
    run(db, ALIGNMENTS)


@MIGRATIONS(name=SCORE_MAPS)
def score_maps(db: Database) -> None:
    """Add the table."""
    run(db, SCORE_MAPS)


def run(db: Database, step: str) -> None:
    """Run the file of a step, statement by statement: `executescript` would commit half-way."""
    for statement in _statements(files(__package__).joinpath(f"{step}.sql").read_text(encoding="utf-8")):
        db.conn.execute(statement)


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
