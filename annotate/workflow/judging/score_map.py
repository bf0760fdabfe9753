"""Map a judge's score to P(right) as tuning labels have it, and put the map in force where other labels show it nearer to them.

A mapped score stands beside the score that it maps, under a signature of its own, and follows it as new answers are scored.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from annotate.analysis.aligned_judges.alignment import Kinds, decided_share
from annotate.analysis.aligned_judges.score_map import ScoresToMap, labelled_scores, score_to_map
from annotate.analysis.evidence_ledger import evidence_ledger
from annotate.analysis.rule_in_force import rule_in_force
from annotate.domain.score_map import MAPPED, UNMAPPED, MeasuredMap
from annotate.store import Store
from proxy.errors import UsageError
from proxy.evaluation.alignment import FEWEST_MEASURING, FEWEST_TUNING, compared_in
from proxy.evaluation.candidates import JudgeKey, is_lower_better
from proxy.evaluation.discrimination import Valued
from proxy.evaluation.score_map import LanguageMaps, chosen_maps, contrast_of_map
from proxy.judges.llm.base import digest_of
from proxy.judges.llm.prompts import language_of
from proxy.judges.taught import MAPPED as MARK
from proxy.reason import Reason
from proxy.records import Score

# Chosen: answers that are mapped in one transaction.
BATCH = 1_000


class NotMapped(StrEnum):
    """Why a score stays as it is."""

    FEW_TUNING = "few_tuning"
    FEW_MEASURING = "few_measuring"
    BEST_AS_IT_IS = "best_as_it_is"
    NOT_SHOWN = "not_shown"
    OBJECTION = "objection"


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoreMapping:
    """What mapping a score came to.

    Attributes
    ----------
    judge, base, share
        The judge, the signature of its scores, and the share of questions that tune it.
    tuning, measuring
        How many labels with a score there are for either.
    measured
        The map that was measured; None where none was.
    not_mapped
        Why the score stays as it is; None where the map was put in force.
    mapped
        How many scores were mapped.
    objection
        What forbids any claim from these labels.
    """

    judge: str
    base: str
    share: float
    tuning: Kinds
    measuring: Kinds
    measured: MeasuredMap | None = None
    not_mapped: NotMapped | None = None
    mapped: int = 0
    objection: Reason | str | None = None


def map_scores(
    store: Store, judge: str, signature: str | None, share: float | None, *, who: str, now: str
) -> ScoreMapping:
    """Map the score of a judge; nothing changes but what is kept of it where the map is not shown to be nearer the labels.

    Raises
    ------
    UsageError
        For a share that differs from what was decided, and for a judge without scores to map.
    """
    base = score_to_map(store, judge, signature)
    decided = decided_share(store, judge, share)
    with store.atomic():
        store.scores.alignments.decide_share(judge, decided, now=now)
    tuning = labelled_scores(store, base, tuning=True, share=decided)
    measuring = labelled_scores(store, base, tuning=False, share=decided)
    mapping = ScoreMapping(
        judge=judge,
        base=base.signature,
        share=decided,
        tuning=tuning.kinds,
        measuring=measuring.kinds,
    )
    objection = next(iter(evidence_ledger(store, *rule_in_force(store)).against()), None)
    if objection is not None:
        return replace(mapping, not_mapped=NotMapped.OBJECTION, objection=objection.reason)
    if mapping.tuning.rarer < FEWEST_TUNING:
        return replace(mapping, not_mapped=NotMapped.FEW_TUNING)
    if mapping.measuring.rarer < FEWEST_MEASURING:
        return replace(mapping, not_mapped=NotMapped.FEW_MEASURING)
    given = _in_force(store, base)
    maps = chosen_maps(tuning.tuning, given)
    if maps is None:
        return replace(mapping, not_mapped=NotMapped.BEST_AS_IT_IS)
    before = measuring.labels if given is None else measuring.mapped(given)
    measured = _measured(store, base, maps, measuring, before, now)
    if not measured.is_in_force:
        with store.atomic():
            store.scores.maps.keep(measured)
        return replace(mapping, measured=measured, not_mapped=NotMapped.NOT_SHOWN)
    return replace(mapping, measured=measured, mapped=_put_in_force(store, measured, who=who, now=now))


def undo_score_map(store: Store, judge: str, *, who: str, now: str) -> MeasuredMap:
    """Map the newest scores of a judge that are mapped no longer; UsageError where none are. Mapped scores stay."""
    current = [known for known in store.scores.maps.every(judge) if known.is_in_force]
    if not current:
        raise UsageError(f"no map of {judge} is in force: `assay align {judge} --map` makes one")
    newest = current[-1]
    with store.atomic():
        store.scores.maps.withdraw(judge, newest.base)
        store.audit.events.append(UNMAPPED, {"judge": judge, "signature": newest.signature}, who=who, now=now)
    return replace(newest, is_in_force=False)


def follow_maps(store: Store, *, now: str) -> int:
    """Map the scores that came since, by the maps in force, and return how many."""
    current = [measured for measured in store.scores.maps.every() if measured.is_in_force]
    return sum(_kept(store, measured, now) for measured in current)


def _in_force(store: Store, base: JudgeKey) -> LanguageMaps | None:
    """Return the map by which these scores are mapped."""
    known = store.scores.maps.every(base.judge)
    return next((measured.maps for measured in known if measured.is_in_force and measured.base == base.signature), None)


def _measured(
    store: Store, base: JudgeKey, maps: LanguageMaps, measuring: ScoresToMap, before: Valued, now: str
) -> MeasuredMap:
    """Measure a map on labels that did not choose it, beside what it replaces."""
    signature = _signature(base, maps)
    order = dict.fromkeys([*(known.signature for known in store.scores.maps.every(base.judge)), signature])
    attempt = 1 + list(order).index(signature)
    contrast = contrast_of_map(before, measuring.mapped(maps), compared_in(attempt))
    counts = measuring.kinds
    return MeasuredMap(
        judge=base.judge,
        base=base.signature,
        signature=signature,
        maps=maps,
        contrast=contrast,
        right=counts.right,
        wrong=counts.wrong,
        at=now,
        is_in_force=contrast.is_better,
    )


def _signature(base: JudgeKey, maps: LanguageMaps) -> str:
    """Return the signature of these scores mapped; the judge's name stands first, as in that of each aligned judge."""
    is_named = base.signature.startswith(f"{base.judge}|")
    return f"{base.signature if is_named else f'{base.judge}|{base.signature}'}{MARK}{digest_of(maps.settings)}"


