"""Refuse an import where a path of the user leads to nothing, and say what there is and which path may have been meant."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import islice

from annotate.domain.field_mapping import columns_listed, follow, paths_in
from annotate.files import FileRow
from annotate.traffic.content import loaded
from annotate.traffic.near_names import FIRST_ROWS, proposed_paths
from annotate.traffic.nested_texts import is_retrieved
from annotate.traffic.source_format import Reading, TrafficRow
from annotate.traffic.spans import Span
from annotate.workflow.ingest.batches import Paths, Source, file_name
from annotate.workflow.ingest.recognition import other_format, with_all
from proxy.errors import FileError, InputError
from proxy.text.turns import ASSISTANT, USER, known_role

DEEPEST = 4
ALIKE = 0.7


def check_paths(sources: Sequence[Source], paths: Paths) -> None:
    """Raise FileError where a path that the user gave leads to nothing in any row of any file."""
    lost, first = [(name, part) for name, path in paths.items() if path for part in paths_in(path)], None
    for source in sources:
        for row in source.raw_rows() if lost else ():
            if isinstance(row, FileRow):
                first = first or row
                lost = [(name, path) for name, path in lost if not _leads(row, name, path, source)]
            if not lost:
                return
    if lost and first:
        options = " and ".join(_option(name, path) for name, path in lost)
        files = file_name(sources[0]) if len(sources) == 1 else f"{len(sources):,} files"
        there = list(_paths(first.fields))
        meant = list(_meant(first.fields, lost, paths, there))
        todo = f"did you mean {' '.join(meant)}?" if meant else "mend the path, or leave it out"
        if meant and len(paths) > 1 and sources[0].how is not None:
            todo += f" If so, {with_all(sources, sources[0], meant)}"
        if {"question", "answer"} & {name for name, _ in lost}:
            # Within what a tool wrote many texts have like names, and its own format knows which of them is the answer.
            todo = next(filter(None, map(other_format, sources)), todo)
        raise FileError(
            f"{files}: {options} leads to nothing in any row, so nothing was taken in; the first row has "
            f"{columns_listed(there)}: {todo}"
        )


def check_trace_ids(sources: Sequence[Source], paths: Paths) -> None:
    """Raise FileError where the user says where ids lie, and every file holds spans: their answers have the trace's id."""
    if "id" in paths and all(source.has_spans for source in sources):
        raise FileError(
            f"{file_name(sources[0])}: it is read as traces, and an answer has the id of its trace: leave "
            f"{_option('id', paths['id'])} out; where each row is an answer, add --format own"
        )


def _leads(row: FileRow, name: str, path: str, source: Source) -> bool:
    """Return whether a path leads to something in a row, or in a span that the row holds."""
    if path in row.fields or follow(row.fields, path) is not None:
        return True
    if source.source_format is None:
        return False
    try:
        readings = list(source.source_format.read(row.fields, {name: path}))
    except InputError:
        return False
    return any(_origin(reading, name) == path for reading in readings)


def _origin(reading: Reading, name: str) -> str | None:
    """Return the path that a field of an answer or a span was read from."""
    if isinstance(reading, Span):
        return reading.origins.get(name)
    origin = reading.origins.get(name) if isinstance(reading, TrafficRow) else None
    return None if origin is None else origin.path


def check_passages(sources: Sequence[Source], paths: Paths) -> None:
    """Raise FileError where the user says that passages are what are messages of a conversation, the question among them."""
    for source in sources:
        for path in paths_in(paths.get("contexts", "")):
            for row in islice(source.raw_rows(), FIRST_ROWS) if path else ():
                messages = loaded(follow(row.fields, path)) if isinstance(row, FileRow) else None
                roles = [_role(message) for message in messages] if isinstance(messages, list) else []
                if roles and all(roles) and USER in roles:
                    place = next((number for number, role in enumerate(roles) if role not in (USER, ASSISTANT)), 0)
                    option = _option("contexts", f'{path}[{place}].content.split("\\n---\\n")')
                    raise FileError(
                        f"{file_name(source)}: {_option('contexts', path)} leads to the messages of a conversation, the question "
                        "among them, so nothing was taken in: what tools gave and what a prompt marks as its context is read "
                        f"without it; else point to the message that holds the passages, such as {option}"
                    )


def _role(message: object) -> str | None:
    role = message.get("role", message.get("type")) if isinstance(message, Mapping) else None
    return known_role(role) if isinstance(role, str) else None


def _option(name: str, path: str) -> str:
    return f"--map {shlex.quote(f'{name}={path}')}"


def _paths(row: Mapping[str, object]) -> Iterator[str]:
    """Yield the paths of a row, into objects and the first of a list of objects."""
    for name, value in sorted(row.items(), key=lambda pair: str(pair[0])):
        yield from _below(str(name), value, 1)


def _below(path: str, value: object, depth: int) -> Iterator[str]:
    value = loaded(value)
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        path, value = f"{path}[0]", value[0]
    if not isinstance(value, Mapping) or not value or depth >= DEEPEST:
        yield path
        return
    for name, inner in value.items():
        yield from _below(f"{path}.{name}", inner, depth + 1)


def _meant(
    row: Mapping[str, object], lost: Sequence[tuple[str, str]], paths: Paths, there: Sequence[str]
) -> Iterator[str]:
    """Yield the options that may have been meant: the nearest spelling, else what a file of this shape would need."""
    texts = [place for place in there if not is_retrieved(row, place)]
    fine = {part for path in paths.values() for part in paths_in(path)}.difference(path for _, path in lost)
    usual = proposed_paths(row, {})
    for name, path in lost:
        # What was retrieved is no question and no answer, however its path is spelled.
        places = texts if name in ("question", "answer") else there
        by_spelling = {_plain(place): place for place in reversed(places) if place not in fine}
        by_end = {_plain(place.rpartition(".")[2]): place for place in by_spelling.values()}
        end = _plain(path.rpartition(".")[2])
        close = [
            *(by_spelling[name] for name in get_close_matches(_plain(path), by_spelling, 1, ALIKE)),
            *(by_end[name] for name in get_close_matches(end, by_end, 1, ALIKE)),
            *(name for other, name in by_end.items() if end and other and end.startswith(other)),
        ]
        if close:
            yield _option(name, close[0])
            continue
        yield from (option for option in usual if option.startswith((f"--map {name}=", f"--map '{name}=")))


def _plain(path: str) -> str:
    return re.sub(r"[\W_]+", "", path.casefold())
