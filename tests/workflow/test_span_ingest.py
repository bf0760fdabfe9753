"""Spans from files to items: whole, late, doubled, shuffled, of every tracer, and forgotten."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from annotate.traffic.attributes import tree_of
from annotate.traffic.detection import detect
from annotate.traffic.formats import SOURCE_FORMATS
from support.spans import span
from support.store import Assay

SAMPLES = Path(__file__).parents[1] / "samples"
ASKED = ["Can I park at night?", "When did ward 3 move?", "Where is the pharmacy?"]
GIVEN = ["Yes, the car park is open all night.", "Ward 3 moved in 2018.", "The pharmacy is on level 1."]
PASSAGES = [
    ["The car park is open all night.", "Bicycles stand at gate 2."],
    ["Ward 3 moved in 2019.", "Ward 4 moved in 2020."],
    ["The pharmacy is on level 1.", "The kitchen is on level 0."],
]
TRACED = [
    *("openinference.otlp.jsonl", "openinference.spans.jsonl", "genai.otlp.jsonl", "langchain.otlp.jsonl"),
    *("langfuse.observations.jsonl", "langfuse.export.jsonl", "langsmith.runs.jsonl", "trulens.events.jsonl"),
    *("mlflow.traces.jsonl", "mlflow.frame.csv", "phoenix.spans.jsonl", "phoenix.frame.csv", "phoenix.otlp.json"),
    "braintrust.events.jsonl",
]
ROWS = [
    *("ragas.samples.jsonl", "deepeval.cases.jsonl", "deepeval.dataset.csv"),
    *("open_webui.feedback.json", "open_webui.chats.json"),
]


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SAMPLES / name).read_text(encoding="utf-8").splitlines()]


def kept(assay: Assay) -> list[tuple[Any, ...]]:
    """Every item with its texts, and what waits."""
    query = (
        'SELECT id, revision, system, timestamp, question, contexts, answer, history, reference, metadata, "group" FROM '
        "(SELECT i.id, i.revision, i.system, i.timestamp, t.question, t.contexts, t.answer, t.history, t.reference, "
        't.metadata, i."group" FROM items i JOIN texts t USING (key) WHERE i.is_current) ORDER BY id'
    )
    return assay.sql(query)


def trace_of(number: int) -> list[dict[str, object]]:
    """A trace whose root comes last, as exporters write it."""
    trace = f"{number + 1:032x}"
    documents = {
        "retrieval.documents.0.document.content": f"Passage {number}.",
        "retrieval.documents.0.document.score": "NaN",
    }
    search = span(trace, "b", "a", 1, openinference_span_kind="RETRIEVER", input_value="q")
    search["attributes"] |= documents  # type: ignore[operator]
    root = span(trace, "a", None, 0, openinference_span_kind="CHAIN", input_value=f"Question {number}?", session_id="")
    root["attributes"] |= {"output.value": f"Answer {number}.", "latency": 7}  # type: ignore[operator]
    return [search, root]


@pytest.mark.parametrize("name", TRACED + ROWS)
def test_what_the_tools_own_classes_wrote_comes_in(assay: Assay, name: str) -> None:
    """The same three answers with the same passages, without a flag; README.md of the samples says who wrote them."""
    ingested = assay.json("ingest", str(SAMPLES / name))

    texts = [(question, answer, json.loads(contexts)) for _, _, _, _, question, contexts, answer, *_ in kept(assay)]
    expected = [list(given) for given in zip(ASKED, GIVEN, PASSAGES, strict=True)]
    if name.startswith("openinference"):
        expected[1][2] = PASSAGES[1][:1]  # its trace has a reranker
    assert sorted(map(list, texts)) == expected
    assert (ingested["quarantined"], ingested["without_root"], ingested["without_content"]) == (0, 0, 0)


def test_older_conventions_are_read() -> None:
    """Indexed attributes of `gen_ai.prompt`, and events."""
    source_format = next(each for each in SOURCE_FORMATS if each.name == "genai")
    spans = [reading for row in rows("genai_older.spans.jsonl") for reading in source_format.read(row, {})]

    assert [(each.question, each.answer) for each in spans] == [  # type: ignore[union-attr]
        (ASKED[1], GIVEN[1]),
        (ASKED[2], GIVEN[2]),
    ]


@pytest.mark.parametrize("name", sorted(path.name for path in SAMPLES.glob("*.jsonl")))
def test_one_format_recognises_every_row(name: str) -> None:
    """No two formats claim a row of any tool."""
    for row in rows(name):
        assert sum(each.recognises(row) for each in SOURCE_FORMATS) <= 1
    assert detect(rows(name)).source_format is not None


@pytest.mark.slow
@pytest.mark.parametrize("name", ["openinference.spans.jsonl", "langsmith.runs.jsonl", "langfuse.export.jsonl"])
def test_doubled_and_shuffled_spans_give_the_same_store(assay: Assay, tmp_path: Path, name: str) -> None:
    """In one file or in many; and the same file again adds nothing."""
    second = Assay(tmp_path, tmp_path / "other.db")
    spans = rows(name)
    shuffled = random.Random(7).sample(spans * 2, 2 * len(spans))

    assay("ingest", assay.write("t.jsonl", spans))
    for number in range(4):
        second("ingest", second.write(f"{number}.jsonl", shuffled[number::4]))

    assert [row[:1] + row[2:] for row in kept(second)] == [row[:1] + row[2:] for row in kept(assay)]
    assert second.sql("SELECT trace, span, content FROM spans ORDER BY 1, 2") == assay.sql(
        "SELECT trace, span, content FROM spans ORDER BY 1, 2"
    )
    again = assay.json("ingest", assay.write("t.jsonl", shuffled))
    assert (again["added"], again["revised"], again["updated"]) == (0, 0, 0)


def test_a_root_that_comes_in_a_later_batch(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """The traces of a file are joined at its end."""
    monkeypatch.setattr("annotate.workflow.ingest.batches.BATCH_ROWS", 2)
    monkeypatch.setattr("annotate.workflow.ingest.joining.BATCH_TRACES", 2)
    searches, roots = zip(*(trace_of(number) for number in range(5)), strict=True)

    ingested = assay.json("ingest", assay.write("t.jsonl", [*searches, *roots]))

    assert (ingested["added"], ingested["revised"], ingested["items"]) == (5, 0, 5)


def test_a_root_that_comes_in_a_later_file(assay: Assay) -> None:
    """Until then its trace waits, and is told; an empty session is no group."""
    search, root = trace_of(3)

    first = assay("ingest", assay.write("1.jsonl", [search]))
    second = assay.json("ingest", assay.write("2.jsonl", [root]))

    assert "1 trace waits for its root span." in first.stdout
    assert (second["added"], second["without_root"]) == (1, 0)
    [(name, _, _, at, question, contexts, answer, _, _, metadata, group)] = kept(assay)
    assert (name, question, json.loads(contexts), answer) == (f"{4:032x}", "Question 3?", ["Passage 3."], "Answer 3.")
    assert (at, json.loads(metadata)) == ("2026-11-20T08:00:00.000Z", {"latency": 7})
    assert group.startswith("question-")


def test_a_late_span_revises_the_answer(assay: Assay) -> None:
    """The passages came after the answer; the item keeps its id."""
    search, root = trace_of(0)
    assay("ingest", assay.write("1.jsonl", [root]))

    ingested = assay.json("ingest", assay.write("2.jsonl", [search]))

    assert (ingested["added"], ingested["revised"], ingested["items"]) == (0, 1, 1)
    assert json.loads(kept(assay)[0][5]) == ["Passage 0."]


@pytest.mark.parametrize("answer", ["No.", "Answer 0, and much more of it than before."])
def test_a_later_state_that_ended_at_the_same_time_revises_the_answer(assay: Assay, answer: str) -> None:
    """Nothing tells the order but their coming, whichever is longer; the first file again changes nothing."""
    search, root = trace_of(0)
    assay("ingest", assay.write("1.jsonl", [search, root]))
    later = {**root, "attributes": {**root["attributes"], "output.value": answer}}  # type: ignore[dict-item]

    ingested = assay.json("ingest", assay.write("2.jsonl", [later]))
    again = assay.json("ingest", "1.jsonl")

    assert (ingested["revised"], kept(assay)[0][6]) == (1, answer)
    assert (again["added"], again["revised"], kept(assay)[0][6]) == (0, 0, answer)


def test_a_poorer_state_that_ended_at_the_same_time_takes_nothing(assay: Assay) -> None:
    """As of tools that log a call as it starts and as it ends."""
    search, root = trace_of(0)
    started = {**root, "attributes": {"input.value": "Question 0?", "openinference.span.kind": "CHAIN"}}
    assay("ingest", assay.write("1.jsonl", [search, root]))

    assert assay.json("ingest", assay.write("2.jsonl", [started]))["revised"] == 0
    assert kept(assay)[0][6] == "Answer 0."


def test_a_run_that_was_stopped_before_it_joined(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its spans are kept; the next import joins them, whatever it brings."""
    with monkeypatch.context() as stopped:
        stopped.setattr("annotate.workflow.ingest.ingest.join_changed", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            assay("ingest", assay.write("1.jsonl", trace_of(0)))

    assert assay.json("ingest", assay.write("2.jsonl", trace_of(1)))["added"] == 2


@pytest.mark.parametrize(("flags", "added"), [(0x301, 3), (0x101, 0), (None, 0), ("x", 0)])
def test_a_service_behind_another(assay: Assay, flags: object, added: int) -> None:
    """OTLP's flags say that the parent is remote; without them a trace waits for its root."""
    requests = rows("openinference.otlp.jsonl")
    for request in requests:
        for each in request["resourceSpans"][0]["scopeSpans"][0]["spans"]:
            if "parentSpanId" not in each:
                each |= {"parentSpanId": "aaaaaaaaaaaaaaaa", "flags": flags}

    ingested = assay.json("ingest", assay.write("t.jsonl", requests))

    assert (ingested["added"], ingested["without_root"]) == (added, 3 - added)


def test_answers_of_one_session_stay_apart(assay: Assay) -> None:
    """The session is the group of both."""
    spans = [each for number in range(2) for each in trace_of(number)]
    for each in spans:
        each["attributes"]["session.id"] = "visit-1"  # type: ignore[index]

    assay("ingest", assay.write("t.jsonl", spans))

    assert [(row[4], row[-1]) for row in kept(assay)] == [("Question 0?", "visit-1"), ("Question 1?", "visit-1")]


def test_langsmiths_session_is_the_project(assay: Assay) -> None:
    """The thread stands in the run's metadata."""
    assay("ingest", str(SAMPLES / "langsmith.runs.jsonl"))

    assert {row[-1] for row in kept(assay)} == {"visit-0", "visit-1"}


def test_a_root_of_langfuse_may_have_a_parent(assay: Assay) -> None:
    """The SDK marks it as the root of its app."""
    spans = rows("langfuse.observations.jsonl")
    for each in spans:
        if each["isRootObservation"]:
            each["parentObservationId"] = "of another service"

    assert assay.json("ingest", assay.write("t.jsonl", spans))["added"] == 3


def test_a_trace_of_langfuse_holds_its_observations(assay: Assay) -> None:
    """As its older API returns it: the trace itself is the root."""
    trace = {
        "id": "t1",
        "timestamp": "2026-11-20T08:00:00Z",
        "sessionId": "s1",
        "input": {"question": ASKED[0]},
        "output": GIVEN[0],
        "observations": [
            {"id": "o1", "traceId": "t1", "type": "SPAN", "name": "search", "input": "x", "output": None},
            {
                **{"id": "o2", "traceId": "t1", "type": "RETRIEVER", "parentObservationId": "o1"},
                **{"input": {"query": "x"}, "output": [PASSAGES[0][0]]},
            },
        ],
    }

    assay("ingest", assay.write("t.jsonl", [trace]))

    [(name, _, _, _, question, contexts, answer, *_, group)] = kept(assay)
    assert (name, question, json.loads(contexts), answer, group) == ("t1", ASKED[0], PASSAGES[0][:1], GIVEN[0], "s1")


def test_columns_of_a_dataframe_are_attributes(assay: Assay) -> None:
    """Phoenix' frame has a column each, and documents in either shape."""
    frame = [
        {
            **{"context.trace_id": "1", "context.span_id": "a", "parent_id": None, "name": "r"},
            **{"attributes.openinference.span.kind": "CHAIN", "attributes.input.value": ASKED[0]},
            **{"attributes.output.value": GIVEN[0], "attributes.session.id": "s", "start_time": 1_795_248_000_000},
        },
        {
            **{"context.trace_id": "1", "context.span_id": "b", "parent_id": "a", "name": "s"},
            "attributes.openinference.span.kind": "RETRIEVER",
            "attributes.retrieval.documents": [
                {"document.content": "a", "document.id": 3},
                {"document": {"content": "b", "score": 0.5}},
            ],
        },
    ]

    assay("ingest", assay.write("t.jsonl", frame))

    [(_, _, _, at, question, contexts, *_, group)] = kept(assay)
    assert (at, question, json.loads(contexts), group) == ("2026-11-21T08:00:00.000Z", ASKED[0], ["a", "b"], "s")
    assert json.loads(assay.sql("SELECT context_details FROM texts")[0][0]) == [["3", None, None], [None, None, 0.5]]


def test_an_app_that_traces_one_span_alone(assay: Assay) -> None:
    """Its passages stand beside the answer, or beside the question."""
    said = json.dumps({"question": ASKED[0], "context": ["x"], "chat_history": [["Hi", "Hello."]]})
    output = json.dumps(
        {"result": GIVEN[0], "source_documents": [{"page_content": "y", "metadata": {"source": "kb.md"}}]}
    )
    whole = {"type": "SPAN", "startTime": "2026-11-20T08:00:00Z", "parentObservationId": None, "input": said}
    rows = [
        {**whole, "id": "o1", "traceId": "t1", "output": output},
        {**whole, "id": "o2", "traceId": "t2", "output": "Yes."},
    ]

    assay("ingest", assay.write("t.jsonl", rows))

    first, second = kept(assay)
    assert (first[4], json.loads(first[5]), first[6]) == (ASKED[0], ["y"], GIVEN[0])
    assert (second[4], json.loads(second[5]), second[6]) == (ASKED[0], ["x"], "Yes.")
    assert [turn["text"] for turn in json.loads(second[7])] == ["Hi", "Hello."]


@pytest.mark.slow
def test_spans_of_servers_stand_among_those_of_models(assay: Assay) -> None:
    """A file may begin with a hundred of them; `span_kind` may stand beside the attributes alone."""
    servers = [span(f"{n + 100:032x}", "s", None, 0, http_route="/health") for n in range(120)]
    [search, root] = trace_of(1)
    for each in (search, root):
        each["span_kind"] = each["attributes"].pop("openinference.span.kind")  # type: ignore[attr-defined]

    ingested = assay.json("ingest", assay.write("t.jsonl", [*servers, search, root]))

    assert (ingested["added"], ingested["without_content"], ingested["quarantined"]) == (1, 120, 0)
    assert json.loads(kept(assay)[0][5]) == ["Passage 1."]


@pytest.mark.parametrize(
    ("attributes", "tree"),
    [
        ({"a.b.0.c": 1, "a.b.1.c": 2}, {"a": {"b": [{"c": 1}, {"c": 2}]}}),
        ({"a": {"b.c": 1}, "a.d": 2}, {"a": {"b": {"c": 1}, "d": 2}}),
        ({"a": "x", "a.b": 1}, {"a": {"": "x", "b": 1}}),
        ({"a.b": 1, "a": "x"}, {"a": {"b": 1, "": "x"}}),
        ({"a.10": "k", "a.9": "j"}, {"a": ["j", "k"]}),
        ({"a": [{"b.c": 1}], "n": None}, {"a": [{"b": {"c": 1}}]}),
    ],
    ids=str,
)
def test_flat_nested_and_mixed_attributes_are_one_tree(attributes: Mapping[str, object], tree: object) -> None:
    """Keys of digits are places in a list, by number."""
    assert tree_of(attributes) == tree


def test_a_broken_span_costs_only_itself(assay: Assay) -> None:
    """It is in quarantine as it came, the rest of its request goes in."""
    [request] = rows("genai.otlp.jsonl")
    request["resourceSpans"][0]["scopeSpans"][0]["spans"].insert(1, {"name": "lost", "spanId": "b7ad6b7169203331"})

    ingested = assay.json("ingest", assay.write("t.jsonl", [request]), status=4)

    assert (ingested["added"], ingested["quarantined"]) == (3, 1)
    assert json.loads(assay.sql("SELECT raw FROM quarantine")[0][0])["name"] == "lost"


def test_the_screen_says_how_spans_were_joined(assay: Assay) -> None:
    """Where each field came from, and what is kept beside."""
    spans = [each for number in range(2) for each in trace_of(number)]

    out = " ".join(assay("ingest", assay.write("t.jsonl", spans), "--dry-run").stdout.split())

    assert "read as OpenInference (Phoenix) (4 of the first 4 rows have its shape)" in out
    assert "question ← input.value; contexts ← 1 retriever span (retrieval.documents); answer ← output.value" in out
    assert "Kept as metadata: latency." in out
    assert not assay.db.exists()


def test_a_path_of_the_user_is_followed_in_the_span(assay: Assay) -> None:
    """For apps whose inputs have keys of their own."""
    search, root = trace_of(0)
    root["attributes"] |= {"input.value": json.dumps({"asked": {"de": "Wo?"}, "b": "x"}), "tenant": "t9"}  # type: ignore[operator]
    file = assay.write("t.jsonl", [search, root])

    out = assay("ingest", file).stdout
    hint = "No question can be told in 1 root span: attributes.input.value has asked, b. Add `--map question=attributes.input.value.KEY`."
    assert hint in " ".join(out.split())
    assert "1 trace holds no question or no answer" in out
    paths = ["--map", "question=attributes.input.value.asked.de", "--map", "group=attributes.tenant"]
    assert assay.json("ingest", file, *paths)["added"] == 1

    assert [(row[4], row[-1]) for row in kept(assay)] == [("Wo?", "t9")]


def forgetting(assay: Assay, spans: Sequence[Mapping[str, object]]) -> None:
    assay("ingest", assay.write("t.jsonl", list(spans)))
    assay("forget", "--item", f"{1:032x}", "--yes")
    assay("ingest", assay.write("t.jsonl", list(spans)))


@pytest.mark.slow
@pytest.mark.parametrize("is_whole", [True, False])
def test_a_forgotten_trace_leaves_no_span_and_stays_away(assay: Assay, is_whole: bool) -> None:
    """Also one that waits: not a byte of it is in the file, and it does not come back."""
    search, root = trace_of(0)
    unrelated = trace_of(1)

    forgetting(assay, [search, *([root] if is_whole else []), *unrelated])

    assert assay.sql("SELECT DISTINCT trace FROM spans") == [(f"{2:032x}",)]
    assert b"Passage 0." not in assay.db.read_bytes()
    assert b"Passage 1." in assay.db.read_bytes()


def test_the_trace_of_a_span_is_known(assay: Assay) -> None:
    """Annotations of Phoenix name a span, and the answer has its trace's id."""
    from annotate.store import Store

    assay("ingest", assay.write("t.jsonl", rows("openinference.spans.jsonl")))
    store = Store(assay.db)
    traces = {name for (name,) in assay.sql("SELECT id FROM items")}
    spans = [name for (name,) in assay.sql("SELECT span FROM spans")]

    assert set(store.traffic.spans.traces_of([*spans, "unknown"]).values()) == traces
    assert store.traffic.spans.traces_of(["unknown"]) == {}
    store.close()


def test_a_session_that_mlflow_wrote_in_quotes_is_the_session(assay: Assay) -> None:
    """Its exporter writes each attribute as JSON; the same session of another tracer is the same group."""
    spans = [
        {
            "name": "ask",
            "context": {"trace_id": f"{n:032x}", "span_id": f"{n:016x}"},
            "parent_id": None,
            "attributes": {"input.value": "Where?", "output.value": "There.", "session.id": session},
        }
        for n, session in ((1, '"visit"'), (2, "visit"))
    ]

    assay("ingest", assay.write("spans.jsonl", spans))

    assert assay.sql('SELECT DISTINCT "group" FROM items') == [("visit",)]


@pytest.mark.parametrize("options", [(), ("--map", "timestamp=info.request_time")])
def test_the_time_of_a_trace_of_mlflow_whose_spans_have_none(assay: Assay, options: Sequence[str]) -> None:
    """The request's own, also where the user names it."""
    trace = rows("mlflow.traces.jsonl")[0]
    for part in trace["data"]["spans"]:
        part.pop("start_time_unix_nano", None)
        part.pop("start_time", None)
    trace["info"]["request_time"] = "2026-11-09T08:17:00Z"

    assay("ingest", assay.write("traces.jsonl", [trace]), *options)

    assert assay.sql("SELECT timestamp FROM items") == [("2026-11-09T08:17:00.000Z",)]


def test_users_own_path_to_the_time_of_a_span_comes_before_its_start(assay: Assay) -> None:
    """Of the root, whose time the answer has."""
    spans = [{**part, "asked_at": "2026-11-08T07:00:00Z"} for part in rows("openinference.spans.jsonl")]

    assay("ingest", assay.write("spans.jsonl", spans), "--map", "timestamp=asked_at")

    assert assay.sql("SELECT DISTINCT timestamp FROM items") == [("2026-11-08T07:00:00.000Z",)]
