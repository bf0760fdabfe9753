"""Find columns that hold one of our fields under nearly the right name, so that it is not lost without a word."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from annotate.domain.field_mapping import Fields, follow, paths_in, without_split
from annotate.domain.passages import read_contexts
from annotate.domain.timestamps import DateOrder, Times, shown
from annotate.traffic.column_names import WORDS, columns_in_other_languages, numbered_columns
from annotate.traffic.content import ANSWERS, QUESTIONS, QuestionInContext, answered, asked, loaded
from annotate.traffic.nested_paths import BODIES, SAID_BY_BOTH, nested_passages, nested_paths
from annotate.traffic.nested_texts import is_retrieved
from annotate.traffic.passages import BESIDE
from proxy.errors import InputError
from proxy.text.turns import ASSISTANT, USER, known_role

FIRST_ROWS = 100
# Names by which logs and evaluation tools call the field, without case and separators; the likeliest first.
SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "contexts": (
        "context",
        "retrievedcontexts",
        "retrievedcontext",
        "retrievalcontext",
        "retrievalcontexts",
        "documents",
        "document",
        "docs",
        "passages",
        "passage",
        "chunks",
        "sourcedocuments",
        "sourcedocs",
        "retrieveddocuments",
        "retrieveddocs",
        "retrievedpassages",
        "retrievedchunks",
        "contextdocuments",
        "contextpassages",
        "contexttexts",
        "ctx",
        "ctxs",
        "searchresults",
        "pagecontent",
        "pagecontents",
        "sources",
        "evidence",
        "citations",
        "knowledge",
        "sourcetexts",
        "nodes",
    ),
    "id": (
        "messageid",
        "msgid",
        "itemid",
        "traceid",
        "runid",
        "requestid",
        "responseid",
        "recordid",
        "turnid",
        "interactionid",
        "completionid",
        "sampleid",
        "exampleid",
        "rowid",
        "uuid",
        "guid",
    ),
    "timestamp": (
        "time",
        "createdat",
        "created",
        "ts",
        "datetime",
        "date",
        "createdtime",
        "creationtime",
        "starttime",
        "startedat",
        "startedtime",
        "eventtime",
        "loggedat",
        "askedat",
        "answeredat",
        "sentat",
        "receivedat",
        "requesttime",
        "requestedat",
        "responsetime",
        "insertedat",
        "at",
        "when",
        "utc",
        "utctime",
        "endtime",
    ),
    "group": (),
    "question": ("userinput", "query", "prompt", "input", "userquery", "usermessage", "userquestion"),
    "answer": (
        "response",
        "output",
        "actualoutput",
        "completion",
        "prediction",
        "generation",
        "generatedanswer",
        "assistant",
        "assistantmessage",
        "assistantresponse",
        "botresponse",
        "modelresponse",
        "modelanswer",
        "modeloutput",
        "airesponse",
        "llmresponse",
        "llmoutput",
        "reply",
        "finalanswer",
    ),
}
NEEDED = ("question", "answer")
# Columns named after who speaks; a `user` beside no such answer is more likely somebody's id.
SPOKEN_QUESTIONS = ("user", "human")
SPOKEN_ANSWERS = (
    "assistant",
    "bot",
    "ai",
    "assistant_message",
    "assistant_response",
    "bot_response",
    "model_response",
    "model_answer",
    "model_output",
    "ai_response",
    "llm_response",
    "llm_output",
)
# What is called so is no answer of a system, but the right one.
# How names of what names something end: nobody asked or answered that.
NAMING = ("id", "uuid", "url", "version")
# What readers of JSON make of a number that is none.
NO_NUMBERS = ("NaN", "Infinity", "-Infinity")
RIGHT = ("reference", "expected", "groundtruth", "gold", "gt", "target", "ideal", "correct")
# The last word of a column of several, and what names nothing without who says it.
SAYS = {USER: ("question", "query"), ASSISTANT: ("answer", "response", "reply")}
SAID = ("message", "text", "utterance", "turn", "input", "output")
# What is called so holds no other field, whatever shape it has.
ONLY_QUESTIONS = (
    "question",
    "query",
    "user_input",
    "user_query",
    "user_question",
    "user_message",
    "q",
    *SPOKEN_QUESTIONS,
)
ONLY_ANSWERS = ("answer", "final_answer", "actual_output", "reply", *SPOKEN_ANSWERS)


class Near(NamedTuple):
    """A field of ours that is absent, and the column that seems to hold it; several are lines of one text."""

    field: str
    column: str

    @property
    def option(self) -> str:
        """The option that reads the field from that column."""
        return _option(self.field, self.column)

    @property
    def place(self) -> str:
        """The column, as a message names it."""
        columns = paths_in(self.column)
        return f"column{'s' if len(columns) > 1 else ''} {', '.join(map(shown, columns))}"


def _option(name: str, path: str) -> str:
    """Return the option that reads a field from a path, or from several."""
    return " ".join(f"--map {shlex.quote(f'{name}={part}')}" for part in paths_in(path))


def near_names(rows: Sequence[Mapping[str, object]], paths: Mapping[str, str]) -> tuple[Near, ...]:
    """Return the contexts, ids, times and groups that the first rows of a file hold under nearly the right name.

    A question or an answer that is absent is told with them; alone it is not, since its rows are refused in any case. A field
    that `--map` takes nothing for (`contexts=`) is left alone.
    """
    columns = list(dict.fromkeys(str(name) for row in rows for name in row))
    claimed = {without_split(part) for name in SYNONYMS for part in paths_in(paths.get(name, name))}
    near = []
    for name in SYNONYMS:
        if paths.get(name, name) == "" or any(_holds(row, name, paths) for row in rows):
            continue
        free = [column for column in columns if column not in claimed]
        column = _nearest(name, paths.get(name, name), free, rows) or _otherwise(name, free, rows)
        if column is not None:
            near.append(Near(name, column))
    return tuple(near) if any(near_name.field not in NEEDED for near_name in near) else ()


def is_understood(rows: Sequence[Mapping[str, object]], paths: Mapping[str, str], near: Sequence[Near]) -> bool:
    """Return whether question and answer are there, or under nearly the right names."""
    named = {field.field for field in near}
    return all(name in named or any(_holds(row, name, paths) for row in rows) for name in NEEDED)


def proposed_paths(row: Mapping[str, object], paths: Mapping[str, str]) -> tuple[str, ...]:
    """Return the options that would read question, answer and contexts from within a row.

    A path is proposed for at most one field, and none unless both question and answer have a path.
    """
    proposed: dict[str, str] = {}
    taken = set(paths.values())
    for name, find, usual, others in (
        ("question", asked, (*QUESTIONS, *_spoken(row), *_worded(row, USER), *_foreign(row, "question")), ONLY_ANSWERS),
        (
            "answer",
            answered,
            (*ANSWERS, *SPOKEN_ANSWERS, *_worded(row, ASSISTANT), *_foreign(row, "answer")),
            ONLY_QUESTIONS,
        ),
    ):
        if name not in paths and isinstance(row.get(name), str) and row[name]:
            taken.add(name)
            continue
        columns = [column for column in _columns(row, usual) if _last(column) not in others]
        ways = chain(
            (path for column in columns for path in _path_to(row, column, find)), nested_paths(row, name, RIGHT)
        )
        right = _right_answers(row) if name == "answer" else ()
        path = next(
            (
                path
                for path in ways
                if path not in taken
                and not _is_of_other(path, name)
                and (path in row or (follow(row, path) not in right and not is_retrieved(row, path)))
            ),
            None,
        )
        if path is None or name in paths:
            return ()
        proposed[name] = path
        taken.add(path)
    if "contexts" not in paths and (path := _path_to_contexts(row)) is not None and path not in taken:
        proposed["contexts"] = path
    return tuple(_option(name, path) for name, path in proposed.items())


def _is_of_other(path: str, name: str) -> bool:
    """Return whether a path leads to the bare body of a column that is called like the other field."""
    names = re.split(r"[.\[]", path)
    others = ANSWERS if name == "question" else QUESTIONS
    return len(names) > 1 and names[-1] in BODIES and names[0] in frozenset(others) - SAID_BY_BOTH


def _foreign(row: Mapping[str, object], name: str) -> list[str]:
    return columns_in_other_languages(name, [str(column) for column in row])


def _spoken(row: Mapping[str, object]) -> tuple[str, ...]:
    return SPOKEN_QUESTIONS if any(name in row for name in SPOKEN_ANSWERS) else ()


def _worded(row: Mapping[str, object], role: str) -> list[str]:
    """Return the columns that are called after what somebody of this role says: `Bot Reply`, `customer_message`."""
    columns = []
    for column in map(str, row):
        words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", column)
        last = words[-1].casefold() if len(words) > 1 else ""
        is_right = any(word.casefold().startswith(RIGHT) for word in words)
        speaker = known_role(words[0]) if last in SAID else None
        if not is_right and (last in SAYS[role] or speaker == role):
            columns.append(column)
    return columns


def _right_answers(row: Mapping[str, object]) -> list[object]:
    """Return what the row holds as the right answer: what equals it deep in the row is the data set's, and no system's."""
    return [value for name, value in row.items() if _plain(str(name)).startswith(RIGHT) and isinstance(value, str)]


def _path_to(
    row: Mapping[str, object], column: str, find: Callable[[object], QuestionInContext | None]
) -> Iterator[str]:
    """Yield where a question or an answer is, if a path can lead there."""
    value = loaded(row[column])
    located = find(value)
    if located is not None:
        joint = "" if not located.path or located.path.startswith("[") else "."
        path = column if isinstance(value, str) else f"{column}{joint}{located.path}"
        if located.text in NO_NUMBERS or _plain(re.split(r"[.\[]", path)[-1]).endswith(NAMING):
            return
        if path in row or follow(row, path) == located.text:
            yield path


def _path_to_contexts(row: Mapping[str, object]) -> str | None:
    """Return the path of passages in a column or one level below."""
    names = (*BESIDE, "retrieved_context", "retrieval_context", "retriever_resources")
    last = [name for name in row if _last(name) in names]
    below = [
        f"{column}.{name}" for column, value in row.items() if isinstance(loaded(value), Mapping) for name in names
    ]
    for path in (*last, *below):
        value = row[path] if path in row else follow(row, path)
        if value and _reads({"value": value}, "contexts", "value"):
            return path
    return _otherwise("contexts", [str(column) for column in row], [row]) or nested_passages(row)


def _otherwise(name: str, columns: Sequence[str], rows: Sequence[Mapping[str, object]]) -> str | None:
    """Return the numbered columns of passages, as lines, or the column that another language calls so."""
    names = {_plain(name), *SYNONYMS[name], *WORDS.get(name, ())}
    numbered = numbered_columns(columns, names) if name == "contexts" else ()
    foreign = columns_in_other_languages(name, columns)
    readable = {
        column for column in (*numbered, *foreign) if any(row.get(column) and _reads(row, name, column) for row in rows)
    }
    if not readable.isdisjoint(numbered):
        return "\n".join(numbered)
    return next((column for column in foreign if column in readable), None)


def _columns(row: Mapping[str, object], usual: Sequence[str]) -> list[str]:
    """Return the columns of usual names first, then those with such an end, then what holds more."""
    exact = [name for name in usual if name in row]
    last = [name for name in row if name not in exact and _last(name) in usual]
    more = [name for name in row if name not in exact and name not in last and name not in BESIDE]
    more = [name for name in more if not _plain(name).startswith(RIGHT)]
    return [*exact, *last, *(name for name in more if isinstance(loaded(row[name]), (Mapping, list)))]


def _last(name: str) -> str:
    return re.split(r"[.]", name.casefold())[-1]


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


def _names_source(column: str, value: object) -> bool:
    """Return whether a value names where something came from, such as `prod` or `handbook.pdf`: no passage is one word."""
    is_word = isinstance(value, str) and value.isascii() and not re.search(r"[\s\[{|]", value.strip())
    return is_word and _plain(column) in ("source", "sources")


def _reads(row: Mapping[str, object], name: str, column: str) -> bool:
    """Return whether the column's value in this row can be read as the field."""
    fields = Fields(row, {name: column})
    try:
        match name:
            case "contexts":
                return not _names_source(column, fields.value(name)) and any(
                    context.text.strip() for context in read_contexts(fields.sequence(name))
                )
            case "timestamp":
                return any(fields.moment(name, Times(order=order)) is not None for order in DateOrder)
            case "question" | "answer":
                return isinstance(fields.value(name), str)
            case _:
                return fields.short(name) is not None
    except InputError:
        return False
