"""Open WebUI: the export of its feedback, where each thumb brings the chat it was given in, and the export of chats.

Of a thumb the answer is the message that was rated; of a chat every answered message is one, and its ratings come with it. An
answer's id is the message's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from annotate.domain.field_mapping import follow
from annotate.traffic.chat_ratings import CHAT, chat_ratings
from annotate.traffic.content import finite
from annotate.traffic.source_format import Evaluation, NoAnswer, Paths, Reading, Row, Unanswered, Unread, taken
from proxy.errors import InputError

SNAPSHOT = "snapshot.chat.chat.history.messages"


class OpenWebUI:
    """Rows of either export."""

    name = "open_webui"
    title = "Open WebUI"
    has_spans = False

    def recognises(self, row: Row) -> bool:
        """Return whether the row holds the tree of a chat's messages."""
        return any(isinstance(follow(row, path), Mapping) for path in (SNAPSHOT, CHAT))

    def read(self, row: Row, paths: Paths) -> Iterable[Reading]:
        """Read the rated message, or each answer of a chat."""
        rated = follow(row, "meta.message_id")
        path = SNAPSHOT if rated is not None or "snapshot" in row else CHAT
        messages = follow(row, path)
        if not isinstance(messages, Mapping):
            raise InputError(f"no messages under {path}")
        chat = follow(row, "meta.chat_id") or row.get("id")
        if rated is not None:
            yield _answer(row, messages, str(rated), chat, path, paths)
            yield Evaluation({name: value for name, value in row.items() if name != "snapshot"})
            return
        for name, message in messages.items():
            if not isinstance(message, Mapping) or message.get("role") != "assistant":
                continue
            if message.get("content"):
                yield _answer({}, messages, str(name), chat, path, paths)
            elif message.get("error"):
                yield Unanswered(NoAnswer.FAILED)
            else:
                yield Unread(f"no answer: message {name} is empty", message)
        yield from map(Evaluation, chat_ratings(row) or ())


def _answer(row: Row, messages: Mapping[str, object], name: str, chat: object, path: str, paths: Paths) -> Reading:
    """Return one message as an answer, with the question before it and its history."""
    message = messages.get(name)
    if not isinstance(message, Mapping):
        return Unread(f"message {name} is not among the messages of its chat", row)
    before = list(_before(messages, message))
    if not before or before[0].get("role") != "user":
        return Unread(f"message {name} answers no message of the user", row)
    question, *earlier = before
    history = [
        {"role": str(turn.get("role") or ""), "text": str(turn.get("content") or "")}
        for turn in reversed(earlier)
        if turn.get("role") != "system"
    ]
    model = message.get("model") or follow(row, "data.model_id")
    values = {
        "id": (name, "message id"),
        "question": (question.get("content"), f"{path}, the parent's content"),
        "answer": (message.get("content"), f"{path}, content"),
        "contexts": (list(_sources(message.get("sources"))), f"{path}, sources"),
        "history": (history, f"{path}, the messages before"),
        "timestamp": (message.get("timestamp") or row.get("created_at"), "timestamp"),
        "system": (model, "model"),
        "group": (chat, "chat id"),
    }
    values = {field: (value, where) for field, (value, where) in values.items() if value not in (None, "", [])}
    rest = {key: value for key, value in row.items() if key not in ("snapshot", "id", "created_at")}
    if "id" in row:
        rest["feedback_id"] = row["id"]
    return taken(values, rest, row or message, paths)


def _before(messages: Mapping[str, object], message: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """Yield the messages before one, the newest first; a circle ends where it closes."""
    seen = set()
    while (name := message.get("parentId")) is not None and name not in seen:
        seen.add(name)
        parent = messages.get(str(name))
        if not isinstance(parent, Mapping):
            return
        message = parent
        yield message


def _sources(sources: object) -> Iterator[Mapping[str, object]]:
    """Yield the passages of a message's sources; a source has several, in lists side by side."""
    for source in sources if isinstance(sources, list) else ():
        if not isinstance(source, Mapping):
            continue
        title = follow(source, "source.name")
        texts = source.get("document")
        for place, text in enumerate(texts if isinstance(texts, list) else ()):
            if not isinstance(text, str) or not text:
                continue
            metadata, score = follow(source, f"metadata[{place}]"), finite(follow(source, f"distances[{place}]"))
            named = metadata.get("file_id") or metadata.get("id") if isinstance(metadata, Mapping) else None
            passage = {"text": text, "id": named, "title": title, "score": score}
            yield {key: value for key, value in passage.items() if value is not None}
