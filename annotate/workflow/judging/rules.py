"""Put a rule in force with its verdicts, and keep both up to date as scores come in.

The default rule is in force until a person sets another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from annotate.analysis.rule_in_force import built_in, default_rule, frozen_knots, is_model, own_judge, signature_in_use
from annotate.store import Store
from annotate.store.engine.seals import ASSAY
from annotate.workflow.judging.disputed import read_again
from annotate.workflow.judging.score_map import follow_maps
from proxy.errors import RuleError
from proxy.rule import Rule, judges_of
from proxy.text.suggestion import did_you_mean

RULE_SET = "rule set"


def set_rule(
    store: Store, name: str, expression: str, chosen: Mapping[str, str], *, who: str, now: str
) -> tuple[int, Rule]:
    """Put a rule in force, freezing the signatures and percentiles that it reads, and give every item its verdict.

    `chosen` names signatures by judge. RuleError for a judge or signature without scores.
    """
    names, ranked = judges_of(expression)
    available = store.scores.signatures()
    unknown = [judge for judge in names if judge not in available and own_judge(judge) is None]
    if unknown:
        known = sorted({*available, *built_in()})
        meant = did_you_mean(unknown[0], known)
        raise RuleError(f"no judge {unknown[0]!r} has scores: the judges are {', '.join(known)}{meant}")
    _refuse_unknown(chosen, names, available)
    current = store.scores.rules.in_force()
    before = current[1].signatures if current else {}
    signatures = _signatures(names, chosen, available, before)
    percentiles = {judge: frozen_knots(store, judge, signatures[judge]) for judge in ranked}
    empty = [judge for judge, ranks in percentiles.items() if not ranks]
    if empty:
        raise RuleError(f"pct({empty[0]}) needs scores to rank against: run `assay judge` first")
    rule = Rule(name=name, version=0, expression=expression, signatures=signatures, percentiles=percentiles)
    return _put_in_force(store, rule, who=who, now=now)


def _signatures(
    names: Sequence[str], chosen: Mapping[str, str], available: Mapping[str, Sequence[str]], before: Mapping[str, str]
) -> dict[str, str]:
    """Choose the scores of each judge that a rule reads: those asked for, else a model's for all if some judge has no others."""
    read = {
        judge: chosen.get(judge) or signature_in_use(judge, available.get(judge, ()), before.get(judge))
        for judge in names
    }
    if any(is_model(read[judge]) and judge not in before for judge in names):
        for judge in names:
            models = [signature for signature in available.get(judge, ()) if is_model(signature)]
            if judge not in chosen and models and not is_model(read[judge]):
                read[judge] = models[-1]
    return read


def _refuse_unknown(chosen: Mapping[str, str], names: Sequence[str], available: Mapping[str, Sequence[str]]) -> None:
    """Raise RuleError for a signature that no score of its judge has; a built-in judge's may be still to come."""
    own = {(name, offline.signature) for name in chosen if (offline := own_judge(name))}
    for judge, signature in chosen.items():
        if judge not in names or (signature not in available.get(judge, ()) and (judge, signature) not in own):
            known = (
                ", ".join(f"{name}={known_signature}" for name in names for known_signature in available.get(name, ()))
                or "none yet"
            )
            raise RuleError(f"the rule reads no scores of {judge}={signature}: the signatures are {known}")


def follow_scores(store: Store, *, now: str) -> tuple[int, Rule]:
    """Do what follows from new scores; return the row of the rule in force, and the rule.

    Scores are mapped by the maps in force. Every item that has all its scores by now gets its verdict, and what a model supports
    is compared word by word. The default rule is put in force where there is none, and follows its judges to a new signature, as
    a new version; a rule that a person set stays as it was set.
    """
    follow_maps(store, now=now)
    current = store.scores.rules.in_force()
    if current is None or current[1].is_default:
        default = default_rule(store)
        if current is None or dict(current[1].signatures) != default.signatures:
            return _put_in_force(store, default, who=ASSAY, now=now)
    return _follow(store, *current, now=now)


def follow_imported(store: Store, *, now: str) -> Rule | None:
    """Do what follows from scores that came in from elsewhere; return the rule that they put in force, if they did.

    A rule in force is not changed, and its verdicts follow where its own scores came in. Where there is none, the default rule
    is put in force once every judge that it reads has scores.
    """
    follow_maps(store, now=now)
    current = store.scores.rules.in_force()
    if current is not None:
        _follow(store, *current, now=now)
        return None
    default, available = default_rule(store), store.scores.signatures()
    if any(signature not in available.get(judge, ()) for judge, signature in default.signatures.items()):
        return None
    return _put_in_force(store, default, who=ASSAY, now=now)[1]


def _follow(store: Store, key: int, rule: Rule, *, now: str) -> tuple[int, Rule]:
    """Give verdicts of this rule to what has all its scores by now, and compare what a model supports word by word."""
    # A kept total remembers at which scores all had their verdict: finding none on a million items takes a second.
    store.rollups.get("verdicts", ("scores",), str(key), lambda: _give_verdicts(store, key, rule))
    read_again(store, key, now=now)
    return key, rule


def _give_verdicts(store: Store, key: int, rule: Rule) -> list[list[float]]:
    """Judge what has all its scores and no verdict; what is kept of it is only that it was done."""
    if store.scores.rules.has_unjudged(key, rule):
        with store.atomic():
            store.scores.rules.judge_items(key, rule)
    return [[1.0]]


def _put_in_force(store: Store, rule: Rule, *, who: str, now: str) -> tuple[int, Rule]:
    """Put the rule in force with its verdicts, and log who did; the same again changes nothing."""
    with store.atomic():
        before = store.scores.rules.in_force()
        key, stored = store.scores.rules.put_in_force(rule, now=now)
        store.scores.rules.judge_items(key, stored)
        if before is None or before[0] != key:
            detail = {"name": stored.name, "version": stored.version, "expression": stored.expression}
            store.audit.events.append(RULE_SET, detail, who=who, now=now)
    read_again(store, key, now=now)
    return key, stored
