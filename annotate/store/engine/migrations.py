"""The schema, as numbered steps. A released step is never edited: a change is a new step.

`items` is narrow and `texts` holds the long columns, so that totals and pages never read a passage. `key` is the row of
one revision of one item; `items.id` is the caller's. Rows of `annotations`, `gold_revisions` and `events` are only added.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from annotate.store.engine import seals
from annotate.store.engine.chain import name_people_by_key
from annotate.store.engine.question_column import fill_questions
from annotate.store.engine.sqlite import Migrations

if TYPE_CHECKING:
    from annotate.store.engine.sqlite import Database

MIGRATIONS = Migrations("assay")

TRAFFIC = """
CREATE TABLE items (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL, revision INTEGER NOT NULL, is_current INTEGER NOT NULL,
    content_hash BLOB NOT NULL, rest_hash BLOB NOT NULL, system TEXT, timestamp TEXT, "group" TEXT NOT NULL,
    language TEXT, question_chars INTEGER NOT NULL, contexts INTEGER NOT NULL, contexts_chars INTEGER NOT NULL,
    answer_chars INTEGER NOT NULL, ingested_at TEXT NOT NULL, UNIQUE (id, revision));
CREATE TABLE texts (
    key INTEGER PRIMARY KEY REFERENCES items, question TEXT NOT NULL, contexts TEXT NOT NULL,
    context_details TEXT NOT NULL, answer TEXT NOT NULL, history TEXT NOT NULL, reference TEXT, metadata TEXT NOT NULL);
CREATE TABLE feedback (
    hash BLOB PRIMARY KEY, item_id TEXT NOT NULL, value TEXT, sign INTEGER NOT NULL CHECK (sign IN (-1, 0, 1)),
    comment TEXT, correction TEXT, source TEXT, at TEXT, received_at TEXT NOT NULL);
CREATE INDEX feedback_item ON feedback (item_id, sign);
CREATE TABLE quarantine (
    hash BLOB PRIMARY KEY, stage TEXT NOT NULL, source TEXT NOT NULL, line INTEGER NOT NULL, reason TEXT NOT NULL,
    raw BLOB, at TEXT NOT NULL);
"""

JUDGING = """
CREATE TABLE judges (
    key INTEGER PRIMARY KEY, judge TEXT NOT NULL, signature TEXT NOT NULL, UNIQUE (judge, signature));
CREATE TABLE scores (
    judge INTEGER NOT NULL REFERENCES judges, item INTEGER NOT NULL REFERENCES items,
    value REAL NOT NULL CHECK (value BETWEEN 0 AND 1), reason TEXT NOT NULL, seconds REAL, at TEXT NOT NULL,
    PRIMARY KEY (judge, item)) WITHOUT ROWID;
CREATE TABLE failures (
    judge INTEGER NOT NULL REFERENCES judges, item INTEGER NOT NULL REFERENCES items, kind TEXT NOT NULL,
    reason TEXT NOT NULL, seconds REAL, at TEXT NOT NULL, PRIMARY KEY (judge, item)) WITHOUT ROWID;
CREATE TABLE rules (
    key INTEGER PRIMARY KEY, name TEXT NOT NULL, version INTEGER NOT NULL, expression TEXT NOT NULL,
    signatures TEXT NOT NULL, percentiles TEXT NOT NULL, is_calibrated INTEGER NOT NULL, is_in_force INTEGER NOT NULL,
    at TEXT NOT NULL, UNIQUE (name, version));
CREATE TABLE verdicts (
    rule INTEGER NOT NULL REFERENCES rules, item INTEGER NOT NULL REFERENCES items, value REAL NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('pass', 'fail')), PRIMARY KEY (rule, item)) WITHOUT ROWID;
"""

SAMPLING = """
CREATE TABLE waves (
    key INTEGER PRIMARY KEY, rule INTEGER NOT NULL REFERENCES rules, seed INTEGER NOT NULL, salt TEXT NOT NULL,
    labels INTEGER NOT NULL, audit REAL NOT NULL, at TEXT NOT NULL);
CREATE TABLE strata (
    wave INTEGER NOT NULL REFERENCES waves, stratum TEXT NOT NULL, size INTEGER NOT NULL, drawn INTEGER NOT NULL,
    PRIMARY KEY (wave, stratum)) WITHOUT ROWID;
