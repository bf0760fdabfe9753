"""Take files in as a user asks for it: checked beforehand, and each with its event."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import repeat
from typing import NamedTuple

from annotate.domain.feedback import Feedback
from annotate.domain.field_mapping import without_option
from annotate.domain.label_words import own_words
from annotate.domain.privacy.redaction import for_page, outgoing
from annotate.domain.sampling.outcomes import DrawProgress
from annotate.domain.timestamps import Times
from annotate.domain.tool_score import ScoreScale
from annotate.files import digest
from annotate.store import MEMORY, Store
from annotate.store.traffic.feedback_quarantine import Quarantined
from annotate.store.traffic.items import Added
from annotate.traffic.evaluations import NoScore
from annotate.traffic.feedback_rows import NoFeedback, read_feedback
from annotate.traffic.how_read import HowRead, ReadingTally
from annotate.traffic.joining import WaitReason
from annotate.traffic.wide_scores import ProposedColumn
from annotate.workflow.ingest import ingest
from annotate.workflow.ingest.batches import Intake, Source, batches, raw_of
from annotate.workflow.ingest.check import check_ids, check_names, check_readable, check_traces
from annotate.workflow.ingest.check_known import check_known
from annotate.workflow.ingest.check_paths import check_passages, check_paths, check_trace_ids
from annotate.workflow.ingest.ingest import LABELS_EVENT, Imported
from annotate.workflow.ingest.masking import MaskingTally
from annotate.workflow.ingest.row_readers import read_votes
from annotate.workflow.ingest.tool_scores import NONE_WAIT, Settled, ToolTally, WaitingScores, settle, waiting_scores
from annotate.workflow.ingest.unreadable import ImportCommand, check_any
from annotate.workflow.ingest.votes_beside import without_known_votes
from annotate.workflow.judging.rule_after_import import NO_EFFECT, BeforeImport, RuleAfterImport
from proxy.errors import FileError, InputError
from proxy.records import Context, Item

# Rows that `--dry-run` reads of each file.
DRY_RUN_ROWS = 10_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Ingested:
    """The rows of traffic that were read, how, what they added, and how many items the store has now.

    Traces that gave no answer yet are counted by what they lack. `feedback` and `scores` are what users and other tools' judges
    said, where it stood beside the answers, `evaluations` what these are called, `read_as` names of judges that were read as
    those of known ones, `effect` what the scores are to the rule, and `waiting` those that are none of an answer yet. A dry run
    keeps nothing, `stop` is why the import would be refused as a whole, and `is_beside` whether its counts are of what would
    change in the store that is there.
    """

    intake: Intake
    added: Added
    items: int
    sources: tuple[HowRead, ...] = ()
    without_root: int = 0
    without_content: int = 0
    failed: int = 0
    feedback: int = 0
    scores: int = 0
    evaluations: tuple[str, ...] = ()
    read_as: Mapping[str, str] = field(default_factory=dict)
    effect: RuleAfterImport = NO_EFFECT
    waiting: WaitingScores = NONE_WAIT
    is_dry: bool = False
    is_beside: bool = False
    stop: str | None = None

    @property
    def is_complete(self) -> bool:
        """Whether every row could be read."""
        return not self.intake.refused


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedScores:
    """The rows of scores that were read, and how many scores were new; `failed` of these are failures.

    `none` counts rows of tools that hold no score of an answer, by the reason, `waiting` scores that wait for theirs. Of a table
    with a column a judge, `judges` are these columns, `unused` those that are neither judges nor fields of answers, and of these
    `proposed` may hold scores, labels or feedback. `effect` is what they are to the rule, and `read_as` are names of judges that
    were read as those of known ones.
    """

    intake: Intake
    new: int
    failed: int = 0
    none: Mapping[NoScore, int] = field(default_factory=dict)
    waiting: WaitingScores = NONE_WAIT
    judges: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    proposed: tuple[ProposedColumn, ...] = ()
    effect: RuleAfterImport = NO_EFFECT
    read_as: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """Whether every row could be read."""
        return not self.intake.refused


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedFeedback:
    """The rows of feedback that were read, how many were new, and what the store has now.

    `unmatched` counts ids without an item yet, `none` the rows that hold no user's feedback, by the reason.
    """

    intake: Intake
    new: int
    none: Mapping[NoFeedback, int]
    thumbs_down: int
    thumbs_up: int
    unmatched: int

    @property
    def is_complete(self) -> bool:
        """Whether every row could be read."""
        return not self.intake.refused


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedLabels:
    """The labels that were imported, and how far the labelling is now."""

    imported: Imported
    progress: DrawProgress
    hand_picked: int
    disagreements: int

    @property
    def intake(self) -> Intake:
        """The rows that were read."""
        return self.imported.intake

    @property
    def is_complete(self) -> bool:
        """Whether every row could be read."""
        return not self.intake.refused


def check(
    store: Store | None,
    sources: Sequence[Source],
    *,
    paths: Mapping[str, str],
    revisions: bool = False,
    as_named: bool = False,
) -> None:
    """Refuse traffic that would lose data; without a store that is there, before one is made.

    `paths` are those that the user gave. Spans have no columns with nearly the right name; whole traces may repeat.

    FileError where a field stands under nearly the right name or answers are here under other ids (`as_named` takes them as they
    are), no row can be read, ids repeat with other content, or answers would only lose fields (`revisions` takes the last).
    """
    rows = [source for source in sources if not source.has_spans]
    if not as_named:
        check_names(sources)
    check_trace_ids(sources, paths)
    check_paths(sources, paths)
    check_passages(sources, paths)
    check_readable(sources)
    if not revisions:
        check_ids(store, rows)
        check_traces([source for source in sources if source.has_spans])
    if store is not None and not as_named:
        check_known(store, sources, paths, revisions=revisions)


def traffic(
    store: Store,
    sources: Sequence[Source],
    *,
    who: str,
    now: str,
    scales: Mapping[str, ScoreScale] | None = None,
    revisions: bool = False,
) -> Ingested:
    """Take traffic in, once it is recognised and `check` has passed it; with `revisions` spans correct those that are here."""
    total, added, read, evaluated = Intake(), Added(), [], ToolTally()
    for source in sources:
        joined = ReadingTally()
        intake, items = ingest.ingest(store, source, now=now, joined=joined, evaluated=evaluated, revisions=revisions)
        total, added = total.plus(intake), added.plus(items)
        if source.how is not None:
            how = joined.with_counts(source.how) if source.has_spans else joined.counted(source.how)
            read.append(without_known_votes(how, store, source))
    settled = settle(store, now=now, scales=scales)
    return ingested(store, total, added, read, evaluated=evaluated, settled=settled, who=who, now=now)


def ingested(
    store: Store,
    intake: Intake,
    added: Added,
    read: Sequence[HowRead],
    *,
    evaluated: ToolTally,
    settled: Settled,
    who: str,
    now: str,
) -> Ingested:
    """Log that traffic was taken in from so many places, and return what it came to."""
    with store.atomic():
        detail = {"files": len(read), **added._asdict(), "repaired": intake.repaired}
        detail |= intake.replaced.as_detail() if intake.replaced else {}
        store.audit.events.append("ingest", detail, who=who, now=now)
    waiting = store.traffic.spans.waiting()
    return Ingested(
        intake=intake,
        added=added,
        items=store.traffic.items.count(),
        sources=tuple(read),
        without_root=waiting.get(WaitReason.ROOT, 0),
        without_content=waiting.get(WaitReason.CONTENT, 0),
        failed=waiting.get(WaitReason.FAILED, 0),
        feedback=evaluated.feedback,
        scores=settled.new,
        evaluations=tuple(sorted(evaluated.names)),
        read_as=evaluated.read_as,
        effect=settled.effect,
        waiting=waiting_scores(store),
    )


def dry_run(
    present: Store | None,
    sources: Sequence[Source],
    *,
    now: str,
    paths: Mapping[str, str],
    revisions: bool = False,
    as_named: bool = False,
) -> Ingested:
    """Read the first rows of traffic as `traffic` would, into a store in memory that is left again.

    What they would add is counted beside what the `present` store holds, if there is one.
    """
    first, stop = [source._replace(most=DRY_RUN_ROWS) for source in sources], None
    with closing(Store(MEMORY)) as store:
        try:
            check(present or store, first, paths=paths, revisions=revisions, as_named=as_named)
        except FileError as error:
            stop = str(error)
        done = traffic(store, first, who="", now=now)
        read = tuple(replace(how, examples=tuple(map(_masked, how.examples))) for how in done.sources)
        if present is not None:
            items = present.traffic.items
            added = items.compared(store.traffic.items)._replace(repeated=done.added.repeated)
            done = replace(done, added=added, items=items.count())
            read = tuple(map(without_known_votes, read, repeat(present), first))
    return replace(done, sources=read, effect=NO_EFFECT, is_dry=True, is_beside=present is not None, stop=stop)


def _masked(item: Item) -> Item:
    """Return the item with its texts as they may be shown."""
    texts = outgoing(item)
    contexts = tuple(Context(text=text) for text in texts.contexts)
    return replace(
        item,
        question=texts.question,
        answer=texts.answer,
        contexts=contexts,
        history=texts.history,
        reference=texts.reference,
    )


def scores(
    store: Store, source: Source, *, who: str, now: str, scales: Mapping[str, ScoreScale] | None = None
) -> ImportedScores:
    """Take other tools' scores in; `scales` are those of judges whose numbers do not lie in [0, 1]."""
    before = BeforeImport.of(store)
    intake, counts = ingest.import_scores(store, source, now=now, scales=scales)
    with store.atomic():
        store.audit.events.append("scores import", {"new": counts.new}, who=who, now=now)
    return ImportedScores(
        effect=before.after(store),
        intake=intake,
        new=counts.new,
        failed=counts.failed,
        none=counts.none,
        waiting=waiting_scores(store),
        judges=counts.table.judges,
        unused=counts.table.unused,
        proposed=counts.table.proposed,
        read_as=counts.read_as,
    )


