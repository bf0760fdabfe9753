"""The gold set as a team uses it: review, decide, mark, release, compare and export."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from annotate import Project
from proxy.errors import UsageError
from support.project import import_labels, ingest, written
from support.store import label, read, traffic_row

QUESTIONS = {
    "a": "How do I reset my password?",
    "b": "How can I reset my password?",
    "c": "Dose for 5 mg?",
    "d": "Why?",
}
REFUSAL = "I cannot answer that from the documents."


@pytest.fixture
def team(project: Project) -> Project:
    """Two answers to one question, one called right and one corrected; a correction; a wrong answer without a reference."""
    ingest(project, [traffic_row(n, question=q, answer=f"A {n}.") for n, q in QUESTIONS.items()])
    corrected = label("b", "wrong", "bob", reference="Ask the wiki.")
    import_labels(project, [label("a"), corrected, label("d", "wrong", "bob")])
    thumb = {"item_id": "c", "value": -1, "correction": "Two.", "source": "web"}
    project.import_feedback(written("feedback.jsonl", [thumb]))
    return project


def ids(project: Project) -> dict[str, str]:
    """Gold ids by item id."""
    return {str(entry.item_id): entry.gold_id for entry in project.gold.entries().result.entries}


def counts(project: Project) -> dict[str, int]:
    """How many entries have each status."""
    return dict(Counter(map(str, project.gold()["status"])))


def references(project: Project) -> dict[str, str]:
    """References by item id."""
    return {str(entry.item_id): entry.reference for entry in project.gold.entries().result.entries}


def doubts(project: Project) -> dict[str, list[str]]:
    """What speaks against each entry that waits, by gold id, in order."""
    return {waiting.entry.gold_id: list(waiting.doubts) for waiting in project.gold.review().result}


def says_otherwise(gold_id: str) -> str:
    return f"says something else than {gold_id}, which asks nearly the same"


def flag(project: Project) -> str:
    """Accept what people offer and change a's label; its gold id."""
    names = ids(project)
    project.gold.accept([names["a"], names["b"]])
    import_labels(project, [label("a", "wrong", at="2026-11-21T08:00:00Z")])
    return names["a"]


def test_review_lists_what_waits_with_its_doubts(team: Project) -> None:
    """Flags first, then people's references, and a correction last; each with what speaks against it."""
    names = ids(team)

    assert doubts(team) == {
        names["b"]: [says_otherwise(names["a"])],
        names["a"]: [says_otherwise(names["b"])],
        names["c"]: ["comes from an end user: anybody could have written it"],
    }
    flagged = flag(team)
    gold_id, reasons = next(iter(doubts(team).items()))
    assert (gold_id, reasons[0]) == (flagged, "the label says wrong since 2026-11-21")


def test_accepting_all_leaves_what_contradicts_another(team: Project) -> None:
    """Two entries say different things to nearly the same question: both stay candidates, each with the reason."""
    names = ids(team)
    done = team.gold.accept_all().result

    assert done.changed == 0
    assert done.withheld == {names["a"]: says_otherwise(names["b"]), names["b"]: says_otherwise(names["a"])}
    team.gold.accept([names["a"]])
    assert list(team.gold.accept_all().result.withheld) == [names["b"]]
    team.gold.retire([names["a"]])
    assert team.gold.accept_all().result.withheld == {}
    assert counts(team) == {"candidate": 1, "accepted": 1, "retired": 1}
    assert team.gold.retire_all(why="the rest").result.changed == 1


@pytest.mark.slow
def test_a_refusal_is_no_reference(project: Project) -> None:
    """Neither with all the rest nor by its id, unless the right answer is a refusal or a person insists; the review says so."""
    ingest(project, [*(traffic_row(name, answer=REFUSAL) for name in "ab"), traffic_row("c")])
    import_labels(project, [label(name) for name in "abc"])
    names = ids(project)

    assert list(project.gold.accept_all().result.withheld) == [names["a"], names["b"]]
    with pytest.raises(UsageError, match="a refusal is no reference"):
        project.gold.accept([names["a"]])
    assert any("a refusal is no reference" in doubt for reason in doubts(project).values() for doubt in reason)
    project.gold.mark([names["a"]], lacks_knowledge=True)
    project.gold.accept_all()
    project.gold.accept([names["b"]], takes_refusals=True)
    assert counts(project) == {"accepted": 3}


def test_an_edit_to_a_refusal_does_not_stay_accepted(project: Project) -> None:
    """It waits for somebody to take it as it is."""
    ingest(project, [traffic_row("c")])
    import_labels(project, [label("c")])
    gold_id = ids(project)["c"]
    project.gold.accept([gold_id])

    assert project.gold.edit(gold_id, REFUSAL).result.changed
    assert counts(project) == {"candidate": 1}


def test_a_reference_that_annotators_call_wrong_is_left(project: Project) -> None:
    """The same words to the same question, called right of one system and wrong of the other."""
    ingest(project, [traffic_row(name, question="When?", answer="On Monday.", system=name) for name in "ab"])
    import_labels(project, [label("a"), label("b", "wrong")])

    done = project.gold.accept_all().result

    assert done.changed == 0
    assert list(done.withheld.values()) == ["the same words are labelled wrong for this question (b)"]


