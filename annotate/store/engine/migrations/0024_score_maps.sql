-- Maps of a judge's score to P(right) that labels taught and measured.

CREATE TABLE score_maps (
    key INTEGER PRIMARY KEY,
    judge TEXT NOT NULL,
    base TEXT NOT NULL, -- the signature of the scores as they are
    signature TEXT NOT NULL,
    maps TEXT NOT NULL, -- JSON: scores and shares, of all answers and by language
    figures TEXT NOT NULL, -- JSON
    at TEXT NOT NULL,
    is_in_force INTEGER NOT NULL
);