def check_feedback(source: Source, names: Collection[str] = ()) -> None:
    """Raise FileError for a file without a row of feedback that can be read, before a store is made."""
    check_any(ImportCommand.FEEDBACK, source, batches("feedback", source, partial(read_votes, names=names)))


def feedback(store: Store, source: Source, *, who: str, now: str, names: Collection[str] = ()) -> ImportedFeedback:
    """Take end users' feedback in; `names` are those under which a tool keeps it."""
    intake, counts = ingest.import_feedback(store, source, now=now, names=names)
    with store.atomic():
        detail = {"new": counts.new, **(intake.replaced.as_detail() if intake.replaced else {})}
        store.audit.events.append("feedback", detail, who=who, now=now)
    down, up, unmatched = store.traffic.feedback.counts()
    return ImportedFeedback(
        intake=intake, new=counts.new, none=counts.none, thumbs_down=down, thumbs_up=up, unmatched=unmatched
    )


class FeedbackReceived(NamedTuple):
    """Feedback that came by itself: how many was new, how many rows hold none, by the reason, and why rows were refused."""

    new: int
    none: Mapping[str, int]
    refused: Mapping[int, str]


def feedback_rows(store: Store, rows: Sequence[Mapping[str, object]], *, origin: str, now: str) -> FeedbackReceived:
    """Keep rows of feedback that came from `origin`; what cannot be read goes to quarantine. Call inside a transaction."""
    read: list[Feedback | NoFeedback] = []
    refused, times, masking = dict[int, str](), Times(now), MaskingTally()
    for number, row in enumerate(rows):
        try:
            votes = read_feedback(row, {}, times)
        except InputError as error:
            refused[number] = without_option(str(error))
            continue
        if unread := masking.count(votes):
            refused[number] = unread
        else:
            read += votes
    store.traffic.quarantine.keep(
        [Quarantined("feedback", origin, number, reason, raw_of(rows[number])) for number, reason in refused.items()],
        now=now,
    )
    new = store.traffic.feedback.keep([vote for vote in read if isinstance(vote, Feedback)], now=now)
    none = Counter(vote.value for vote in read if isinstance(vote, NoFeedback))
    return FeedbackReceived(new, none, {number: for_page(reason) for number, reason in refused.items()})


def labels(
    store: Store,
    source: Source,
    *,
    who: str,
    now: str,
    words: Mapping[str, str | Sequence[str]] = {},
) -> ImportedLabels:
    """Take labels in; `words` are the file's own for right, wrong and unsure."""
    imported = ingest.import_labels(store, source, now=now, own=own_words(words))
    with store.atomic():
        detail = {"digest": digest(source.path), **imported.kept._asdict()}
        store.audit.events.append(LABELS_EVENT, detail, who=who, now=now)
    return ImportedLabels(
        imported=imported,
        progress=store.sampling.waves.progress(),
        hand_picked=store.labels.hand_picked(),
        disagreements=len(store.labels.adjudication.waiting()),
    )
