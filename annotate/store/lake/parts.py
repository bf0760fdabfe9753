"""Keep tables as parts: Parquet files that are named after their content and never change.

A part is written whole or not at all, and the same table always makes the same part, so that writing again adds nothing.
Which parts belong to the lake is known to the ledger alone: no folder is listed to answer a question.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from urllib.parse import quote

from annotate.store.lake.files import UNFINISHED, LakeFiles, open_files
from proxy.errors import StoreError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.dataset import Dataset

ABSENT = "__HIVE_DEFAULT_PARTITION__"  # as Hive, Spark, DuckDB and pyarrow write a missing value
NAME_DIGITS = 32
# Of a folder's name: file systems allow 255 bytes.
LONGEST_VALUE = 160
ROWS_OF_A_GROUP = 65_536
ZSTD_LEVEL = 3

_REPAIR = "restore the file from a backup, or write its rows again"
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_FOLDERS = rf"{_NAME.pattern}(?:/{_NAME.pattern}=[\w.~%-]*)*"
_PART = re.compile(rf"{_FOLDERS}/[0-9a-f]{{{NAME_DIGITS}}}\.parquet", re.ASCII)
_LEFT = re.compile(rf"{_FOLDERS}/\.\w+{re.escape(UNFINISHED)}", re.ASCII)


class LakePart(NamedTuple):
    """One file of the lake, as the ledger knows it."""

    path: str  # relative to the lake: items/date=2026-11-20/<digits>.parquet
    digest: str  # SHA-256 of the file, in hex
    rows: int
    size: int  # bytes


class Lake:
    """Parts in a folder or an object store. It can be sent to another process."""

    def __init__(self, files: LakeFiles) -> None:
        self._files = files

    @classmethod
    def open(cls, address: str) -> Self:
        """Open a lake.

        Parameters
        ----------
        address : str
            A folder, which is made where there is none, or a URL: `s3://bucket/prefix?endpoint_override=host:9000&scheme=http`,
            any other that pyarrow knows, or one that fsspec knows where that is installed.

        Raises
        ------
        UsageError
            Where the address cannot be read, or where nothing installed knows its scheme.
        StoreError
            Where the place cannot be used.
        """
        return cls(open_files(address))

    @property
    def shown(self) -> str:
        """The address without credentials."""
        return self._files.shown

    def __repr__(self) -> str:
        return f"Lake({self.shown!r})"

    def write(self, table: pa.Table, kind: str, partition: Sequence[tuple[str, str | None]] = ()) -> LakePart:
        """Write a table as a part.

        Its bytes depend on the columns, their types and values alone, for one version of pyarrow. A part that is there
        already is left alone; a damaged one is replaced.

        Parameters
        ----------
        table : pyarrow.Table
            The rows. The values of the partition are not added as columns.
        kind : str
            The folder of all parts of this kind.
        partition : sequence of (name, value)
            Folders below it, from the top down. A value of None is a missing one.
        """
        return self.rewrite(table, _folder(kind, partition))

    def rewrite(self, table: pa.Table, folder: str) -> LakePart:
        """Write a table as a part into the folder of a partition, as `write` names it."""
        content = _encoded(table)
        digest = hashlib.sha256(content).hexdigest()
        path = f"{folder}/{digest[:NAME_DIGITS]}.parquet"
        part = LakePart(path=path, digest=digest, rows=table.num_rows, size=content.size)
        if not self._is_whole(part):
            self._files.put(path, content)
        return part

    def read(self, part: LakePart, columns: Sequence[str] | None = None, *, verified: bool = True) -> pa.Table:
        """Read a part.

        Parameters
        ----------
        part : LakePart
            As the ledger knows it.
        columns : sequence of str, optional
            Only these. Those that the part does not have are left out: `dataset` reads them as null.
        verified : bool
            Whether the SHA-256 of the whole file is checked first. Without, only these columns are fetched, and the checksums
            of their pages are checked.

        Raises
        ------
        StoreError
            Where the file is missing, or is not what was written.
        """
        self._require_size(part)
        try:
            with self._files.opened(part.path) as file:
                if not verified:
                    return self._decoded(part, file, columns)
                content = file.read_buffer()
        except FileNotFoundError:
            raise self._missing(part) from None
        self._require_digest(part, hashlib.sha256(content).hexdigest())
        return self._decoded(part, content, columns)

    def dataset(self, parts: Iterable[LakePart], schema: pa.Schema) -> Dataset:
        """Return parts as a dataset, for scans and for DuckDB.

        A column of the schema that a part does not have is null there. Nothing is read or listed yet; a scan checks the
        checksum of every page that it reads, and fails where a part is missing or damaged.
        """
        import pyarrow.dataset as ds

        how = ds.ParquetFileFormat(
            default_fragment_scan_options=ds.ParquetFragmentScanOptions(page_checksum_verification=True)
        )
        filesystem = self._files.filesystem
        fragments = [how.make_fragment(self._files.full(_checked(part.path)), filesystem) for part in parts]
        return ds.FileSystemDataset(fragments, schema, how, filesystem)

    def check(self, part: LakePart) -> None:
        """Read the whole file, in flat memory; StoreError where it is missing, or is not what was written."""
        self._require_size(part)
        try:
            digest = self._digest(part.path)
        except FileNotFoundError:
            raise self._missing(part) from None
        self._require_digest(part, digest)

    def remove(self, part: LakePart) -> None:
        """Delete a part that the ledger names no longer; nothing happens where there is none."""
        self._files.delete(_checked(part.path))

    def remove_other(self, path: str) -> None:
        """Delete a file that `others` yielded."""
        if not _is_ours(path):
            raise ValueError(f"not a file of the lake: {path!r}")
        self._files.delete(path)

    def others(self, known: Iterable[LakePart], *, kinds: Collection[str]) -> Iterator[str]:
        """Yield the files of these kinds that the ledger does not name: what a killed process left.

        A process that is writing has such files, too: delete one only while nobody else writes. Files that no lake would
        write are never yielded.

        Parameters
        ----------
        known : iterable of LakePart
            Every part that the ledger names.
        kinds : collection of str
            The folders to look into.
        """
        named = {part.path for part in known}
        for kind in sorted(kinds):
            for path in sorted(self._files.paths(_folder(kind, ()))):
                if _is_ours(path) and path not in named:
                    yield path

    def _is_whole(self, part: LakePart) -> bool:
        if self._files.size(part.path) != part.size:
            return False
        try:
            return self._digest(part.path) == part.digest
        except FileNotFoundError:  # deleted meanwhile
            return False

    def _digest(self, path: str) -> str:
        digest = hashlib.sha256()
        for chunk in self._files.chunks(path):
            digest.update(chunk)
        return digest.hexdigest()

    def _decoded(self, part: LakePart, source: Any, columns: Sequence[str] | None) -> pa.Table:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            with pq.ParquetFile(source, pre_buffer=True, page_checksum_verification=True) as file:
                table = file.read(columns=None if columns is None else list(columns))
        except (pa.ArrowException, OSError, ValueError) as error:
            # Not `from error`: its message may have the keys of the address.
            raise self._damaged(part, f"it cannot be read ({self._files.reason(error)})") from None
        return table

    def _require_size(self, part: LakePart) -> None:
        size = self._files.size(_checked(part.path))
        if size is None:
            raise self._missing(part)
        if size != part.size:
            raise self._damaged(part, f"it has {size:,} bytes in place of {part.size:,}")

    def _require_digest(self, part: LakePart, digest: str) -> None:
        if digest != part.digest:
            raise self._damaged(part, f"its SHA-256 begins with {digest[:12]} in place of {part.digest[:12]}")

    def _missing(self, part: LakePart) -> StoreError:
        return StoreError(f"{part.path} is missing from the lake {self.shown}: {_REPAIR}")

    def _damaged(self, part: LakePart, why: str) -> StoreError:
        return StoreError(f"{part.path} of the lake {self.shown} is damaged: {why}: {_REPAIR}")


def merged(tables: Iterable[pa.Table], *, key: str = "key") -> pa.Table:
    """Join the rows of several parts of a partition, in the order of an integer column.

    A column that some do not have is null there. The caller writes the table, lets the ledger name its part in place of the
    old ones, and removes those last.
    """
    import pyarrow as pa

    return pa.concat_tables(tables, promote_options="default").sort_by(key)


def _encoded(table: pa.Table) -> pa.Buffer:
    """Return the table as a Parquet file whose bytes do not depend on how the table lies in memory."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(
        table.replace_schema_metadata(None).combine_chunks(),
        sink,
        compression="zstd",
        compression_level=ZSTD_LEVEL,
        row_group_size=ROWS_OF_A_GROUP,
        write_page_checksum=True,
    )
    return sink.getvalue()


