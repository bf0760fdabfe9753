-- Traffic that lies in a lake: where that is, and which of its files count. A file that is not named here does not exist.

CREATE TABLE lake (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    address TEXT NOT NULL
);
CREATE TABLE lake_parts (
    path TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    owner INTEGER NOT NULL, -- the judge or rule whose rows they are, 0 for items
    digest TEXT NOT NULL,
    rows INTEGER NOT NULL,
    size INTEGER NOT NULL,
    first_item INTEGER NOT NULL,
    last_item INTEGER NOT NULL
) WITHOUT ROWID;
-- Files that were listed and are not any more: they are deleted once nobody can be reading them.
CREATE TABLE lake_replaced (
    path TEXT PRIMARY KEY,
    dropped_at INTEGER NOT NULL -- seconds since 1970
) WITHOUT ROWID;
