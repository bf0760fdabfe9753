"""The store under any threshold: what the slider says of a threshold is what `assay report --json` says once that threshold is in force."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotate.analysis import evidence
from annotate.analysis.calibration import certify, explore
from annotate.analysis.report.holdout import ALL_CHOSE
from annotate.analysis.report.report import build
from annotate.analysis.rule_in_force import rule_in_force
from annotate.domain.gold import Overtaken
from annotate.present.schemas.compared_rules import OF_A_PROXY
from annotate.store import Store
from annotate.workflow import demo
from annotate.workflow.judging import threshold
from proxy.errors import UsageError
from proxy.evaluation.agreement import measure
from proxy.evaluation.estimate import as_dict
from proxy.rule import Rule
from support.calibration import ITEMS, labelled, opened, ready_to_choose, scored
from support.loop import REAL
from support.store import LATER, NOW, Assay, report_of
from support.tiers import shortly

ASKED = certify.GuaranteeRequest(precision=0.9)


def seen(store: Store) -> threshold.SeenRule:
    """What a person sees who looks now."""
    key, rule = rule_in_force(store)
    return threshold.SeenRule(key=key, rule=rule)


def looked_at(store: Store, chosen: float) -> explore.AtThreshold:
    """What the slider says."""
    whole = explore.ladder(store)
    silent = explore.excluded_at(store, whole.rule, chosen)
    return explore.at(whole, chosen, explore.ladder(store, excluded_draws=silent) if silent else None)


def said(at_threshold: explore.AtThreshold) -> dict[str, Any]:
    """The slider's numbers in the words of the contract."""
    counts = at_threshold.agreement.counts
    return {
        "expression": at_threshold.rule.expression,
        "pass_rate": as_dict(at_threshold.pass_rate),
        "cells": {name: getattr(counts, name) for name in counts.__slots__},
        **{name: as_dict(getattr(at_threshold.agreement, name)) for name in ("correctness", *OF_A_PROXY)},
    }


def reported(store: Store) -> dict[str, Any]:
    """The same of the report on the rule in force."""
    report = report_of(store)
    rule = report["rule"]
    assert isinstance(rule, dict)
    names = ("pass_rate", "cells", "correctness", *OF_A_PROXY)
    return {"expression": rule["expression"], **{name: report[name] for name in names}}


def assert_same(store: Store, thresholds: list[float]) -> None:
    """Each threshold is looked at, kept, and reported alike."""
    for chosen in thresholds:
        before = said(looked_at(store, chosen))
        threshold.keep(store, seen(store), chosen, name="by eye", who="ann", now=NOW)
        assert json.dumps(reported(store), sort_keys=True) == json.dumps(before, sort_keys=True), chosen
        assert explore.in_force(store) == looked_at(store, chosen), chosen


@pytest.fixture
def ready(assay: Assay) -> Assay:
    """400 items with values in hundredths, 240 of them labelled."""
    return ready_to_choose(assay)


@pytest.mark.slow
def test_the_slider_says_what_the_report_says_on_the_demo(tmp_path: Path) -> None:
    """Sixteen answers, at thresholds between, at and beyond their values."""
    with opened(tmp_path / "assay.db") as store:
        demo.walk(store, lambda line: None, now=NOW)
        values = sorted({value for value in explore.ladder(store).traffic.rules[0].values if value is not None})
        assert_same(store, [0.5, 0.62, values[0], values[-1], values[3], -1.0, 2.0, 0.1])


@pytest.mark.slow
def test_the_slider_says_what_the_report_says_on_many(ready: Assay) -> None:
    """400 answers two to a question, half of them drawn."""
    with opened(ready.db) as store:
        assert_same(store, [0.5, 0.31, 0.6, 0.755, 0.9, 0.0])


@pytest.mark.slow
def test_new_traffic_and_unscored_answers_are_counted_alike(ready: Assay) -> None:
    """Items after the wave count in the pass rate alone; a second wave gives items chances of two drawings."""
    scored(ready, 120, first=ITEMS)
    with opened(ready.db) as store:
        assert_same(store, [0.5, 0.42])
    labelled(ready, 60, seed=2)
    with opened(ready.db) as store:
        assert_same(store, [0.55, 0.7])


@pytest.mark.slow
@pytest.mark.parametrize("name", shortly(REAL, "clapnq_rag"))
def test_the_slider_says_what_the_report_says_on_real_data(assay: Assay, name: str, folder: Path | None) -> None:
    """The answers of a real system, judged offline, 200 of them with the labels of people."""
    if folder is None or not (folder / f"{name}.jsonl").exists():
        pytest.skip(f"no {name}.jsonl: set ASSAY_DATA to a folder that holds it")
    path = folder / f"{name}.jsonl"
    right = {row["id"]: bool(row[REAL[name]]) for row in map(json.loads, path.read_text().splitlines())}
    assay("ingest", str(path))
    assay("judge")
    assay("sample", "--labels", "200")
    with opened(assay.db) as store:
        drawn = [draw.item_id for draw in store.sampling.waves.open_draws()]
    rows = [{"item_id": item, "label": "right" if right[item] else "wrong", "annotator": "ann"} for item in drawn]
    assay("labels", "import", assay.write("labels.jsonl", rows))
    with opened(assay.db) as store:
        assert_same(store, [0.5, 0.35, 0.62, 0.8])


