"""Say what answers lack, what no field of theirs claims, and the command that reads more of it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from annotate.domain.field_mapping import paths_in
from annotate.domain.message import Code, Command, Listing, Message, Name, Quote, message
from annotate.traffic.formats import OWN
from annotate.traffic.joined_passages import split_path
from annotate.traffic.proposals import whole_command
from annotate.traffic.span_parts import ATTRIBUTES, LONGEST_VALUE

if TYPE_CHECKING:
    from annotate.traffic.how_read import HowRead

# Chosen: names for which two lines of a terminal have room.
MOST_NAMES = 12
# What the id of an answer without one is made of, as far as options change it.
MAKE_IDS = frozenset(("id", "contexts", "timestamp", "history"))
# A store that is not there yet.
NEW_STORE = "NEW.db"


def left_out(how: HowRead, *, is_dry: bool) -> Iterator[Message]:
    """Say which passages, times and ids answers lack, and what no field of ours claims."""
    counts = {"count": how.without_words, "answers": how.answers}
    if how.without_words:
        yield message("ingest.without_words", **counts)
    if how.as_none:
        yield message("ingest.as_none", count=how.as_none, answers=how.answers)
    if how.by_id_alone:
        yield message("ingest.by_id_alone", count=how.by_id_alone)
    if how.without_contexts > how.by_id_alone:
        yield _without("contexts", how, how.without_contexts - how.by_id_alone, how.contexts_path)
    if split := _split(how):
        yield message("ingest.one_passage", option=_map("contexts", split))
    for untold in how.untold:
        if untold.path == ATTRIBUTES and how.answers:
            continue  # the root of a service says nothing of the call below it
        option = Code(f"--map {untold.field}={untold.path}.KEY")
        places = {"path": Code(untold.path), "keys": Quote(untold.keys), "option": option}
        yield message("ingest.untold", count=untold.spans, field=Name(untold.field), **places)
    if how.without_time and (how.format != OWN or how.unused or "timestamp" in how.mapped):
        yield _without("time", how, how.without_time, how.time_path)
    is_told = how.unused or how.format != OWN
    if is_told and how.answers and not how.has_spans and not how.has_ids:
        if how.id_column and _is_free(how, "id"):
            yield message("ingest.without_id_named", option=_map("id", how.id_column))
        else:
            yield message("ingest.without_id")
    if how.group_column is not None and _is_free(how, "group"):
        option = _map("group", how.group_column)
        yield message("ingest.without_group", column=Name(how.group_column), option=option)
    if how.history_column is not None and _is_free(how, "history"):
        option = _map("history", how.history_column)
        yield message("ingest.without_history", column=Name(how.history_column), option=option)
    yield from _again(how, is_dry=is_dry)
    if how.unused:
        yield message("ingest.unused", names=listed(how.unused))
    if how.too_long:
        yield message("ingest.too_long", names=listed(how.too_long), most=LONGEST_VALUE)
    file = "FILE" if how.path == "-" else shlex.quote(how.path)
    if how.thumbs:
        yield message("ingest.thumbs_left", command=Command(f"assay feedback {file} {' '.join(how.thumbs)}"))
    if how.scores:
        command = Command(f"assay scores import {file}")
        yield message("ingest.scores_of_tools", names=listed(how.scores), command=command)


def repeated(count: int, sources: Sequence[HowRead]) -> Message:
    """Say that rows repeat other answers, and which column tells them apart, where there is one."""
    column = next((how.id_column for how in sources if how.id_column), None)
    if column is None:
        return message("ingest.repeated", count=count)
    return message("ingest.repeated_named", count=count, option=_map("id", column))


def listed(names: Sequence[str]) -> Listing:
    """Return the first names, and how many there are beside them."""
    left = len(names) - MOST_NAMES
    more = (message("ingest.and_more", count=left),) if left > 0 else ()
    return Listing((*map(Name, names[:MOST_NAMES]), *more))


def _again(how: HowRead, *, is_dry: bool) -> Iterator[Message]:
    """Say the command with the user's own options and all that is proposed; one option alone stands by itself.

    Where answers have no ids of their own, other passages and times make other ids: what has come in would count twice.
    """
    paths = _proposed(how)
    command = whole_command(how, paths)
    if not paths or command is None:
        return
    if not (is_dry or how.has_ids or MAKE_IDS.isdisjoint(paths)):
        yield message("ingest.again_anew", command=Command(f"{command} --db {NEW_STORE}"))
    elif len({*how.mapped, *paths}) + len(how.given) > 1:
        yield message("ingest.again", command=Command(command))


def _proposed(how: HowRead) -> Mapping[str, str]:
    """Return where fields may lie that answers lack; a path of the user stays, but that joined passages are split."""
    paths = {
        "contexts": how.contexts_path if how.without_contexts > how.by_id_alone else None,
        "timestamp": how.time_path if how.without_time else None,
        "group": how.group_column,
        "history": how.history_column,
        "id": None if how.has_ids else how.id_column,
    }
    free = {field: path for field, path in paths.items() if path and _is_free(how, field)}
    split = _split(how)
    return {**free, "contexts": split} if split else free


def _is_free(how: HowRead, field: str) -> bool:
    """Return whether the user says nothing of where a field lies, nor that there is none (`--map id=`)."""
    return field not in how.mapped and f"--map {field}=" not in how.given


def _split(how: HowRead) -> str | None:
    """Return the path that splits the one passage of each answer, where its texts show what stands between several."""
    origin = next((field.origin.path for field in how.fields if field.name == "contexts"), None)
    return None if how.separator is None or origin is None else split_path(origin, how.separator)


def _map(field: str, path: str) -> Code:
    return Code(f"--map {shlex.quote(f'{field}={path}')}")


def _without(lack: str, how: HowRead, count: int, path: str | None) -> Message:
    """Say how many answers lack a field: beside the path of the user, where there is one, else with what may read it."""
    counts = {"count": count, "answers": how.answers}
    field = "timestamp" if lack == "time" else lack
    if given := how.mapped.get(field):
        return message(f"ingest.without_{lack}_there", **counts, path=Code(", ".join(paths_in(given))))
    if lack == "contexts" and how.has_spans:
        return message("ingest.without_contexts_spans", **counts, option=_map(field, path or "PATH"))
    if lack == "contexts" and how.unused:
        path = path or "PATH"
    return (
        message(f"ingest.without_{lack}", **counts, option=_map(field, path))
        if path
        else message(f"ingest.without_{lack}_anywhere", **counts)
    )
