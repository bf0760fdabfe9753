"""Make a span of what a tracer says of it: inputs and outputs of any shape become question, answer and passages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from annotate.domain.field_mapping import Fields, columns_listed, plain
from annotate.domain.turns import as_rows, read_turns
from annotate.traffic.content import answered, asked, loaded
from annotate.traffic.passages import beside_answer, ids_alone, in_prompt, passages
from annotate.traffic.prompt_templates import in_prompt_of, taken_apart
from annotate.traffic.source_format import Paths, Row
from annotate.traffic.spans import Span, SpanKind
from proxy.errors import InputError
from proxy.text.times import EPOCH_UNITS

LONGEST_VALUE = 500
MOST_KEYS = 8
# Where spans of OpenTelemetry keep what they say.
ATTRIBUTES = "attributes"
# Spans whose inputs and outputs are no exchange with a user.
SILENT = (SpanKind.RETRIEVER, SpanKind.RERANKER)


class Found(NamedTuple):
    """A value and the path where it was."""

    value: object = None
    path: str = ""

    def __bool__(self) -> bool:
        """Whether there is something: an empty session id is none."""
        return self.value is not None and self.value not in ("", [], {})

    def __or__(self, other: Found) -> Found:
        """Return this, or the other where this is nothing."""
        return self or other


NOTHING = Found()


@dataclass(frozen=True, kw_only=True, slots=True)
class SpanParts:
    """What a tracer says of a span, as it came.

    `documents` are passages; `messages` a model's input, where it is apart, and `prompt` the passages it was filled with.
    `within` is the way from the raw row to the paths of these.
    """

    trace: str
    id: str
    parent: str | None = None
    is_entry: bool = False
    is_unplaced: bool = False
    name: str = ""
    kind: SpanKind = SpanKind.OTHER
    start: object = None
    end: object = None
    is_failed: bool = False
    input: Found = NOTHING
    output: Found = NOTHING
    documents: Found = NOTHING
    messages: Found = NOTHING
    prompt: Found = NOTHING
    group: Found = NOTHING
    system: Found = NOTHING
    reference: Found = NOTHING
    metadata: Mapping[str, object] = field(default_factory=dict)
    within: str = ""

    @property
    def may_be_root(self) -> bool:
        """Whether nothing says that another span is above this one."""
        return self.parent is None or self.is_unplaced


def failed(status: object) -> bool:
    """Return whether a status of OpenTelemetry, in any of the shapes that it is written in, is an error."""
    code = status.get("code", status.get("status_code")) if isinstance(status, Mapping) else status
    return str(code).upper().removeprefix("STATUS_CODE_").removeprefix("STATUSCODE.") in ("2", "ERROR")


UNTOLD = {"question": "untold question", "answer": "untold answer"}


def span_of(parts: SpanParts, row: Row, paths: Paths) -> Span:
    """Return the reduced span; `paths` of the user are followed in the raw row and come first."""
    fields: dict[str, object] = {}
    origins: dict[str, str] = {}
    kind = parts.kind
    if _reranks(parts):
        kind = SpanKind.RERANKER
    if kind not in SILENT:
        _exchange(parts, fields, origins)
    else:
        query = asked(parts.input.value)
        fields["question"] = query.text if query else None
        documents = parts.documents or parts.output
        _keep(fields, origins, "passages", passages(documents.value), documents.path)
        fields["passage_ids"] = ids_alone(documents.value) or None
    for name, parsed in (("group", parts.group), ("system", parts.system), ("reference", parts.reference)):
        text = _name(parsed.value)
        if text is not None:
            fields[name], origins[name] = text, parsed.path
    kind = _overrule(kind, fields, origins, row, paths)
    if parts.parent is None and kind not in SILENT:
        origins |= _untold(parts, fields)
    if kind is SpanKind.OTHER and fields.get("question") and fields.get("answer"):
        kind = SpanKind.CHAIN
    start = moment(Fields(row, paths).value("timestamp") if "timestamp" in paths else None)
    if start is not None:
        origins["timestamp"] = paths["timestamp"]
    beside = _readable(parts.metadata) if parts.may_be_root or kind is SpanKind.MODEL else {}
    too_long = tuple(name for name, value in beside.items() if len(str(value)) > LONGEST_VALUE)
    return Span(
        trace=parts.trace,
        id=parts.id,
        parent=parts.parent,
        is_entry=parts.is_entry,
        is_unplaced=parts.is_unplaced,
        is_failed=parts.is_failed and (parts.may_be_root or parts.is_entry),
        kind=kind,
        start=start or moment(parts.start),
        end=moment(parts.end),
        metadata={name: value for name, value in beside.items() if name not in too_long},
        origins=origins,
        too_long=too_long,
        **{name: value for name, value in fields.items() if value is not None},  # type: ignore[arg-type]
    )


def _untold(parts: SpanParts, fields: Mapping[str, object]) -> dict[str, str]:
    """Return where a root has what may be its question and its answer, with the keys there: attributes of prose come first."""
    places = {}
    for name, parsed in (("question", parts.input), ("answer", parts.output)):
        value, path = loaded(parsed.value), f"{parts.within}{parsed.path}"
        if not parsed.value and parts.within:
            texts = {key: text for key, text in parts.metadata.items() if isinstance(text, str)}
            value, path = dict(sorted(texts.items(), key=lambda item: " " not in item[1])), parts.within[:-1]
        if name not in fields and isinstance(value, Mapping) and value:
            places[UNTOLD[name]] = f"{path}|{columns_listed(list(map(str, value)), MOST_KEYS)}"
    return places


def _reranks(parts: SpanParts) -> bool:
    """Return whether a span is a reranker by its name: some tracers have no word for these."""
    is_free = parts.parent is not None and parts.kind in (SpanKind.OTHER, SpanKind.CHAIN, SpanKind.RETRIEVER)
    output = loaded(parts.output.value)
    return is_free and "rerank" in parts.name.lower() and isinstance(output, (list, dict)) and bool(passages(output))


def _exchange(parts: SpanParts, fields: dict[str, object], origins: dict[str, str]) -> None:
    """Find question, answer and history of a span, and what stands in a model's input."""
    source = parts.messages or parts.input
    question = asked(source.value)
    if question is None:
        source, question = parts.input, asked(parts.input.value)
    if question:
        template = taken_apart(question.text) if parts.kind is SpanKind.MODEL else None
        path = _path(source.path, question.path)
        text, path = (template.question, in_prompt_of(path, template)) if template else (question.text, path)
        _keep(fields, origins, "question", text, path)
        _keep(fields, origins, "history", tuple(as_rows(question.history)), source.path)
    answer = answered(parts.output.value)
    if answer:
        _keep(fields, origins, "answer", answer.text, _path(parts.output.path, answer.path))
    if parts.documents:
        _keep(fields, origins, "passages", passages(parts.documents.value), parts.documents.path)
    elif parts.may_be_root and (beside := beside_answer(parts.output.value)):
        _keep(fields, origins, "passages", beside[0], _path(parts.output.path, beside[1]))
    if filled := beside_answer(parts.prompt.value):
        _keep(fields, origins, "prompt", filled[0], _path(parts.prompt.path, filled[1]))
    elif parts.kind is SpanKind.MODEL:
        _keep(fields, origins, "prompt", in_prompt(source.value), source.path)
    elif parts.may_be_root and (beside := beside_answer(source.value)):
        _keep(fields, origins, "prompt", beside[0], _path(source.path, beside[1]))


