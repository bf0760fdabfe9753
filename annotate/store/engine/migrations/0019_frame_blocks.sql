-- Frames of waves, packed: a row for each wave and each 65,536 rows of items in place of one for each item. `strata` holds a byte an
-- item, the number of its stratum (0: the wave does not frame it), `chances` an item's own chance as a double of eight bytes, lowest
-- byte first (NaN: its stratum's; NULL: no item has one of its own). Both are compressed by zlib.
CREATE TABLE frame_blocks (
    wave INTEGER NOT NULL REFERENCES waves,
    block INTEGER NOT NULL,
    strata BLOB NOT NULL,
    chances BLOB,
    PRIMARY KEY (wave, block)
);

-- The names behind the numbers, also of strata that had nothing left to draw.
CREATE TABLE frame_strata (
    wave INTEGER NOT NULL REFERENCES waves,
    number INTEGER NOT NULL CHECK (number BETWEEN 1 AND 255),
    stratum TEXT NOT NULL,
    PRIMARY KEY (wave, number),
    UNIQUE (wave, stratum)
) WITHOUT ROWID;
