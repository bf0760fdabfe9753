"""What a person sees on the labelling page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from typing import Any

from streamlit.testing.v1 import AppTest

from annotate.pages.labelling.parts import PART
from annotate.pages.labelling.waves import COUNTS, LEDGER
from annotate.store import Store
from proxy.records import Item
from support.app import HOSTILE, NOW, drawn, judged
from support.app import tables as shown_tables
from support.store import take_feedback, take_labels


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


def agreed(store: Store) -> None:
    """The demo's sixteen draws, each read alike by two."""
    drawn(store)
    take(
        store,
        [said(name, "right" if n % 3 else "wrong", who) for n, name in enumerate(ids(store)) for who in ("ann", "ben")],
    )


def at(app: AppTest, part: str) -> AppTest:
    """The page with this part of it on screen."""
    app.query_params[PART] = part
    page: AppTest = app.run()
    assert not page.exception
    return page


def waves(app: AppTest) -> AppTest:
    """The waves with their ledger and all counts unfolded."""
    app.session_state[LEDGER] = app.session_state[COUNTS] = True
    return at(app, "waves")


def work(app: AppTest) -> str:
    """What the three rows of work say."""
    rows = [part.proto.body for part in app.get("html") if "a-work" in part.proto.body]
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", row) for row in rows))


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
