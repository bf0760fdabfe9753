"""Annotations to one label: latest of each annotator, majority, a tie is unsure."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from annotate.domain.annotation import ADJUDICATION, Annotation, annotation_from_row, gravest, resolve
from proxy.records import Judgement, LabelBasis

RIGHT, WRONG, UNSURE = Judgement


def said(who: str, judgement: Judgement | None, **changes: Any) -> Annotation:
    return Annotation(source="test", id=who, item_id="a", annotator=who, judgement=judgement, **changes)


@pytest.mark.parametrize(
    ("votes", "label", "basis"),
    [
        ((RIGHT,), RIGHT, LabelBasis.ONE_ANNOTATOR),
        ((WRONG,), WRONG, LabelBasis.ONE_ANNOTATOR),
        ((UNSURE,), UNSURE, LabelBasis.ONE_ANNOTATOR),
        ((RIGHT, UNSURE), RIGHT, LabelBasis.ONE_ANNOTATOR),
        ((RIGHT, None), RIGHT, LabelBasis.ONE_ANNOTATOR),
        ((WRONG, WRONG), WRONG, LabelBasis.AGREEMENT),
        ((WRONG, WRONG, UNSURE), WRONG, LabelBasis.AGREEMENT),
        ((UNSURE, UNSURE), UNSURE, LabelBasis.AGREEMENT),
        ((RIGHT, WRONG, WRONG), WRONG, LabelBasis.MAJORITY),
        ((RIGHT, RIGHT, WRONG), RIGHT, LabelBasis.MAJORITY),
        ((RIGHT, WRONG), UNSURE, LabelBasis.DISAGREEMENT),
        ((RIGHT, WRONG, UNSURE), UNSURE, LabelBasis.DISAGREEMENT),
        ((WRONG, WRONG, RIGHT, RIGHT), UNSURE, LabelBasis.DISAGREEMENT),
    ],
)
def test_the_majority_decides_and_a_tie_is_unsure(
    votes: tuple[Judgement | None, ...], label: Judgement, basis: LabelBasis
) -> None:
    """In any order of the annotators; who is unsure does not vote, who skips says nothing; two or more alike agree."""
    for order in itertools.permutations(votes):
        resolved = resolve(said(str(k), vote) for k, vote in enumerate(order))
        assert (resolved.judgement, resolved.basis) == (label, basis)


def test_the_reference_comes_from_the_winning_side() -> None:
    """What the outvoted annotator wrote is not what the label says."""
    label = resolve(
        [
            said("a", WRONG, reference="In 1987.", causes=("unfaithful",), harm="minor", rationale="The year."),
            said("b", RIGHT, reference="no", causes=("other",), harm="serious", rationale="no"),
            said("c", WRONG, at="2026-11-21T08:00:00.000Z"),
        ]
    )

    assert (label.judgement, label.annotator, label.at) == (WRONG, "a, c", "2026-11-21T08:00:00.000Z")
    assert (label.reference, label.causes, label.harm, label.rationale) == (
        *("In 1987.", ("unfaithful",), "minor", "The year."),
    )


def adjudicated(judgement: Judgement | None, **changes: Any) -> Annotation:
    return Annotation(source=ADJUDICATION, id="a", item_id="a", annotator="judge", judgement=judgement, **changes)


@pytest.mark.parametrize("place", range(4))
def test_an_adjudication_wins_whenever_it_came(place: int) -> None:
    """Against a majority too; with its own words only, and nobody's reference."""
    readings = [said("a", WRONG, reference="theirs", harm="minor"), said("b", WRONG), said("c", RIGHT)]
    label = resolve([*readings[:place], adjudicated(RIGHT, rationale="The year is right."), *readings[place:]])

    assert (label.judgement, label.annotator, label.basis) == (RIGHT, "judge", LabelBasis.ADJUDICATION)
    assert (label.reference, label.harm, label.rationale) == (None, None, "The year is right.")


@pytest.mark.parametrize("annotation", [adjudicated(RIGHT, deleted=True), adjudicated(None), adjudicated(UNSURE)])
def test_taken_back_or_unsure_it_adjudicates_nothing(annotation: Annotation) -> None:
    """The annotators decide; without any there is no label."""
    label = resolve([said("a", WRONG), said("b", WRONG), annotation])

    assert (label.judgement, label.annotator, label.basis) == (WRONG, "a, b", LabelBasis.AGREEMENT)
    assert resolve([annotation]) is None


def test_the_gravest_harm_of_the_winning_side_counts() -> None:
    """A later, milder word of another annotator hides nothing; what the outvoted side marks is not the label's."""
    side = [said("a", WRONG, harm="serious"), said("b", WRONG, harm="none")]
    label, outvoted = resolve(side), resolve([*side[1:], said("c", WRONG), said("d", RIGHT, harm="serious")])

    assert (label.harm, outvoted.harm) == ("serious", "none")
    assert gravest([]) is None


def test_the_latest_reference_of_the_side_counts() -> None:
    """Also when its writer had spoken first, before the others."""
    annotations = [
        said("a", WRONG, reference="first", at="2026-11-21T08:00:00.000Z"),
        said("b", WRONG, reference="second", at="2026-11-21T09:00:00.000Z"),
        said("a", WRONG, reference="third", at="2026-11-21T10:00:00.000Z"),
    ]
    label = resolve(annotations)

    assert (label.reference, label.at) == ("third", "2026-11-21T10:00:00.000Z")


def test_the_vote_is_that_of_counting() -> None:
    """Random annotations against a count written in another way."""
    rng = random.Random(6)
    for _ in range(300):
        annotations = [
            said(rng.choice("abcd"), rng.choice([RIGHT, WRONG, UNSURE, None]), deleted=rng.random() < 0.1)
            for _ in range(rng.randint(0, 9))
        ]
        last: dict[str, Judgement] = {}
        for annotation in annotations:
            if annotation.judgement and not annotation.deleted:
                last[annotation.annotator] = annotation.judgement
        balance = sum((vote is RIGHT) - (vote is WRONG) for vote in last.values())
        expected = None if not last else RIGHT if balance > 0 else WRONG if balance < 0 else UNSURE
        label = resolve(annotations)
        assert (label and label.judgement) == expected


def test_causes_and_harm_may_be_written_in_words() -> None:
    """As people read them: spaces for the underscores, and upper case."""
    row = {"item_id": "a", "label": "wrong", "causes": '["Retrieval missed", "outdated  or unsafe"]', "harm": "Serious"}
    annotation = annotation_from_row(row, {})

    assert (annotation.causes, annotation.harm) == (("retrieval_missed", "outdated_or_unsafe"), "serious")


def test_an_annotation_from_a_file_is_known_again_by_item_and_annotator() -> None:
    """A later word of the same person on the same item is a revision, anybody else's is another annotation."""
    first, again, colleague, elsewhere = (
        annotation_from_row({"item_id": item, "label": label, "annotator": who}, {})
        for item, label, who in (("a", "right", "x"), ("a", "wrong", "x"), ("a", "right", "y"), ("b", "right", "x"))
    )

    assert first.id == again.id
    assert len({first.id, colleague.id, elsewhere.id}) == 3
