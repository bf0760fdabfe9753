"""Draw a Document as Markdown, for pull requests and chats: the answer, the sections, notes and the next step."""

from __future__ import annotations

import re
from collections.abc import Iterator

from annotate.domain.message import Code, Command, Listing, Step, Value, message
from annotate.present.document import Block, Chart, Detail, Document, Excerpt, Figures, Status, Table
from annotate.present.figure_table import as_table, reasons
from annotate.present.messages import LeavingWriter, Writer

SIGNS = {Status.MET: "✅ ", Status.OPEN: "⏳ ", Status.MISSED: "❌ ", Status.UNMEASURABLE: "❔ ", Status.DONE: ""}
# Chosen: a paragraph of a pull request; longer texts are read in the app.
LONGEST_QUOTE = 300
_MARKS = re.compile(r"([\\`*_{}\[\]<>()#+!|~&])")


def render(document: Document, language: str = "en", *, full: bool = False) -> str:
    """Draw a document; `full` draws every section."""
    writer = _MarkdownWriter(language, longest=LONGEST_QUOTE)
    parts = [f"{SIGNS[document.status]}**{writer.write(document.answer)}**"]
    for section in document.sections:
        if full or section.detail is Detail.BRIEF:
            parts += [f"### {writer.write(section.title)}"] if section.title else []
            parts += [part for block in section.blocks for part in _block(block, writer)]
    parts += [writer.write(message("values.note", note=note)) for note in document.notes]
    parts += [_step(step, writer) for step in document.next]
    return "\n\n".join(parts) + "\n"


class _MarkdownWriter(LeavingWriter):
    """Shows what others wrote literally."""

    def shown(self, value: Value, words: str) -> str:
        if isinstance(value, Code | Command):
            return f"`{words.replace('`', chr(39))}`"
        return _MARKS.sub(r"\\\1", words) if isinstance(value, str) else words


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


def _table(table: Table, writer: Writer) -> str:
    head = [writer.write(column.label) for column in table.columns]
    rule = ["---:" if column.is_number else "---" for column in table.columns]
    rows = [[writer.write(cell) for cell in row] for row in table.rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [head, rule, *rows])


def _step(step: Step, writer: Writer) -> str:
    commands = Listing(tuple(Command(command) for command in step.commands))
    words = " ".join(part for part in (writer.write(step.message), writer.write(commands)) if part)
    return writer.write(message("values.next", words="")).rstrip() + f" {words}"
