"""Tell whether users' feedback that stands beside the answers of a file has been brought in."""

from __future__ import annotations

import shlex
from dataclasses import replace

from annotate.domain.feedback import FIELDS, Feedback
from annotate.domain.field_mapping import parse_mapping
from annotate.store import Store
from annotate.traffic.formats import NAMES
from annotate.traffic.how_read import HowRead
from annotate.traffic.near_names import FIRST_ROWS
from annotate.workflow.ingest.batches import Source
from annotate.workflow.ingest.row_readers import read_votes, vote_batches


def without_known_votes(how: HowRead, store: Store, source: Source) -> HowRead:
    """Return how a file was read, without the options for feedback where the store has that of its first rows.

    Parameters
    ----------
    how
        How the file was read; without `thumbs` nothing is looked at.
    store
        Where feedback came in.
    source
        The file.
    """
    return replace(how, thumbs=()) if how.thumbs and _are_known(store, source, how.thumbs) else how


def _are_known(store: Store, source: Source, options: tuple[str, ...]) -> bool:
    pairs = [part for option in options for part in shlex.split(option) if part != "--map"]
    first = source._replace(
        paths=parse_mapping(pairs, FIELDS),
        file_format="auto" if source.file_format in NAMES else source.file_format,
        source_format=None,
        source_paths={},
        most=FIRST_ROWS,
    )
    read = vote_batches(store, first, read_votes)
    votes = [vote for batch in read for row in batch.parsed for vote in row.value if isinstance(vote, Feedback)]
    return bool(votes) and all(_is_known(store, vote) for vote in votes)


def _is_known(store: Store, vote: Feedback) -> bool:
    return any(kept.value == vote.value for kept in store.traffic.feedback.of_item(vote.item_id))
