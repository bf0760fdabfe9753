-- Streams that draw answers as they arrive: the rates, the row after which answers are theirs, and the wave that they draw now.

CREATE TABLE streams (
    key INTEGER PRIMARY KEY,
    rate REAL NOT NULL CHECK (rate > 0 AND rate <= 1),
    rate_failed REAL NOT NULL CHECK (rate_failed > 0 AND rate_failed <= 1),
    seed INTEGER NOT NULL,
    after INTEGER NOT NULL,
    wave INTEGER REFERENCES waves,
    opened_at TEXT NOT NULL,
    closed_at TEXT
);
CREATE UNIQUE INDEX streams_open ON streams (closed_at IS NULL) WHERE closed_at IS NULL;

-- When a draw was made where that was later than its wave began: the wave of a stream grows for a day. NULL: with the wave.
ALTER TABLE draws ADD COLUMN at TEXT;
