"""Times, conversations and passages that lie deep within rows: each format says that they are absent, and where they may be."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from annotate.traffic.near_names import proposed_paths
from annotate.traffic.nested_fields import nested_conversation, nested_time
from support.store import Assay, traffic_row

AT = "2026-11-20T08:00:00Z"


def activity(role: str, text: str, **changes: object) -> dict[str, object]:
    return {"type": "message", "timestamp": AT, "from": {"id": role, "role": role}, "text": text, **changes}


TRANSCRIPT = {
    "id": "t1",
    "activities": [
        activity("user", "Where is ward 3?"),
        activity(
            "bot",
            "Upstairs.",
            entities=[{"citation": [{"position": n, "appearance": {"abstract": f"Ward {n}."}} for n in (3, 4)]}],
        ),
    ],
    "properties": {"Session": "s1"},
}
MESSAGES = [{"role": "user", "content": "Where is ward 3?"}, {"role": "assistant", "content": "Upstairs."}]
CALL = {
    "id": "s1",
    "trace_id": "t1",
    "parent_id": None,
    "inputs": {"question": "Where is ward 3?"},
    "outputs": {"answer": "Upstairs."},
    "more": {"conversationKey": "s1"},
}


def told(assay: Assay, *rows: dict[str, Any]) -> list[str]:
    """The options that an import names, as arguments."""
    words = " ".join(assay("ingest", assay.write("t.json", json.dumps(rows))).stdout.split())
    options = [part for part in words.split("`") if part.startswith("--map") and not part.endswith(("PATH", "COLUMN"))]
    return [argument for option in options for argument in shlex.split(option)]


def test_what_a_chat_log_lacks_is_proposed_from_within(assay: Assay) -> None:
    """The options that are named read time, conversation and the passages of citations."""
    options = told(assay, TRANSCRIPT)

    assay("ingest", "t.json", *options)

    assert assay.sql('SELECT timestamp, "group" FROM items WHERE is_current') == [("2026-11-20T08:00:00.000Z", "s1")]
    [(contexts,)] = assay.sql("SELECT texts.contexts FROM texts JOIN items USING (key) WHERE is_current")
    assert json.loads(contexts) == ["Ward 3.", "Ward 4."]


@pytest.mark.parametrize(
    ("row", "option"),
    [
        ({**traffic_row("a"), "metadata": {"conversation": "c1"}}, "group=metadata.conversation"),
        ({"messages": MESSAGES, "properties": {"Session": "s1"}}, "group=properties.Session"),
        ({"messages": MESSAGES, "extra": json.dumps({"created_at": AT})}, "timestamp=extra.created_at"),
        (CALL, "group=more.conversationKey"),
    ],
)
def test_every_format_says_where_they_may_be(assay: Assay, row: dict[str, Any], option: str) -> None:
    assert option in told(assay, row)


def test_what_a_document_says_of_itself_is_no_time_of_the_answer() -> None:
    """Nor is a duration, an id of a trace, or what stands in a column of its own."""
    row = {
        "documents": [{"created_at": AT}],
        "usage": {"time": 0.9},
        "m": {"trace_id": "t"},
        "created": AT,
        "thread": 1,
    }

    assert (nested_time([row]), nested_conversation([row])) == (None, None)


def test_passages_are_proposed_with_their_ids() -> None:
    """A retriever's objects are taken whole where they can be read; their texts alone would lose ids and scores."""
    documents = [{"id": "d1", "content": "Ward 3 is upstairs.", "score": 0.5}]
    row = {"out": {"answers": [{"data": "Upstairs.", "query": "Where is ward 3?", "documents": documents}]}}

    assert "--map 'contexts=out.answers[*].documents[*]'" in proposed_paths(row, {})


def test_rows_with_the_same_content_are_said_to_be_repeats(assay: Assay) -> None:
    """Those of one file; what came in before is no repeat of this import."""
    rows = [{"question": "Where?", "answer": "Here.", "contexts": ["A"], "n": n // 2} for n in range(4)]
    file = assay.write("t.jsonl", rows)

    done, again = assay.json("ingest", file), assay.json("ingest", file)

    assert (done["added"], done["repeated"], again["repeated"]) == (1, 3, 0)
    words = " ".join(
        assay("ingest", assay.write("u.jsonl", [{**row, "answer": "There."} for row in rows])).stdout.split()
    )
    assert "3 rows were taken as repeats of other answers of this import" in words


def test_ids_that_are_made_of_the_content_are_said_of_other_formats(assay: Assay) -> None:
    """Chat logs without ids among them."""
    words = assay("ingest", assay.write("t.jsonl", [{"messages": MESSAGES}])).stdout

    assert "made from the content" in " ".join(words.split())
