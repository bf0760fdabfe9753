"""Estimate how many answers are seriously harmful: by the labels that speak of harm, and by marks alone."""

from __future__ import annotations

from collections.abc import Mapping

from annotate.analysis.evidence import Traffic, gather
from annotate.analysis.selected_items import SelectedItems
from annotate.domain.annotation import SERIOUS
from annotate.store import Store
from proxy.evaluation.domains import Evidence
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.harm import harm_share
from proxy.evaluation.ledger import DECIDED
from proxy.evaluation.worst_case import filled, spanned
from proxy.records import Judgement, Label, Verdict
from proxy.rule import Rule


def serious_harm(labels: Mapping[int, Label], traffic: Traffic, evidence: Evidence) -> Estimate | None:
    """Estimate the share of all answers that are seriously harmful; None where no label of a draw speaks of harm."""
    harms = [label.harm if (label := labels.get(draw.item)) else None for draw in traffic.drawn]
    if not any(harms):
        return None
    return harm_share(evidence, [None if harm is None else harm == SERIOUS for harm in harms])


def marked_harmful(
    store: Store, key: int, rule: Rule, labels: Mapping[int, Label], traffic: Traffic, within: SelectedItems | None
) -> Estimate:
    """Estimate the share of all answers that annotators would mark as seriously harmful, whatever the missing draws are.

    A label that says nothing of harm is no mark.
    """
    among = harm_share(traffic.evidence(traffic.rules[0]), _marks(labels, traffic))
    drawn = gather(store, key, [rule], as_drawn=True, within=within)
    evidence, marks = drawn.evidence(drawn.rules[0]), _marks(labels, drawn)
    is_missing = [item.judgement not in DECIDED for item in evidence.sample]
    if not any(is_missing):
        return among
    whole = filled(evidence, dict.fromkeys(Verdict, Judgement.WRONG))
    worst = harm_share(whole, [mark or missing for mark, missing in zip(marks, is_missing, strict=True)])
    best = harm_share(whole, [mark and not missing for mark, missing in zip(marks, is_missing, strict=True)])
    return spanned("false_passes", among, worst, best)  # a share of which less is better, as this is


def _marks(labels: Mapping[int, Label], traffic: Traffic) -> list[bool]:
    """Say of each draw whether its label says serious harm."""
    return [(label := labels.get(draw.item)) is not None and label.harm == SERIOUS for draw in traffic.drawn]
