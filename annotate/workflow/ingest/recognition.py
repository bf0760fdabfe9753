"""Find out which tool wrote a file and where it has our fields, from its first rows, before anything is kept."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from annotate.domain.field_mapping import follow, paths_in
from annotate.domain.passages import TRAFFIC_FIELDS
from annotate.files import AUTO, FileRow
from annotate.settings import SETTINGS, TRAFFIC, settings
from annotate.traffic.detection import Detected, detect
from annotate.traffic.formats import BY_NAME, NAMES, OWN, OWN_TITLE
from annotate.traffic.how_read import HowRead, ReadingTally, Untold, names_conversations
from annotate.traffic.near_names import FIRST_ROWS, proposed_paths
from annotate.traffic.nested_fields import history_column, nested_conversation, nested_time, thumbs_path, time_column
from annotate.traffic.nested_paths import nested_passages
from annotate.traffic.nested_texts import quoted_paths, unquoted
from annotate.traffic.proposals import completed, paths_in_options, whole_command
from annotate.traffic.rows import item_from_row
from annotate.traffic.source_format import Paths, Row, SourceFormat, TrafficRow, taken
from annotate.traffic.span_parts import UNTOLD
from annotate.traffic.spans import Span
from annotate.workflow.ingest.batches import FRAME, Source
from annotate.workflow.ingest.score_content import CONTENT_FIELDS
from proxy.errors import InputError, UsageError
from proxy.records import Item

MOST_UNTOLD = 4
# Rows that are looked into for what no column has.
MOST_NESTED = 10
# Columns in which sets of questions keep the right answer beside the one that was given.
ID = re.compile(r".*(id|uuid|guid|key|hash)")
# Whoever asked may have asked once in the first rows.
PERSON = re.compile(r"(user|customer|client|patient|person|account|member|employee|author|agent|device).*")
REFERENCES = ("ground_truth", "expected_output", "expected_answer", "reference_answer")


def recognise(source: Source) -> Source:
    """Return the source as it is to be read, and how its first rows are; `--format` overrules what they look like."""
    rows = [row.fields for row in islice(_readable(source), FIRST_ROWS)]
    if source.file_format in NAMES:
        chosen = BY_NAME.get(source.file_format)
        shown = sum(map(chosen.recognises, rows)) if chosen else len(rows)
        detected = Detected(chosen, shown, len(rows))
    else:
        detected = detect(rows)
    source_format = detected.source_format
    name = source_format.name if source_format else OWN
    how = HowRead(
        file="standard input" if source.path == "-" else Path(source.path).name,
        path="-" if source.path == FRAME else source.path,
        folder=source.folder,
        format=name,
        title=source_format.title if source_format else OWN_TITLE,
        recognised=detected.recognised,
        looked_at=detected.rows,
        has_spans=source_format is not None and source_format.has_spans,
        mapped={field: path for field, path in source.paths.items() if path},
        given=_given(source),
    )
    paths = {**_defaults(source_format, rows), **paths_of(name), **source.paths}
    if source_format is None and paths:
        quoted = quoted_paths(rows, paths, is_of_tool=detect(rows).source_format is not None)
        source, rows = source._replace(quoted=quoted), [unquoted(row, quoted) for row in rows] if quoted else rows
    if source_format is not None and source_format.has_spans:
        how = replace(
            how,
            untold=_untold(source_format, rows, paths),
            parents_untold=_are_unplaced(source_format, rows, paths),
            group_column=_of_spans(source_format, rows),
        )
    else:
        tally = ReadingTally()
        tally.add(_answers(source_format, rows, paths))
        how = tally.with_counts(how)
        if source_format is None:
            how = replace(how, recognised=tally.answers)
        how = _with_nested(how, rows)
        if source_format is None and not tally.answers and rows:
            how = replace(how, proposed=completed(proposed_paths(rows[0], paths), rows, paths))
    if source_format is None:
        return source._replace(paths=paths, how=how)
    nothing = {field: "" for field, path in paths.items() if not path}
    return source._replace(source_format=source_format, source_paths=paths, paths=nothing, how=how)


def _given(source: Source) -> tuple[str, ...]:
    """Return the user's options for reading a file, but for the paths of fields."""
    options = {"--format": source.file_format, "--encoding": AUTO if source.guessed else source.encoding}
    given = [f"{option} {shlex.quote(name)}" for option, name in options.items() if name != AUTO]
    if source.date_order is not None:
        given.append(f"--dates {source.date_order.value}")
    return (*given, *(f"--map {field}=" for field, path in source.paths.items() if not path))


def other_format(source: Source) -> str:
    """Say which format the rows look like, where the user chose another; "" where they look like none."""
    chosen = source.file_format
    if chosen not in NAMES:
        return ""
    looks_like = detect(row.fields for row in islice(source.raw_rows(), FIRST_ROWS) if isinstance(row, FileRow))
    other = looks_like.source_format
    if other is None or other.name == chosen:
        return ""
    return f"its rows look like {other.title}: --format {other.name}, or leave --format {chosen} out"


def with_all(sources: Sequence[Source], source: Source, options: Sequence[str]) -> str:
    """Say the whole command with these options, or the options alone where several files were given, or none has a name."""
    is_alone = len(sources) == 1 or (source.folder and all(other.folder == source.folder for other in sources))
    command = whole_command(source.how, paths_in_options(options)) if source.how and is_alone else None
    return f"run `{command}`" if command else f"add {' '.join(options)}"


