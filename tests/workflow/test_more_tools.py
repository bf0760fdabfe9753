"""Files of tools that no format of ours names: what the screen proposes reads them, and proposes nothing that is wrong."""

from __future__ import annotations

import csv
import re
import shlex
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from annotate import Project
from support.store import Assay

QUESTIONS = ["Can I park at night?", "When did ward 3 move?"]
ANSWERS = ["Yes, all night.", "It moved in 2018."]
PASSAGES = [["The car park is open.", "Bicycles stand at gate 2."], ["Ward 3 moved in 2019.", "Ward 4 did not."]]


def bedrock() -> list[dict[str, Any]]:
    """What an evaluation of Bedrock's knowledge bases writes, with the right answer beside what was retrieved."""
    return [
        {
            "conversationTurns": [
                {
                    "inputRecord": {
                        "prompt": {"content": [{"text": question}]},
                        "referenceResponses": [{"content": [{"text": "The right answer."}]}],
                    },
                    "output": {
                        "text": answer,
                        "knowledgeBaseIdentifier": "kb",
                        "retrievedPassages": {
                            "retrievalResults": [{"content": {"text": text}, "metadata": {}} for text in texts]
                        },
                    },
                    "results": [{"metricName": "Builtin.Correctness", "result": 0.5}],
                }
            ]
        }
        for question, answer, texts in zip(QUESTIONS, ANSWERS, PASSAGES, strict=True)
    ]


def langwatch() -> list[dict[str, Any]]:
    """Traces of LangWatch: a number of a model's beside the question, a user's vote among the events."""
    return [
        {
            "trace_id": f"trace_{number}",
            "metadata": {"thread_id": "th1"},
            "input": {"value": question, "satisfaction_score": 0.1},
            "output": {"value": answer},
            "spans": [{"type": "rag", "contexts": [{"document_id": text[:3], "content": text} for text in texts]}],
            "events": [{"event_type": "thumbs_up_down", "metrics": {"vote": vote}}],
        }
        for number, (question, answer, texts, vote) in enumerate(
            zip(QUESTIONS, ANSWERS, PASSAGES, (1, -1), strict=True)
        )
    ]


def proposed(text: str) -> list[str]:
    """The words of the command that a message prints, without the store."""
    match = re.search(r"`assay ([^`]*)`", " ".join(text.split()))
    assert match is not None, text
    words = shlex.split(match[1])
    return words[: words.index("--db")] if "--db" in words else words


@pytest.mark.parametrize("rows", [bedrock(), langwatch()], ids=["bedrock", "langwatch"])
def test_the_command_on_the_screen_reads_question_answer_and_passages(assay: Assay, rows: list[dict[str, Any]]) -> None:
    """No right answer among the passages, and no output as the question."""
    stopped = assay("ingest", assay.write("t.jsonl", rows), status=1).stderr

    assay(*proposed(stopped))

    items = Project.open(assay.db).items().sort_values("question")
    assert list(items.question) == QUESTIONS
    assert list(items.answer) == ANSWERS
    assert [list(texts) for texts in items.contexts] == PASSAGES


def test_the_id_of_each_trace_is_no_conversation(assay: Assay) -> None:
    """The answers' own thread lies deeper, and the screen names it."""
    file = assay.write("t.jsonl", langwatch())
    words = proposed(assay("ingest", file, status=1).stderr)

    text = " ".join(assay(*words).stdout.split())

    assert "group=trace_id" not in words
    assert "--map group=metadata.thread_id" in text


def test_a_number_with_decimals_is_no_vote(assay: Assay) -> None:
    """A model gave it; the users' vote is proposed."""
    file = assay.write("t.jsonl", langwatch())
    text = " ".join(assay(*proposed(assay("ingest", file, status=1).stderr)).stdout.split())

    assert "satisfaction_score" not in text.partition("Users' feedback")[2]
    assert "--map 'value=events[0].metrics.vote' --map item_id=trace_id" in text


@pytest.mark.parametrize(
    ("beside", "path"),
    [
        ({"feedback": [{"value": 5, "weight": 1}]}, "feedback[0].value"),
        ({"rated": {"thumb": {"kind": "like_dislike", "value": 1}}}, "rated.thumb.value"),
        ({"checks": [{"feedback": {"value": 1}, "by": "LLM"}]}, None),
    ],
)
def test_a_vote_under_a_bare_value_is_named(assay: Assay, beside: dict[str, Any], path: str | None) -> None:
    """By the column of a gateway's log, or by the thumb that it belongs to; what lies deeper may be a judge's."""
    rows = [{"id": f"a{number}", "question": text, "answer": "Yes.", **beside} for number, text in enumerate(QUESTIONS)]

    text = " ".join(assay("ingest", assay.write("t.jsonl", rows)).stdout.split())

    assert (f"value={path}" in text) is (path is not None)
    assert ("Users' feedback stands beside" in text) is (path is not None)


