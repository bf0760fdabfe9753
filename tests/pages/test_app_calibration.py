"""The calibration page: its numbers are those of the services, every state of the store has words, and a threshold is kept once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from streamlit.elements.lib import policies

from annotate.analysis.calibration import explore, reliability
from annotate.pages.calibration import looking
from annotate.pages.kit import draw, layout, server
from annotate.present.document import Status
from annotate.present.figure_table import below
from annotate.present.messages import LANGUAGES
from annotate.present.messages import whole_table as table
from annotate.present.quantity import quantity
from annotate.project import Project
from annotate.workflow.judging import rules
from proxy.evaluation.bands import holds, nearest
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.trust import percent
from proxy.text import numbers
from support.app import NOW, Make, Open, drawn, in_store, judged, nothing, some_open, traffic, walk
from support.calibration import labelled, scored
from support.calibration_page import cards, expected, plain, reported
from support.store import Assay
from support.tiers import shortly

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest


def kept(app: AppTest) -> str:
    """What is said beside the button of the threshold that was put in force: not above, where the answer stands."""
    boxes = [success.value.replace("\\", "") for success in app.success]
    assert boxes[0].startswith("Of answers with a value near")
    return "\n".join(boxes[1:])


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


@pytest.mark.parametrize("make", [nothing, traffic])
def test_without_values_the_page_names_the_next_command(opened: Open, make: Make) -> None:
    """An empty store, and one that nobody judged."""
    app = opened(make, "calibration")

    assert app.title[0].value == "What does a score of 0.7 mean, where should the threshold be?"
    assert "No answer has a value of the rule in force yet" in plain(app)
    assert "assay judge" in plain(app) or "assay ingest" in plain(app)
    assert not app.slider


@pytest.mark.slow
@pytest.mark.parametrize("make", [judged, drawn])
def test_without_labels_what_passes_is_counted_and_the_rest_has_a_reason(opened: Open, make: Make) -> None:
    """The pass rate is known, every other card is — with what to do."""
    app = opened(make, "calibration")
    values = cards(app)

    assert values.pop("Passed by the proxy") == "69 %"
    assert set(values.values()) == {"—"}
    assert "cannot be said yet" in app.info[0].value
    assert "assay sample" in plain(app) or "assay push" in plain(app)
    app.slider(key="threshold").set_value(0.7).run()
    assert not app.exception
    assert cards(app)["Passed by the proxy"] != "69 %"


@pytest.mark.slow
@pytest.mark.parametrize("make", [walk, some_open])
def test_the_cards_say_what_the_report_says(opened: Open, store_path: Path, make: Make) -> None:
    """At the threshold in force, on the demo; too few labels to say what a value means, which is said."""
    app = opened(make, "calibration")
    report = reported(store_path)

    assert {name: cards(app)[name] for name in expected(report)} == expected(report)
    assert "labels on scored items, and 20 are needed" in plain(app)


@pytest.mark.slow
@pytest.mark.parametrize("status", [Status.MET, Status.MISSED, Status.OPEN, Status.UNMEASURABLE])
def test_the_answer_has_the_tone_of_the_verdict(monkeypatch: pytest.MonkeyPatch, many: Path, status: Status) -> None:
    """As on the overview; a green one needs a value that tells something too."""
    said: list[layout.Tone] = []
    monkeypatch.setattr(layout, "answer", lambda tone, _: said.append(tone))
    original = in_store(many, reliability.explain).curve
    at = in_store(many, lambda store: explore.at(ladder := explore.ladder(store), ladder.rule.threshold))
    for curve in (original, replace(original, tells=False), replace(original, reason="no labels")):
        looking.answer(curve, 0.7, at, status)
    good = [layout.Tone.GOOD, layout.Tone.OPEN, layout.Tone.UNKNOWN]
    assert said == (good if status is Status.MET else [draw.TONES[status]] * 3)


@pytest.mark.slow
def test_saving_a_cut_gives_no_warning_of_two_values(opened: Open, many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The slider has its place from the action alone in that run; afterwards untouched still means in force."""
    app = opened(nothing, "calibration")
    app.slider(key="threshold").set_value(0.62).run()
    monkeypatch.setattr(policies, "_shown_default_value_warning", False)
    app.button(key="save-threshold").click().run()

    assert "In force now" in kept(app)
    assert app.query_params == {}
    assert policies._shown_default_value_warning is False
    assert app.slider(key="threshold").value == 0.62
    assert app.run().slider(key="threshold").value == 0.62
    for strange in ("abc", "5", "nan"):
        assert f"does not have: threshold = {strange}" in linked(threshold=strange).caption[0].value.replace("\\", "")
    both = linked(threshold=["0.62", "0.9"])
    assert "does not have: threshold = 0.62, 0.9" in both.caption[0].value.replace("\\", "")
    assert both.slider(key="threshold").value == 0.62
    assert reported(many)["rule"]["expression"] == "quality > 0.62"


