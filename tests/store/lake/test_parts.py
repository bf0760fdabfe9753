"""Parts of a lake: what is written is read again, the same table is the same part, and whatever is damaged is named."""

from __future__ import annotations

import hashlib
import pickle
import re
from pathlib import Path

import pyarrow as pa
import pytest

from annotate.store.lake.parts import Lake, LakePart, merged
from proxy.errors import StoreError
from support.lake import DAY, KINDS, content, files, flipped, overwrite, rows, wide


def test_a_part_is_read_as_it_was_written(lake: Lake) -> None:
    """Its name is of its content, its record is of its file, and columns can be chosen."""
    table = rows(1000)

    part = lake.write(table, "items", DAY)

    whole = content(lake, part.path)
    digest = hashlib.sha256(whole).hexdigest()
    assert part == LakePart(f"items/date=2026-11-20/{digest[:32]}.parquet", digest, 1000, len(whole))
    assert lake.read(part).equals(table)
    for verified in (True, False):
        chosen = lake.read(part, ["value", "key"], verified=verified)
        assert chosen.equals(table.select(chosen.column_names))
        assert set(chosen.column_names) == {"key", "value"}
    lake.check(part)
    assert files(lake) == [part.path]


def test_the_same_table_is_the_same_part(lake: Lake) -> None:
    """However it lies in memory, and whatever pandas wrote beside it; another value is another part."""
    table = wide(2000)
    pieces = pa.concat_tables([table.slice(0, 300), table.slice(300, 1), table.slice(301)])
    noted = table.replace_schema_metadata({"pandas": "{}"})

    parts = {lake.write(form, "items", DAY) for form in (table, pieces, noted, table)}

    assert len(parts) == 1
    assert files(lake) == [part.path for part in parts]
    assert lake.write(wide(2001), "items", DAY) not in parts
    assert len(files(lake)) == 2


def test_a_part_without_rows_keeps_its_columns(lake: Lake) -> None:
    part = lake.write(rows(0), "items", DAY)

    assert part.rows == 0
    assert lake.read(part).schema == rows(0).schema


def test_writing_again_mends_a_damaged_part(lake: Lake) -> None:
    """Of the same size or not."""
    part = lake.write(rows(100), "items", DAY)
    whole = content(lake, part.path)
    for damaged in (whole[:-1], flipped(whole, 200)):
        overwrite(lake, part, damaged)
        with pytest.raises(StoreError):
            lake.check(part)

        assert lake.write(rows(100), "items", DAY) == part

        lake.check(part)


