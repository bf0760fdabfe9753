"""Learn a rule from half of the labelled questions or groups, and measure it beside the rule in force on the other half.

The role of each is decided by a salted hash before it has a label (`proxy.evaluation.learned_rule`). Nothing is written:
`annotate.workflow.judging.learned_rule` puts the rule in force and keeps which draws trained it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from annotate.analysis.evidence import Traffic, labels_alone
from annotate.analysis.excluded_draws import excluded_from_rule
from annotate.analysis.predictor import predictors
from annotate.analysis.rule_in_force import frozen_knots
from annotate.analysis.training_roles import DrawRoles, draw_roles
from annotate.store import Store
from proxy.evaluation.candidates import JudgeKey
from proxy.evaluation.evidence_ledger import Objection
from proxy.evaluation.learned_rule import FEWEST_LABELS, FEWEST_OF_A_KIND, NotLearned, learn
from proxy.evaluation.ledger import DECIDED
from proxy.evaluation.rule_contrast import RuleContrast, contrast
from proxy.evaluation.threshold import value_of
from proxy.records import Judgement
from proxy.rule import Rule


@dataclass(frozen=True, kw_only=True, slots=True)
class LearnedRule:
    """A learned rule beside the rule in force.

    Attributes
    ----------
    current_rule
        The rule in force.
    right, wrong
        The labels of drawn answers that count.
    rule
        What was learned; None while there are too few labels, or for the reason in `not_learned`.
    not_learned
        Why there is no rule though there are enough labels.
    training_labels
        How many labels trained it, or would have.
    is_by_question
        Whether roles are by question; else by group.
    contrast
        Its kappa minus that of the rule in force, on labels that chose neither; None without a rule.
    draws
        All draws that are kept for training, labelled or not: they never evaluate it. Empty where no rule was learned.
    objection
        What forbids any claim from these labels.
    is_saved
        Whether it was put in force.
    """

    current_rule: Rule
    right: int
    wrong: int
    rule: Rule | None = None
    not_learned: NotLearned | None = None
    training_labels: int = 0
    is_by_question: bool = True
    contrast: RuleContrast | None = None
    draws: frozenset[int] = frozenset()
    objection: Objection | None = None
    is_saved: bool = False

    @property
    def labels(self) -> int:
        """The labels that count."""
        return self.right + self.wrong

    @property
    def has_few(self) -> bool:
        """Whether there are too few labels, or too few of a kind, to learn from."""
        return self.labels < FEWEST_LABELS or min(self.right, self.wrong) < FEWEST_OF_A_KIND

    @property
    def is_better(self) -> bool:
        """Whether it is shown to agree better with annotators than the rule in force.

        Valid at any number of interim looks (a confidence sequence).
        """
        return self.objection is None and self.contrast is not None and self.contrast.is_better


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleConfirmation:
    """A learned rule in force beside the rule that it replaced, on labels of waves that were drawn after it was set.

    `training_labels` counts the labels, right or wrong, of draws that were kept for training: they never evaluate it.
    """

    replaced_rule: Rule
    training_labels: int
    contrast: RuleContrast


def learned_rule(store: Store, key: int, rule: Rule, objection: Objection | None) -> LearnedRule:
    """Learn a rule from the labels so far.

    Parameters
    ----------
    store : Store
        Read only.
    key, rule
        The row of the rule in force, and the rule.
    objection : Objection or None
        What forbids any claim from these labels.

    Returns
    -------
    LearnedRule
        What was learned beside the rule in force; without a rule while there are too few labels, or nothing to tell apart.
    """
    everything = labels_alone(store, [rule], frozenset())
    answers = [draw.judgement for draw in everything.drawn if draw.judgement in DECIDED]
    right = answers.count(Judgement.RIGHT)
    without_rule = LearnedRule(current_rule=rule, right=right, wrong=len(answers) - right, objection=objection)
    if without_rule.has_few or objection:
        return without_rule
    roles = draw_roles(store, everything.last)
    learned_or_reason, training_labels = _learn(store, rule, everything, roles)
    if isinstance(learned_or_reason, NotLearned):
        return replace(
            without_rule,
            not_learned=learned_or_reason,
            training_labels=training_labels,
            is_by_question=roles.is_by_question,
        )
    excluded_draws = roles.training_draws | excluded_from_rule(store, key, rule)
    others = labels_alone(store, [rule, learned_or_reason], excluded_draws)
    return replace(
        without_rule,
        rule=learned_or_reason,
        training_labels=training_labels,
        is_by_question=roles.is_by_question,
        contrast=contrast(others.paired(others.rules[1])),
        draws=roles.training_draws,
    )


def confirmation(store: Store, key: int, rule: Rule) -> RuleConfirmation | None:
    """Measure the rule in force on fresh labels beside the one that it replaced; None where it was not learned."""
    training_draws = store.scores.guarantees.training_draws(rule)
    replaced = _replaced(store, rule)
    if not training_draws or replaced is None:
        return None
    replaced_rule, at = replaced
    excluded_draws = excluded_from_rule(store, key, rule) | store.sampling.ledger.drawn_by(at)
    fresh = labels_alone(store, [replaced_rule, rule], excluded_draws)
    return RuleConfirmation(
        replaced_rule=replaced_rule,
        training_labels=_labels(store, training_draws),
        contrast=contrast(fresh.paired(fresh.rules[1])),
    )


def _labels(store: Store, draws: frozenset[int]) -> int:
    """Count those of the draws that have a label that says right or wrong."""
    traffic = labels_alone(store, [], frozenset())
    keys = (about.draw for about in store.traffic.partitions.described(traffic.last))
    return sum(key in draws and draw.judgement in DECIDED for key, draw in zip(keys, traffic.drawn, strict=True))


def _replaced(store: Store, rule: Rule) -> tuple[Rule, str] | None:
    """Return the rule before the first with this value, and when that was set."""
    before: Rule | None = None
    for version, at, _ in store.scores.rules.history():
        if value_of(version) == value_of(rule) and version.signatures == rule.signatures:
            return (before, at) if before else None
        before = version
    return None


def _learn(store: Store, rule: Rule, traffic: Traffic, roles: DrawRoles) -> tuple[Rule | NotLearned, int]:
    """Learn from the training labels; return the rule, or why there is none, and their number."""
    returned = [
        (draw, draw_key in roles.training_draws)
        for draw, draw_key in zip(traffic.drawn, roles.keys, strict=True)
        if draw.judgement is not None
    ]
    rows = np.array([is_training and draw.judgement in DECIDED for draw, is_training in returned], dtype=np.bool_)
    draws = traffic.columns.only(rows)
    items = [draw.item for (draw, _), keep in zip(returned, rows, strict=True) if keep]
    judges = _judges(store, rule)
    learned_or_reason = learn(
        judges,
        {key.judge: frozen_knots(store, key.judge, key.signature) for key in judges},
        store.scores.of_drawn(items, [(key.judge, key.signature) for key in judges]),
        draws.right,
        draws.weight,
    )
    return learned_or_reason, len(items)


def _judges(store: Store, rule: Rule) -> list[JudgeKey]:
    """Return the judges that predict, each once: with the signature that the rule in force reads, else with its newest."""
    able = set(predictors(store))
    chosen = {
        judge: next((signature for signature in reversed(known) if (judge, signature) in able), None)
        for judge, known in store.scores.signatures().items()
    }
    chosen |= {judge: signature for judge, signature in rule.signatures.items() if (judge, signature) in able}
    return [
        JudgeKey(judge=judge, signature=name) for judge, name in sorted(chosen.items()) if name and judge.isidentifier()
    ]
