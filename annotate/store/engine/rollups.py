"""Totals over all traffic that are counted once and kept until what they count has changed.

Whoever writes items, scores or waves says so (`changed`) in the same transaction, which draws new random versions: of all
traffic, and of each stretch of rows that it concerns. A kept total names the versions at which it was counted, and is counted
again when they are others, or when its own digest says that it was damaged; what is kept by stretch is counted again for those
that changed, and merged. Kept totals lie in a file beside the store, so that reading never writes to the store itself; that
file may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from annotate.store.engine.all_traffic import Bound, KeyRange
from annotate.store.engine.database import Room, from_column, kept_totals, once
from annotate.store.engine.kept_totals import KeptTotal
from annotate.store.engine.sqlite import Database
from annotate.store.engine.stretches import AT_ONCE, all_items, column, number_of, numbers_of, stretches
from proxy.text.controls import displayable

Row = Sequence[Any]
VERSIONS = "SELECT name, value FROM versions"
# Raise it where what is kept under some name changes its shape: what an older Assay counted is then counted anew.
FORM = 2


def changed(db: Database, name: str, items: Iterable[int]) -> None:
    """Note that this kind of thing (items, scores, waves) has changed; call inside the transaction that changes it.

    `items` are the rows that it has changed for. Versions are random: two copies of a store that go different ways never share
    one.
    """
    names = [name, *(f"{name} {number}" for number in numbers_of(items))]
    db.conn.executemany(
        "INSERT INTO versions VALUES (?, random()) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        [(noted,) for noted in names],
    )


class Rollups(Room):
    """Kept totals of one store, checked against its versions."""

    def get(
        self, name: str, sources: Sequence[str], question: str, count: Callable[[], Sequence[Row]]
    ) -> Sequence[Row]:
        """Return the rows that `count` gave when the sources last changed; counted anew if they or the question are others."""

        def read() -> list[Row]:
            content = self.content(
                name, sources, question, lambda: json.dumps([tuple(row) for row in count()]).encode()
            )
            return [tuple(row) for row in json.loads(content)]

        return once(self._db, (name, question), read)

    def content(self, name: str, sources: Sequence[str], question: str, make: Callable[[], bytes]) -> bytes:
        """Return the bytes that `make` gave when the sources last changed, as `get` does rows."""
        stamp = f"{self._versions(sources)} {question}"
        kept = self._kept(name, stamp)
        return self._keep(name, stamp, make()) if kept is None else kept

    def by_stretch(
        self,
        name: str,
        sources: Sequence[str],
        question: str,
        make: Callable[[KeyRange], Iterable[bytes]],
        among: KeyRange | None = None,
    ) -> Iterator[tuple[KeyRange, bytes]]:
        """Yield each stretch of all items, or of these, with the bytes that `make` gave when the sources last changed there.

        `make` is asked for some stretches that follow each other at once, and gives the bytes of each. `among` begins and ends
        with a stretch.
        """
        parts = list(stretches(among or all_items(self._db)))
        stamps = [self._stamp(sources, question, part) for part in parts]

        def kept(number: int) -> bytes | None:
            return self._kept(_named(name, parts[number]), stamps[number])

        made: dict[int, bytes] = {}
        for number, part in enumerate(parts):
            content = made.pop(number) if number in made else kept(number)
            if content is None:
                last = number
                while last + 1 < min(len(parts), number + AT_ONCE) and kept(last + 1) is None:
                    last += 1
                contents = make(KeyRange(part.first, parts[last].last))
                for place, fresh in zip(range(number, last + 1), contents, strict=True):
                    made[place] = self._keep(_named(name, parts[place]), stamps[place], fresh)
                content = made.pop(number)
            yield part, content

    def rows_by_stretch(
        self, name: str, sources: Sequence[str], question: str, count: Callable[[KeyRange], Iterable[Row]]
    ) -> list[Row]:
        """Return the rows of all stretches, one stretch after the other; `count` gives the row of a first item before each."""

        def make(rows: KeyRange) -> Iterator[bytes]:
            counted = list(count(rows))
            for part in stretches(rows):
                of_part = [tuple(row[1:]) for row in counted if row[0] == number_of(part)]
                yield json.dumps(of_part).encode()

        def read() -> list[Row]:
            contents = self.by_stretch(name, sources, question, make)
            return [tuple(row) for _, content in contents for row in json.loads(content)]

        return once(self._db, (name, question), read)

    def counts(
        self, name: str, sources: Sequence[str], question: str, query: str, bound: Bound = (), *, names: int = 1
    ) -> list[Row]:
        """Return what a query counts, added up over the stretches of all items, in the order of their names.

        The query asks for the number of the `{stretch}` first, then for as many names, by which it groups, and then for counts;
        it counts items `{among}` these, or from `{first}` to `{last}`.
        """

        def count(among: KeyRange) -> Iterable[Row]:
            described = among._asdict() | {"stretch": column(), "among": among.among}
            rows = self._traffic.execute_among(among, query.format(**described), bound)
            return [tuple(map(text_of, row)) for row in rows]

        counts = defaultdict[tuple[Any, ...], list[Row]](list)
        for row in self.rows_by_stretch(name, sources, question, count):
            counts[tuple(row[:names])].append(row[names:])
        in_order = sorted(counts.items(), key=lambda entry: [(value is not None, value) for value in entry[0]])
        return [(*named, *map(_added, zip(*rows, strict=True))) for named, rows in in_order]

    def _stamp(self, sources: Sequence[str], question: str, part: KeyRange) -> str:
        """Return what tells whether a total of this stretch still holds; one that ends elsewhere by now does not."""
        return f"{self._versions(sources, number_of(part))} {part.last} {question}"

    def _kept(self, name: str, stamp: str) -> bytes | None:
        """Return what is kept under this name, if it was counted at this stamp and is whole."""
        kept = kept_totals(self._db).read(name)
        return kept.content if kept and kept.stamp == _sealed(stamp, kept.content) else None

    def _keep(self, name: str, stamp: str, content: bytes) -> bytes:
        kept_totals(self._db).write(name, KeptTotal(_sealed(stamp, content), content))
        return content

    def _versions(self, sources: Sequence[str], stretch: int | None = None) -> str:
        """Return the versions of the sources, or those of a stretch; what was never noted of a stretch is that of all."""
        versions = once(self._db, VERSIONS, lambda: dict(self._db.conn.execute(VERSIONS).fetchall()))
        of_all = {source: versions.get(source, 0) for source in sources}
        if stretch is not None:
            of_all = {source: versions.get(f"{source} {stretch}", version) for source, version in of_all.items()}
        return " ".join(f"{source}={version}" for source, version in of_all.items())


def _named(name: str, part: KeyRange) -> str:
    """Return the name under which a total of a stretch is kept."""
    return f"{name} from {part.first}"


def _added(counts: Iterable[float | None]) -> float:
    """Return the sum, which does not depend on the order; what a query gives for nothing is nothing."""
    known = [count for count in counts if count is not None]
    return math.fsum(known) if any(isinstance(count, float) for count in known) else sum(known)


def text_of(value: Any) -> Any:
    """Return a column of text as text, half characters replaced: text with them can be neither kept nor compared."""
    if not isinstance(value, bytes):
        return value
    try:
        return value.decode()
    except UnicodeDecodeError:
        return displayable(from_column(value))


def _sealed(stamp: str, content: bytes) -> str:
    """Return the stamp with the form and a digest of what is kept under it."""
    key = hashlib.sha256(stamp.encode()).digest()
    return f"form {FORM} {stamp} {hashlib.blake2b(content, digest_size=16, key=key).hexdigest()}"


class CountingRoom(Room):
    """A part of the store that keeps what it counts."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._rollups = Rollups(db)
