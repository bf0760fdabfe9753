"""The gold commands as a team uses them: review, decide, mark, release, compare and export."""

from __future__ import annotations

import json
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from annotate.cli import main
from annotate.cli.gold import review
from support.store import Assay, read, traffic_row

QUESTIONS = {
    "a": "How do I reset my password?",
    "b": "How can I reset my password?",
    "c": "Dose for 5 mg?",
    "d": "Why?",
}


@pytest.fixture
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
    return {str(one["item_id"]): str(one["gold_id"]) for one in assay.json("gold", "list")["gold"]}


def flag(assay: Assay) -> str:
    """Accept what people offer and change a's label; its gold id."""
    assay("gold", "accept", ids(assay)["a"], ids(assay)["b"])
    rows = [{"item_id": "a", "label": "wrong", "annotator": "ann", "at": "2026-11-21T08:00:00Z"}]
    assay("labels", "import", assay.write("later.jsonl", rows))
    return ids(assay)["a"]


def test_review_lists_what_waits_with_its_doubts(team: Assay) -> None:
    """Not on a terminal: flags first, then people's references, and a correction last; each with what speaks against it."""
    waiting = {one["gold_id"]: one["doubts"] for one in team.json("gold", "review")["waiting"]}
    names = ids(team)

    assert waiting == {
        names["b"]: [f"says something else than {names['a']}, which asks nearly the same"],
        names["a"]: [f"says something else than {names['b']}, which asks nearly the same"],
        names["c"]: ["comes from an end user: anybody could have written it"],
    }
    one = flag(team)
    found = team.json("gold", "review")["waiting"]
    assert (found[0]["gold_id"], found[0]["doubts"][0]) == (one, "the label says wrong since 2026-11-21")
    assert "note: the label says wrong since 2026-11-21" in team("gold", "review").stdout


