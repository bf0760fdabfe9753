"""Spans that come again say something else: they revise the answer, or it is said why they do not."""

from __future__ import annotations

from typing import Any

import pytest

from support.spans import span
from support.store import Assay

TEXTS = "SELECT i.revision, t.answer, t.contexts FROM items i JOIN texts t USING (key) WHERE i.is_current"


def root(**changes: Any) -> dict[str, Any]:
    """A trace of one span, with an answer and a passage."""
    whole = span("t1", "a", None, 0, input_value="Where is ward 3?", output_value="Upstairs.")
    whole["attributes"] |= {  # type: ignore[operator]
        "openinference.span.kind": "CHAIN",
        "retrieval.documents.0.document.content": "Ward 3 is upstairs.",
    }
    return {**whole, **changes}


def with_answer(answer: str, **changes: Any) -> dict[str, Any]:
    """The same span with another answer."""
    whole = root(**changes)
    return {**whole, "attributes": {**whole["attributes"], "output.value": answer}}


EARLIER = {"end_time": "2026-11-20T08:00:00.500+00:00"}
NO_END = {"end_time": None}


def test_another_answer_with_the_same_times_revises_though_it_holds_less(assay: Assay) -> None:
    """The passage is missing in the later file: nothing tells that the first was right."""
    assay("ingest", assay.write("1.jsonl", [root()]))
    later = with_answer("Downstairs.")
    del later["attributes"]["retrieval.documents.0.document.content"]

    assert assay.json("ingest", assay.write("2.jsonl", [later]))["revised"] == 1
    assert assay.sql(TEXTS) == [(2, "Downstairs.", "[]")]


@pytest.mark.parametrize("times", [EARLIER, NO_END])
def test_an_older_state_with_another_answer_is_named(assay: Assay, times: dict[str, Any]) -> None:
    """It changes nothing, and the option that is printed takes it; the first file again is then the older one."""
    first = assay.write("1.jsonl", [root()])
    assay("ingest", first)
    second = assay.write("2.jsonl", [with_answer("Downstairs.", **times)])

    text = " ".join(assay("ingest", second).stdout.split())
    kept = assay.sql(TEXTS)
    corrected = assay.json("ingest", second, "--revisions")
    again = assay.json("ingest", first)

    assert "1 span says something else than the same span here" in text
    assert "`--revisions` takes the one of the file" in text
    assert kept == [(1, "Upstairs.", '["Ward 3 is upstairs."]')]
    assert (corrected["revised"], corrected["outranked"]) == (1, 0)
    assert (again["revised"], again["outranked"]) == (0, 1)
    assert assay.sql(TEXTS) == [(2, "Downstairs.", '["Ward 3 is upstairs."]')]


def test_a_call_that_has_only_begun_says_nothing_else(assay: Assay) -> None:
    """As of tools that log it as it starts and as it ends."""
    started = root(**NO_END)
    started["attributes"] = {"openinference.span.kind": "CHAIN", "input.value": "Where is ward 3?"}
    assay("ingest", assay.write("1.jsonl", [root(), started]))

    again = assay.json("ingest", assay.write("2.jsonl", [started, root()]))

    assert (again["revised"], again["outranked"]) == (0, 0)
    assert assay.sql(TEXTS) == [(1, "Upstairs.", '["Ward 3 is upstairs."]')]


def test_of_two_states_in_a_file_of_corrections_the_later_end_counts(assay: Assay) -> None:
    """Whatever stands first."""
    assay("ingest", assay.write("1.jsonl", [root()]))
    states = [with_answer("Downstairs."), with_answer("Next door.", **EARLIER)]

    assay("ingest", assay.write("2.jsonl", states), "--revisions")

    assert assay.sql(TEXTS) == [(2, "Downstairs.", '["Ward 3 is upstairs."]')]


def test_spans_whose_roots_come_late_in_the_file_keep_their_fields(
    assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first rows are searches alone; the option of the earlier import is missing."""
    monkeypatch.setattr("annotate.workflow.ingest.check_known.FIRST_ROWS", 3)
    searches = [span(f"t{number}", f"b{number}", f"a{number}", 1, input_value="q") for number in range(8)]
    roots = [span(f"t{number}", f"a{number}", None, 0, input_value="Where?", output_value="Up.") for number in range(8)]
    for row in roots:
        row["attributes"] |= {"openinference.span.kind": "CHAIN", "tenant": "north"}  # type: ignore[operator]
    file = assay.write("t.jsonl", [*searches, *roots])
    assay("ingest", file, "--map", "group=attributes.tenant")

    stopped = assay("ingest", file, status=1).stderr

    assert "3 of the first 3 answers are here with group, which this import would take from them" in stopped
    assert assay.sql('SELECT DISTINCT "group" FROM items') == [("north",)]
    assert assay.json("ingest", file, "--revisions")["updated"] == 8
