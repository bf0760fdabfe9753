"""A table as HTML and as a file: what a browser finds, what a screen reader hears, what a spreadsheet computes with."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from annotate.domain.counted import counted
from annotate.domain.message import (
    Between,
    EvidenceText,
    IntervalBasis,
    Kind,
    Name,
    Number,
    Value,
    coefficient,
    message,
)
from annotate.files.writing import as_csv
from annotate.pages.kit import links, tables
from annotate.pages.kit.html_table import LONGEST_NUMBER, HtmlCell, HtmlColumn, html_table
from annotate.present.exact_table import ShownCell, exact
from annotate.present.messages import text
from annotate.present.scaled_bars import scaled_bars
from proxy.evaluation.estimate import Estimate
from proxy.stats.intervals import Interval

MAIL = "jane.roe@example.org"
HOSTILE = "</td><script>alert(1)</script><b onclick='x()'>\"&amp; =1+1"


def _table(rows: list[list[HtmlCell]], **options: int) -> ET.Element:
    columns = [HtmlColumn("Judge"), HtmlColumn("n", is_number=True, help='so "many"')]
    return ET.fromstring(html_table(columns, rows, name="Judges & others", **options))


def test_every_cell_belongs_to_a_column_and_a_named_row() -> None:
    """The table has its name; rows and columns are named by scope."""
    table = _table([[HtmlCell("a"), HtmlCell("1")], [HtmlCell("b"), HtmlCell("2")]], chosen=1)

    assert [(cell.tag, cell.get("scope"), cell.text) for row in table.iter("tr") for cell in row] == [
        *(("th", "col", "Judge"), ("th", "col", "n")),
        *(("th", "row", "a"), ("td", None, "1"), ("th", "row", "b"), ("td", None, "2")),
    ]
    assert (table.get("role"), table.get("tabindex"), table.get("aria-label")) == ("region", "0", "Judges & others")
    assert [part.get("aria-label") for part in table.iter("table")] == ["Judges & others"]
    assert [row.get("aria-current") for row in table.iter("tr")] == [None, None, "true"]
    assert [cell.get("class") for row in table.iter("tr") for cell in row] == [None, "number"] * 3
    assert [head.get("title") for head in table.iter("th")] == [None, 'so "many"', None, None]


def test_a_single_row_of_numbers_has_no_name() -> None:
    """The first of four counts is a count like the others."""
    table = ET.fromstring(html_table([HtmlColumn("both", is_number=True)], [[HtmlCell("2")]], name="pairs"))
    assert [cell.tag for row in table.iter("tr") for cell in row] == ["th", "td"]


def test_a_sentence_in_a_column_of_numbers_is_broken_into_lines() -> None:
    """An interval stays on its line; why there is none may be long."""
    texts = ["9" * LONGEST_NUMBER, "9" * (LONGEST_NUMBER + 1)]
    table = _table([[HtmlCell("a"), HtmlCell(text)] for text in texts])
    assert [cell.get("class") for cell in table.iter("td")] == ["number", "number words"]


def test_texts_of_others_stay_text() -> None:
    """Read as XML, the hostile text is the text of its cell, its column and its link, and no element beside them."""
    columns = [HtmlColumn(HOSTILE, help=HOSTILE)]
    table = ET.fromstring(html_table(columns, [[HtmlCell(HOSTILE, f"/x?a={HOSTILE}")]], name=HOSTILE))

    assert {part.tag for part in table.iter()} == {"div", "table", "thead", "tbody", "tr", "th", "a"}
    assert [cell.get("dir") for cell in table.iter("th")] == ["auto", "auto"]
    assert [part.text for part in (*table.iter("a"), next(table.iter("th")))] == [HOSTILE] * 2
    assert table.get("aria-label") == HOSTILE
    assert [link.get("href") for link in table.iter("a")] == [f"/x?a={HOSTILE}"]


def _file(columns: list[str], rows: list[list[Value]]) -> list[list[str]]:
    laid_out = exact(columns, [[ShownCell(value, text(value)) for value in row] for row in rows])
    data = as_csv([text(column) for column in laid_out.columns], laid_out.rows)
    return list(csv.reader(io.StringIO(data.decode(), newline="")))


def test_a_file_has_every_digit_and_both_ends() -> None:
    """Values are written so that they read back as the same float; words and counts stand as they are shown."""
    third, long_run = 1 / 3, Interval(0.1 + 0.2, 2 / 3)
    known = Estimate(estimate=third, low=0.25, high=0.5, n=12, method="m", long_run=long_run)
    short = message("report.short", value=Number(third, Kind.SHARE), span=Between(0.25, 0.5, Kind.SHARE))
    rows = _file(
        ["who", "share", "ends", "long run", "n"],
        [
            [Name("a"), short, Between(0.25, 0.5, Kind.SHARE), EvidenceText(known, Kind.SHARE), 1200],
            [Name("b"), None, None, EvidenceText(known, Kind.SHARE, IntervalBasis.WINDOW), 0],
        ],
    )

    assert rows[0] == [
        *("who", "share", "share, low end", "share, high end", "ends, low end", "ends, high end"),
        *("long run", "long run, low end", "long run, high end", "long run, n", "n"),
    ]
    assert rows[1][0] == "a"
    assert [float(cell) for cell in rows[1][1:]] == [third, 0.25, 0.5, 0.25, 0.5, third, *long_run, 12, 1200]
    assert rows[2] == ["b", "", "", "", "", "", repr(third), "0.25", "0.5", "12", "0"]


def test_no_cell_of_a_file_is_a_formula() -> None:
    """Names of others get a quote where a spreadsheet would compute with them; a negative number stays one."""
    names = ["=1+1", "+1", "-1", "@x", "\t=1", " =1", "\uff1d1"]
    rows = _file(["=head", "n"], [[Name(name), coefficient(-0.5)] for name in names])

    assert all(row[0].startswith("'") for row in rows)
    assert [row[1] for row in rows[1:]] == ["-0.5"] * len(names)


def test_bars_of_a_column_share_their_scale() -> None:
    """Shares above a half begin there, differences lie around none, and what has no interval has no bar."""
    share = [message("report.short", value=Number(0.75, Kind.SHARE), span=Between(0.6, 0.875, Kind.SHARE)), None]
    bars = scaled_bars(share)
    assert bars is not None
    assert [bar and bar[:5] for bar in bars.bars] == [(0.75, 0.6, 0.875, 0.5, 1.0), None]

    apart = [
        message("report.short", value=Number(at, Kind.POINTS, True), span=Between(low, high, Kind.POINTS, True))
        for at, low, high in ((-0.1, -0.25, 0.05), (0.02, 0.0, 0.04))
    ]
    bars = scaled_bars(apart)
    assert bars is not None
    assert {(bar.first, bar.last, bar.limit) for bar in bars.bars if bar} == {(-0.25, 0.25, 0.0)}
    assert [text(end) for end in bars.ends] == ["-25", "+25"]
    assert scaled_bars([Number(1, Kind.SHARE), 3]) is None


def test_a_file_holds_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With redaction on an address in a name is masked in the file too; the numbers beside it are exact."""
    (tmp_path / "assay.toml").write_text("[redaction]\non = true\n")
    monkeypatch.chdir(tmp_path)
    row = [tables._shown(Name(f"by {MAIL}")), tables._shown(coefficient(1 / 3))]
    names = [heading.name for heading in tables._headings(["who", MAIL], [])]
    data = tables._content(names, [row], "en").decode()

    assert MAIL not in data
    assert repr(1 / 3) in data


def test_a_link_names_nobody_who_may_not_be_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A count of a system that is called after a mailbox leads nowhere where mailboxes are masked, and to its answers else."""
    count = counted(3, "cause", "other", f"bot {MAIL}")
    monkeypatch.chdir(tmp_path)
    assert links.behind(count) == count.code
    (tmp_path / "assay.toml").write_text("[redaction]\non = true\n")
    assert links.behind(count) is None
    assert links.behind(counted(0, "cell", "right_pass")) is None