@pytest.mark.slow
def test_a_certified_cut_is_scored_by_the_labels_that_did_not_choose_it(ready: Assay) -> None:
    """At that very threshold as in the report; at any other all labels speak, and the threshold that is kept is not calibrated."""
    with opened(ready.db) as store:
        calibrated = threshold.put_certified(store, ASKED, who="ann", now=NOW)
        certified = calibrated.rule.threshold
        here, elsewhere = looked_at(store, certified), looked_at(store, 0.7)

        assert said(here) == reported(store)
        assert here.excluded_labels >= calibrated.chose > 0
        assert elsewhere.excluded_labels == 0
        assert sum(said(elsewhere)["cells"].values()) > sum(said(here)["cells"].values())

        kept = threshold.keep(store, seen(store), 0.7, name="mine", who="ann", now=NOW).rule
        assert not kept.is_calibrated
        assert said(elsewhere) == reported(store)

        back = looked_at(store, certified)
        assert said(back) == said(here)
        again = threshold.keep(store, seen(store), certified, name="mine", who="ann", now=NOW).rule
        assert again.is_calibrated
        assert said(here) == reported(store)
        assert explore.in_force(store) == looked_at(store, certified)


@pytest.mark.slow
def test_where_every_label_chose_the_report_and_the_slider_give_the_same_reason(ready: Assay) -> None:
    """No label is left to score the threshold, not even what is let through."""
    with opened(ready.db) as store:
        calibrated = threshold.put_certified(
            store, certify.GuaranteeRequest(precision=0.9, share=1.0), who="ann", now=NOW
        )
        here = looked_at(store, calibrated.rule.threshold)

        assert said(here) == reported(store)
        assert here.false_passes.reason == ALL_CHOSE


@pytest.mark.slow
@pytest.mark.parametrize(
    "expression", ["pct(quality) > 0.3", "product(pct(quality), quality) > 0.2", "0.7 * quality - 2 > -1.7"]
)
def test_rules_of_percentiles_and_weights_work_alike(ready: Assay, expression: str) -> None:
    """Percentiles stay as the rule froze them, whatever came since; a weighted sum may lie anywhere."""
    ready("rule", "set", expression, "--name", "other")
    with opened(ready.db) as store:
        frozen = seen(store).rule.percentiles
        low, high = explore.ladder(store).span
        assert_same(store, [low + (high - low) / 3, low + (high - low) / 2])
        assert seen(store).rule.percentiles == frozen
    scored(ready, 50, first=ITEMS)
    with opened(ready.db) as store:
        assert_same(store, [low + (high - low) / 4])
        assert seen(store).rule.percentiles == frozen


@pytest.mark.slow
def test_a_look_up_equals_the_direct_path(ready: Assay) -> None:
    """The slices at a threshold are those that `gather` counts under that rule over all traffic, whichever rule is in force."""
    with opened(ready.db) as store:
        whole = explore.ladder(store)
        rng = np.random.default_rng(3)
        for chosen in [*rng.random(8).tolist(), 0.5, 0.37, 0.0, 1.0]:
            direct = evidence.gather(store, whole.key, [whole.rule, explore.rule_at(whole.rule, chosen)])
            rule = direct.rules[1]
            ours = [
                (part.stratum, part.is_reachable, part.verdict, part.level, part.size)
                for part in explore.slices_at(whole, chosen)
            ]
            theirs: dict[tuple[object, ...], int] = {}
            for part in rule.slices:
                place = (part.stratum, part.is_reachable, part.verdict, part.level)
                theirs[place] = theirs.get(place, 0) + part.size
            assert sorted(ours, key=repr) == sorted(((*place, size) for place, size in theirs.items()), key=repr)
            agreement = measure(direct.evidence(rule))
            assert explore.at(whole, chosen).agreement.kappa == agreement.kappa


@pytest.mark.slow
def test_the_same_cut_twice_changes_nothing(ready: Assay) -> None:
    """One version, one event, who set it."""
    with opened(ready.db) as store:
        first = seen(store)
        assert threshold.keep(store, first, 0.62, name="mine", who=" ann ", now=NOW).is_new
        events, rules = store.audit.events.all(), store.scores.rules.history()
        assert not threshold.keep(store, first, 0.62, name="mine", who="ann", now=LATER).is_new
        assert not threshold.keep(store, seen(store), 0.62, name=" mine ", who="ann", now=LATER).is_new

        assert (store.audit.events.all(), store.scores.rules.history()) == (events, rules)
        last = store.audit.events.all()[-1]
        assert (last.what, last.who) == ("rule set", "ann")
        assert last.read() == {
            "name": "mine",
            "version": 2,
            "expression": "quality > 0.62",
            "replaces": "quality > 0.5",
        }


