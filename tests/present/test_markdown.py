"""Markdown for pull requests: what others wrote is shown literally, read back by an independent parser of GitHub's dialect."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from annotate.domain.message import Code, Name, Quote, Value, message
from annotate.present import junit, markdown
from annotate.present.document import Column, Condition, Document, Section, Status, Table
from proxy.reason import Reason

HOSTILE = "a|b\n| c | <img src=x onerror=alert(1)> **b** [l](http://e.x) ![p](q) `c` $m$ &lt; \\| \\"
MENTION = "@everyone #12 https://evil.example www.evil.example a@b.example"
JOINER = "\u2060"
OURS = {"table", "thead", "tbody", "tr", "th", "td", "strong", "p", "h3", "code"}


def parsed(text: str) -> list[Token]:
    """The tokens of a page with tables, in which HTML would be HTML."""
    return MarkdownIt("commonmark", {"html": True}).enable("table").parse(text)


def leaves(tokens: list[Token]) -> Iterator[Token]:
    """Every token, also those within a line."""
    for token in tokens:
        yield token
        yield from leaves(token.children or [])


def cells(tokens: list[Token], tag: str = "td") -> list[str]:
    """The text of each cell."""
    return [
        "".join(part.content for part in tokens[place + 1].children or [])
        for place, token in enumerate(tokens)
        if token.type == f"{tag}_open"
    ]


def document(*values: Value, reason: str = "") -> Document:
    """A document with these values in a table and in a sentence."""
    columns = tuple(Column(message("values.quantity")) for _ in values)
    return Document(
        message("gold_check.gap_no_answer", count=2),
        sections=(Section(None, (Table(columns, (values, values)), reason, *values)),),
    )


@pytest.mark.parametrize("kind", [Name, Quote, Code, str])
@pytest.mark.parametrize("text", [HOSTILE, MENTION, "|", "\\", "`", "``` x", "a\\|b", "line\u2028line\r\nline"])
def test_a_text_in_a_cell_stays_in_its_cell_and_is_no_markup(kind: type[str], text: str) -> None:
    """Two rows of two cells with the text as it was, on one line; no tag, link or picture but the table's own."""
    tokens = parsed(markdown.render(document(kind(text), 1)))
    line = " ".join(text.split())
    written = line.replace("`", "'") if kind is Code and "|" not in line else line

    assert [cell.replace(JOINER, "") for cell in cells(tokens)] == [written, "1"] * 2
    assert {token.tag for token in leaves(tokens) if token.tag} <= OURS
    assert not [token for token in leaves(tokens) if token.type in ("html_inline", "html_block", "link_open", "image")]


def test_nobody_is_mentioned_and_no_address_is_one() -> None:
    """A server looks for these in what Markdown leaves: an invisible sign stands within each."""
    page = markdown.render(document(Name(MENTION)))

    for live in ("@everyone", "#12", "://", "www.", "@b"):
        assert live not in page.replace("\\", "")
    assert "@" + JOINER + "everyone" in page


def test_a_reason_is_made_literal_once() -> None:
    """Its words are ours, what stands in their places is of others: an underscore has one backslash."""
    page = markdown.render(document(reason=Reason("{first}, {second}", first="context_relevance", second="b")))

    assert r"context\_relevance, b" in page
    assert r"\\" not in page


def conditions() -> tuple[Condition, ...]:
    """One of each status, with hostile words."""
    return tuple(
        Condition(
            wanted=message("values.colon", label=Name(f"{HOSTILE} {status.value}"), words=1),
            status=status,
            standing=message("overview.standing_open"),
            measured="too few <labels>"
            if status is Status.UNMEASURABLE
            else message("overview.now", value=Name("\x00\x1b[31m\ufffe<b>&")),
        )
        for status in (Status.MET, Status.MISSED, Status.OPEN, Status.UNMEASURABLE)
    )


def test_the_conditions_of_a_gate_are_a_table() -> None:
    """A row each, and how many are met; a document without a gate has none."""
    asked = Document(message("gold_check.empty"), conditions=conditions())
    page = markdown.render(asked)
    table = cells(parsed(page))

    assert "### Gate: 1 of 4 conditions met" in page
    assert len(table) == 4 * 3
    assert table[-1].endswith("too few <labels>")
    assert "Gate" not in markdown.render(Document(message("gold_check.empty")))


def test_a_condition_is_a_test_case_by_its_status() -> None:
    """Passed, failed, or skipped with what is missing; the counts are those of the cases."""
    from xml.etree.ElementTree import fromstring

    written = junit.render(Document(message("gold_check.empty"), conditions=conditions()), "assay <check>")
    root = fromstring(written)
    [suite] = root
    cases = suite.findall("testcase")
    outcomes = [[child.tag for child in case] for case in cases]

    assert written.isascii()
    assert outcomes == [["system-out"], ["failure"], ["skipped"], ["skipped"]]
    for element in (root, suite):
        counts = [element.get(name) for name in ("tests", "failures", "errors", "skipped")]
        assert counts == ["4", "1", "0", "2"]
    assert suite.get("name") == cases[0].get("classname") == "assay <check>"
    assert "<b>&" in str(cases[1][0].get("message"))
    assert "too few <labels>" in str(cases[3][0].get("message"))
    assert suite.findtext("system-out") == "There is no gold entry to check."
