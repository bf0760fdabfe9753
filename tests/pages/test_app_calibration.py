"""The calibration page: its numbers are those of the services, every state of the store has words, and a threshold is kept once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from streamlit.elements.lib import policies

from annotate.analysis import disagreements
from annotate.analysis.calibration import reliability
from annotate.analysis.report import report as reports
from annotate.present.figure_table import below
from annotate.present.messages import LANGUAGES
from annotate.present.messages import whole_table as table
from annotate.present.quantity import quantity
from annotate.project import Project
from annotate.store.labels.disagreements import DisagreementFilter, DisagreementKind
from annotate.workflow.judging import rules
from proxy.evaluation.bands import holds, nearest
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.trust import percent
from proxy.text import numbers
from support.app import (
    NOW,
    Make,
    Open,
    drawn,
    in_store,
    judged,
    links,
    nothing,
    some_open,
    tables,
    traffic,
    walk,
    widget,
)
from support.calibration import labelled, scored
from support.calibration_page import cells, expected, figures, linked, plain, quantities, reported
from support.scored import open_ids
from support.store import Assay, label
from support.tiers import shortly

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest


def kept(app: AppTest) -> str:
    """What is said below the instrument of the threshold that was put in force."""
    [box] = app.success
    return box.value.replace("\\", "")


@pytest.mark.slow
@pytest.mark.parametrize("make", [nothing, traffic])
def test_without_values_the_page_names_the_next_command(opened: Open, make: Make) -> None:
    """An empty store, and one that nobody judged."""
    app = opened(make, "calibration")

    assert app.title[0].value == "Where should the threshold be?"
    assert "No answer has a value of the rule in force yet" in plain(app)
    assert "assay judge" in plain(app) or "assay ingest" in plain(app)
    assert not app.slider


@pytest.mark.slow
@pytest.mark.parametrize("make", [judged, drawn])
def test_without_labels_what_passes_is_counted_and_the_rest_has_a_reason(opened: Open, make: Make) -> None:
    """The pass rate is known, every other figure is — with what to do."""
    app = opened(make, "calibration")
    values = {name: figure.value for name, figure in figures(app).items()}

    assert values.pop("Passed by the proxy") == "69 %"
    assert set(values.values()) == {"—"}
    assert "No label scores this threshold yet." in plain(app)
    assert "cannot be said yet" in app.info[0].value
    assert {"Labelling · Plan and draw", "Labelling · Send and fetch"} & {*links(app)}
    app.slider(key="threshold").set_value(0.7).run()
    assert not app.exception
    assert figures(app)["Passed by the proxy"].value != "69 %"


@pytest.mark.slow
@pytest.mark.parametrize("make", [walk, some_open])
def test_the_figures_say_what_the_report_says(opened: Open, store_path: Path, make: Make) -> None:
    """At the threshold in force, on the demo; too few labels to say what a value means, which is said."""
    app = opened(make, "calibration")
    report = reported(store_path)
    shown = quantities(app)

    assert {name: shown[name] for name in expected(report)} == expected(report)
    assert {name: figure.value for name, figure in figures(app).items()}.items() <= expected(report).items()
    assert "labels on scored items, and 20 are needed" in plain(app)


@pytest.mark.slow
def test_the_head_says_the_threshold_and_what_passes_it(opened: Open, many: Path) -> None:
    """The verdict, right among passed as the report has it, with the interval that its limit is held against, and the limit."""
    app = opened(nothing, "calibration")
    precision = in_store(many, reports.build).evidence.spanned("pass_precision")
    assert precision.long_run is not None
    low, high = (percent(end) for end in precision.long_run)
    span = f"({low.removesuffix(' %')} to {high}, n = {precision.n})"

    assert "**0.500 is in force**" in app.title[0].value.replace("\\", "")
    assert (
        f"Trust the proxy? Not yet. Of passed answers, {percent(precision.estimate or 0)} {span} are right; the limit is 90 %."
        in app.markdown[0].value.replace("\\", "")
    )


@pytest.mark.slow
def test_the_cells_are_those_of_the_design_else_of_the_labels(opened: Open, assay: Assay, store_path: Path) -> None:
    """Of 1,000 answers with labels on both sides; with none below the threshold labels are counted, and that is said."""
    scored(assay)
    assay("sample", "--labels", "60", "--audit", "0")
    rows = [label(name, "right" if n % 6 else "wrong") for n, name in enumerate(open_ids(assay))]
    assay("labels", "import", assay.write("labels.jsonl", rows))
    app = opened(nothing, "calibration")
    assert cells(app) == "50 right, passed, 10 wrong, passed, 0 right, failed, 0 wrong, failed"
    assert any("Of 60 labels, which do not stand for all answers" in part.proto.body for part in app.get("html"))

    assay("sample", "--labels", "60", "--seed", "2")
    assay("labels", "import", assay.write("labels.jsonl", [label(name, "right") for name in open_ids(assay)]))
    shares = in_store(store_path, reports.build).agreement.shares
    assert shares is not None
    first = numbers.per_thousand(1000 * float(shares.right_pass))
    assert cells(app.run()).startswith(f"{first} right, passed, ")


@pytest.mark.slow
def test_saving_a_cut_gives_no_warning_of_two_values(opened: Open, many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The slider has its place from the action alone in that run; afterwards untouched still means in force."""
    app = opened(nothing, "calibration")
    app.slider(key="threshold").set_value(0.62).run()
    monkeypatch.setattr(policies, "_shown_default_value_warning", False)
    app.button(key="use-threshold").click().run()

    assert "In force now" in kept(app)
    assert app.query_params == {}
    assert policies._shown_default_value_warning is False
    assert app.slider(key="threshold").value == 0.62
    assert app.run().slider(key="threshold").value == 0.62
    for strange in ("abc", "5", "nan"):
        assert f"does not have: threshold = {strange}" in plain(linked(threshold=strange))
    both = linked(threshold=["0.62", "0.9"])
    assert "does not have: threshold = 0.62, 0.9" in plain(both)
    assert both.slider(key="threshold").value == 0.62
    assert reported(many)["rule"]["expression"] == "quality > 0.62"


