"""What people do in the large made-up store: users press thumbs, annotators label, a third adjudicates disputes, gold is accepted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from annotate.domain.adjudication import Decision
from annotate.domain.annotation import CAUSES, HARMS, Annotation
from annotate.domain.feedback import Feedback
from annotate.domain.gold import GoldStatus
from annotate.domain.gold.splits import Shares
from annotate.store import Store
from annotate.store.labels.resolution import PlacedAnnotation
from annotate.store.sampling.waves import OpenDraw
from annotate.workflow.gold import release, review
from annotate.workflow.gold.review import Actor
from annotate.workflow.labelling import adjudicate
from proxy.records import Judgement, Score, SentenceVerdict, Support
from support.large_texts import correct, sentences
from support.large_truth import WEEKS, Truth, moment

FEEDBACK = 3_000
ANNOTATORS = ("dr-lin", "dr-kim", "dr-müller", "nurse-park", "陳醫師")
OVERLAP, DISAGREE = 0.25, 0.1
COMMENTS = (
    "This is not what I asked.",
    "Thank you, very clear.",
    "答案過時了",
    "도움이 되었어요",
    "Too long to read",
    "👎",
)


def thumbs(store: Store, rng: np.random.Generator, truth: Truth, week: int) -> None:
    """Half of the feedback, with comments; a few corrections."""
    chance = np.where(truth.right, 1.0, 4.0) * (truth.week < week)
    rows = rng.choice(len(truth.right), size=FEEDBACK // 2, replace=False, p=chance / chance.sum())
    said = []
    for place, n in enumerate(sorted(rows.tolist())):
        is_up = bool(truth.right[n]) == (rng.random() < 0.85)
        text = None if is_up or place % 40 else correct(n // 4, str(truth.language[n]))
        value = "1" if is_up else "-1"
        at = moment(truth.week[n] + float(rng.random()))
        comment = f"{COMMENTS[place % len(COMMENTS)]} ({place})" if place % 3 else None
        said.append(
            Feedback(
                item_id=f"t-{n:06}", value=value, sign=int(value), comment=comment, correction=text, source="app", at=at
            )
        )
    with store.atomic():
        store.traffic.feedback.keep(said, now=moment(week))


def label(store: Store, rng: np.random.Generator, truth: Truth, week: int, *, left_open: int) -> None:
    """One or two annotators of each draw, in the ten days after it; the last ones stay open."""
    draws = store.sampling.waves.open_draws()
    draws = draws[: len(draws) - left_open]
    placed = [
        PlacedAnnotation(annotation, draw.item, draw.key)
        for draw in draws
        for annotation in _said(rng, truth, draw, week)
    ]
    details = {draw.item: [_detailed(draw, truth)] for draw in draws}
    with store.atomic():
        store.scores.keep(details, now=moment(week))
        store.labels.keep(placed, now=moment(week + 1.4))
        store.audit.events.append("labels import", {"rows": len(placed)}, who="lead-hana", now=moment(week + 1.4))


def _said(rng: np.random.Generator, truth: Truth, draw: OpenDraw, week: int) -> Iterator[Annotation]:
    """What the annotators of one draw say."""
    n = draw.item - 1
    for place, annotator in enumerate(rng.permutation(ANNOTATORS)[: 1 + int(rng.random() < OVERLAP)]):
        is_right = bool(truth.right[n]) == (rng.random() > (DISAGREE if place else 0.03))
        unsure, wrong = rng.random() < 0.02, not is_right
        written = wrong and rng.random() < 0.6
        yield Annotation(
            source="file",
            id=f"{draw.item_id}:{annotator}:{draw.task_key}",
            item_id=draw.item_id,
            annotator=str(annotator),
            judgement=Judgement.UNSURE if unsure else Judgement.WRONG if wrong else Judgement.RIGHT,
            reference=correct(n // 4, str(truth.language[n])) if written else None,
            causes=(CAUSES[int(truth.retrieved[n]) if n % 7 else n % len(CAUSES)],) if wrong else (),
            harm=(*HARMS, *HARMS[:2] * 5)[n // 4 % 13] if wrong else None,
            rationale="The number is not the one in the leaflet." if wrong and n % 3 else None,
            form_version="2",
            seconds=round(float(rng.lognormal(3.2, 0.6)), 1),
            at=moment(week + float(rng.random()) * 1.4),
        )


def _detailed(draw: OpenDraw, truth: Truth) -> Score:
    """The model's word on each sentence of a drawn answer, under a signature of its own."""
    n = draw.item - 1
    is_right = bool(truth.right[n])
    parts = sentences(n // 4, str(truth.language[n]), is_right=is_right)
    verdicts = tuple(
        SentenceVerdict(
            sentence=part,
            support=Support.SUPPORTED if place or is_right else Support.CONTRADICTED,
            value=1.0 if place or is_right else 0.0,
            passage=1 + place % 3,
        )
        for place, part in enumerate(parts)
    )
    value = sum(verdict.value or 0 for verdict in verdicts) / len(verdicts)
    name = "faithfulness|llm|careful-judge|v1|77aa88bb"
    return Score(
        item_id=draw.item_id,
        judge="faithfulness",
        signature=name,
        value=value,
        sentences=verdicts,
        reason="by sentence",
    )


def adjudicate_half(store: Store) -> None:
    """A third person adjudicates half of what annotators dispute."""
    waiting = store.labels.adjudication.waiting()
    for case in waiting[::2]:
        wrong = case.item % 3 > 0
        decision = Decision(
            judgement=Judgement.WRONG if wrong else Judgement.RIGHT,
            why="read the leaflet again",
            causes=("incomplete",) if wrong else (),
            harm="minor" if wrong else None,
        )
        adjudicate.adjudicate(store, case.item, decision, who="lead-hana", now=moment(WEEKS + 1.5))


def gold(store: Store) -> None:
    """Some candidates accepted, one release made of them."""
    seen: dict[str, int | None] = {
        entry.gold_id: entry.revision for entry in store.gold.entries(GoldStatus.CANDIDATE)[:150]
    }
    review.set_status(store, seen, GoldStatus.ACCEPTED, Actor("lead-hana", moment(WEEKS + 1.6)))
    release.release(store, "2026-11", Shares(), with_doubts=True, who="lead-hana", now=moment(WEEKS + 1.7))
