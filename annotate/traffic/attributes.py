"""Read the attributes of OpenTelemetry spans: OpenInference, GenAI conventions of both kinds, OpenLLMetry, TruLens and others.

Attributes come flat (`llm.input_messages.0.message.role`), nested, or mixed; they are made into one tree first. A span may
follow several conventions at once; the one that says most of it comes first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from annotate.traffic.content import decoded, loaded
from annotate.traffic.source_format import Row
from annotate.traffic.span_parts import ATTRIBUTES, Found, SpanParts
from annotate.traffic.spans import SpanKind

Tree = Mapping[str, object]
KINDS = {
    "LLM": SpanKind.MODEL,
    "CHAT_MODEL": SpanKind.MODEL,
    "GENERATION": SpanKind.MODEL,
    "RETRIEVER": SpanKind.RETRIEVER,
    "RETRIEVAL": SpanKind.RETRIEVER,
    "RERANKER": SpanKind.RERANKER,
    "RERANKING": SpanKind.RERANKER,
    "CHAIN": SpanKind.CHAIN,
    "AGENT": SpanKind.CHAIN,
    "WORKFLOW": SpanKind.CHAIN,
    "RECORD_ROOT": SpanKind.CHAIN,
}
OPERATIONS = {
    "chat": SpanKind.MODEL,
    "text_completion": SpanKind.MODEL,
    "generate_content": SpanKind.MODEL,
    "retrieval": SpanKind.RETRIEVER,
    "invoke_agent": SpanKind.CHAIN,
    "invoke_workflow": SpanKind.CHAIN,
    # Of Vercel's AI SDK; those without the end are of a whole call with its steps.
    "ai.generateText": SpanKind.CHAIN,
    "ai.streamText": SpanKind.CHAIN,
    "ai.generateObject": SpanKind.CHAIN,
    "ai.streamObject": SpanKind.CHAIN,
    "ai.generateText.doGenerate": SpanKind.MODEL,
    "ai.streamText.doStream": SpanKind.MODEL,
    "ai.generateObject.doGenerate": SpanKind.MODEL,
    "ai.streamObject.doStream": SpanKind.MODEL,
}
INPUTS = (
    "ai.observability.record_root.input",
    "input.value",
    "langfuse.observation.input",
    "langfuse.trace.input",
    "mlflow.spanInputs",
    "traceloop.entity.input",
    "ai.observability.call.kwargs",
    "ai.prompt",
)
OUTPUTS = (
    "ai.observability.record_root.output",
    "output.value",
    "langfuse.observation.output",
    "langfuse.trace.output",
    "mlflow.spanOutputs",
    "traceloop.entity.output",
    "ai.observability.call.return",
    "ai.response.text",
    "ai.result.text",
    "ai.response.object",
    "ai.result.object",
)
MODEL_INPUTS = ("llm.input_messages", "gen_ai.input.messages", "gen_ai.prompt", "llm.prompts", "ai.prompt.messages")
MODEL_OUTPUTS = ("llm.output_messages", "gen_ai.output.messages", "gen_ai.completion")
QUERIES = (
    "reranker.query",
    "gen_ai.retrieval.query.text",
    "ai.observability.retrieval.query_text",
    "ai.observability.reranking.query_text",
    "input.value",
)
DOCUMENTS = (
    "reranker.output_documents",
    "retrieval.documents",
    "gen_ai.retrieval.documents",
    "ai.observability.reranking.output_contexts",
    "ai.observability.retrieval.retrieved_contexts",
    "output.documents",
)
GROUPS = (
    "session.id",
    "gen_ai.conversation.id",
    "ai.observability.conversation_id",
    "langfuse.session.id",
    "mlflow.trace.session",
    "traceloop.association.properties.session_id",
    "traceloop.association.properties.thread_id",
    "traceloop.association.properties.conversation_id",
    "traceloop.association.properties.chat_id",
    "langsmith.trace.session_id",
    "ai.telemetry.metadata.sessionId",
    "ai.telemetry.metadata.conversationId",
    "ai.telemetry.metadata.threadId",
    "ai.telemetry.metadata.chatId",
)
# Beginnings of attributes that are read, or are too long to be kept beside an answer.
READ = (
    "input.",
    "output.",
    "llm.input_messages",
    "llm.output_messages",
    "llm.prompt",
    "llm.tools",
    "retrieval.",
    "reranker.",
    "gen_ai.input",
    "gen_ai.output",
    "gen_ai.prompt",
    "gen_ai.completion",
    "gen_ai.system_instructions",
    "gen_ai.retrieval",
    "gen_ai.tool",
    "traceloop.entity.input",
    "traceloop.entity.output",
    "embedding.",
    "ai.observability.record_root",
    "ai.observability.retrieval",
    "ai.observability.call",
    "openinference.",
    "langfuse.observation.input",
    "langfuse.observation.output",
    "langfuse.trace.input",
    "langfuse.trace.output",
    "mlflow.span",
    "mlflow.trace",
    "ai.prompt",
    "ai.response.",
    "ai.result.",
    *GROUPS,
)
# Levels that names and values may add to a tree, each.
DEEPEST = 20
EVALUATIONS = ("eval", "eval_root", "EVALUATOR")


class SpanPlace(NamedTuple):
    """Where a span stands: in which trace, below which span, when, and which program made it."""

    trace: str
    id: str
    parent: str | None
    name: str
    start: object
    end: object
    resource: Row
    is_entry: bool = False
    is_failed: bool = False


def tree_of(attributes: Row) -> dict[str, object]:
    """Return attributes as a tree; a level whose keys are all digits becomes a list."""
    tree: dict[str, object] = {}
    for name, value in attributes.items():
        if value is not None:
            _put(tree, str(name).split(".", DEEPEST), value)
    return {name: _with_lists(value) for name, value in tree.items()}


def _put(tree: dict[str, object], steps: Sequence[str], value: object, depth: int = 0) -> None:
    if depth > DEEPEST:
        return
    for step in steps[:-1]:
        below = tree.get(step)
        if not isinstance(below, dict):
            tree[step] = below = {} if below is None else {"": below}
        tree = below
    if isinstance(value, Mapping):
        below = tree.setdefault(steps[-1], {})
        if isinstance(below, dict):
            for name, inner in value.items():
                if inner is not None:
                    _put(below, str(name).split(".", DEEPEST), inner, depth + 1)
        return
    below = tree.get(steps[-1])
    if isinstance(below, dict):
        below[""] = value
    else:
        tree[steps[-1]] = value


def _with_lists(value: object, depth: int = 0) -> object:
    if depth > DEEPEST * DEEPEST:
        return None
    if isinstance(value, list):
        return [_with_lists(_nested(inner) if isinstance(inner, Mapping) else inner, depth + 1) for inner in value]
    if not isinstance(value, dict):
        return value
    if value and all(name.isdigit() for name in value):
        return [_with_lists(value[name], depth + 1) for name in sorted(value, key=int)]
    return {name: _with_lists(inner, depth + 1) for name, inner in value.items()}


def _nested(attributes: Row) -> dict[str, object]:
    """Return the attributes of an element of a list as a tree."""
    tree: dict[str, object] = {}
    _put(tree, [""], attributes)
    inner = tree[""]
    return inner if isinstance(inner, dict) else {}


def at(tree: object, path: str) -> object:
    """Return what stands in a tree."""
    for step in _steps(path):
        if not isinstance(tree, dict):
            return None
        tree = tree.get(step)
    return tree


@cache
def _steps(path: str) -> tuple[str, ...]:
    return tuple(path.split("."))


def _first(tree: Tree, paths: Sequence[str]) -> Found:
    return next((hit for path in paths if (hit := Found(at(tree, path), path))), Found())


def parts_of(place: SpanPlace, attributes: Row, events: Sequence[Row] = ()) -> SpanParts | None:
    """Return what the attributes and events of a span say; None for spans of evaluations, which are no traffic."""
    tree = tree_of(attributes)
    for event in events:
        _add_event(tree, event)
    kind = _kind(tree)
    if kind is None:
        return None
    is_model = kind is SpanKind.MODEL
    inputs, answer = _first(tree, INPUTS), _first(tree, OUTPUTS)
    messages, completion = _first(tree, MODEL_INPUTS), _first(tree, MODEL_OUTPUTS)
    documents = _first(tree, DOCUMENTS)
    if kind in (SpanKind.RETRIEVER, SpanKind.RERANKER):
        inputs = _first(tree, QUERIES) or inputs
    app, version = (
        at(tree, name) or place.resource.get(name)
        for name in ("ai.observability.app_name", "ai.observability.app_version")
    )
    service = str(place.resource.get("service.name") or "")
    system = Found(f"{app} {version}" if version else app, "ai.observability.app_name")
    if service and not service.startswith("unknown_service"):
        system = system or Found(service, "service.name")
    return SpanParts(
        trace=place.trace,
        id=place.id,
        within=f"{ATTRIBUTES}.",
        parent=place.parent,
        is_entry=place.is_entry,
        is_failed=place.is_failed,
        name=place.name,
        kind=kind,
        start=place.start,
        end=place.end,
        input=_read(inputs or messages),
        output=_read((completion or answer) if is_model else (answer or completion)),
        documents=_read(documents),
        messages=_read(messages) if is_model else Found(),
        prompt=_first(tree, ("llm.prompt_template.variables",)),
        group=_unquoted(_read(_first(tree, GROUPS))),
        system=system,
        reference=_read(_first(tree, ("ai.observability.record_root.ground_truth_output",))),
        metadata=dict(_beside(tree)) if place.parent is None or is_model else {},
    )


def _kind(tree: Tree) -> SpanKind | None:
    """Return what a span did; None where it evaluated something."""
    named = next(
        (
            str(decoded(value))
            for path in ("ai.observability.span_type", "openinference.span.kind", "mlflow.spanType")
            if (value := at(tree, path))
        ),
        "",
    )
    if named in EVALUATIONS:
        return None
    named = named or str(at(tree, "langfuse.observation.type") or at(tree, "traceloop.span.kind") or "")
    names = ("ai.operationId", "gen_ai.operation.name", "llm.request.type")
    operation = next((str(name) for path in names if (name := at(tree, path))), "")
    kind = KINDS.get(named.upper()) or OPERATIONS.get(operation)
    if kind:
        return kind
    if at(tree, "retrieval.documents") or at(tree, "gen_ai.retrieval.documents"):
        return SpanKind.RETRIEVER
    # Instrumentations older than `gen_ai.operation.name` say nothing but what was sent.
    return SpanKind.MODEL if _first(tree, ("gen_ai.prompt", "gen_ai.input.messages")) and not named else SpanKind.OTHER


def _read(hit: Found) -> Found:
    """Return the value without the JSON that some tracers put around every value."""
    if hit.path.startswith(("mlflow.", "langfuse.", "traceloop.")):
        return hit._replace(value=_unpacked(decoded(hit.value)))
    return hit


def _unquoted(hit: Found) -> Found:
    """Return a name without the quotes that MLflow's exporter puts around every text, whoever named the attribute."""
    is_quoted = isinstance(hit.value, str) and len(hit.value) > 1 and hit.value[0] == hit.value[-1] == '"'
    return hit._replace(value=decoded(hit.value)) if is_quoted else hit