@pytest.mark.slow
def test_who_was_overtaken_is_refused(ready: Assay) -> None:
    """The rule that the other person set stays, by eye or certified."""
    with opened(ready.db) as store:
        mine = seen(store)
        shown = certify.calibrate(store, ASKED, now=NOW)
    ready("rule", "set", "quality > 0.44", "--name", "theirs")
    with opened(ready.db) as store:
        with pytest.raises(Overtaken, match=r"theirs v1: quality > 0.44"):
            threshold.keep(store, mine, 0.62, name="mine", who="ann", now=NOW)
        with pytest.raises(Overtaken, match="reload the page"):
            threshold.certify(store, mine, shown, who="ann", now=NOW)
        assert seen(store).rule.name == "theirs"


def test_a_rule_is_kept_with_a_name_and_a_person(ready: Assay) -> None:
    """Neither may be blank, and a threshold is a number."""
    with opened(ready.db) as store:
        for chosen, name, who in ((0.6, " ", "ann"), (0.6, "mine", " "), (float("nan"), "mine", "ann")):
            with pytest.raises(UsageError):
                threshold.keep(store, seen(store), chosen, name=name, who=who, now=NOW)
        assert seen(store).rule.expression == "quality > 0.5"


@pytest.mark.slow
def test_a_certified_cut_is_put_in_force_once(ready: Assay) -> None:
    """After the dry run that was shown; the same again stands, and other labels since are refused."""
    with opened(ready.db) as store:
        shown = certify.calibrate(store, ASKED, now=NOW)
        assert not shown.stands
        assert shown.rule is not None
        before = replace(shown, rule=replace(shown.rule, expression="quality > 0.1"))
        with pytest.raises(Overtaken, match="the labels have changed since you looked"):
            threshold.certify(store, seen(store), before, who="ann", now=NOW)
        kept = threshold.certify(store, seen(store), shown, who="ann", now=NOW)
        assert kept.is_new
        assert kept.rule.is_calibrated
        again = certify.calibrate(store, ASKED, now=NOW)
        assert again.stands
        assert not threshold.certify(store, seen(store), again, who="ann", now=NOW).is_new
        assert (seen(store).rule.name, seen(store).rule.version) == ("mine", 2)


def test_a_rule_of_another_cut_reads_the_same(tmp_path: Path) -> None:
    """Only the number changes, and its own threshold leaves the expression as a person wrote it."""
    rule = Rule(name="r", version=3, expression="min(a, b) > .50", signatures={"a": "x", "b": "y"}, is_calibrated=True)
    assert explore.rule_at(rule, 0.5) is rule
    changed = explore.rule_at(rule, -0.25)
    assert (changed.expression, changed.threshold, changed.is_calibrated) == ("min(a, b) > -0.25", -0.25, False)


def test_with_missing_labels_every_threshold_shows_what_its_report_would() -> None:
    """Four draws have no label: intervals hold whatever these are, at the threshold in force and at any other."""
    with closing(Store(":memory:")) as store:
        demo.walk(store, lambda line: None, now=NOW, leave_open=4)
        for chosen in (0.5, 0.3, 0.6):
            whole, drawn = explore.ladder(store), explore.ladder(store, as_drawn=True)
            here = explore.at(whole, chosen, as_drawn=drawn)
            without = explore.at(whole, chosen)
            if chosen != whole.rule.threshold:
                threshold.keep(store, seen(store), chosen, name="by eye", who="ann", now=NOW)
            report = build(store)

            assert as_dict(here.false_passes) == as_dict(report.false_passes)
            for name in OF_A_PROXY:
                ours, told = (getattr(agreement, name) for agreement in (here.agreement, report.agreement))
                assert as_dict(ours) == as_dict(told), (chosen, name)
            wide, narrow = here.agreement.pass_precision.long_run, without.agreement.pass_precision.long_run
            assert wide is not None
            assert narrow is not None
            assert wide.low < narrow.low
            assert here.false_passes.long_run is not None
            assert without.false_passes.long_run is not None
            assert here.false_passes.long_run.high > without.false_passes.long_run.high


def test_values_from_what_is_kept_are_those_of_the_scores() -> None:
    """Where something predicts, the scores lie beside the store already, and nothing is read twice."""
    with closing(Store(":memory:")) as store:
        demo.walk(store, lambda line: None, now=NOW)
        key, rule = rule_in_force(store)
        traffic = evidence.gather(store, key, [rule])
        assert traffic.levels.source is not None
        kept, read = (
            store.scores.totals.spread(rule, traffic.last, None, levels)
            for levels in (traffic.levels, traffic.levels._replace(source=None))
        )
        assert kept.names == read.names
        assert not np.isnan(kept.values).all()
        for ours, theirs in zip(kept[1:], read[1:], strict=True):
            np.testing.assert_array_equal(ours, theirs)