def _folder(kind: str, partition: Sequence[tuple[str, str | None]]) -> str:
    """Return the folder of a partition; whatever a value is, it names one folder and no other."""
    names = [kind, *(name for name, _ in partition)]
    for name in names:
        if not _NAME.fullmatch(name):
            raise ValueError(f"not a name for a folder of the lake: {name!r}")
    return "/".join([kind, *(f"{name}={_written(value)}" for name, value in partition)])


def _written(value: str | None) -> str:
    """Return a value as Hive writes it; of a long one its beginning and a digest."""
    if value is None:
        return ABSENT
    encoded = quote(value, safe="", errors="surrogatepass")
    if len(encoded) <= LONGEST_VALUE:
        return encoded
    digest = hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:NAME_DIGITS]
    start = re.sub(r"%.?$", "", encoded[: LONGEST_VALUE - NAME_DIGITS - 1])
    return f"{start}~{digest}"


def _checked(path: str) -> str:
    """Return the path of a part; StoreError where no lake would write it, as it could lead out of the lake."""
    if not _PART.fullmatch(path):
        raise StoreError(f"the ledger names {path!r}, which is no file of a lake: restore the store from a backup")
    return path


def _is_ours(path: str) -> bool:
    return bool(_PART.fullmatch(path) or _LEFT.fullmatch(path))
