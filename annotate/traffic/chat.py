"""Chat logs: a conversation a row, as messages of OpenAI's chat API or as ShareGPT's conversations.

The last turn of the user that was answered is the question, the assistant's last turn after it the answer, and what came
before is the history. What tools gave between the two are the contexts, unless the row has contexts of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from annotate.domain.field_mapping import follow
from annotate.domain.turns import as_rows
from annotate.traffic.content import answered, last_exchange, last_question, loaded, turns_of
from annotate.traffic.passages import passages
from annotate.traffic.prompt_templates import context_of_system, take_apart
from annotate.traffic.source_format import Paths, Reading, Row, Unanswered, taken
from annotate.traffic.unanswered import no_answer
from proxy.errors import InputError
from proxy.text.turns import USER

CONVERSATIONS = ("messages", "conversations", "conversation", "turns", "chat", "contents")
AROUND = ("request", "request_body", "requestBody", "full_request", "body", "kwargs", "input.inputBodyJson")
ANSWERS = (
    "response",
    "response_body",
    "responseBody",
    "full_response",
    "choices",
    "completion",
    "output.outputBodyJson",
    "output",
    "answer",
)
CONTEXTS = ("contexts", "retrieved_contexts", "retrieval_context", "documents", "sources", "context")
GROUPS = (
    "conversation_id",
    "session_id",
    "thread_id",
    "chat_id",
    "metadata.session_id",
    'request_properties["Helicone-Session-Id"]',
    'properties["Helicone-Session-Id"]',
)
TIMES = ("timestamp", "created_at", "created", "create_time", "logging_time")


class ChatLog:
    """Rows that hold a conversation."""

    name = "chat"
    title = "chat messages"
    has_spans = False

    def recognises(self, row: Row) -> bool:
        """Return whether a column holds messages with roles, one of them the user's."""
        return "question" not in row and "user_input" not in row and self._messages(row) is not None

    def read(self, row: Row, paths: Paths) -> Iterable[Reading]:
        """Read the last exchange of the conversation."""
        conversation = self._messages(row)
        if conversation is None and (why := no_answer(row, None)):
            yield Unanswered(why)
            return
        if conversation is None:
            raise InputError("no messages: expected a list of objects with role and content")
        path, messages = conversation
        exchange = last_exchange(messages)
        values: dict[str, tuple[object, str]] = {}
        replies = ((name, answered(row.get(name, follow(row, name)))) for name in ANSWERS)
        given = next(((name, reply) for name, reply in replies if reply), None)
        if given is not None and (last := last_question(messages)) and last.answer is None:
            exchange = last
            values["answer"] = given[1].text, given[0]
        elif exchange is not None:
            values["answer"] = exchange.answer, f"{path}, last of the assistant"
        if exchange is None and "answer" not in paths and (why := no_answer(row, messages)):
            yield Unanswered(why)
            return
        if exchange is None and "answer" not in paths:
            raise InputError(f"{path}: no turn of the user that was answered")
        if exchange is not None:
            values["question"] = exchange.question, f"{path}, last of the user"
            values["history"] = as_rows(exchange.history), path
            if exchange.tools:
                retrieved = [passage for text in exchange.tools for passage in passages(text)]
                values["contexts"] = retrieved, f"{path}, tools"
        self._beside(row, messages, path, values)
        take_apart(values)
        if "contexts" not in values and exchange is not None and (injected := context_of_system(exchange.system or "")):
            values["contexts"] = list(injected), f"{path}, in a prompt (LangChain)"
        claimed = {path.split(".")[0], *(where.split(",")[0] for _, where in values.values())}
        if "answer" in values:
            claimed.add(values["answer"][1].split(".")[0])
        rest = {name: value for name, value in row.items() if name not in claimed}
        if exchange is not None and exchange.system:
            rest["system_prompt"] = exchange.system
        yield taken(values, rest, row, paths)

    def _beside(self, row: Row, messages: list[object], path: str, values: dict[str, tuple[object, str]]) -> None:
        """Take contexts, group and time from beside the messages, or contexts from the last of them."""
        for name, candidates in (("contexts", CONTEXTS), ("group", GROUPS), ("timestamp", TIMES)):
            cells = ((each, row.get(each, follow(row, each))) for each in candidates)
            column, value = next(((each, value) for each, value in cells if value not in (None, "", [])), ("", None))
            if column:
                values[name] = value, column
        last = messages[-1]
        if "contexts" not in values and isinstance(last, Mapping):
            key = next((each for each in CONTEXTS if last.get(each)), None)
            if key is not None and (retrieved := passages(last[key])):
                values["contexts"] = list(retrieved), f"{path}[-1].{key}"

    def _messages(self, row: Row) -> tuple[str, list[object]] | None:
        """Return where the messages are, and the messages."""
        # What OpenAI's Responses API was asked; under this name other tools have theirs.
        asked = ("input",) if row.get("object") == "response" else ()
        for name in (*CONVERSATIONS, *asked):
            value = loaded(row.get(name))
            if isinstance(value, list) and any(turn.role == USER for turn in turns_of(value) or ()):
                return name, value
        for around in AROUND:
            inner = loaded(row.get(around, follow(row, around)))
            if isinstance(inner, Mapping) and (conversation := self._messages(inner)):
                return f"{around}.{conversation[0]}", conversation[1]
        return None
