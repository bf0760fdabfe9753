"""Options that are proposed for a file of which no row can be read: obeyed, they read what they say."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

import pytest

from annotate.domain.field_mapping import parse_mapping
from annotate.traffic.near_names import proposed_paths
from annotate.traffic.rows import item_from_row

ASKED, GIVEN, PASSAGE = "When did ward 3 move?", "In 2018.", "Ward 3 moved in 2019."


@pytest.mark.parametrize(
    "row",
    [
        {"question": ["q"], "answer": {"x": 1}},
        {"question": {"text": "q", "content": "c"}, "answer": {"x": 1}},
        {"text": "hello"},
        {"data": {"text": "hello"}},
        {"user": "u17", "response": {"text": "a"}},
        {"question": {"x": 1}, "answer": ["a"]},
        {"query": "q", "query_by": {"type": "ai"}, "reference_contexts": ["c"], "reference_answer": "a"},
        {"doc": {"question": "q", "answer": "a"}, "target": "a"},
        {"Customer Message": "q", "Expected Reply": "a"},
        {"run": {"steps": {"query": "q", "expected": {"answer": "a"}}}},
        {"run": {"steps": {"query": "q", "documents": [{"answer": "a"}]}}},
    ],
    ids=str,
)
def test_nothing_is_proposed_where_one_text_would_be_both(row: Mapping[str, object]) -> None:
    """A question must not be stored as the answer, nor somebody's id as the question."""
    assert proposed_paths(row, {}) == ()


@pytest.mark.parametrize(
    "row",
    [
        {"user_query": ASKED, "assistant": GIVEN, "docs": [PASSAGE]},
        {"user": ASKED, "assistant": GIVEN, "docs": [PASSAGE]},
        {"Customer Message": ASKED, "Bot Reply": GIVEN, "Bot Message": "hi", "documents": [{"snippet": PASSAGE}]},
        {"doc": {"question": ASKED, "answer": "In 2019."}, "target": "In 2019.", "resps": [[GIVEN]], "docs": [PASSAGE]},
        {"userQuestion": ASKED, "agent_answer": GIVEN, "reference_answer": GIVEN, "context": PASSAGE},
        {"input": {"text": ASKED}, "output": {"text": GIVEN}, "documents": [{"content": {"text": PASSAGE}}]},
        {"human": ASKED, "ai": GIVEN, "context": PASSAGE},
        {"question": [ASKED], "answer": [GIVEN], "docs": [PASSAGE]},
        {"question": {"text": ASKED}, "model_answer": {"text": GIVEN}, "passages": [PASSAGE]},
        {"data": {"query": ASKED, "response": GIVEN}, "sources": [{"text": PASSAGE}]},
        {"builder": {"answers": [{"data": GIVEN, "query": ASKED, "documents": [{"id": "d1", "content": PASSAGE}]}]}},
        {
            "input": {"text": ASKED},
            "output": {"text": GIVEN},
            "citations": [
                {"generatedPart": {"part": {"text": GIVEN}}, "retrievedReferences": [{"content": {"text": PASSAGE}}]}
            ],
        },
        {"inputs": {"question": ASKED}, "outputs": {"answer": GIVEN, "retrieved": [{"id": "d1", "content": PASSAGE}]}},
    ],
    ids=str,
)
def test_what_is_proposed_reads_the_row(row: Mapping[str, object]) -> None:
    """The options, parsed as the command parses them, give question, answer and passage of the row."""
    options = shlex.split(" ".join(proposed_paths(row, {})))
    paths = parse_mapping([option for option in options if option != "--map"], ("question", "answer", "contexts"))

    item = item_from_row(row, paths)

    assert (item.question, item.answer, [context.text for context in item.contexts]) == (ASKED, GIVEN, [PASSAGE])
