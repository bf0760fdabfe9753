"""Find the files of data in a folder: partitions, parts, and what Hugging Face's hub and `save_to_disk` write."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from annotate.files.detection import TITLES
from annotate.files.reading import detected
from proxy.errors import FileError, InputError, UsageError

# What stands beside the data and is none.
BESIDE = {"dataset_info.json", "dataset_infos.json", "dataset_dict.json", "state.json"}
PAGES = ("readme", "license", "licence", "changelog", "notice")
HIDDEN = (".", "_")
# Folders of tables whose older versions lie among the files.
LEDGERS = {"_delta_log": "Delta", ".hoodie": "Hudi"}
NULL = "__HIVE_DEFAULT_PARTITION__"
SHOWN = 3


class DataFile(NamedTuple):
    """A file of data, and the columns that the names of its folders give (`date=2026-11-01`)."""

    path: str
    partition: Mapping[str, str]


def data_files(folder: str, file_format: str = "auto") -> list[DataFile]:
    """Return the files of data in order of their names; hidden ones and pages about the data are none.

    Raises
    ------
    UsageError
        Where there are none.
    FileError
        Where they are of several formats, and none is named.
    """
    files = list(_files(Path(folder), Path(folder)))
    if not files:
        raise UsageError(f"{folder} holds no files of data")
    if file_format == "auto":
        _check_formats(folder, files)
    return files


def _files(folder: Path, top: Path) -> Iterator[DataFile]:
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.name in LEDGERS:
            raise FileError(
                f"{folder} is a {LEDGERS[entry.name]} table, where files of older versions lie too: "
                "export it as Parquet or JSON Lines, and bring that in"
            )
        if entry.name.startswith(HIDDEN):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _files(Path(entry.path), top)
        elif entry.is_file() and not _is_beside(entry.name):
            yield DataFile(entry.path, _partition(Path(entry.path).relative_to(top)))


def _is_beside(name: str) -> bool:
    return name in BESIDE or name.lower().startswith(PAGES) or name.lower().endswith(".md")


def _partition(path: Path) -> dict[str, str]:
    pairs = (part.partition("=") for part in path.parts[:-1])
    return {unquote(name): unquote(value) for name, sign, value in pairs if name and sign and value != NULL}


def _check_formats(folder: str, files: list[DataFile]) -> None:
    """Raise FileError unless all files are of one format; an empty one is of any."""
    by_format = defaultdict[str, list[str]](list)
    for file in files:
        if Path(file.path).stat().st_size:
            by_format[_format(file.path)].append(os.path.relpath(file.path, folder))
    if len(by_format) > 1:
        kinds = "; ".join(f"{kind}: {_listed(names)}" for kind, names in sorted(by_format.items()))
        raise FileError(f"{folder} holds files of several formats ({kinds}): name the files to bring in")


def _format(path: str) -> str:
    try:
        recognised = detected(path)
    except (FileError, InputError):
        return "unknown"
    # An object may fill one line or several, from file to file.
    return TITLES["json" if recognised == "jsonl" else recognised]


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
