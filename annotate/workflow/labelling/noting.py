"""Log pushes and pulls as events: counts and numbers of projects, never an annotator's name."""

from __future__ import annotations

from annotate.domain.label_studio_sync import Pulled, Pushed
from annotate.store import Store


def push(store: Store, server: str, done: Pushed, *, who: str, now: str) -> None:
    """Note a push that changed something."""
    if not (done.sent or done.withdrawn):
        return
    counts = [[delivery.project, delivery.sent, delivery.there] for delivery in done.deliveries]
    beside = {name: count for name in ("handed_on", "left", "untaken") if (count := getattr(done, name))}
    with store.atomic():
        store.audit.events.append(
            "push", {"server": server, "projects": counts, "withdrawn": done.withdrawn, **beside}, who=who, now=now
        )


def pull(store: Store, server: str, done: Pulled, *, who: str, now: str) -> None:
    """Note a pull that brought something."""
    if done.is_news:
        with store.atomic():
            store.audit.events.append("pull", {"server": server, **done._asdict()}, who=who, now=now)