def test_a_flipped_byte_a_cut_and_a_missing_file_are_named(lake: Lake) -> None:
    """By every way to read; the message has the path, and what to do."""
    part = lake.write(rows(5000), "items", DAY)
    whole = content(lake, part.path)

    def refused(reason: str) -> None:
        for read in (lake.check, lake.read):
            with pytest.raises(StoreError, match=f"{re.escape(part.path)}.*{reason}.*restore the file"):
                read(part)

    overwrite(lake, part, flipped(whole, len(whole) // 2))
    refused("SHA-256")
    overwrite(lake, part, whole[:-100])
    refused("bytes in place of")
    with pytest.raises(StoreError, match="bytes in place of"):
        lake.read(part, verified=False)
    lake.remove(part)
    refused("missing")
    with pytest.raises(StoreError, match="missing"):
        lake.read(part, verified=False)


def test_pages_are_checked_also_where_the_digest_is_not(lake: Lake) -> None:
    """No scan and no unverified read gives a value that was not written."""
    part = lake.write(pa.table({"key": pa.array(range(10_000), pa.int64())}), "items", DAY)
    whole = content(lake, part.path)
    overwrite(lake, part, flipped(whole, len(whole) // 3))

    with pytest.raises(StoreError, match=re.escape(part.path)):
        lake.read(part, verified=False)
    with pytest.raises(OSError, match=r"(?i)crc|checksum|corrupt"):
        lake.dataset([part], pa.schema([("key", pa.int64())])).to_table()


def test_a_column_that_came_later_is_null_in_older_parts(lake: Lake) -> None:
    """The schema decides, not the first file; one that was dropped is not read."""
    old = lake.write(pa.table({"key": [1, 2], "dropped": ["a", "b"]}), "items", DAY)
    new = lake.write(pa.table({"language": ["ko"], "key": [3]}), "items", DAY)
    schema = pa.schema([("key", pa.int64()), ("language", pa.string())])

    table = lake.dataset([old, new], schema).to_table().sort_by("key")

    assert table.schema == schema
    assert table.to_pydict() == {"key": [1, 2, 3], "language": [None, None, "ko"]}
    assert lake.read(old, ["key", "language"]).column_names == ["key"]


def test_a_dataset_has_the_parts_that_are_given_and_no_other(lake: Lake) -> None:
    first, _ = lake.write(rows(10), "items", DAY), lake.write(rows(10, first=10), "items", DAY)
    schema = rows(0).schema

    assert lake.dataset([first], schema).to_table().column("key").to_pylist() == list(range(10))
    assert lake.dataset([], schema).to_table() == rows(0)


def test_others_are_what_the_ledger_does_not_name(lake: Lake) -> None:
    """Parts and unfinished files of the kinds that are asked for; files of other programs are never among them."""
    known = lake.write(rows(10), "items", DAY)
    left = lake.write(rows(20), "scores", [("judge", "x"), ("date", None)])
    foreign = ["items/notes.txt", "items/date=2026-11-20/data.parquet", "other/date=1/" + "0" * 32 + ".parquet"]
    for path in [*foreign, "items/date=2026-11-20/.ab12_x.unfinished"]:
        overwrite(lake, known._replace(path=path), b"x")

    others = list(lake.others([known], kinds=KINDS))

    assert others == ["items/date=2026-11-20/.ab12_x.unfinished", left.path]
    for path in others:
        lake.remove_other(path)
    assert list(lake.others([known], kinds=KINDS)) == []
    assert files(lake) == sorted([known.path, *foreign])
    for path in ("items/notes.txt", "../x", known.path.upper()):
        with pytest.raises(ValueError, match="not a file of the lake"):
            lake.remove_other(path)


def test_removing_twice_is_no_error(lake: Lake) -> None:
    part = lake.write(rows(10), "items", DAY)
    for _ in range(2):
        lake.remove(part)
    assert files(lake) == []


def test_a_lake_can_be_sent_to_another_process(lake: Lake) -> None:
    part = lake.write(rows(10), "items", DAY)

    assert pickle.loads(pickle.dumps(lake)).read(part).equals(rows(10))


HOSTILE = [
    "../x",
    "a/b",
    "/etc",
    "..",
    ".",
    "",
    "date=1",
    "a%2Fb",
    "x\0y",
    "\ud800",
    "漢字 한국어",
    "🙂" * 300,
    "é" + "a" * 5000,
    "C:\\x\n",
]


@pytest.mark.parametrize("value", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_value_stays_in_its_folder(lake: Lake, value: str) -> None:
    """It is one folder, whose name any file system takes; values that differ have folders that differ."""
    part = lake.write(rows(3), "scores", [("judge", value), ("date", "2026-11-20")])

    scores, judge, date, _ = part.path.split("/")
    assert (scores, date) == ("scores", "date=2026-11-20")
    assert re.fullmatch(r"judge=(?:[\w.~-]|%[0-9A-F]{2}){0,200}", judge, re.ASCII)
    assert files(lake) == [part.path]
    assert list(lake.others([], kinds=KINDS)) == [part.path]
    assert lake.read(part).equals(rows(3))
    assert lake.write(rows(3), "scores", [("judge", value + "x"), ("date", "2026-11-20")]).path != part.path


def test_values_are_written_as_hive_writes_them(lake: Lake) -> None:
    """A missing one has Hive's name for it."""
    assert "/day=a%2Fb%20c/" in lake.write(rows(1), "items", [("day", "a/b c")]).path
    assert "/date=__HIVE_DEFAULT_PARTITION__/" in lake.write(rows(1), "items", [("date", None)]).path


@pytest.mark.parametrize(
    ("kind", "name"), [("../items", "date"), ("", "date"), ("items", "a/b"), ("items", "Date"), ("items", "")]
)
def test_names_of_folders_are_plain(tmp_path: Path, kind: str, name: str) -> None:
    with pytest.raises(ValueError, match="not a name"):
        Lake.open(str(tmp_path)).write(rows(1), kind, [(name, "x")])


def test_a_ledger_that_was_tampered_with_leads_nowhere(tmp_path: Path) -> None:
    """No path of a part reads, deletes or scans a file outside."""
    lake = Lake.open(str(tmp_path / "lake"))
    part = lake.write(rows(1), "items", DAY)
    (tmp_path / "secret.parquet").write_bytes(content(lake, part.path))
    for path in ("../secret.parquet", str(tmp_path / "secret.parquet"), f"items/../../{part.path}"):
        outside = part._replace(path=path)
        for act in (lake.check, lake.read, lake.remove, lambda given: lake.dataset([given], rows(0).schema)):
            with pytest.raises(StoreError, match="no file of a lake"):
                act(outside)
    assert (tmp_path / "secret.parquet").exists()


def test_parts_are_merged_in_the_order_of_their_keys(lake: Lake) -> None:
    """A column that came later is null for older rows; the same parts in any order merge to the same part."""
    old = lake.write(pa.table({"key": [5, 1], "text": ["five", "one"]}), "items", DAY)
    new = lake.write(pa.table({"key": [3], "text": ["three"], "language": ["ko"]}), "items", DAY)

    whole = lake.write(merged([lake.read(new), lake.read(old)]).select(["key", "text", "language"]), "items", DAY)
    again = lake.write(merged([lake.read(old), lake.read(new)]), "items", DAY)

    assert whole == again
    columns = {"key": [1, 3, 5], "text": ["one", "three", "five"], "language": [None, "ko", None]}
    assert lake.read(whole).to_pydict() == columns
    assert merged([pa.table({"row": [2]}), pa.table({"row": [1]})], key="row").to_pydict() == {"row": [1, 2]}
