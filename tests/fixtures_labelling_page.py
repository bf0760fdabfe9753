"""What a person sees on the labelling page."""

from __future__ import annotations

from typing import Any

from streamlit.testing.v1 import AppTest


def sentence(app: AppTest) -> str:
    """The page's answer, without the marks of markdown."""
    boxes = [*app.success, *app.warning, *app.error, *app.info]
    return "".join(one.value for one in boxes if "drawn" in one.value).replace("\\", "")


def tables(app: AppTest) -> dict[str, Any]:
    """The tables on the page by their first column."""
    return {next(iter(one.value.columns)): one.value for one in app.dataframe}


def look(app: AppTest, labels: int = 12) -> AppTest:
    """Ask what a wave would draw."""
    app.number_input(key="wave-labels").set_value(labels)
    return app.button(key="wave-look").click().run()
