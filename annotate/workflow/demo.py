"""Run the loop on synthetic data: sixteen answers about a clinic's leaflets, from two pipelines.

The judges run live; only the human verdicts and references, and grades of 1 to 5 against these, are recorded. Walking it again
adds nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files

from annotate.analysis.rule_in_force import built_in
from annotate.domain.sampling.proposal import ProposalRequest
from annotate.store import Store
from annotate.traffic.rows import item_from_row
from annotate.workflow.ingest import ingest
from annotate.workflow.ingest.batches import Source, batches
from annotate.workflow.judging import offline
from annotate.workflow.judging.rules import follow_scores
from annotate.workflow.sampling.draw import draw_wave

SYSTEMS = ("top-k-3", "top-k-8")
SEED = 7
AUDIT = 0.25
ITEMS = 16


@contextmanager
def data(name: str) -> Iterator[Source]:
    """Open one of the demo's files."""
    with as_file(files("annotate") / "demo_data" / name) as path:
        yield Source(str(path))


def walk(store: Store, tell: Callable[[str], None], *, now: str, leave_open: int = 0) -> None:
    """Take the items through every stage; `leave_open` draws keep no recorded label, for a person to give."""
    with data("traffic.jsonl") as source:
        _, added = ingest.ingest(store, source, now=now)
    with data("feedback.jsonl") as source:
        ingest.import_feedback(store, source, now=now)
    tell("proxy     a rule on judges' scores that stands in for annotators, who cannot read every answer")
    tell(
        f"ingest    {store.traffic.items.count()} answers of two pipelines ({added.added} new), with thumbs from users"
    )
    judged = offline.judge(store, list(built_in().values()), now=now)
    with data("grades.jsonl") as source:
        ingest.import_scores(store, source, now=now)
    key, rule = follow_scores(store, now=now)
    counts = store.scores.rules.counts(key)
    words = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    tell(f"judge     {judged.scores} new scores; {rule.expression}: {words}")
    _draw(store, now)
    progress = store.sampling.waves.progress()
    tell(f"sample    wave 1: {progress.drawn} draws, each with its inclusion probability")
    _label(store, leave_open, now)
    progress = store.sampling.waves.progress()
    tell(f"label     {progress.labelled} recorded verdicts, {progress.open} draws open")


def _draw(store: Store, now: str) -> None:
    """Draw every item in the first wave, so that the demo's table is the whole truth about its sixteen answers."""
    if not store.sampling.waves.next_number() > 1:
        draw_wave(store, ProposalRequest(labels=ITEMS, audit=AUDIT, seed=SEED), now=now)


def _label(store: Store, leave_open: int, now: str) -> None:
    """Label the draws with the recorded verdicts, but for the last draws."""
    held_back = {draw.item_id for draw in store.sampling.waves.all_draws()[ITEMS - leave_open :]}
    with data("labels.jsonl") as source:
        ingest.import_labels(store, source, now=now, without=held_back)


def holds_other_items(store: Store) -> bool:
    """Whether this is somebody's own store, which the demo must not touch."""
    with data("traffic.jsonl") as source:
        rows = [row for batch in batches("traffic", source, item_from_row) for row in batch.parsed]
    return store.traffic.items.count() > len(store.traffic.items.keys([row.value.id for row in rows]))