@pytest.mark.slow
def test_the_slider_says_what_the_report_will_say(opened: Open, many: Path) -> None:
    """Move it, use it: the figures stay as they are, and the report agrees; two actions, and a third takes it back."""
    app = opened(nothing, "calibration")
    assert app.button(key="use-threshold").disabled
    before = figures(app)
    app.slider(key="threshold").set_value(0.62).run()
    moved = figures(app)
    assert moved != before
    assert "Chosen by eye on these labels" in plain(app)

    app.button(key="use-threshold").click().run()
    assert not app.exception
    report = reported(many)
    assert (report["rule"]["expression"], report["rule"]["name"]) == ("quality > 0.62", "mine")
    assert "In force now: mine, version 2" in kept(app)
    assert figures(app) == moved
    assert quantities(app) == expected(report)
    assert "0.620 is in force" in app.title[0].value.replace("\\", "")
    assert "Chosen by eye" not in plain(app)
    assert in_store(many, lambda store: store.audit.events.all()[-1].who) == "ann"

    back = app.button(key="threshold-back")
    assert back.label.replace("\\", "") == "Back to 0.500"
    back.click().run()
    rule = reported(many)["rule"]
    assert (rule["expression"], rule["name"], rule["version"]) == ("quality > 0.5", "mine", 3)
    assert figures(app) == before
    assert not [button for button in app.button if button.key == "threshold-back"]
    events = in_store(many, lambda store: store.audit.events.all()[-2:])
    assert [(event.what, event.who) for event in events] == [("rule set", "ann")] * 2


@pytest.mark.slow
def test_a_guarantee_is_given_up_only_after_a_question(opened: Open, many: Path) -> None:
    """The first click asks and writes nothing; keeping it changes nothing; going back gives the guarantee again."""
    opened(nothing, "calibration")
    app = linked(tab="guarantee")
    app.button(key="put-in-force").click().run()
    guaranteed = reported(many)["rule"]
    assert guaranteed["guarantee"]["precision"] == 0.9
    widget(app.slider, "threshold").set_value(0.8).run()
    app.button(key="use-threshold").click().run()
    assert "keeps at least 90 % of passed answers right, with a guarantee. 0.800 has none." in plain(app)
    assert reported(many)["rule"] == guaranteed
    app.button(key="keep-guarantee").click().run()
    assert reported(many)["rule"] == guaranteed

    app.button(key="use-threshold").click().run()
    app.button(key="use-anyway").click().run()
    assert not app.exception
    assert reported(many)["rule"]["guarantee"] is None
    app.button(key="threshold-back").click().run()
    rule = reported(many)["rule"]
    assert (rule["expression"], rule["guarantee"]) == (guaranteed["expression"], guaranteed["guarantee"])


@pytest.mark.slow
def test_the_links_count_what_is_wrong_at_the_threshold_in_force(opened: Open, many: Path) -> None:
    """What the page of disagreements lists; while another threshold is looked at, the links say of which they speak."""
    app = opened(nothing, "calibration")
    ground = in_store(many, disagreements.ground)
    counts = in_store(many, lambda store: store.labels.disagreements.count(ground.key, DisagreementFilter()))
    miss, false_fail = counts[DisagreementKind.MISS], counts[DisagreementKind.FALSE_FAIL]
    assert reads(app) == [f"Read {miss} wrong, passed", f"Read {false_fail} right, failed"]

    app.slider(key="threshold").set_value(0.62).run()
    assert reads(app) == [f"Read {miss} wrong, passed at 0.500", f"Read {false_fail} right, failed at 0.500"]


def reads(app: AppTest) -> list[str]:
    """The words of the links to answers."""
    return [link.proto.label.replace("\\", "") for link in app.get("page_link") if link.proto.label.startswith("Read")]


