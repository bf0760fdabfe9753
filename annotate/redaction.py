"""The one seam through which any text leaves the house: an item in, the texts that may be sent out.

Redaction is the identity for now; text is only made safe to store and to show. The rule: whatever is sent to Label
Studio or to a model is taken from an `Outgoing`, never from an item.
"""

from __future__ import annotations

from dataclasses import dataclass

from proxy.records import Item
from proxy.text import displayable


@dataclass(frozen=True, kw_only=True, slots=True)
class Outgoing:
    """The texts of one item that may leave: nothing that says where they come from or what a judge thought."""

    question: str
    answer: str
    contexts: tuple[str, ...]


def outgoing(item: Item) -> Outgoing:
    """What may leave the house of an item; passages keep their rank order."""
    return Outgoing(
        question=displayable(item.question),
        answer=displayable(item.answer),
        contexts=tuple(displayable(context.text) for context in item.contexts),
    )
