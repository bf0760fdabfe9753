"""The ratings that Open WebUI keeps with the messages of a chat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from annotate.domain.field_mapping import follow

Row = Mapping[str, object]
CHAT = "chat.history.messages"


def chat_ratings(row: Row) -> list[Row] | None:
    """Return the ratings in a chat as the export of feedback has them; None for any other row."""
    messages = follow(row, CHAT)
    return list(_ratings(messages)) if isinstance(messages, Mapping) and "snapshot" not in row else None


def _ratings(messages: Mapping[str, object]) -> Iterator[Row]:
    for name, message in messages.items():
        annotation = message.get("annotation") if isinstance(message, Mapping) else None
        if isinstance(annotation, Mapping) and annotation.get("rating") is not None:
            yield {"type": "rating", "data": annotation, "meta": {"message_id": str(name)}}