@pytest.mark.slow
def test_the_slider_says_what_the_report_will_say(opened: Open, many: Path) -> None:
    """Move it, save it: the cards stay as they are, and the report agrees; a link shows the same cut."""
    app = opened(nothing, "calibration")
    before = cards(app)
    app.slider(key="threshold").set_value(0.62).run()
    moved = cards(app)
    assert moved != before
    assert "Chosen by eye on these very labels" in plain(app)
    assert f"Rule in force: {before['Right among the passed']}" in plain(app)

    app.text_input(key="rule-name").set_value("by eye")
    app.button(key="save-threshold").click().run()
    assert not app.exception
    report = reported(many)
    assert report["rule"]["expression"] == "quality > 0.62"
    assert report["rule"]["name"] == "by eye"
    assert cards(app) == moved == expected(report)
    assert "In force now: by eye, version 1" in kept(app)
    assert "Chosen by eye" not in plain(app)
    assert in_store(many, lambda store: store.audit.events.all()[-1].who) == "ann"


@pytest.mark.slow
def test_a_link_shows_its_cut_and_the_cut_in_force_beside_it(opened: Open, many: Path) -> None:
    """`?threshold=0.62&value=0.9` opens as it was sent, for whoever opens it."""
    app = opened(nothing, "calibration")
    app.slider(key="threshold").set_value(0.62).run()
    sent = cards(app)

    app = linked(threshold="0.62", value="0.9", map="isotonic", rivals="AUROC", judge="quality")
    assert app.segmented_control(key="map").value == "isotonic"
    assert app.segmented_control(key="rivals").value == "AUROC"
    assert app.selectbox(key="judge").value == "quality"
    assert app.slider(key="threshold").value == 0.62
    assert cards(app) == sent
    assert "In force: 0.5" in plain(app)
    assert "value near 0.9" in plain(app)

    app.slider(key="threshold").set_value(0.7).run()
    assert app.query_params["threshold"] == "0.7"
    app.number_input(key="value").set_value(0.7).run()
    assert "value" not in app.query_params


@pytest.mark.slow
def test_saving_the_same_again_changes_nothing(opened: Open, many: Path) -> None:
    """One version and one event, and it is said."""
    app = opened(nothing, "calibration")
    app.slider(key="threshold").set_value(0.62).run()
    app.button(key="save-threshold").click().run()
    versions = in_store(many, lambda store: (len(store.scores.rules.history()), len(store.audit.events.all())))
    app.slider(key="threshold").set_value(0.62).run()
    assert not [button for button in app.button if button.key == "save-threshold"]
    assert in_store(many, lambda store: (len(store.scores.rules.history()), len(store.audit.events.all()))) == versions


@pytest.mark.slow
def test_who_is_too_late_is_told_and_keeps_what_was_typed(opened: Open, many: Path) -> None:
    """Somebody else has set a rule since the page was drawn: theirs stays."""
    app = opened(nothing, "calibration")
    app.slider(key="threshold").set_value(0.62).run()
    app.text_input(key="rule-name").set_value("careful")
    in_store(many, lambda store: rules.set_rule(store, "theirs", "quality > 0.44", {}, who="tester", now=NOW))
    app.button(key="save-threshold").click().run()

    told = " ".join(error.value.replace("\\", "") for error in app.error)
    assert "another rule was put in force since you looked" in told
    assert app.text_input(key="rule-name").value == "careful"
    assert reported(many)["rule"]["name"] == "theirs"
    assert app.slider(key="threshold").value == 0.62


