"""Write samples that the servers of Phoenix, MLflow and Open WebUI export, by their own clients and routes.

Run in each tool's environment (README.md), with its server at URL: `python make_served.py TOOL URL FOLDER`. All texts are invented.
"""

# ruff: noqa: ANN201, ANN202

from __future__ import annotations

import json
import re
import sys
import time
import urllib.request
import uuid
from itertools import pairwise
from pathlib import Path

from make_traced import ASKED, GIVEN, PASSAGES, write

# The second question follows the first; the first has a thumb down.
BEFORE = [[], [{"role": "user", "content": ASKED[0]}, {"role": "assistant", "content": GIVEN[0]}], []]
THUMBS = (False, True, True)
COMMENT, REFERENCE = "it was 2019", "In 2019."
SETTLED = 4


def asked(url: str, path: str, body: object = None, token: str = ""):
    """Return what a route answers."""
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url + path, data=data, headers=headers)) as answer:
        return json.load(answer)


def phoenix(url: str, folder: Path) -> None:
    """Spans and annotations: of the client as objects and as a frame, and the server's own OTLP."""
    from openinference.instrumentation import (
        OITracer,
        TraceConfig,
        get_input_attributes,
        get_llm_attributes,
        get_output_attributes,
        get_retriever_attributes,
        using_session,
    )
    from phoenix.client import Client
    from phoenix.otel import register

    project = f"clinic-{uuid.uuid4().hex[:8]}"
    provider = register(
        endpoint=f"{url}/v1/traces",
        protocol="http/protobuf",
        project_name=project,
        batch=False,
        verbose=False,
        set_global_tracer_provider=False,
    )
    oi = OITracer(provider.get_tracer("sample"), config=TraceConfig())
    roots, searches = [], []
    for number, (question, answer, texts) in enumerate(zip(ASKED, GIVEN, PASSAGES, strict=True)):
        documents = [
            {"content": text, "id": f"d{number}{rank}", "score": 0.9 - rank / 10, "metadata": {"source": "kb.md"}}
            for rank, text in enumerate(texts)
        ]
        with (
            using_session(f"visit-{number // 2}"),
            oi.start_as_current_span("answer", openinference_span_kind="chain") as root,
        ):
            root.set_attributes(get_input_attributes({"question": question, "history": BEFORE[number]}))
            with oi.start_as_current_span("search", openinference_span_kind="retriever") as span:
                span.set_attributes({**get_input_attributes(question), **get_retriever_attributes(documents=documents)})
                searches.append(f"{span.get_span_context().span_id:016x}")
            with oi.start_as_current_span("generate", openinference_span_kind="llm") as span:
                prompt = {"role": "user", "content": f"Context: {texts[0]}\nQuestion: {question}"}
                given = {"role": "assistant", "content": answer}
                span.set_attributes(
                    get_llm_attributes(
                        model_name="small", input_messages=[*BEFORE[number], prompt], output_messages=[given]
                    )
                )
            root.set_attributes(get_output_attributes(answer))
        roots.append(f"{root.get_span_context().span_id:016x}")
    provider.force_flush()
    time.sleep(SETTLED)
    client = Client(base_url=url)
    for root, search, is_up in zip(roots, searches, THUMBS, strict=True):
        label, comment = ("thumbs-up", None) if is_up else ("thumbs-down", COMMENT)
        annotate, score = client.spans.add_span_annotation, float(is_up)
        annotate(
            span_id=root,
            annotation_name="user feedback",
            annotator_kind="HUMAN",
            label=label,
            score=score,
            explanation=comment,
        )
        annotate(
            span_id=root,
            annotation_name="correctness",
            annotator_kind="LLM",
            label="correct" if is_up else "incorrect",
            score=score,
            explanation="says so",
        )
        annotate(span_id=root, annotation_name="brevity", annotator_kind="CODE", score=0.5)
        client.spans.add_document_annotation(
            span_id=search, document_position=0, annotation_name="relevance", annotator_kind="LLM", score=1.0
        )
    time.sleep(SETTLED)
    frame = client.spans.get_spans_dataframe(project_identifier=project, limit=100)
    write(folder, "phoenix.spans.jsonl", client.spans.get_spans(project_identifier=project, limit=100))
    frame.to_csv(folder / "phoenix.frame.csv")
    write(folder, "phoenix.otlp.json", [asked(url, f"/v1/projects/{project}/spans/otlpv1")])
    annotations = client.spans.get_span_annotations_dataframe(span_ids=roots + searches, project_identifier=project)
    annotations.to_csv(folder / "phoenix.annotations.csv")