def test_nan_is_no_question_and_a_place_no_passage(assay: Assay) -> None:
    """As HoneyHive's events have them: a score that is none, and the name of a deployment."""
    rows = [
        {"event_id": "m", "source": "prod", "inputs": {}, "outputs": {"content": "A."}, "metrics": {"Faith": "NaN"}},
        {"event_id": "n", "source": "prod", "inputs": {}, "outputs": {"content": "B."}, "metrics": {"Faith": 0.9}},
    ]
    own = [{"id": f"a{n}", "question": f"{n}?", "answer": "Yes.", "source": "prod"} for n in range(2)]

    stopped = assay("ingest", assay.write("t.jsonl", rows), status=1).stderr

    assert "question=metrics" not in stopped
    assert "contexts=source" not in stopped
    assert assay.json("ingest", assay.write("own.jsonl", own))["added"] == 2


def test_turns_in_a_column_of_another_name_are_proposed_as_the_history(assay: Assay) -> None:
    """Ids made of the content would change with them, and the same answers are not taken twice."""
    turns = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]
    rows = [
        {"question": question, "answer": answer, "conversation_history": turns}
        for question, answer in zip(QUESTIONS, ANSWERS, strict=True)
    ]
    file = assay.write("t.jsonl", rows)

    text = " ".join(assay("ingest", file).stdout.split())
    stopped = assay("ingest", file, "--map", "history=conversation_history", status=1).stderr
    anew = Assay(assay.db.parent, assay.db.parent / "new.db")
    anew("ingest", file, "--map", "history=conversation_history")

    assert "conversation_history holds the turns before the question: `--map history=conversation_history`" in text
    assert "each would count twice" in " ".join(stopped.split())
    assert "conversation_history" not in assay.json("ingest", file)["sources"][0]["fields"]
    assert [len(history) for history in Project.open(anew.db).items().history] == [2, 2]


@pytest.mark.parametrize("orient", ["columns", "index", "split", "records"])
def test_a_table_that_pandas_wrote_as_json_has_all_its_rows(assay: Assay, tmp_path: Path, orient: str) -> None:
    """`to_json` alone writes an object a column, of which one row would be read; NaN stays out."""
    frame = pd.DataFrame({"question": QUESTIONS, "answer": ANSWERS, "contexts": PASSAGES, "Recall": [0.5, None]})
    file = tmp_path / "frame.json"
    frame.to_json(file, orient=orient)  # type: ignore[call-overload]

    assert assay.json("ingest", str(file))["added"] == 2

    items = Project.open(assay.db).items().sort_values("question")
    assert list(items.question) == QUESTIONS
    assert [list(texts) for texts in items.contexts] == PASSAGES


def test_a_conversation_in_a_flat_column_is_proposed_as_the_group(assay: Assay) -> None:
    """As Azure's evaluations have it."""
    rows = [
        {"inputs.query": question, "inputs.response": answer, "inputs.conversation_id": "c1"}
        for question, answer in zip(QUESTIONS, ANSWERS, strict=True)
    ]

    assay(*proposed(assay("ingest", assay.write("t.jsonl", rows), status=1).stderr))

    assert set(Project.open(assay.db).items()["group"]) == {"c1"}


def test_scores_in_columns_of_spans_come_in_with_them(assay: Assay, tmp_path: Path) -> None:
    """As Arize exports them; where its judge gave nothing that can be read there is none."""
    rows = [
        {
            "context.trace_id": f"{number + 1:032x}",
            "context.span_id": f"{number + 1:016x}",
            "parent_id": "",
            "attributes.openinference.span.kind": "CHAIN",
            "attributes.input.value": question,
            "attributes.output.value": answer,
            "eval.User frustration.score": score,
            "eval.User frustration.label": label,
            "eval.User frustration.explanation": "It says so.",
        }
        for number, (question, answer, (score, label)) in enumerate(
            zip(QUESTIONS, ANSWERS, [("0.5", "partly"), ("NaN", "NOT_PARSABLE")], strict=True)
        )
    ]
    file = tmp_path / "spans.csv"
    with file.open("w", newline="", encoding="utf-8") as out:
        table = csv.DictWriter(out, list(rows[0]))
        table.writeheader()
        table.writerows(rows)

    done = assay.json("ingest", str(file))

    assert (done["added"], done["scores"], done["evaluations"]) == (2, 1, ["User_frustration"])
    assert done["feedback"] == 0
    assert list(Project.open(assay.db).scores().value) == [0.5]
