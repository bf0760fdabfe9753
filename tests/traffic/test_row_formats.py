"""Rows of other tools come in without a flag: the same answer from each, and what cannot be read says why."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from annotate import Project
from annotate.cli.context import TOOLS
from annotate.traffic.detection import detect
from annotate.traffic.formats import NAMES, SOURCE_FORMATS
from annotate.traffic.rows import item_from_row
from annotate.traffic.source_format import Origin, TrafficRow
from proxy.records import Context, Item, Turn
from support.store import Assay, traffic_row

SAMPLES = Path(__file__).parents[1] / "samples"
ASKED, GIVEN, PASSAGE, RIGHT = "When did ward 3 move?", "In 2018.", "Ward 3 moved in 2019.", "In 2019."
HISTORY = (Turn(role="user", text="Hello"), Turn(role="assistant", text="Good morning."))
CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "You help visitors."},
    {"role": "user", "content": "Hello"},
    {"role": "assistant", "content": "Good morning."},
    {"role": "user", "content": ASKED},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "function": {"name": "search"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": PASSAGE},
    {"role": "assistant", "content": GIVEN},
]
WEBUI: dict[str, Any] = {
    "m1": {"role": "user", "content": "Hello"},
    "m2": {"role": "assistant", "parentId": "m1", "content": "Good morning."},
    "m3": {"role": "user", "parentId": "m2", "content": ASKED},
    "m4": {
        "role": "assistant",
        "parentId": "m3",
        "content": GIVEN,
        "model": "small",
        "timestamp": 1_795_248_000,
        "sources": [{"source": {"name": "kb"}, "document": [PASSAGE], "metadata": [{}], "distances": ["NaN"]}],
    },
}
ROWS: dict[str, tuple[str, Mapping[str, object]]] = {
    "ragas": (
        "ragas",
        {"user_input": ASKED, "response": GIVEN, "retrieved_contexts": [PASSAGE], "reference": RIGHT},
    ),
    "ragas before 0.2": (
        "ragas",
        {"question": ASKED, "answer": GIVEN, "contexts": [PASSAGE], "ground_truths": [RIGHT]},
    ),
    "ragas scores": (
        "ragas",
        {"question": ASKED, "answer": GIVEN, "contexts": [PASSAGE], "ground_truth": RIGHT, "faithfulness": "NaN"},
    ),
    "deepeval": (
        "deepeval",
        {"input": ASKED, "actual_output": GIVEN, "retrieval_context": [PASSAGE], "expected_output": RIGHT},
    ),
    "deepeval in camel case": (
        "deepeval",
        {"input": ASKED, "actualOutput": GIVEN, "retrievalContext": [PASSAGE], "expectedOutput": RIGHT},
    ),
    "trulens records": (
        "trulens_records",
        {
            "record_id": "r1",
            "input": json.dumps(ASKED),
            "output": json.dumps(GIVEN),
            "record_json": {"calls": [{"stack": [{"method": {"name": "retrieve"}}], "rets": [PASSAGE]}]},
            "reference": RIGHT,
        },
    ),
    "label studio": (
        "label_studio",
        {
            "id": 7,
            "data": {"question": ASKED, "answer": GIVEN, "contexts": [PASSAGE], "reference": RIGHT},
            "annotations": [],
        },
    ),
    "columns of a data set": ("qa", {"prompt": ASKED, "response": GIVEN, "contexts": [PASSAGE], "ground_truth": RIGHT}),
    "openai chat": ("chat", {"messages": CHAT, "reference": RIGHT}),
    "promptfoo": (
        "promptfoo",
        {
            "prompt": {"raw": f"Answer: {ASKED}", "label": "Answer: {{question}}"},
            "vars": {"question": ASKED, "context": PASSAGE, "reference": RIGHT},
            "response": {"output": GIVEN},
            "success": False,
        },
    ),
    "promptfoo's table": (
        "promptfoo",
        {"query": ASKED, "reference": RIGHT, "context": PASSAGE, "[echo] Answer: {{query}}": f"[FAIL] {GIVEN}"},
    ),
    "anthropic, documents in the message": (
        "chat",
        {
            "messages": [
                *CHAT[1:3],
                {
                    "role": "user",
                    "content": [
                        {
                            "type": "document",
                            "source": {"type": "text", "media_type": "text/plain", "data": PASSAGE},
                            "citations": {"enabled": True},
                        },
                        {"type": "text", "text": ASKED},
                    ],
                },
                {"role": "assistant", "content": [{"type": "text", "text": GIVEN}]},
            ],
            "reference": RIGHT,
        },
    ),
    "anthropic, results of a search": (
        "chat",
        {
            "request": {
                "messages": [
                    *CHAT[1:3],
                    {
                        "role": "user",
                        "content": [
                            {"type": "search_result", "title": "w", "content": [{"type": "text", "text": PASSAGE}]},
                            {"type": "text", "text": ASKED},
                        ],
                    },
                ]
            },
            "response": {"type": "message", "role": "assistant", "content": [{"type": "text", "text": GIVEN}]},
            "reference": RIGHT,
        },
    ),
    "openai's responses with a search in files": (
        "chat",
        {
            "request": {"input": [*CHAT[1:3], CHAT[3]], "tools": [{"type": "file_search"}]},
            "response": {
                "object": "response",
                "output": [
                    {"type": "file_search_call", "queries": [ASKED], "results": [{"file_id": "f", "text": PASSAGE}]},
                    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": GIVEN}]},
                ],
            },
            "reference": RIGHT,
        },
    ),
    "a batch of openai with its requests": (
        "chat",
        {
            "custom_id": "r1",
            "request": {"custom_id": "r1", "method": "POST", "body": {"messages": CHAT[:4]}},
            "response": {
                "status_code": 200,
                "body": {"choices": [{"message": {"role": "assistant", "content": GIVEN}}]},
            },
            "contexts": [PASSAGE],
            "reference": RIGHT,
        },
    ),
    "a batch of anthropic with its requests": (
        "chat",
        {
            "custom_id": "r1",
            "request": {"custom_id": "r1", "params": {"messages": CHAT[1:4]}},
            "result": {
                "type": "succeeded",
                "message": {"role": "assistant", "content": [{"type": "text", "text": GIVEN}]},
            },
            "contexts": [PASSAGE],
            "reference": RIGHT,
        },
    ),
    "pydantic ai": (
        "chat",
        {
            "messages": [
                {
                    "kind": "request",
                    "parts": [
                        {"part_kind": "system-prompt", "content": "You help visitors."},
                        {"part_kind": "user-prompt", "content": "Hello"},
                    ],
                },
                {"kind": "response", "parts": [{"part_kind": "text", "content": "Good morning."}]},
                {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": ASKED}]},
                {"kind": "response", "parts": [{"part_kind": "tool-call", "tool_name": "search", "args": "{}"}]},
                {"kind": "request", "parts": [{"part_kind": "tool-return", "tool_name": "search", "content": PASSAGE}]},
                {"kind": "response", "parts": [{"part_kind": "text", "content": GIVEN}]},
            ],
            "reference": RIGHT,
        },
    ),
    "flowise": (
        "chat",
        {
            "messages": [
                {"type": "userMessage", "content": "Hello"},
                {"type": "apiMessage", "content": "Good morning."},
                {"type": "userMessage", "content": ASKED},
                {"type": "apiMessage", "content": GIVEN, "sourceDocuments": [{"pageContent": PASSAGE}]},
            ],
            "reference": RIGHT,
        },
    ),
    "claude's export": (
        "chat",
        {
            "chat_messages": [
                {"sender": sender, "text": text, "content": [{"type": "text", "text": text}]}
                for sender, text in (
                    *(("human", "Hello"), ("assistant", "Good morning."), ("human", ASKED), ("assistant", GIVEN)),
                )
            ],
            "contexts": [PASSAGE],
            "reference": RIGHT,
        },
    ),
    "llama index": (
        "chat",
        {
            "messages": [
                {"role": role, "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": text}]}
                for role, text in (
                    *(("user", "Hello"), ("assistant", "Good morning.")),
                    *(("user", ASKED), ("tool", PASSAGE), ("assistant", GIVEN)),
                )
            ],
            "reference": RIGHT,
        },
    ),
    "openai request and response": (
        "chat",
        {
            "request": {"messages": CHAT[:-1]},
            "response": {"choices": [{"message": {"role": "assistant", "content": GIVEN}}]},
            "reference": RIGHT,
        },
    ),
    "bedrock's log of model invocations": (
        "chat",
        {
            "schemaType": "ModelInvocationLog",
            "input": {
                "inputBodyJson": {
                    "messages": [
                        {"role": "user", "content": [{"text": "Hello"}]},
                        {"role": "assistant", "content": [{"text": "Good morning."}]},
                        {"role": "user", "content": [{"text": ASKED}]},
                    ]
                }
            },
            "output": {
                "outputBodyJson": {"output": {"message": {"role": "assistant", "content": [{"text": GIVEN}]}}},
                "outputTokenCount": 9,
            },
            "contexts": [PASSAGE],
            "reference": RIGHT,
        },
    ),
    "gemini's requests and responses": (
        "chat",
        {
            "full_request": {
                "contents": [
                    {"role": "user", "parts": [{"text": "Hello"}]},
                    {"role": "model", "parts": [{"text": "Good morning."}]},
                    {"role": "user", "parts": [{"text": ASKED}]},
                ]
            },
            "full_response": {"candidates": [{"content": {"role": "model", "parts": [{"text": GIVEN}]}}]},
            "contexts": [PASSAGE],
            "reference": RIGHT,
        },
    ),
    "sharegpt": (
        "chat",
        {
            "conversations": [
                {"from": "human", "value": "Hello"},
                {"from": "gpt", "value": "Good morning."},
                {"from": "human", "value": ASKED},
                {"from": "gpt", "value": GIVEN},
            ],
            "contexts": [PASSAGE],
            "reference": RIGHT,
        },
    ),
    "open webui": (
        "open_webui",
        {
            "id": "f1",
            "type": "rating",
            "data": {"rating": -1},
            "meta": {"chat_id": "c1", "message_id": "m4"},
            "snapshot": {"chat": {"chat": {"history": {"messages": WEBUI}}}},
            "reference": RIGHT,
        },
    ),
}


# Several tools write these alike, or an older release did, so the rows are made by hand.
WITHOUT_SAMPLE = {"label_studio", "trulens_records", "calls", "chat", "qa"}


def sample_rows() -> Iterator[Mapping[str, object]]:
    """The objects of every JSON file that a tool wrote."""
    for file in SAMPLES.glob("*.json*"):
        text = file.read_text(encoding="utf-8")
        values = map(json.loads, text.splitlines()) if file.suffix == ".jsonl" else [json.loads(text)]
        for value in values:
            yield from value if isinstance(value, list) else [value]


def test_every_format_has_a_row_here_and_a_sample() -> None:
    """But for formats of spans, whose answers take several rows: their samples are all there is."""
    recognised = {each.name for row in sample_rows() for each in SOURCE_FORMATS if each.recognises(row)}

    assert {name for name, _ in ROWS.values()} == {each.name for each in SOURCE_FORMATS if not each.has_spans}
    assert recognised == {each.name for each in SOURCE_FORMATS} - WITHOUT_SAMPLE


def readings(name: str, row: Mapping[str, object]) -> list[TrafficRow]:
    source_format = next(each for each in SOURCE_FORMATS if each.name == name)
    return [reading for reading in source_format.read(row, {}) if isinstance(reading, TrafficRow)]


def items(name: str, row: Mapping[str, object]) -> list[Item]:
    return [item_from_row(reading.fields, {}) for reading in readings(name, row)]


@pytest.mark.parametrize("kind", ROWS)
def test_every_tool_gives_the_same_answer(kind: str) -> None:
    """Question, answer, passage and reference are where they belong, whatever the tool calls them."""
    name, row = ROWS[kind]

    [item] = items(name, row)

    assert (item.question, item.answer, item.reference) == (ASKED, GIVEN, RIGHT)
    assert [context.text for context in item.contexts] == [PASSAGE]


@pytest.mark.parametrize("kind", [kind for kind, (name, _) in ROWS.items() if name in ("chat", "open_webui")])
def test_what_was_said_before_is_the_history(kind: str) -> None:
    """A prompt of the system is no part of the question, or two systems' answers would never be a pair."""
    [item] = items(*ROWS[kind])

    assert item.history == HISTORY


