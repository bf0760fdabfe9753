-- The least and the largest number that each source of feedback gave ('' where none is named): they tell thumbs from stars.

CREATE TABLE feedback_scales (
    source TEXT PRIMARY KEY,
    lowest REAL NOT NULL,
    highest REAL NOT NULL
) WITHOUT ROWID;

INSERT INTO feedback_scales
SELECT coalesce(source, ''), min(CAST(value AS REAL)), max(CAST(value AS REAL)) FROM feedback
WHERE value IN ('-1', '-1.0', '0', '0.0', '1', '1.0', '+1') GROUP BY coalesce(source, '');

-- Beside -1 a 0 is no vote.
UPDATE feedback SET sign = 0 WHERE value IN ('0', '0.0')
    AND coalesce(source, '') IN (SELECT source FROM feedback_scales WHERE lowest < 0);