CREATE TABLE frames (
    item INTEGER NOT NULL REFERENCES items, wave INTEGER NOT NULL REFERENCES waves, stratum TEXT NOT NULL,
    PRIMARY KEY (item, wave)) WITHOUT ROWID;
CREATE TABLE draws (
    key INTEGER PRIMARY KEY, wave INTEGER NOT NULL REFERENCES waves, item INTEGER NOT NULL REFERENCES items,
    stratum TEXT NOT NULL, inclusion_probability REAL NOT NULL
        CHECK (inclusion_probability > 0 AND inclusion_probability <= 1),
    task_key TEXT NOT NULL UNIQUE, UNIQUE (item));
CREATE TABLE tasks (
    draw INTEGER PRIMARY KEY REFERENCES draws, server TEXT NOT NULL, project INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'confirmed')), task_id INTEGER, at TEXT NOT NULL);
CREATE TABLE projects (
    server TEXT NOT NULL, project INTEGER NOT NULL, form_version TEXT NOT NULL, at TEXT NOT NULL,
    PRIMARY KEY (server, project));
"""

LABELLING = """
CREATE TABLE annotations (
    sequence INTEGER PRIMARY KEY, source TEXT NOT NULL, id TEXT NOT NULL, item INTEGER NOT NULL REFERENCES items,
    draw INTEGER REFERENCES draws, annotator TEXT NOT NULL, judgement TEXT, reference TEXT, causes TEXT NOT NULL,
    harm TEXT, rationale TEXT, form_version TEXT, seconds REAL, at TEXT, is_deleted INTEGER NOT NULL,
    received_at TEXT NOT NULL);
CREATE INDEX annotations_identity ON annotations (source, id, sequence);
CREATE INDEX annotations_item ON annotations (item, draw);
CREATE TABLE labels (
    item INTEGER NOT NULL REFERENCES items, draw INTEGER REFERENCES draws, judgement TEXT NOT NULL, annotator TEXT,
    reference TEXT, causes TEXT NOT NULL, harm TEXT, rationale TEXT, at TEXT);
CREATE UNIQUE INDEX labels_one ON labels (item, draw IS NULL);
CREATE TABLE gold (
    gold_id TEXT PRIMARY KEY, item INTEGER NOT NULL UNIQUE REFERENCES items, reference TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('candidate', 'accepted', 'retired')), source TEXT NOT NULL, annotator TEXT,
    updated_at TEXT NOT NULL);
CREATE TABLE gold_revisions (
    sequence INTEGER PRIMARY KEY, gold_id TEXT NOT NULL REFERENCES gold, reference TEXT NOT NULL, status TEXT NOT NULL,
    source TEXT NOT NULL, annotator TEXT, who TEXT NOT NULL, why TEXT, at TEXT NOT NULL);
CREATE TABLE events (
    sequence INTEGER PRIMARY KEY, at TEXT NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL, detail TEXT NOT NULL,
    hash TEXT NOT NULL);