def _keep(fields: dict[str, object], origins: dict[str, str], name: str, value: object, path: str) -> None:
    if value:
        fields[name] = value
        origins["contexts" if name == "passages" else name] = path


def _path(outer: str, inner: str) -> str:
    joint = ", " if inner.startswith("last of") else "" if inner.startswith("[") else "."
    return f"{outer}{joint}{inner}" if inner else outer


def _overrule(kind: SpanKind, fields: dict[str, object], origins: dict[str, str], row: Row, paths: Paths) -> SpanKind:
    """Take the fields from where the user says they lie; a span with contexts of its own counts as a retriever."""
    own_fields = Fields(row, paths)
    for name, path in paths.items():
        value = own_fields.value(name) if path else None
        if not path:
            fields.pop("passages" if name == "contexts" else name, None)
        elif value is None or value == "":
            continue
        elif name == "contexts":
            fields["passages"], origins[name] = passages(value), path
            kind = kind if kind in SILENT else SpanKind.RETRIEVER
        elif name == "history":
            fields[name], origins[name] = tuple(as_rows(read_turns(own_fields.sequence(name)))), path
        elif name in ("question", "answer"):
            text = asked(value) if name == "question" else answered(value)
            if text:
                fields[name], origins[name] = text.text, path
        elif name in ("group", "system", "reference", "language") and (short := _name(value)):
            fields[name], origins[name] = short, path
    return kind


def _name(value: object) -> str | None:
    """Return a name or text; empty ones and structures are none."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return None
    return str(value).strip() or None


def _readable(metadata: Mapping[str, object]) -> dict[str, object]:
    """Return what stands beside an answer in a form that JSON can hold."""
    kept: dict[str, object] = {}
    for name, value in metadata.items():
        try:
            readable = plain(value)
        except InputError:
            continue
        if readable not in (None, "", [], {}):
            kept[str(name)] = readable
    return kept


def moment(value: object) -> str | None:
    """Return a time in ISO 8601, UTC, with microseconds: spans follow each other within one thousandth of a second.

    A number, also as text, is in seconds, milliseconds, microseconds or nanoseconds since 1970; None where there is no time.
    """
    if isinstance(value, bool) or value in (None, "", 0, "0"):
        return None
    try:
        if isinstance(value, str) and value.isdigit():
            value = int(value)
        if isinstance(value, (int, float)):
            unit = next((unit for least, unit in EPOCH_UNITS if abs(value) >= least), 1)
            since = timedelta(microseconds=int(value * 1_000_000 // int(unit)))
            time = datetime(1970, 1, 1, tzinfo=UTC) + since
        else:
            time = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
        time = (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return time.isoformat(timespec="microseconds").replace("+00:00", "Z")
