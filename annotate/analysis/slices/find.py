"""Find the slices where the proxy errs more than elsewhere, and the items of a slice for a wave of its own.

A slice that was found in labels is confirmed only by labels that were drawn for it afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.analysis import evidence_ledger
from annotate.analysis.labelled_draws import AnswerGround, Labelled, evidence_on_slices, ground
from annotate.analysis.rule_in_force import rule_in_force
from annotate.analysis.slices.confirm import Mask, SliceConfirmation, confirmations, decided_labels, rows_of
from annotate.analysis.slices.fields import Field, fields
from annotate.domain.sampling.outcomes import ToLabel
from annotate.store import Store
from annotate.store.engine.item_fields import OWN
from annotate.store.scores.scores import Failed
from proxy.errors import UsageError
from proxy.evaluation.evidence_ledger import Objection
from proxy.evaluation.ledger import DECIDED, weight_of
from proxy.evaluation.slices import (
    LEVEL,
    VERDICT_OF,
    Examined,
    Mistake,
    SideWeight,
    Slice,
    SliceLabels,
    assisted,
    examine,
    is_truth,
    is_turnable,
)
from proxy.records import Verdict
from proxy.rule import judges_of

# Fixed, so that the same labels give the same p-values.
SEED = 0
# Chosen: what an error message can list.
MOST_NAMED = 40
# Of more items nobody waits until each one's topic and lengths are known: there the labels alone tell a slice's share.
MOST_COUNTED = 100_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Slices:
    """The result for every slice; `labels` counts the labels of each side, and of what no judge has scored.

    `truths` are the fields that tell right from wrong by themselves; `failed` is why judges gave labelled items no score.
    `objections` forbid to name any slice, `turnable` are findings that missing labels could turn. `left` is what can still be
    labelled.
    """

    rule: str
    items: int
    labels: dict[Verdict, int]
    examined: Examined
    confirmations: Sequence[SliceConfirmation]
    truths: Sequence[str]
    failed: Failed | None
    left: ToLabel
    objections: tuple[Objection, ...] = ()
    turnable: tuple[Turnable, ...] = ()

    @property
    def is_unjudged(self) -> bool:
        """Whether no labelled item has a verdict."""
        return not self.labels[Verdict.PASS] and not self.labels[Verdict.FAIL]


class Turnable(NamedTuple):
    """A slice that is shown to be worse, unless the drawn answers without a right or wrong, there and elsewhere, turn it."""

    slice: str
    mistake: Mistake
    missing: int
    drawn: int


def build(store: Store, *, by: Sequence[str] = (), level: float = LEVEL) -> Slices:
    """Examine every slice under the rule in force."""
    key, rule = rule_in_force(store)
    # What all traffic comes to is kept when it is first counted: within the snapshot that would hold up every writer.
    ground(store, key, rule)
    objections = evidence_ledger.objections(store)
    with store.snapshot():
        basis = ground(store, key, rule)
        rows = basis.labelled.rows
        missing = _missing(basis)
        count, progress = store.traffic.items.count(), store.sampling.waves.progress()
        drawn = _drawn(basis, missing)
        everywhere = _everywhere(store, basis, drawn, count, by)
        known = [field for field in (own.among(drawn) for own in everywhere) if field.divides(len(drawn))]
        truths = [field.name for field in known if field.name.startswith(OWN) and _is_truth(field, basis.labelled)]
        members = [pair for field in known if field.name not in truths for pair in field.slices().items()]
        unscored = [row.about.item for row in rows if row.verdict is Verdict.UNSCORED]
        masks = [rows_of(basis.labelled, mistake) for mistake in Mistake]
        labels_by_mistake = [
            decided_labels(basis.labelled, mistake, mask) for mistake, mask in zip(Mistake, masks, strict=True)
        ]
        parts = [_part(part, part_items, basis.labelled, masks) for part, part_items in members]
        examined = examine(labels_by_mistake, parts, np.random.default_rng(SEED), level)
        if count <= MOST_COUNTED:
            examined = _assisted(store, basis, examined, everywhere)
        inside = {(part.field, part.value): part_items for part, part_items in members}
        return Slices(
            rule=f"{rule.name} v{rule.version}: {rule.expression}",
            items=count,
            left=ToLabel(undrawn=count - progress.drawn, waiting=progress.open),
            labels={verdict: sum(row.verdict is verdict for row in rows) for verdict in Verdict},
            examined=examined,
            objections=objections,
            turnable=tuple(_turnable(examined, basis, missing, inside)),
            confirmations=confirmations(store, basis),
            truths=truths,
            failed=store.scores.commonest_failure(judges_of(rule.expression)[0], unscored),
        )


def labelled_in(store: Store, name: str, mistake: Mistake) -> list[int]:
    """Return the labelled items of a slice that could be such a mistake: those that its share is of; KeyError for no slice."""
    with store.snapshot():
        basis = ground(store, *rule_in_force(store))
        drawn, known = _drawn(basis, _missing(basis)), dict[str, set[int]]()
        for field in _everywhere(store, basis, drawn, store.traffic.items.count()):
            known |= {part.name: items for part, items in field.among(drawn).slices().items()}
    inside, able = known[name], rows_of(basis.labelled, mistake)
    items = [row.about.item for row in basis.labelled.rows]
    return [item for item, is_able in zip(items, able, strict=True) if is_able and item in inside]


def _drawn(basis: AnswerGround, missing: Sequence[_Missing]) -> set[int]:
    """Return the items with a label, and the drawn items that still lack one."""
    return {row.about.item for row in basis.labelled.rows} | {draw.item for draw in missing}


def _everywhere(store: Store, basis: AnswerGround, drawn: set[int], count: int, by: Sequence[str] = ()) -> list[Field]:
    """Return every field, of all `count` items where they are at most `MOST_COUNTED`, else of those drawn."""
    items = {row.about.item for row in basis.labelled.rows}
    return fields(store, items, by, of=None if count <= MOST_COUNTED else drawn) if items else []


def _assisted(store: Store, basis: AnswerGround, examined: Examined, everywhere: Sequence[Field]) -> Examined:
    """Return the tests with shares that all scores help to estimate: every item of a slice is counted, not only those drawn."""
    wanted = {finding.slice for finding in examined.tested}
    of_slice = {part: items for field in everywhere for part, items in field.slices().items() if part in wanted}
    parted = dict(zip(of_slice, evidence_on_slices(store, basis, list(of_slice.values())), strict=True))
    return assisted(examined, parted.__getitem__)


class _Missing(NamedTuple):
    """A drawn item without a right or wrong."""

    item: int
    verdict: Verdict
    weight: float


def _missing(basis: AnswerGround) -> list[_Missing]:
    """Return the draws of waves that count without a right or wrong, each with what it stands for."""
    traffic = basis.traffic
    return [
        _Missing(draw.item, verdict, weight_of(draw.chances, draw.own)[0])
        for draw, verdict in zip(traffic.drawn, traffic.rules[0].verdicts, strict=True)
        if draw.judgement not in DECIDED and any(draw.chances)
    ]


def _turnable(
    examined: Examined, basis: AnswerGround, missing: Sequence[_Missing], members: Mapping[tuple[str, str], set[int]]
) -> Iterator[Turnable]:
    """Yield the findings that the missing answers could turn, if they went the other way in the slice and outside of it."""
    for finding in examined.worse:
        verdict = VERDICT_OF[finding.mistake]
        inside = members[finding.slice.field, finding.slice.value]
        silent = [draw for draw in missing if draw.verdict is verdict]
        labels = [row for row in basis.labelled.rows if row.verdict is verdict]
        weights = (
            _weight([(draw.item, draw.weight) for draw in silent], inside),
            _weight([(row.about.item, row.weight) for row in labels], inside),
        )
        if is_turnable(finding, *weights):
            count = sum(draw.item in inside for draw in silent)
            drawn = count + sum(row.about.item in inside for row in labels)
            yield Turnable(finding.slice.name, finding.mistake, count, drawn)


def _weight(draws: Sequence[tuple[int, float]], inside: set[int]) -> SideWeight:
    return SideWeight(
        here=sum(weight for item, weight in draws if item in inside),
        elsewhere=sum(weight for item, weight in draws if item not in inside),
    )


def members(store: Store, name: str) -> NDArray[np.int64]:
    """Return the rows of a slice's current items, ascending; UsageError that lists the slices where none has this name."""
    field, _, _ = name.partition(": ")
    with store.snapshot():
        labelled = {draw.item for draw in store.sampling.waves.all_draws()}
        known: dict[str, set[int]] = {}
        for item_field in fields(store, labelled, also=(field,) if field.startswith(OWN) else ()):
            known |= {part.name: items for part, items in item_field.slices().items()}
    if name not in known:
        raise UsageError(_unknown(name, list(known)))
    return np.array(sorted(known[name]), dtype=np.int64)


def _unknown(name: str, known: Sequence[str]) -> str:
    names = "; ".join(known[:MOST_NAMED]) + ("; …" if len(known) > MOST_NAMED else "")
    choices = f"there are: {names}" if known else "there is none: every item is alike in all that is known of it"
    return f"there is no slice {name!r}; {choices}"


def _is_truth(field: Field, labelled: Labelled) -> bool:
    """Whether this field repeats what annotators said of the labelled items."""
    rows = [row for row in labelled.rows if row.about.item in field.of_item and row.verdict is not Verdict.UNSCORED]
    right, passes = (
        np.array([(row.is_right, row.verdict is Verdict.PASS) for row in rows], dtype=np.bool_).reshape(-1, 2).T
    )
    return is_truth(right, passes, [field.of_item[row.about.item] for row in rows])


def _part(part: Slice, items: set[int], labelled: Labelled, rows_by_mistake: Sequence[Mask]) -> SliceLabels:
    inside = np.array([row.about.item in items for row in labelled.rows], dtype=np.bool_)
    return SliceLabels(slice=part, members=tuple(inside[rows] for rows in rows_by_mistake))
