"""A store with answers of every kind: scored, half scored or not, of several systems or none, drawn, open, hand-picked, rated."""

from __future__ import annotations

import random

from annotate.domain.sampling.proposal import ProposalRequest
from annotate.store import Store
from annotate.workflow.judging import rules
from annotate.workflow.sampling.draw import draw_wave
from proxy.records import Context, FailureKind, Item, JudgeFailure, Score
from support.store import take_feedback, take_labels

NOW, LATER = "2026-11-21T09:00:00.000Z", "2026-11-23T09:00:00.000Z"
COUNT, FIRST_WAVE, SECOND_WAVE = 150, 70, 30
FAITHFULNESS, RELEVANCE = ("faithfulness", "f|v1"), ("context_relevance", "c|v1")
SYSTEMS = ("old", "new", None)


def mixed(store: Store) -> None:
    """Everything; two waves, of which some draws still wait for a label, and thumbs from before and after the first."""
    rng = random.Random(11)
    items = [_item(number, rng) for number in range(COUNT)]
    with store.atomic():
        store.traffic.items.add(items, now=NOW)
        keys = store.traffic.items.keys([item.id for item in items])
        store.scores.keep({keys[item.id]: _scores(item.id, rng) for item in items}, now=NOW)
    rules.follow_scores(store, now=NOW)
    take_feedback(store, [_thumb(item.id, rng) for item in items[:40]], now=NOW)
    draw_wave(store, ProposalRequest(labels=FIRST_WAVE, audit=0.3, seed=1), now=NOW)
    _label(store, rng, left=8)
    take_feedback(store, [_thumb(item.id, rng) for item in items[60:80]], now=LATER)
    draw_wave(store, ProposalRequest(labels=SECOND_WAVE, audit=0.3, seed=2), now=LATER)
    _label(store, rng, left=12)
    drawn = {draw.item_id for draw in store.sampling.waves.open_draws()} | {
        store.traffic.items.get(row).id for row in store.labels.that_count()
    }
    picked = [item.id for item in items if item.id not in drawn][:12]
    take_labels(store, [_row(name, rng) for name in picked])


def _item(number: int, rng: random.Random) -> Item:
    passages = (Context(text=f"Room {number} is on floor {number % 7}."),) if number % 9 else ()
    return Item(
        id=f"m{number:03}",
        question=f"Where is room {number % 120}?",
        answer=f"Room {number} is on floor {number % 5}.",
        contexts=passages,
        system=rng.choice(SYSTEMS),
        timestamp=f"2026-{9 + number % 3:02}-{1 + number % 28:02}T00:00:00.000Z",
    )


def _scores(name: str, rng: random.Random) -> list[Score | JudgeFailure]:
    """Both scores of most, equal ones among them; one or none of the others."""
    return [
        Score(item_id=name, judge=judge, signature=signature, value=round(rng.random(), 1))
        if rng.random() < 0.9
        else JudgeFailure(item_id=name, judge=judge, signature=signature, kind=FailureKind.INVALID, reason="no verdict")
        for judge, signature in (RELEVANCE, FAITHFULNESS)
    ]


def _thumb(name: str, rng: random.Random) -> dict[str, object]:
    return {"item_id": name, "value": rng.choice((-1, 1))}


def _label(store: Store, rng: random.Random, *, left: int) -> None:
    """Label the open draws, but for some."""
    draws = store.sampling.waves.open_draws()
    take_labels(store, [_row(draw.item_id, rng) for draw in draws[: len(draws) - left]])


def _row(name: str, rng: random.Random) -> dict[str, object]:
    label = rng.choices(("right", "wrong", "unsure"), (6, 4, 1))[0]
    causes = ["unfaithful"] if label == "wrong" and rng.random() < 0.4 else []
    harm = rng.choice(("none", "minor", "serious")) if label == "wrong" else None
    return {"item_id": name, "label": label, "annotator": "ann", "causes": causes, **({"harm": harm} if harm else {})}
