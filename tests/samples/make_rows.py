"""Write samples with the classes of Ragas, DeepEval or TruLens, whichever this environment has: `python make_rows.py FOLDER`."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

from make_traced import ASKED, GIVEN, PASSAGES, write

RIGHT = ["In 2019.", "On level 1.", "Yes."]
ROWS = list(zip(ASKED, GIVEN, PASSAGES, RIGHT, strict=True))


def ragas(folder: Path) -> None:
    """Samples of a data set, one of them a conversation, as its own to_jsonl writes them."""
    # Ragas 0.4.3 asks for a module that langchain-community no longer has.
    sys.modules.setdefault("langchain_community.chat_models.vertexai", SimpleNamespace(ChatVertexAI=None))
    from ragas import EvaluationDataset
    from ragas.dataset_schema import MultiTurnSample, SingleTurnSample
    from ragas.messages import AIMessage, HumanMessage

    samples = [SingleTurnSample(user_input=q, response=a, retrieved_contexts=c, reference=r) for q, a, c, r in ROWS]
    EvaluationDataset(samples=samples).to_jsonl(str(folder / "ragas.samples.jsonl"))
    EvaluationDataset(samples=samples).to_pandas().assign(faithfulness=[0.5, 1.0, float("nan")]).to_csv(
        folder / "ragas.scores.csv", index=False
    )
    talk = MultiTurnSample(
        user_input=[
            HumanMessage(content="Hello"),
            AIMessage(content="Good morning."),
            HumanMessage(content=ASKED[0]),
            AIMessage(content=GIVEN[0]),
        ],
        reference=RIGHT[0],
    )
    EvaluationDataset(samples=[talk]).to_jsonl(str(folder / "ragas.conversation.jsonl"))


def deepeval(folder: Path) -> None:
    """Test cases, as their model writes them, and as a data set saves them."""
    from deepeval.dataset import EvaluationDataset
    from deepeval.test_case import LLMTestCase

    cases = [LLMTestCase(input=q, actual_output=a, retrieval_context=c, expected_output=r) for q, a, c, r in ROWS]
    dataset = EvaluationDataset()
    for case in cases:
        dataset.add_test_case(case)
    dataset.save_as(file_type="csv", directory=str(folder), file_name="deepeval.dataset", include_test_cases=True)
    write(folder, "deepeval.cases.jsonl", [case.model_dump_json(by_alias=True) for case in cases])


def trulens(folder: Path) -> None:
    """Events of an instrumented app, from the spans that TruLens' own decorators make."""
    from opentelemetry.sdk.trace import TracerProvider
    from trulens.core.schema.event import Event, EventRecordType
    from trulens.otel.semconv.trace import SpanAttributes

    provider = TracerProvider()
    tracer = provider.get_tracer("trulens")
    rows = []
    for question, answer, texts, _ in ROWS:
        with tracer.start_as_current_span("query") as root:
            root.set_attributes(
                {
                    SpanAttributes.SPAN_TYPE: SpanAttributes.SpanType.RECORD_ROOT.value,
                    SpanAttributes.RECORD_ROOT.INPUT: question,
                }
            )
            with tracer.start_as_current_span("retrieve") as span:
                span.set_attributes(
                    {
                        SpanAttributes.SPAN_TYPE: SpanAttributes.SpanType.RETRIEVAL.value,
                        SpanAttributes.RETRIEVAL.QUERY_TEXT: question,
                        SpanAttributes.RETRIEVAL.RETRIEVED_CONTEXTS: texts,
                    }
                )
            root.set_attribute(SpanAttributes.RECORD_ROOT.OUTPUT, answer)
        for each in (span, root):
            at = [datetime.fromtimestamp(moment / 1e9, UTC) for moment in (each.start_time, each.end_time)]
            context, parent = each.get_span_context(), each.parent
            event = Event(
                event_id=f"{context.span_id:016x}",
                record={
                    "name": each.name,
                    "kind": 1,
                    "parent_span_id": f"{parent.span_id:016x}" if parent else "",
                    "status": "STATUS_CODE_UNSET",
                },
                record_attributes=dict(each.attributes),
                record_type=EventRecordType.SPAN,
                resource_attributes={"ai.observability.app_name": "clinic", "ai.observability.app_version": "v1"},
                start_timestamp=at[0],
                timestamp=at[1],
                trace={
                    "trace_id": f"{context.trace_id:032x}",
                    "parent_id": f"{parent.span_id:016x}" if parent else "",
                    "span_id": f"{context.span_id:016x}",
                },
            )
            rows.append(json.loads(event.model_dump_json()))
    write(folder, "trulens.events.jsonl", rows)


if __name__ == "__main__":
    for maker in (ragas, deepeval, trulens):
        try:
            maker(Path(sys.argv[1]))
        except ModuleNotFoundError as error:
            print(f"{maker.__name__}: {error}")
