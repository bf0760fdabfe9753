"""What the calibration page says, beside the numbers of the report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from proxy.evaluation.trust import percent
from proxy.text import numbers
from support.app import in_store, words
from support.store import report_of

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest


def cards(app: AppTest) -> dict[str, str]:
    """Each card's value by its name."""
    return {metric.label.replace("\\", ""): metric.value for metric in app.metric}


def plain(app: AppTest) -> str:
    """Everything on the page that is written by us, as a reader sees it."""
    return words(app).replace("\\", "")


def expected(report: dict[str, Any]) -> dict[str, str]:
    """What the cards say, from the JSON of `assay report`."""
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
