"""The one-page report as a parser sees it."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "line", "rect", "circle"}


@dataclass
class Row:
    """A row of a table: its name for machines and its numbers by field, both as they stand in the page."""

    table: str
    name: str
    numbers: dict[str, float] = field(default_factory=dict)
    words: str = ""


class Page(HTMLParser):
    """The page taken apart: its rows, its elements with their attributes; elements that do not match are an error."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows, self.seen, self.open, self.tables = (
            list[Row](),
            list[tuple[str, dict[str, str]]](),
            list[str](),
            [""],
        )
        self.words = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.seen.append((tag, attributes))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.append(attributes.get("class", ""))
        if tag in {"td", "th"} and self.rows:
            self.rows[-1].words += " "
        if tag == "tr":
            self.rows.append(Row(self.tables[-1], attributes.get("data-name", "")))
            exact = {
                name[5:].replace("-", "_"): value for name, value in attributes.items() if name.startswith("data-")
            }
            self.rows[-1].numbers |= {name: float(value) for name, value in exact.items() if name != "name"}

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data
        if self.rows and "tr" in self.open:
            self.rows[-1].words += data

    def table(self, name: str) -> dict[str, Row]:
        return {row.name: row for row in self.rows if row.table == name and row.name}
