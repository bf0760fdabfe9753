"""Build the document of a learned rule: whether it agrees better with annotators than the rule in force, and by which labels."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from annotate.analysis.learned_rule import LearnedRule, RuleConfirmation
from annotate.domain.message import (
    Code,
    Command,
    EvidenceText,
    Kind,
    Message,
    Name,
    Number,
    Step,
    Value,
    message,
)
from annotate.present.document import Block, Document, Section, Status
from proxy.evaluation.learned_rule import FEWEST_LABELS, FEWEST_OF_A_KIND
from proxy.evaluation.rule_contrast import RuleContrast


def document(result: LearnedRule, steps: Sequence[Step] = ()) -> Document:
    """Say what was learned.

    Parameters
    ----------
    result : LearnedRule
        The learned rule beside the one in force.
    steps : sequence of Step
        What to do next.
    """
    return Document(_answer(result), _status(result), (Section(None, tuple(_basis(result))),), (), tuple(steps))


def evidence(contrast: RuleContrast) -> Value:
    """Give the difference in kappa with its interval for the long run; why there is none where it cannot be measured."""
    return EvidenceText(contrast.estimate, Kind.COEFFICIENT, is_signed=True)


def confirmed(confirmation: RuleConfirmation) -> Iterator[Message]:
    """Say whether labels of waves drawn since confirm the learned rule in force."""
    contrast, before = confirmation.contrast, Code(confirmation.replaced_rule.expression)
    yield message("learned_rule.taught", count=confirmation.training_labels)
    if contrast.is_better:
        yield message("learned_rule.confirmed", before=before, evidence=evidence(contrast))
    elif contrast.estimate.estimate is None:
        yield message("learned_rule.no_fresh", before=before)
    else:
        yield message("learned_rule.unconfirmed", before=before, evidence=evidence(contrast))


def _status(result: LearnedRule) -> Status:
    if result.objection:
        return Status.UNMEASURABLE
    return Status.MET if result.is_better else Status.OPEN


def _answer(result: LearnedRule) -> Message:
    if result.objection:
        return message("learned_rule.refused")
    if result.has_few:
        return message("learned_rule.few", labels=result.labels, right=result.right, wrong=result.wrong)
    if result.not_learned:
        return message(f"learned_rule.{result.not_learned}", taught=result.training_labels)
    if result.is_better:
        return message("learned_rule.set" if result.is_saved else "learned_rule.would")
    return message("learned_rule.not_better")


def _basis(result: LearnedRule) -> Iterator[Block]:
    if result.objection:
        yield message("report.reason", reason=result.objection.reason)
    elif result.has_few:
        yield message("learned_rule.needs", labels=FEWEST_LABELS, each=FEWEST_OF_A_KIND)
    if result.contrast is not None and result.rule is not None:
        yield from _compared(result.contrast)
        counts = {
            "taught": result.training_labels,
            "scored": result.contrast.estimate.n,
            "differ": result.contrast.differ,
        }
        unit = "question" if result.is_by_question else "group"
        yield message(f"learned_rule.roles_by_{unit}", **counts)
        yield message("learned_rule.reads", expression=Code(result.rule.expression))
    yield from _change(result)


def _compared(contrast: RuleContrast) -> Iterator[Message]:
    yield message("learned_rule.difference", evidence=evidence(contrast))
    if contrast.lowest is not None:
        key = "learned_rule.at_any_look" if contrast.is_better else "learned_rule.not_at_any_look"
        yield message(key, lowest=Number(contrast.lowest, Kind.COEFFICIENT, is_signed=True))


def _change(result: LearnedRule) -> Iterator[Message]:
    """Say what is in force, and what it replaces."""
    before = result.current_rule
    named: dict[str, Value] = {
        "name": Name(before.name),
        "version": before.version,
        "expression": Code(before.expression),
    }
    if result.is_saved:
        back = Command(f"assay rule set {shlex.quote(before.expression)} --name {shlex.quote(before.name)}")
        yield message("calibration.replaces", **named, command=back)
        yield message("learned_rule.decided")
    elif result.is_better:
        yield message("calibration.would_replace", **named)
    else:
        yield message("learned_rule.stays", **named)
