-- Scores of other tools that wait: for their item, or for the scale of their numbers. `value` is what came, as JSON.
CREATE TABLE tool_scores (
    item_id TEXT NOT NULL,
    judge TEXT NOT NULL,
    signature TEXT NOT NULL,
    value TEXT NOT NULL,
    reason TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (item_id, judge, signature, value)
) WITHOUT ROWID;

-- The least and the largest number that each judge of a tool gave, and the scale that a person said it has.
CREATE TABLE score_scales (
    judge TEXT PRIMARY KEY,
    lowest REAL,
    highest REAL,
    scale TEXT
) WITHOUT ROWID;

-- How far traffic was fetched from each program that is asked for it.
CREATE TABLE fetched (
    source TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    at TEXT NOT NULL
) WITHOUT ROWID;
