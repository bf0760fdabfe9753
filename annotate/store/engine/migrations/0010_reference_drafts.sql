-- What somebody has typed as a reference and not saved yet. A person who types in two windows has a draft for each, so the key is a
-- number of its own; `revision` tells a window that another has gone on with its draft. `origin` is what the text began as, and
-- `origin_item` the item that it came from.

CREATE TABLE reference_drafts (
    key INTEGER PRIMARY KEY,
    item INTEGER NOT NULL REFERENCES items,
    annotator TEXT NOT NULL,
    text TEXT NOT NULL,
    note TEXT NOT NULL,
    lacks_knowledge INTEGER NOT NULL,
    origin TEXT,
    origin_item INTEGER REFERENCES items,
    revision INTEGER NOT NULL DEFAULT 1,
    updated_at TEXT NOT NULL
);
CREATE INDEX reference_drafts_of ON reference_drafts (item, annotator);

-- The proposal that a reference began as, and how many characters differ between the two. NULL: written without one.
ALTER TABLE gold_revisions ADD COLUMN origin TEXT;
ALTER TABLE gold_revisions ADD COLUMN origin_item INTEGER REFERENCES items;
ALTER TABLE gold_revisions ADD COLUMN edit_distance INTEGER;
