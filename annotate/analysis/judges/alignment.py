"""Read what a judge can be aligned with: labels of questions that tune it, and labels of the others, that measure it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from annotate.analysis.evidence import labels_alone
from annotate.domain.alignment import Alignment
from annotate.domain.privacy.redaction import for_model, in_force
from annotate.domain.question_key import question_key
from annotate.store import Store
from proxy.evaluation.alignment import tunes
from proxy.evaluation.candidates import JudgeKey, is_lower_better, single
from proxy.evaluation.discrimination import Valued, valued
from proxy.evaluation.ledger import DECIDED
from proxy.judges.llm.guidance import ExampleLibrary, Guidance, LabelledExample
from proxy.records import Item, Judgement, Label

HIDDEN_NAME = "…"


class DecidedDraw(NamedTuple):
    """A drawn answer with a label that says right or wrong; `draw` and `item` are rows of the store."""

    draw: int
    item: int
    question: str
    group: str
    judgement: Judgement


@dataclass(frozen=True, kw_only=True, slots=True)
class AlignmentLabels:
    """The labels that tune a judge, and those that measure it; of a question all are one or the other."""

    share: float
    tuning: tuple[DecidedDraw, ...]
    measuring: tuple[DecidedDraw, ...]


class Kinds(NamedTuple):
    """How many labels say right, and how many wrong."""

    right: int
    wrong: int

    @property
    def rarer(self) -> int:
        """The number of the kind that there are fewer of."""
        return min(self)

    @classmethod
    def of(cls, draws: Collection[DecidedDraw]) -> Kinds:
        """Count them."""
        right = sum(draw.judgement is Judgement.RIGHT for draw in draws)
        return cls(right, len(draws) - right)


def alignment_labels(store: Store, share: float) -> AlignmentLabels:
    """Return the labels of drawn answers that say right or wrong, apart by what their question is for."""
    traffic = labels_alone(store, [], frozenset())
    described = store.traffic.partitions.described(traffic.last)
    draws = [
        DecidedDraw(about.draw, about.item, about.question, about.group, drawn.judgement)
        for about, drawn in zip(described, traffic.drawn, strict=True)
        if drawn.judgement is not None and drawn.judgement in DECIDED
    ]
    return AlignmentLabels(
        share=share,
        tuning=tuple(draw for draw in draws if tunes(draw.question, share)),
        measuring=tuple(draw for draw in draws if not tunes(draw.question, share)),
    )


def side_by_side(
    store: Store, base: JudgeKey, values: Mapping[int, float], *, tuning: bool, share: float
) -> tuple[Valued, Valued]:
    """Return the scores of a version and of the judge in force on the same labels, tuning or measuring ones.

    Parameters
    ----------
    store
        Read only.
    base
        The judge in force, whose scores are those of the store.
    values
        The scores of the version, by item; where low is good, they are turned round as those of the judge in force are.
    tuning
        Whether on the tuning labels; else on the measuring ones.
    share
        The share of questions that tune.
    """
    described = store.traffic.partitions.described(store.sampling.ledger.last_counted())
    excluded = frozenset(about.draw for about in described if tunes(about.question, share) is not tuning)
    traffic = labels_alone(store, [single(base)], excluded)
    rule = traffic.rules[0]
    own = [oriented(base.judge, values.get(draw.item)) for draw in traffic.drawn]
    first, second = valued(traffic.evidence(rule), own, rule.values)
    return first, second


def oriented(judge: str, value: float | None) -> float | None:
    """Return a score so that high is good."""
    return 1 - value if value is not None and is_lower_better(judge) else value


def examples_of(store: Store, draws: Sequence[DecidedDraw]) -> dict[int, LabelledExample]:
    """Return labelled answers, by item, as judges of other questions may be shown them; what was forgotten is left out."""
    labels, items = store.labels.that_count(), store.traffic.items.read([draw.item for draw in draws])
    hide = _hiding(store)
    return {
        draw.item: _example(items[draw.item], draw, labels.get(draw.item), hide)
        for draw in draws
        if not store.traffic.items.is_forgotten(draw.item)
    }


def guidance_of(store: Store, alignment: Alignment) -> Guidance:
    """Return what guides this version; an example whose label has changed or that was forgotten is left out."""
    wanted = set(alignment.examples)
    if not wanted:
        return Guidance(guidelines=alignment.guidelines)
    share = store.scores.alignments.share(alignment.judge) or 0.0
    draws = [draw for draw in alignment_labels(store, share).tuning if draw.item in wanted]
    return Guidance(guidelines=alignment.guidelines, library=library_of(store, draws))


def library_of(store: Store, draws: Sequence[DecidedDraw]) -> ExampleLibrary:
    """Return the examples to choose from."""
    return ExampleLibrary(list(examples_of(store, draws).values()), asks)


def asks(item: Item) -> str:
    """Return the key of the question that an item asks."""
    return question_key(item.question, item.history)


def _example(item: Item, draw: DecidedDraw, label: Label | None, hide: Callable[[str], str]) -> LabelledExample:
    shown = for_model(item)
    words = [(label.rationale or ""), *(cause.replace("_", " ") for cause in label.causes)] if label else []
    return LabelledExample(
        item=shown,
        question=asks(shown),
        group=draw.group,
        judgement=draw.judgement,
        why=hide(in_force().text("; ".join(filter(None, words)))),
    )


def _hiding(store: Store) -> Callable[[str], str]:
    """Return what takes the names of annotators out of what they write."""
    names = sorted((name for name in store.audit.events.everybody() if name.strip()), key=len, reverse=True)
    if not names:
        return str
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names), re.IGNORECASE)
    return lambda text: pattern.sub(HIDDEN_NAME, text)
