"""Say where the rule in force is shown worse than one of the judges that it reads, and whether a fresh wave confirms it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotate.analysis.evidence import Measured, Traffic, labels_alone
from annotate.store import Store
from proxy.evaluation.rule_comparison import RuleDifference
from proxy.evaluation.rule_contrast import Contrast, contrast
from proxy.rule import Rule


@dataclass(frozen=True, kw_only=True, slots=True)
class BetterJudge:
    """A judge of the rule in force that alone agrees better with annotators than the rule.

    Attributes
    ----------
    rule
        The judge alone, above 0.5.
    kappa
        Its kappa minus that of the rule in force.
    draws
        About how many fresh labels would show the difference; None where that takes more than MOST_DRAWS.
    wave
        The last wave, where that alone shows it again after those before it did.
    """

    rule: Rule
    kappa: RuleDifference
    draws: int | None
    wave: int | None = None


def better_judge(
    store: Store, traffic: Traffic, kappas: Mapping[str, RuleDifference], silent: frozenset[int]
) -> BetterJudge | None:
    """Find the judge of the rule in force that is shown better than the rule, at however many looks; the best of several.

    Parameters
    ----------
    store : Store
        Read only.
    traffic : Traffic
        The rule in force and every rule that is measured beside it.
    kappas : mapping
        By expression of a judge alone, its kappa minus that of the rule in force.
    silent : frozenset of int
        The draws that must not score the rule in force.
    """
    own = _own_judges(traffic)
    shown = [
        (measured.rule, kappas[measured.rule.expression], found)
        for measured in own
        if (found := contrast(traffic.paired(measured), len(own))).is_better
        and _is_shown(kappas[measured.rule.expression], found)
    ]
    if not shown:
        return None
    rule, kappa, found = max(shown, key=lambda each: each[1].estimate.estimate or 0.0)
    wave = _confirming(store, traffic, rule, len(own), silent)
    return BetterJudge(rule=rule, kappa=kappa, draws=found.draws, wave=wave)


def _own_judges(traffic: Traffic) -> Sequence[Measured]:
    """Return the judges alone that the rule in force reads beside others."""
    in_force = traffic.rules[0].rule
    own = [
        measured
        for measured in traffic.rules[1:]
        if len(measured.rule.signatures) == 1
        and measured.rule.signatures.items() <= in_force.signatures.items()
        and not measured.rule.percentiles
    ]
    return own if len(in_force.signatures) > 1 else ()


def _is_shown(kappa: RuleDifference, found: Contrast) -> bool:
    """Whether the bound for all looks still holds about the difference that the report shows."""
    value, here = kappa.estimate.estimate, found.estimate.estimate
    return value is not None and here is not None and found.lowest is not None and value - (here - found.lowest) > 0


def _confirming(store: Store, traffic: Traffic, rule: Rule, compared: int, silent: frozenset[int]) -> int | None:
    """Return the last wave where its labels alone show it too, and the waves before it had shown it."""
    in_last = {about.draw for about in store.traffic.partitions.described(traffic.last) if about.wave == traffic.last}
    before = {about.draw for about in store.traffic.partitions.described(traffic.last)} - in_last
    rules = [traffic.rules[0].rule, rule]
    for hidden, number in ((in_last, compared), (before, 1)):
        part = labels_alone(store, rules, silent | hidden)
        if not contrast(part.paired(part.rules[1]), number).is_better:
            return None
    return traffic.last
