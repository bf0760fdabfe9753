"""Rank three systems or more: rates with intervals, ranks as ranges, and which systems can be told apart.

A ranking speaks of the answers that some drawing with labels could have reached; a label picked by hand counts only where every
answer has a label.
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
from annotate.domain.sampling.outcomes import ToLabel
from annotate.store import Store
from annotate.store.sampling.ledger import speaking
from annotate.store.traffic.selections import Given, Selection
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
        """The names that were asked for, in their order."""
        return tuple(side.name for side in self.sides)


def rank(store: Store, names: Sequence[str]) -> Ranked:
    """Rank them under the rule in force; UsageError for a name that the store does not have, or that stands twice."""
    known = Names.of(store)
    selections = [selection_of(name, known) for name in names]
    if len(set(selections)) < len(selections):
        raise UsageError("a system is named twice: name each once")
    key, rule = rule_in_force(store)
    with store.snapshot():
        objections = evidence_ledger(store, key, rule).against()
        basis = ground(store, key, rule, scores_itself=False)
        selected = _given(store, basis, selections)
        by_hand = store.selections.hand_labelled(np.concatenate([side.items for side in selected]))
        to_label = [store.selections.to_label([selection]) for selection in selections]
        sides = tuple(_side(*row) for row in zip(names, selected, to_label, strict=True))
        is_census = _is_census(basis, selected, by_hand)
        reached = selected if is_census else [side.only(side.is_reachable) for side in selected]
        answers, rows = _answers(reached)
        sampled = _census(reached, basis, by_hand) if is_census else _sampled(basis, rows)
        questions_by_side = [set(side.questions) for side in selected]
        silent = [Silent(0, 0.0)] * len(selected) if is_census else [_silent(basis, side) for side in selected]
        return Ranked(
            sides=sides,
            rule=rule,
            standings=standings(
                answers, sampled, len(names), [entry.share for entry in silent], is_doubted=bool(objections)
            ),
            questions=len(set().union(*questions_by_side)),
            shared=len(set.intersection(*questions_by_side)),
            hand_picked=0 if is_census else len(by_hand),
            is_census=is_census,
            missing=tuple(entry.draws for entry in silent),
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


def _silent(basis: Ground, given: Given) -> Silent:
    items = set(given.items.tolist())
    draws = [draw for draw in basis.traffic.drawn if draw.item in items and any(draw.chances)]
    weights = [weight_of(draw.chances, draw.own)[0] for draw in draws]
    missing = [weight for draw, weight in zip(draws, weights, strict=True) if draw.judgement not in DECIDED]
    return Silent(len(missing), sum(missing) / sum(weights) if weights else 0.0)


def gate_of(ranked: Ranked, limits: CompareLimits) -> Gate:
    """Fail where a system is clearly worse than the first, may be worse by more than the limit, or cannot be measured."""
    if ranked.objections:
        return Gate((f"the systems cannot be told apart: {ranked.objections[0].words}",))
    first, reasons = ranked.names[0], []
    against = {frozenset((pair.better, pair.worse)): pair for pair in ranked.standings.pairs}
    for number, name in enumerate(ranked.names[1:], start=1):
        pair = against.get(frozenset((0, number)))
        if pair is None:
            reasons.append(f"{name} cannot be compared with {first}: too few labels of one of them")
            continue
        drop = pair.difference.high if pair.better == 0 else -(pair.difference.low or 0.0)
        if pair.is_clear and pair.better == 0:
            reasons.append(f"{name} is clearly worse than {first}")
        elif limits.largest_drop is not None and (drop or 0.0) > limits.largest_drop:
            allowed = f"{100 * limits.largest_drop:g} points that largest_drop allows"
            reasons.append(f"{name} may be worse than {first} by more than the {allowed}: more labels narrow it")
    return Gate(tuple(reasons))


def _given(store: Store, basis: Ground, selections: Sequence[Selection]) -> list[Given]:
    """Return the answers of each system; UsageError where an answer belongs to two."""
    drawings = list(basis.traffic.drawings)
    # Naming every drawing leaves out what no frame holds.
    reach = speaking(drawings)
    reach = drawings if reach is None else reach
    selected = [store.selections.given(basis.key, selection, basis.traffic.last, reach) for selection in selections]
    _, counts = np.unique(np.concatenate([side.items for side in selected]), return_counts=True)
    if overlapping := int((counts > 1).sum()):
        answers = f"{several(overlapping, 'answer')} {'is' if overlapping == 1 else 'are'}"
        raise UsageError(f"{answers} of two of these: name systems or windows that do not overlap")
    return selected


def _side(name: str, given: Given, to_label: ToLabel) -> Side:
    return Side(
        name=name,
        answers=len(given.items),
        out_of_reach=int((~given.is_reachable).sum()),
        unscored=int((given.verdicts == VERDICTS.index(Verdict.UNSCORED)).sum()),
        left=to_label,
    )


def _unscored(store: Store, rule: Rule, sides: Sequence[Side]) -> list[str]:
    """Note how many answers have no verdict, and why."""
    lacking = [side for side in sides if side.unscored]
    reason = why_some_unscored(store, rule.signatures) if lacking else ""
    return [
        f"{side.unscored:,} of the {side.answers:,} answers of {side.name} have no score by the rule's judges ({reason})"
        for side in lacking
    ]


def _answers(sides: Sequence[Given]) -> tuple[Answers, Mapping[int, int]]:
    """Return the answers as arrays, and the row of each item."""
    answers = Answers(
        system=np.repeat(np.arange(len(sides)), [len(side.items) for side in sides]),
        question=numbered([question for side in sides for question in side.questions]),
        value=np.concatenate([side.values for side in sides]),
    )
    return answers, {item: row for row, item in enumerate(_items(sides))}


def _items(sides: Sequence[Given]) -> list[int]:
    """Return the rows of all answers, side by side."""
    return [item for side in sides for item in side.items.tolist()]


def _sampled(basis: Ground, rows: Mapping[int, int]) -> Sampled:
    """Return the draws of these answers that came back, as the ledger weights them."""
    returned = [draw.item for draw in basis.traffic.drawn if draw.judgement is not None]
    is_included = np.array([item in rows for item in returned], dtype=np.bool_)
    row = [rows[item] for item in returned if item in rows]
    return Sampled(np.array(row, dtype=np.intp), basis.traffic.columns.draws.only(is_included))


def _is_census(basis: Ground, sides: Sequence[Given], by_hand: Mapping[int, str]) -> bool:
    """Whether people have called every answer right or wrong, however the labels came: then nothing was chosen."""
    decided = {draw.item for draw in basis.traffic.drawn if draw.judgement in DECIDED}
    decided |= {item for item, word in by_hand.items() if Judgement(word) in DECIDED}
    items = _items(sides)
    return bool(items) and all(item in decided for item in items)


def _census(sides: Sequence[Given], basis: Ground, by_hand: Mapping[int, str]) -> Sampled:
    """Return every answer with its label, each standing for itself."""
    judgements = {draw.item: draw.judgement for draw in basis.traffic.drawn} | {
        item: Judgement(word) for item, word in by_hand.items()
    }
    items = _items(sides)
    ones, zeros = np.ones(len(items)), np.zeros(len(items))
    place = np.arange(len(items))
    draws = Draws(
        right=np.array([judgements[item] is Judgement.RIGHT for item in items], dtype=np.float64),
        judged=ones,
        weight=ones,
        step=ones,
        missed=zeros,
        drawing=np.zeros(len(items), dtype=np.intp),
        returned=len(items) * ones,
        is_fixed=ones > 0,
        cluster=numbered([group for side in sides for group in side.groups]),
        question=numbered([question for side in sides for question in side.questions]),
        score=zeros,
    )
    return Sampled(place, draws)
