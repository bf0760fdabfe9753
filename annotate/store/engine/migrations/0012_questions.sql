-- Questions that were built from passages: the question and its reference are a gold entry of role synthetic. `expected` is a list of
-- groups of texts (each group is required, any text of it will do), `sources` the ids of the passages.

CREATE TABLE questions (
    question_id TEXT PRIMARY KEY,
    gold_id TEXT NOT NULL REFERENCES gold,
    kind TEXT NOT NULL,
    expected TEXT NOT NULL,
    sources TEXT NOT NULL,
    maker TEXT NOT NULL,
    at TEXT NOT NULL
) WITHOUT ROWID;

-- A question under one condition. `contexts` are the ids and texts of its passages, `change` a fact of one that was changed.
CREATE TABLE question_items (
    item_id TEXT PRIMARY KEY,
    question_id TEXT NOT NULL REFERENCES questions,
    ability TEXT NOT NULL,
    noise_rate REAL NOT NULL,
    contexts TEXT NOT NULL,
    change TEXT,
    at TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX question_items_of ON question_items (question_id);

-- What models replied when they were asked for questions: read again in place of a second request. `subject` is made of hashes of the
-- passages, `maker` of all else that shaped the reply.
CREATE TABLE question_replies (
    subject TEXT NOT NULL,
    maker TEXT NOT NULL,
    step INTEGER NOT NULL,
    reply TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (subject, maker, step)
) WITHOUT ROWID;
