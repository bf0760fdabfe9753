"""Say which rule is in force, and why it gives no verdict where it gives none.

Nothing is written: `assay judge` and `assay rule set` put a rule in force (`annotate.workflow.judging.offline`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from annotate.domain.message import Command
from annotate.plugins import GROUP, is_installed, is_of_package
from annotate.store import Store
from proxy import judges as judges_module
from proxy.judges.base import MODEL, Judge
from proxy.judges.metrics.catalogue import judge_named
from proxy.judges.taught import unmapped
from proxy.judges.trained.model import is_trained
from proxy.reason import Reason
from proxy.records import Verdict
from proxy.rule import DEFAULT_EXPRESSION, DEFAULT_NAME, Rule, judges_of, percentile_knots

NOT_TRIED = "{judge} has not tried {count} of all answers: run `{command}`"
NOT_INSTALLED = (
    "{judge} has not tried {count} of all answers: no package that is installed here has this judge among its entry points "
    "{group}; install it and run `{command}`, or bring its scores with `assay scores import FILE`"
)
TRIED = "each was tried, and a judge gives no score there"
NO_ROW = 0


class Unscored(NamedTuple):
    """The reason why items have no verdict and the next step, in words and as a command."""

    reason: str
    command: str


def rule_in_force(store: Store) -> tuple[int, Rule]:
    """Return the row of the rule in force and the rule; before any was set, `NO_ROW` and what `assay judge` would set."""
    return store.scores.rules.in_force() or (NO_ROW, default_rule(store))


def default_rule(store: Store) -> Rule:
    """Return the default rule as it would be in force now, reading the signatures of its judges that are in use."""
    current = store.scores.rules.in_force()
    before = current[1].signatures if current else {}
    available = store.scores.signatures()
    signatures = {
        judge: signature_in_use(judge, available.get(judge, ()), before.get(judge))
        for judge in judges_of(DEFAULT_EXPRESSION)[0]
    }
    return Rule(name=DEFAULT_NAME, version=1, expression=DEFAULT_EXPRESSION, signatures=signatures, percentiles={})


def why_unscored(store: Store, rule: Rule) -> Unscored:
    """Say what to do where this rule gave no item a verdict: no items, nothing judged, or a judge fails on everything."""
    items = store.traffic.items.count()
    if not items:
        return Unscored("bring traffic in (`assay ingest FILE`)", "assay ingest FILE")
    for (name, _), key in store.scores.known_keys(list(rule.signatures.items())).items():
        failed = store.scores.given_up(key)
        if failed.items >= items:
            why = "{judge} has tried every item and cannot score them ({reason}); "
            why += "use a rule that reads another judge (`assay rule set EXPRESSION`)"
            return Unscored(Reason(why, judge=name, reason=failed.reason), "assay rule set EXPRESSION")
    return Unscored("run `assay judge`", "assay judge")


def without_verdicts(store: Store) -> Unscored | None:
    """Say what to do where no item has a verdict of the rule in force; None where some have."""
    key, rule = rule_in_force(store)
    counts = store.scores.rules.counts(key)
    return None if counts[Verdict.PASS] + counts[Verdict.FAIL] else why_unscored(store, rule)


def why_some_unscored(store: Store, signatures: Mapping[str, str]) -> str:
    """Say why some answers lack a score of these judges, with a command only where it would have one of them scored."""
    return untried(store, signatures) or TRIED


def untried(store: Store, signatures: Mapping[str, str]) -> str | None:
    """Say which of these judges has not tried some answers, with the command that has it do so; None where each has."""
    for (name, signature), key in store.scores.known_keys(list(signatures.items())).items():
        left = store.traffic.items.count_without_outcome([key], retries=is_offline(name, signature))
        if not left:
            continue
        if is_of_package(signature) and not is_installed(name):
            return Reason(
                NOT_INSTALLED, judge=name, count=left, group=GROUP, command=Command(f"assay judge --judges {name}")
            )
        return Reason(NOT_TRIED, judge=name, count=left, command=Command(scored_by(name, signature)))
    return None


def scored_by(name: str, signature: str) -> str:
    """Return the command that gives scores of this judge and signature; mapped scores follow those that they map."""
    signature = unmapped(signature)
    if is_trained(signature):
        return "assay judge"
    if is_offline(name, signature):
        return "assay judge" if name in default_judges() else f"assay judge --judges {name}"
    return f"assay judge --judges {name} --backend openai" if is_model(signature) else "assay scores import FILE"


def is_offline(name: str, signature: str) -> bool:
    """Whether `assay judge` runs this judge here without a model, and so tries again what it failed at before."""
    if is_trained(signature):
        return True
    judge = own_judge(name)
    return judge.signature == signature if judge is not None else is_installed(name) and not is_model(signature)


def own_judge(name: str) -> Judge | None:
    """Return the judge of this package that needs no model, a metric such as `ndcg@10` included; None for any other name."""
    return built_in().get(name) or judge_named(name)


def built_in() -> dict[str, Judge]:
    """Return the offline judges by name, without the metrics."""
    return {judge.name: judge for judge in (*judges_module.offline(), *judges_module.reference_based())}


def default_judges() -> tuple[str, ...]:
    """Return the names of the offline judges that run unless others are named."""
    return tuple(judge.name for judge in judges_module.offline())


def signature_in_use(judge_name: str, available: Sequence[str], before: str | None) -> str:
    """Return the signature to read: the one before unless an older offline one, else the built-in judge's or the newest."""
    own = own_judge(judge_name)
    if (
        before in available
        and before is not None
        and (own is None or before == own.signature or not _is_offline(before))
    ):
        return before
    if own is not None and (own.signature in available or not available):
        return own.signature
    return available[-1]


def is_model(signature: str) -> bool:
    """Whether a model gave the scores of this signature."""
    return MODEL in signature


def _is_offline(signature: str) -> bool:
    return "|offline|" in signature


def frozen_knots(store: Store, judge_name: str, signature: str) -> tuple[tuple[float, float], ...]:
    """Return the percentiles of a judge's scores as they are now; none without scores."""
    rows = store.rollups.get(
        f"knots {judge_name} {signature}",
        ("items", "scores"),
        "",
        lambda: percentile_knots(store.scores.columns.values((judge_name, signature))),
    )
    return tuple((float(value or 0), float(rank or 0)) for value, rank in rows)
