"""Keep a lake tidy: small parts of one partition become one, and files that were replaced are deleted.

Every batch of an import or of a judge makes a part a day or a judge; a thousand small files are slow to read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from annotate.store.lake.manifest import ListedPart, Manifest
from annotate.store.lake.parts import Lake, merged

# More small parts of a partition than this are merged. What is merged at once is in memory, texts and all.
MOST_PARTS = 32
SMALL_BYTES = 4_000_000
MERGED_BYTES = 32_000_000


class Upkeep:
    """Merge and delete files of a lake; nobody else may be writing."""

    def __init__(self, lake: Lake, manifest: Manifest) -> None:
        self._lake = lake
        self._manifest = manifest

    def is_due(self) -> bool:
        """Return whether any partition has many small parts."""
        return any(True for _ in self._many())

    def merge(self) -> None:
        """Write small parts of a partition as one, and list that in their place; call inside a transaction."""
        for parts in list(self._many()):
            for together in _within(parts, MERGED_BYTES):
                self._merge(together)

    def _merge(self, parts: Sequence[ListedPart]) -> None:
        column = "key" if parts[0].kind == "items" else "item"
        table = merged((self._lake.read(listed.part) for listed in parts), key=column)
        folder = parts[0].part.path.rpartition("/")[0]
        part = self._lake.rewrite(table, folder)
        first = min(listed.first_item for listed in parts)
        last = max(listed.last_item for listed in parts)
        self._manifest.drop(parts)
        self._manifest.add(ListedPart(part, parts[0].kind, parts[0].owner, first, last))

    def _many(self) -> Iterator[list[ListedPart]]:
        """Yield the small parts of each partition that has many."""
        by_folder = defaultdict[str, list[ListedPart]](list)
        for listed in self._manifest.all():
            if listed.part.size < SMALL_BYTES:
                by_folder[listed.part.path.rpartition("/")[0]].append(listed)
        yield from (parts for parts in by_folder.values() if len(parts) > MOST_PARTS)

    def sweep(self, seconds: int) -> None:
        """Delete the files that were replaced so many seconds ago; call outside of a transaction."""
        for path in self._manifest.replaced(seconds):
            self._lake.remove_other(path)
            self._manifest.swept(path)


def _within(parts: Sequence[ListedPart], most: int) -> Iterator[list[ListedPart]]:
    """Yield stretches of parts of at most so many bytes together, of two parts at least."""
    together, size = list[ListedPart](), 0
    for listed in parts:
        if size + listed.part.size > most and len(together) > 1:
            yield together
            together, size = [], 0
        together.append(listed)
        size += listed.part.size
    if len(together) > 1:
        yield together
