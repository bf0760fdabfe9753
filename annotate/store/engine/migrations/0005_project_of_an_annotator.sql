-- Who labels is an annotator.

ALTER TABLE projects RENAME COLUMN reader TO annotator;
UPDATE projects SET annotator = 'second annotator' WHERE annotator = 'second reader';
