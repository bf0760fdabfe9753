"""Rank systems by their share of right answers: a rate with its interval, and a range of ranks for each.

Reads the store and returns `Ranked`; the statistics are in `proxy.comparison.ranking`. Only answers that a wave with labels could
have drawn are ranked. Hand-picked labels are left out, unless every answer has a label.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from annotate.analysis import evidence_ledger
from annotate.analysis.comparison.by_criterion import WrongAnswers, by_criterion, of_label, wrong_answers
from annotate.analysis.comparison.compare import unscored_note
from annotate.analysis.comparison.selections import Names, selection_of, shown
from annotate.analysis.labelled_draws import AnswerGround, ground
from annotate.analysis.report.caveats import on_waves
from annotate.analysis.report.gate import Gate
from annotate.analysis.rule_in_force import rule_in_force, why_some_unscored
from annotate.domain.gate_limits import CompareLimits
from annotate.domain.sampling.outcomes import ToLabel
from annotate.domain.selection import Selection
from annotate.store import Store
from proxy.comparison.given_answers import (
    GivenAnswers,
    MissingAnswers,
    answers_of,
    census,
    is_census,
    missing_answers,
    sampled_of,
)
from proxy.comparison.ranking import Standings, standings
from proxy.errors import UsageError
from proxy.evaluation.evidence_ledger import Objection
from proxy.evaluation.ledger import DECIDED, SampledItem
from proxy.evaluation.nonresponse import speaking
from proxy.judges.trained.pairs import Criterion
from proxy.reason import Reason
from proxy.records import Verdict
from proxy.rule import VERDICTS, Rule
from proxy.text.numbers import several

INDISTINGUISHABLE = "the systems cannot be told apart: {reason}"
TOO_FEW = "{name} cannot be compared with {first}: too few labels of one of them"
CLEARLY_WORSE = "{name} is clearly worse than {first}"
MAY_BE_WORSE = (
    "{name} may be worse than {first} by more than the {allowed} points that largest_drop allows: more labels narrow it"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class RankedSystem:
    """A system as it was named, and its answers.

    `out_of_reach` counts the answers that no wave with labels could have drawn, `unscored` those without a verdict. `left` is
    what can still be labelled. `wrong` are its drawn wrong answers where systems are ranked by a criterion.
    """

    name: str
    answers: int
    out_of_reach: int
    unscored: int
    left: ToLabel
    wrong: WrongAnswers


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranked:
    """The result of a ranking; systems are numbered in the order in which they were named.

    Attributes
    ----------
    systems : tuple of RankedSystem
        The systems.
    rule : Rule
        The rule in force, whose value predicts P(right).
    standings : Standings
        Rates, ranks and pairs.
    questions, shared : int
        The questions that any system answered, and those that all did.
    hand_picked : int
        Labels that were left out.
    is_census : bool
        Whether every answer has a label; nothing is then estimated.
    missing : tuple of int
        For each system, its draws without a right or wrong.
    objections : tuple of Objection
        What forbids any claim; with one, no two systems are distinguished.
    limits : CompareLimits
        Those of the gate.
    criterion : Criterion or None
        What they are ranked by: the share of answers that do not fail it; None: the share of right answers.
    """

    systems: tuple[RankedSystem, ...]
    rule: Rule
    standings: Standings
    questions: int
    shared: int
    hand_picked: int
    is_census: bool
    missing: tuple[int, ...]
    objections: tuple[Objection, ...]
    notes: tuple[str, ...]
    limits: CompareLimits = field(default_factory=CompareLimits)
    criterion: Criterion | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names that were asked for, in their order."""
        return tuple(system.name for system in self.systems)