@pytest.mark.parametrize("kind", ROWS)
def test_one_format_recognises_a_row(kind: str) -> None:
    """No two formats claim the same row, and detection names the one."""
    name, row = ROWS[kind]

    assert [each.name for each in SOURCE_FORMATS if each.recognises(row)] == [name]
    detected = detect([row, row])
    assert (detected.source_format and detected.source_format.name, detected.recognised) == (name, 2)


@pytest.mark.parametrize(
    "row",
    [
        traffic_row("a"),
        {"question": "Q?", "answer": "A.", "response": "R"},
        {"input": "x", "output": "y"},
        {"question": "Q?", "answers": {"text": ["A."]}, "context": "C"},
        {"prompt": "a", "query": "b", "response": "c"},
        {"data": {"question": "Q?"}},
        {"messages": ["a", "b"]},
        {"messages": [{"role": "system", "content": "x"}]},
        {},
    ],
    ids=str,
)
def test_what_no_tool_certainly_wrote_is_our_own(row: Mapping[str, object]) -> None:
    """A question with its right answers (SQuAD) is no traffic, and two candidates are one too many."""
    assert detect([row]).source_format is None


def test_the_command_offers_every_format() -> None:
    """The words are repeated there so that `--help` need not import the readers."""
    assert TOOLS == NAMES


