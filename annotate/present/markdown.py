"""Draw a Document as Markdown, for pull requests and chats: the answer, the sections, notes and the next step."""

from __future__ import annotations

import re
from collections.abc import Iterator

from annotate.domain.message import Code, Command, Listing, Step, Value, message
from annotate.present.document import (
    Block,
    Chart,
    Column,
    Condition,
    Detail,
    Document,
    Excerpt,
    Figures,
    Status,
    Table,
)
from annotate.present.figure_table import as_table, reasons
from annotate.present.messages import LeavingWriter, Writer, one_line

SIGNS = {Status.MET: "✅ ", Status.OPEN: "⏳ ", Status.MISSED: "❌ ", Status.UNMEASURABLE: "❔ ", Status.DONE: ""}
# Chosen: a paragraph of a pull request; longer texts are read in the app.
LONGEST_QUOTE = 300
_MARKS = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$])")
# Where these meet a server makes a link of them, or a mention that sends a message, also of escaped text: a joiner that is not
# seen keeps them text.
_LINKS = re.compile(r"(?<=(?<!\w)@)(?=\w)|(?<=@)(?=[\w-]+\.)|(?<=#)(?=\d)|(?<=:)(?=//)|(?<=www)(?=\.)", re.IGNORECASE)
_JOINER = "\u2060"
_CONDITIONS = tuple(Column(message(f"overview.limit_{name}")) for name in ("what", "standing", "found"))


def render(document: Document, language: str = "en", *, full: bool = False) -> str:
    """Draw a document; `full` draws every section."""
    writer = _MarkdownWriter(language, longest=LONGEST_QUOTE)
    parts = [f"{SIGNS[document.status]}**{writer.write(document.answer)}**"]
    for section in document.sections:
        if full or section.detail is not Detail.FULL:
            parts += [f"### {writer.write(section.title)}"] if section.title else []
            parts += [part for block in section.blocks for part in _block(block, writer)]
    parts += _conditions(document.conditions, writer)
    parts += [writer.write(message("values.note", note=note)) for note in document.notes]
    parts += [_step(step, writer) for step in document.next]
    return "\n\n".join(parts) + "\n"


class _Drawn(str):
    """A sentence of ours, whose parts are Markdown already."""

    __slots__ = ()

    def format(self, *args: object, **values: object) -> _Drawn:
        """Fill the sentence."""
        return _Drawn(super().format(*args, **values))


class _MarkdownWriter(LeavingWriter):
    """Shows what others wrote literally, and on one line."""

    def template(self, words: str) -> str:
        return _Drawn(words)

    def shown(self, value: Value, words: str) -> str:
        if not isinstance(value, str) or isinstance(words, _Drawn):
            return words
        line = one_line(words, None)
        return f"`{line.replace('`', chr(39))}`" if self.is_code(value) else self.escaped(line)

    def is_code(self, value: str) -> bool:
        """Whether a value is written in the type of code."""
        return isinstance(value, Code | Command)

    def escaped(self, line: str) -> str:
        """Return a line of which Markdown makes nothing."""
        return _MARKS.sub(r"\\\1", _LINKS.sub(_JOINER, line))


class _CellWriter(_MarkdownWriter):
    """Writes cells of a table, which a stroke within code would end."""

    def is_code(self, value: str) -> bool:
        return super().is_code(value) and "|" not in value


def _block(block: Block, writer: Writer) -> Iterator[str]:
    match block:
        case Figures():
            yield from _block(as_table(block), writer)
            yield from map(writer.write, reasons(block))
        case Table():
            yield _table(block, writer)
            if block.caption:
                yield writer.write(block.caption)
        case Excerpt():
            yield writer.write(block.title)
            yield from (
                f"> {writer.write(message('values.colon', label=label, words=words))}" for label, words in block.texts
            )
        case Chart():
            yield writer.write(block.alt)
        case _:
            yield writer.write(block)


def _conditions(conditions: tuple[Condition, ...], writer: Writer) -> Iterator[str]:
    """Draw the conditions of a gate, where the answer has one."""
    if not conditions:
        return
    met = sum(condition.status is Status.MET for condition in conditions)
    yield f"### {writer.write(message('values.conditions', met=met, count=len(conditions)))}"
    yield _table(Table(_CONDITIONS, tuple(map(_condition, conditions))), writer)


def _condition(condition: Condition) -> tuple[Value, ...]:
    return condition.wanted, condition.standing, condition.measured


def _table(table: Table, writer: Writer) -> str:
    writer = _CellWriter(writer.language, longest=LONGEST_QUOTE)
    head = [writer.write(column.label) for column in table.columns]
    rule = ["---:" if column.is_number else "---" for column in table.columns]
    rows = [[writer.write(cell) for cell in row] for row in table.rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [head, rule, *rows])


def _step(step: Step, writer: Writer) -> str:
    commands = Listing(tuple(Command(command) for command in step.commands))
    words = " ".join(part for part in (writer.write(step.message), writer.write(commands)) if part)
    return writer.write(message("values.next", words="")).rstrip() + f" {words}"
