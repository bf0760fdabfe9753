-- Which draws the annotator of a project takes: a list of [field, value], and whether the rest is shared; NULL: the rest alone.
ALTER TABLE projects ADD COLUMN takes TEXT;
-- An annotation without a judgement that says: not my field, somebody else should label this.
ALTER TABLE annotations ADD COLUMN is_handed_on INTEGER NOT NULL DEFAULT 0;
