"""What the calibration page says, beside the numbers of the report."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from annotate.pages.calibration import using
from annotate.pages.kit import server
from proxy.evaluation.trust import percent
from proxy.text import numbers
from support.app import in_store, tables, words
from support.store import report_of

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

FIGURE = re.compile(r"<span>(.*?)</span><b>(.*?)</b><small>(.*?)</small>")
CELLS = re.compile(r"class='a-cells' role='group' aria-label='(.*?)'")


class Shown(NamedTuple):
    """A figure as the page shows it: its value, and what stands beside it."""

    value: str
    beside: str


def linked(**parameters: str | list[str]) -> AppTest:
    """The page as a new reader sees it who opens an address."""
    from streamlit.testing.v1 import AppTest
    from streamlit.util import calc_hash

    app = AppTest.from_file(str(server.app_file()), default_timeout=60)
    app._page_hash = calc_hash("calibration")
    app.query_params.update(parameters)
    app.run()
    assert not app.exception
    return app


def figures_of(html: str) -> dict[str, Shown]:
    """The three figures at the threshold that is looked at, by name."""
    return {name: Shown(unescape(value), unescape(beside)) for name, value, beside in FIGURE.findall(html)}


def figures(app: AppTest) -> dict[str, Shown]:
    """The same, as the page sends them."""
    return figures_of("".join(part.proto.body for part in app.get("html")))


def cells(app: AppTest) -> str:
    """The 2x2 table as it is read aloud."""
    [said] = CELLS.findall("".join(part.proto.body for part in app.get("html")))
    return unescape(said)


def quantities(app: AppTest) -> dict[str, str]:
    """Every quantity at the threshold that is looked at, by name: the popover is opened for it."""
    app.session_state[using.QUANTITIES] = True
    app.run()
    assert not app.exception
    table = tables(app)[0]
    return {name: str(value).partition(" (")[0] for name, value in zip(table.iloc[:, 0], table.iloc[:, 1], strict=True)}


def plain(app: AppTest) -> str:
    """Everything on the page that is written by us, as a reader sees it."""
    return words(app).replace("\\", "")


def expected(report: dict[str, Any]) -> dict[str, str]:
    """What the page says of every quantity, from the JSON of `assay report`."""
    rate, precision, wrong = (report[name]["estimate"] for name in ("pass_rate", "pass_precision", "false_passes"))
    return {
        "Right among the passed": percent(precision),
        "Passed by the proxy": percent(rate),
        "Passed among the right": share(report["sensitivity"]["estimate"]),
        "Failed among the wrong": share(report["specificity"]["estimate"]),
        "Agreement beyond chance": f"{report['kappa']['estimate']:.2f}",
        "False passes, of 1,000 answers": numbers.per_thousand(1000 * wrong),
    }


def share(value: float | None) -> str:
    return "—" if value is None else percent(value)


def reported(path: Path) -> dict[str, Any]:
    return in_store(path, report_of)
