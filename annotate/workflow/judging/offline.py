"""Score the items of the store with offline judges, only what is missing, and update the verdicts; each batch is kept once done.

While no rule was set by hand, new scores may put a new version of the default rule in force (`follow_scores`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain
from typing import NamedTuple

from annotate.analysis.rule_in_force import built_in, default_judges, own_judge, rule_in_force
from annotate.analysis.trained_versions import newest, trained_judge
from annotate.plugins import from_entry_points, is_installed, offered
from annotate.progress import ProgressCounter
from annotate.store import Store
from annotate.workflow.judging.engines.engine import Engine, StayedHere
from annotate.workflow.judging.engines.local import LocalEngine
from annotate.workflow.judging.gold_references import forget_outdated, with_gold_references
from annotate.workflow.judging.rules import follow_scores
from proxy.errors import UsageError
from proxy.judges.base import Judge
from proxy.judges.metrics.catalogue import require_runnable, suggestion
from proxy.judges.trained.model import TRAINED_NAMES, is_trained
from proxy.records import FailureKind, JudgeFailure, Score
from proxy.scoring import Block
from proxy.workers.pool import ScoredBlock

BATCH_ITEMS = 50


class JudgeRunStats(NamedTuple):
    """Counts and seconds of one judge in a run."""

    judge: str
    signature: str
    scores: int
    abstentions: int
    failures: int
    seconds: float


class JudgingResult(NamedTuple):
    """The result of a run of the judges.

    Attributes
    ----------
    error
        The first error of a judge.
    stayed_here
        Judges that ran in one process though there were several.
    """

    items: int
    scores: int
    abstentions: int
    errors: int
    judges: tuple[JudgeRunStats, ...] = ()
    error: str | None = None
    stayed_here: tuple[StayedHere, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether no judge raised an error on an item."""
        return not self.errors


def judges_by_name(store: Store, names: Sequence[str]) -> list[Judge]:
    """Return the judges with these names: ours, those trained here last, or of other packages; UsageError for any other name."""
    for name in names:
        require_runnable(name)
    known = {**built_in(), **{name: judge for name in names if (judge := own_judge(name))}}
    trained = newest(store)
    known |= {name: trained_judge(store, trained[name].signature) for name in names if name in trained}
    if untrained := [name for name in names if name not in known and name in TRAINED_NAMES]:
        raise UsageError(f"{untrained[0]} has not been trained here: run `assay judge --train`")
    faults = tuple[str, ...]()
    if others := [name for name in names if name not in known]:
        plugins = from_entry_points(others)
        known, faults = {**plugins.judges, **known}, plugins.faults
    if unknown := [name for name in names if name not in known]:
        meant = suggestion(unknown[0], known)
        refusal = (
            f"there is no judge {unknown[0]}: the judges are {', '.join(known)}, and those of `assay metrics`{meant}"
        )
        raise UsageError("; ".join((refusal, offered(), *faults)))
    return [known[name] for name in names]


def by_default(store: Store) -> list[Judge]:
    """Return the judges that run unless others are named: the offline ones, and those whose scores the rule in force reads.

    A plug-in of another signature than the rule's runs only where it is named, since its scores give no verdict. A trained judge
    runs under the rule's signature, also where it was trained again since.
    """
    default_names, read = default_judges(), rule_in_force(store)[1].signatures
    others = [name for name in read if name not in default_names and (own_judge(name) or is_installed(name))]
    added = [judge for judge in judges_by_name(store, others) if judge.signature == read[judge.name]]
    trained = [trained_judge(store, signature) for signature in read.values() if is_trained(signature)]
    return [*judges_by_name(store, default_names), *added, *trained]


def judge(
    store: Store, judges: Sequence[Judge], *, now: str, after: int = 0, engine: Engine | None = None
) -> JudgingResult:
    """Score every current item that lacks an outcome of some of these judges, and update the verdicts.

    With `after` only the items in rows after that one. Without an engine, the local one with its defaults. Verdicts are updated
    even if the run is interrupted.
    """
    try:
        return _judge(store, judges, LocalEngine() if engine is None else engine, now=now, after=after)
    finally:
        follow_scores(store, now=now)


