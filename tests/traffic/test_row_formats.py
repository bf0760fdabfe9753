"""Rows of other tools come in without a flag: the same answer from each, and what cannot be read says why."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from annotate.cli.context import TOOLS
from annotate.traffic.detection import detect
from annotate.traffic.formats import NAMES, SOURCE_FORMATS
from annotate.traffic.source_format import Origin, TrafficRow
from proxy.records import Context
from support.store import traffic_row
from support.tool_rows import ASKED, GIVEN, HISTORY, PASSAGE, RIGHT, ROWS, WEBUI, items

SAMPLES = Path(__file__).parents[1] / "samples"
WITHOUT_SAMPLE = {"label_studio", "trulens_records", "chat", "qa"}


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


@pytest.mark.parametrize("sources", [[{"text": PASSAGE, "title": "guide.pdf"}], []])
def test_a_response_that_holds_its_sources_is_taken_apart(sources: list[object]) -> None:
    """As AnythingLLM exports its chats; what else the object holds is kept."""
    response = json.dumps({"text": GIVEN, "sources": sources, "type": "chat"})

    [item] = items("qa", {"prompt": ASKED, "response": response})

    assert (item.answer, [context.text for context in item.contexts]) == (GIVEN, [PASSAGE][: len(sources)])
    assert item.metadata == {"response": response}


def test_an_answer_in_json_stays_whole() -> None:
    """An app may well have asked for an object."""
    response = json.dumps({"answer": GIVEN, "confidence": 0.5})

    assert items("qa", {"prompt": ASKED, "response": response})[0].answer == response
