"""Agreement between annotators rests on independent readings: not on two in one project, nor on a row that has no name."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import pytest

from annotate.analysis.labelling import status
from annotate.domain.annotation import Annotation
from annotate.domain.sampling.outcomes import Overlap
from annotate.store import Store
from annotate.store.labels.resolution import PlacedAnnotation
from proxy.records import Judgement
from support.store import NOW, Assay, draw, label

pytestmark = pytest.mark.slow

RIGHT, WRONG, UNSURE = Judgement
NAMES = "abcdefgh"


@pytest.fixture
def drawn(loaded: Assay) -> Any:
    draw(loaded)
    opened = Store(loaded.db)
    yield opened
    opened.close()


def say(store: Store, name: str, who: str, judgement: Judgement | None, *, project: int, at: str, **more: Any) -> None:
    """An annotation on the draw of this item, as a project has it."""
    sampled = next(draw for draw in store.sampling.waves.all_draws() if draw.item_id == name)
    said = Annotation(
        source=f"label-studio:{project}",
        id=f"{name}:{who}:{project}",
        item_id=name,
        annotator=who,
        judgement=judgement,
        at=f"2026-11-22T{at}:00.000Z",
        **more,
    )
    with store.atomic(durable=True):
        store.labels.keep([PlacedAnnotation(said, sampled.item, sampled.key)], now=NOW)


@pytest.mark.parametrize("second", [1, 2])
def test_two_in_one_project_are_no_independent_readings(drawn: Store, loaded: Assay, second: int) -> None:
    """They count from two projects; a disagreement waits in either case."""
    for name, (ours, theirs) in zip(NAMES, itertools.cycle([(RIGHT, RIGHT), (RIGHT, WRONG)]), strict=False):
        say(drawn, name, "ann", ours, project=1, at="09:00")
        say(drawn, name, "ben", theirs, project=second, at="10:00")
    report, annotators = loaded.json("report"), loaded.json("labels", "annotators")
    pairs = {annotator["name"]: annotator["pairs"] for annotator in annotators["annotators"]}
    together = second == 1

    assert report["inter_annotator_agreement"]["items"] == (0 if together else 8)
    assert (report["inter_annotator_agreement"]["alpha"]["estimate"] is None) is together
    assert pairs == dict.fromkeys(("ann", "ben"), 0 if together else 8)
    assert annotators["not_independent"] == {"in_one_project": 8 if together else 0, "without_name": 0}
    assert drawn.labels.adjudication.overlap() == Overlap(0 if together else 8, 0 if together else 8)
    assert len(loaded.json("labels", "disagreements")["disagreements"]) == 4
    note = "items read by two annotators in one project: 8; not counted as agreement"
    notes = status.build(drawn).notes
    for place in (
        loaded.words("report"),
        loaded.words("labels", "annotators"),
        *("\n".join(texts) for texts in (report["warnings"], notes)),
    ):
        assert (note in place) is together


def test_the_first_in_a_project_is_independent_of_who_reads_elsewhere(drawn: Store) -> None:
    """Whatever order the annotations came in; who read later in that project is left out, also with another reading."""
    for name in NAMES:
        say(drawn, name, "ben", RIGHT, project=1, at="10:00")
        say(drawn, name, "ann", RIGHT, project=1, at="09:00")
        say(drawn, name, "cem", WRONG, project=2, at="08:00")
        say(drawn, name, "ben", WRONG, project=3, at="11:00")
    readings = drawn.labels.readings()

    assert {reading.annotator for reading in readings} == {"ann", "cem"}
    assert len(readings) == 16
    assert drawn.labels.uncounted().in_one_project == 8


def test_a_skip_shows_nothing_and_a_deleted_answer_was_seen(drawn: Store) -> None:
    """Who only skipped said nothing that others could see."""
    say(drawn, "a", "ann", None, project=1, at="09:00")
    say(drawn, "a", "ben", RIGHT, project=1, at="10:00")
    say(drawn, "a", "cem", RIGHT, project=2, at="10:00")
    say(drawn, "b", "ann", RIGHT, project=1, at="09:00")
    say(drawn, "b", "ben", RIGHT, project=1, at="10:00")
    say(drawn, "b", "ann", RIGHT, project=1, at="11:00", deleted=True)
    say(drawn, "b", "cem", RIGHT, project=2, at="10:00")
    items = {sampled.item: sampled.item_id for sampled in drawn.sampling.waves.all_draws()}

    assert {(items[reading.item], reading.annotator) for reading in drawn.labels.readings()} == {
        *(("a", "ben"), ("a", "cem"), ("b", "cem")),
    }


def test_files_and_a_project_are_independent(drawn: Store, loaded: Assay) -> None:
    """A file shows its reader nobody's answers."""
    for name in NAMES:
        say(drawn, name, "ann", RIGHT, project=1, at="09:00")
    loaded("labels", "import", loaded.write("l.jsonl", [label(name, "wrong", "ben") for name in NAMES]))

    assert loaded.json("report")["inter_annotator_agreement"]["items"] == 8


def test_a_row_without_a_name_is_nobodys_second_reading(drawn: Store, loaded: Assay) -> None:
    """It may be the named annotator's own; it is said, and a contradiction waits all the same."""
    rows: list[Mapping[str, object]] = [label(name) for name in NAMES]
    rows += [{"item_id": name, "label": "wrong"} for name in NAMES]
    loaded("labels", "import", loaded.write("l.jsonl", rows))
    report = loaded.json("report")

    assert report["inter_annotator_agreement"]["items"] == 0
    assert any(
        warning.startswith("items with a label without annotator beside a named one: 8;")
        for warning in report["warnings"]
    )
    assert len(loaded.json("labels", "disagreements")["disagreements"]) == 8
    assert drawn.labels.uncounted() == (0, 8)
