-- `dismissed_at` is when somebody looked at a row in quarantine and did not want it; who that was stands in the events.

ALTER TABLE quarantine ADD COLUMN dismissed_at TEXT;
