"""Keep the accounts under which people signed in, so that an event proves who acted.

An event names an account by a key, which is a hash of what it stands for: the chain of events covers it, and a row that was
changed behind the chain is found. A person who is forgotten leaves the key alone.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from hashlib import sha256
from json import dumps

from annotate.domain.sign_in.signed_in import Account
from annotate.store.engine.database import from_column, to_column
from annotate.store.engine.sqlite import Database

DETAIL = "account"
DIGITS = 24
NEXT = "restore a backup, or find out who wrote to the file"
# A damaged detail is told of by the chain.
NAMED = f"""
    SELECT DISTINCT json_extract(e.detail, '$.{DETAIL}') FROM events e
    WHERE CASE WHEN json_valid(e.detail) THEN json_type(e.detail, '$.{DETAIL}') END = 'text'
    AND json_extract(e.detail, '$.{DETAIL}') NOT IN (SELECT key FROM accounts)
"""


def key_of(db: Database, person: str, account: Account) -> str:
    """Return the key of a person's account, made where there is none; call inside a transaction."""
    columns = to_column(account.issuer), to_column(account.subject)
    query = "SELECT key FROM accounts WHERE person = ? AND issuer = ? AND subject = ?"
    row = db.conn.execute(query, (person, *columns)).fetchone()
    if row is None:
        salt = secrets.token_hex(16)
        row = (_key(salt, account),)
        db.conn.execute("INSERT INTO accounts VALUES (?, ?, ?, ?, ?)", (*row, person, *columns, salt))
    return str(row[0])


def all_accounts(db: Database) -> dict[str, Account]:
    """Return every account that is still known, by its key."""
    rows = db.conn.execute("SELECT key, issuer, subject FROM accounts WHERE salt IS NOT NULL")
    return {str(key): Account(from_column(issuer), from_column(subject)) for key, issuer, subject in rows}


def forget_accounts(db: Database, name: str) -> None:
    """Blank the accounts of the person with this name."""
    query = "UPDATE accounts SET issuer = NULL, subject = NULL, salt = NULL"
    db.conn.execute(f"{query} WHERE person IN (SELECT key FROM people WHERE name = ?)", (to_column(name),))


def changed_accounts(db: Database) -> Iterator[str]:
    """Yield the accounts that are not as events name them, in words."""
    for key, issuer, subject, salt in db.conn.execute("SELECT key, issuer, subject, salt FROM accounts"):
        if salt is not None and key != _key(salt, Account(from_column(issuer or ""), from_column(subject or ""))):
            yield f"account {key} is not as Assay wrote it: who signed in was changed: {NEXT}"
    for (key,) in db.conn.execute(NAMED):
        yield f"account {key} is gone, and events name it: {NEXT}"


def _key(salt: str, account: Account) -> str:
    return f"a-{sha256(dumps([salt, *account]).encode()).hexdigest()[:DIGITS]}"