"""


def _statements(db: Database, script: str) -> None:
    """Run each statement by itself: `executescript` would commit the migration half-way."""
    for statement in script.split(";"):
        if statement.strip():
            db.conn.execute(statement)


@MIGRATIONS(name="0001_first_schema")
def first_schema(db: Database) -> None:
    """Create the tables, from traffic to the gold set."""
    for script in (TRAFFIC, JUDGING, SAMPLING, LABELLING):
        _statements(db, script)


DESIGNS = """
ALTER TABLE waves ADD COLUMN design TEXT NOT NULL DEFAULT 'stratified';
ALTER TABLE strata ADD COLUMN is_fixed INTEGER NOT NULL DEFAULT 1;
ALTER TABLE frames ADD COLUMN probability REAL CHECK (probability BETWEEN 0 AND 1);
CREATE INDEX labels_draw ON labels (draw);
CREATE TABLE versions (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE rollups (name TEXT PRIMARY KEY, stamp TEXT NOT NULL, content TEXT NOT NULL) WITHOUT ROWID;
"""


@MIGRATIONS(name="0002_designs_and_rollups")
def designs_and_rollups(db: Database) -> None:
    """Add chances of single items to waves, and totals that are counted once and kept until their source changes."""
    _statements(db, DESIGNS)


CALLS = """
ALTER TABLE judges ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';
CREATE TABLE details (
    judge INTEGER NOT NULL REFERENCES judges, item INTEGER NOT NULL REFERENCES items, content TEXT NOT NULL,
    PRIMARY KEY (judge, item)) WITHOUT ROWID;
CREATE TABLE endpoints (
    url TEXT NOT NULL, model TEXT NOT NULL, mode TEXT NOT NULL, parameters TEXT NOT NULL, at TEXT NOT NULL,
    PRIMARY KEY (url, model)) WITHOUT ROWID;
CREATE TABLE runs (
    key INTEGER PRIMARY KEY, url TEXT NOT NULL, model TEXT NOT NULL, started_at TEXT NOT NULL, ended_at TEXT,
    stopped TEXT, canaries TEXT NOT NULL DEFAULT '[]');
CREATE TABLE attempts (
    key INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs, purpose TEXT NOT NULL
        CHECK (purpose IN ('probe', 'canary', 'item')),
    judges TEXT NOT NULL, item INTEGER REFERENCES items, step INTEGER NOT NULL, outcome TEXT NOT NULL, reason TEXT,
    seconds REAL NOT NULL, prompt_tokens INTEGER, cached_tokens INTEGER, completion_tokens INTEGER, cost REAL,
    model TEXT, fingerprint TEXT, request_id TEXT, reply TEXT, is_open INTEGER NOT NULL, at TEXT NOT NULL);
CREATE INDEX attempts_open ON attempts (item, judges, step) WHERE is_open;
CREATE INDEX attempts_run ON attempts (run);
"""


@MIGRATIONS(name="0003_calls_of_models")
def calls_of_models(db: Database) -> None:
    """Add requests to a model's endpoint, what endpoints can do, and what judges said of sentences and passages."""
    _statements(db, CALLS)


OUTBOX = """
CREATE TABLE outbox (
    draw INTEGER NOT NULL REFERENCES draws, server TEXT NOT NULL, project INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'confirmed', 'withdrawn')), task_id INTEGER, at TEXT NOT NULL,
    seen TEXT, PRIMARY KEY (draw, server, project)) WITHOUT ROWID;
INSERT INTO outbox
    SELECT draw, server, project, CASE state WHEN 'sent' THEN 'queued' ELSE state END, task_id, at, NULL FROM tasks;
DROP TABLE tasks;
ALTER TABLE outbox RENAME TO tasks;
CREATE INDEX tasks_project ON tasks (server, project, state);
ALTER TABLE projects ADD COLUMN reader TEXT NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN is_in_use INTEGER NOT NULL DEFAULT 1;
ALTER TABLE projects ADD COLUMN cursor TEXT;
ALTER TABLE projects ADD COLUMN swept_at TEXT;
ALTER TABLE projects ADD COLUMN size INTEGER;
ALTER TABLE projects ADD COLUMN unread INTEGER;
UPDATE projects SET is_in_use = NOT EXISTS (
    SELECT 1 FROM projects o WHERE o.server = projects.server AND (o.at, o.project) > (projects.at, projects.project));
ALTER TABLE annotations ADD COLUMN edited_by TEXT;
ALTER TABLE labels ADD COLUMN basis TEXT NOT NULL DEFAULT '';
CREATE TABLE policies (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
ALTER TABLE items ADD COLUMN forgotten_at TEXT;
"""

GOLD = """
CREATE TABLE gold_entries (
    gold_id TEXT PRIMARY KEY, item INTEGER UNIQUE REFERENCES items, question TEXT, contexts TEXT, reference TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('candidate', 'accepted', 'retired')), source TEXT NOT NULL, annotator TEXT,
    updated_at TEXT NOT NULL, flag TEXT, basis TEXT, lacks_knowledge INTEGER NOT NULL DEFAULT 0, role TEXT, cluster TEXT);
INSERT INTO gold_entries (gold_id, item, reference, status, source, annotator, updated_at)
    SELECT gold_id, item, reference, status, source, annotator, updated_at FROM gold;
CREATE TABLE gold_history (
    sequence INTEGER PRIMARY KEY, gold_id TEXT NOT NULL REFERENCES gold_entries, reference TEXT NOT NULL,
    status TEXT NOT NULL, source TEXT NOT NULL, annotator TEXT, who TEXT NOT NULL, why TEXT, at TEXT NOT NULL);
INSERT INTO gold_history SELECT * FROM gold_revisions;
DROP TABLE gold_revisions;
DROP TABLE gold;
ALTER TABLE gold_entries RENAME TO gold;
ALTER TABLE gold_history RENAME TO gold_revisions;
CREATE INDEX gold_revisions_of ON gold_revisions (gold_id, sequence);
CREATE TABLE releases (
    name TEXT PRIMARY KEY, at TEXT NOT NULL, who TEXT NOT NULL, hash TEXT NOT NULL, entries INTEGER NOT NULL);
CREATE TABLE release_entries (
    release TEXT NOT NULL REFERENCES releases, gold_id TEXT NOT NULL REFERENCES gold,
    revision INTEGER NOT NULL REFERENCES gold_revisions, content_hash TEXT NOT NULL, role TEXT,
    lacks_knowledge INTEGER NOT NULL, PRIMARY KEY (release, gold_id)) WITHOUT ROWID;
"""

PEOPLE = """
CREATE TABLE people (key TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE) WITHOUT ROWID;
CREATE TABLE event_head (only INTEGER PRIMARY KEY CHECK (only = 1), sequence INTEGER NOT NULL, hash TEXT NOT NULL);
"""

UNCHANGING = ("releases", "release_entries", "events")


@MIGRATIONS(name="0004_several_readers")
def several_readers(db: Database) -> None:
    """Add projects of several readers, pulls that go on where they were, and what is asked of the team."""
    _statements(db, OUTBOX)


@MIGRATIONS(name="0005_gold_that_stays_true")
def gold_that_stays_true(db: Database) -> None:
    """Add gold entries without an item, flags, roles by question, and releases."""
    _statements(db, GOLD)


@MIGRATIONS(name="0006_people_by_key")
def people_by_key(db: Database) -> None:
    """Name people in events by a key, so that a name can be forgotten; the chain is made anew, and nothing changes it again."""
    _statements(db, PEOPLE)
    name_people_by_key(db)
    for table in UNCHANGING:
        for change in ("UPDATE", "DELETE"):
            db.conn.execute(
                f"CREATE TRIGGER {table}_{change.lower()} BEFORE {change} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} are never changed'); END"
            )


TOMBSTONES = """
CREATE TABLE forgotten (
    kind TEXT NOT NULL, digest TEXT NOT NULL, pseudonym TEXT NOT NULL, at TEXT NOT NULL, why TEXT,
    PRIMARY KEY (kind, digest)) WITHOUT ROWID;
"""


@MIGRATIONS(name="0007_tombstones")
def tombstones(db: Database) -> None:
    """Add what was forgotten, so that it does not come back: items by id, people by a salted hash of their name."""
    _statements(db, TOMBSTONES)


DECISIONS = """
CREATE TABLE guarantees (
    rule INTEGER PRIMARY KEY REFERENCES rules, precision REAL NOT NULL, confidence REAL NOT NULL, threshold REAL NOT NULL,
    n INTEGER NOT NULL, errors INTEGER NOT NULL, p_value REAL NOT NULL, labels INTEGER NOT NULL, last_wave INTEGER NOT NULL,
    at TEXT NOT NULL);
CREATE TABLE choosers (
    rule INTEGER NOT NULL REFERENCES rules, draw INTEGER NOT NULL REFERENCES draws, PRIMARY KEY (rule, draw)) WITHOUT ROWID;
ALTER TABLE waves ADD COLUMN part TEXT;
"""


@MIGRATIONS(name="0008_decisions")
def decisions(db: Database) -> None:
    """Add guarantees of a rule's cut, the draws whose labels chose it, and the part of the traffic a wave looks at."""
    _statements(db, DECISIONS)


AFTERWARDS = """
CREATE TABLE second_readings (
    draw INTEGER PRIMARY KEY REFERENCES draws, who TEXT NOT NULL REFERENCES people, at TEXT NOT NULL);
CREATE TABLE causes (
    sequence INTEGER PRIMARY KEY, item INTEGER NOT NULL REFERENCES items, draw INTEGER REFERENCES draws,
    causes TEXT NOT NULL, seen INTEGER NOT NULL, who TEXT NOT NULL REFERENCES people, at TEXT NOT NULL);
CREATE INDEX causes_item ON causes (item, sequence);
"""


@MIGRATIONS(name="0009_readings_and_causes_asked_for")
def readings_and_causes_asked_for(db: Database) -> None:
    """Add draws that somebody wants a second reader for, and causes that somebody named after the readers."""
    _statements(db, AFTERWARDS)


ASIDES = """
CREATE TABLE asides (
    item_id TEXT PRIMARY KEY, item INTEGER REFERENCES items, thumbs INTEGER NOT NULL, why TEXT,
    who TEXT NOT NULL REFERENCES people, at TEXT NOT NULL) WITHOUT ROWID;
"""


@MIGRATIONS(name="0010_complaints_set_aside")
def complaints_set_aside(db: Database) -> None:
    """Add the thumbs-down that somebody looked at and set aside, with who, when and why."""
    _statements(db, ASIDES)


QUESTIONS = """
ALTER TABLE items ADD COLUMN question TEXT NOT NULL DEFAULT '';
ALTER TABLE draws ADD COLUMN lot TEXT;
ALTER TABLE waves ADD COLUMN is_by_group INTEGER NOT NULL DEFAULT 0;
UPDATE waves SET is_by_group = 1 WHERE design = 'pairs';
"""


@MIGRATIONS(name="0011_questions")
def questions(db: Database) -> None:
    """Add the key of each item's question, apart from its group; waves of pairs were drawn by group until now."""
    _statements(db, QUESTIONS)
    fill_questions(db)


@MIGRATIONS(name="0012_gold_conversations")
def gold_conversations(db: Database) -> None:
    """Add the conversation before the question of an imported gold entry, which has no item to hold it."""
    _statements(db, "ALTER TABLE gold ADD COLUMN history TEXT")


CLAIMS = """
CREATE TABLE claims (
    rule INTEGER NOT NULL REFERENCES guarantees, claim TEXT NOT NULL, n INTEGER NOT NULL, errors INTEGER NOT NULL,
    p_value REAL NOT NULL, clusters REAL, PRIMARY KEY (rule, claim)) WITHOUT ROWID;
"""


@MIGRATIONS(name="0013_claims")
def claims(db: Database) -> None:
    """Add which guarantees a rule's cut has; those of earlier versions have none: they were tested answer by answer."""
    _statements(db, CLAIMS)


@MIGRATIONS(name="0015_rows_that_came_in_repaired")
def rows_that_came_in_repaired(db: Database) -> None:
    """Add when a row in quarantine came in repaired: it is kept, and counted no longer."""
    _statements(db, "ALTER TABLE quarantine ADD COLUMN resolved_at TEXT")


# Rows without an annotator that say right and wrong of one item, as their newest revisions stand, with nothing settled.
CONTRADICTIONS = """
UPDATE labels SET judgement = 'unsure', basis = 'disagreement' WHERE EXISTS (
    WITH newest AS (
        SELECT a.* FROM annotations a WHERE a.item = labels.item AND coalesce(a.draw, -1) = coalesce(labels.draw, -1)
        AND NOT a.is_deleted AND a.sequence = (
            SELECT max(n.sequence) FROM annotations n WHERE n.source = a.source AND n.id = a.id))
    SELECT 1 FROM newest r JOIN newest w ON r.annotator = 'unnamed' AND w.annotator = 'unnamed'
    WHERE r.judgement = 'right' AND w.judgement = 'wrong' AND r.source != 'adjudication' AND w.source != 'adjudication'
    AND NOT EXISTS (SELECT 1 FROM newest WHERE source = 'adjudication' AND judgement IN ('right', 'wrong')));
"""


@MIGRATIONS(name="0016_contradictions_stay_open")
def contradictions_stay_open(db: Database) -> None:
    """Reopen labels of rows without annotator that contradict each other: the last row had won."""
    _statements(db, CONTRADICTIONS)


SEALS = """
ALTER TABLE events ADD COLUMN sealed TEXT;
CREATE TABLE seals (
    event INTEGER NOT NULL, kind TEXT NOT NULL, keys TEXT NOT NULL, digests BLOB NOT NULL,
    salts BLOB NOT NULL, PRIMARY KEY (event, kind)) WITHOUT ROWID;
"""


@MIGRATIONS(name="0017_seals")
def rows_sealed_by_events(db: Database) -> None:
    """Add digests of waves, annotations, labels and gold to the chain of events; what is there by now is sealed as it is."""
    _statements(db, SEALS)
    seals.seal_all(db, now=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"))


@MIGRATIONS(name="0018_totals_beside_the_store")
def totals_beside_the_store(db: Database) -> None:
    """Move kept totals to a file of their own, which tells by random versions whether they still hold."""
    _statements(db, "DROP TABLE IF EXISTS rollups; UPDATE versions SET value = random()")