def test_a_document_without_text_is_said_to_be_one() -> None:
    """A file in base64 is no passage that anybody could read; that it was sent is part of the question."""
    file = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}}
    asked = [
        {"role": "user", "content": [file, {"type": "text", "text": ASKED}]},
        {"role": "assistant", "content": GIVEN},
    ]

    [item] = items("chat", {"messages": asked})

    assert (item.question, item.contexts) == (f"[document]\n{ASKED}", ())


@pytest.mark.parametrize(
    "row",
    [
        {"custom_id": "a", "response": {"status_code": 200, "body": {"choices": [{"message": {"content": GIVEN}}]}}},
        {"custom_id": "a", "result": {"type": "succeeded", "message": {"role": "assistant", "content": GIVEN}}},
    ],
    ids=["openai", "anthropic"],
)
def test_a_batch_without_its_requests_says_what_to_do(assay: Assay, row: Mapping[str, object]) -> None:
    """The answers alone are no use."""
    refused = assay("ingest", assay.write("t.jsonl", [row]), status=1)

    words = " ".join(refused.stderr.split())
    assert "a batch's results hold answers alone; put beside each, as `request`, the request of its custom_id" in words


def test_a_batch_with_the_questions_beside_the_answers_is_read_by_them(assay: Assay) -> None:
    """Somebody has joined the prompts in a column of their own: that is a table of ours, by --map if need be."""
    body = {"choices": [{"message": {"role": "assistant", "content": GIVEN}}]}
    row = {"custom_id": "a", "prompt": ASKED, "response": {"status_code": 200, "body": body}}
    paths = ("--map", "question=prompt", "--map", "answer=response.body.choices[0].message.content")

    assert assay.json("ingest", assay.write("t.jsonl", [row]), *paths)["added"] == 1


