"""The one seam through which any text leaves the house: an item in, the texts that may be sent out.

Redaction is the identity for now; text is only made safe to store and to show. The rule: whatever is sent to Label
Studio or to a model is taken from an `Outgoing`, never from an item.
"""

from __future__ import annotations

from dataclasses import dataclass

from proxy.records import Context, Item, Turn
from proxy.text import displayable


@dataclass(frozen=True, kw_only=True, slots=True)
class Outgoing:
    """The texts of one item that may leave: nothing that says where they come from or what a judge thought."""

    question: str
    answer: str
    contexts: tuple[str, ...]
    history: tuple[Turn, ...] = ()
    reference: str | None = None


def outgoing(item: Item) -> Outgoing:
    """What may leave the house of an item; passages keep their rank order."""
    return Outgoing(
        question=displayable(item.question),
        answer=displayable(item.answer),
        contexts=tuple(displayable(context.text) for context in item.contexts),
        history=tuple(Turn(role=displayable(turn.role), text=displayable(turn.text)) for turn in item.history),
        reference=None if item.reference is None else displayable(item.reference),
    )


def for_model(item: Item) -> Item:
    """The item as a model's judge may see it: the texts that may leave, the language, and the id, which is not sent."""
    texts = outgoing(item)
    return Item(
        id=item.id,
        question=texts.question,
        answer=texts.answer,
        contexts=tuple(Context(text=text) for text in texts.contexts),
        language=item.language,
        history=texts.history,
        reference=texts.reference,
    )
