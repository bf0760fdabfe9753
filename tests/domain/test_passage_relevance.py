"""Answers about passages: each annotator once, a majority for each passage, a tie is open."""

from __future__ import annotations

import pytest

from annotate.domain.annotation import ADJUDICATION, Annotation, resolve
from annotate.domain.passage_relevance import PassageRelevance, from_json, resolve_passages, to_json
from proxy.records import Judgement


def answers(*relevant: bool | None, sufficient: bool | None = None) -> PassageRelevance:
    return PassageRelevance(relevant=relevant, is_sufficient=sufficient)


@pytest.mark.parametrize(
    ("given", "resolved"),
    [
        ((), None),
        ((None, answers(None, None)), None),
        ((answers(True, False, sufficient=True),), answers(True, False, sufficient=True)),
        # The second passage is a tie, and only one annotator says whether anything is missing.
        ((answers(True, True), answers(True, False, sufficient=False)), answers(True, None, sufficient=False)),
        ((answers(True, None), answers(None, False), None), answers(True, False)),
        ((answers(True), answers(False), answers(False), answers(False)), answers(False)),
        ((answers(True), answers(True, False)), answers(True, False)),
    ],
)
def test_the_majority_decides_on_each_passage(
    given: tuple[PassageRelevance | None, ...], resolved: PassageRelevance | None
) -> None:
    """In any order of the annotators."""
    assert resolve_passages(given) == resolve_passages(reversed(given)) == resolved


@pytest.mark.parametrize(
    ("relevant", "precision"),
    [((True, False, False), 1 / 3), ((True,), 1.0), ((False, False), 0.0), ((True, None), None), ((), None)],
)
def test_the_share_of_relevant_passages_needs_every_passage(
    relevant: tuple[bool | None, ...], precision: float | None
) -> None:
    """Who stops half-way has read the upper ranks alone; without passages there is no share."""
    assert answers(*relevant).precision == precision


def test_a_label_has_what_its_annotators_latest_readings_say() -> None:
    """An earlier revision and a deleted annotation say nothing; an adjudication changes the verdict and not the passages."""

    def said(who: str, passages: PassageRelevance | None, source: str = "test", **more: bool) -> Annotation:
        return Annotation(
            source=source, id=who, item_id="a", annotator=who, judgement=Judgement.RIGHT, passages=passages, **more
        )

    rows = [said("ann", answers(False)), said("ann", answers(True)), said("ben", answers(False), deleted=True)]
    adjudicated = [*rows, said("eve", None, ADJUDICATION)]

    for said_of_item in (rows, adjudicated):
        label = resolve(said_of_item)
        assert label is not None
        assert label.passages == answers(True)


@pytest.mark.parametrize("passages", [None, answers(), answers(True, None, False, sufficient=True)])
def test_a_column_holds_what_was_answered(passages: PassageRelevance | None) -> None:
    """There and back."""
    assert from_json(to_json(passages)) == passages
