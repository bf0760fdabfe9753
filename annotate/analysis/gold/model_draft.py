"""The draft of a reference that a model has written and that waits to be read: the reply that was paid for, read again."""

from __future__ import annotations

from collections.abc import Sequence

from annotate import settings
from annotate.domain.privacy import redaction
from annotate.store import Store
from proxy.judges.llm import reference_draft
from proxy.judges.llm.asking import Reply, Unreadable
from proxy.judges.llm.base import Setup
from proxy.judges.llm.prompts import standard
from proxy.judges.llm.reference_draft import ModelDraft
from proxy.llm.openai_client import address
from proxy.llm.probing import Capability


def setup_of(url: str, model: str, capability: Capability) -> Setup:
    """Return all that shapes a draft of this endpoint."""
    return Setup(
        url=url,
        model=model,
        mode=capability.mode,
        prompts=standard(),
        parameters=capability.parameters,
        masking=redaction.in_force().digest,
    )


def kept(store: Store, row: int) -> ModelDraft | None:
    """Return the draft for an item by the model of assay.toml; None where there is none."""
    asked = settings.draft()
    if asked is None:
        return None
    url = address(asked.url)
    capability = store.scores.calls.capability(url, asked.model)
    if capability is None:
        return None
    setup = setup_of(url, asked.model, capability)
    replies = store.scores.calls.open_replies([row]).get((row, reference_draft.signature(setup)), [])
    return _read(setup, store, row, replies) if replies else None


def _read(setup: Setup, store: Store, row: int, replies: Sequence[Reply]) -> ModelDraft | None:
    steps = reference_draft.steps(setup, redaction.for_model(store.traffic.items.get(row)))
    try:
        next(steps)
        for reply in replies:
            steps.send(reply)
    except StopIteration as end:
        draft: ModelDraft = end.value
        return draft
    except Unreadable:
        return None
    return None
