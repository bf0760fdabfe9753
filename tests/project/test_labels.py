"""The labels of a project: what waits, adjudicating it, every revision, who labels how, and the exports."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from annotate import Project
from proxy.errors import UsageError
from support.project import import_labels, ingest
from support.store import label, read, traffic_row

NASTY = "e\x1b[31mve\u202e"


@pytest.fixture
def disputed(project: Project) -> Project:
    """Eight drawn items: a and b disputed, b with serious harm, c agreed, d unsure, e read once."""
    ingest(project, [traffic_row(name) for name in "abcdefgh"])
    project.sample(labels=8, seed=1)
    import_labels(
        project,
        [
            *(label("a"), label("a", "wrong", "bob", reference="Upstairs.", rationale="The floor.")),
            *(label("b"), label("b", "wrong", "bob", harm="serious", causes=["unfaithful"])),
            *(label("c"), label("c", "right", "bob"), label("d", "unsure")),
            label("e", "wrong", NASTY, reference="Here.", seconds=7),
        ],
    )
    return project


def basis(project: Project) -> dict[str, tuple[str, str | None, int]]:
    """The label of each item, what it rests on, and how many annotators it has."""
    labels = project.labels().itertuples()
    return {str(row.item_id): (row.label, row.basis, row.annotators) for row in labels}  # type: ignore[misc]


def adjudicated(project: Project) -> int:
    """How many decisions were kept."""
    return sum(entry.annotations for entry in project.labels.annotators().result.log if entry.source == "adjudication")


def test_what_waits_is_listed_with_the_most_urgent_first(disputed: Project) -> None:
    """Serious harm, then what is disputed, then what nobody was sure of."""
    result = disputed.labels.disagreements().result

    assert [(case.item_id, str(case.why), case.is_serious) for case in result.cases] == [
        *(
            ("b", "annotators disagree", True),
            ("a", "annotators disagree", False),
            ("d", "no annotator is sure", False),
        ),
    ]
    assert sorted(reading.judgement for reading in result.cases[0].readings) == ["right", "wrong"]
    assert result.second_readings == 1


@pytest.mark.slow
def test_settling_changes_the_label_the_report_and_the_gold_set(disputed: Project) -> None:
    """The label says what it rests on, the reference becomes a candidate, and the item leaves the queue."""
    before: Any = disputed.report().to_dict()["label_counts"]
    done, again = (
        disputed.labels.adjudicate("a", "wrong", why="Bob is right.", reference="Upstairs!").result for _ in range(2)
    )
    counts: Any = disputed.report().to_dict()["label_counts"]

    assert (done.label and done.label.judgement, done.is_new, done.waiting) == ("wrong", True, 2)
    assert not again.is_new
    assert adjudicated(disputed) == 1
    assert (before["wrong"], before["unsure"], counts["wrong"], counts["unsure"]) == (1, 3, 2, 2)
    assert basis(disputed) == {
        **{"a": ("wrong", "adjudication", 2), "b": ("unsure", "disagreement", 2), "c": ("right", "agreement", 2)},
        **{"d": ("unsure", "one annotator", 1), "e": ("wrong", "one annotator", 1)},
    }
    entries = disputed.gold.entries().result.entries
    assert "Upstairs!" in [entry.reference for entry in entries if entry.item_id == "a"]
    assert disputed.maintenance.doctor().result.problems == []


def test_an_annotators_reference_is_taken_by_letter(disputed: Project) -> None:
    """The one whose reference it is has another letter than the one who wrote none."""
    readings = disputed.labels.disagreements().result.cases[1].readings
    letters = {bool(reading.reference): "AB"[place] for place, reading in enumerate(readings)}

    with pytest.raises(UsageError, match="wrote no reference"):
        disputed.labels.adjudicate("a", "wrong", why="Yes.", reference_of=letters[False])
    done = disputed.labels.adjudicate("a", "wrong", why="Yes.", reference_of=letters[True].lower()).result

    assert done.label
    assert done.label.reference == "Upstairs."


@pytest.mark.parametrize(
    ("item", "options", "why"),
    [
        ("a", {"why": " "}, "the reason is empty"),
        ("a", {"label": "right", "causes": ["other"]}, "with a wrong answer only"),
        ("a", {"reference_of": "A", "reference": "y"}, "not both"),
        ("b", {}, "how harmful"),
        ("f", {}, "nothing to adjudicate"),
        ("nowhere", {}, "no item nowhere"),
    ],
)
def test_what_cannot_be_adjudicated_is_refused(
    disputed: Project, item: str, options: Mapping[str, Any], why: str
) -> None:
    """With the reason, and nothing is kept."""
    with pytest.raises(UsageError, match=why):
        disputed.labels.adjudicate(item, **{"label": "wrong", "why": "x", **options})
    with pytest.raises(UsageError, match="nothing to take back"):
        disputed.labels.take_back("a", why="x")
    assert adjudicated(disputed) == 0


def test_an_annotator_cannot_adjudicate_what_they_labelled(disputed: Project) -> None:
    """Nor under another spelling of the name."""
    bob = Project.open(disputed.path, who="BOB@clinic.example")

    with pytest.raises(UsageError, match="read this one yourself"):
        bob.labels.adjudicate("a", "right", why="x")


def test_what_was_adjudicated_is_taken_back(disputed: Project) -> None:
    """The annotators decide again."""
    disputed.labels.adjudicate("a", "right", why="Ann is right.")
    assert basis(disputed)["a"] == ("right", "adjudication", 2)
    done = disputed.labels.take_back("a", why="Hasty.").result

    assert done.label
    assert (done.label.judgement, done.waiting) == ("unsure", 3)
    assert basis(disputed)["a"] == ("unsure", "disagreement", 2)


def test_the_history_has_every_revision(disputed: Project) -> None:
    """A change of mind, a decision and its reason, in the order in which they came."""
    import_labels(disputed, [label("e", "right", NASTY, rationale=NASTY)])
    disputed.labels.adjudicate("e", "unsure", why="Ask the pharmacy.")
    notes = [revision.annotation for revision in disputed.labels.history("e").result.revisions]

    assert [(note.judgement, note.source) for note in notes] == [
        *(("wrong", "file"), ("right", "file"), ("unsure", "adjudication")),
    ]
    assert notes[-1].rationale == "Ask the pharmacy."
    assert disputed.labels.history("h").result.revisions == []
    with pytest.raises(UsageError, match="no item z"):
        disputed.labels.history("z")


def test_annotators_are_listed_by_name_with_the_log(disputed: Project) -> None:
    """Edits and skips are counted for each source; who adjudicates is no annotator."""
    import_labels(disputed, [label("e", "right", NASTY)])
    disputed.labels.adjudicate("a", "right", why="Ann is right.")
    result = disputed.labels.annotators().result

    assert [(annotator.name, annotator.n, annotator.pairs) for annotator in result.annotators] == [
        *(("ann", 4, 3), ("bob", 3, 3), (NASTY, 1, 0)),
    ]
    assert result.annotators[0].agreement == pytest.approx(1 / 3)
    log = {entry.source: entry for entry in result.log}
    assert log["file"] == ("file", 8, 1, 0, 0, 0)
    assert log["adjudication"].annotations == 1


def test_annotations_are_exported_one_row_each(disputed: Project) -> None:
    """As they are now, or every revision; with what only an annotation has."""
    import_labels(disputed, [label("e", "right", NASTY)])
    assert disputed.labels.export("now.jsonl", annotations=True).result.rows == 8
    assert disputed.labels.export("every.csv", annotations=True, revisions=True).result.rows == 9
    assert disputed.labels.export("labels.jsonl").result.rows == 5

    rows = [row for row in read(Path("now.jsonl")) if row["item_id"] == "e"]
    assert [(row["label"], row["annotator"], row["seconds"], row["deleted"]) for row in rows] == [
        ("right", NASTY, None, False)
    ]
    with Path("every.csv").open(encoding="utf-8") as stream:
        lines = [(row["label"], row["seconds"]) for row in csv.DictReader(stream) if row["item_id"] == "e"]
    assert lines == [("wrong", "7.0"), ("right", "")]
    with pytest.raises(UsageError, match="goes with --annotations"):
        disputed.labels.export("x.jsonl", revisions=True)


def test_what_a_method_returns_is_an_answer(disputed: Project) -> None:
    """It prints as the command does, and gives the JSON, the HTML and a frame."""
    labels = disputed.labels
    for answer in (labels.disagreements(), labels.opposite(), labels.annotators(), labels.history("a")):
        assert repr(answer) == answer.to_text().rstrip("\n")
        assert answer._repr_html_()
        assert str(answer.to_dict()["schema"]).startswith("assay/")
        assert answer.to_frame().index.name == "quantity"
    assert "assay labels adjudicate b" in repr(labels.disagreements())
