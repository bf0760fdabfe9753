-- Spans of tracers, reduced and compressed (zlib). They wait here for the rest of their trace, and stay, so that a late span can revise its answer.

CREATE TABLE spans (
    key INTEGER PRIMARY KEY,
    trace TEXT NOT NULL,
    span TEXT NOT NULL,
    rank TEXT NOT NULL,
    content BLOB NOT NULL,
    UNIQUE (trace, span)
);
CREATE INDEX spans_span ON spans (span);

-- `state` is what became of a trace: changed (to be joined), joined, or why it waits.
CREATE TABLE traces (
    trace TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    at TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX traces_state ON traces (state, trace) WHERE state != 'joined';