def test_a_store_of_chats_holds_a_conversation_each(assay: Assay) -> None:
    """As LlamaIndex persists them: the group is the name under which a conversation is kept."""
    messages = ROWS["llama index"][1]["messages"]
    assert isinstance(messages, list)
    chats = {"u1": messages, "u2": messages[:2]}
    file = assay.folder / "chats.json"
    file.write_text(json.dumps({"store": chats, "class_name": "SimpleChatStore"}))

    assert assay.json("ingest", str(file))["added"] == 2

    assert list(Project.open(assay.db).items().group) == ["u1", "u2"]


def test_calls_of_gateways_keep_their_ids_and_times() -> None:
    """They are named by their requests."""
    row = {"request_id": "r1", "request_created_at": "2026-11-20T08:00:00Z", **ROWS["openai request and response"][1]}

    [item] = items("chat", row)

    assert (item.id, item.timestamp) == ("r1", "2026-11-20T08:00:00.000Z")


def test_a_refusal_names_the_texts_within_nested_values(assay: Assay) -> None:
    """The path that `--map` needs, not the column that it lies in alone."""
    row = {"builder": {"answers": [{"data": GIVEN, "query": ASKED, "meta": {"a.b": "x y"}}]}, "n": 1}

    refused = assay("ingest", assay.write("t.jsonl", [row]), status=1)

    words = " ".join(refused.stderr.split())
    places = 'builder.answers[0].data, builder.answers[0].query, builder.answers[0].meta["a.b"], n'
    assert f"the row has {places} (use --map question=COLUMN)" in words
    paths = ("question=builder.answers[0].query", "answer=builder.answers[0].data")
    assert assay.json("ingest", "t.jsonl", *(part for path in paths for part in ("--map", path)))["added"] == 1


