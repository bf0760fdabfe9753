-- Judges that labels guide: the share of questions that tune a judge, what versions of it said of labelled answers before any was
-- put in force, and the versions that were measured.

CREATE TABLE tuning_shares (
    judge TEXT PRIMARY KEY,
    share REAL NOT NULL,
    at TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE trial_outcomes (
    judge TEXT NOT NULL,
    signature TEXT NOT NULL,
    item INTEGER NOT NULL REFERENCES items,
    value REAL, -- NULL where it failed
    kind TEXT, -- of the failure
    reason TEXT NOT NULL,
    content TEXT, -- as in details
    seconds REAL,
    at TEXT NOT NULL,
    PRIMARY KEY (signature, item)
) WITHOUT ROWID;
CREATE TABLE alignments (
    key INTEGER PRIMARY KEY,
    judge TEXT NOT NULL,
    bare TEXT NOT NULL, -- the signature without guidance
    base TEXT NOT NULL, -- that of the judge in force, which it was compared with
    signature TEXT NOT NULL,
    kind TEXT NOT NULL,
    guidelines TEXT NOT NULL, -- JSON: a list of lines
    examples TEXT NOT NULL, -- JSON: a list of [row of an item, name of its texts and label]
    figures TEXT NOT NULL, -- JSON
    at TEXT NOT NULL,
    is_in_force INTEGER NOT NULL
);
CREATE INDEX trial_items ON trial_outcomes (item);
