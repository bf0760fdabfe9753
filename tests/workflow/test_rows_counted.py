"""The rows that an import counts are those of the file, however many answers, spans and votes a row holds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.store import Assay


def mlflow(number: int) -> dict[str, Any]:
    """A trace with a root, a retriever and a user's thumb."""
    trace = f"tr-{number}"
    question, answer = json.dumps({"question": f"Where is ward {number}?"}), json.dumps("Upstairs.")
    passages = json.dumps([{"page_content": "Wards are upstairs.", "metadata": {}, "id": "d1"}])
    root = {"mlflow.spanType": '"CHAIN"', "mlflow.spanInputs": question, "mlflow.spanOutputs": answer}
    retriever = {"mlflow.spanType": '"RETRIEVER"', "mlflow.spanInputs": question, "mlflow.spanOutputs": passages}
    vote = {
        "assessment_name": "thumb",
        "source": {"source_type": "HUMAN", "source_id": "u7"},
        "feedback": {"value": False},
    }
    return {
        "info": {"trace_id": trace, "request_time": "2026-11-02T10:00:00Z", "assessments": [vote]},
        "data": {
            "spans": [
                {"trace_id": trace, "span_id": f"{2 * number + 1:016x}", "attributes": root},
                {
                    "trace_id": trace,
                    "span_id": f"{2 * number + 2:016x}",
                    "parent_span_id": f"{2 * number + 1:016x}",
                    "attributes": retriever,
                },
            ]
        },
    }


def open_webui(number: int) -> dict[str, Any]:
    """A thumb with the chat that it was given in."""
    messages = {
        "m1": {"role": "user", "content": f"Where is ward {number}?"},
        f"a{number}": {"role": "assistant", "parentId": "m1", "content": "Upstairs."},
    }
    return {
        "id": f"f{number}",
        "type": "rating",
        "data": {"rating": -1},
        "meta": {"chat_id": f"c{number}", "message_id": f"a{number}"},
        "snapshot": {"chat": {"chat": {"history": {"messages": messages}}}},
    }


@pytest.mark.parametrize("record", [mlflow, open_webui])
def test_a_record_with_its_thumb_is_one_row(assay: Assay, record: Any) -> None:
    done = assay.json("ingest", assay.write("t.json", json.dumps([record(n) for n in range(3)])))

    assert (done["rows"], done["added"], done["feedback"], done["quarantined"]) == (3, 3, 3, 0)


def test_a_chat_of_two_answers_of_which_one_is_empty_is_one_row(assay: Assay) -> None:
    """Though a part of it goes to quarantine."""
    messages = {
        "m1": {"role": "user", "content": "Where is ward 3?"},
        "m2": {"role": "assistant", "parentId": "m1", "content": "Upstairs."},
        "m3": {"role": "user", "parentId": "m2", "content": "Which floor?"},
        "m4": {"role": "assistant", "parentId": "m3", "content": ""},
    }
    chat = {"id": "c1", "chat": {"history": {"messages": messages}}}

    done = assay.json("ingest", assay.write("t.json", json.dumps([chat])), status=4)

    assert (done["rows"], done["added"], done["quarantined"]) == (1, 1, 1)
