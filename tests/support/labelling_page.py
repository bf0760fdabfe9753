"""What a person sees on the labelling page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from streamlit.testing.v1 import AppTest

from annotate.pages.labelling import PART
from annotate.store import Store
from proxy.records import Item
from support.app import HOSTILE, NOW, answer, drawn, judged
from support.app import tables as shown_tables
from support.store import take_feedback, take_labels


def sentence(app: AppTest) -> str:
    """The page's answer, without the marks of markdown."""
    return answer(app)[1]


def tables(app: AppTest) -> dict[str, Any]:
    """The tables on the page by their first column."""
    return {next(iter(table.columns)): table for table in shown_tables(app)}


def look(app: AppTest, labels: int = 12) -> AppTest:
    """Ask what a wave would draw."""
    app.number_input(key="wave-labels").set_value(labels)
    return app.button(key="wave-look").click().run()


def take(store: Store, rows: Sequence[dict[str, object]], now: str = NOW) -> None:
    take_labels(store, rows, now)


def said(item: str, word: str, who: str, **more: object) -> dict[str, object]:
    return {"item_id": item, "label": word, "annotator": who, **more}


def ids(store: Store) -> list[str]:
    return sorted({draw.item_id for draw in store.sampling.waves.all_draws()})


def disputed(store: Store) -> None:
    """The demo's draws: two disputed (the second with serious harm), one unsure, two agreed."""
    drawn(store)
    first, second, third, *rest = ids(store)
    rows = [said(first, "right", "dr-one"), said(first, "wrong", "dr-two", reference="Never.", rationale="The dose.")]
    rows += [said(second, "right", "dr-one"), said(second, "wrong", "dr-two", harm="serious", rationale="Dangerous.")]
    rows += [
        said(third, "unsure", "dr-one"),
        *(said(item, "right", who) for item in rest[:2] for who in ("dr-one", "dr-two")),
    ]
    take(store, rows)


def at(app: AppTest, part: str) -> AppTest:
    """The page with this part of it on screen."""
    page: AppTest = app.button_group(key=PART).set_value(part).run()
    assert not page.exception
    return page


def hostile_thumbs(store: Store) -> None:
    """Answers with hostile complaints, one of them of an id that nobody knows."""
    judged(store)
    with store.atomic():
        store.traffic.items.add([Item(id="<b>0</b>", question=HOSTILE, answer=HOSTILE, contexts=())], now=NOW)
    rows = [
        {"item_id": "<b>0</b>", "value": -1, "comment": HOSTILE, "correction": HOSTILE, "at": "2026-11-21T12:00:00Z"},
        {"item_id": "lost <i>", "value": -1, "source": "<u>app</u>"},
    ]
    take_feedback(store, rows)
