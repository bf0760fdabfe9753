-- Accounts at a provider, under which people signed in on the app. An event that somebody who was signed in brought about names the
-- key; it is a hash of the salt, the issuer and the subject, so the chain covers them. Forgetting a person blanks the three.

CREATE TABLE accounts (
    key TEXT PRIMARY KEY,
    person TEXT NOT NULL REFERENCES people,
    issuer TEXT,
    subject TEXT,
    salt TEXT
) WITHOUT ROWID;
CREATE INDEX accounts_of ON accounts (person);