def test_ids_of_passages_stand_beside_them() -> None:
    """Ragas keeps them in a list of their own."""
    [item] = items("ragas", {**ROWS["ragas"][1], "retrieved_context_ids": ["d1"]})

    assert item.contexts == (Context(text=PASSAGE, id="d1"),)


def test_a_conversation_of_ragas_is_split() -> None:
    """Its messages say `type`, and the last of the human is the question."""
    messages = [{"type": "human", "content": "Hello"}, {"type": "ai", "content": "Good morning."}]
    messages += [{"type": "human", "content": ASKED}, {"type": "ai", "content": GIVEN}]

    [item] = items("ragas", {"user_input": messages, "reference": RIGHT})

    assert (item.question, item.answer, item.history) == (ASKED, GIVEN, HISTORY)


def test_every_answered_message_of_a_chat_is_an_answer() -> None:
    """An export of chats has no rating; ids are the messages', the group the chat."""
    messages = items("open_webui", {"id": "c1", "chat": {"history": {"messages": WEBUI}}})

    assert [(item.id, item.group) for item in messages] == [("m2", "c1"), ("m4", "c1")]
    assert messages[1].system == "small"
    assert messages[1].timestamp == "2026-11-21T08:00:00.000Z"


def test_a_path_of_the_user_comes_first() -> None:
    """The column that a format would take is then metadata."""
    source_format = next(each for each in SOURCE_FORMATS if each.name == "deepeval")
    row = {"input": "x", "actual_output": GIVEN, "extra": {"asked": ASKED}}

    [reading] = source_format.read(row, {"question": "extra.asked", "answer": "actual_output"})

    assert isinstance(reading, TrafficRow)
    assert reading.fields["question"] == ASKED
    assert reading.origins["question"] == Origin("extra.asked")


def test_a_row_without_an_answer_says_what_is_missing(assay: Assay) -> None:
    """It goes to quarantine as it came, and the rest goes in."""
    rows = [ROWS["openai chat"][1], {"messages": CHAT[:2]}]

    ingested = assay.json("ingest", assay.write("t.jsonl", rows), status=4)

    assert (ingested["added"], ingested["quarantined"]) == (1, 1)
    assert "no turn of the user that was answered" in ingested["reasons"][0]["reason"]
    assert json.loads(assay.sql("SELECT raw FROM quarantine")[0][0]) == rows[1]


SHARED = [{"from": "human", "value": ASKED}, {"from": "gpt", "value": GIVEN}]
LINE, SHARED_LINE = json.dumps(CHAT), json.dumps(SHARED)


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        (LINE, 1),
        (json.dumps(CHAT, indent=2), 1),
        (f"{LINE}\n{SHARED_LINE}\n", 2),
        (f"[{LINE}, {SHARED_LINE}]", 2),
        (f'{{"messages": {LINE}}}\n{SHARED_LINE}\n', 2),
    ],
    ids=["one array", "one pretty array", "an array a line", "an array of arrays", "objects and arrays"],
)
def test_an_array_of_messages_is_a_conversation(assay: Assay, text: str, answers: int) -> None:
    """Each gives the answer that the same messages give under `messages`, from the last exchange of each conversation."""
    ingested = assay.json("ingest", assay.write("talk.json", text))

    assert (ingested["added"], ingested["quarantined"]) == (answers, 0)
    assert set(assay.sql("SELECT id FROM items")) >= {(items("chat", {"messages": CHAT})[0].id,)}


