"""Complete the options that would read a file, so that one command does it: conversations together, joined passages apart."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from annotate.domain.field_mapping import Fields, follow, paths_in
from annotate.traffic.how_read import HowRead, names_conversations
from annotate.traffic.joined_passages import PARAGRAPH, likely_separator, split_path

Rows = Sequence[Mapping[str, object]]


def completed(options: Sequence[str], rows: Rows, paths: Mapping[str, str]) -> tuple[str, ...]:
    """Return these `--map` options with what else the first rows of a file show.

    Parameters
    ----------
    options
        Options such as ``--map contexts=docs``; without any there is nothing to complete.
    rows
        The first rows.
    paths
        Where the user's own options say that fields lie.
    """
    pairs = _pairs(options)
    if not pairs:
        return ()
    is_one = [name for name, _ in pairs].count("contexts") == 1
    whole = [(name, _split(path, rows) if name == "contexts" and is_one else path) for name, path in pairs]
    group = _group(rows, paths, {path for _, path in pairs})
    if group is not None and "group" not in dict(pairs):
        whole.append(("group", group))
    return tuple(f"--map {shlex.quote(f'{name}={path}')}" for name, path in whole)


def whole_command(how: HowRead, paths: Mapping[str, str]) -> str | None:
    """Return the command that takes a file in with the user's own options; None for what has no name, and is no file.

    Parameters
    ----------
    how
        How the file was read.
    paths
        Where fields lie beside those that the user said, or in their place.
    """
    place = how.folder or how.path
    if place == "-":
        return None
    whole = {**how.mapped, **paths}
    given = (option for option in how.given if option.removeprefix("--map ").removesuffix("=") not in paths)
    maps = (f"--map {shlex.quote(f'{field}={part}')}" for field, path in whole.items() for part in paths_in(path))
    return " ".join(["assay ingest", shlex.quote(place), *given, *maps])


def paths_in_options(options: Sequence[str]) -> dict[str, str]:
    """Return where `--map` options say that fields lie; several paths of a field are lines of one text."""
    paths: dict[str, str] = {}
    for name, path in _pairs(options):
        paths[name] = f"{paths[name]}\n{path}" if name in paths else path
    return paths


def _pairs(options: Sequence[str]) -> list[tuple[str, str]]:
    words = [part.partition("=") for option in options for part in shlex.split(option) if part != "--map"]
    return [(name, path) for name, _, path in words]


def _split(path: str, rows: Rows) -> str:
    """Return the path, split at lines of signs where they part its texts; the end of a paragraph may be within a passage."""
    values = [row[path] if path in row else follow(row, path) for row in rows]
    texts = [value for value in values if isinstance(value, str) and not value.lstrip().startswith(("[", "{"))]
    separator = likely_separator(texts) if texts else None
    return path if separator in (None, PARAGRAPH) else split_path(path, str(separator))


def _group(rows: Rows, paths: Mapping[str, str], taken: set[str]) -> str | None:
    """Return the free column that is called like a conversation, where no row has a group."""
    if "group" in paths or any(Fields(row, paths).value("group") not in (None, "") for row in rows):
        return None
    columns = dict.fromkeys(str(name) for row in rows for name, value in row.items() if isinstance(value, str | int))
    claimed = taken | set(paths.values())
    free = [column for column in columns if column not in claimed and names_conversations(column)]
    return next((column for column in free if not _names_each_row(column, rows)), None)


def _names_each_row(column: str, rows: Rows) -> bool:
    """Return whether a column is called like a trace, and none of its values comes twice: that is the answer's id."""
    values = [str(row[column]) for row in rows if row.get(column) not in (None, "")]
    return column.casefold().startswith("trace") and len({*values}) == len(values)
