"""Write what leaves as a file: every text in it as redaction lets it out, under the pseudonyms of the store alone.

Ids stay as they are, because labels and scores find their way back by them, and so do times and what a machine wrote.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from annotate.domain.privacy.redaction import exported, in_force
from annotate.files import write_rows
from annotate.store import Store
from annotate.workflow import masking_policy
from proxy.errors import UsageError

# An id, a time, a name of ours, or a digest: nothing that a person wrote.
KEPT = frozenset(
    {
        "id",
        "item_id",
        "gold_id",
        "annotation_id",
        "at",
        "label_at",
        "updated_at",
        "received_at",
        "timestamp",
        "stage",
        "judge",
        "signature",
        "content_hash",
        "label",
        "status",
        "role",
        "harm",
        "basis",
        "form_version",
        "line",
        "passage_relevance",
        "context_sufficiency",
    }
)
_ESCAPES = re.compile(r"(?:\\u[0-9A-Fa-f]{4})+")


def write_masked(store: Store, file: str, columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> int:
    """Write rows as `write_rows` does, masked; return how many. UsageError where the key of the store's pseudonyms is missing."""
    return write_rows(file, columns, masked_rows(store, rows))


def masked_rows(store: Store, rows: Iterable[Mapping[str, object]]) -> Iterator[dict[str, object]]:
    """Return the rows as they may leave; UsageError, before the first, where the key of the store's pseudonyms is missing."""
    if problem := masking_policy.key_problem(store):
        raise UsageError(problem)
    return (exported(row, keep=KEPT) for row in rows)


def quarantined(row: Mapping[str, object]) -> dict[str, object]:
    r"""Return a quarantined row with its JSON decoded and masked, or with `\u` escapes decoded where it is not JSON."""
    raw = row["raw"]
    if not in_force().is_on or not isinstance(raw, str):
        return dict(row)
    try:
        masked = exported({"raw": json.loads(raw)})["raw"]
    except (ValueError, RecursionError):
        return {**row, "raw": _ESCAPES.sub(_written_out, raw)}
    return {**row, "raw": json.dumps(masked, ensure_ascii=False)}


def _written_out(match: re.Match[str]) -> str:
    return json.loads(f'"{match[0]}"').encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # type: ignore[no-any-return]
