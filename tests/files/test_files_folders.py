"""Folders as tools leave them: which files are data, in which order, and what their folders' names say."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from annotate.files import data_files
from proxy.errors import FileError, UsageError
from support.files import arrow
from support.store import Assay, traffic_row


def write(folder: Path, name: str, content: bytes | str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def names(folder: Path) -> list[str]:
    return [str(Path(file.path).relative_to(folder)) for file in data_files(str(folder))]


LINE = '{"id": "a"}\n'


def test_what_stands_beside_the_data_is_left_out(tmp_path: Path) -> None:
    """Hidden files, marks of a finished job, pages and descriptions."""
    for name in ("b.jsonl", "a/2.jsonl", "a/10.jsonl", "part-0.jsonl.gz"):
        write(tmp_path, name, gzip.compress(LINE.encode()) if name.endswith("gz") else LINE)
    for name in ("README.md", "LICENSE", "dataset_info.json", "state.json", "dataset_dict.json"):
        write(tmp_path, name, "no data")
    for name in (".DS_Store", "_SUCCESS", ".git/config", "_temporary/x.jsonl", "a/.x.crc", ".gitattributes"):
        write(tmp_path, name, b"\0\1")

    assert names(tmp_path) == ["a/10.jsonl", "a/2.jsonl", "b.jsonl", "part-0.jsonl.gz"]


def test_files_of_several_formats_are_named(tmp_path: Path) -> None:
    """Which of them is meant only the user knows; JSON may fill one line or several."""
    write(tmp_path, "a.jsonl", LINE)
    write(tmp_path, "b.json", json.dumps({"id": "b"}, indent=2))
    write(tmp_path, "empty.csv", "")
    assert names(tmp_path) == ["a.jsonl", "b.json", "empty.csv"]

    write(tmp_path, "c.csv", "id\nc\n")
    write(tmp_path, "d.png", b"\x89PNG\r\n\x1a\n" + bytes(range(32)) * 20)
    with pytest.raises(FileError, match=r"CSV: c\.csv; JSON: a\.jsonl, b\.json; unknown: d\.png"):
        data_files(str(tmp_path))
    assert len(data_files(str(tmp_path), "jsonl")) == 5


@pytest.mark.parametrize("name", ["README.md", ".hidden", None])
def test_a_folder_without_data_is_a_wrong_request(tmp_path: Path, name: str | None) -> None:
    """The message says so."""
    if name:
        write(tmp_path, name, "x")

    with pytest.raises(UsageError, match="holds no files of data"):
        data_files(str(tmp_path))


def test_a_table_with_older_versions_among_its_files_is_refused(tmp_path: Path) -> None:
    """Each row would come in once a version."""
    write(tmp_path, "_delta_log/0.json", "{}")
    write(tmp_path, "part-0.parquet", b"PAR1")

    with pytest.raises(FileError, match="Delta"):
        data_files(str(tmp_path))


def test_partitions_give_columns(assay: Assay) -> None:
    """`system=…` is a field of ours, `region=…` metadata; a column of the file itself comes first."""
    root = assay.folder / "lake"
    for system, name in (("a", "1"), ("b%20c", "2"), ("__HIVE_DEFAULT_PARTITION__", "3")):
        path = root / f"system={system}" / "region=eu" / "part-0.parquet"
        path.parent.mkdir(parents=True)
        row: dict[str, object] = {"id": name, "question": "Q?", "answer": "A.", "contexts": ["x"]}
        pq.write_table(pa.Table.from_pylist([row]), path)

    assert assay.json("ingest", "lake")["added"] == 3

    assert assay.sql("SELECT id, system FROM items ORDER BY id") == [("1", "a"), ("2", "b c"), ("3", None)]
    assert assay.sql("SELECT DISTINCT metadata FROM texts") == [('{"region":"eu"}',)]


def test_datasets_saved_to_disk_come_in(assay: Assay) -> None:
    """Hugging Face's layout: streams of Arrow in a folder a split."""
    root = assay.folder / "saved"
    write(root, "dataset_dict.json", '{"splits": ["train", "test"]}')
    for split in ("train", "test"):
        rows = [{"id": f"{split}-{n}", "question": "Q?", "answer": "A.", "contexts": ["x"]} for n in range(3)]
        write(root, f"{split}/data-00000-of-00001.arrow", arrow(pa.Table.from_pylist(rows), "stream"))
        write(root, f"{split}/dataset_info.json", "{}")
        write(root, f"{split}/state.json", "{}")

    assert assay.json("ingest", "saved")["added"] == 6


def test_a_bad_row_names_its_file(assay: Assay) -> None:
    """With the line in that file."""
    write(assay.folder / "parts", "1.jsonl", json.dumps(traffic_row("a")) + "\n")
    write(assay.folder / "parts", "2.jsonl", json.dumps(traffic_row("b")) + "\n{\n")

    assert assay.json("ingest", "parts", status=4)["added"] == 2

    [row] = assay.quarantine()
    assert (row["source"], row["line"]) == ("parts/2.jsonl", 2)


def test_what_takes_one_file_takes_a_folder_with_one(assay: Assay) -> None:
    """Of several it says so."""
    assay("ingest", assay.write("t.jsonl", [traffic_row("a")]))
    write(assay.folder / "thumbs", "1.jsonl", '{"item_id": "a", "value": 1}\n')
    assert assay.json("feedback", "thumbs")["new"] == 1

    write(assay.folder / "thumbs", "2.jsonl", '{"item_id": "a", "value": 0}\n')
    assert "2 files" in assay("feedback", "thumbs", status=2).stderr
