"""What the store says of readings: draws for a second annotator, progress, the log, and two who adjudicate at the same moment."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotate.domain.adjudication import Decision, Waits
from annotate.domain.annotation import Annotation
from annotate.domain.annotator_activity import LogCounts
from annotate.domain.reading_order import ReadingPlace
from annotate.domain.sampling.outcomes import Overlap
from annotate.store import Store
from annotate.store.labels.adjudication import UndecidedDraw
from annotate.store.labels.resolution import PlacedAnnotation
from annotate.workflow.labelling import adjudicate
from proxy.errors import UsageError
from proxy.records import Judgement, LabelBasis
from support.store import LATER, NOW, Assay, label

RIGHT, WRONG, UNSURE = Judgement


def say(store: Store, name: str, who: str, judgement: Judgement | None, **changes: Any) -> Annotation:
    """An annotation on the draw of this item, as a server would have it."""
    drawn = next(draw for draw in store.sampling.waves.all_draws() if draw.item_id == name)
    given = {"source": "label-studio:1", "id": f"{name}:{who}", **changes}
    said = Annotation(item_id=name, annotator=who, judgement=judgement, **given)
    with store.atomic(durable=True):
        store.labels.keep([PlacedAnnotation(said, drawn.item, drawn.key)], now=NOW)
    return said


def test_what_nobody_called_right_or_wrong_waits_for_a_second_annotator(drawn: Store) -> None:
    """Unsure and skipped draws, with who had them; not the decided, the disputed, the adjudicated, nor what is deleted."""
    say(drawn, "a", "ann", UNSURE)
    say(drawn, "b", "ann", None)
    say(drawn, "b", "bob", UNSURE)
    say(drawn, "c", "ann", RIGHT)
    say(drawn, "d", "ann", RIGHT)
    say(drawn, "d", "bob", WRONG)
    say(drawn, "e", "ann", UNSURE)
    say(drawn, "f", "ann", UNSURE, deleted=True)
    draws = {draw.item_id: draw for draw in drawn.sampling.waves.all_draws()}
    adjudicate.adjudicate(drawn, draws["e"].item, Decision(judgement=RIGHT, why="Yes."), who="judge", now=LATER)
    undecided_draws = drawn.labels.adjudication.second_readings()

    assert sorted(undecided_draws, key=lambda draw: draw.item) == [
        UndecidedDraw(draws["a"].key, draws["a"].item, ("ann",)),
        UndecidedDraw(draws["b"].key, draws["b"].item, ("ann", "bob")),
    ]
    assert [(case.item_id, case.why) for case in drawn.labels.adjudication.waiting()] == [
        *(("d", Waits.DISAGREEMENT), ("a", Waits.UNSURE), ("b", Waits.UNSURE)),
    ]


def test_progress_counts_labels_open_draws_and_skips(drawn: Store) -> None:
    """Of eight draws: one right, one unsure, six open of which one was skipped; what is skipped and labelled is labelled."""
    say(drawn, "a", "ann", RIGHT)
    say(drawn, "a", "bob", None)
    say(drawn, "b", "ann", UNSURE)
    say(drawn, "c", "ann", None)
    (wave,) = drawn.labels.adjudication.by_wave()

    assert (wave.drawn, wave.right, wave.wrong, wave.unsure, wave.open, wave.skipped) == (8, 1, 0, 1, 6, 1)
    assert drawn.sampling.waves.progress().open == wave.open


def test_the_overlap_counts_what_was_given_and_what_was_read(drawn: Store) -> None:
    """Two projects that hold a draw make it one with a second annotator, before and after both have read it."""
    draws = {draw.item_id: draw.key for draw in drawn.sampling.waves.all_draws()}
    with drawn.atomic():
        for project in (1, 2):
            places = [ReadingPlace(key, key, place, None) for place, key in enumerate(draws.values(), 1)]
            drawn.labels.outbox.queue(places, "http://ls", project, now=NOW)
        drawn.labels.outbox.confirm({draws["a"]: 1, draws["b"]: 2}, "http://ls", 1, now=NOW)
        drawn.labels.outbox.confirm({draws["a"]: 1}, "http://ls", 2, now=NOW)
    say(drawn, "c", "ann", RIGHT)
    say(drawn, "c", "bob", UNSURE, source="label-studio:2")
    assert drawn.labels.adjudication.overlap() == Overlap(given=2, read=1)

    say(drawn, "a", "ann", RIGHT)
    say(drawn, "a", "bob", WRONG, source="label-studio:2")

    assert drawn.labels.adjudication.overlap() == Overlap(given=2, read=2)


def test_the_log_counts_edits_deletions_skips_and_strange_hands(drawn: Store) -> None:
    """Three annotations: one edited twice, once by another account; one deleted; one skipped."""
    say(drawn, "a", "ann", RIGHT)
    say(drawn, "a", "ann", WRONG, edited_by="bob")
    say(drawn, "a", "ann", RIGHT)
    say(drawn, "b", "ann", RIGHT)
    say(drawn, "b", "ann", None, deleted=True)
    say(drawn, "c", "ann", None)

    assert drawn.labels.log_counts() == [LogCounts("label-studio:1", 3, 2, 1, 1, 1)]
    assert [revision.annotation.edited_by for revision in drawn.labels.history("a")] == [None, "bob", None]
    assert [judgement.annotator for judgement in drawn.labels.work()] == ["ann", "ann"]


def test_a_label_from_a_draw_is_adjudicated_under_the_key_of_its_task(drawn: Store, loaded: Assay) -> None:
    """The wave stays, so that the adjudicated label counts in the estimates as the annotators' did."""
    say(drawn, "a", "ann", RIGHT)
    say(drawn, "a", "bob", WRONG)
    sampled = next(draw for draw in drawn.sampling.waves.all_draws() if draw.item_id == "a")
    adjudicate.adjudicate(drawn, sampled.item, Decision(judgement=WRONG, why="No."), who="judge", now=LATER)

    resolved = drawn.labels.of_item(sampled.item)
    assert resolved is not None
    assert (resolved.judgement, resolved.wave, resolved.basis) == (WRONG, 1, LabelBasis.ADJUDICATION)
    assert loaded.sql("SELECT id FROM annotations WHERE source = 'adjudication'") == [(sampled.task_key,)]


