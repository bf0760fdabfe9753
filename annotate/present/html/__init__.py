"""Write the report as one HTML file to send or print, which needs nothing else.

No script, no request, no text of questions, answers or readers; every text of others is escaped. The rule: each measured number
stands in a `<data>` element whose value is exactly that of `assay report --json`.
"""

from __future__ import annotations

from annotate.analysis.printed_report import Printed
from annotate.present.html.page import page

__all__ = ["as_html"]


def as_html(printed: Printed) -> bytes:
    """The page as UTF-8."""
    return page(printed).encode("utf-8", "replace")
