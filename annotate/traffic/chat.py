"""Chat logs: a conversation a row, as messages of OpenAI's chat API or as ShareGPT's conversations.

The last turn of the user that was answered is the question, the assistant's last turn after it the answer, and what came
before is the history. What tools gave between the two are the contexts, unless the row has contexts of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from annotate.domain.field_mapping import follow
from annotate.domain.turns import as_rows
from annotate.traffic.content import answered, last_exchange, last_question, loaded, turns_of
from annotate.traffic.passages import in_system, passages
from annotate.traffic.prompt_templates import take_apart
from annotate.traffic.source_format import Paths, Reading, Row, Unanswered, taken
from annotate.traffic.unanswered import no_answer
from proxy.errors import InputError
from proxy.text.turns import USER

CONVERSATIONS = (
    "messages",
    "chat_messages",
    "conversations",
    "conversation",
    "turns",
    "chat",
    "contents",
    "activities",
)
AROUND = (
    *("request", "request_body", "requestBody", "full_request", "body", "params", "kwargs", "input.inputBodyJson"),
    *("values", "state", "state.values", "channel_values"),
)
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
    "result",
)
CONTEXTS = (
    *("contexts", "retrieved_contexts", "retrieval_context", "documents", "sources", "context"),
    *("source_documents", "sourceDocuments"),
)
GROUPS = (
    *("conversation_id", "conversationId", "session_id", "sessionId", "thread_id", "chat_id", "metadata.session_id"),
    *('request_properties["Helicone-Session-Id"]', 'properties["Helicone-Session-Id"]'),
)
TIMES = (
    *("timestamp", "created_at", "created", "create_time", "logging_time"),
    *("request_created_at", "requestCreatedAt", "startTime", "start_time"),
)
# Gateways name each call so.
IDS = ("id", "request_id", "requestId")
# Gemini's have a key.
BATCH_IDS = ("custom_id", "key")
OF_BATCH = {"id", *BATCH_IDS, "response", "result", "error", "request"}
REQUESTS = ("body", "params", "request")


class ChatLog:
    """Rows that hold a conversation."""

    name = "chat"
    title = "chat messages"
    has_spans = False

    def recognises(self, row: Row) -> bool:
        """Return whether a column holds messages with roles, one of them the user's; or the answer to a request in a batch."""
        if "question" in row or "user_input" in row:
            return False
        return self._messages(row) is not None or _is_of_batch(row)

    def read(self, row: Row, paths: Paths) -> Iterable[Reading]:
        """Read the last exchange of the conversation."""
        conversation = self._messages(row)
        if conversation is None and (why := no_answer(row, None)):
            yield Unanswered(why)
            return
        if conversation is None and _is_of_batch(row):
            raise InputError(
                "no question: a batch's results hold answers alone; put beside each, as `request`, the request of its "
                f"{_batch_id(row)}"
            )
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
        if exchange is None and "answer" not in paths and _is_request_of_batch(row):
            raise InputError(
                "no answer: a batch's requests hold questions alone; bring its results in, each with the request of its "
                f"{_batch_id(row)} beside it as `request`"
            )
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
        if "contexts" not in values and exchange is not None and (injected := in_system(exchange.system or "")):
            values["contexts"] = list(injected), f"{path}, in the system prompt"
        claimed = {path.split(".")[0], *(where.split(",")[0] for _, where in values.values())}
        if "answer" in values:
            claimed.add(values["answer"][1].split(".")[0])
        rest = {name: value for name, value in row.items() if name not in claimed}
        replied = f"{given[0]}.{given[1].path}" if given is not None else ""
        places = (replied if name == "answer" and replied else where for name, (_, where) in values.items())
        rest |= _around({name: value for name, value in row.items() if name in claimed}, [path, *places])
        if exchange is not None and exchange.system:
            rest["system_prompt"] = exchange.system
            row = {"system_prompt": exchange.system, **row}  # a path may lead into it
        yield taken(values, rest, row, paths)

    def _beside(self, row: Row, messages: list[object], path: str, values: dict[str, tuple[object, str]]) -> None:
        """Take contexts, group, time and id from beside the messages, or contexts from the last of them or from the reply."""
        for name, candidates in (("contexts", CONTEXTS), ("group", GROUPS), ("timestamp", TIMES), ("id", IDS)):
            cells = ((each, row.get(each, follow(row, each))) for each in candidates)
            column, value = next(((each, value) for each, value in cells if value not in (None, "", [])), ("", None))
            if column:
                values[name] = value, column
        last = messages[-1]
        if "contexts" not in values and isinstance(last, Mapping):
            key = next((each for each in CONTEXTS if last.get(each)), None)
            if key is not None and (retrieved := passages(last[key])):
                values["contexts"] = list(retrieved), f"{path}[-1].{key}"
        if "contexts" not in values and (searched := _searched(row)):
            values["contexts"] = searched

    def _messages(self, row: Row, *, is_request: bool = False) -> tuple[str, list[object]] | None:
        """Return where the messages are, and the messages."""
        # What OpenAI's Responses API was asked; under this name other tools have theirs.
        asked = ("input",) if is_request or row.get("object") == "response" else ()
        for name in (*CONVERSATIONS, *asked):
            value = loaded(row.get(name))
            if name == "input" and isinstance(value, str) and value.strip():
                value = [{"role": USER, "content": value}]
            if isinstance(value, list) and any(turn.role == USER for turn in turns_of(value) or ()):
                return name, value
        for around in AROUND:
            inner = loaded(row.get(around, follow(row, around)))
            if isinstance(inner, Mapping) and (conversation := self._messages(inner, is_request=True)):
                return f"{around}.{conversation[0]}", conversation[1]
        return None


