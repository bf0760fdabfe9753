"""List the answers on which the proxy and annotators differ, a page at a time, and the slices that they share.

The list is that of the rule in force and of the labels that count, as the report has them.

Compute the shares of traffic that the list stands for, with their intervals, from its counts and the report's agreement. A
share is the report's own, never the list's count over something.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from annotate.analysis.rule_in_force import rule_in_force
from annotate.analysis.slices.fields import LANGUAGE, SYSTEM, fields, own_fields
from annotate.store import Store
from annotate.store.labels.disagreements import DisagreementFilter, DisagreementKind, ListPlace, Row
from proxy.errors import UsageError
from proxy.evaluation.agreement import AgreementReport
from proxy.evaluation.candidates import FLAGS
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.threshold import is_rule_of, threshold_for
from proxy.rule import Rule
from proxy.text.controls import displayable

NOISE = 12  # digits: what lies behind them is no share, and would round 6.25 % now up, now down


class ListedJudge(NamedTuple):
    """A judge under one signature, by its row in the store."""

    key: int
    judge: str
    signature: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Ground:
    """The basis of the list: the rule in force, in row `key`, and a signature of each judge, the rule's own where it has one."""

    key: int
    rule: Rule
    judges: tuple[ListedJudge, ...]


class Listed(NamedTuple):
    """A page of the list, and how many there are."""

    total: int
    rows: Sequence[Row]


class Sided(NamedTuple):
    """The number of misses that a judge passes too, above its threshold, and of false fails that it fails too.

    The threshold is the rule's own where the rule in force cuts this very judge and no other (`is_rule`), else the default one.
    """

    judge: str
    threshold: float
    is_rule: bool
    misses: int
    false_fails: int


def ground(store: Store) -> Ground:
    """Read the basis of the list as it is now."""
    key, rule = rule_in_force(store)
    newest = {judge: names[-1] for judge, names in store.scores.signatures().items() if judge not in FLAGS}
    pairs = list((newest | dict(rule.signatures)).items())
    keys = store.scores.known_keys(pairs)
    return Ground(key=key, rule=rule, judges=tuple(ListedJudge(keys[pair], *pair) for pair in pairs))


def listed(store: Store, basis: Ground, asked: DisagreementFilter, *, page: int, size: int) -> Listed:
    """Return this page of the list, from 1."""
    rows = store.labels.disagreements.page(basis.key, asked, start=(page - 1) * size, size=size)
    return Listed(store.labels.disagreements.total(basis.key, asked), rows)


def place(store: Store, basis: Ground, asked: DisagreementFilter, item: int) -> ListPlace | None:
    """Return the position of the item in this row in the list."""
    return store.labels.disagreements.place(basis.key, asked, item)


def sided(store: Store, basis: Ground, asked: DisagreementFilter) -> list[Sided]:
    """Count how often each judge agrees with the proxy against annotators."""
    judges = []
    for judge in basis.judges:
        threshold = threshold_for(basis.rule, judge.judge)
        judges.append(
            Sided(
                judge.judge,
                threshold,
                is_rule_of(basis.rule, judge.judge),
                *store.labels.disagreements.sided(basis.key, asked, judge.key, threshold),
            )
        )
    return judges


def slices(store: Store, basis: Ground, *, searched: bool) -> dict[str, tuple[int, ...]]:
    """Return the rows in each slice by name: slices by own fields, and with `searched` by lengths, kind and topic too.

    Names and limits are those of `assay slices`; what is searched takes a pass over all items.
    """
    labelled, disagreeing = (
        sorted(store.labels.that_count()),
        set(store.labels.disagreements.items(basis.key, DisagreementFilter())),
    )
    if not disagreeing:
        return {}
    if not searched:
        return _own(store, labelled, sorted(disagreeing))
    known = [field for field in fields(store, labelled, of=disagreeing) if field.name not in (SYSTEM, LANGUAGE)]
    return {part.name: tuple(sorted(rows)) for field in known for part, rows in field.slices().items()}


def _own(store: Store, labelled: Sequence[int], wanted: Sequence[int]) -> dict[str, tuple[int, ...]]:
    """Return the slices by fields of the caller's own."""
    members: dict[str, list[int]] = {}
    for name in own_fields(store, labelled):
        try:
            values = store.traffic.partitions.of_items(wanted, name)
        except UsageError:  # a name that the store cannot ask for
            continue
        for row, value in values.items():
            if value is not None:
                members.setdefault(f"{name}: {displayable(value)}", []).append(row)
    return {name: tuple(rows) for name, rows in sorted(members.items())}


@dataclass(frozen=True, kw_only=True, slots=True)
class WeighedDisagreements:
    """The shares of traffic that the misses and false fails in the list stand for.

    `differ` is the share of scored traffic on which the proxy and annotators differ, `misses` and `false_fails` its two parts
    where they are known. `silent` of those in the list stand for nothing: hand-picked, of a wave that does not count yet, or
    used to choose the threshold.
    """

    differ: Estimate
    misses: float | None
    false_fails: float | None
    wrong_among_passed: Estimate
    right_among_failed: Estimate
    labels: int
    silent: int


def weigh(counts: Mapping[DisagreementKind, int], agreement: AgreementReport) -> WeighedDisagreements:
    """Return the shares: 1 - accuracy differs; misses are P(pass and wrong), false fails P(fail and right)."""
    cells, shares = agreement.counts, agreement.shares
    return WeighedDisagreements(
        differ=agreement.accuracy.complement(),
        misses=None if shares is None else round(float(shares.wrong_pass), NOISE),
        false_fails=None if shares is None else round(float(shares.right_fail), NOISE),
        wrong_among_passed=agreement.pass_precision.complement(),
        right_among_failed=agreement.npv.complement(),
        labels=cells.right_pass + cells.wrong_pass + cells.right_fail + cells.wrong_fail,
        silent=max(0, sum(counts.values()) - cells.wrong_pass - cells.right_fail),
    )
