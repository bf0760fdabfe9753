"""Items of the store to judges and back: only what is missing is judged, and each batch is kept as soon as it is done.

Also decides which rule is in force: the default one until a person sets another, reading the signatures in use.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from annotate.progress import Progress
from annotate.store import Store
from proxy import judges as judges_module
from proxy.errors import RuleError
from proxy.judges.base import MODEL, Judge
from proxy.records import FailureKind, Item, JudgeFailure, Score
from proxy.scoring import score_batch
from proxy.verdict import DEFAULT_EXPRESSION, Rule, judges_of, percentile_knots

BATCH_ITEMS = 50
DEFAULT_NAME = "default"


class Spent(NamedTuple):
    """One offline judge's part of a run: its outcomes and the seconds they took."""

    judge: str
    signature: str
    scores: int
    failures: int
    seconds: float


class Judged(NamedTuple):
    """What a run of the judges did; `error` is the first of its errors."""

    items: int
    scores: int
    abstentions: int
    errors: int
    judges: tuple[Spent, ...] = ()
    error: str | None = None


class Unscored(NamedTuple):
    """What keeps items from a verdict or would bring some, in words and as a command."""

    reason: str
    command: str


def judge(store: Store, judges: Sequence[Judge], *, now: str) -> Judged:
    """Score every current item that lacks an outcome of some of these judges."""
    with store.atomic():
        keys = [store.scores.judge_key(one.name, one.signature) for one in judges]
    items, error = 0, None
    results: Counter[tuple[str, FailureKind | None]] = Counter()
    seconds: defaultdict[str, float] = defaultdict(float)
    with Progress("judging", store.items.count()) as progress:
        # A judge that broke on an item has not judged it: it is asked again, which costs nothing here.
        for batch in store.items.without_outcome(keys, BATCH_ITEMS, retries=True):
            outcomes = _score_missing(batch, judges, keys, store.scores.done(list(batch), keys, retries=True))
            with store.atomic():
                store.scores.keep(outcomes, now=now, retries=True)
            items += len(batch)
            for one in chain.from_iterable(outcomes.values()):
                if isinstance(one, JudgeFailure) and one.kind is FailureKind.ERROR:
                    error = error or f"{one.judge} on {one.item_id}: {one.reason}"
                results[one.signature, one.kind if isinstance(one, JudgeFailure) else None] += 1
                seconds[one.signature] += one.seconds or 0.0
            progress.advance(len(batch))
    return _judged(items, judges, results, seconds)._replace(error=error)


def _judged(
    items: int,
    judges: Sequence[Judge],
    results: Mapping[tuple[str, FailureKind | None], int],
    seconds: Mapping[str, float],
) -> Judged:
    """The run's summary from its counts by signature and kind."""
    spent = tuple(
        Spent(
            one.name,
            one.signature,
            results.get((one.signature, None), 0),
            sum(n for (signature, kind), n in results.items() if signature == one.signature and kind is not None),
            seconds.get(one.signature, 0.0),
        )
        for one in judges
    )
    abstentions = sum(n for (_, kind), n in results.items() if kind is FailureKind.NOT_APPLICABLE)
    failures = sum(one.failures for one in spent)
    return Judged(items, sum(one.scores for one in spent), abstentions, failures - abstentions, spent)


def _score_missing(
    batch: Mapping[int, Item], judges: Sequence[Judge], keys: Sequence[int], done: set[tuple[int, int]]
) -> dict[int, list[Score | JudgeFailure]]:
    """What the judges say of each item that they have not judged; items that lack the same judges go together."""
    groups: dict[tuple[int, ...], dict[int, Item]] = defaultdict(dict)
    for row, item in batch.items():
        missing = tuple(place for place, key in enumerate(keys) if (key, row) not in done)
        groups[missing][row] = item
    return {
        row: outcome
        for missing, items in groups.items()
        for row, outcome in zip(items, score_batch(list(items.values()), [judges[n] for n in missing]), strict=True)
    }


def built_in() -> dict[str, Judge]:
    """The offline judges by name."""
    return {one.name: one for one in (*judges_module.offline(), *judges_module.reference_based())}


def usual() -> tuple[str, ...]:
    """The offline judges that run unless others are named."""
    return tuple(one.name for one in judges_module.offline())


def set_rule(store: Store, name: str, expression: str, chosen: Mapping[str, str], *, now: str) -> tuple[int, Rule]:
    """Put a rule in force, freezing the signatures and percentiles that it reads, and give every item its verdict."""
    names, ranked = judges_of(expression)
    available = store.scores.signatures()
    unknown = [one for one in names if one not in available and one not in built_in()]
    if unknown:
        known = ", ".join(sorted({*available, *built_in()}))
        raise RuleError(f"no judge {unknown[0]!r} has scores: the judges are {known}")
    _refuse_unknown(chosen, names, available)
    current = store.rules.in_force()
    before = current[1].signatures if current else {}
    signatures = _signatures(names, chosen, available, before)
    percentiles = {one: knots(store, one, signatures[one]) for one in ranked}
    empty = [one for one, knots in percentiles.items() if not knots]
    if empty:
        raise RuleError(f"pct({empty[0]}) needs scores to rank against: run `assay judge` first")
    rule = Rule(name=name, version=0, expression=expression, signatures=signatures, percentiles=percentiles)
    with store.atomic():
        key, stored = store.rules.put_in_force(rule, now=now)
        store.rules.judge_items(key, stored)
    return key, stored


