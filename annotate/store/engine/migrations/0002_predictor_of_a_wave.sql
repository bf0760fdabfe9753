-- What the strata and chances of a wave follow: signature, rule, judges and number of labels, as JSON; NULL before the first labels.

ALTER TABLE waves ADD COLUMN predictor TEXT;
