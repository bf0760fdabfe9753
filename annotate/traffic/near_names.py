"""Find columns that hold one of our fields under nearly the right name, so that it is not lost without a word."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from annotate.domain.field_mapping import Fields
from annotate.domain.passages import read_contexts
from annotate.domain.timestamps import Times
from proxy.errors import InputError

FIRST_ROWS = 100
# Names by which logs and evaluation tools call the field, without case and separators; the likeliest first.
SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "contexts": (
        *("context", "retrievedcontexts", "retrievedcontext", "retrievalcontext", "retrievalcontexts"),
        *("documents", "document", "docs", "passages", "passage", "chunks", "sourcedocuments", "sourcedocs"),
        *("retrieveddocuments", "retrieveddocs", "retrievedpassages", "retrievedchunks", "contextdocuments"),
        *("contextpassages", "contexttexts", "ctx", "ctxs", "searchresults"),
        *("pagecontent", "pagecontents", "sources", "evidence", "citations", "knowledge", "sourcetexts", "nodes"),
    ),
    "id": (
        *("messageid", "itemid", "traceid", "runid", "requestid", "responseid", "recordid", "turnid", "interactionid"),
        *("completionid", "sampleid", "exampleid", "rowid", "uuid", "guid"),
    ),
    "timestamp": (
        *("time", "createdat", "created", "ts", "datetime", "date", "createdtime", "creationtime", "starttime"),
        *("startedat", "startedtime", "eventtime", "loggedat", "askedat", "answeredat", "sentat", "receivedat"),
        *("requesttime", "requestedat", "responsetime", "insertedat", "at", "when", "utc", "utctime", "endtime"),
    ),
    "group": (),
    "question": ("userinput", "query", "prompt", "input", "userquery", "usermessage", "userquestion"),
    "answer": ("response", "output", "actualoutput", "completion", "prediction", "generation", "generatedanswer"),
}
NEEDED = ("question", "answer")


class Near(NamedTuple):
    """A field of ours that is absent, and the column that seems to hold it."""

    field: str
    column: str

    @property
    def option(self) -> str:
        """The option that reads the field from that column."""
        return f"--map {shlex.quote(f'{self.field}={self.column}')}"


def near_names(rows: Sequence[Mapping[str, object]], paths: Mapping[str, str]) -> tuple[Near, ...]:
    """Return the contexts, ids, times and groups that the first rows of a file hold under nearly the right name.

    A question or an answer that is absent is told with them; alone it is not, since its rows are refused in any case. A field
    that `--map` takes nothing for (`contexts=`) is left alone.
    """
    columns = list(dict.fromkeys(str(name) for row in rows for name in row))
    claimed = {paths.get(name, name) for name in SYNONYMS}
    near = []
    for name in SYNONYMS:
        if paths.get(name, name) == "" or any(_holds(row, name, paths) for row in rows):
            continue
        free = [column for column in columns if column not in claimed]
        column = _nearest(name, paths.get(name, name), free, rows)
        if column is not None:
            near.append(Near(name, column))
    return tuple(near) if any(near_name.field not in NEEDED for near_name in near) else ()


def _nearest(name: str, path: str, columns: Sequence[str], rows: Sequence[Mapping[str, object]]) -> str | None:
    """Return the column of nearly this name whose values can be read as the field."""
    for spelling in (_plain(path), _plain(name), *SYNONYMS[name]):
        for column in columns:
            if (
                spelling
                and spelling in (plain := _plain(column), plain.removesuffix("s"), f"{plain}s")
                and any(_reads(row, name, column) for row in rows)
            ):
                return column
    return None


def _plain(name: str) -> str:
    """Return the name without case and separators."""
    return re.sub(r"[\W_]+", "", name.casefold())


def _holds(row: Mapping[str, object], name: str, paths: Mapping[str, str]) -> bool:
    return Fields(row, paths).value(name) not in (None, "", [], "[]")


def _reads(row: Mapping[str, object], name: str, column: str) -> bool:
    """Return whether the column's value in this row can be read as the field."""
    fields = Fields(row, {name: column})
    try:
        match name:
            case "contexts":
                return any(context.text.strip() for context in read_contexts(fields.sequence(name)))
            case "timestamp":
                return fields.moment(name, Times()) is not None
            case "question" | "answer":
                return isinstance(fields.value(name), str)
            case _:
                return fields.short(name) is not None
    except InputError:
        return False
