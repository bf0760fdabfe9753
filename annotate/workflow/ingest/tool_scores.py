"""Scores of other tools' judges: kept until their item is here and the scale of their numbers is known, then scores like ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from annotate.domain.feedback import Feedback
from annotate.domain.timestamps import Times
from annotate.domain.tool_score import ScoreScale, ToolScore, Unscaled
from annotate.store import Store
from annotate.store.traffic.feedback_quarantine import Quarantined
from annotate.traffic.evaluations import NoScore, read_evaluation
from annotate.traffic.feedback_rows import read_feedback
from annotate.traffic.source_format import Row
from annotate.workflow.ingest.batches import raw_of
from annotate.workflow.ingest.kept_scores import keep_scores
from annotate.workflow.ingest.known_judges import known_judges
from annotate.workflow.judging.rule_after_import import NO_EFFECT, BeforeImport, RuleAfterImport
from annotate.workflow.judging.rules import follow_imported
from proxy.errors import InputError
from proxy.records import Score

BATCH = 1000
SCORES = "scores"


class WaitingScores(NamedTuple):
    """The scores of tools that are no scores of answers yet: without an item, and by judge without a scale."""

    without_item: int = 0
    unscaled: tuple[Unscaled, ...] = ()


NONE_WAIT = WaitingScores()


@dataclass(slots=True)
class ToolTally:
    """Counts of what rows of tools held: feedback and scores that were read, and the rest by the reason.

    `read_as` are names of judges that were read as those of known ones.
    """

    feedback: int = 0
    scores: int = 0
    names: Counter[str] = field(default_factory=Counter)
    read_as: dict[str, str] = field(default_factory=dict)
    none: Counter[NoScore] = field(default_factory=Counter)


def keep_evaluations(store: Store, rows: Sequence[Row], tally: ToolTally, *, origin: str, now: str) -> int:
    """Keep feedback and scores that stood among traffic; return how many rows are in quarantine. Call inside a transaction."""
    feedback: list[Feedback] = []
    scores: list[ToolScore] = []
    refused: list[Quarantined] = []
    times, names = Times(now), known_judges(store)
    for row in rows:
        try:
            score = read_evaluation(row, names.name)
            if isinstance(score, ToolScore):
                scores.append(score)
                tally.names[score.judge] += 1
                continue
            votes = [vote for vote in read_feedback(row, {}, times) if isinstance(vote, Feedback)]
        except InputError as error:
            refused.append(Quarantined(SCORES, origin, 0, str(error), raw_of(row)))
            continue
        feedback += votes
        tally.names.update(name for vote in votes if (name := (vote.source or "").partition(": ")[2]))
        tally.none.update([] if votes else [score])
    store.traffic.quarantine.keep(refused, now=now)
    tally.feedback += store.traffic.feedback.keep(feedback, now=now) if feedback else 0
    tally.scores += len(scores)
    tally.read_as |= names.read_as
    keep(store, scores, now=now)
    return len(refused)


def keep(store: Store, scores: Sequence[ToolScore], *, now: str) -> None:
    """Keep scores until they can be settled; one that names a span goes to its trace. Call inside a transaction."""
    if not scores:
        return
    traces = store.traffic.spans.traces_of(sorted({score.item_id for score in scores}))
    moved = [replace(score, item_id=traces.get(score.item_id, score.item_id)) for score in scores]
    store.scores.of_tools.keep(moved, now=now)


class Settled(NamedTuple):
    """How many scores of tools are new, and what they are to the rule."""

    new: int = 0
    effect: RuleAfterImport = NO_EFFECT


def settle(store: Store, *, now: str, scales: Mapping[str, ScoreScale] | None = None) -> Settled:
    """Make scores of what waits no longer, with the verdicts that follow.

    One whose value is not on its scale, or that another value came before, goes to quarantine.
    """
    if scales:
        names = known_judges(store)
        with store.atomic():
            store.scores.of_tools.give_scales({names.name(judge): scale for judge, scale in scales.items()})
    if not store.scores.of_tools.has_open():
        return Settled()
    before, new = BeforeImport.of(store), 0
    try:
        with closing(store.scores.of_tools.open(max(BATCH, store.traffic.items.rows_at_once))) as batches:
            for scores in batches:
                with store.atomic():
                    new += _settle(store, scores, now)
    finally:
        if new:
            follow_imported(store, now=now)
    return Settled(new, before.after(store))


def _settle(store: Store, scores: Sequence[ToolScore], now: str) -> int:
    known = store.traffic.items.keys(sorted({score.item_id for score in scores}))
    scales, refused = store.scores.of_tools.scales(), list[Quarantined]()
    on_scale: list[tuple[ToolScore, Score]] = []
    for score in scores:
        try:
            value = scales.get(score.judge, ScoreScale()).share(score.value)
        except InputError as error:
            refused.append(_refused(score, str(error)))
        else:
            on_scale.append((score, _converted(score, value)))
    results = keep_scores(store, [converted for _, converted in on_scale], known, now)
    refused += [_refused(score, kept.reason) for (score, _), kept in zip(on_scale, results, strict=True) if kept.reason]
    store.traffic.quarantine.keep(refused, now=now)
    store.scores.of_tools.drop(scores)
    return sum(kept.is_new for kept in results)


def _converted(score: ToolScore, value: float) -> Score:
    return Score(item_id=score.item_id, judge=score.judge, signature=score.signature, value=value, reason=score.reason)


def _refused(score: ToolScore, reason: str) -> Quarantined:
    row = {"item_id": score.item_id, "judge": score.judge, "value": score.value, "signature": score.signature}
    return Quarantined(SCORES, score.signature, 0, reason, raw_of(row))


def waiting_scores(store: Store) -> WaitingScores:
    """Return what waits for its item or its scale."""
    return WaitingScores(store.scores.of_tools.without_item(), tuple(store.scores.of_tools.unscaled()))
