"""Texts of production as HTML that renders nothing: typography of ours around escaped text, and nothing lost."""

from __future__ import annotations

import random
import re
from collections import Counter
from html.parser import HTMLParser

import pytest

from annotate.domain.inert_html import inert_html

TAGS = {"div", "p", "br", "hr", "h3", "h4", "ul", "ol", "li", "blockquote", "pre", "code", "strong", "em", "s"} | {
    *("table", "thead", "tbody", "tr", "th", "td")
}


class Page(HTMLParser):
    """What a browser would make of it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[tuple[str, str | None]] = set()
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= set(attrs)
        self.text += " "

    def handle_endtag(self, tag: str) -> None:
        self.text += " "

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


@pytest.mark.parametrize(
    ("text", "tags", "shown"),
    [
        ("Take **4 g** at *most*.", ["p", "strong", "em"], "Take 4 g at most."),
        ("- a\n- b\n\n3. c\n4. d", ["ul", "li", "li", "ol", "li", "li"], "abcd"),
        ("# Dose\nAt most", ["h3", "p"], "DoseAt most"),
        (
            "| drug | g |\n| --- | ---: |\n| a | 4 |",
            ["table", "thead", "tr", "th", "th", "tbody", "tr", "td", "td"],
            "druga4g",
        ),
        ("See [NICE](https://nice.org.uk/x?y=1).", ["p"], "See NICE (https://nice.org.uk/x?y=1)."),
        ("**x**\n![scan](http://evil/x)", ["p", "strong", "br"], "x[scan] (http://evil/x)"),
        ("`a<b` and\n```py\nx = 1\n```", ["p", "code", "pre"], "a<b andpyx = 1"),
    ],
)
def test_markdown_is_typography(text: str, tags: list[str], shown: str) -> None:
    """Bold, lists, headings, tables and code look as they were meant; links and pictures are words beside their address."""
    page = Page(inert_html(text))

    assert page.tags == ["div", *tags]
    assert sorted(re.sub(r"\s", "", page.text)) == sorted(re.sub(r"\s", "", shown))


@pytest.mark.parametrize(
    "text",
    [
        "2*3*4 = 24 and 2**3**4",
        "**a**\n\n[id]: http://x.org 'title'",
        "**a** &lt;b&gt; &amp; \\( x^2 \\) \\*",
        "**a**\n\n    four spaces <b>",
        "**a**\nsnake_case_name",
        "**a** <https://x.org> [no](javascript:alert(1))",
        "Under\n-----\n**a**",
    ],
)
def test_marks_that_may_be_meant_stay(text: str) -> None:
    """Within words, and where Markdown would drop a line or a sign, what was written is shown."""
    kept = re.sub(r"(?<!\w)\*\*|\*\*(?!\w)|\s|-----", "", text)

    assert re.sub(r"\s", "", Page(inert_html(text)).text) == kept


def test_a_text_without_markdown_is_as_it_was_written() -> None:
    """Line by line, with its spaces; a dash, a number or a star alone make no list."""
    text = "1. one\n  two - three\n\nthree * four\r\n\t<b> & `` quoted ''"

    assert inert_html(text) == (
        '<p dir="auto">1. one</p><p dir="auto">  two - three</p><p dir="auto"><br></p><p dir="auto">three * four</p>'
        '<p dir="auto">\t&lt;b&gt; &amp; `` quoted &#x27;&#x27;</p>'
    )


PIECES = [
    *(
        "<script>",
        "</p>",
        "<img src=http://evil/x onerror=alert(1)>",
        "<iframe srcdoc='<script>x</script>'>",
        "<!--",
        "]]>",
    ),
    *(
        "[a](javascript:alert(1))",
        "![b](http://evil/x)",
        "[c](http://evil/'onclick='x)",
        '<a href="//evil">',
        "<style>*{",
        "**b**",
    ),
    *(
        "`",
        "```",
        "~~~ x onload=1",
        "| a |\n| --- |\n| <svg onload=x> |",
        "# h",
        "> q",
        "- i",
        "1. n",
        "&lt;script&gt;",
        "\0",
        "\n",
    ),
    *("[r]: data:text/html,<script>", "![r][r]", "<http://evil>", "\u202e", "~~s~~", "_", "*", "\\", "\n\n", " "),
]


@pytest.mark.parametrize("seed", range(60))
def test_whatever_is_written_nothing_but_our_tags_comes_out(seed: int) -> None:
    """Hostile pieces in any order make no other tag, no attribute that acts or fetches, and lose no word."""
    rng = random.Random(seed)
    text = "**m** " + "".join(rng.choices(PIECES, k=25))
    page = Page(inert_html(text))

    assert set(page.tags) <= TAGS
    assert {name for name, _ in page.attributes} <= {"dir", "class", "start"}
    assert {value for name, value in page.attributes if name != "start"} <= {"auto", "as-md"}
    assert all(str(value).isdigit() for name, value in page.attributes if name == "start")
    words = re.compile(r"[^\W\d_]+")
    assert not Counter(words.findall(text)) - Counter(words.findall(page.text))


def test_huge_texts_are_read_in_one_go() -> None:
    """A text of nothing but marks neither hangs nor grows without end."""
    for text in ("*" * 9_000, "**a " * 2_000, "[" * 5_000, "> " * 4_000, "- " * 4_000, "x" * 200_000):
        assert len(inert_html(f"**m**\n{text}")) < 30 * len(text) + 2000
    blanks = " " * 19_000
    assert inert_html(f"{blanks}x") == f'<p dir="auto">{blanks}x</p>'


def test_a_cell_too_many_is_not_lost() -> None:
    """Where Markdown would drop words, the text is shown as it was written."""
    text = "| drug |\n| --- |\n| a | at most 4 g |"

    assert inert_html(text) == "".join(f'<p dir="auto">{line}</p>' for line in text.split("\n"))
