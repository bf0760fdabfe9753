"""Traces over real HTTP, sent by OpenTelemetry's own SDK: joined to answers, told as the protocol has it, and never lost."""

from __future__ import annotations

import gzip
import json
import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry import trace
from opentelemetry._logs import LogRecord
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor

from annotate import Project
from annotate.server.callers import TOKEN_VARIABLE
from annotate.server.traces import LOGS_PATH, PATH
from support.live import taking_traces
from support.migrations import rows
from support.serving import Serve, until
from support.store import Assay

TOKEN = "a-token-of-sixteen-letters"
ROOT_OF = "openinference.span.kind"


class Door:
    """A running server on a store of its own."""

    def __init__(self, port: int, path: Path) -> None:
        self.url, self.path = f"http://127.0.0.1:{port}{PATH}", path

    def post(self, content: Any, **headers: str) -> httpx.Response:
        """Send a body, or anything as JSON."""
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json", **headers}
        return httpx.post(self.url, content=body, headers=headers, trust_env=False, verify=False, timeout=30)

    def items(self) -> list[tuple[Any, ...]]:
        """Return id, question, answer and contexts of the answers that the store has."""
        if not self.path.exists():
            return []
        return [
            (row.id, row.question, row.answer, list(row.contexts))
            for row in Project.open(self.path).items().itertuples()
        ]

    def wait_for(self, count: int) -> list[tuple[Any, ...]]:
        """Wait until the store has so many answers."""
        until(lambda: len(self.items()) >= count or None, lambda: str(len(self.items())), 20)
        return self.items()


@contextmanager
def serving(path: Path, idle: float) -> Iterator[Door]:
    with taking_traces(path, TOKEN, idle) as port:
        yield Door(port, path)


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    """The server, where a trace is joined as soon as it is quiet for a tenth of a second."""
    with serving(tmp_path / "assay.db", idle=0.1) as started:
        yield started


def exporter(url: str) -> OTLPSpanExporter:
    """The SDK's exporter with nothing but the two variables of docs/live.md."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", url)
        environment.setenv("OTEL_EXPORTER_OTLP_TRACES_HEADERS", f"authorization=Bearer%20{TOKEN}")
        return OTLPSpanExporter()


def ask(provider: TracerProvider, number: int) -> str:
    """Do what an instrumented app does for one question; return the id of its trace."""
    tracer = provider.get_tracer("app")
    with tracer.start_as_current_span("chain") as root:
        root.set_attributes({ROOT_OF: "CHAIN", "input.value": f"Question {number}?", "session.id": "s"})
        with tracer.start_as_current_span("search") as search:
            search.set_attributes(
                {ROOT_OF: "RETRIEVER", "retrieval.documents.0.document.content": f"Passage {number}."}
            )
        with tracer.start_as_current_span("model") as model:
            model.set_attributes({ROOT_OF: "LLM", "output.value": "thinking"})
        root.set_attribute("output.value", f"Answer {number}.")
        return f"{root.get_span_context().trace_id:032x}"


def provider_to(url: str, *, is_batched: bool = True) -> TracerProvider:
    provider = TracerProvider(resource=Resource({"service.name": "chat"}))
    sends = exporter(url)
    provider.add_span_processor(BatchSpanProcessor(sends) if is_batched else SimpleSpanProcessor(sends))
    return provider


@pytest.mark.slow
def test_the_sdk_s_own_exporter_brings_answers_in(door: Door) -> None:
    """Protobuf in batches; question and answer from the root, the passage from the retriever, the trace is the id."""
    provider = provider_to(door.url)
    names = [ask(provider, number) for number in range(50)]
    provider.shutdown()

    expected = [(names[n], f"Question {n}?", f"Answer {n}.", [f"Passage {n}."]) for n in range(50)]
    assert sorted(door.wait_for(50)) == sorted(expected)


@pytest.mark.slow
def test_an_evaluation_that_the_sdk_logs_is_a_score_of_its_trace(door: Door) -> None:
    """As the conventions have it: an event with the span's context; other records are let go."""
    provider = provider_to(door.url)
    name = ask(provider, 1)
    provider.shutdown()
    emitter = LoggerProvider()
    headers = {"authorization": f"Bearer {TOKEN}"}
    exports = OTLPLogExporter(endpoint=door.url.replace(PATH, LOGS_PATH), headers=headers)
    emitter.add_log_record_processor(SimpleLogRecordProcessor(exports))
    span = trace.SpanContext(int(name, 16), 7, is_remote=True)
    context = trace.set_span_in_context(trace.NonRecordingSpan(span))
    said = {"gen_ai.evaluation.name": "Relevance", "gen_ai.evaluation.score.value": 0.25}
    for event, attributes in (("gen_ai.evaluation.result", said), ("other", {"a": 1})):
        record = LogRecord(event_name=event, attributes=attributes, context=context)
        emitter.get_logger("checker", "2.1").emit(record)
    emitter.shutdown()

    door.wait_for(1)
    project = Project.open(door.path)
    until(lambda: len(project.scores()) or None, lambda: "no score", 20)
    score = project.scores().iloc[0]
    assert (score["item_id"], score["judge"], score["value"]) == (name, "Relevance", 0.25)
    assert score["signature"] == "Relevance|opentelemetry|checker 2.1"


