"""Find the item that a row of scores or feedback repeats, where the row does not name it: by its texts and time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from annotate.domain.field_mapping import Fields
from annotate.domain.question_key import normalised, question_key
from annotate.store import Store
from annotate.traffic.rows import item_from_row
from annotate.workflow.ingest.batches import Paths
from proxy.records import Item

# What tells answers apart, and may stand in a table of scores or feedback under names of its own.
CONTENT_FIELDS = ("question", "answer", "contexts", "history", "system", "timestamp")
NEEDED = ("question", "answer")
NOT_HERE = "there is no item with this question and answer: ingest its traffic first, or add --map item_id=COLUMN"
SEVERAL_ITEMS = (
    "items have this question and answer: add --map system=COLUMN, --map timestamp=COLUMN or --map item_id=COLUMN"
)


def content_paths(paths: Paths) -> dict[str, str]:
    """Return where the user says that the content lies."""
    return {name: path for name, path in paths.items() if name in CONTENT_FIELDS}


def content_of(row: Mapping[str, object], paths: Paths) -> Item | None:
    """Return what a row of a score repeats of its answer; None where it repeats none.

    A column called `id` names the score there, and not the answer.
    """
    fields = Fields(row, paths)
    if any(fields.value(name) in (None, "") for name in NEEDED):
        return None
    return item_from_row(row, {**content_paths(paths), "id": ""})


def items_of(store: Store, contents: Sequence[Item]) -> list[tuple[str, ...]]:
    """Return the ids of the items that each content may be of: all that it holds has to be theirs."""
    asked = [question_key(content.question, content.history) for content in contents]
    keys = store.traffic.items.asking(asked)
    items = store.traffic.items.read(sorted({key for several in keys.values() for key in several}))
    return [
        _ids([items[key] for key in keys.get(question, ()) if _may_be(items[key], content)], content)
        for question, content in zip(asked, contents, strict=True)
    ]


def _ids(items: Sequence[Item], content: Item) -> tuple[str, ...]:
    """Return the ids of items: of several that whose id was made of this content, else those of the same time."""
    made = [item for item in items if item.id == content.id]
    of_time = [item for item in items if item.timestamp == content.timestamp is not None]
    return tuple(item.id for item in made or of_time or items)


def _may_be(item: Item, content: Item) -> bool:
    if normalised(item.answer) != normalised(content.answer):
        return False
    if content.system is not None and content.system != item.system:
        return False
    texts = [context.text for context in content.contexts]
    return not texts or texts == [context.text for context in item.contexts]


def place(store: Store, contents: Mapping[int, Item], *, waits: bool) -> tuple[dict[int, str], dict[int, str]]:
    """Return the item of each content, and of the others why it has none.

    Parameters
    ----------
    store
        Where the items are.
    contents
        What rows repeat, each under a number.
    waits
        Whether a score whose answer is not here waits for it, and needs no reason.
    """
    item_ids: dict[int, str] = {}
    refused: dict[int, str] = {}
    for number, ids in zip(contents, items_of(store, list(contents.values())), strict=True):
        if len(ids) == 1:
            item_ids[number] = ids[0]
        elif ids:
            refused[number] = f"{len(ids)} {SEVERAL_ITEMS}"
        elif not waits:
            refused[number] = NOT_HERE
    return item_ids, refused