def _judge(store: Store, judges: Sequence[Judge], engine: Engine, *, now: str, after: int) -> JudgingResult:
    with store.atomic():
        keys = [store.scores.judge_key(scorer.name, scorer.signature) for scorer in judges]
        forget_outdated(store, {scorer.name: key for scorer, key in zip(judges, keys, strict=True)})
    judges = with_gold_references(store, judges)
    items, error = 0, None
    results: Counter[tuple[str, FailureKind | None]] = Counter()
    seconds: defaultdict[str, float] = defaultdict(float)
    missing = store.traffic.items.count_without_outcome(keys, retries=True, after=after)
    blocks = _blocks(store, keys, after)
    with (
        ProgressCounter("judging", missing) as progress,
        closing(engine.score(blocks, judges, items=missing)) as scored,
        closing(_kept(store, scored, now)) as kept,
    ):
        for block, outcomes in kept:
            items += len(block.rows)
            for outcome in chain.from_iterable(outcomes):
                if isinstance(outcome, JudgeFailure) and outcome.kind is FailureKind.ERROR:
                    error = error or f"{outcome.judge} on {outcome.item_id}: {outcome.reason}"
                results[outcome.signature, outcome.kind if isinstance(outcome, JudgeFailure) else None] += 1
                seconds[outcome.signature] += outcome.seconds or 0.0
            progress.advance(len(block.rows))
    return _judged(items, judges, results, seconds)._replace(error=error, stayed_here=tuple(engine.stayed_here))


def _kept(store: Store, scored: Iterable[ScoredBlock], now: str) -> Generator[ScoredBlock]:
    """Keep what judges said, so many answers at once as suits the store, and pass it on; what waits is kept whatever happens."""
    waiting: dict[int, Sequence[Score | JudgeFailure]] = {}

    def keep() -> None:
        if waiting:
            with store.atomic():
                store.scores.keep(waiting, now=now, retries=True)
            waiting.clear()

    try:
        for scored_block in scored:
            waiting.update(zip(scored_block.block.rows, scored_block.outcomes, strict=True))
            if len(waiting) >= store.traffic.items.rows_at_once:
                keep()
            yield scored_block
    finally:
        keep()


def _blocks(store: Store, keys: Sequence[int], after: int) -> Iterator[Block]:
    """Read the items that lack outcomes, each with the places of the judges that have not judged it."""
    # A judge that raised an error on an item has not judged it: it is asked again, which costs nothing here.
    for batch in store.traffic.items.without_outcome(keys, BATCH_ITEMS, retries=True, after=after):
        done = store.scores.done(list(batch), keys, retries=True)
        places = tuple(tuple(place for place, key in enumerate(keys) if (key, row) not in done) for row in batch)
        yield Block(rows=tuple(batch), items=tuple(batch.values()), places=places)


def _judged(
    items: int,
    judges: Sequence[Judge],
    results: Mapping[tuple[str, FailureKind | None], int],
    seconds: Mapping[str, float],
) -> JudgingResult:
    """Return the run's summary from its counts by signature and kind."""
    stats = tuple(
        JudgeRunStats(
            scorer.name,
            scorer.signature,
            results.get((scorer.signature, None), 0),
            results.get((scorer.signature, FailureKind.NOT_APPLICABLE), 0),
            sum(
                n
                for (signature, kind), n in results.items()
                if signature == scorer.signature and kind not in (None, FailureKind.NOT_APPLICABLE)
            ),
            seconds.get(scorer.signature, 0.0),
        )
        for scorer in judges
    )
    return JudgingResult(
        items,
        sum(work.scores for work in stats),
        sum(work.abstentions for work in stats),
        sum(work.failures for work in stats),
        stats,
    )
