"""Three systems or more and the store in, their ranking out: rates with intervals, ranks as ranges, and which are told apart.

The rule: a ranking speaks of the answers that some drawing with labels could have reached; a label picked by hand counts only
where every answer has a label.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from annotate.analysis.comparison.selections import Names, selection_of
from annotate.analysis.evidence_ledger import evidence_ledger
from annotate.analysis.labelled_draws import Ground, ground
from annotate.analysis.report.caveats import on_waves
from annotate.analysis.report.gate import Gate
from annotate.analysis.rule_in_force import rule_in_force, why_some_unscored
from annotate.domain.gate_limits import CompareLimits
from annotate.store import Store
from annotate.store.sampling.ledger import speaking
from annotate.store.traffic.selections import Given, Selection, ToLabel
from proxy.comparison.corrected_rates import Sampled
from proxy.comparison.expected import Answers
from proxy.comparison.ranking import Standings, standings
from proxy.errors import UsageError
from proxy.evaluation.evidence_ledger import Objection
from proxy.evaluation.ledger import DECIDED, numbered, weight_of
from proxy.records import Judgement, Verdict
from proxy.rule import VERDICTS, Rule
from proxy.stats.sampling.survey import Draws
from proxy.text.language import several


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """A system as it was named: all its answers, and how many of them no drawing with labels could have reached.

    `left` is what can still be labelled of them.
    """

    name: str
    answers: int
    out_of_reach: int
    unscored: int
    left: ToLabel


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranked:
    """The systems, numbered as they were named, with their standings.

    All of them answered `shared` of the `questions`; `hand_picked` labels count for nothing; `is_census` where every answer has
    a label. `missing` counts each system's draws without a right or wrong, `objections` forbid to tell any two apart.
    """

    sides: tuple[Side, ...]
    rule: Rule
    standings: Standings
    questions: int
    shared: int
    hand_picked: int
    is_census: bool
    missing: tuple[int, ...]
    objections: tuple[Objection, ...]
    notes: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """As they were asked for."""
        return tuple(one.name for one in self.sides)


def rank(store: Store, names: Sequence[str]) -> Ranked:
    """Rank them under the rule in force; UsageError for a name that the store does not have, or that stands twice."""
    known = Names.of(store)
    selections = [selection_of(name, known) for name in names]
    if len(set(selections)) < len(selections):
        raise UsageError("a system is named twice: name each once")
    key, rule = rule_in_force(store)
    with store.snapshot():
        objections = evidence_ledger(store, key, rule).against()
        found = ground(store, key, rule, scores_itself=False)
        given = _given(store, found, selections)
        by_hand = store.selections.hand_labelled(np.concatenate([side.items for side in given]))
        left = [store.selections.to_label([one]) for one in selections]
        sides = tuple(_side(*one) for one in zip(names, given, left, strict=True))
        is_census = _is_census(found, given, by_hand)
        reached = given if is_census else [side.only(side.is_reachable) for side in given]
        answers, rows = _answers(reached)
        sampled = _census(reached, found, by_hand) if is_census else _sampled(found, rows)
        asked = [set(side.questions) for side in given]
        silent = [Silent(0, 0.0)] * len(given) if is_census else [_silent(found, side) for side in given]
        return Ranked(
            sides=sides,
            rule=rule,
            standings=standings(
                answers, sampled, len(names), [one.share for one in silent], is_doubted=bool(objections)
            ),
            questions=len(set().union(*asked)),
            shared=len(set.intersection(*asked)),
            hand_picked=0 if is_census else len(by_hand),
            is_census=is_census,
            missing=tuple(one.draws for one in silent),
            objections=objections,
            notes=(
                *_unscored(store, rule, sides),
                *on_waves(store.ledger.answered(), store.ledger.last_counted(), 0),
            ),
        )


class Silent(NamedTuple):
    """The draws of a system without a right or wrong: how many, and their share of all its draws, weighted by design."""

    draws: int
    share: float


def _silent(found: Ground, given: Given) -> Silent:
    items = set(given.items.tolist())
    draws = [one for one in found.traffic.drawn if one.item in items and any(one.chances)]
    weights = [weight_of(one.chances, one.own)[0] for one in draws]
    missing = [weight for one, weight in zip(draws, weights, strict=True) if one.judgement not in DECIDED]
    return Silent(len(missing), sum(missing) / sum(weights) if weights else 0.0)


def gate_of(found: Ranked, limits: CompareLimits) -> Gate:
    """Fails where a system is clearly worse than the first, may be worse by more than the limit, or cannot be measured."""
    if found.objections:
        return Gate((f"the systems cannot be told apart: {found.objections[0].words}",))
    first, reasons = found.names[0], []
    against = {frozenset((one.better, one.worse)): one for one in found.standings.pairs}
    for number, name in enumerate(found.names[1:], start=1):
        one = against.get(frozenset((0, number)))
        if one is None:
            reasons.append(f"{name} cannot be compared with {first}: too few labels of one of them")
            continue
        drop = one.difference.high if one.better == 0 else -(one.difference.low or 0.0)
        if one.is_clear and one.better == 0:
            reasons.append(f"{name} is clearly worse than {first}")
        elif limits.largest_drop is not None and (drop or 0.0) > limits.largest_drop:
            allowed = f"{100 * limits.largest_drop:g} points that largest_drop allows"
            reasons.append(f"{name} may be worse than {first} by more than the {allowed}: more labels narrow it")
    return Gate(tuple(reasons))


def _given(store: Store, found: Ground, selections: Sequence[Selection]) -> list[Given]:
    """The answers of each system; UsageError where an answer belongs to two."""
    drawings = list(found.traffic.drawings)
    # Naming every drawing leaves out what no frame holds.
    reach = speaking(drawings)
    reach = drawings if reach is None else reach
    given = [store.selections.given(found.key, one, found.traffic.last, reach) for one in selections]
    _, counts = np.unique(np.concatenate([one.items for one in given]), return_counts=True)
    if both := int((counts > 1).sum()):
        answers = f"{several(both, 'answer')} {'is' if both == 1 else 'are'}"
        raise UsageError(f"{answers} of two of these: name systems or windows that do not overlap")
    return given


def _side(name: str, given: Given, left: ToLabel) -> Side:
    return Side(
        name=name,
        answers=len(given.items),
        out_of_reach=int((~given.is_reachable).sum()),
        unscored=int((given.verdicts == VERDICTS.index(Verdict.UNSCORED)).sum()),
        left=left,
    )


def _unscored(store: Store, rule: Rule, sides: Sequence[Side]) -> list[str]:
    """What a reader must know of answers without a verdict."""
    lacking = [one for one in sides if one.unscored]
    why = why_some_unscored(store, rule.signatures) if lacking else ""
    return [
        f"{one.unscored:,} of the {one.answers:,} answers of {one.name} have no score by the rule's judges ({why})"
        for one in lacking
    ]


def _answers(sides: Sequence[Given]) -> tuple[Answers, Mapping[int, int]]:
    """The answers as arrays, and the row of each item."""
    answers = Answers(
        system=np.repeat(np.arange(len(sides)), [len(side.items) for side in sides]),
        question=numbered([question for side in sides for question in side.questions]),
        value=np.concatenate([side.values for side in sides]),
    )
    return answers, {item: row for row, item in enumerate(_items(sides))}


def _items(sides: Sequence[Given]) -> list[int]:
    """The rows of all answers, side by side."""
    return [item for side in sides for item in side.items.tolist()]


def _sampled(found: Ground, rows: Mapping[int, int]) -> Sampled:
    """The draws of these answers that came back, as the ledger weights them."""
    returned = [one.item for one in found.traffic.drawn if one.judgement is not None]
    ours = np.array([item in rows for item in returned], dtype=np.bool_)
    row = [rows[item] for item in returned if item in rows]
    return Sampled(np.array(row, dtype=np.intp), found.traffic.columns.draws.only(ours))


def _is_census(found: Ground, sides: Sequence[Given], by_hand: Mapping[int, str]) -> bool:
    """Whether people have called every answer right or wrong, however the labels came: then nothing was chosen."""
    decided = {one.item for one in found.traffic.drawn if one.judgement in DECIDED}
    decided |= {item for item, word in by_hand.items() if Judgement(word) in DECIDED}
    items = _items(sides)
    return bool(items) and all(item in decided for item in items)


def _census(sides: Sequence[Given], found: Ground, by_hand: Mapping[int, str]) -> Sampled:
    """Every answer with its label, each standing for itself."""
    said = {one.item: one.judgement for one in found.traffic.drawn} | {
        item: Judgement(word) for item, word in by_hand.items()
    }
    every = _items(sides)
    one, nothing = np.ones(len(every)), np.zeros(len(every))
    place = np.arange(len(every))
    draws = Draws(
        right=np.array([said[item] is Judgement.RIGHT for item in every], dtype=np.float64),
        judged=one,
        weight=one,
        step=one,
        missed=nothing,
        drawing=np.zeros(len(every), dtype=np.intp),
        returned=len(every) * one,
        is_fixed=one > 0,
        cluster=numbered([group for side in sides for group in side.groups]),
        question=numbered([question for side in sides for question in side.questions]),
        score=nothing,
    )
    return Sampled(place, draws)
