"""Offer a rule that reads a trained judge, where labels show that judge better than the one that the rule reads."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from annotate.analysis.trained_judges.contrasts import TrainedContrast
from annotate.domain.message import Code, EvidenceText, Kind, Step, message
from proxy.rule import Rule


def offered_trained(contrasts: Sequence[TrainedContrast], rule: Rule) -> Iterator[Step]:
    """Offer the rule in force with each trained judge that is shown better in place of the judge that it reads."""
    for compared in contrasts:
        if compared.contrast.is_better and compared.beside.judge in rule.signatures:
            offer = message(
                "steps.use_trained",
                judge=Code(compared.trained.judge),
                beside=Code(compared.beside.judge),
                evidence=EvidenceText(compared.contrast.difference, Kind.COEFFICIENT, is_signed=True),
            )
            yield Step(offer, (_command(rule, compared),))


def _command(rule: Rule, compared: TrainedContrast) -> str:
    """Return the command that sets the rule in force with the trained judge in place of the other."""
    expression = re.sub(rf"\b{re.escape(compared.beside.judge)}\b", compared.trained.judge, rule.expression)
    signature = shlex.quote(f"{compared.trained.judge}={compared.trained.signature}")
    return f"assay rule set {shlex.quote(expression)} --signature {signature}"
