"""Our labels, verdicts and scores beside the traces: sent twice they are there once, masked, and come in again as they were."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from annotate import Project
from proxy.errors import FileError, SourceError, UsageError
from support.langfuse_server import AT, PUBLIC, SECRET, LangfuseServer, langfuse_server
from support.store import jsonl, traffic_row

# Importing Langfuse's client takes half a second.
pytestmark = pytest.mark.slow

TRACES = [f"{number:032x}" for number in (1, 2, 3)]
SECRET_WORDS = "call anna@example.org"


def spans(trace: str) -> dict[str, object]:
    values = {"openinference.span.kind": "CHAIN", "input.value": f"Where is {trace[-1]}?", "output.value": "Upstairs."}
    return {
        "context": {"trace_id": trace, "span_id": "b" * 16},
        "start_time": AT,
        "parent_id": None,
        "attributes": values,
    }


@pytest.fixture
def here(tmp_path: Path) -> Project:
    """Three traces and a plain row; a judge on all four, two labels of two annotators each, a rule in force."""
    project = Project.open(tmp_path / "assay.db")
    (tmp_path / "s.jsonl").write_text(jsonl([spans(trace) for trace in TRACES]))
    project.ingest(tmp_path / "s.jsonl")
    project.ingest(pd.DataFrame([traffic_row("plain")]))
    given = zip([*TRACES, "plain"], (0.9, 0.25, 0.7, 0.1), strict=True)
    scores = [{"item_id": item, "judge": "their", "value": value, "reason": SECRET_WORDS} for item, value in given]
    project.import_scores(pd.DataFrame(scores))
    project.rules.set("their > 0.5")
    said = [(TRACES[0], "right", "a"), (TRACES[0], "right", "b"), (TRACES[1], "wrong", "a"), (TRACES[2], "unsure", "a")]
    labels = [
        {"item_id": item, "label": label, "annotator": who, "rationale": "as I read it"} for item, label, who in said
    ]
    project.import_labels(pd.DataFrame(labels))
    return project


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LangfuseServer]:
    pytest.importorskip("langfuse")
    with langfuse_server() as (server, address):
        for name, value in (("PUBLIC_KEY", PUBLIC), ("SECRET_KEY", SECRET), ("BASE_URL", address)):
            monkeypatch.setenv(f"LANGFUSE_{name}", value)
        yield server


def kept(project: Project) -> set[tuple[Any, ...]]:
    rows = project.scores()
    return set(rows[["item_id", "judge", "value", "reason", "signature"]].itertuples(index=False, name=None))


def copied(project: Project, name: str) -> Project:
    """Another store with the same traces, and no scores."""
    copy = Project.open(project.folder / name)
    copy.ingest(project.folder / "s.jsonl")
    return copy


def test_what_langfuse_gets_is_there_once_and_comes_in_again(here: Project, server: LangfuseServer) -> None:
    """3 labels, 3 verdicts, 3 scores; the plain row's verdict and score have no trace to stand beside."""
    first = here.scores.send("langfuse:").result
    here.scores.send("langfuse:")

    assert (first.sent, first.without_trace, len(server.sent)) == (9, 2, 9)
    named = {(each["name"], each["traceId"]): (each["value"], each.get("comment")) for each in server.sent}
    assert named["assay_label", TRACES[0]] == ("right", "2 of 2 annotators: as I read it")
    assert named["assay_label", TRACES[2]][0] == "unsure"
    assert named["assay_verdict", TRACES[1]] == (0.25, "fail: their > 0.5")
    server.scores = [_as_read(each) for each in server.sent]
    copy = copied(here, "copy.db")
    again, new = here.fetch("langfuse", since="2026-11-01").result, copy.fetch("langfuse", since="2026-11-01").result

    assert (again.scores, again.feedback, again.is_complete, len(here.labels())) == (0, 0, True, 3)
    assert (new.scores, new.is_complete) == (3, True)
    assert kept(copy) == {row for row in kept(here) if row[0] != "plain"}
    assert copy.labels().empty


def _as_read(sent: dict[str, Any]) -> dict[str, Any]:
    """A score as the API gives it after it took it."""
    subject = {"kind": "trace", "id": sent["traceId"]}
    about = {"projectId": "p1", "source": "API", "environment": "default", "createdAt": AT, "updatedAt": AT}
    row = {name: sent[name] for name in ("id", "name", "value", "dataType", "metadata", "timestamp")}
    return {**row, **about, "comment": sent.get("comment"), "subject": subject}


