"""A store in which the proxy and annotators differ on some answers, with all that the list can be asked for."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

from annotate.domain.annotation import CAUSES
from annotate.domain.sampling.proposal import ProposalRequest
from annotate.store import Store
from annotate.workflow.judging import rules
from annotate.workflow.sampling.draw import draw_wave
from proxy.records import Context, Item, Score, SentenceVerdict, Support
from support.store import take_labels

NOW = "2026-11-21T09:00:00.000Z"
SYSTEMS, LANGUAGES, CHANNELS = ("old", "new", None), ("en", "ko", None), ("app", "web")
ANNOTATORS = ("dr-lin", "dr-kim")
FAITHFULNESS, RELEVANCE = ("faithfulness", "f|v1"), ("context_relevance", "c|v1")
ANSWER = "The lift is in the hall [1].\n- It runs at night. It is <b>free</b>."
SUPPORTED, NOT_FOUND, CONTRADICTED = Support.SUPPORTED, Support.NOT_FOUND, Support.CONTRADICTED


class Told(NamedTuple):
    """An answer as it was made: the whole truth, for the tests to count by hand."""

    item_id: str
    system: str | None
    language: str | None
    channel: str
    month: int
    value: float
    reason: str
    label: str
    annotator: str
    causes: tuple[str, ...]
    harm: str | None
    labelled: int

    @property
    def kind(self) -> str | None:
        """How the proxy, which passes above 0.5, and the person differ."""
        if self.label == "wrong" and self.value > 0.5:
            return "miss"
        return "false_fail" if self.label == "right" and self.value <= 0.5 else None

    @property
    def order(self) -> tuple[bool, float]:
        """Serious harm first, misses by how high they were, then false fails by how low."""
        return self.harm != "serious", -self.value if self.kind == "miss" else self.value


def told(count: int = 60) -> list[Told]:
    """The answers, always the same, no two with the same value."""
    rng = random.Random(7)
    values = rng.sample(range(1, 1000), count)
    answers = []
    for number, value in enumerate(values):
        label = rng.choices(("right", "wrong", "unsure"), (5, 4, 1))[0]
        is_wrong = label == "wrong"
        answers.append(
            Told(
                item_id=f"q{number}",
                system=rng.choice(SYSTEMS),
                language=rng.choice(LANGUAGES),
                channel=rng.choice(CHANNELS),
                month=rng.randint(1, 9),
                value=value / 1000,
                reason=rng.choice(("nothing about the Lift", "all is there")),
                label=label,
                annotator=rng.choice(ANNOTATORS),
                causes=tuple(sorted(rng.sample(CAUSES, rng.randint(0, 2)))) if is_wrong else (),
                harm=rng.choice((None, "none", "minor", "serious")) if is_wrong else None,
                labelled=rng.randint(1, 9),
            )
        )
    return answers


def item(case: Told) -> Item:
    return Item(
        id=case.item_id,
        question=f"Where is lift {case.item_id}?",
        answer=ANSWER,
        contexts=(Context(text="The lift is in the hall.", title="House rules"),),
        system=case.system,
        language=case.language,
        timestamp=f"2026-0{case.month}-15T12:00:00.000Z",
        metadata={
            "channel": case.channel,
            "contexts": [{"text": "The lift is in the hall.", "date": "2021-03-04", "source": "wiki/7"}],
        },
    )


def scores(case: Told) -> list[Score]:
    """Two judges: the rule takes the lower, which is faithfulness."""
    verdicts = (
        SentenceVerdict(
            sentence="The lift is in the hall .", support=SUPPORTED, value=1.0, passage=1, quote="in the hall"
        ),
        SentenceVerdict(sentence="It runs at night.", support=NOT_FOUND, value=0.0, notes=("no passage on nights",)),
        SentenceVerdict(sentence="It is  free .", support=CONTRADICTED, value=0.0, passage=1, quote="The lift"),
    )
    return [
        Score(item_id=case.item_id, judge=RELEVANCE[0], signature=RELEVANCE[1], value=0.999, reason="on topic"),
        Score(
            item_id=case.item_id,
            judge=FAITHFULNESS[0],
            signature=FAITHFULNESS[1],
            value=case.value,
            reason=case.reason,
            sentences=verdicts,
        ),
    ]


def row(case: Told) -> dict[str, object]:
    return {
        **{"item_id": case.item_id, "label": case.label, "annotator": case.annotator, "causes": list(case.causes)},
        **({"harm": case.harm} if case.harm else {}),
        **({"rationale": f"note on {case.item_id}"} if case.label == "wrong" else {}),
        "at": f"2026-0{case.labelled}-20T12:00:00.000Z",
    }


def differing(store: Store, count: int = 60) -> list[Told]:
    """All of it in the store: every answer judged, drawn and labelled."""
    every = told(count)
    with store.atomic():
        store.traffic.items.add([item(case) for case in every], now=NOW)
        rows = store.traffic.items.keys([case.item_id for case in every])
        store.scores.keep({rows[case.item_id]: scores(case) for case in every}, now=NOW)
    rules.follow_scores(store, now=NOW)
    draw_wave(store, ProposalRequest(labels=count, audit=0.25, seed=3), now=NOW)
    labelled(store, [row(case) for case in every])
    return every


def labelled(store: Store, rows: list[dict[str, object]]) -> None:
    """Take labels in from a file."""
    take_labels(store, rows)


def differ(every: list[Told], keep: Callable[[Told], bool] = lambda case: True) -> list[str]:
    """The ids of those that differ and are kept, in the order of the list, counted without the store."""
    return [case.item_id for case in sorted(every, key=lambda case: case.order) if case.kind and keep(case)]
