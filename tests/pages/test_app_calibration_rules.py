"""The calibration page below the slider: promises, curves, the other rules and the judges' pictures, as the services have them."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotate.analysis.calibration import curves, explore
from annotate.analysis.report import report as reports
from annotate.domain.message import Kind
from annotate.present import rule_comparison
from annotate.present.messages import text
from annotate.project import Project
from annotate.store import Store
from annotate.workflow.judging import rules, threshold
from support.app import HOSTILE, NOW, Open, in_store, links, nothing, tables, walk
from support.calibration import labelled, scored
from support.calibration_page import expected, figures, linked, plain, quantities, reported
from support.scored import open_ids
from support.store import Assay
from support.tiers import shortly


@pytest.mark.slow
def test_a_certified_cut_is_tried_and_put_in_force(opened: Open, many: Path) -> None:
    """The dry run writes nothing; the button keeps it with who; then it stands, scored by the other labels."""
    opened(nothing, "calibration")
    app = linked(tab="guarantee")
    before = in_store(many, lambda store: len(store.audit.events.all()))
    assert any(
        "would keep at least 90 % of passed answers right (90 % confidence, for this window and for the long run)"
        in success.value.replace("\\", "")
        for success in app.markdown
    )
    assert in_store(many, lambda store: len(store.audit.events.all())) == before
    app.button(key="put-in-force").click().run()

    assert not app.exception
    report = reported(many)
    assert report["rule"]["guarantee"]["precision"] == 0.9
    assert "do not score it" in plain(app)
    assert "The threshold in force, 0." in plain(app)
    assert "In force now" in app.success[-1].value
    assert in_store(many, lambda store: store.audit.events.all()[-1].who) == "ann"
    assert quantities(app) == expected(report)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("precision", "said"),
    shortly(
        [(0.97, "draws like those before"), (0.3, "No threshold is needed"), (0.995, "no threshold is shown")],
        (0.97, "draws like those before"),
    ),
)
def test_every_outcome_of_a_promise_has_words(opened: Open, many: Path, precision: float, said: str) -> None:
    """As the command has them, and what the command says comes next."""
    opened(nothing, "calibration")
    app = linked(tab="guarantee")
    app.number_input(key="precision").set_value(precision).run()
    steps = Project.open(many).calibrate(precision, dry_run=True).document.next

    assert not app.exception
    assert said in plain(app)
    assert all(text(step.message) in plain(app) for step in steps)


@pytest.mark.slow
def test_rules_stand_side_by_side(opened: Open, store_path: Path) -> None:
    """The first is in force; values and differences are the report's."""
    opened(walk, "calibration")
    app = linked(tab="rules")
    report = in_store(store_path, reports.build)
    values, minus = (tables(app)[place] for place in (-2, -1))
    others = rule_comparison.others(report)
    names = [text(name) for name, _ in rule_comparison.named(report)]

    assert len(others) == len(names) == len(report.judges) + len(report.candidates)
    assert list(values["Rule"]) == [report.rule.expression, *names]
    assert list(minus["Rule"]) == names
    assert minus["Agreement beyond chance"][0] == text(
        rule_comparison.difference(
            others[0].differences.kappa, Kind.COEFFICIENT, is_census=rule_comparison.is_census(report)
        )
    )
    assert text(rule_comparison.best_rule(report.best)).replace("`", "") in plain(app).replace("`", "")
    for quantity in ("accuracy", "AUROC"):
        app.segmented_control(key="rivals").set_value(quantity).run()
        assert not app.exception


@pytest.mark.slow
def test_a_judge_is_chosen_and_drawn(opened: Open, store_path: Path) -> None:
    """Each judge has its picture in words; the counts are those of the labels."""
    opened(walk, "calibration")
    app = linked(tab="labels")
    assert "Labelled draws: 16; without a score: 0; dots shown: 16" in plain(app)
    for judge in app.selectbox(key="judge").options[1:3]:
        app.selectbox(key="judge").set_value(judge).run()
        assert not app.exception
        assert "Labelled draws: 16" in plain(app)


@pytest.mark.slow
def test_no_curve_without_labels_below_the_cut(opened: Open, assay: Assay, store_path: Path) -> None:
    """A wave of passed answers alone: sensitivity, kappa and the curves are not measurable, with the reason and the command."""
    scored(assay)
    assay("sample", "--labels", "60", "--audit", "0")
    names = open_ids(assay)
    rows = [
        {"item_id": name, "label": "right" if n % 6 else "wrong", "annotator": "ann"} for n, name in enumerate(names)
    ]
    assay("labels", "import", assay.write("labels.jsonl", rows))
    app = opened(nothing, "calibration")

    if in_store(store_path, reports.build).agreement.kappa.estimate is None:
        assert quantities(app)["Agreement beyond chance"] == "—"
        assert figures(app)["False passes, of 1,000 answers"].value != "—"
        app = linked(tab="curves")
        assert "below the threshold" in plain(app)
        assert "The curves need labels on both sides of the threshold" in plain(app)
        assert "Labelling · Plan and draw" in links(app)
    else:
        pytest.fail("the wave drew failed answers too")


@pytest.mark.slow
def test_hostile_names_are_shown_as_text(opened: Open, many: Path) -> None:
    """A rule's name with markup comes as it was written."""
    in_store(many, lambda store: _named(store, HOSTILE[:60]))
    app = opened(nothing, "calibration")
    app.slider(key="threshold").set_value(0.62).run()
    app.button(key="use-threshold").click().run()

    assert not app.exception
    assert any("\\<script\\>" in success.value for success in app.success)


def _named(store: Store, name: str) -> None:
    seen = threshold.SeenRule(key=rules.follow_scores(store, now=NOW)[0], rule=rules.follow_scores(store, now=NOW)[1])
    threshold.keep(store, seen, 0.55, name=name, who="ann", now=NOW)


@pytest.mark.slow
def test_the_scale_of_other_values_is_slid_over(opened: Open, assay: Assay, store_path: Path) -> None:
    """A weighted sum beyond [0, 1] and a percentile rule have their own slider."""
    labelled(scored(assay), 120)
    for expression in ("7 * quality - 2 > 1", "pct(quality) > 0.3"):
        assay("rule", "set", expression, "--name", "other")
        app = opened(nothing, "calibration")
        scale = in_store(store_path, lambda store: curves.scale_of(explore.ladder(store)))
        slider = app.slider(key="threshold")
        assert (slider.min, slider.max) == (scale.low, scale.high)
        target = round(scale.low + 0.4 * (scale.high - scale.low), 1)
        slider.set_value(target).run()
        app.button(key="use-threshold").click().run()
        assert not app.exception
        assert quantities(app) == expected(reported(store_path))