def test_a_changed_label_takes_the_place_of_the_one_before(here: Project, server: LangfuseServer) -> None:
    """Same id and same time, as the API asks for an update."""
    here.scores.send("langfuse:", kinds=["labels"])
    before = {each["traceId"]: each for each in server.sent}[TRACES[1]]
    here.import_labels(pd.DataFrame([{"item_id": TRACES[1], "label": "right", "annotator": "a"}]))

    here.scores.send("langfuse:", kinds=["labels"])
    after = {each["traceId"]: each for each in server.sent}[TRACES[1]]

    assert len(server.sent) == 3
    assert (before["value"], after["value"]) == ("wrong", "right")
    assert (before["id"], before["timestamp"]) == (after["id"], after["timestamp"])


def test_scores_that_came_from_langfuse_are_not_sent_back(here: Project, server: LangfuseServer) -> None:
    here.import_scores(
        pd.DataFrame([{"item_id": TRACES[0], "judge": "x", "value": 1.0, "signature": "x|langfuse|eval"}])
    )

    assert here.scores.send("langfuse:", kinds=["judges"]).result.sent == 3


def test_a_file_of_opentelemetry_comes_in_again_as_it_was(here: Project) -> None:
    """Also the answer that is no trace, by its id; each record has its trace, and OpenTelemetry's own messages read it."""
    file = here.folder / "out.jsonl"
    done = here.scores.send(f"otlp:{file}").result
    records = json.loads(file.read_text())["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
    assert len(ParseDict(json.loads(file.read_text()), ExportLogsServiceRequest()).resource_logs) == 1
    copy = copied(here, "copy.db")
    copy.ingest(pd.DataFrame([traffic_row("plain")]))

    imported = copy.import_scores(file).result

    assert (done.sent, len(records), {record["eventName"] for record in records}) == (
        11,
        11,
        {"gen_ai.evaluation.result"},
    )
    assert {record.get("traceId") for record in records} == {*TRACES, None}
    assert (imported.new, imported.none) == (4, {"ours": 7})
    assert kept(copy) == kept(here)
    with pytest.raises(FileError, match=r"it holds scores of judges, and `assay scores import .*out\.jsonl` reads it"):
        copy.import_feedback(file)


def test_redaction_holds_in_what_is_sent(here: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(here.folder)
    (here.folder / "assay.toml").write_text('[redaction]\non = true\nhidden = ["rationale"]\n')

    here.scores.send("otlp:out.jsonl")

    text = (here.folder / "out.jsonl").read_text()
    assert "anna@example.org" not in text
    assert "as I read it" not in text
    assert "2 of 2 annotators" in text


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, list[Any], list[int]]]:
    """An endpoint that takes log records: its address, what came, and the statuses it gives first."""
    taken: list[Any] = []
    statuses: list[int] = []
    for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS"):
        monkeypatch.delenv(name, raising=False)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status = statuses.pop(0) if statuses else 200
            if status == 200:
                taken.append((self.path, self.headers.get("Authorization"), body))
            self.send_response(status)
            self.send_header("Retry-After", "0")
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    http = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{http.server_port}", taken, statuses
    http.shutdown()
    http.server_close()
    thread.join()


def test_an_endpoint_gets_them_by_http_and_is_asked_again_when_busy(
    here: Project, collector: tuple[str, list[Any], list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, taken, statuses = collector
    statuses += [503, 429]
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20abc")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)

    done = here.scores.send("otlp:", kinds=["verdicts"]).result
    here.scores.send(f"otlp:{address}/v1/logs", kinds=["labels"])

    assert done.sent == 4
    assert [(path, token) for path, token, _ in taken] == [("/v1/logs", "Bearer abc")] * 2


@pytest.mark.parametrize(
    ("destination", "error", "words"),
    [
        ("otlp:http://127.0.0.1:9", SourceError, "cannot be reached"),
        ("otlp:", SourceError, "name an endpoint"),
        ("otlp:out.csv", UsageError, r"ends in .jsonl"),
        ("phoenix:", UsageError, "langfuse: or otlp:"),
    ],
)
def test_another_place_is_refused_with_what_to_do(
    here: Project, monkeypatch: pytest.MonkeyPatch, destination: str, error: type[Exception], words: str
) -> None:
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)

    with pytest.raises(error, match=words):
        here.scores.send(destination)


def test_an_endpoint_that_refuses_is_named(here: Project, collector: tuple[str, list[Any], list[int]]) -> None:
    address, _, statuses = collector
    statuses.append(403)

    with pytest.raises(SourceError, match="answered 403"):
        here.scores.send(f"otlp:{address}")
