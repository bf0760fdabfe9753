"""Put a threshold in force as the next version of the rule: one that labels certified, or one that a person picked.

What was shown is what is put in force: it is refused where the rule or the labels have changed since.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from annotate.analysis.calibration.certify import WHAT, Calibrated, GuaranteeRequest, calibrate
from annotate.analysis.calibration.explore import rule_at
from annotate.analysis.rule_in_force import rule_in_force
from annotate.domain.gold import Overtaken
from annotate.store import Store
from annotate.workflow.judging.rules import RULE_SET
from proxy.errors import UsageError
from proxy.evaluation.threshold import value_of
from proxy.rule import Rule


@dataclass(frozen=True, kw_only=True, slots=True)
class SeenRule:
    """The rule in force, and its row, when a person looked."""

    key: int
    rule: Rule


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptRule:
    """The rule in force now; not `is_new` where it said the same before."""

    rule: Rule
    is_new: bool


def put_certified(store: Store, request: GuaranteeRequest, *, who: str, now: str) -> Calibrated:
    """Look for the lowest certified threshold and put the rule with it in force; log a look that found none.

    The same again changes nothing.
    """
    result = calibrate(store, request, now=now)
    if result.rule is not None:
        return _saved(store, result, who=who, now=now)
    if result.is_look:
        with store.atomic():
            store.audit.events.append(WHAT, _detail(result), who=who, now=now)
    return result


def certify(store: Store, seen: SeenRule, shown: Calibrated, *, who: str, now: str) -> KeptRule:
    """Put in force the certified threshold that was shown; Overtaken where the rule or the labels have changed since."""
    _refuse_nameless(who)
    with store.atomic():
        key, current = rule_in_force(store)
        again = calibrate(store, shown.request, now=now)
        if again.stands:
            return KeptRule(rule=current, is_new=False)
        _refuse_overtaken(key, current, seen)
        if again.rule is None or shown.rule is None or again.rule.expression != shown.rule.expression:
            raise Overtaken(
                "the labels have changed since you looked, and with them the threshold: reload the page and look again"
            )
        saved = _saved(store, again, who=who.strip(), now=now)
    return KeptRule(rule=saved.rule or current, is_new=saved.is_saved)


def keep(store: Store, seen: SeenRule, threshold: float, *, name: str, who: str, now: str) -> KeptRule:
    """Put the rule that was seen in force with this threshold, as the next version of that name.

    The same again changes nothing. Overtaken where somebody has put another rule in force since. The threshold is not
    calibrated: a person picked it.
    """
    _refuse_nameless(who)
    if not name.strip():
        raise UsageError("give the rule a name: each threshold under it is its next version")
    rule = replace(rule_at(seen.rule, threshold), name=name.strip())
    with store.atomic():
        key, current = rule_in_force(store)
        if _reads_as(current) == _reads_as(rule):
            return KeptRule(rule=current, is_new=False)
        _refuse_overtaken(key, current, seen)
        row, stored = store.scores.rules.put_in_force(rule, now=now)
        store.scores.rules.judge_items(row, stored)
        detail = {"name": stored.name, "version": stored.version, "expression": stored.expression}
        store.audit.events.append(RULE_SET, {**detail, "replaces": current.expression}, who=who.strip(), now=now)
    return KeptRule(rule=stored, is_new=True)


def _saved(store: Store, result: Calibrated, *, who: str, now: str) -> Calibrated:
    """Put the rule in force with what it is guaranteed and who chose it; the same again changes nothing."""
    rule, guarantee = result.rule, result.guarantee
    if rule is None or guarantee is None:
        return result
    with store.atomic():
        current = store.scores.rules.in_force()
        before = store.scores.guarantees.of(current[0]) if current else None
        if current and before and replace(before, at=now) == guarantee and current[1].expression == rule.expression:
            return replace(result, rule=current[1], guarantee=before)
        key, stored = store.scores.rules.put_in_force(rule, now=now, anew=True)
        store.scores.rules.judge_items(key, stored)
        store.scores.guarantees.write(key, guarantee, result.draws)
        named = {"name": stored.name, "version": stored.version, "expression": stored.expression}
        store.audit.events.append(WHAT, _detail(result) | named, who=who, now=now)
    return replace(result, rule=stored, is_saved=True)


def _detail(result: Calibrated) -> dict[str, object]:
    """Return what the log keeps of a try."""
    request, guarantee = result.request, result.guarantee
    return {
        "value": value_of(result.before),
        "precision": request.precision,
        "confidence": request.confidence,
        "share": request.share,
        "seed": request.seed,
        "claims": [proof.claim.value for proof in guarantee.claims] if guarantee else [],
        "labels": result.chose,
        "threshold": guarantee.threshold if guarantee else None,
    }


def _refuse_nameless(who: str) -> None:
    if not who.strip():
        raise UsageError("give your name: a rule is kept with who set it")


def _refuse_overtaken(key: int, current: Rule, seen: SeenRule) -> None:
    if key != seen.key:
        in_force = f"{current.name} v{current.version}: {current.expression}"
        raise Overtaken(f"another rule was put in force since you looked ({in_force}): reload the page and look again")


def _reads_as(rule: Rule) -> tuple[object, ...]:
    """Return what makes two rules the same version of one name."""
    return rule.name, rule.expression, dict(rule.signatures), dict(rule.percentiles)
