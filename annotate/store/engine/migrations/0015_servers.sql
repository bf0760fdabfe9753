-- A Label Studio, whatever its address is now: `server` is the name that its projects and tasks are kept under, `url` where it was
-- last reached, NULL once something else answers there. It is recognised by what its projects say (`made_at`, the server's own time
-- of making one, and the mark in their description). Servers of before are kept under the address that they had then.
CREATE TABLE servers (
    server TEXT PRIMARY KEY,
    url TEXT UNIQUE,
    at TEXT NOT NULL
) WITHOUT ROWID;
ALTER TABLE projects ADD COLUMN made_at TEXT;
