-- Wrong answers that a person compared with a reference of their question: whether it corrects them; `why` is a note, or why not.

CREATE TABLE gold_answers (
    gold_id TEXT NOT NULL REFERENCES gold,
    item INTEGER NOT NULL REFERENCES items,
    is_corrected INTEGER NOT NULL,
    why TEXT,
    who TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (gold_id, item)
) WITHOUT ROWID;
CREATE INDEX gold_answers_of ON gold_answers (item);

-- The answers that the writer of a draft leaves out: a list of [item, why].
ALTER TABLE reference_drafts ADD COLUMN left_out TEXT NOT NULL DEFAULT '[]';
