"""The generated part of docs/metrics.md. `python tests/support/metrics_page.py` writes it anew."""

from __future__ import annotations

from pathlib import Path

from annotate.present.markdown import render
from annotate.present.metrics import catalogue
from proxy.judges.metrics.listing import listing

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"
MARK = "<!-- From here on written by `make docs`, from the metrics' own declarations. -->\n"


def generated() -> str:
    """Return the catalogue as Markdown, with everything."""
    return render(catalogue(listing()), full=True)


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(text[: text.index(MARK) + len(MARK)] + "\n" + generated(), encoding="utf-8")
