"""Users' feedback in the rows of traffic itself: ingest names the command that brings it in, and that command finds each answer."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from support.store import Assay, traffic_row

GERMAN = [
    {"Frage": "Wo ist Station 3?", "Antwort": "Oben.", "Datum": f"0{n + 1}.11.2026 08:00", "Bewertung": mark}
    for n, mark in enumerate(("gut", "schlecht", ""))
]
NAMED = [traffic_row(f"a{n}") for n in range(3)]
MESSAGES = [{"role": "user", "content": "Where?"}, {"role": "assistant", "content": "Here."}]
ROWS: dict[str, tuple[list[dict[str, Any]], list[str]]] = {
    "a column": ([{**row, "feedback_rating": vote} for row, vote in zip(NAMED, (True, False, None), strict=True)], []),
    "an object that may be null": (
        [
            {**row, "feedback": vote}
            for row, vote in zip(NAMED, ({"rating": "like"}, {"rating": "dislike"}, None), strict=True)
        ],
        [],
    ),
    "a chat log": (
        [
            {"request_id": f"r{n}", "messages": MESSAGES, "properties": {"thumb": vote}}
            for n, vote in enumerate((1, -1, None))
        ],
        [],
    ),
    "rows without an id that differ in their time alone": (
        GERMAN,
        ["--map", "question=Frage", "--map", "answer=Antwort", "--map", "timestamp=Datum"],
    ),
}


def command(words: str) -> list[str]:
    """The command that the screen names, without its store."""
    named = next(part for part in " ".join(words.split()).split("`") if part.startswith("assay feedback"))
    return shlex.split(named.partition(" --db ")[0])[1:]


@pytest.mark.parametrize("name", ROWS)
def test_the_command_that_is_named_brings_the_votes_in(assay: Assay, name: str) -> None:
    """One up, one down, and one without a vote, which is no error; and `assay feedback` alone names the same options."""
    rows, options = ROWS[name]
    file = assay.write("my traffic.jsonl", rows)

    named = command(assay("ingest", file, *options).stdout)
    done = assay.json(*[file if part == "my traffic.jsonl" else part for part in named])

    assert (done["new"], done["thumbs_up"], done["thumbs_down"]) == (2, 1, 1)
    assert (done["unmatched"], done["quarantined"], done["none"]) == (0, 0, {"no_vote": 1})


@pytest.mark.parametrize("name", ROWS)
def test_feedback_that_is_in_is_named_no_more(assay: Assay, name: str) -> None:
    """Nor in a dry run; a vote that is not in is named again."""
    rows, options = ROWS[name]
    file = assay.write("my traffic.jsonl", rows)
    named = command(assay("ingest", file, *options).stdout)
    assay(*[file if part == "my traffic.jsonl" else part for part in named])

    for words in (["ingest", file, *options], ["ingest", file, *options, "--dry-run"]):
        assert "feedback stands beside" not in assay(*words).stdout

    other = assay.write("later.jsonl", [{**traffic_row("z"), "feedback_rating": True}])
    assert "feedback stands beside" in assay("ingest", other).stdout


def test_feedback_alone_names_the_options_where_it_could_read_none(assay: Assay) -> None:
    """It does not send the user back to ingest, which has no place for votes."""
    file = assay.write("t.jsonl", ROWS["a chat log"][0])

    stopped = assay("feedback", file, status=1).stderr

    assert "add --map value=properties.thumb --map item_id=request_id" in stopped


def test_a_path_to_nothing_is_no_vote_that_is_empty(assay: Assay) -> None:
    """Where no row has it, the import stops."""
    file = assay.write("t.jsonl", [{**traffic_row("a"), "feedback": {"rating": "like"}}])

    stopped = assay("feedback", file, "--map", "value=feedback.ratin", "--map", "item_id=id", status=1).stderr

    assert "did you mean --map value=feedback.rating?" in stopped


@pytest.mark.parametrize(
    "row",
    [
        {"metadata": {"feedback": "see the ticket"}},
        {"rating": None},
        {"stars_of_hotel": "nice"},
        {"documents_feedback": {"text": "a"}},
    ],
)
def test_what_is_no_vote_is_not_named(assay: Assay, row: dict[str, Any]) -> None:
    done = assay.json("ingest", assay.write("t.jsonl", [{**traffic_row("a"), **row}]))

    assert done["sources"][0]["thumbs"] == []


def test_a_vote_that_may_be_of_several_answers_waits_in_quarantine(assay: Assay) -> None:
    """Two answers with the same words, and no time that tells them apart."""
    rows = [{**traffic_row(name), "question": "Where?", "answer": "Here."} for name in "ab"]
    assay("ingest", assay.write("t.jsonl", rows))
    votes = [
        {"question": "Where?", "answer": "Here.", "value": "up"},
        {"question": "Who?", "answer": "She.", "value": 1},
    ]

    done = assay.json("feedback", assay.write("v.jsonl", json.dumps(votes)), status=4)

    assert done["new"] == 0
    reasons = sorted(row["reason"] for row in assay.quarantine())
    assert reasons[0].startswith("2 items have this question and answer: add --map system=COLUMN")
    assert reasons[1].startswith("there is no item with this question and answer")