def test_duplicates_are_pairs_and_nothing_is_merged(team: Project) -> None:
    """The conflict of both references."""
    near = team.gold.duplicates().result

    assert near.conflicts == len(near.pairs) == 1
    assert {near.entries[gold_id].reference for gold_id in (near.pairs[0].first, near.pairs[0].other)} == {
        "A a.",
        "Ask the wiki.",
    }
    assert len(ids(team)) == 3


def test_a_flagged_entry_is_kept_edited_or_retired(team: Project) -> None:
    """Each with its reason in the history."""
    gold_id = flag(team)
    assert team.gold.keep(gold_id, why="the leaflet agrees").result.changed
    assert not team.gold.keep(gold_id, why="again").result.changed
    team.gold.edit(gold_id, "Better.", why="shorter")
    team.gold.retire([gold_id], why="outdated")

    assert [(str(step.status), step.who, step.why) for step in team.gold.history(gold_id).result.revisions] == [
        *(("candidate", "ann", ""), ("accepted", "tester", "")),
        ("accepted", "assay", "flagged: the label says wrong since 2026-11-21"),
        ("accepted", "tester", "kept: the leaflet agrees"),
        *(("accepted", "tester", "shorter"), ("retired", "tester", "outdated")),
    ]
    assert team.maintenance.doctor().result.problems == []


@pytest.mark.parametrize(
    "decide",
    [
        lambda gold, gold_id, seen: gold.edit(gold_id, "Second.", expected=seen),
        lambda gold, gold_id, seen: gold.accept([gold_id], expected=seen),
        lambda gold, gold_id, seen: gold.retire([gold_id], expected=seen),
    ],
    ids=["edit", "accept", "retire"],
)
def test_what_names_an_old_revision_is_refused(team: Project, decide: Callable[..., object]) -> None:
    """And nothing is written."""
    gold_id = ids(team)["a"]
    seen = next(entry.revision for entry in team.gold.entries().result.entries if entry.gold_id == gold_id)
    team.gold.edit(gold_id, "First.", expected=seen)

    with pytest.raises(UsageError, match="someone else has changed this one: reload"):
        decide(team.gold, gold_id, seen)
    assert references(team)["a"] == "First."
    assert counts(team) == {"candidate": 3}


def test_nobody_accepts_their_own_reference_where_a_second_person_is_asked_for(team: Project) -> None:
    """The policy is kept and logged; the writer is refused by id and skipped with all; another person accepts."""
    assert team.gold.policy(second_person=True).result == (True, False)
    writer, lead = (Project.open(team.path, who=name).gold for name in ("Ann", "lead"))
    names = ids(team)
    with pytest.raises(UsageError, match="second person"):
        writer.accept([names["a"]])
    done = writer.accept_all().result

    assert (done.changed, done.corrections, done.own) == (0, 1, 1)
    assert done.withheld == {names["a"]: says_otherwise(names["b"]), names["b"]: says_otherwise(names["a"])}
    assert lead.accept([names["a"]]).result.changed == 1
    team.gold.policy(second_person=False)
    assert [event.read() for event in team.maintenance.events().result if event.what == "policy"] == [
        {"is_on": is_on, "policy": "gold needs a second person"} for is_on in (True, False)
    ]


def test_marks_go_through_release_and_export(team: Project) -> None:
    """Marked with the reference or later, counted, released and exported, and another mark is a difference."""
    team.gold.add("d", "Nobody knows.", lacks_knowledge=True)
    names = ids(team)
    team.gold.accept([names["d"], names["a"]])
    team.gold.release("v1")
    assert team.gold.mark([names["a"]], lacks_knowledge=True).result == (1, 2)
    assert team.gold.entries().result.lacking == 2
    team.gold.mark([names["d"]], lacks_knowledge=False)
    team.gold.release("v2")
    team.gold.export("v2.jsonl", release="v2")

    assert {row["item_id"]: row["lacks_knowledge"] for row in read(Path("v2.jsonl"))} == {"a": True, "d": False}
    assert team.gold.diff("v1", "v2").result.marked == tuple(sorted([names["a"], names["d"]]))


@pytest.mark.slow
def test_releases_are_listed_compared_and_exported(team: Project) -> None:
    """Hash and roles in the record, one role in the export, and the refusals say what to do."""
    flagged = flag(team)
    made = team.gold.release("v1").result
    assert (made.release.entries, made.flagged, made.conflicting) == (1, 1, 0)
    team.gold.keep(flagged, why="right after all")
    team.gold.edit(flagged, "Ask the wiki.")
    team.gold.release("v2")
    first, second = team.gold.releases().result
    assert (first.name, first.hash, second.name) == ("v1", made.release.hash, "v2")
    role = next(iter(made.roles))
    team.gold.export("some.jsonl", release="v2", role=role)
    assert {row["role"] for row in read(Path("some.jsonl"))} == {role}

    refused: list[tuple[Callable[[], object], str]] = [
        (lambda: team.gold.release("v1"), "another name"),
        (lambda: team.gold.diff("v1", "nothing"), "there are v1, v2"),
        (lambda: team.gold.export("x.jsonl", release="v1", status="all"), "leave --status out"),
        (lambda: team.gold.export("x.jsonl", role="test"), "--release"),
        (lambda: team.gold.release("v3", test=0.9), "sum to 1"),
        (lambda: team.gold.history("nothing"), "assay gold list"),
        (lambda: team.gold.add("nowhere", "A."), "there is no item nowhere"),
    ]
    for decide, advice in refused:
        with pytest.raises(UsageError, match=advice):
            decide()
