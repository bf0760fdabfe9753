"""The store's labels in; out comes a cut with a guarantee, kept as the next version of the rule.

Roles go by question: the labels of the questions that choose a cut never score the rule that has it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.judging import Unscored, rule_in_force, why_unscored
from annotate.parts import Ground, ground
from annotate.sampling import permanent_random_number
from annotate.store import Store
from annotate.store.ledger import Chances, speaking
from proxy.calibration import Choice, Choosers, Scored, calibrated, choose, value_of
from proxy.guarantee import Guarantee
from proxy.verdict import Rule

WHAT = "calibrate"
SALT = "calibrate"


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """What a cut is asked to keep, and the share of the questions that choose it."""

    precision: float
    confidence: float = 0.9
    share: float = 0.5
    seed: int = 0


class Asked(NamedTuple):
    """A draw: its question, and the number and stratum of its drawing; drawings are numbered wave by wave."""

    group: str
    drawing: int
    stratum: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibrated:
    """What came of it: the rule before and, if a threshold was found, the rule with its cut and what that is guaranteed.

    `labels` people called right or wrong on scored items, `chose` of them helped to choose; `open` draws wait for a label, `left`
    items were never drawn, and `looks` earlier tries by other labels found none. `standing` is what the rule before is
    guaranteed, `unscored` why no item has a value.
    """

    request: Request
    before: Rule
    choice: Choice | None
    labels: int
    chose: int
    open: int
    left: int
    looks: int
    unscored: Unscored | None = None
    standing: Guarantee | None = None
    rule: Rule | None = None
    guarantee: Guarantee | None = None
    is_new: bool = False

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
    key, rule = rule_in_force(store, now=now)
    with store.snapshot():
        found = ground(store, key, rule, scores_itself=False)
        drawn = [
            Asked(one.group, one.drawing, found.traffic.drawings[one.drawing].stratum) for one in found.traffic.drawn
        ]
        asked = choosing(drawn, request.share, request.seed)
        chances = store.ledger.chances()
        labels, draws = _choosers(found, asked, chances, request.seed)
        traffic = _scored(store, found, chances)
        result = Calibrated(
            request=request,
            before=rule,
            choice=choose(labels, traffic, precision=request.precision, confidence=request.confidence)
            if len(traffic.values)
            else None,
            labels=sum(row.value is not None for row in found.labelled.rows),
            chose=len(draws),
            open=store.waves.progress().open,
            left=store.items.count() - store.waves.progress().drawn,
            unscored=None if len(traffic.values) else why_unscored(store, rule),
            looks=_looks(store, rule, request, len(draws)),
            standing=store.guarantees.of(key),
        )
    if result.choice is None or result.choice.certificate.threshold is None:
        if result.choice and any(one.p_value is not None for one in result.choice.steps) and not dry_run:
            _tried(store, result, who=who, now=now)
        return result
    if result.all_pass:
        return result
    kept = _certified(result, result.choice, store.ledger.last_counted(), now)
    return kept if dry_run else _saved(store, kept, draws, who=who, now=now)


def choosing(drawn: Sequence[Asked], share: float, seed: int) -> frozenset[str]:
    """The questions that choose: about `share` of those drawn in each stratum, by a keyed hash, whatever their labels say.

    Drawings are walked in their order and questions in that of the hash, every so-many-th of a stratum choosing, so that later
    waves change no role of before. Where all questions of a stratum would choose, the last one scores, unless `share` is 1.
    """
    parts: dict[tuple[int, str], set[str]] = {}
    for one in drawn:
        parts.setdefault((one.drawing, one.stratum), set()).add(one.group)
    chosen, known = set[str](), set[str]()
    turn: dict[str, float] = {}
    members: dict[str, list[str]] = {}
    for (_, stratum), groups in sorted(parts.items()):
        at = turn.get(stratum, permanent_random_number(stratum, f"{SALT}-{seed}-start"))
        for group in sorted(groups - known, key=lambda name: permanent_random_number(name, f"{SALT}-{seed}")):
            if math.floor(at + share) > math.floor(at):
                chosen.add(group)
            at += share
            members.setdefault(stratum, []).append(group)
        turn[stratum] = at
        known |= groups
    if share < 1:
        chosen -= {groups[-1] for groups in members.values() if chosen.issuperset(groups)}
    return frozenset(chosen)


def _choosers(found: Ground, asked: Collection[str], chances: Chances, seed: int) -> tuple[Choosers, frozenset[int]]:
    """The labels of these questions on scored items, and their draws."""
    rows = [row for row in found.labelled.rows if row.about.group in asked and row.value is not None]
    labels = Choosers(
        values=np.array([row.value for row in rows], dtype=np.float64),
        right=np.array([row.is_right for row in rows], dtype=np.float64),
        weights=np.array([row.weight for row in rows], dtype=np.float64),
        lots=np.array([permanent_random_number(row.about.item_id, f"{SALT}-{seed}-lot") for row in rows]),
        chances=_of(chances, np.array([row.about.item for row in rows], dtype=np.int64)),
    )
    return labels, frozenset(row.about.draw for row in rows)


def _scored(store: Store, found: Ground, chances: Chances) -> Scored:
    """All scored traffic."""
    placed = store.rules.placed(found.key, store.ledger.last_counted(), speaking(list(found.traffic.drawings)))
    return Scored(
        values=placed.values,
        chances=_of(chances, placed.items),
        is_framed=placed.is_framed,
        is_reachable=placed.is_reachable,
    )


def _of(known: Chances, items: NDArray[np.int64]) -> NDArray[np.float64]:
    """The sum of each item's inclusion probabilities; 0 for what no wave framed."""
    if not len(known.keys):
        return np.zeros(len(items))
    place = np.minimum(np.searchsorted(known.keys, items), len(known.keys) - 1)
    return np.where(known.keys[place] == items, known.total[place], 0.0)


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
    )
    return replace(result, rule=rule, guarantee=guarantee, is_new=True)


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
        "labels": result.chose,
        "threshold": result.guarantee.threshold if stored and result.guarantee else None,
        **({"name": stored.name, "version": stored.version, "expression": stored.expression} if stored else {}),
    }
