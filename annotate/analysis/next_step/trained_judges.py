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
    for found in contrasts:
        if found.contrast.is_better and found.beside.judge in rule.signatures:
            values = {"judge": Code(found.trained.judge), "beside": Code(found.beside.judge)}
            evidence = EvidenceText(found.contrast.difference, Kind.COEFFICIENT, is_signed=True)
            yield Step(message("steps.use_trained", **values, evidence=evidence), (_command(rule, found),))


def _command(rule: Rule, found: TrainedContrast) -> str:
    """Return the command that sets the rule in force with the trained judge in place of the other."""
    expression = re.sub(rf"\b{re.escape(found.beside.judge)}\b", found.trained.judge, rule.expression)
    signature = shlex.quote(f"{found.trained.judge}={found.trained.signature}")
    return f"assay rule set {shlex.quote(expression)} --signature {signature}"
