-- What the passages behind an accepted gold entry said, by the ids of the passages, and other texts that came in under these ids.
-- `item` is the item that brought a text; `is_known` holds for what was there when a person accepted or kept the entry.

CREATE TABLE gold_sources (
    gold_id TEXT NOT NULL REFERENCES gold,
    passage TEXT NOT NULL,
    hash BLOB NOT NULL,
    item INTEGER NOT NULL REFERENCES items,
    is_known INTEGER NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (gold_id, passage, hash)
) WITHOUT ROWID;

CREATE INDEX gold_sources_by_passage ON gold_sources (passage);
