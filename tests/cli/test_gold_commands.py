"""The gold commands as a team uses them: review, decide, mark, release, compare and export."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from annotate.cli import main
from annotate.cli.gold import review
from support.store import Assay, kept, traffic_row

QUESTIONS = {
    "a": "How do I reset my password?",
    "b": "How can I reset my password?",
    "c": "Dose for 5 mg?",
    "d": "Why?",
}


@kept
def team(assay: Assay) -> Assay:
    """Two answers to one question, one called right and one corrected; a correction; a wrong answer without a reference."""
    assay(
        "ingest", assay.write("t.jsonl", [traffic_row(n, question=q, answer=f"A {n}.") for n, q in QUESTIONS.items()])
    )
    labels = [
        {"item_id": "a", "label": "right", "annotator": "ann"},
        {"item_id": "b", "label": "wrong", "annotator": "bob", "reference": "Ask the wiki."},
        {"item_id": "d", "label": "wrong", "annotator": "bob"},
    ]
    assay("labels", "import", assay.write("l.jsonl", labels))
    assay("feedback", assay.write("f.jsonl", [{"item_id": "c", "value": -1, "correction": "Two.", "source": "web"}]))
    return assay


def ids(assay: Assay) -> dict[str, str]:
    """Gold ids by item id."""
    return {str(entry["item_id"]): str(entry["gold_id"]) for entry in assay.json("gold", "list")["gold"]}


def test_review_on_a_terminal_takes_one_key_each(team: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """Retire, a key that is none, edit in the editor, accept: kept under the name of who pressed."""
    keys: Iterator[str] = iter(["r", "?", "e", "a"])
    monkeypatch.setattr(review, "is_terminal", lambda: True)
    monkeypatch.setattr(click, "getchar", lambda: next(keys))
    monkeypatch.setenv("EDITOR", "ed")
    monkeypatch.setattr(click, "edit", lambda text, require_save: f"{text} Edited.")
    output = team("gold", "review").stdout

    assert "3 decided; 0 wait" in output
    entries = {entry["item_id"]: (entry["status"], entry["reference"]) for entry in team.json("gold", "list")["gold"]}
    assert entries == {"a": ("candidate", "A a. Edited."), "b": ("retired", "Ask the wiki."), "c": ("accepted", "Two.")}
    assert team.sql("SELECT DISTINCT who FROM gold_revisions WHERE why IS NOT NULL OR status = 'accepted'") == [
        ("tester",)
    ]


@pytest.mark.parametrize(("typed", "reference"), [("Room 2.", "Room 2."), ("", "Ask the wiki.")])
def test_without_an_editor_of_ones_own_a_line_is_asked_for(
    team: Assay, monkeypatch: pytest.MonkeyPatch, typed: str, reference: str
) -> None:
    """No editor is started that would ask which one to take; what is typed is the reference, and Enter keeps the old one."""
    keys = iter(["e", "q"])
    monkeypatch.setenv("VISUAL", "")
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.setattr(review, "is_terminal", lambda: True)
    monkeypatch.setattr(click, "getchar", lambda: next(keys))
    monkeypatch.setattr(click, "edit", lambda *_, **__: pytest.fail("an editor was started"))
    result = CliRunner().invoke(main, ["gold", "review", "--db", str(team.db)], input=f"{typed}\n")

    assert result.exit_code == 0
    assert f"{int(bool(typed))} decided" in result.stdout
    assert {entry["item_id"]: entry["reference"] for entry in team.json("gold", "list")["gold"]}["b"] == reference


def test_review_goes_on_after_a_refusal_and_stops_at_q(team: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """One's own is refused with a line; later and stop decide nothing."""
    monkeypatch.setenv("ASSAY_USER", "BOB")
    team("gold", "policy", "--second-person")
    keys = iter(["a", "l", "q"])
    monkeypatch.setattr(review, "is_terminal", lambda: True)
    monkeypatch.setattr(click, "getchar", lambda: next(keys))
    output = team("gold", "review").stdout

    assert "not done: " in output
    assert "second person" in output
    assert "0 decided; 3 wait" in output


@pytest.mark.slow
def test_each_command_says_in_words_and_as_data_what_it_did(team: Assay) -> None:
    """Lists, decisions, duplicates, history, marks and releases; the keys are those of the records."""
    names = ids(team)
    assert "2 need a look of their own:" in team("gold", "accept", "--all").stdout
    assert set(team.json("gold", "accept", "--all")) == {
        *("schema", "answer", "status", "next", "notes"),
        *("changed", "corrections", "own", "withheld", "candidate", "accepted", "retired", "test_questions"),
    }
    assert [pair["conflict"] for pair in team.json("gold", "duplicates")["pairs"]] == [True]
    assert "Ask the wiki." in team("gold", "duplicates").stdout
    team("gold", "accept", names["a"])
    made = team.json("gold", "release", "v1")
    rows = [{"item_id": "a", "label": "wrong", "annotator": "ann", "at": "2026-11-21T08:00:00Z"}]
    team("labels", "import", team.write("later.jsonl", rows))
    assert "Note: the label says wrong since 2026-11-21" in team("gold", "review").stdout
    assert team.json("gold", "review")["waiting"][0]["gold_id"] == names["a"]
    assert "accepted, flagged" in team("gold", "list").stdout
    assert "the label says wrong since 2026-11-21" in team("gold", "list", "--full").stdout
    assert "stays as it is" in team("gold", "keep", names["a"], "--why", "the leaflet agrees").stdout
    assert "is not flagged" in team("gold", "keep", names["a"], "--why", "again").stdout
    assert (
        team.json("gold", "edit", names["a"], "--reference", "Better.", "--why", "shorter")["entry_status"]
        == "accepted"
    )
    assert team.json("gold", "history", names["a"])["revisions"][-1]["why"] == "shorter"
    assert team("gold", "history", names["a"]).stdout.count("    Reference: ") == 5
    marked = team.json("gold", "mark", names["a"], "--knowledge-base-lacks")
    assert (marked["changed"], marked["knowledge_base_lacks"]) == (1, 1)
    assert "Marked as what the knowledge base lacks: 1." in team("gold", "list").stdout
    team("gold", "release", "v2")
    assert [release["name"] for release in team.json("gold", "releases")["releases"]] == ["v1", "v2"]
    assert made["hash"] in team("gold", "releases", "--full").stdout
    assert team.json("gold", "diff", "v1", "v2")["changed"] == [names["a"]]
    assert "another mark" in team("gold", "diff", "v1", "v2").stdout
    policy = team.json("gold", "policy", "--second-person")
    assert (policy["second_person"], policy["traffic_references"]) == (True, False)


@pytest.mark.parametrize(
    ("args", "advice"),
    [
        (("accept", "--all", "--refusal"), "named by id"),
        (("accept",), "name gold ids, or give --all"),
        (("retire", "--all", "an id"), "name gold ids, or give --all"),
        (("diff", "v1", "nothing"), "there is none yet"),
        (("history", "nothing"), "assay gold list"),
    ],
)
def test_wrong_usage_is_one_line(team: Assay, args: tuple[str, ...], advice: str) -> None:
    """With what to do instead, and status 2."""
    result = team("gold", *args, status=2)

    assert advice in result.stderr
    assert result.stderr.count("\n") == 1