def _of_spans(source_format: SourceFormat, rows: list[Row]) -> str | None:
    """Return the path of what may be the conversation, where it leads there in spans as they are read."""
    path = nested_conversation(rows)
    for row in rows[:MOST_NESTED] if path else ():
        try:
            if any(isinstance(span, Span) and span.group for span in source_format.read(row, {"group": path or ""})):
                return path
        except InputError:
            continue
    return None


def _with_nested(how: HowRead, rows: list[Row]) -> HowRead:
    """Return the record with where passages, times and conversations may lie that none of the first rows has."""
    contexts = (path for row in rows[:MOST_NESTED] if (path := nested_passages(row)) is not None)
    return replace(
        how,
        contexts_path=next(contexts, None) if how.answers == how.without_contexts else None,
        thumbs=_thumbs(how, rows),
        time_path=nested_time(rows) or time_column(rows, how.unused) if how.answers == how.without_time else None,
        group_column=how.group_column or nested_conversation(rows),
        history_column=None if any(read.name == "history" for read in how.fields) else history_column(rows, how.unused),
        id_column=next((column for column in how.unused if _names_each(column, rows)), None),
    )


def _names_each(column: str, rows: list[Row]) -> bool:
    """Return whether a column is called like an id, and has another value in each row."""
    values = [row.get(column) for row in rows]
    name = re.sub(r"[\W_]+", "", column.casefold())
    is_named = ID.fullmatch(name) is not None and not PERSON.match(name) and not names_conversations(column)
    return is_named and all(isinstance(value, str | int) for value in values) and len({*values}) == len(values)


def _thumbs(how: HowRead, rows: list[Row]) -> tuple[str, ...]:
    """Return the options that take users' feedback from rows of traffic; none where no path leads to what names the answer."""
    path = thumbs_path(rows, how.unused)
    if path is None:
        return ()
    origins = {field.name: how.mapped.get(field.name, field.origin.path) for field in how.fields}
    names = ("id",) if "id" in origins else CONTENT_FIELDS
    paths = [(name, part) for name in names for part in paths_in(origins.get(name, "")) if part]
    leads = {
        name for name, part in paths if any(part in row or follow(row, part) is not None for row in rows[:MOST_NESTED])
    }
    if not leads.issuperset(("id",) if "id" in origins else ("question", "answer")):
        return ()
    named = [
        ("item_id" if name == "id" else name, part)
        for name, part in paths
        if name == "id" or (name in leads and name != part)
    ]
    if time := origins.get("timestamp"):
        named.append(("at", time))
    return tuple(f"--map {shlex.quote(f'{name}={part}')}" for name, part in [("value", path), *named])


def _readable(source: Source) -> Iterator[FileRow]:
    return (row for row in source.rows() if isinstance(row, FileRow))


def _defaults(source_format: SourceFormat | None, rows: list[Row]) -> Paths:
    """Return where our own rows keep a reference under another usual name."""
    if source_format is not None or any("reference" in row for row in rows):
        return {}
    name = next((field for field in REFERENCES if any(isinstance(row.get(field), str) for row in rows)), None)
    return {"reference": name} if name else {}


def paths_of(name: str) -> Paths:
    """Return the paths that assay.toml gives for a format, in its table [traffic.NAME]."""
    tables = settings().get(TRAFFIC, {})
    if odd := [key for key in tables if key not in NAMES]:
        raise UsageError(f"{SETTINGS}: [{TRAFFIC}] knows a table for each of {', '.join(NAMES)}, not {', '.join(odd)}")
    table = tables.get(name, {})
    if not isinstance(table, Mapping):
        raise UsageError(f'{SETTINGS}: [{TRAFFIC}.{name}] is a table of paths, like question = "inputs.query"')
    for field, path in table.items():
        if field not in TRAFFIC_FIELDS:
            raise UsageError(f"{SETTINGS}: [{TRAFFIC}.{name}] knows {', '.join(TRAFFIC_FIELDS)}, not {field}")
        if not isinstance(path, str):
            raise UsageError(f"{SETTINGS}: [{TRAFFIC}.{name}] {field} is a path, a text, not {path!r}")
    return table


def _untold(source_format: SourceFormat, rows: list[Row], paths: Paths) -> tuple[Untold, ...]:
    """Return the questions and answers that cannot be told from what the first roots hold."""
    counts: Counter[tuple[str, str]] = Counter()
    for span in _spans(source_format, rows, paths):
        counts.update((name, span.origins[key]) for name, key in UNTOLD.items() if key in span.origins)
    return tuple(
        Untold(field=name, path=where.partition("|")[0], keys=where.partition("|")[2], spans=count)
        for (name, where), count in counts.most_common(MOST_UNTOLD)
    )


def _are_unplaced(source_format: SourceFormat, rows: list[Row], paths: Paths) -> bool:
    """Return whether none of the first spans says what is above it."""
    spans = list(_spans(source_format, rows, paths))
    return bool(spans) and all(span.is_unplaced for span in spans)


def _spans(source_format: SourceFormat, rows: list[Row], paths: Paths) -> Iterator[Span]:
    for row in rows:
        try:
            yield from (reading for reading in source_format.read(row, paths) if isinstance(reading, Span))
        except InputError:
            continue


def _answers(source_format: SourceFormat | None, rows: list[Row], paths: Paths) -> Iterator[tuple[TrafficRow, Item]]:
    """Yield the answers of the first rows that can be read, as they will be."""
    for row in rows:
        try:
            readings = source_format.read(row, paths) if source_format else [taken({}, row, row, paths)]
            for reading in readings:
                if isinstance(reading, TrafficRow):
                    yield reading, item_from_row(reading.fields, {})
        except InputError:
            continue
