"""Events, tombstones, policies, forgetting and backups; it uses the engine alone."""

from __future__ import annotations

from pathlib import Path

from annotate.domain.sign_in.signed_in import SignedIn
from annotate.store.audit.backups import Backups
from annotate.store.audit.events import Events
from annotate.store.audit.forgetting import Forgetting
from annotate.store.audit.policies import Policies
from annotate.store.engine.sqlite import Database

__all__ = ["AuditStore"]


class AuditStore:
    """What happened and what must stay so: events, policies, backups, and what was forgotten."""

    def __init__(self, db: Database, path: Path | None, signed_in: SignedIn | None = None) -> None:
        self.events = Events(db, signed_in)
        self.policies = Policies(db)
        self.backups = Backups(db, path)
        self.forgetting = Forgetting(db, path)
