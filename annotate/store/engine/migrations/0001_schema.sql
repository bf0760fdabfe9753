-- The schema of a store. A released step is never edited: a change is a new step.

-- Traffic: `items` is narrow and `texts` holds the long columns, so that totals and pages never read a passage.

-- `key` is the row of one revision of one item; `id` is the caller's.
CREATE TABLE items (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    revision INTEGER NOT NULL,
    is_current INTEGER NOT NULL,
    content_hash BLOB NOT NULL,
    rest_hash BLOB NOT NULL,
    system TEXT,
    timestamp TEXT,
    "group" TEXT NOT NULL,
    language TEXT,
    question_chars INTEGER NOT NULL,
    contexts INTEGER NOT NULL,
    contexts_chars INTEGER NOT NULL,
    answer_chars INTEGER NOT NULL,
    ingested_at TEXT NOT NULL,
    forgotten_at TEXT,
    question TEXT NOT NULL DEFAULT '',
    UNIQUE (id, revision)
);

CREATE TABLE texts (
    key INTEGER PRIMARY KEY REFERENCES items,
    question TEXT NOT NULL,
    contexts TEXT NOT NULL,
    context_details TEXT NOT NULL,
    answer TEXT NOT NULL,
    history TEXT NOT NULL,
    reference TEXT,
    metadata TEXT NOT NULL
);

-- Feedback meets its item by id, whichever came first.
CREATE TABLE feedback (
    hash BLOB PRIMARY KEY,
    item_id TEXT NOT NULL,
    value TEXT,
    sign INTEGER NOT NULL CHECK (sign IN (-1, 0, 1)),
    comment TEXT,
    correction TEXT,
    source TEXT,
    at TEXT,
    received_at TEXT NOT NULL
);
CREATE INDEX feedback_item ON feedback (item_id, sign);

-- Thumbs-down that somebody looked at and set aside.
CREATE TABLE asides (
    item_id TEXT PRIMARY KEY,
    item INTEGER REFERENCES items,
    thumbs INTEGER NOT NULL,
    why TEXT,
    who TEXT NOT NULL REFERENCES people,
    at TEXT NOT NULL
) WITHOUT ROWID;

-- What came in and could not be read; `resolved_at` is when it came in repaired.
CREATE TABLE quarantine (
    hash BLOB PRIMARY KEY,
    stage TEXT NOT NULL,
    source TEXT NOT NULL,
    line INTEGER NOT NULL,
    reason TEXT NOT NULL,
    raw BLOB,
    at TEXT NOT NULL,
    resolved_at TEXT
);

-- Scores, what models were asked for them, and the rules that turn them into verdicts.

CREATE TABLE judges (
    key INTEGER PRIMARY KEY,
    judge TEXT NOT NULL,
    signature TEXT NOT NULL,
    settings TEXT NOT NULL DEFAULT '{}',
    UNIQUE (judge, signature)
);

CREATE TABLE scores (
    judge INTEGER NOT NULL REFERENCES judges,
    item INTEGER NOT NULL REFERENCES items,
    value REAL NOT NULL CHECK (value BETWEEN 0 AND 1),
    reason TEXT NOT NULL,
    seconds REAL,
    at TEXT NOT NULL,
    PRIMARY KEY (judge, item)
) WITHOUT ROWID;

CREATE TABLE failures (
    judge INTEGER NOT NULL REFERENCES judges,
    item INTEGER NOT NULL REFERENCES items,
    kind TEXT NOT NULL,
    reason TEXT NOT NULL,
    seconds REAL,
    at TEXT NOT NULL,
    PRIMARY KEY (judge, item)
) WITHOUT ROWID;

-- What judges said of sentences and passages.
CREATE TABLE details (
    judge INTEGER NOT NULL REFERENCES judges,
    item INTEGER NOT NULL REFERENCES items,
    content TEXT NOT NULL,
    PRIMARY KEY (judge, item)
) WITHOUT ROWID;

-- What the endpoints of models can do.
CREATE TABLE endpoints (
    url TEXT NOT NULL,
    model TEXT NOT NULL,
    mode TEXT NOT NULL,
    parameters TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (url, model)
) WITHOUT ROWID;

CREATE TABLE runs (
    key INTEGER PRIMARY KEY,
    url TEXT NOT NULL,
    model TEXT NOT NULL,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    stopped TEXT,
    canaries TEXT NOT NULL DEFAULT '[]'
);

-- Requests to models.
CREATE TABLE attempts (
    key INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs,
    purpose TEXT NOT NULL CHECK (purpose IN ('probe', 'canary', 'item')),
    judges TEXT NOT NULL,
    item INTEGER REFERENCES items,
    step INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT,
    seconds REAL NOT NULL,
    prompt_tokens INTEGER,
    cached_tokens INTEGER,
    completion_tokens INTEGER,
    cost REAL,
    model TEXT,
    fingerprint TEXT,
    request_id TEXT,
    reply TEXT,
    is_open INTEGER NOT NULL,
    at TEXT NOT NULL
);
CREATE INDEX attempts_open ON attempts (item, judges, step) WHERE is_open;
CREATE INDEX attempts_run ON attempts (run);