def _unpacked(value: object) -> object:
    """Return the inputs or outputs that OpenLLMetry puts into an object with tags beside them."""
    if isinstance(value, Mapping) and "tags" in value:
        return value.get("inputs", value.get("outputs", value))
    return value


def _add_event(tree: dict[str, object], event: Row) -> None:
    """Add what an event says to the tree: messages of a model, or what a search gave."""
    name, given = str(event.get("name") or ""), event.get("attributes")
    attributes = tree_of(given) if isinstance(given, Mapping) else {}
    if name in ("gen_ai.content.prompt", "gen_ai.content.completion", "gen_ai.client.inference.operation.details"):
        for path in ("gen_ai.prompt", "gen_ai.completion", "gen_ai.input.messages", "gen_ai.output.messages"):
            if at(attributes, path) and not at(tree, path):
                _put(tree, path.split("."), at(attributes, path))
    elif name == "gen_ai.choice":
        message = loaded(attributes.get("message")) or attributes
        content = message.get("content") if isinstance(message, Mapping) else message
        _append(tree, "gen_ai.output.messages", {"role": "assistant", "content": content})
    elif name.startswith("gen_ai.") and name.endswith(".message"):
        role = str(attributes.get("role") or name.split(".")[1])
        _append(tree, "gen_ai.input.messages", {"role": role, "content": attributes.get("content")})
    elif name == "db.query.result":
        text = at(attributes, "db.query.result.document")
        passage = {"text": text, "id": at(attributes, "db.query.result.id")}
        if text:
            _append(tree, "retrieval.documents", {"document": passage})


def _append(tree: dict[str, object], path: str, value: object) -> None:
    before = at(tree, path)
    _put(tree, path.split("."), [*(before if isinstance(before, list) else []), value])


def _beside(tree: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Yield what is not read, by its whole name."""
    if isinstance(tree, Mapping):
        for name, inner in tree.items():
            yield from _beside(inner, f"{path}.{name}" if path and name else path or str(name))
    elif not f"{path}.".startswith(READ) and not path.startswith(READ):
        yield path, tree
