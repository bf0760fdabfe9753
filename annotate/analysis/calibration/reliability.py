"""Estimate P(right) at each value of the rule in force: the reliability curve of `assay calibrate`.

Reads the store and returns `RuleReliability`. All drawn labels are used, also those that chose a threshold: a curve chooses
nothing, so they cannot flatter it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotate.analysis import evidence_ledger
from annotate.analysis.labelled_draws import AnswerGround, ground
from annotate.analysis.rule_in_force import Unscored, rule_in_force, why_unscored
from annotate.store import Store
from proxy.evaluation.domains import Unknown, of_verdict
from proxy.evaluation.evidence_ledger import Objection
from proxy.evaluation.reliability_curve import ReliabilityCurve, of_a_part, reliability_curve
from proxy.reason import Reason
from proxy.records import Verdict
from proxy.rule import Rule
from proxy.stats.sampling.permanent_random import permanent_random_number

SALT = "calibrate-folds"
# Chosen: each map is fitted on four fifths of the labels; ten folds would be nine tenths, and twice the fits.
FOLDS = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleReliability:
    """The reliability curve of the rule in force, and the labels that it lacks.

    Attributes
    ----------
    rule : Rule
        The rule whose value is read.
    curve : ReliabilityCurve
        P(right) by value; with a reason where there is none.
    open, left : int
        Draws that wait for a label, and items that no wave has drawn.
    drawn, unsure : int
        All draws, and those labelled unsure. The curve does not speak of unsure or open draws.
    objection : Objection or None
        What forbids a claim from these labels.
    unscored : Unscored or None
        Why no answer has a verdict, where none has one.
    """

    rule: Rule
    curve: ReliabilityCurve
    open: int
    left: int
    drawn: int = 0
    unsure: int = 0
    objection: Objection | None = None
    unscored: Unscored | None = None


def explain(store: Store) -> RuleReliability:
    """Estimate the reliability curve of the rule in force from all drawn labels."""
    key, rule = rule_in_force(store)
    with store.snapshot():
        objections = evidence_ledger.objections(store)
        basis = ground(store, key, rule, scores_itself=False)
        has_verdicts = any(
            size for verdict, size in store.scores.rules.counts(key).items() if verdict is not Verdict.UNSCORED
        )
        unscored = None if has_verdicts else why_unscored(store, rule)
        progress, items = store.sampling.waves.progress(), store.traffic.items.count()
    return RuleReliability(
        rule=rule,
        curve=_curve(basis),
        open=progress.open,
        left=items - progress.drawn,
        drawn=progress.drawn,
        unsure=progress.unsure,
        objection=objections[0] if objections else None,
        unscored=unscored,
    )


def values_of_bands(store: Store) -> list[tuple[int, float]]:
    """Return the items of the labels that the curve is fitted to, each with its value."""
    with store.snapshot():
        basis = ground(store, *rule_in_force(store), scores_itself=False)
    return [(row.about.item, row.value) for row in basis.labelled.rows if row.value is not None]


def _curve(basis: AnswerGround) -> ReliabilityCurve:
    """Fit the curve to the labels on both sides of the threshold.

    Where the labels of one side cannot speak for its answers, for example because nobody could draw them, fit it to the other
    side and say why.
    """
    evidence = basis.traffic.evidence(basis.traffic.rules[0])
    by_verdict = {verdict: of_verdict(evidence, verdict) for verdict in (Verdict.PASS, Verdict.FAIL)}
    unseen = {
        verdict: part.reason for verdict, part in by_verdict.items() if isinstance(part, Unknown) and part.missing
    }
    whole = _of_labels(basis, tuple(Verdict))
    if whole.reason or not unseen:
        return whole
    where = {Verdict.PASS: "above the threshold", Verdict.FAIL: "at the threshold or below it"}
    parts = [
        Reason(f"what a value {where[verdict]} means is {{reason}}", reason=why) for verdict, why in unseen.items()
    ]
    why = parts[0] if len(parts) == 1 else Reason("{first}; {second}", first=parts[0], second=parts[1])
    seen = [verdict for verdict in by_verdict if verdict not in unseen]
    return of_a_part(_of_labels(basis, seen), why) if seen else ReliabilityCurve(n=whole.n, right=None, reason=why)


def _of_labels(basis: AnswerGround, verdicts: Collection[Verdict]) -> ReliabilityCurve:
    """Fit the curve to the labels of answers that have a value and one of these verdicts."""
    kept = [row.value is not None and row.verdict in verdicts for row in basis.labelled.rows]
    labelled = basis.labelled.only(np.array(kept, dtype=np.bool_))
    values = np.array([row.value for row in labelled.rows], dtype=np.float64)
    ways = labelled.draws.ways
    is_by_group = not ways.crosses and ways.coarser is ways.group
    names = [row.about.group if is_by_group else row.about.question for row in labelled.rows]
    return reliability_curve(values, labelled.draws, _folds(names))


def _folds(names: Sequence[str]) -> NDArray[np.intp]:
    """Return the fold of each label, from the name of its question or group; equal names share a fold.

    The names are ordered by their hash and dealt out in turn, so that the folds are even and the same every time.
    """
    order = sorted(set(names), key=lambda name: permanent_random_number(name, SALT))
    fold = {name: place % FOLDS for place, name in enumerate(order)}
    return np.array([fold[name] for name in names], dtype=np.intp)
