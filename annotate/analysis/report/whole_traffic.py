"""Measure what a report says of all traffic and of no part of it.

- A learned rule, a better, trained or aligned judge would serve all of it.
- The stage to mend is named by system in `assay diagnose`, with tests of its own.
- Effective labels compare the design with a plain sample of all traffic, for which it was made.
- Contradictions and labels of answers that are gone are faults of the labels, whatever they are of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from annotate.analysis.aligned_judges.learning_curve import LearningCurve, measured_versions
from annotate.analysis.diagnosis import Namings, name_all
from annotate.analysis.evidence import Traffic
from annotate.analysis.learned_rule import LearnedRule, RuleConfirmation, confirmation, learned_rule
from annotate.analysis.predictor import without_each
from annotate.analysis.report.better_judge import BetterJudge, better_judge
from annotate.analysis.report.caveats import not_independent, opposite, outdated
from annotate.analysis.trained_judges.contrasts import TrainedContrast, trained_contrasts
from annotate.domain.sampling.outcomes import DrawProgress
from annotate.store import Store
from proxy.evaluation.domains import Evidence
from proxy.evaluation.effective_labels import EffectiveLabels, effective_labels_of
from proxy.evaluation.evidence_ledger import Objection
from proxy.evaluation.ledger import DECIDED
from proxy.evaluation.rule_comparison import RuleDifference
from proxy.rule import Rule

OF_ALL_TRAFFIC = "it is measured on all traffic only"


class WholeBasis(NamedTuple):
    """The caller's measurements: the rule in row `key`, all labels and those that score it, and what speaks against a claim.

    `kappas` are by expression a rule's kappa minus that of the rule in force, `excluded_draws` those that must not score it.
    """

    key: int
    rule: Rule
    whole: Traffic
    evidence: Evidence
    scoring: Traffic
    kappas: Mapping[str, RuleDifference]
    excluded_draws: frozenset[int]
    progress: DrawProgress
    objections: tuple[Objection, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class WholeTraffic:
    """The fields of a report that speak of all traffic alone."""

    learned: LearnedRule
    effective_labels: EffectiveLabels
    trained: tuple[TrainedContrast, ...] = ()
    better_judge: BetterJudge | None = None
    confirmation: RuleConfirmation | None = None
    stages: Namings | None = None
    curves: tuple[LearningCurve, ...] = ()
    contradictions: tuple[str, ...] = ()
    outdated: tuple[str, ...] = ()


def of_whole_traffic(store: Store, basis: WholeBasis) -> WholeTraffic:
    """Measure them."""
    key, rule, objections = basis.key, basis.rule, basis.objections
    items = sum(basis.scoring.rules[0].counts.values())
    return WholeTraffic(
        better_judge=None
        if objections
        else better_judge(store, basis.scoring, basis.kappas, basis.excluded_draws, basis.progress, items),
        learned=learned_rule(store, key, rule, next(iter(objections), None)),
        confirmation=None if objections else confirmation(store, key, rule),
        effective_labels=_effective_labels(store, basis),
        trained=() if objections else trained_contrasts(store),
        stages=name_all(store, key, rule, objections, basis.whole),
        curves=() if objections else measured_versions(store).curves,
        contradictions=not_independent(store.labels.uncounted()) + opposite(store.labels.opposite_labels.groups()),
        outdated=outdated(store.sampling.waves.outdated()),
    )


def of_no_part(rule: Rule, evidence: Evidence) -> WholeTraffic:
    """Leave them out for a part of the traffic, whose evidence this is."""
    right, wrong = (sum(item.judgement is judgement for item in evidence.returned) for judgement in DECIDED)
    return WholeTraffic(
        learned=LearnedRule(current_rule=rule, right=right, wrong=wrong),
        effective_labels=EffectiveLabels(estimate=None, n=right + wrong, reason=OF_ALL_TRAFFIC),
    )


def _effective_labels(store: Store, basis: WholeBasis) -> EffectiveLabels:
    """Measure what the labels are worth, and what each judge adds to that."""
    whole = effective_labels_of(basis.evidence)
    if whole.scores is None:
        return whole
    items = [draw.item for draw in basis.whole.drawn if draw.judgement is not None]
    draws = basis.evidence.arrays
    return effective_labels_of(
        basis.evidence, without_each(store, basis.rule, items, np.where(draws.judged > 0, draws.right, np.nan))
    )
