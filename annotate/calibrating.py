"""Find a cut with a guarantee from the store's labels, and keep it as the next version of the rule.

The draws that choose a cut (`annotate.choosing`) never score the rule that has it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from annotate import choosing
from annotate.evidence_ledger import evidence_ledger
from annotate.rule_in_force import DEFAULT_NAME, Unscored, rule_in_force, why_unscored
from annotate.store import Store
from proxy.calibration import Choice, calibrated, choose, value_of
from proxy.evidence_ledger import Objection
from proxy.guarantee import Guarantee, Proof
from proxy.stats.threshold_tests import Claim, Tested
from proxy.verdict import DEFAULT_EXPRESSION, Rule

WHAT = "calibrate"


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """What a cut is asked to keep, and the share of the draws that choose it.

    `claim` is the guarantee that it must have; None: the strongest that is shown, the long run before this window.
    """

    precision: float
    confidence: float = 0.9
    share: float = 0.5
    seed: int = 0
    claim: Claim | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibrated:
    """What came of it: the rule before and, if a threshold was found, the rule with its cut and what that is guaranteed.

    `objection` is what forbids any guarantee, and nothing was looked for then.
    `labels` people called right or wrong on scored items, `chose` of them helped to choose, and so did `undecided` draws that
    nobody could judge or answered yet, as if they were wrong. `open` draws wait for a label, `left` items were never drawn,
    and `looks` earlier tries by other labels found none. `known_before` labels were known before anyone set the rule's value.
    `standing` is what the rule before is guaranteed, `unscored` why no item has a value.
    """

    request: Request
    before: Rule
    choice: Choice | None
    labels: int
    chose: int
    undecided: int
    open: int
    left: int
    looks: int
    known_before: int = 0
    unscored: Unscored | None = None
    standing: Guarantee | None = None
    rule: Rule | None = None
    guarantee: Guarantee | None = None
    is_new: bool = False
    objection: Objection | None = None

    @property
    def scoring(self) -> int:
        """How many labels did not choose, and so score the rule."""
        return self.labels - self.chose

    @property
    def all_pass(self) -> bool:
        """Whether even the lowest threshold keeps the promise, so that there is nothing to cut."""
        return self.choice is not None and self.choice.coverage == 1.0


def calibrate(store: Store, request: Request, *, who: str, now: str, dry_run: bool = False) -> Calibrated:
    """Look for the lowest certified threshold, and put the rule with that cut in force; `dry_run` writes nothing."""
    key, rule = rule_in_force(store)
    if objections := evidence_ledger(store, key, rule).against():
        return _refused(store, request, key, rule, objections[0])
    with store.snapshot():
        drawn = choosing.sample(store, key, request.share, request.seed)
        traffic = drawn.traffic
        result = Calibrated(
            request=request,
            before=rule,
            choice=choose(
                drawn.labels,
                traffic,
                precision=request.precision,
                confidence=request.confidence,
                asked=request.claim,
            )
            if len(traffic.values)
            else None,
            labels=drawn.decided,
            chose=drawn.chose,
            undecided=len(drawn.draws) - drawn.chose,
            open=store.waves.progress().open,
            left=store.items.count() - store.waves.progress().drawn,
            unscored=None if len(traffic.values) else why_unscored(store, rule),
            looks=_looks(store, rule, request, drawn.chose),
            known_before=_known_before(store, rule),
            standing=store.guarantees.of(key),
        )
    if result.choice is None or result.choice.certificate.threshold is None:
        is_look = result.chose and result.choice and any(one.window is not None for one in result.choice.steps)
        if is_look and not dry_run:
            _tried(store, result, who=who, now=now)
        return result
    if result.all_pass:
        return result
    kept = _certified(result, result.choice, store.ledger.last_counted(), now)
    return kept if dry_run else _saved(store, kept, drawn.draws, who=who, now=now)


def _known_before(store: Store, rule: Rule) -> int:
    """Labels that were known before a rule with this value was set first; 0 for the first rule and the default."""
    value = value_of(rule)
    for place, (one, at, _) in enumerate(store.rules.history()):
        if value_of(one) == value:
            is_given = not place or (one.name, one.expression) == (DEFAULT_NAME, DEFAULT_EXPRESSION)
            return 0 if is_given else store.labels.known_before(at)
    return 0


def _refused(store: Store, request: Request, key: int, rule: Rule, objection: Objection) -> Calibrated:
    """No guarantee: the labels cannot carry any."""
    progress = store.waves.progress()
    return Calibrated(
        request=request,
        before=rule,
        choice=None,
        labels=progress.right + progress.wrong,
        chose=0,
        undecided=0,
        open=progress.open,
        left=store.items.count() - progress.drawn,
        looks=0,
        standing=store.guarantees.of(key),
        objection=objection,
    )


def _looks(store: Store, rule: Rule, request: Request, chose: int) -> int:
    """How often other labels, fewer or of other questions, were looked at for a cut of this value and none was found."""
    value, seen = value_of(rule), set[tuple[object, ...]]()
    for event in store.events.all():
        detail = event.read() if event.what == WHAT else None
        if isinstance(detail, dict) and detail.get("value") == value and detail.get("threshold") is None:
            seen.add(tuple(detail.get(name) for name in ("labels", "share", "seed")))
    return len(seen - {(chose, request.share, request.seed)})


def _certified(result: Calibrated, choice: Choice, last: int, now: str) -> Calibrated:
    """With the rule and the guarantee that the certificate gives."""
    one = choice.certificate
    if one.threshold is None or one.p_value is None:
        return result
    rule = replace(result.before, expression=calibrated(result.before, one.threshold), is_calibrated=True)
    guarantee = Guarantee(
        precision=result.request.precision,
        confidence=result.request.confidence,
        threshold=one.threshold,
        n=one.n,
        errors=one.errors,
        p_value=one.p_value,
        labels=result.chose,
        last_wave=last,
        at=now,
        claims=tuple(_proof(claim, choice.step()) for claim in choice.claims),
    )
    return replace(result, rule=rule, guarantee=guarantee, is_new=True)


def _proof(claim: Claim, step: Tested) -> Proof:
    """What the test at the cut says of a claim."""
    by_cluster = claim is Claim.LONG_RUN and step.is_clustered
    return Proof(
        claim=claim,
        n=step.labels if by_cluster else step.n,
        errors=step.wrong if by_cluster else step.errors,
        p_value=step.p_value(claim) or 0.0,
        clusters=step.clusters if by_cluster else None,
    )


def _saved(store: Store, result: Calibrated, draws: frozenset[int], *, who: str, now: str) -> Calibrated:
    """Put the rule in force with what it is guaranteed and who chose it; the same again changes nothing."""
    rule, guarantee = result.rule, result.guarantee
    if rule is None or guarantee is None:
        return result
    with store.atomic():
        current = store.rules.in_force()
        before = store.guarantees.of(current[0]) if current else None
        if current and before and replace(before, at=now) == guarantee and current[1].expression == rule.expression:
            return replace(result, rule=current[1], guarantee=before, is_new=False)
        key, stored = store.rules.put_in_force(rule, now=now, anew=True)
        store.rules.judge_items(key, stored)
        store.guarantees.write(key, guarantee, draws)
        store.events.append(WHAT, _detail(result, stored), who=who, now=now)
    return replace(result, rule=stored)


def _tried(store: Store, result: Calibrated, *, who: str, now: str) -> None:
    """Note that labels were looked at: whoever looks again and again finds something in the end."""
    with store.atomic():
        store.events.append(WHAT, _detail(result, None), who=who, now=now)


def _detail(result: Calibrated, stored: Rule | None) -> dict[str, object]:
    """What the log keeps of a try."""
    asked = result.request
    return {
        "value": value_of(result.before),
        **{"precision": asked.precision, "confidence": asked.confidence, "share": asked.share, "seed": asked.seed},
        "claims": [one.claim.value for one in result.guarantee.claims] if stored and result.guarantee else [],
        "labels": result.chose,
        "threshold": result.guarantee.threshold if stored and result.guarantee else None,
        **({"name": stored.name, "version": stored.version, "expression": stored.expression} if stored else {}),
    }