def _around(columns: Row, paths: Sequence[str]) -> dict[str, object]:
    """Return what stands beside the places that were read in the objects of a row, such as a request and its response."""
    around: dict[str, object] = {}
    for column, value in columns.items():
        rest = loaded(value)
        for path in paths:
            name, *steps = path.split(",")[0].split("[")[0].split(".")
            if name == column:
                rest = _without(rest, steps)
        if isinstance(rest, Mapping):
            around |= {f"{column}.{key}": value for key, value in rest.items() if value not in (None, "", [], {})}
    return around


def _without(value: object, steps: Sequence[str]) -> object:
    """Return what an object holds beside what lies at these steps; None where nothing is left."""
    value = loaded(value)
    if not steps or not isinstance(value, Mapping):
        return None
    beside = {key: inner for key, inner in value.items() if key != steps[0]}
    inner = _without(value.get(steps[0]), steps[1:])
    return {**beside, steps[0]: inner} if inner else beside


def _searched(row: Row) -> tuple[object, str] | None:
    """Return what OpenAI's search in files gave for a response, and where that is."""
    for path in ("output", *(f"{name}.output" for name in ANSWERS)):
        output = loaded(follow(row, path))
        calls = output if isinstance(output, list) else []
        results = [call.get("results") for call in calls if isinstance(call, Mapping) and _is_search(call)]
        if retrieved := [passage for result in results for passage in passages(result)]:
            return retrieved, f"{path}, file_search_call"
    return None


def _is_search(call: Row) -> bool:
    return call.get("type") == "file_search_call"


def _is_of_batch(row: Row) -> bool:
    """Return whether a row is a result of a batch API, of OpenAI's, Anthropic's or Gemini's, and nothing else."""
    is_result = any(isinstance(row.get(name), Mapping) for name in ("response", "result"))
    return is_result and _batch_id(row) is not None and row.keys() <= OF_BATCH


def _is_request_of_batch(row: Row) -> bool:
    """Return whether a row is a request of such an API, without its result."""
    return _batch_id(row) is not None and any(isinstance(row.get(name), Mapping) for name in REQUESTS)


def _batch_id(row: Row) -> str | None:
    """Return the column by which a request and its result name each other."""
    return next((name for name in BATCH_IDS if name in row), None)
