-- Frames of waves as definitions: what an item's stratum and chance follow from, in place of a byte for each item of each wave. The
-- columns beside `content`, which is JSON compressed by zlib, say what it rests on. In `frame_blocks` such a wave has only the items
-- of which something changed after the draw, as they were.
CREATE TABLE frame_definitions (
    wave INTEGER PRIMARY KEY REFERENCES waves,
    first_item INTEGER NOT NULL,
    last_item INTEGER NOT NULL,
    items INTEGER NOT NULL,
    rule INTEGER NOT NULL,
    judges TEXT NOT NULL,
    is_by_group INTEGER NOT NULL,
    content BLOB NOT NULL
);