def mlflow(url: str, folder: Path) -> None:
    """Traces with assessments of all kinds: as MLflow's JSON, as its frame, and as its server lists them."""
    import mlflow
    from mlflow.entities import AssessmentSource, Document, SpanType

    mlflow.set_tracking_uri(url)
    experiment = mlflow.set_experiment(f"clinic-{uuid.uuid4().hex[:8]}").experiment_id
    traces = []
    for number, (question, answer, texts) in enumerate(zip(ASKED, GIVEN, PASSAGES, strict=True)):
        with mlflow.start_span("answer", span_type=SpanType.CHAIN) as root:
            root.set_inputs({"question": question, "history": BEFORE[number]})
            mlflow.update_current_trace(metadata={"mlflow.trace.session": f"visit-{number // 2}"})
            with mlflow.start_span("search", span_type=SpanType.RETRIEVER) as span:
                span.set_inputs({"query": question})
                span.set_outputs(
                    [
                        Document(page_content=text, id=f"d{number}{rank}", metadata={"doc_uri": "kb.md"})
                        for rank, text in enumerate(texts)
                    ]
                )
            with mlflow.start_span("generate", span_type=SpanType.CHAT_MODEL) as span:
                span.set_inputs({"messages": [*BEFORE[number], {"role": "user", "content": question}]})
                span.set_outputs({"choices": [{"message": {"role": "assistant", "content": answer}}]})
            root.set_outputs(answer)
        mlflow.flush_trace_async_logging()
        traces.append(mlflow.get_last_active_trace_id())
    human, judge, code = (
        AssessmentSource(source_type=kind, source_id=name)
        for kind, name in (("HUMAN", "u7"), ("LLM_JUDGE", "small"), ("CODE", "length"))
    )
    for trace, is_up in zip(traces, THUMBS, strict=True):
        mlflow.log_feedback(
            trace_id=trace, name="thumb", value=is_up, rationale=None if is_up else COMMENT, source=human
        )
        mlflow.log_feedback(
            trace_id=trace, name="correctness", value="yes" if is_up else "no", rationale="says so", source=judge
        )
        mlflow.log_feedback(trace_id=trace, name="brevity", value=0.5, source=code)
    mlflow.log_expectation(trace_id=traces[0], name="expected_response", value=REFERENCE, source=human)
    first = mlflow.log_feedback(trace_id=traces[1], name="helpful", value=False, source=human)
    mlflow.override_feedback(trace_id=traces[1], assessment_id=first.assessment_id, value=True, source=human)
    listed = mlflow.search_traces(locations=[experiment], return_type="list")
    write(folder, "mlflow.traces.jsonl", [_without_machine(trace.to_json()) for trace in listed])
    frame = mlflow.search_traces(locations=[experiment]).to_csv(index=False)
    (folder / "mlflow.frame.csv").write_text(_without_machine(frame), encoding="utf-8")
    where = {"type": "MLFLOW_EXPERIMENT", "mlflow_experiment": {"experiment_id": experiment}}
    matching = asked(url, "/api/3.0/mlflow/traces/search", {"locations": [where]})
    write(folder, "mlflow.search.json", [_without_machine(json.dumps(matching))])


def _without_machine(text: str) -> str:
    """Return an export without whose machine it ran on, and from which sources."""
    names = r"mlflow\.(?:user|source\.(?:name|git\.\w+))"
    return re.sub(rf"""(["']+)({names})\1: ?\1[^"']*\1""", r"\1\2\1: \1sample\1", text)


def open_webui(url: str, folder: Path) -> None:
    """Two chats with sources and a thumb each answer, by a new account, as the administrator exports them."""
    account = {"name": "sample", "email": "sample@example.org", "password": uuid.uuid4().hex}
    token = asked(url, "/api/v1/auths/signup", account)["token"]
    for numbers in ([0, 1], [2]):
        chat = _chat(numbers)
        messages = chat["messages"]
        kept = asked(url, "/api/v1/chats/new", {"chat": chat}, token)
        for number, message in zip(numbers, messages[1::2], strict=True):
            rated = {
                "rating": 1 if THUMBS[number] else -1,
                "model_id": "small",
                "reason": "accurate_information" if THUMBS[number] else "not_factually_correct",
                "comment": "" if THUMBS[number] else COMMENT,
            }
            meta = {"model_id": "small", "message_id": message["id"], "chat_id": kept["id"]}
            snapshot = {"chat": asked(url, f"/api/v1/chats/{kept['id']}", token=token)}
            thumb = {"type": "rating", "data": rated, "meta": meta, "snapshot": snapshot}
            asked(url, "/api/v1/evaluations/feedback", thumb, token)
    write(folder, "open_webui.feedback.json", [asked(url, "/api/v1/evaluations/feedbacks/all/export", token=token)])
    write(folder, "open_webui.chats.json", [asked(url, "/api/v1/chats/all/db", token=token)])


def _chat(numbers: list[int]):
    """Return a chat as the page of Open WebUI sends it."""
    messages, parent, now = [], None, int(time.time())
    for number in numbers:
        names = str(uuid.uuid4()), str(uuid.uuid4())
        source = {
            "source": {"id": "kb", "name": "Clinic", "type": "collection"},
            "document": PASSAGES[number],
            "metadata": [{"file_id": f"f{number}{rank}", "name": "kb.md"} for rank in range(2)],
            "distances": [0.9, 0.8],
        }
        texts = ({"role": "user", "content": ASKED[number]}, {"role": "assistant", "content": GIVEN[number]})
        for name, text in zip(names, texts, strict=True):
            messages.append({"id": name, "parentId": parent, "childrenIds": [], "timestamp": now, **text})
            parent = name
        messages[-1] |= {"model": "small", "done": True, "sources": [source]}
    for before, after in pairwise(messages):
        before["childrenIds"] = [after["id"]]
    history = {"messages": {message["id"]: message for message in messages}, "currentId": parent}
    return {"title": "Clinic", "models": ["small"], "history": history, "messages": messages, "timestamp": now * 1000}


if __name__ == "__main__":
    {"phoenix": phoenix, "mlflow": mlflow, "open_webui": open_webui}[sys.argv[1]](
        sys.argv[2].rstrip("/"), Path(sys.argv[3])
    )
