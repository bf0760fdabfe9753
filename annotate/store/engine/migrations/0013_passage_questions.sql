-- The draws for which chance decided whether their annotators are asked about passages: each with the share of the draws that are
-- asked, and whether it is one of them. Written once, before the draw is sent.

CREATE TABLE passage_questions (
    draw INTEGER PRIMARY KEY REFERENCES draws,
    share REAL NOT NULL,
    is_asked INTEGER NOT NULL,
    at TEXT NOT NULL
);

-- The answers about passages: the relevance of each in rank order, and whether nothing needed is missing. NULL: none was given.
ALTER TABLE annotations ADD COLUMN passages TEXT;
ALTER TABLE labels ADD COLUMN passages TEXT;
