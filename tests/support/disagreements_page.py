"""The page of disagreements, opened by its address, and what it lists."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from support.app import words
from support.disagreements import told

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest


EVERY = told()


MISS = next(case for case in EVERY if case.kind == "miss" and case.causes)
FALSE_FAIL = next(case for case in EVERY if case.kind == "false_fail")


def listed(app: AppTest) -> list[str]:
    """The ids of the items in the list, by the numbers of the lifts that are asked for."""
    return [re.findall(r"lift (q\d+)", option)[0] for radio in app.radio for option in radio.options]


def opened_item(app: AppTest) -> str | None:
    """The id of the item of the list that is open."""
    return str(app.radio[0].value) if app.radio else None


def unfold(app: AppTest, key: str = "disagreements-evidence") -> AppTest:
    """Open an expander, whose content is computed only then."""
    app.session_state[key] = True
    app.run()
    assert not app.exception
    return app


def at(app: AppTest, **asked: str) -> AppTest:
    app.query_params.clear()
    for name, value in asked.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def shown(app: AppTest) -> str:
    html = "\n".join(str(element.proto.body) for element in app.get("html"))
    return "\n".join([words(app), html, *(str(text.value) for text in app.text)])
