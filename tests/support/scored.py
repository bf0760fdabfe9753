"""A store with made-up scores of one judge, what is drawn of it, and what the estimators get."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing

from annotate.analysis.evidence import Traffic, gather
from annotate.store import Store
from support.store import Assay


def scored(
    assay: Assay, rows: Sequence[Mapping[str, object]], values: Sequence[float | None], name: str = "traffic"
) -> list[str]:
    """Traffic with these scores of a judge `s`, None for none, and the rule s > 0.5 in force; the ids."""
    ids = [str(row["id"]) for row in rows]
    scores = [{"item_id": item_id, "judge": "s", "value": value} for item_id, value in zip(ids, values, strict=True)]
    assay("ingest", assay.write(f"{name}.jsonl", rows))
    given = [row for row in scores if row["value"] is not None]
    assay("scores", "import", assay.write(f"{name}-scores.jsonl", given))
    assay("rule", "set", "s > 0.5")
    return ids


def open_ids(assay: Assay) -> list[str]:
    """The items that wait for a label, in the order in which annotators see them."""
    with closing(Store(assay.db)) as store:
        return [draw.item_id for draw in store.sampling.waves.open_draws()]


def gathered(store: Store) -> Traffic:
    """What the estimators are given under the rule in force."""
    current = store.scores.rules.in_force()
    assert current is not None
    return gather(store, current[0], [current[1]])


def gathered_of(assay: Assay) -> Traffic:
    """The same, of the store of the command."""
    with closing(Store(assay.db)) as store:
        return gathered(store)