def rank(
    store: Store,
    names: Sequence[str],
    limits: CompareLimits | None = None,
    criterion: Criterion | None = None,
) -> Ranked:
    """Rank these systems.

    Parameters
    ----------
    store : Store
        Read at one moment.
    names : sequence of str
        Systems, or windows of time as in `selections`.
    limits : CompareLimits or None
        What the gate allows.
    criterion : Criterion or None
        Rank by the share of answers that annotators do not call wrong for this; None: by the share of right answers.

    Raises
    ------
    UsageError
        For no name, a name that the store does not have, a name that stands twice, or names that share answers.
    """
    known = Names.of(store)
    if not names:
        raise UsageError(f"name two systems to compare; the systems are {known.words}")
    selections = [selection_of(name, known) for name in names]
    if len(set(selections)) < len(selections):
        raise UsageError("a system is named twice: name each once")
    key, rule = rule_in_force(store)
    with store.snapshot():
        objections = evidence_ledger.objections(store)
        basis = ground(store, key, rule, scores_itself=False)
        labels = store.labels.that_count() if criterion else {}
        selected = _given(store, basis, selections)
        drawn = {draw.item for draw in basis.traffic.drawn}
        wrong = [wrong_answers(labels, drawn.intersection(answers.items.tolist())) for answers in selected]
        if criterion:
            silent = {
                item
                for answers, counts in zip(selected, wrong, strict=True)
                if counts.is_silent
                for item in answers.items.tolist()
            }
            basis = replace(basis, traffic=by_criterion(basis.traffic, labels, criterion, silent))
        by_hand = store.traffic.selections.hand_labelled(np.concatenate([system.items for system in selected]))
        to_label = [store.traffic.selections.to_label([selection]) for selection in selections]
        systems = tuple(_side(*row) for row in zip(map(shown, names), selected, to_label, wrong, strict=True))
        judgements = {draw.item: draw.judgement for draw in basis.traffic.drawn} | {
            label.item: of_label(label.judgement, labels[label.item], criterion) if criterion else label.judgement
            for label in by_hand
        }
        sample = basis.traffic.evidence(basis.traffic.rules[0]).sample
        decided = {item for item, judgement in judgements.items() if judgement in DECIDED}
        is_whole = is_census(selected, decided)
        reached = selected if is_whole else [answers.only(answers.is_reachable) for answers in selected]
        returned = [draw.item for draw in basis.traffic.drawn if draw.judgement is not None]
        sampled = census(reached, judgements) if is_whole else sampled_of(reached, returned, basis.traffic.columns)
        questions_by_side = [set(answers.questions) for answers in selected]
        missing = [MissingAnswers(0, 0.0) if is_whole else _missing(basis, sample, answers) for answers in selected]
        return Ranked(
            systems=systems,
            rule=rule,
            standings=standings(
                answers_of(reached),
                sampled,
                len(names),
                [entry.share for entry in missing],
                is_doubted=bool(objections),
            ),
            questions=len(set().union(*questions_by_side)),
            shared=len(set.intersection(*questions_by_side)),
            hand_picked=0 if is_whole else len(by_hand),
            is_census=is_whole,
            missing=tuple(entry.draws for entry in missing),
            objections=objections,
            notes=(
                *_unscored(store, rule, systems),
                *on_waves(store.sampling.ledger.answered(), store.sampling.ledger.last_counted(), 0),
            ),
            limits=limits or CompareLimits(),
            criterion=criterion,
        )


def _missing(basis: AnswerGround, sample: Sequence[SampledItem], given: GivenAnswers) -> MissingAnswers:
    items = set(given.items.tolist())
    return missing_answers(
        sampled for draw, sampled in zip(basis.traffic.drawn, sample, strict=True) if draw.item in items
    )


def gate_of(ranked: Ranked) -> Gate:
    """Fail where a system is clearly worse than the first, may be worse by more than the limit, or cannot be measured."""
    if ranked.objections:
        return Gate((Reason(INDISTINGUISHABLE, reason=ranked.objections[0].words),))
    first, reasons, allowed_drop = ranked.names[0], list[Reason](), ranked.limits.largest_drop
    against = {frozenset((pair.better, pair.worse)): pair for pair in ranked.standings.pairs}
    for number, name in enumerate(ranked.names[1:], start=1):
        pair = against.get(frozenset((0, number)))
        if pair is None:
            reasons.append(Reason(TOO_FEW, name=name, first=first))
            continue
        drop = pair.difference.high if pair.better == 0 else -(pair.difference.low or 0.0)
        if pair.is_clear and pair.better == 0:
            reasons.append(Reason(CLEARLY_WORSE, name=name, first=first))
        elif allowed_drop is not None and (drop or 0.0) > allowed_drop:
            reasons.append(Reason(MAY_BE_WORSE, name=name, first=first, allowed=f"{100 * allowed_drop:g}"))
    return Gate(tuple(reasons))


def _given(store: Store, basis: AnswerGround, selections: Sequence[Selection]) -> list[GivenAnswers]:
    """Read the answers of each system; UsageError where an answer belongs to two."""
    drawings = list(basis.traffic.drawings)
    # Naming every drawing leaves out what no frame holds.
    reach = speaking(drawings)
    reach = drawings if reach is None else reach
    names = dict[str, str]()
    selected = [
        store.traffic.selections.given(basis.key, selection, basis.traffic.last, reach, names)
        for selection in selections
    ]
    _, counts = np.unique(np.concatenate([system.items for system in selected]), return_counts=True)
    if overlapping := int((counts > 1).sum()):
        shared = several(overlapping, "answer")
        raise UsageError(f"{shared} in more than one of these: name systems or windows that do not overlap")
    return selected


def _side(name: str, given: GivenAnswers, to_label: ToLabel, wrong: WrongAnswers) -> RankedSystem:
    return RankedSystem(
        name=name,
        answers=len(given.items),
        out_of_reach=int((~given.is_reachable).sum()),
        unscored=int((given.verdicts == VERDICTS.index(Verdict.UNSCORED)).sum()),
        left=to_label,
        wrong=wrong,
    )


def _unscored(store: Store, rule: Rule, systems: Sequence[RankedSystem]) -> list[str]:
    """Note how many answers have no verdict, and why."""
    lacking = [system for system in systems if system.unscored]
    reason = why_some_unscored(store, rule.signatures) if lacking else ""
    return [unscored_note(system.unscored, system.answers, system.name, reason) for system in lacking]
