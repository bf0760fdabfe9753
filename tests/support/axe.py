"""What axe finds on a page that keeps somebody out.

Of an answer that names every place that passes, the browser takes longer to write it than to find what does not pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from axe_playwright_python.base import AXE_SCRIPT

if TYPE_CHECKING:
    from playwright.sync_api import Page

CONTRAST = "color-contrast"
RUN = """async ([within, options]) => {
    const broken = (await axe.run(within ?? document, {resultTypes: ['violations'], ...options})).violations;
    return broken.map(({id, help, nodes}) => ({id, help, html: nodes[0].html}));
}"""


class Barrier(NamedTuple):
    """A rule of axe that is broken, and the first place where."""

    id: str
    help: str
    html: str


def barriers(page: Page, opened: str | None = None) -> list[Barrier]:
    """Run every rule on the page as it is.

    `opened` selects what has just opened above a page that passed: colours, two thirds of the work, are looked at within it,
    and all else on the whole page.
    """
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE_SCRIPT)
    if opened is None or not page.locator(opened).count():
        return _run(page, None, {})
    everything = _run(page, None, {"rules": {CONTRAST: {"enabled": False}}})
    return everything + _run(page, {"include": [[opened]]}, {"runOnly": [CONTRAST]})


def _run(page: Page, within: dict[str, Any] | None, options: dict[str, Any]) -> list[Barrier]:
    return [Barrier(**broken) for broken in page.evaluate(RUN, [within, options])]
