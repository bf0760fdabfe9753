"""What the reader chooses stands in the address by its code: a link opens it in any language, and it stays where they go."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from annotate.pages.kit import messages, server
from annotate.present.messages import whole_table
from annotate.store import Store
from support.app import question, questions, widget, with_everything
from support.judges import JUDGE, SEEDED, several

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

LANGUAGES = list(messages.LANGUAGES)
SECOND = f"{JUDGE} · {SEEDED}"
HOME = "http://127.0.0.1:8501"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with several judges, systems and weeks, made once."""
    path = tmp_path_factory.mktemp("address") / "assay.db"
    store = Store(path)
    several(store)
    store.close()
    return path


def linked(made: Path, monkeypatch: pytest.MonkeyPatch, page: str, **asked: str) -> AppTest:
    """The page as a new reader sees it who opens this address."""
    from streamlit.testing.v1 import AppTest
    from streamlit.util import calc_hash

    monkeypatch.setenv("ASSAY_DB", str(made))
    app = AppTest.from_file(str(server.app_file()), default_timeout=60)
    app._page_hash = calc_hash(page) if page != server.FIRST_PAGE else ""
    app.query_params.update(asked)
    app.run()
    assert not app.exception
    return app


def button(app: AppTest, key: str) -> object:
    """What is pressed in a row of buttons."""
    return widget(app.button_group, key).value


def press(app: AppTest, key: str, code: object) -> AppTest:
    """Press another."""
    next(button_group for button_group in app.button_group if button_group.key == key).set_value(code)
    return app.run()


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_link_opens_with_its_choices_in_every_language(
    made: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    """Two judges, periods, windows, a system: each as the address says, which is left as it is."""
    asked = {"lang": language, "j1": SECOND, "j2": "annotators", "jby": "month", "windows": "month", "system": "s1"}
    app = linked(made, monkeypatch, "judges", judges="scores", **asked)

    assert question(app) == whole_table()["judges.title"][language]
    assert (button(app, "lang"), button(app, "jby")) == (language, "month")
    assert [app.selectbox(key=key).value for key in ("j1", "j2")] == [SECOND, "annotators"]
    assert button(press(app, "judges", "drift"), "windows") == "month"
    assert press(app, "judges", "quadrants").selectbox(key="system").value == "s1"
    assert {name: app.query_params[name] for name in asked} == asked


@pytest.mark.slow
def test_the_default_leaves_nothing_in_the_address(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A choice is written by its code, and goes again with the default."""
    app = linked(made, monkeypatch, "judges")
    assert app.query_params == {}

    press(press(press(app, "judges", "scores"), "lang", "ko"), "jby", "month")
    assert app.query_params == {"judges": "scores", "lang": "ko", "jby": "month"}

    press(press(press(app, "jby", "week"), "lang", "en"), "judges", "agreement")
    assert app.query_params == {}
    assert question(app) == whole_table()["judges.title"]["en"]


@pytest.mark.slow
def test_unknown_values_are_named_and_ignored(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What no choice has means the default, and one line says so until the reader chooses."""
    app = linked(made, monkeypatch, "judges", judges="scores", lang="xx", jby="한국어", j1="nobody", windows="year")

    assert (button(app, "lang"), button(app, "jby")) == ("en", "week")
    [note] = [caption.value.replace("\\", "") for caption in app.caption if "does not have" in caption.value]
    for part in ("lang = xx", "jby = 한국어", "j1 = nobody", "windows = year"):
        assert part in note

    app.query_params.clear()
    assert not any("does not have" in caption.value for caption in app.run().caption)


@pytest.mark.slow
def test_going_back_and_forward_undoes_and_repeats(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The address of before shows what it showed."""
    app = linked(made, monkeypatch, "judges", judges="scores")
    press(press(app, "lang", "zh"), "jby", "month")
    for asked, language, by in (
        ({"lang": "zh"}, "zh", "week"),
        ({}, "en", "week"),
        ({"lang": "zh"}, "zh", "week"),
        ({"lang": "zh", "jby": "month"}, "zh", "month"),
    ):
        app.query_params.clear()
        app.query_params.update({"judges": "scores", **asked})
        app.run()

        assert question(app) == whole_table()["judges.title"][language]
        assert (button(app, "lang"), button(app, "jby")) == (language, by)
        assert app.query_params == {"judges": "scores", **asked}


@pytest.mark.slow
def test_some_of_several_stand_in_one_parameter(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The figures by week: those that the address names, never none."""
    app = linked(made, monkeypatch, "overview", lang="ko", course="pass_rate,odd,thumbs_down")
    with_everything(app)
    assert button(app, "course") == ["pass_rate", "thumbs_down"]

    press(app, "course", ["correctness"])
    assert app.query_params == {"lang": "ko", "course": "correctness"}

    press(app, "course", [])
    assert app.query_params == {"lang": "ko"}
    assert button(app, "course") == ["correctness", "pass_precision"]


@pytest.mark.slow
def test_a_page_that_there_is_not_is_named(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The overview stands in its place, and says so; a page of ours says nothing."""
    from streamlit.util import calc_hash

    app = linked(made, monkeypatch, "judges")
    for page, is_there in (("nopage", False), ("gold", True)):
        app.context = {"url": f"{HOME}/{page}"}
        app._page_hash = calc_hash(page)
        assert not app.run().exception
        assert any(f"There is no page “{page}”" in caption.value for caption in app.caption) is not is_there
        assert question(app) in questions("gold" if is_there else "overview", "en")


@pytest.mark.slow
def test_a_typed_side_stands_in_the_address(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A window of time that no list holds is read back."""
    app = linked(made, monkeypatch, "systems", lang="zh", a="s1@2026-01-01..", b="s2")

    assert [app.selectbox(key=key).value for key in ("a", "b")] == ["s1@2026-01-01..", "s2"]


@pytest.mark.slow
def test_the_choice_stays_where_the_navigation_drops_the_address(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the next page and back again: the language and what was chosen there, in the address too."""
    from streamlit.util import calc_hash

    app = linked(made, monkeypatch, "judges", judges="scores")
    app.context = {"url": f"{HOME}/judges"}
    press(press(app.run(), "lang", "ko"), "jby", "month")

    def go(page: str) -> None:
        app._page_hash = calc_hash(page)
        app.query_params.clear()
        app.context = {"url": f"{HOME}/{page}"}
        app.run()

    go("gold")
    assert question(app) in questions("gold", "ko")
    assert app.query_params == {"lang": "ko"}

    app.query_params.clear()  # back, to the page as the navigation opened it
    app.run()
    assert question(app) in questions("gold", "ko")
    assert app.query_params == {}

    go("judges")
    assert (question(app), button(app, "jby")) == (whole_table()["judges.title"]["ko"], "month")
    assert app.query_params == {"lang": "ko", "jby": "month", "judges": "scores"}