@pytest.mark.slow
def test_nobody_saves_without_a_name(opened: Open, many: Path) -> None:
    """The buttons wait for it."""
    app = opened(nothing, "calibration", user="")
    app.slider(key="threshold").set_value(0.62).run()
    assert app.button(key="save-threshold").disabled
    assert app.button(key="put-in-force").disabled


@pytest.mark.slow
def test_the_reliability_is_that_of_the_command(opened: Open, many: Path) -> None:
    """Each band as `assay calibrate --json` has it, and a value in plain words."""
    app = opened(nothing, "calibration")
    explained = in_store(many, reliability.explain)
    content = Project.open(many).reliability().to_dict()
    bands: Any = content["bands"]
    table = app.dataframe[0].value

    assert list(table["Labels"]) == [band["right"]["n"] for band in bands]
    assert list(table["Right"]) == [percent(band["right"]["estimate"]) for band in bands]
    assert list(table["Platt's curve"]) == [percent(band["platt"]) for band in bands]
    band = nearest(explained.curve, 0.7)
    assert band is not None
    assert holds(band, 0.7)
    ends = f"{percent(band.right.low or 0).removesuffix(' %')} to {percent(band.right.high or 0)}"
    assert f"value near 0.7, {percent(band.right.estimate or 0)} ({ends}, n = {band.right.n}) are right" in plain(app)
    app.number_input(key="value").set_value(1.0).run()
    assert "no labelled answer has a value of 1" in plain(app).lower()
    assert f"{content['ece']['observed']:.3f}" in plain(app)  # type: ignore[index]


@pytest.mark.slow
@pytest.mark.parametrize("language", shortly(LANGUAGES, "ko"))
def test_every_language_shows_every_part(opened: Open, many: Path, language: str) -> None:
    """No missing string, no broken value, in a store where every part has something to say."""
    opened(nothing, "calibration")
    app = linked(lang=language, threshold="0.62")

    assert app.title[0].value == table()["calibration.title"][language]
    assert "{" not in plain(app)
    assert len(app.metric) == 6


@pytest.mark.slow
@pytest.mark.parametrize("language", shortly(LANGUAGES, "zh"))
def test_unsure_draws_are_to_be_decided_before_the_judge_is_blamed(
    opened: Open, assay: Assay, store_path: Path, language: str
) -> None:
    """The page says what the command says: how many of the errors nobody judged, and no best part."""
    labelled(scored(assay), 240, lambda n: "unsure" if n % 4 == 0 else "right")
    assert assay.db == store_path
    first = assay.json("calibrate", "--precision", "0.9", "--dry-run")["adjudicate_first"]
    opened(nothing, "calibration")
    page, strings = plain(linked(lang=language)), table()
    counts = {"n": first["labels"], "wrong": first["wrong"], "undecided": first["undecided"]}
    where = numbers.threshold(first["threshold"])

    assert strings["calibration.decide_first"][language].format(count=first["undecided"], threshold=where) in page
    assert strings["calibration.undecided_draws"][language].format(threshold=where, **counts) in page
    assert strings["calibration.best"][language].partition("{")[0] not in page
    assert "assay labels disagreements" in page


def test_few_answers_of_a_thousand_have_a_decimal() -> None:
    """What is not quite none never looks like it, and a reason stands where there is no number."""
    assert [numbers.per_thousand(share) for share in (None, 0.0, 0.04, 2.25, 36.4, 420.0)] == [
        *("—", "0", "0.0", "2.2", "36", "420")
    ]
    unknown = quantity("let_through", Estimate(estimate=None, reason="not yet"), is_exact=True)
    assert list(below(unknown)) == ["not yet"]