def test_a_reading_without_the_draw_is_seen_and_changes_no_label(drawn: Store, loaded: Assay) -> None:
    """A hand-picked reading of serious harm waits for a person, though the label of the draw stands."""
    say(drawn, "a", "ann", RIGHT)
    rows = [label("a", "wrong", "eve", harm="serious", at="2020-01-01")]  # before the draw
    loaded("labels", "import", loaded.write("l.jsonl", rows))
    (case,) = drawn.labels.adjudication.waiting()

    assert (case.item_id, case.why, case.is_serious) == ("a", Waits.OUTVOTED_HARM, True)
    assert {reading.annotator for reading in case.readings} == {"ann", "eve"}
    label_of_draw = drawn.labels.of_item(case.item)
    assert label_of_draw is not None
    assert label_of_draw.judgement is RIGHT


def test_of_two_who_adjudicate_at_the_same_moment_one_is_kept(drawn: Store, loaded: Assay) -> None:
    """Eight people with the same form open: one decision, one event, seven who are told."""
    say(drawn, "a", "ann", RIGHT)
    say(drawn, "a", "bob", WRONG)
    (case,) = drawn.labels.adjudication.waiting()
    start, outcomes = threading.Barrier(8), list[str]()

    def decide(number: int, path: Path) -> None:
        store = Store(path)
        decision = Decision(judgement=RIGHT, why=f"Reason {number}.")
        start.wait()
        try:
            adjudicate.adjudicate(store, case.item, decision, who=f"judge {number}", now=LATER, seen=case.seen)
            outcomes.append("kept")
        except UsageError as error:
            outcomes.append(str(error))
        finally:
            store.close()

    threads = [threading.Thread(target=decide, args=(number, loaded.db)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(outcomes) == ["kept", *[adjudicate.OVERTAKEN] * 7]
    assert loaded.sql("SELECT count(*) FROM annotations WHERE source = 'adjudication'") == [(1,)]
    assert len([event for event in drawn.audit.events.all() if event.what == adjudicate.EVENT]) == 1


def test_what_was_forgotten_waits_for_nobody(drawn: Store, loaded: Assay) -> None:
    """A blanked item cannot be adjudicated by looking at it."""
    say(drawn, "a", "ann", RIGHT)
    say(drawn, "a", "bob", WRONG, harm="serious")
    assert len(drawn.labels.adjudication.waiting()) == 1
    with drawn.atomic():
        drawn._db.conn.execute("UPDATE items SET forgotten_at = ? WHERE id = 'a'", (NOW,))

    assert drawn.labels.adjudication.waiting() == []


def test_odd_texts_come_back_as_they_were(drawn: Store) -> None:
    """A reason with a lone surrogate, a NUL and a direction mark is kept to the letter."""
    odd = "lone \ud800 NUL \0 \u202e 駅"
    say(drawn, "a", "ann", UNSURE)
    (case,) = drawn.labels.adjudication.waiting()
    decision = Decision(judgement=WRONG, why=odd, reference=odd)
    adjudicate.adjudicate(drawn, case.item, decision, who="judge", now=LATER)
    (adjudicated,) = drawn.labels.adjudication.adjudicated()

    assert adjudicated.adjudicated is not None
    assert (adjudicated.adjudicated.rationale, adjudicated.adjudicated.reference) == (odd, odd)
    assert not adjudicate.adjudicate(drawn, case.item, replace(decision), who="judge", now=LATER)
