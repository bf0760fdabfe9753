"""Draw a Document as HTML: one file to send or print, or a fragment for a notebook.

No script, no request; whatever others wrote is escaped. Each measured number stands with its exact value: in a `<data>` element,
or on the row of its quantity.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from annotate.domain.message import Between, Code, Command, Kind, Message, Name, Number, Quote, Step, Value
from annotate.domain.privacy.redaction import for_page
from annotate.present import svg
from annotate.present.document import Chart, Document
from annotate.present.messages import LeavingWriter, Writer
from proxy.evaluation.estimate import Estimate

if TYPE_CHECKING:
    from jinja2 import Template

_CODE = re.compile(r"`([^`\n]+)`")
_DRAWN: Mapping[str, Callable[..., Markup]] = {
    "intervals": svg.intervals,
    "course": svg.course,
    "reliability": svg.reliability,
}


def page(
    document: Document, *, heading: Message, title: str = "", footer: Sequence[Message] = (), language: str = "en"
) -> str:
    """Draw a whole file: `heading` asks, the document answers, `footer` says of what and when."""
    writer = _HtmlWriter(language)
    return _template("page.html").render(
        **_context(writer),
        content=document,
        heading=writer.write(heading),
        title=title or writer.write(heading),
        footer=footer,
        language=language,
        style=Markup(_source("style.css")),  # noqa: S704 # our own
    )


def fragment(document: Document, language: str = "en") -> str:
    """Draw what a notebook shows: the answer and its brief sections."""
    return _template("fragment.html").render(**_context(_HtmlWriter(language)), content=document)


class _HtmlWriter(LeavingWriter):
    """Escapes all that is put into our words; `commands` in them are code."""

    def template(self, words: str) -> str:
        return Markup(_CODE.sub(r"<code>\1</code>", str(escape(words))))  # noqa: S704 # escaped here

    def shown(self, value: Value, words: str) -> str:
        if isinstance(words, Markup):  # a sentence or an interval, whose parts came through here
            return words
        if isinstance(value, Number) and value.value is not None:
            return Markup('<data value="{}">{}</data>').format(repr(value.value), words)
        if isinstance(value, Code | Command):
            return Markup("<code>{}</code>").format(for_page(words))
        if isinstance(value, Name | Quote):  # of others: in its own direction, which may be another than ours
            return Markup("<bdi>{}</bdi>").format(for_page(words))
        return self.template(for_page(words)) if type(value) is str else escape(for_page(words))


def _context(writer: Writer) -> Mapping[str, Callable[..., str]]:
    """What the templates call."""

    def between(low: float | None, high: float | None, kind: Kind, is_exact: bool = False) -> str:
        return writer.write(Between(low, high, kind, is_exact=is_exact))

    def drawn(chart: Chart) -> str:
        return _DRAWN[chart.kind](chart.data, writer.write(chart.alt), Writer(writer.language).write)

    def step(value: Step) -> str:
        return Markup(" ").join(
            [writer.write(value.message), *(writer.write(Command(command)) for command in value.commands)]
        )

    return {
        "write": writer.write,
        "say": lambda key: writer.write(Message(key)),
        "number": lambda value, kind: writer.write(Number(value, kind)),
        "between": between,
        "exact": _exact,
        "drawn": drawn,
        "write_step": step,
        "kind_of": lambda block: type(block).__name__,
    }


def _exact(estimate: Estimate) -> str:
    """The exact numbers of an estimate as attributes of its row, those that there are."""
    low, high = estimate.long_run or (None, None)
    numbers_of = {
        "estimate": estimate.estimate,
        "low": estimate.low,
        "high": estimate.high,
        "n": estimate.n,
        "long-run-low": low,
        "long-run-high": high,
    }
    attribute = Markup(' data-{}="{}"')
    return Markup("").join(
        attribute.format(name, repr(value)) for name, value in numbers_of.items() if value is not None
    )


@cache
def _template(name: str) -> Template:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    return Environment(
        loader=FunctionLoader(_source), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    ).get_template(name)


def _source(name: str) -> str:
    return files("annotate.present").joinpath("templates", name).read_text(encoding="utf-8")
