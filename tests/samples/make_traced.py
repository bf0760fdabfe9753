"""Write samples with the classes of OpenTelemetry, OpenInference, LangChain, LangSmith, Langfuse and Braintrust.

Run in an environment of its own (README.md): `python make_traced.py FOLDER [FIRST]`. All texts are invented.
"""

# ruff: noqa: ANN001, ANN201, ANN202

from __future__ import annotations

import json
import sys
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path

ASKED = ["When did ward 3 move?", "Where is the pharmacy?", "Can I park at night?"]
GIVEN = ["Ward 3 moved in 2018.", "The pharmacy is on level 1.", "Yes, the car park is open all night."]
PASSAGES = [
    ["Ward 3 moved in 2019.", "Ward 4 moved in 2020."],
    ["The pharmacy is on level 1.", "The kitchen is on level 0."],
    ["The car park is open all night.", "Bicycles stand at gate 2."],
]
START = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)


def write(folder: Path, name: str, rows: list[object]) -> None:
    """Write a row a line."""
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False, default=str) for row in rows]
    (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def exported(spans) -> str:
    """Return finished spans as a request of OTLP in JSON, with ids as the collector writes them."""
    from google.protobuf.json_format import MessageToDict
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans

    request = MessageToDict(encode_spans(spans))
    import base64

    for resource in request["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                for key in ("traceId", "spanId", "parentSpanId"):
                    if key in span:
                        span[key] = base64.b64decode(span[key]).hex()
    return json.dumps(request)


def tracer(service: str):
    """Return a tracer of OpenTelemetry's SDK, and where its finished spans are kept."""
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource.create({"service.name": service}))
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return provider, exporter


def openinference(folder: Path) -> None:
    """Spans of OpenInference's own tracer and helpers: OTLP, and as the SDK prints a span."""
    from openinference.instrumentation import (
        OITracer,
        TraceConfig,
        get_input_attributes,
        get_llm_attributes,
        get_output_attributes,
        get_reranker_attributes,
        get_retriever_attributes,
        using_session,
    )

    provider, exporter = tracer("clinic-rag")
    oi = OITracer(provider.get_tracer("sample"), config=TraceConfig())
    for number, (question, answer, texts) in enumerate(zip(ASKED, GIVEN, PASSAGES, strict=True)):
        documents = [
            {"content": text, "id": f"d{number}{rank}", "score": 0.9 - rank / 10} for rank, text in enumerate(texts)
        ]
        with (
            using_session(f"visit-{number % 2}"),
            oi.start_as_current_span("answer", openinference_span_kind="chain") as root,
        ):
            root.set_attributes(get_input_attributes({"question": question}))
            with oi.start_as_current_span("rewrite", openinference_span_kind="llm") as span:
                span.set_attributes(
                    get_llm_attributes(
                        model_name="small",
                        input_messages=[{"role": "user", "content": f"Rewrite: {question}"}],
                        output_messages=[{"role": "assistant", "content": f"{question} clinic"}],
                    )
                )
            with oi.start_as_current_span("search", openinference_span_kind="retriever") as span:
                span.set_attributes(
                    {**get_input_attributes(f"{question} clinic"), **get_retriever_attributes(documents=documents)}
                )
            if number == 0:
                with oi.start_as_current_span("rank", openinference_span_kind="reranker") as span:
                    span.set_attributes(
                        get_reranker_attributes(
                            query=question, input_documents=documents, output_documents=documents[:1]
                        )
                    )
            with oi.start_as_current_span("generate", openinference_span_kind="llm") as span:
                span.set_attributes(
                    get_llm_attributes(
                        model_name="small",
                        input_messages=[
                            {"role": "system", "content": "Answer from the passages."},
                            {"role": "user", "content": f"Context: {texts[0]}\nQuestion: {question}"},
                        ],
                        output_messages=[{"role": "assistant", "content": answer}],
                    )
                )
            root.set_attributes(get_output_attributes(answer))
    spans = exporter.get_finished_spans()
    half = len(spans) // 2
    write(folder, "openinference.otlp.jsonl", [exported(spans[:half]), exported(spans[half:])])
    write(folder, "openinference.spans.jsonl", [json.dumps(json.loads(span.to_json())) for span in spans])


def genai(folder: Path) -> None:
    """Spans that follow OpenTelemetry's conventions for generative AI, with its own names of attributes."""
    from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as names

    provider, exporter = tracer("unknown_service")
    plain = provider.get_tracer("sample")
    for number, (question, answer, texts) in enumerate(zip(ASKED, GIVEN, PASSAGES, strict=True)):
        with plain.start_as_current_span("POST /chat", attributes={"http.request.method": "POST"}):
            with plain.start_as_current_span("retrieval kb") as span:
                span.set_attribute(names.GEN_AI_OPERATION_NAME, "retrieval")
                span.set_attribute(names.GEN_AI_RETRIEVAL_QUERY_TEXT, question)
                span.set_attribute(
                    names.GEN_AI_RETRIEVAL_DOCUMENTS,
                    json.dumps(
                        [{"id": f"d{number}{rank}", "score": 0.5, "content": text} for rank, text in enumerate(texts)]
                    ),
                )
            with plain.start_as_current_span("chat small") as span:
                span.set_attribute(names.GEN_AI_OPERATION_NAME, "chat")
                span.set_attribute(names.GEN_AI_REQUEST_MODEL, "small")
                span.set_attribute(names.GEN_AI_CONVERSATION_ID, "" if number == 0 else f"visit-{number}")
                span.set_attribute(
                    names.GEN_AI_INPUT_MESSAGES,
                    json.dumps([{"role": "user", "parts": [{"type": "text", "content": question}]}]),
                )
                span.set_attribute(
                    names.GEN_AI_OUTPUT_MESSAGES,
                    json.dumps(
                        [{"role": "assistant", "parts": [{"type": "text", "content": answer}], "finish_reason": "stop"}]
                    ),
                )
    write(folder, "genai.otlp.jsonl", [exported(exporter.get_finished_spans())])
    provider, exporter = tracer("old")
    plain = provider.get_tracer("sample")
    with plain.start_as_current_span("openai.chat") as span:
        span.set_attributes(
            {
                "gen_ai.prompt.0.role": "user",
                "gen_ai.prompt.0.content": ASKED[0],
                "gen_ai.completion.0.role": "assistant",
                "gen_ai.completion.0.content": GIVEN[0],
                "llm.request.type": "chat",
            }
        )
    with plain.start_as_current_span("chat") as span:
        span.add_event("gen_ai.content.prompt", {"gen_ai.prompt": json.dumps([{"role": "user", "content": ASKED[1]}])})
        span.add_event(
            "gen_ai.content.completion", {"gen_ai.completion": json.dumps([{"role": "assistant", "content": GIVEN[1]}])}
        )
    write(
        folder,
        "genai_older.spans.jsonl",
        [json.dumps(json.loads(span.to_json())) for span in exporter.get_finished_spans()],
    )


def chain():
    """Return a chain of LangChain's core with a retriever and a model that says what it is told."""
    from langchain_core.documents import Document
    from langchain_core.language_models.fake_chat_models import FakeListChatModel
    from langchain_core.output_parsers import StrOutputParser
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import RunnableLambda, RunnablePassthrough

    class Search(BaseRetriever):
        def _get_relevant_documents(self, query: str, *, run_manager=None):
            texts = PASSAGES[ASKED.index(query)]
            return [
                Document(page_content=text, metadata={"source": "kb.md"}, id=f"d{rank}")
                for rank, text in enumerate(texts)
            ]

    prompt = ChatPromptTemplate.from_messages([("system", "Answer from:\n{context}"), ("human", "{question}")])
    model = FakeListChatModel(responses=list(GIVEN))
    join = RunnableLambda(lambda documents: "\n\n".join(each.page_content for each in documents))
    return {"context": Search() | join, "question": RunnablePassthrough()} | prompt | model | StrOutputParser()


def langchain(folder: Path) -> None:
    """LangChain's own run tree: as LangSmith's runs, and as OpenInference's instrumentor exports it."""
    from langchain_core.tracers.base import BaseTracer

    class Collect(BaseTracer):
        def __init__(self) -> None:
            super().__init__()
            self.runs: list = []

        def _persist_run(self, run) -> None:
            self.runs.append(run)

    def flat(run):
        yield run
        for child in run.child_runs:
            yield from flat(child)

    collect, app = Collect(), chain()
    for number, question in enumerate(ASKED):
        app.invoke(question, config={"callbacks": [collect], "metadata": {"thread_id": f"visit-{number % 2}"}})
    from langsmith.run_trees import RunTree

    project, rows = str(uuid.UUID(int=7)), []
    for root in collect.runs:
        for run in flat(root):
            tree = RunTree.model_validate(
                {
                    **{
                        key: getattr(run, key)
                        for key in (
                            "id",
                            "name",
                            "run_type",
                            "inputs",
                            "outputs",
                            "start_time",
                            "end_time",
                            "extra",
                            "trace_id",
                            "dotted_order",
                            "parent_run_id",
                            "tags",
                            "error",
                        )
                    },
                    "session_name": "clinic",
                }
            )
            row = json.loads(
                json.dumps(
                    tree.model_dump(exclude={"parent_run", "child_runs", "ls_client", "client"}), default=_serialised
                )
            )
            rows.append({**row, "session_id": project})
    write(folder, "langsmith.runs.jsonl", rows[::-1])
    from openinference.instrumentation.langchain import LangChainInstrumentor

    provider, exporter = tracer("clinic-langchain")
    instrumentor = LangChainInstrumentor()
    instrumentor.instrument(tracer_provider=provider)
    app = chain()
    for question in ASKED:
        app.invoke(question)
    instrumentor.uninstrument()
    write(folder, "langchain.otlp.jsonl", [exported(exporter.get_finished_spans())])


def _serialised(value):
    """Return what LangChain's own serialiser makes of a value."""
    from langchain_core.load.dump import dumpd

    if hasattr(value, "page_content"):
        return {"id": value.id, "metadata": value.metadata, "page_content": value.page_content, "type": "Document"}
    return str(value) if isinstance(value, (uuid.UUID, datetime)) else dumpd(value)


def langfuse(folder: Path) -> None:
    """Observations of Langfuse's API v2, by its own model, and the same as its exports write them."""
    from langfuse.api import ObservationV2

    rows, exports = [], []
    for number, (question, answer, texts) in enumerate(zip(ASKED, GIVEN, PASSAGES, strict=True)):
        trace, at = f"{number + 1:032x}", START + timedelta(minutes=number)
        places = [
            ("SPAN", "answer", None, json.dumps({"args": [question], "kwargs": {}}), json.dumps(answer)),
            (
                "RETRIEVER",
                "search",
                0,
                json.dumps(question),
                json.dumps([{"page_content": text, "metadata": {"id": f"d{rank}"}} for rank, text in enumerate(texts)]),
            ),
            (
                "GENERATION",
                "generate",
                0,
                json.dumps([{"role": "user", "content": question}]),
                json.dumps({"role": "assistant", "content": answer}),
            ),
        ]
        for rank, (kind, name, parent, said, output) in enumerate(places):
            observation = ObservationV2(
                id=f"{number}{rank}".rjust(16, "0"),
                trace_id=trace,
                start_time=at + timedelta(seconds=rank),
                end_time=at + timedelta(seconds=rank + 1 if rank else 5),
                project_id="p1",
                parent_observation_id=None if parent is None else f"{number}{parent}".rjust(16, "0"),
                is_root_observation=parent is None,
                type=kind,
                name=name,
                session_id=f"visit-{number % 2}",
                trace_name="answer",
                tags=["clinic"],
                input=said,
                output=output,
            )
            rows.append(observation.json(by_alias=True))
            exports.append(
                {
                    "id": observation.id,
                    "trace_id": trace,
                    "type": kind,
                    "name": name,
                    "parent_observation_id": observation.parent_observation_id or "",
                    "start_time": str(observation.start_time),
                    "end_time": str(observation.end_time),
                    "session_id": observation.session_id,
                    "input": said,
                    "output": output,
                }
            )
    write(folder, "langfuse.observations.jsonl", rows[::-1])
    write(folder, "langfuse.export.jsonl", exports[::-1])


def braintrust(folder: Path) -> None:
    """What the SDK's logger would send, with a scorer's call below each answer."""
    from braintrust import logger
    from braintrust.test_helpers import init_test_logger, simulate_login

    simulate_login()
    with logger._internal_with_memory_background_logger() as sent:
        log = init_test_logger("p")
        for number, (question, answer, texts) in enumerate(zip(ASKED, GIVEN, PASSAGES, strict=True)):
            documents = [{"content": text, "id": f"d{rank}", "score": 0.5} for rank, text in enumerate(texts)]
            messages = [{"role": "system", "content": "Answer."}, {"role": "user", "content": question}]
            reply = {"index": 0, "message": {"role": "assistant", "content": answer}, "finish_reason": "stop"}
            with log.start_span(name="rag", type="task", input={"question": question}) as root:
                root.log(metadata={"session_id": f"visit-{number % 2}"}, scores={"Factuality": 0.5})
                with root.start_span(name="search", type="function", input=question) as span:
                    span.log(output=documents)
                with root.start_span(name="Chat Completion", type="llm", input=messages) as span:
                    span.log(output=[reply], metrics={"tokens": 12})
                root.log(output=answer, expected="In 2019." if "ward" in question else None)
                scored = {"output": answer, "input": question}
                with root.start_span(
                    name="Factuality", type="score", input=scored, span_attributes={"purpose": "scorer"}
                ) as span:
                    span.log(output={"score": 0.5, "name": "Factuality"})
        rows = sent.pop()
    for row in rows:
        row["context"] = {**row["context"], "caller_filename": "app.py"}
    write(folder, "braintrust.events.jsonl", rows)


MAKERS = (openinference, genai, langchain, langfuse, braintrust)

if __name__ == "__main__":
    target = Path(sys.argv[1])
    for maker in MAKERS[int(sys.argv[2]) if len(sys.argv) > 2 else 0 :]:
        try:
            maker(target)
        except Exception as error:  # noqa: BLE001 (each needs packages of its own)
            print(f"{maker.__name__}: {type(error).__name__}: {error}")