CREATE TABLE rules (
    key INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    expression TEXT NOT NULL,
    signatures TEXT NOT NULL,
    percentiles TEXT NOT NULL,
    is_calibrated INTEGER NOT NULL,
    is_in_force INTEGER NOT NULL,
    at TEXT NOT NULL,
    UNIQUE (name, version)
);

CREATE TABLE verdicts (
    rule INTEGER NOT NULL REFERENCES rules,
    item INTEGER NOT NULL REFERENCES items,
    value REAL NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('pass', 'fail')),
    PRIMARY KEY (rule, item)
) WITHOUT ROWID;

-- Guarantees that a threshold was certified to keep, and below it which of them a rule has.
CREATE TABLE guarantees (
    rule INTEGER PRIMARY KEY REFERENCES rules,
    precision REAL NOT NULL,
    confidence REAL NOT NULL,
    threshold REAL NOT NULL,
    n INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    p_value REAL NOT NULL,
    labels INTEGER NOT NULL,
    last_wave INTEGER NOT NULL,
    at TEXT NOT NULL
);

CREATE TABLE claims (
    rule INTEGER NOT NULL REFERENCES guarantees,
    claim TEXT NOT NULL,
    n INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    p_value REAL NOT NULL,
    clusters REAL,
    PRIMARY KEY (rule, claim)
) WITHOUT ROWID;

-- The draws whose labels chose a rule's threshold: they never score it.
CREATE TABLE choosers (
    rule INTEGER NOT NULL REFERENCES rules,
    draw INTEGER NOT NULL REFERENCES draws,
    PRIMARY KEY (rule, draw)
) WITHOUT ROWID;

-- Waves with their strata and frames, the draws, and the tasks that carry them to annotators.

CREATE TABLE waves (
    key INTEGER PRIMARY KEY,
    rule INTEGER NOT NULL REFERENCES rules,
    seed INTEGER NOT NULL,
    salt TEXT NOT NULL,
    labels INTEGER NOT NULL,
    audit REAL NOT NULL,
    at TEXT NOT NULL,
    design TEXT NOT NULL DEFAULT 'stratified',
    part TEXT,
    is_by_group INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE strata (
    wave INTEGER NOT NULL REFERENCES waves,
    stratum TEXT NOT NULL,
    size INTEGER NOT NULL,
    drawn INTEGER NOT NULL,
    is_fixed INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (wave, stratum)
) WITHOUT ROWID;

-- `probability` is an item's own chance; without one it is that of its stratum.
CREATE TABLE frames (
    item INTEGER NOT NULL REFERENCES items,
    wave INTEGER NOT NULL REFERENCES waves,
    stratum TEXT NOT NULL,
    probability REAL CHECK (probability BETWEEN 0 AND 1),
    PRIMARY KEY (item, wave)
) WITHOUT ROWID;

-- `lot` names what was drawn together with the item where that is not its question.
CREATE TABLE draws (
    key INTEGER PRIMARY KEY,
    wave INTEGER NOT NULL REFERENCES waves,
    item INTEGER NOT NULL REFERENCES items,
    stratum TEXT NOT NULL,
    inclusion_probability REAL NOT NULL CHECK (inclusion_probability > 0 AND inclusion_probability <= 1),
    task_key TEXT NOT NULL UNIQUE,
    lot TEXT,
    UNIQUE (item)
);

-- An outbox: a draw as a project of Label Studio holds it.
CREATE TABLE tasks (
    draw INTEGER NOT NULL REFERENCES draws,
    server TEXT NOT NULL,
    project INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'confirmed', 'withdrawn')),
    task_id INTEGER,
    at TEXT NOT NULL,
    seen TEXT,
    PRIMARY KEY (draw, server, project)
) WITHOUT ROWID;
CREATE INDEX tasks_project ON tasks (server, project, state);

CREATE TABLE projects (
    server TEXT NOT NULL,
    project INTEGER NOT NULL,
    form_version TEXT NOT NULL,
    at TEXT NOT NULL,
    reader TEXT NOT NULL DEFAULT '',
    is_in_use INTEGER NOT NULL DEFAULT 1,
    cursor TEXT,
    swept_at TEXT,
    size INTEGER,
    unread INTEGER,
    PRIMARY KEY (server, project)
);

-- Every revision of every annotation, and the label that they come to.

-- Rows are only added.
CREATE TABLE annotations (
    sequence INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    id TEXT NOT NULL,
    item INTEGER NOT NULL REFERENCES items,
    draw INTEGER REFERENCES draws,
    annotator TEXT NOT NULL,
    judgement TEXT,
    reference TEXT,
    causes TEXT NOT NULL,
    harm TEXT,
    rationale TEXT,
    form_version TEXT,
    seconds REAL,
    at TEXT,
    is_deleted INTEGER NOT NULL,
    received_at TEXT NOT NULL,
    edited_by TEXT
);
CREATE INDEX annotations_identity ON annotations (source, id, sequence);
CREATE INDEX annotations_item ON annotations (item, draw);

