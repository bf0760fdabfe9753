"""What a part of the page rests on, folded: each section of a document behind its title."""

from __future__ import annotations

from collections.abc import Iterable

from annotate.domain.message import message
from annotate.pages.kit import draw
from annotate.present.document import Detail, Section


def show(sections: Iterable[Section], key: str) -> None:
    """Fold the sections, also those that other doors show at once; `key` is their part of the page."""
    draw.sections(
        [part._replace(title=part.title or message("systems.tab_basis"), detail=Detail.FULL) for part in sections], key
    )
