"""Record masking as a property of the store: what assay.toml asks for is kept in it, so that it holds in every folder.

Before anything is sent, the folder's table and the store's record are compared. More than the store asks for is recorded with an
event; less is refused, and is put in force by `assay doctor --set-masking` alone.
"""

from __future__ import annotations

from annotate.domain.privacy.redaction import Redaction, from_json, of_folder
from annotate.settings import REDACTION, SETTINGS
from annotate.store import Store
from proxy.errors import UsageError

EVENT = "masking"
ASSAY = "assay"


def hold(store: Store, *, now: str) -> None:
    """Record what the folder asks for; UsageError where it has a table that asks for less than the store."""
    folder, recorded = of_folder(), of_store(store)
    if folder is None:
        return
    if not folder.covers(recorded):
        raise UsageError(
            f"{SETTINGS}: [{REDACTION}] masks less than this store asks for: take the table out, or put "
            "it in force with `assay doctor --set-masking`"
        )
    if store.is_writable and not recorded.covers(folder):
        _record(store, recorded.joined(folder), who=ASSAY, now=now)


def set_masking(store: Store, *, who: str, now: str) -> Redaction:
    """Put in force what the folder asks for, also where that is less; return it."""
    folder = of_folder()
    if folder is None:
        raise UsageError(f"{SETTINGS} has no table [{REDACTION}]: write what is to be masked there, or on = false")
    if folder != of_store(store):
        _record(store, folder, who=who, now=now)
    return folder


def of_store(store: Store) -> Redaction:
    """Return the masking that the store asks for."""
    text = store.audit.policies.masking()
    return Redaction() if text is None else from_json(text)


def _record(store: Store, redaction: Redaction, *, who: str, now: str) -> None:
    with store.atomic(durable=True):
        store.audit.policies.set_masking(redaction.as_json())
        # A pattern may be a name: the event holds counts, and the digest that judges' signatures hold.
        counts = {"patterns": len(redaction.patterns), "hidden": len(redaction.hidden), "shown": len(redaction.shown)}
        store.audit.events.append(
            EVENT, {"on": redaction.is_on, "digest": redaction.digest, **counts}, who=who, now=now
        )