def _signatures(
    names: Sequence[str], chosen: Mapping[str, str], available: Mapping[str, Sequence[str]], before: Mapping[str, str]
) -> dict[str, str]:
    """Which scores of each judge a rule reads: those asked for, else a model's for all if some judge has no others."""
    found = {one: chosen.get(one) or _signature(one, available.get(one, ()), before.get(one)) for one in names}
    if any(_is_model(found[one]) and one not in before for one in names):
        for one in names:
            models = [signature for signature in available.get(one, ()) if _is_model(signature)]
            if one not in chosen and models and not _is_model(found[one]):
                found[one] = models[-1]
    return found


def _refuse_unknown(chosen: Mapping[str, str], names: Sequence[str], available: Mapping[str, Sequence[str]]) -> None:
    """RuleError for a signature that no score of the rule's judges has; a built-in judge's may be still to come."""
    own = {(name, judge.signature) for name, judge in built_in().items()}
    for one, signature in chosen.items():
        if one not in names or (signature not in available.get(one, ()) and (one, signature) not in own):
            known = ", ".join(f"{name}={each}" for name in names for each in available.get(name, ())) or "none yet"
            raise RuleError(f"the rule reads no scores of {one}={signature}: the signatures are {known}")


def rule_in_force(store: Store, *, now: str) -> tuple[int, Rule]:
    """The rule in force, its verdicts up to date; the default rule if none was set.

    The default rule follows its judges to a new signature, as a new version; a rule that a person set stays as it was set.
    """
    current = store.rules.in_force()
    if current is None or (current[1].name, current[1].expression) == (DEFAULT_NAME, DEFAULT_EXPRESSION):
        before = current[1].signatures if current else {}
        available = store.scores.signatures()
        names = judges_of(DEFAULT_EXPRESSION)[0]
        signatures = {one: _signature(one, available.get(one, ()), before.get(one)) for one in names}
        if current is None or dict(before) != signatures:
            store.lay_out_verdicts()
            return set_rule(store, DEFAULT_NAME, DEFAULT_EXPRESSION, signatures, now=now)
    key, rule = current
    # A roll-up remembers at which scores all had their verdict: finding none on a million items takes a second.
    store.rollups.get("verdicts", ("scores",), str(key), lambda: [[_give_verdicts(store, key, rule)]])
    return key, rule


def why_unscored(store: Store, rule: Rule) -> Unscored:
    """What to do where this rule gave no item a verdict: nothing is there, nothing was judged, or a judge fails on everything."""
    items = store.items.count()
    if not items:
        return Unscored("bring traffic in (`assay ingest FILE`)", "assay ingest FILE")
    for (name, _), key in store.scores.known_keys(list(rule.signatures.items())).items():
        failed = store.scores.given_up(key)
        if failed.items >= items:
            why = f"{name} has tried every item and cannot score them ({failed.reason})"
            return Unscored(
                f"{why}; use a rule that reads another judge (`assay rule set EXPRESSION`)",
                "assay rule set EXPRESSION",
            )
    return Unscored("run `assay judge`", "assay judge")


def why_some_unscored(store: Store, signatures: Mapping[str, str]) -> str:
    """Why some answers lack a score of these judges, with a command only where it would have one of them scored."""
    for (name, signature), key in store.scores.known_keys(list(signatures.items())).items():
        left = store.items.count_without_outcome([key], retries=True)
        if not left:
            continue
        judge = built_in().get(name)
        command = "assay scores import FILE"
        if judge is not None and judge.signature == signature:
            command = "assay judge" if name in usual() else f"assay judge --judges {name}"
        elif _is_model(signature):
            command = f"assay judge --judges {name} --backend openai"
        return f"{name} has not tried {left:,} of all answers: run `{command}`"
    return "each was tried, and a judge gives no score there"


def _give_verdicts(store: Store, key: int, rule: Rule) -> int:
    """Judge what has all its scores and no verdict."""
    if not store.rules.has_unjudged(key, rule):
        return 0
    store.lay_out_verdicts()
    with store.atomic():
        return store.rules.judge_items(key, rule)


def knots(store: Store, judge_name: str, signature: str) -> tuple[tuple[float, float], ...]:
    """The percentiles of a judge's scores as they are now; none without scores."""
    rows = store.rollups.get(
        f"knots {judge_name} {signature}",
        ("items", "scores"),
        "",
        lambda: percentile_knots(store.scores.values(judge_name, signature)),
    )
    return tuple((float(value or 0), float(rank or 0)) for value, rank in rows)


def _signature(judge_name: str, available: Sequence[str], before: str | None) -> str:
    """Which signature to read: the one before unless it is an older offline one, else the built-in judge's or the newest."""
    own = built_in().get(judge_name)
    if (
        before in available
        and before is not None
        and (own is None or before == own.signature or not _is_offline(before))
    ):
        return before
    if own is not None and (own.signature in available or not available):
        return own.signature
    return available[-1]


def _is_model(signature: str) -> bool:
    return MODEL in signature


def _is_offline(signature: str) -> bool:
    return "|offline|" in signature