def test_a_span_a_request_waits_for_its_root(tmp_path: Path) -> None:
    """Children end before their root: sent one by one, nothing is made of them before the trace is quiet."""
    with serving(tmp_path / "assay.db", idle=0.1) as door:
        provider = provider_to(door.url, is_batched=False)
        name = ask(provider, 1)
        provider.shutdown()
        assert door.wait_for(1) == [(name, "Question 1?", "Answer 1.", ["Passage 1."])]


def span(name: str, parent: str | None, trace: str = "a" * 32, **attributes: str) -> dict[str, Any]:
    """A span in OTLP's JSON."""
    return {
        "traceId": trace,
        "spanId": name * 16,
        **({"parentSpanId": parent * 16} if parent else {}),
        "name": "s",
        "startTimeUnixNano": "1763625600000000000",
        "endTimeUnixNano": "1763625601000000000",
        "attributes": [
            {"key": key.replace("__", "."), "value": {"stringValue": text}} for key, text in attributes.items()
        ],
    }


def request(*spans: dict[str, Any]) -> dict[str, Any]:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


ROOT = span("1", None, openinference__span__kind="CHAIN", input__value="Q?", output__value="A.")
FOUND = span("2", "1", openinference__span__kind="RETRIEVER", retrieval__documents__0__document__content="The passage.")


@pytest.mark.slow
def test_a_late_span_revises_the_answer_and_a_doubled_one_changes_nothing(door: Door) -> None:
    """The root alone is an answer without contexts; the retriever's span comes when that is in."""
    assert door.post(request(ROOT)).json() == {}
    assert door.wait_for(1) == [("a" * 32, "Q?", "A.", [])]

    packed = gzip.compress(json.dumps(request(FOUND, ROOT)).encode())
    assert door.post(packed, **{"Content-Encoding": "gzip"}).status_code == 200
    until(lambda: door.items()[0][3] or None, lambda: str(door.items()), 20)

    assert door.items() == [("a" * 32, "Q?", "A.", ["The passage."])]
    revisions = rows(door.path, "SELECT count(*) FROM items")
    door.post(request(ROOT, FOUND))
    time.sleep(0.5)
    assert rows(door.path, "SELECT count(*) FROM items") == revisions


@pytest.mark.slow
def test_a_later_state_of_a_span_with_the_same_times_revises_the_answer(door: Door) -> None:
    """A shorter answer too."""
    asked = {"openinference__span__kind": "CHAIN", "input__value": "Q?"}
    door.post(request(span("1", None, **asked, output__value="A longer answer.")))
    door.wait_for(1)

    door.post(request(span("1", None, **asked, output__value="No.")))

    until(lambda: door.items()[0][2] == "No.", lambda: str(door.items()), 20)


