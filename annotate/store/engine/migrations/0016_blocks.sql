-- Where a task stands among those that its annotator gets, from 1; the block of answers to one question that it belongs to, named by
-- the draw that comes first in it; and whether the lot left this block apart, its answers spread, to measure what neighbours do (NULL:
-- there was no lot). All are NULL for what was sent before blocks were kept, or by another program.
ALTER TABLE tasks ADD COLUMN position INTEGER;
ALTER TABLE tasks ADD COLUMN block INTEGER;
ALTER TABLE tasks ADD COLUMN is_spread INTEGER;