@pytest.mark.slow
def test_a_link_shows_its_cut_and_its_tab(opened: Open, many: Path) -> None:
    """`?threshold=0.62&value=0.9` opens as it was sent, for whoever opens it; so does a tab with its choices."""
    app = opened(nothing, "calibration")
    app.slider(key="threshold").set_value(0.62).run()
    sent = figures(app)

    app = linked(threshold="0.62", value="0.9", map="isotonic")
    assert app.segmented_control(key="map").value == "isotonic"
    assert app.slider(key="threshold").value == 0.62
    assert figures(app) == sent
    assert "0.500 is in force" in app.title[0].value.replace("\\", "")
    assert "value near 0.900" in plain(app)
    assert linked(tab="rules", rivals="AUROC").segmented_control(key="rivals").value == "AUROC"
    assert linked(tab="labels", judge="quality").selectbox(key="judge").value == "quality"
    assert "does not have: tab = elsewhere" in plain(linked(tab="elsewhere"))

    app.slider(key="threshold").set_value(0.7).run()
    assert app.query_params["threshold"] == "0.7"
    app.number_input(key="value").set_value(0.7).run()
    assert "value" not in app.query_params


@pytest.mark.slow
def test_who_is_too_late_is_told(opened: Open, many: Path) -> None:
    """Somebody else has set a rule since the page was drawn: theirs stays."""
    app = opened(nothing, "calibration")
    app.slider(key="threshold").set_value(0.62).run()
    in_store(many, lambda store: rules.set_rule(store, "theirs", "quality > 0.44", {}, who="tester", now=NOW))
    app.button(key="use-threshold").click().run()

    told = " ".join(error.value.replace("\\", "") for error in app.error)
    assert "another rule was put in force since you looked" in told
    assert reported(many)["rule"]["name"] == "theirs"
    assert app.slider(key="threshold").value == 0.62


@pytest.mark.slow
def test_nobody_saves_without_a_name(opened: Open, many: Path) -> None:
    """The buttons wait for it."""
    app = opened(nothing, "calibration", user="")
    app.slider(key="threshold").set_value(0.62).run()
    assert app.button(key="use-threshold").disabled
    assert linked(tab="guarantee").button(key="put-in-force").disabled


@pytest.mark.slow
def test_the_reliability_is_that_of_the_command(opened: Open, many: Path) -> None:
    """Each band as `assay calibrate --json` has it, and a value in plain words."""
    app = opened(nothing, "calibration")
    explained = in_store(many, reliability.explain)
    content = Project.open(many).reliability().to_dict()
    bands: Any = content["bands"]
    table = tables(app)[0]

    assert list(table["Labels"]) == [band["right"]["n"] for band in bands]
    assert list(table["Right"]) == [percent(band["right"]["estimate"]) for band in bands]
    assert list(table["Platt's curve"]) == [percent(band["platt"]) for band in bands]
    band = nearest(explained.curve, 0.7)
    assert band is not None
    assert holds(band, 0.7)
    ends = f"{percent(band.right.low or 0).removesuffix(' %')} to {percent(band.right.high or 0)}"
    assert f"value near 0.700, {percent(band.right.estimate or 0)} ({ends}, n = {band.right.n}) are right" in plain(app)
    app.number_input(key="value").set_value(1.0).run()
    assert "no labelled answer has a value of 1" in plain(app).lower()
    assert f"{content['ece']['observed']:.3f}" in plain(app)  # type: ignore[index]


@pytest.mark.slow
@pytest.mark.parametrize("language", shortly(LANGUAGES, "ko"))
def test_every_language_shows_every_part(opened: Open, many: Path, language: str) -> None:
    """No missing string, no broken value, in a store where every part has something to say."""
    opened(nothing, "calibration")
    for tab in ("reliability", "guarantee", "rules", "curves", "labels"):
        app = linked(lang=language, threshold="0.62", tab=tab)
        assert table()["calibration.title"][language] in app.title[0].value
        assert "{" not in plain(app)
        assert len(figures(app)) == 3


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
    app, strings = linked(lang=language, tab="guarantee"), table()
    page = plain(app)
    counts = {"n": first["labels"], "wrong": first["wrong"], "undecided": first["undecided"]}
    where = numbers.three_decimals(first["threshold"])

    assert strings["calibration.decide_first"][language].format(count=first["undecided"], threshold=where) in page
    assert strings["calibration.undecided_draws"][language].format(threshold=where, **counts) in page
    assert strings["calibration.best"][language].partition("{")[0] not in page
    assert f"{strings['nav.labelling'][language]} · {strings['labelling.part_adjudicate'][language]}" in links(app)


def test_few_answers_of_a_thousand_have_a_decimal() -> None:
    """What is not quite none never looks like it, and a reason stands where there is no number."""
    assert [numbers.per_thousand(share) for share in (None, 0.0, 0.04, 2.25, 36.4, 420.0)] == [
        *("—", "0", "0.0", "2.2", "36", "420")
    ]
    unknown = quantity("let_through", Estimate(estimate=None, reason="not yet"), is_exact=True)
    assert list(below(unknown)) == ["not yet"]
