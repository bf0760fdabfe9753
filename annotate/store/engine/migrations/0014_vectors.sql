-- Vectors of texts by embedding models: asked for once, compared by judges, in no export. A text is known by its hash alone;
-- `vector` is its numbers as 32-bit floats, little-endian.
CREATE TABLE vectors (
    key INTEGER PRIMARY KEY,
    url TEXT NOT NULL,
    model TEXT NOT NULL,
    text_hash BLOB NOT NULL,
    vector BLOB NOT NULL,
    at TEXT NOT NULL,
    UNIQUE (text_hash, model, url)
);

-- The items that a vector is of: it is forgotten with each of them.
CREATE TABLE vector_items (
    item INTEGER NOT NULL REFERENCES items,
    vector INTEGER NOT NULL REFERENCES vectors ON DELETE CASCADE,
    PRIMARY KEY (item, vector)
) WITHOUT ROWID;
CREATE INDEX vector_items_of ON vector_items (vector);
