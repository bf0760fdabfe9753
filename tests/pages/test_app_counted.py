"""A count in a table leads to the answers that it counts: as many rows in the list as the table says."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

from annotate.analysis import disagreements
from annotate.analysis.counted_answers import counted_answers
from annotate.store import Store
from annotate.store.labels.disagreements import DisagreementFilter
from support.app import Make, Open, in_store, walk, with_everything, words
from support.disagreements_page import at
from support.judges import several
from support.mixed import mixed
from support.systems import many

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

LINK = re.compile(r'<a class="a-go" href="(/disagreements\?[^"]+)">(.*?)</a>')
PICTURED = re.compile(r"<a class='a-go' href='(/disagreements\?[^']+)' title='[^']*: (\d+)'")
N, FIRST = re.compile(r"n = (\d+)\)"), re.compile(r"\d+")


def counts(app: AppTest) -> dict[str, int]:
    """What each count of the page leads to, by the code in its address."""
    links = [link for part in app.get("html") for link in LINK.findall(part.proto.body)]
    return {parse_qs(urlsplit(unescape(address)).query)["counted"][0]: number(text) for address, text in links}


def number(cell: str) -> int:
    """The n of an estimate, else the first number."""
    n, first = N.search(cell), FIRST.search(cell)
    assert first, cell
    return int(n[1] if n else first[0])


def totals(store: Store, codes: list[str]) -> dict[str, int]:
    """How many rows each list has."""
    basis, listed = disagreements.ground(store), store.labels.disagreements
    return {
        code: listed.total(basis.key, DisagreementFilter(items=counted_answers(store, code), has_agreements=True))
        for code in codes
    }


def unfolded(app: AppTest) -> AppTest:
    """The part with all of its expanders."""
    for key in (
        *(f"{part}-{place}" for part in ("judges-diagnosis", "judges-drift", "systems-slices") for place in range(4)),
        "side-by-side-thresholds",
    ):
        app.session_state[key] = True
    return app.run()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "page", "part", "kinds"),
    [
        (walk, "", "", {"cell", "quadrant", "stratum"}),
        (mixed, "", "", {"cell", "quantity", "quadrant", "stratum", "thumb", "window"}),
        (walk, "judges", "quadrants", {"stage", "crossed"}),
        (mixed, "judges", "drift", {"window"}),
        (mixed, "judges", "quadrants", {"crossed", "stage"}),
        (several, "judges", "scores", {"judge-cell", "judge-bin"}),
        (many, "systems", "slices", {"slice"}),
    ],
)
def test_every_count_is_that_of_its_list(
    opened: Open, store_path: Path, make: Make, page: str, part: str, kinds: set[str]
) -> None:
    """Read off the tables as they are shown, whatever their builder meant."""
    app = opened(make, page)
    if part:
        app.query_params[page] = part
    app = with_everything(app) if not page else unfolded(app.run())
    shown = counts(app)

    assert {code.partition("~")[0] for code in shown} >= kinds
    assert in_store(store_path, lambda store: totals(store, list(shown))) == shown


@pytest.mark.slow
@pytest.mark.parametrize("threshold", ["", "0.15", "0.62"])
def test_every_cell_of_the_picture_says_how_many_it_opens(opened: Open, store_path: Path, threshold: str) -> None:
    """The 2x2 table to scale, at the threshold in force and at others; one without a label leads nowhere."""
    app = opened(mixed, "calibration")
    if threshold:
        app.query_params["threshold"] = threshold
        app.run()
    [body] = [part.proto.body for part in app.get("html") if "<div class='a-cells'" in part.proto.body]
    counts = {
        parse_qs(urlsplit(unescape(address)).query)["counted"][0]: int(count)
        for address, count in PICTURED.findall(body)
    }

    assert len(counts) == 4
    assert in_store(store_path, lambda store: totals(store, list(counts))) == counts


@pytest.mark.slow
def test_the_list_has_them_with_agreements_among_them(opened: Open) -> None:
    """Of sixteen answers the right and passed are no disagreement: the list of the 2x2 table's cell has them all the same."""
    app = opened(walk, "disagreements")
    differing = len(app.radio[0].options)
    at(app, counted="cell~right_pass")
    rows = app.radio[0]

    assert len(rows.options) > differing
    assert f"{len(rows.options)} of {len(rows.options)}" in words(app)
    assert all("Passed by the proxy, ✓ right" in caption for caption in rows.proto.captions)
    assert app.radio[0].value in app.query_params.get("item", [app.radio[0].value])

    at(app, counted="cell~nothing")
    assert len(app.radio[0].options) == differing
    assert "counted = cell" in words(app).replace("\\", "")


@pytest.mark.slow
def test_other_filters_keep_what_both_keep(opened: Open) -> None:
    """A search within the answers of a count."""
    app = at(opened(walk, "disagreements"), counted="cell~right_pass")
    whole = len(app.radio[0].options)
    at(app, counted="cell~right_pass", text="the")

    assert 0 < len(app.radio[0].options) < whole
