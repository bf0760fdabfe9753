"""Record masking as a property of the store: what assay.toml asks for is kept in it, so that it holds in every folder.

Before anything is sent, the folder's table and the store's record are compared. More than the store asks for is recorded with an
event; less is refused, and is put in force by `assay doctor --set-masking` alone. Nothing is sent either with another key than
that of the store's pseudonyms: what left before could not be told from what leaves now.
"""

from __future__ import annotations

import secrets
from dataclasses import replace

from annotate.domain.privacy import pseudonyms, recognisers
from annotate.domain.privacy.redaction import Redaction, from_json, of_folder
from annotate.settings import REDACTION, SETTINGS
from annotate.store import Store
from annotate.store.audit.pseudonym_key import VARIABLE
from proxy.errors import UsageError

EVENT = "masking"
ASSAY = "assay"
SALT_BYTES = 16


def hold(store: Store, *, now: str, sends: bool = True) -> None:
    """Record what the folder asks for; UsageError where it has a table that asks for less than the store.

    With `sends` also where the key of the store's pseudonyms is not there; data comes in without it.
    """
    folder, recorded = of_folder(), of_store(store)
    if folder is not None:
        if not folder.covers(recorded):
            raise UsageError(
                f"{SETTINGS}: [{REDACTION}] masks less than this store asks for: take the table out, or put "
                "it in force with `assay doctor --set-masking`"
            )
        if store.is_writable and not recorded.covers(folder):
            recorded = _record(store, recorded.joined(folder), who=ASSAY, now=now)
    if recorded.is_on:
        recognisers.check(recorded.recognisers)
    if sends and (problem := key_problem(store, recorded)):
        raise UsageError(problem)


def set_masking(store: Store, *, who: str, now: str) -> Redaction:
    """Put in force what the folder asks for, also where that is less; return it."""
    folder = of_folder()
    if folder is None:
        raise UsageError(f"{SETTINGS} has no table [{REDACTION}]: write what is to be masked there, or on = false")
    recognisers.check(folder.recognisers)
    recorded = of_store(store)
    asked = replace(
        folder,
        has_pseudonyms=folder.is_on and folder.has_pseudonyms is not False,
        salt=recorded.salt,
        fingerprint=recorded.fingerprint,
    )
    return _record(store, asked, who=who, now=now) if asked != recorded else asked


def renew_key(store: Store, *, who: str, now: str) -> Redaction:
    """Go on with the key that is there, or with a new one: pseudonyms that left before match none from now on."""
    recorded = of_store(store)
    if not (recorded.is_on and recorded.has_pseudonyms):
        raise UsageError("this store has no pseudonyms, and needs no key for them")
    return _record(store, replace(recorded, salt="", fingerprint=""), who=who, now=now)


def key_problem(store: Store, recorded: Redaction | None = None) -> str | None:
    """Say what is wrong with the key of the store's pseudonyms; None where it is there, or none is needed."""
    recorded = of_store(store) if recorded is None else recorded
    if not (recorded.is_on and recorded.has_pseudonyms and recorded.salt):
        return None
    if recorded.of_store(store.pseudonym_key.read()).pseudonyms is not None:
        return None
    what = "is missing" if store.pseudonym_key.read() is None else "is another than before"
    return (
        f"the key of this store's pseudonyms {what}: put it back at {store.pseudonym_key.path} or into {VARIABLE}, or go "
        "on with a new one by `assay doctor --new-key` (what left before will not match)"
    )


def of_store(store: Store) -> Redaction:
    """Return the masking that the store asks for."""
    text = store.audit.policies.masking()
    return Redaction() if text is None else from_json(text)


def _record(store: Store, redaction: Redaction, *, who: str, now: str) -> Redaction:
    if redaction.is_on and redaction.has_pseudonyms is not False:
        redaction = _with_key(store, redaction)
    with store.atomic(durable=True):
        store.audit.policies.set_masking(redaction.as_json())
        # A pattern may be a name: the event holds counts, and the digest that judges' signatures hold.
        counts = {"patterns": len(redaction.patterns), "hidden": len(redaction.hidden), "shown": len(redaction.shown)}
        if redaction.recognisers:
            counts["recognisers"] = len(redaction.recognisers)
        keyed = redaction.of_store(store.pseudonym_key.read())
        detail = {"on": redaction.is_on, "digest": keyed.digest, **counts}
        store.audit.events.append(EVENT, {**detail, "pseudonyms": redaction.has_pseudonyms is True}, who=who, now=now)
    return redaction


def _with_key(store: Store, redaction: Redaction) -> Redaction:
    """Return it with pseudonyms: the key and salt that it has, else a new salt and the key of the store, made if need be."""
    if redaction.salt:
        return replace(redaction, has_pseudonyms=True)
    salt = secrets.token_hex(SALT_BYTES)
    made = pseudonyms.of_store(store.pseudonym_key.make(), salt)
    return replace(redaction, has_pseudonyms=True, salt=salt, fingerprint=made.fingerprint)