def test_review_on_a_terminal_takes_one_key_each(team: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """Retire, a key that is none, edit in the editor, accept: kept under the name of who pressed."""
    keys: Iterator[str] = iter(["r", "?", "e", "a"])
    monkeypatch.setattr(review, "is_terminal", lambda: True)
    monkeypatch.setattr(click, "getchar", lambda: next(keys))
    monkeypatch.setenv("EDITOR", "ed")
    monkeypatch.setattr(click, "edit", lambda text, require_save: f"{text} Edited.")
    output = team("gold", "review").stdout

    assert "3 decided; 0 wait" in output
    found = {one["item_id"]: (one["status"], one["reference"]) for one in team.json("gold", "list")["gold"]}
    assert found == {"a": ("candidate", "A a. Edited."), "b": ("retired", "Ask the wiki."), "c": ("accepted", "Two.")}
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
    assert {one["item_id"]: one["reference"] for one in team.json("gold", "list")["gold"]}["b"] == reference


def test_accepting_all_leaves_what_contradicts_another(team: Assay) -> None:
    """Two entries say different things to nearly the same question: both stay candidates, each with the reason."""
    done = team.json("gold", "accept", "--all")
    names = ids(team)

    assert (done["changed"], done["accepted"]) == (0, 0)
    assert done["withheld"] == {
        names["a"]: f"says something else than {names['b']}, which asks nearly the same",
        names["b"]: f"says something else than {names['a']}, which asks nearly the same",
    }
    assert "; 2 need a look of their own:" in team("gold", "accept", "--all").stdout
    team("gold", "accept", names["a"])
    assert list(team.json("gold", "accept", "--all")["withheld"]) == [names["b"]]
    team("gold", "retire", names["a"])

    assert team.json("gold", "accept", "--all")["withheld"] == {}
    assert team.json("gold", "accept", "--all")["accepted"] == 1


REFUSAL = "I cannot answer that from the documents."


def test_a_refusal_is_no_reference(assay: Assay) -> None:
    """Neither with all the rest nor by its id, unless the right answer is a refusal or a person insists; the review says so."""
    assay("ingest", assay.write("t.jsonl", [traffic_row(name, answer=REFUSAL) for name in "ab"] + [traffic_row("c")]))
    assay("labels", "import", assay.write("l.jsonl", [{"item_id": name, "label": "right"} for name in "abc"]))
    names = ids(assay)

    assert list(assay.json("gold", "accept", "--all")["withheld"]) == [names["a"], names["b"]]
    assert "a refusal is no reference" in assay("gold", "accept", names["a"], status=2).stderr
    doubts = [one for waiting in assay.json("gold", "review")["waiting"] for one in waiting["doubts"]]
    assert any("a refusal is no reference" in one for one in doubts)
    assert "named by id" in assay("gold", "accept", "--all", "--refusal", status=2).stderr

    assay("gold", "mark", names["a"], "--knowledge-base-lacks")
    assay("gold", "accept", "--all")
    assay("gold", "accept", names["b"], "--refusal")
    assert {one["status"] for one in assay.json("gold", "list")["gold"]} == {"accepted"}


def test_an_edit_to_a_refusal_does_not_stay_accepted(assay: Assay) -> None:
    """It waits for somebody to take it as it is."""
    assay("ingest", assay.write("t.jsonl", [traffic_row("c")]))
    assay("labels", "import", assay.write("l.jsonl", [{"item_id": "c", "label": "right"}]))
    one = ids(assay)["c"]
    assay("gold", "accept", one)

    assert assay.json("gold", "edit", one, "--reference", REFUSAL)["status"] == "candidate"


def test_a_reference_that_people_call_wrong_is_left(assay: Assay) -> None:
    """The same words to the same question, called right of one system and wrong of the other."""
    rows = [traffic_row(name, question="When?", answer="On Monday.", system=name) for name in "ab"]
    assay("ingest", assay.write("t.jsonl", rows))
    labels = [{"item_id": "a", "label": "right"}, {"item_id": "b", "label": "wrong"}]
    assay("labels", "import", assay.write("l.jsonl", labels))

    done = assay.json("gold", "accept", "--all")

    assert done["changed"] == 0
    assert list(done["withheld"].values()) == ["the same words are labelled wrong for this question (b)"]


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


def test_duplicates_puts_conflicts_first(team: Assay) -> None:
    """Both sides in full, and nothing is merged."""
    found = team.json("gold", "duplicates")

    assert [one["conflict"] for one in found["pairs"]] == [True]
    assert "Ask the wiki." in team("gold", "duplicates").stdout
    assert len(ids(team)) == 3


def test_a_flagged_entry_is_kept_edited_or_retired(team: Assay) -> None:
    """Each with its reason in the history."""
    one = flag(team)
    assert "the label says wrong since 2026-11-21" in team("gold", "list").stdout
    assert "is kept" in team("gold", "keep", one, "--why", "the leaflet agrees").stdout
    assert "is not flagged" in team("gold", "keep", one, "--why", "again").stdout
    team("gold", "edit", one, "--reference", "Better.", "--why", "shorter")
    team("gold", "retire", one, "--why", "outdated")

    steps = [(step["status"], step["who"], step["why"]) for step in team.json("gold", "history", one)["revisions"]]
    assert steps == [
        *(("candidate", "ann", ""), ("accepted", "tester", "")),
        ("accepted", "assay", "flagged: the label says wrong since 2026-11-21"),
        ("accepted", "tester", "kept: the leaflet agrees"),
        *(("accepted", "tester", "shorter"), ("retired", "tester", "outdated")),
    ]
    assert team("gold", "history", one).stdout.count("\n") == 13
    assert team("doctor").exit_code == 0


def test_an_edit_that_names_an_old_revision_is_refused(team: Assay) -> None:
    """In one line, and nothing is written."""
    one = ids(team)["a"]
    revision = next(each["revision"] for each in team.json("gold", "list")["gold"] if each["gold_id"] == one)
    team("gold", "edit", one, "--reference", "First.", "--expected", str(revision))
    result = team("gold", "edit", one, "--reference", "Second.", "--expected", str(revision), status=2)

    assert "someone else has changed this one: reload" in result.stderr
    assert "First." in team("gold", "list").stdout


def test_the_second_person_by_command(team: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """The policy is kept and logged; the writer is refused by id and skipped by --all; another person accepts."""
    team("gold", "policy", "--second-person")
    assert team.json("gold", "policy") == {"second_person": True, "traffic_references": False}
    monkeypatch.setenv("ASSAY_USER", "Ann")
    one = ids(team)["a"]
    assert "second person" in team("gold", "accept", one, status=2).stderr
    assert team.json("gold", "accept", "--all") == {
        **{"changed": 0, "corrections": 1, "own": 1, "candidate": 3, "accepted": 0, "retired": 0},
        "withheld": {
            name: f"says something else than {other}, which asks nearly the same"
            for name, other in ((one, ids(team)["b"]), (ids(team)["b"], one))
        },
    }
    monkeypatch.setenv("ASSAY_USER", "lead")
    team("gold", "accept", one)
    team("gold", "policy", "--no-second-person")

    assert [row for (row,) in team.sql("SELECT detail FROM events WHERE what = 'policy'")] == [
        json.dumps({"is_on": is_on, "policy": "gold needs a second person"}, sort_keys=True) for is_on in (True, False)
    ]


def test_marks_go_through_list_release_and_export(team: Assay) -> None:
    """Marked with the reference or later, counted, released and exported, and another mark is a difference."""
    team("gold", "add", "d", "--reference", "Nobody knows.", "--knowledge-base-lacks")
    names = ids(team)
    team("gold", "accept", names["d"], names["a"])
    team("gold", "release", "v1")
    assert team.json("gold", "mark", names["a"], "--knowledge-base-lacks") == {"changed": 1, "knowledge_base_lacks": 2}
    assert "2 that the knowledge base lacks" in team("gold", "list").stdout
    team("gold", "mark", names["d"], "--no-knowledge-base-lacks")
    team("gold", "release", "v2")
    team("gold", "export", "v2.jsonl", "--release", "v2")

    assert {row["item_id"]: row["lacks_knowledge"] for row in read(team.folder / "v2.jsonl")} == {"a": True, "d": False}
    assert team.json("gold", "diff", "v1", "v2")["marked"] == sorted([names["a"], names["d"]])


@pytest.mark.slow
def test_releases_are_listed_compared_and_exported(team: Assay) -> None:
    """Hash and roles in the summary, one role in the export, and the refusals in a line."""
    flagged = flag(team)
    made = team.json("gold", "release", "v1")
    assert (made["entries"], made["flagged"], made["conflicting"]) == (1, 1, 0)
    team("gold", "keep", flagged, "--why", "right after all")
    team("gold", "edit", flagged, "--reference", "Ask the wiki.")
    team("gold", "release", "v2")
    assert [one["name"] for one in team.json("gold", "releases")["releases"]] == ["v1", "v2"]
    assert made["hash"] in team("gold", "releases").stdout
    assert "another role" in team("gold", "diff", "v1", "v2").stdout
    role = next(iter(made["roles"]))
    team("gold", "export", "some.jsonl", "--release", "v2", "--role", role)
    assert {row["role"] for row in read(team.folder / "some.jsonl")} == {role}

    for args, advice in (
        (("gold", "release", "v1"), "another name"),
        (("gold", "diff", "v1", "nothing"), "there are v1, v2"),
        (("gold", "export", "x.jsonl", "--release", "v1", "--status", "all"), "leave --status out"),
        (("gold", "export", "x.jsonl", "--role", "test"), "--release"),
        (("gold", "release", "v3", "--test", "0.9"), "make 1"),
        (("gold", "history", "nothing"), "assay gold list"),
    ):
        result = team(*args, status=2)
        assert advice in result.stderr
        assert result.stderr.count("\n") == 1
