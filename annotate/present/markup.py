"""Write elements of SVG; a `str` is somebody's text and is escaped, only what was built here is `Markup` and is not."""

from __future__ import annotations

from markupsafe import Markup, escape

from annotate.domain.privacy.redaction import for_page
from proxy.text.language import displayable

EMPTY = frozenset({"line", "rect", "circle", "path", "polygon", "polyline"})
SAID = frozenset({"aria_label", "title", "alt"})


def inner(*parts: str) -> Markup:
    """Put the parts one after the other, texts escaped."""
    return Markup("").join(part if isinstance(part, Markup) else for_page(part) for part in parts)


def tag(name: str, /, *parts: str, **attributes: object) -> Markup:
    """Write an element; a `_` within an attribute's name is a hyphen, as in `aria_label`."""
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_attribute(key, value))}"' for key, value in attributes.items()
    )
    return Markup(f"<{name}{shown}/>" if name in EMPTY else f"<{name}{shown}>{inner(*parts)}</{name}>")  # noqa: S704 # escaped


def _attribute(name: str, value: object) -> str:
    """Write an attribute: what stands for a picture may hold names of others; numbers of a drawing are ours."""
    return for_page(str(value)) if name in SAID else displayable(str(value))