def _put_in_force(store: Store, measured: MeasuredMap, *, who: str, now: str) -> int:
    """Keep the map with what its signature stands for, log it, and map all scores that there are."""
    contrast = measured.contrast
    detail = {
        "judge": measured.judge,
        "signature": measured.signature,
        "maps": measured.base,
        "languages": sorted(measured.maps.languages),
        "labels": contrast.gain.n,
        "gain": contrast.gain.estimate,
        "lowest": contrast.lowest,
    }
    with store.atomic():
        store.scores.maps.keep(measured)
        settings = {"maps": measured.base, **measured.maps.settings}
        store.scores.describe(measured.judge, measured.signature, settings)
        store.audit.events.append(MAPPED, detail, who=who, now=now)
    return _kept(store, measured, now)


def _kept(store: Store, measured: MeasuredMap, now: str) -> int:
    """Keep a mapped score of each answer that has a score and no mapped one; return how many."""
    count = 0
    for values in _waiting(store, measured):
        scores = _mapped(store, measured, values)
        with store.atomic():
            store.scores.keep({item: [score] for item, score in scores.items()}, now=now)
        count += len(scores)
    return count


def _waiting(store: Store, measured: MeasuredMap) -> Iterator[dict[int, float]]:
    """Yield scores that are not mapped yet, in batches."""
    pairs = [(measured.judge, measured.base), (measured.judge, measured.signature)]
    keys = store.scores.known_keys(pairs)
    last = 0
    while values := store.scores.maps.waiting(keys[pairs[0]], keys[pairs[1]], after=last, most=BATCH):
        last = max(values)
        yield values


def _mapped(store: Store, measured: MeasuredMap, values: dict[int, float]) -> dict[int, Score]:
    """Map these scores; of judges whose 1 is bad the mapped score is P(wrong)."""
    items, is_turned = store.traffic.items.read(list(values)), is_lower_better(measured.judge)
    languages = np.array([language_of(items[item]) for item in values], dtype=np.str_)
    given = np.array(list(values.values()))
    shares = measured.maps.at(1 - given if is_turned else given, languages)
    mapped = 1 - shares if is_turned else shares
    return {
        item: Score(item_id=items[item].id, judge=measured.judge, signature=measured.signature, value=float(value))
        for item, value in zip(values, mapped, strict=True)
    }
