"""The page Systems as a person sees it, without a browser: sentences, numbers that are the command's, what to do next."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from annotate.analysis.comparison import compare, rank
from annotate.analysis.next_step.commands import FILES
from annotate.analysis.next_step.comparison import after_ranking
from annotate.analysis.next_step.slices import after_slices
from annotate.analysis.slices import find
from annotate.cli import main
from annotate.pages.kit import server
from annotate.present import comparison, ranking
from annotate.present import slices as present_slices
from annotate.present.messages import text
from annotate.store import Store
from annotate.workflow.sampling import paired_waves
from proxy.evaluation.trust import percent
from proxy.text.numbers import p_value, points
from support.app import (
    NOW,
    SEEN,
    Open,
    answer,
    drawn,
    in_store,
    judged,
    links,
    nothing,
    question,
    tables,
    three,
    walk,
    words,
)
from support.store import add, item
from support.systems import RIGHT, hostile, many

ADJUSTED = "Adjusted p"


def alone(store: Store) -> None:
    """One system only."""
    add(store, *(item(f"i{n}", question=f"Q{n}?", system="only") for n in range(3)))


def tab(app: AppTest, name: str) -> AppTest:
    """The page with this tab open."""
    app.query_params["systems"] = name
    app.run()
    assert not app.exception
    return app


def unfolded(app: AppTest, name: str) -> AppTest:
    """The same, with all that is folded in it."""
    for place in range(6):
        app.session_state[f"systems-{name}-{place}"] = True
    return tab(app, name)


def at(path: Path, **address: str) -> AppTest:
    """The page as an address with these parameters opens it."""
    app = AppTest.from_file(str(server.app_file()), default_timeout=60)
    app._page_hash = calc_hash("systems")
    for name, value in address.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def metrics(app: AppTest) -> dict[str, str]:
    """The cards by their label, markdown marks taken away; the last of a name counts."""
    return {metric.label.replace("\\", ""): metric.value for metric in app.metric}


def compared_names(app: AppTest) -> tuple[str, str]:
    """The old one and the new one, as they are chosen."""
    return str(app.selectbox(key="a").value), str(app.selectbox(key="b").value)


def plain(app: AppTest) -> str:
    """What is said, without the marks that make it literal."""
    return words(app).replace("\\", "")


@pytest.mark.slow
def test_the_demo_says_which_is_better_in_the_words_of_the_command(opened: Open, store_path: Path) -> None:
    """Name, sentence, rates, differences and grades are those of `assay compare`."""
    app = opened(walk, "systems")
    compared = in_store(store_path, lambda store: compare.compare(store, ("top-k-3", "top-k-8")))
    told = CliRunner().invoke(main, ["compare", "top-k-3", "top-k-8", "--json", "--db", str(store_path)])
    by_command = json.loads(told.stdout)

    assert question(app) == "Which system is better?"
    assert answer(app) == (":green[**top\\-k\\-8**]", text(comparison.answer(compared)))
    [differences] = tables(app)
    assert list(differences.columns)[2:] == ["top-k-8", "top-k-3"]
    right, passed = differences.to_numpy()
    assert right[0] == "Right answers (the difference: 8 shared questions)"
    assert right[3].startswith(f"{percent(compared.sides[0].rate.estimate)} (")
    assert right[1].startswith("+75 (+19 to +100, n = 8)")
    among = by_command["pass_precision_difference"]
    assert passed[1].startswith(points(among["estimate"], "+"))
    assert f"n = {among['n']}" in passed[1]
    assert links(app) == [listed.second.question for listed in compared.listed if not listed.is_broken][:5]

    assert "McNemar mid-p .016" in plain(tab(app, "basis"))
    assert [row.tolist() for row in tables(app)[1].to_numpy()] == [[2, 0, 6, 0]]
    assert set(tables(tab(app, "answers"))[1]["What"]) == {"fixed"}
    cards = metrics(tab(app, "grades"))
    assert cards["top-k-3: mean of 5"] == "3.12"
    assert cards["top-k-8: mean of 5"] == "5.00"
    assert cards["New minus old"] == "+1.88"
    assert "Grades by a judge, not by annotators: correctness_vs_reference" in plain(app)
    assert not app.code, "no command: the page does it"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "title", "part"),
    [
        ("zh", "哪個系統比較好？", "+75 個百分點（+19 至 +100，n = 8）"),
        ("ko", "어느 시스템이 더 나은가요?", "+75%p(+19~+100, n = 8)"),
    ],
)
def test_other_languages_have_a_sentence_of_their_own(
    opened: Open, store_path: Path, language: str, title: str, part: str
) -> None:
    """The standing as the table of strings says it, with the same numbers."""
    opened(walk, "systems")
    app = at(store_path, lang=language, systems="basis")

    assert question(app) == title
    assert part in answer(app)[1]
    assert ".016" in plain(app)


@pytest.mark.slow
@pytest.mark.parametrize("make", [nothing, alone, judged, drawn, three, hostile])
def test_half_filled_stores_say_what_to_do(opened: Open, make: object) -> None:
    """No exception; a command where only a command can help, else what is missing."""
    app = opened(make, "systems")

    if make is alone:
        assert "only is the only system here" in plain(app)
    if make is nothing:
        assert "There is no answer yet" in plain(app)
        assert "assay ingest FILE" in app.code[0].value
    if make in (judged, drawn):
        assert "cannot be compared with" in plain(app)


def test_hostile_names_are_text(opened: Open) -> None:
    """Names of systems and questions are shown literally wherever they stand."""
    app = opened(hostile, "systems")

    # Escaped, every mark has a backslash before it; what stands in a code span is literal as it is.
    said = "\n".join(element.value for element in (*app.markdown, *app.info, *app.caption))
    assert SEEN[0] not in re.sub(r"`[^`\n]+`", "", said)
    assert SEEN[0] not in "\n".join(metric.label for metric in app.metric)


@pytest.mark.slow
def test_many_systems_are_ranked_as_the_command_does(opened: Open, store_path: Path) -> None:
    """Three systems: the sentence, ranks as ranges, rates and reasons as `assay compare A B C` gives them."""
    app = unfolded(opened(many, "systems"), "ranking")
    ranked = in_store(store_path, lambda store: rank.rank(store, list(RIGHT)))
    table = next(dataframe for dataframe in tables(app) if "Rank" in dataframe.columns)

    assert text(ranking.answer(ranked)) in plain(app)
    assert dict(zip(table["System"], table["Rank"], strict=True)) == {
        ranked.names[system.number]: text(ranking.ranks(system)) for system in ranked.standings.systems
    }
    assert dict(zip(table["System"], table["Right, these answers"], strict=True)) == {
        ranked.names[system.number]: percent(system.correctness.estimate) for system in ranked.standings.systems
    }
    assert all(text(step.message) in plain(app) for step in after_ranking(ranked, FILES))


@pytest.mark.slow
def test_the_address_chooses_the_sides_and_windows_are_sides(opened: Open, store_path: Path) -> None:
    """?a=…&b=… in the address; a window without answers says so; one that cannot be read is no exception."""
    opened(many, "systems")
    app = at(store_path, a="top-k-3", b="rerank-2")
    compared = in_store(store_path, lambda store: compare.compare(store, ("top-k-3", "rerank-2")))
    assert text(comparison.answer(compared)) in plain(app)
    assert tables(app)[0].iloc[0, 1].startswith(points(compared.comparison.difference.estimate, "+"))

    for second, said in (
        ("rerank-2@2020-01-01..2020-02-01", "no answers of"),
        ("rerank-2@yesterday..", "is no date"),
        ("top-k-3", "are the same"),
    ):
        page = at(store_path, a="top-k-3", b=second)
        assert said in plain(page) or said in tables(page)[0].iloc[0, 1]
    assert "does not have: b = nosuch" in plain(at(store_path, a="top-k-3", b="nosuch"))


@pytest.mark.slow
def test_what_was_shown_is_drawn_once(opened: Open, store_path: Path) -> None:
    """The dry run writes nothing; its button draws exactly that, and a second click on it draws nothing."""
    app = opened(many, "systems", "ann")
    before = in_store(store_path, lambda store: store.sampling.waves.next_number())
    app.number_input(key="pairs-draw-labels").set_value(20)
    app.button(key="pairs-draw-try").click().run()
    assert "would draw" in plain(app)
    assert in_store(store_path, lambda store: store.sampling.waves.next_number()) == before

    button = next(button for button in app.button if button.label.startswith("Draw these"))
    count = int(re.findall(r"\d+", button.label)[0])
    button.click().run()
    assert not app.exception
    wave = in_store(store_path, lambda store: store.sampling.waves.all()[-1])
    assert (wave.number, wave.part) == (before, " vs ".join(compared_names(app)))
    assert in_store(store_path, lambda store: len(store.sampling.waves.open_draws())) == count
    assert not any(button.label.startswith("Draw these") for button in app.button)
    assert in_store(store_path, lambda store: store.audit.events.all()[-1].who) == "ann"


@pytest.mark.slow
def test_a_draw_that_was_overtaken_is_refused(opened: Open, store_path: Path) -> None:
    """Another wave is drawn between the dry run and the click: nothing is drawn, and the reason stands there."""
    app = opened(many, "systems", "ann")
    app.button(key="pairs-draw-try").click().run()
    button = next(button for button in app.button if button.label.startswith("Draw these"))
    names = compared_names(app)
    in_store(store_path, lambda store: paired_waves.draw(store, names, 10, seed=5, now=NOW, who="another"))
    waves = in_store(store_path, lambda store: len(store.sampling.waves.all()))
    button.click().run()

    assert "has been drawn since you looked" in app.error[0].value
    assert in_store(store_path, lambda store: len(store.sampling.waves.all())) == waves


@pytest.mark.slow
def test_slices_are_those_of_the_command(opened: Open, store_path: Path) -> None:
    """The sentence, every test with its adjusted p, and the next command; small stores look at once."""
    app = unfolded(opened(many, "systems"), "slices")
    slices = in_store(store_path, find.build)
    table = next(dataframe for dataframe in tables(app) if ADJUSTED in dataframe.columns)

    assert text(present_slices.answer(slices)) in plain(app)
    assert list(table["Slice"]) == [finding.slice.name for finding in slices.examined.tested]
    assert list(table[ADJUSTED]) == [p_value(finding.adjusted_p) for finding in slices.examined.tested]
    assert f"with too few labels: {len(slices.examined.untested):,}." in plain(app)
    (step,) = after_slices(slices, FILES)
    assert text(step.message) in plain(app)


@pytest.mark.slow
def test_large_stores_look_at_slices_only_when_asked(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """Above the limit there is a switch, and its place in the address."""
    from annotate.pages.comparison import slices

    monkeypatch.setattr(slices, "QUICK", 10)
    app = unfolded(opened(many, "systems"), "slices")
    assert not any(ADJUSTED in dataframe.columns for dataframe in tables(app))

    app.toggle(key="slices").set_value(True).run()
    assert not app.exception
    assert any(ADJUSTED in dataframe.columns for dataframe in tables(app))