CREATE TABLE labels (
    item INTEGER NOT NULL REFERENCES items,
    draw INTEGER REFERENCES draws,
    judgement TEXT NOT NULL,
    annotator TEXT,
    reference TEXT,
    causes TEXT NOT NULL,
    harm TEXT,
    rationale TEXT,
    at TEXT,
    basis TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX labels_one ON labels (item, draw IS NULL);
CREATE INDEX labels_draw ON labels (draw);

-- Causes that somebody named after the annotators.
CREATE TABLE causes (
    sequence INTEGER PRIMARY KEY,
    item INTEGER NOT NULL REFERENCES items,
    draw INTEGER REFERENCES draws,
    causes TEXT NOT NULL,
    seen INTEGER NOT NULL,
    who TEXT NOT NULL REFERENCES people,
    at TEXT NOT NULL
);
CREATE INDEX causes_item ON causes (item, sequence);

CREATE TABLE second_readings (
    draw INTEGER PRIMARY KEY REFERENCES draws,
    who TEXT NOT NULL REFERENCES people,
    at TEXT NOT NULL
);

-- The gold set with its history and its releases.

-- An imported entry has no item, but question, contexts and history of its own.
CREATE TABLE gold (
    gold_id TEXT PRIMARY KEY,
    item INTEGER UNIQUE REFERENCES items,
    question TEXT,
    contexts TEXT,
    reference TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('candidate', 'accepted', 'retired')),
    source TEXT NOT NULL,
    annotator TEXT,
    updated_at TEXT NOT NULL,
    flag TEXT,
    basis TEXT,
    lacks_knowledge INTEGER NOT NULL DEFAULT 0,
    role TEXT,
    cluster TEXT,
    history TEXT
);

-- Rows are only added.
CREATE TABLE gold_revisions (
    sequence INTEGER PRIMARY KEY,
    gold_id TEXT NOT NULL REFERENCES gold,
    reference TEXT NOT NULL,
    status TEXT NOT NULL,
    source TEXT NOT NULL,
    annotator TEXT,
    who TEXT NOT NULL,
    why TEXT,
    at TEXT NOT NULL
);
CREATE INDEX gold_revisions_of ON gold_revisions (gold_id, sequence);

CREATE TABLE releases (
    name TEXT PRIMARY KEY,
    at TEXT NOT NULL,
    who TEXT NOT NULL,
    hash TEXT NOT NULL,
    entries INTEGER NOT NULL
);
CREATE TRIGGER releases_update BEFORE UPDATE ON releases
    BEGIN SELECT RAISE(ABORT, 'releases are never changed'); END;
CREATE TRIGGER releases_delete BEFORE DELETE ON releases
    BEGIN SELECT RAISE(ABORT, 'releases are never changed'); END;

CREATE TABLE release_entries (
    release TEXT NOT NULL REFERENCES releases,
    gold_id TEXT NOT NULL REFERENCES gold,
    revision INTEGER NOT NULL REFERENCES gold_revisions,
    content_hash TEXT NOT NULL,
    role TEXT,
    lacks_knowledge INTEGER NOT NULL,
    PRIMARY KEY (release, gold_id)
) WITHOUT ROWID;
CREATE TRIGGER release_entries_update BEFORE UPDATE ON release_entries
    BEGIN SELECT RAISE(ABORT, 'release_entries are never changed'); END;
CREATE TRIGGER release_entries_delete BEFORE DELETE ON release_entries
    BEGIN SELECT RAISE(ABORT, 'release_entries are never changed'); END;

-- What happened, by whom, and what must stay so.

-- Events name people by a key, so that a name can be forgotten while the chain holds.
CREATE TABLE people (
    key TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) WITHOUT ROWID;

CREATE TABLE events (
    sequence INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    who TEXT NOT NULL,
    what TEXT NOT NULL,
    detail TEXT NOT NULL,
    hash TEXT NOT NULL,
    sealed TEXT
);
CREATE TRIGGER events_update BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER events_delete BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;

-- The end of the chain: how many events there are, and the hash of the last.
CREATE TABLE event_head (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    sequence INTEGER NOT NULL,
    hash TEXT NOT NULL
);

-- Digests of the rows that an event covers.
CREATE TABLE seals (
    event INTEGER NOT NULL,
    kind TEXT NOT NULL,
    keys TEXT NOT NULL,
    digests BLOB NOT NULL,
    salts BLOB NOT NULL,
    PRIMARY KEY (event, kind)
) WITHOUT ROWID;

CREATE TABLE policies (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- Tombstones: items by id, people by a salted hash of their name.
CREATE TABLE forgotten (
    kind TEXT NOT NULL,
    digest TEXT NOT NULL,
    pseudonym TEXT NOT NULL,
    at TEXT NOT NULL,
    why TEXT,
    PRIMARY KEY (kind, digest)
) WITHOUT ROWID;

-- A random number for each kind of thing that totals are counted of, drawn anew with every change.
CREATE TABLE versions (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) WITHOUT ROWID;