def test_what_cannot_be_read_is_rejected_in_part_and_quarantined(door: Door) -> None:
    """In JSON and in protobuf the answer says how many spans were rejected, and why; the others are kept."""
    broken = {**FOUND, "spanId": ""}
    answer = door.post(request(ROOT, broken))

    partial_success = answer.json()["partialSuccess"]
    assert (answer.status_code, partial_success["rejectedSpans"]) == (200, 1)
    assert "spanId" in partial_success["errorMessage"]
    assert rows(door.path, "SELECT source, reason FROM quarantine") == [
        (f"POST {PATH}", partial_success["errorMessage"])
    ]
    assert [name for name, *_ in door.wait_for(1)] == ["a" * 32]


def test_an_older_state_with_another_answer_is_rejected_with_the_reason(door: Door) -> None:
    """The exporter is told; the same state again, or one of a call that has only begun, is no matter."""
    older = {**span("1", None, output__value="B."), "endTimeUnixNano": "1763625600500000000"}
    begun = {**span("1", None, input__value="Q?"), "endTimeUnixNano": "0"}

    door.post(request(ROOT))
    answer = door.post(request(ROOT, older, begun)).json()

    assert answer["partialSuccess"]["rejectedSpans"] == 1
    assert "a later end is here" in answer["partialSuccess"]["errorMessage"]
    assert [row[2] for row in door.wait_for(1)] == ["A."]


@pytest.mark.parametrize(
    ("content", "headers", "status"),
    [
        (b"{", {}, 400),
        (b"[]", {}, 400),
        ({"resourceSpans": 1}, {}, 400),
        (b"\xff\xff\xff", {"Content-Type": "application/x-protobuf"}, 400),
        (b"{}", {"Content-Type": "text/plain"}, 415),
        (b"{}", {"Authorization": "Bearer wrong"}, 401),
        (b"{}", {}, 200),
        (b"", {"Content-Type": "application/x-protobuf"}, 200),
    ],
    ids=lambda value: str(value)[:40],
)
def test_the_protocol_s_statuses(door: Door, content: Any, headers: dict[str, str], status: int) -> None:
    """A request that will never be read is 400, so that no exporter sends it again; an empty one is fine."""
    answer = door.post(content, **headers)

    assert answer.status_code == status
    if status == 200 and headers:
        assert not ExportTraceServiceResponse.FromString(answer.content).HasField("partial_success")
    assert door.items() == []


# What an answer is, what judges said of it, its verdict, its chance and its draw, for each answer as it is now.
CURRENT = """
    SELECT i.id, t.question, t.contexts, t.answer,
        (SELECT group_concat(judge || '=' || value, ' ') FROM (SELECT judge, value FROM scores WHERE item = i.key ORDER BY 1)),
        v.verdict, f.stratum, f.probability, d.inclusion_probability, d.stratum
    FROM items i JOIN texts t USING (key) LEFT JOIN verdicts v ON v.item = i.key LEFT JOIN frames f ON f.item = i.key
    LEFT JOIN draws d ON d.item = i.key WHERE i.is_current ORDER BY i.id
"""


def settled(door: Door, count: int, expected: object = None) -> list[tuple[object, ...]]:
    """Wait until so many answers have had their chance, and are as expected; what is known of each."""
    query = "SELECT count(*) FROM items i JOIN frames f ON f.item = i.key WHERE i.is_current"

    def look() -> list[tuple[object, ...]] | None:
        actual = rows(door.path, CURRENT) if rows(door.path, query) == [(count,)] else None
        return actual if expected is None or actual == expected else None

    return until(look, lambda: str(rows(door.path, CURRENT)), 30)