@pytest.mark.parametrize(
    "rows",
    [
        [{**message, "conversation_id": str(place)} for place, message in enumerate(CHAT[1:3])],
        [*CHAT[1:3], {"role": "nurse", "content": "Yes."}],
        [*CHAT[1:3], 7],
    ],
    ids=["of several conversations", "a role that is none", "a number"],
)
def test_an_array_of_other_things_is_no_conversation(assay: Assay, rows: list[object]) -> None:
    """They are rows as before, of which none can be read, and no answer is made up from two conversations."""
    refused = assay("ingest", assay.write("talk.json", json.dumps(rows)), status=1)

    assert f"none of {len(rows)} rows can be read" in " ".join(refused.stderr.split())
    assert not assay.db.exists()


def test_scores_beside_the_rows_are_named(assay: Assay) -> None:
    """They stay metadata, and the screen says how they come in as scores."""
    row = {**ROWS["ragas"][1], "faithfulness": 0.5, "latency": 3}

    out = " ".join(assay("ingest", assay.write("t.jsonl", [row])).stdout.split())

    assert "read as Ragas (1 of the first 1 rows have its shape)" in out
    assert "question ← user_input; contexts ← retrieved_contexts; answer ← response; reference ← reference" in out
    assert "Kept as metadata: faithfulness, latency." in out
    assert "Scores of another tool: faithfulness. Bring them in with `assay scores import`." in out


def test_a_dry_run_shows_three_answers_and_keeps_nothing(assay: Assay) -> None:
    """There is not even a store after it, and what would stop the import is said."""
    rows = [{**traffic_row(f"a{n}"), "contexts": None, "page_content": "p", "documents": ["d"]} for n in range(5)]

    ingested = assay.json("ingest", assay.write("t.jsonl", rows), "--dry-run")

    assert not assay.db.exists()
    assert [example["id"] for example in ingested["examples"]] == ["a0", "a1", "a2"]
    assert (ingested["is_dry"], ingested["rows"], ingested["sources"][0]["format"]) == (True, 5, "own")
    assert "--map contexts=documents" in ingested["stop"]


def test_a_dry_run_masks_what_the_folder_masks(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is shown on a screen leaves the store's house."""
    monkeypatch.chdir(assay.folder)
    assay.write("assay.toml", "[redaction]\non = true\n")
    row = traffic_row("a", question="Write to jane.doe@example.org?")

    ingested = assay.json("ingest", assay.write("t.jsonl", [row]), "--dry-run")

    assert "jane.doe" not in json.dumps(ingested["examples"])


def test_paths_of_a_format_stand_in_the_settings(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table a format; the command line comes before it, and a wrong name is refused."""
    monkeypatch.chdir(assay.folder)
    assay.write("assay.toml", '[traffic.deepeval]\ngroup = "extra.chat"\nsystem = "name"\n')
    file = assay.write("t.jsonl", [{**ROWS["deepeval"][1], "name": "v2", "other": "v3", "extra": {"chat": "c7"}}])

    assay("ingest", file, "--map", "system=other")

    assert assay.sql('SELECT "group", system FROM items') == [("c7", "v3")]
    assay.write("assay.toml", '[traffic.deepval]\ngroup = "extra.chat"\n')
    assert "knows a table for each of own, otlp" in assay("ingest", file, status=2).stderr
    assay.write("assay.toml", '[traffic.deepeval]\ngrup = "extra.chat"\n')
    assert "not grup" in assay("ingest", file, status=2).stderr


def test_a_named_format_overrules_what_the_rows_look_like(assay: Assay) -> None:
    """A file that looks like DeepEval's can be read as our own."""
    file = assay.write("t.jsonl", [{**ROWS["deepeval"][1], "question": "Q?", "answer": "A."}])

    assay("ingest", file, "--format", "own", "--yes")

    assert assay.sql("SELECT question FROM texts") == [("Q?",)]


@pytest.mark.parametrize("column", ["ground_truth", "expected_output"])
def test_a_right_answer_beside_our_own_rows_is_the_reference(assay: Assay, column: str) -> None:
    """It used to be metadata."""
    row = {"question": ASKED, "answer": GIVEN, column: RIGHT}

    assay("ingest", assay.write("t.jsonl", [row]))

    assert assay.sql("SELECT reference FROM texts") == [(RIGHT,)]