@pytest.mark.slow
def test_shuffled_doubled_and_late_spans_give_the_same_store(tmp_path: Path) -> None:
    """60 traces, each span sent twice in any order over many requests, some long after their trace was joined and drawn.

    The same answers, scores, verdicts, chances and draws as in one request.
    """
    rng = random.Random(20261124)
    spans, late = [], []
    for number in range(60):
        trace = f"{number + 1:032x}"
        spans += [{**ROOT, "traceId": trace}, {**FOUND, "traceId": trace}]
        late += [{**FOUND, "traceId": trace}] if number % 3 == 0 else []
    for name in ("once", "often"):
        Project(tmp_path / f"{name}.db").open_stream(0.3, 0.6, seed=4)
    with serving(tmp_path / "once.db", idle=0.2) as once:
        once.post(request(*spans))
        expected = settled(once, 60)
    shuffled = [sent_span for sent_span in spans if sent_span not in late] * 2
    rng.shuffle(shuffled)
    with serving(tmp_path / "often.db", idle=0.2) as often:
        for start in range(0, len(shuffled), 7):
            often.post(request(*shuffled[start : start + 7]))
        settled(often, 60)
        often.post(request(*late, *late))
        assert settled(often, 60, expected) == expected
    assert 5 < sum(row[-1] is not None for row in expected) < 55
    revisions = "SELECT count(*) FROM items WHERE NOT is_current"
    assert rows(often.path, revisions) >= [(20,)]  # as many came late for sure; chance may have parted others


def number_of(text: str) -> float:
    """The first 13 hex digits of the text's SHA-256, over 16^13."""
    return int(sha256(text.encode()).hexdigest()[:13], 16) / 16**13


@pytest.mark.slow
def test_spans_that_were_acknowledged_outlive_a_kill(
    assay: Assay, serve: Callable[..., Serve], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`assay serve --no-app` is killed with -9 in the middle; started again it makes answers of all that it acknowledged.

    Each is judged and has its chance once, and what is drawn is what a wave over the same answers would draw.
    """
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    assay("sample", "--stream", "--rate", "0.3", "--seed", "4")
    run = serve("--no-app", "--idle", "0.2")
    url = run.line(r"traces:   POST (http://\S+)")[1]
    headers = {"Authorization": f"Bearer {TOKEN}"}
    acknowledged = []
    with httpx.Client(trust_env=False, verify=False, headers=headers) as client:
        for number in range(1000):
            trace = f"{number + 1:032x}"
            try:
                answer = client.post(url, json=request({**ROOT, "traceId": trace}, {**FOUND, "traceId": trace}))
            except httpx.TransportError:
                break
            assert answer.status_code == 200
            acknowledged.append(trace)
            if number == 60:
                os.kill(run.process.pid, signal.SIGKILL)
    assert len(acknowledged) > 60

    again = serve("--no-app", "--idle", "0.2")
    again.line(r"traces:   POST")
    query = "SELECT id FROM items"
    until(lambda: {name for (name,) in rows(assay.db, query)} >= set(acknowledged) or None, again.said, 30)
    waits = "SELECT count(*) FROM items WHERE key NOT IN (SELECT item FROM frames)"
    until(lambda: rows(assay.db, waits) == [(0,)] or None, again.said, 30)
    assert again.ends(signal.SIGTERM) == 0
    assert rows(assay.db, "SELECT count(*) = count(DISTINCT id) FROM items") == [(1,)]
    assert rows(assay.db, "SELECT count(*) = count(DISTINCT item) FROM frames") == [(1,)]
    [(salt,)] = rows(assay.db, "SELECT DISTINCT salt FROM waves")
    expected = {name for (name,) in rows(assay.db, query) if number_of(f"{salt}|{name}") < 0.3}
    assert {name for (name,) in rows(assay.db, "SELECT id FROM draws JOIN items i ON i.key = item")} == expected
    assert assay.json("doctor")["problems"] == []
