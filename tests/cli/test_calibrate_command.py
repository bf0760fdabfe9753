"""`assay calibrate` on a real store: the threshold, its guarantee, who chose and who scores, and words where there is none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from annotate.store import Store
from support.calibration import RULE, SIGNATURE, commands, is_right, labelled, ready_to_choose, scored, value_of
from support.scored import open_ids
from support.store import Assay, traffic_row

pytestmark = pytest.mark.slow

THRESHOLD = ("calibrate", "--precision", "0.9")


@pytest.fixture
def ready(assay: Assay) -> Assay:
    """400 items, 240 of them labelled."""
    return ready_to_choose(assay)


def roles(assay: Assay) -> tuple[set[str], set[str], set[str]]:
    """The items of the labels that chose the rule in force, of the draws that are silent under it, and of all draws."""
    store = Store(assay.db)
    try:
        rule = store.scores.rules.in_force()
        assert rule is not None
        silent = store.scores.guarantees.excluded_draws(rule[0])
    finally:
        store.close()
    rows = assay.sql("SELECT d.key, i.id FROM draws d JOIN items i ON i.key = d.item")
    chose = {key for (key,) in assay.sql(f"SELECT draw FROM choosers WHERE rule = {rule[0]}")}
    of = dict(rows)
    return {of[key] for key in chose}, {of[key] for key in silent}, set(of.values())


def test_a_cut_is_found_kept_and_put_in_force(ready: Assay) -> None:
    """The next version of the rule passes exactly the items at or above the threshold, and the record stands beside it."""
    calibration = ready.json(*THRESHOLD)
    t, rule = calibration["threshold"], ready.json("rule", "list")["rules"][-1]
    passed = {n for n in range(400) if value_of(n) >= t}
    rows = ready.sql(
        "SELECT i.id FROM verdicts v JOIN items i ON i.key = v.item JOIN rules r ON r.key = v.rule AND r.is_in_force "
        "WHERE verdict = 'pass'"
    )

    assert 0.5 < t < 0.7
    assert (rule["name"], rule["version"], rule["in_force"]) == ("mine", 2, True)
    assert {int(name[1:]) for (name,) in rows} == passed
    assert calibration["coverage"] == pytest.approx(len(passed) / 400)
    assert calibration["saved"]
    assert (calibration["n"], calibration["errors"]) == (
        calibration["guarantee"]["n"],
        calibration["guarantee"]["errors"],
    )
    assert calibration["p_value"] <= 0.1
    assert ready.json("events")["events"][-1]["what"] == "calibrate"


def test_the_page_says_the_cut_first_and_the_next_command_last(ready: Assay) -> None:
    """And how many labels chose, of which none scores."""
    page = " ".join(ready(*THRESHOLD).stdout.split())

    assert page.startswith("The new threshold, 0.")
    assert (
        "keeps at least 90 % of passed answers right (90 % confidence, for this window and for the long run)." in page
    )
    assert "chose, by lot, and score nothing else" in page
    assert page.endswith("next: See what the labels say of the rule in force. assay report")


def test_the_labels_that_chose_score_nothing(ready: Assay) -> None:
    """Pass precision rests on the other passed labels alone, correctness on all, as before."""
    calibration = ready.json(*THRESHOLD)
    after, chose = ready.json("report"), calibration["chose"]
    page = ready.words("report")
    choosing, silent, every = roles(ready)
    store = Store(ready.db)
    try:
        drawn = {int(draw.item_id[1:]) for draw in store.sampling.waves.all_draws()}
    finally:
        store.close()
    scoring = {n for n in drawn if f"i{n}" not in choosing}
    passed = [n for n in scoring if value_of(n) >= calibration["threshold"]]

    assert silent == choosing
    assert len(drawn) == len(scoring) + chose == 240
    assert after["pass_precision"]["n"] == len(passed)
    assert after["cells"]["right_pass"] == sum(is_right(n) for n in passed)
    assert after["kappa"]["n"] == after["auroc"]["n"] == len(scoring)
    assert after["labels"] == 240
    assert after["rule"]["guarantee"] == calibration["guarantee"]
    assert 0.35 < len(choosing) / len(every) < 0.65
    assert "The threshold is guaranteed for this window and for the long run: at least 90 % of passed" in page
    assert "Shown by labels of waves up to 1: for this window by " in page
    assert f"The {chose} labels that chose it score nothing here" in page
    assert {claim["claim"] for claim in calibration["guarantee"]["claims"]} == {"window", "long_run"}
    ready(
        "rule", "set", f"quality > {calibration['threshold'] - 0.005:.3f}", "--name", "another"
    )  # with the same verdicts
    by_all = ready.json("report")
    for name in ("correctness", "correctness_long_run", "response", "strata"):
        assert after[name] == by_all[name]
    assert by_all["kappa"]["n"] == 240


def test_another_rule_has_no_guarantee_and_is_scored_by_all(ready: Assay) -> None:
    """A guarantee belongs to its rule: what a person sets later is measured on every label."""
    ready(*THRESHOLD)
    ready("rule", "set", "quality > 0.61", "--name", "mine")
    report = ready.json("report")

    assert report["rule"]["guarantee"] is None
    assert report["kappa"]["n"] == 240
    assert "is guaranteed" not in ready.words("report")


def test_the_same_again_changes_nothing(ready: Assay) -> None:
    """The same labels give the same threshold: no new version, no new event."""
    first = ready.json(*THRESHOLD)
    events = len(ready.json("events")["events"])
    again = ready.json(*THRESHOLD)

    assert (again["threshold"], again["rule"], again["saved"]) == (first["threshold"], first["rule"], False)
    assert len(ready.json("events")["events"]) == events
    assert ready(*THRESHOLD).stdout.startswith("The threshold in force, 0.")


def test_a_dry_run_keeps_nothing(ready: Assay) -> None:
    """It says what would come of it."""
    assert ready(*THRESHOLD, "--dry-run").stdout.startswith("A threshold of 0.")
    assert ready.json(*THRESHOLD, "--dry-run")["saved"] is False
    assert ready.json("rule", "list")["rules"][-1]["expression"] == RULE
    assert ready.sql("SELECT * FROM choosers") == []


def test_a_second_wave_may_choose_anew_and_what_chose_scores_nothing(ready: Assay) -> None:
    """Roles stay: what chose chooses again with half of the new draws, and the rule is scored by the others."""
    ready(*THRESHOLD)
    before = roles(ready)[0]
    labelled(scored(ready, 200, first=400), 160, seed=2)
    calibration = ready.json(*THRESHOLD)
    choosing, silent, _ = roles(ready)

    assert calibration["saved"]
    assert before < choosing == silent
    assert calibration["rule"]["version"] == 3
    assert 0.3 < len(choosing - before) / 160 < 0.7
    assert calibration["chose"] + ready.json("report")["kappa"]["n"] == 400


def test_all_labels_may_choose_and_then_none_scores(ready: Assay) -> None:
    """With a share of 1 the report keeps the share of right answers, and says that the rest waits for a fresh wave."""
    calibration = ready.json(*THRESHOLD, "--share", "1")
    report = ready.json("report")
    labelled(scored(ready, 200, first=400), 60, seed=2)
    silent, every = roles(ready)[1:]

    assert (calibration["chose"], calibration["labels"]) == (240, 240)
    assert commands(calibration)[0] == "assay sample --labels 160"  # of 400 items, 240 are drawn
    assert report["correctness"]["estimate"] is not None
    assert report["pass_precision"]["estimate"] is None
    assert "draw a fresh wave" in report["pass_precision"]["reason"]
    assert "draw a fresh wave" in report["verdict"]["sentence"]
    assert ready.json("report")["kappa"]["n"] >= len(every - silent) > 20


def test_none_found_is_an_answer(assay: Assay) -> None:
    """Exit status 0, nothing saved, how many more labels above which value, and the command that draws them."""
    labelled(scored(assay), 110)
    calibration = assay.json(*THRESHOLD)
    page = assay.words(*THRESHOLD)

    assert calibration["threshold"] is None
    assert calibration["guarantee"] is None
    assert calibration["reason"]
    assert calibration["need"]["more"] + calibration["need"]["n"] >= 44
    assert commands(calibration)[0] == f"assay sample --labels {calibration['need']['draws']}"
    assert page.startswith("Not enough labels yet: no threshold is shown to keep 90 % right")
    assert f"About {calibration['need']['more']} more labels at or above" in page
    assert "of which 50 % choose" in page
    assert assay.json("rule", "list")["rules"][-1]["expression"] == RULE


def test_a_value_that_does_not_separate_is_told_so(assay: Assay) -> None:
    """Labels by the toss of a coin: no number of them helps, and the best part seen is named."""
    labelled(scored(assay), 240, lambda n: "right" if n % 2 else "wrong")
    calibration = assay.json(*THRESHOLD)

    best = min((row for row in calibration["thresholds"] if row["n"] >= 22), key=lambda row: row["errors"] / row["n"])
    right = best["n"] - best["errors"]

    assert (calibration["threshold"], calibration["need"], commands(calibration)) == (None, None, ["assay report"])
    assert (
        f"Best part seen: at or above {best['threshold']:.3f}, {right} of {best['n']} labels are right"
        in assay.words(*THRESHOLD)
    )


def test_a_part_as_good_as_asked_for_is_not_called_one_that_does_not_separate(assay: Assay) -> None:
    """Every part has as many right as are asked for, and too few more for any number of labels to show it."""
    labelled(scored(assay, value=lambda n: 0.5), 240, lambda n: "right" if n % 2 else "wrong")
    part = next(step for step in assay.json(*THRESHOLD)["thresholds"] if step["n"])
    share = 1 - part["errors"] / part["n"]
    page = assay.words("calibrate", "--precision", f"{share:.6f}")

    assert "Best part seen" not in page
    assert "too close to" in page


def test_looking_again_after_more_labels_is_told(assay: Assay) -> None:
    """A look that tested something and found nothing is logged once; the next one with more labels says so."""
    labelled(scored(assay), 240, lambda n: "right" if n % 5 else "wrong")
    assert assay.json(*THRESHOLD)["earlier_looks"] == 0
    assert assay.json(*THRESHOLD)["earlier_looks"] == 0
    labelled(scored(assay, 200, first=400), 100, seed=2)

    assert assay.json(*THRESHOLD)["earlier_looks"] == 1
    assert "1 earlier try with other labels" in assay.words(*THRESHOLD)


def words(assay: Assay, *more: str) -> tuple[str, dict[str, Any]]:
    """The page and the JSON of the same call."""
    return assay.words(*THRESHOLD, *more), assay.json(*THRESHOLD, *more)


def test_without_anything_there_are_words(assay: Assay) -> None:
    """No scores, no labels, labels that are all unsure: what to do next, and exit status 0."""
    assay("ingest", assay.write("traffic.jsonl", [traffic_row(f"i{n}") for n in range(900, 908)]))
    page, calibration = words(assay)
    assert "No answer has a value" in page
    assert commands(calibration) == ["assay judge"]
    assert "The reason: run `assay judge`" in assay.words("calibrate")
    page, calibration = words(scored(assay))
    assert (calibration["labels"], commands(calibration)[0]) == (0, "assay sample --labels 200")
    assert "Too few labels" in page
    labelled(assay, 50, lambda _: "unsure")
    assert words(assay)[1]["threshold"] is None
    assert "cannot be said yet" in assay.words("calibrate")


def test_where_all_may_pass_no_cut_is_needed(assay: Assay) -> None:
    """Every item has the value .5 and every label says right: nothing to divide, nothing saved; the maps have words instead."""
    labelled(scored(assay, value=lambda _: 0.5), 150, lambda _: "right")
    assert "has the value 0.5" in assay.words("calibrate")
    calibration = assay.json(*THRESHOLD)

    assert (calibration["threshold"], calibration["coverage"], calibration["errors"]) == (0.5, 1.0, 0)
    assert (calibration["all_pass"], calibration["saved"], calibration["guarantee"], calibration["rule"]) == (
        True,
        False,
        None,
        None,
    )
    assert calibration["answer"].startswith("No threshold is needed: at least 90 % of all scored answers are right")
    assert assay.words(*THRESHOLD).startswith(calibration["answer"])
    assert assay.json("rule", "list")["rules"][-1]["expression"] == RULE


def test_a_rule_of_percentiles_keeps_its_percentiles(ready: Assay) -> None:
    """What passes is what lies at or above the threshold in percentiles that the rule froze."""
    ready("rule", "set", "pct(quality) > 0.3", "--name", "ranked")
    calibration = ready.json(*THRESHOLD)
    store = Store(ready.db)
    try:
        key, rule = store.scores.rules.in_force() or (0, None)
    finally:
        store.close()
    rows = ready.sql(f"SELECT value, verdict FROM verdicts WHERE rule = {key}")

    assert rule is not None
    assert rule.is_calibrated
    assert rule.percentiles["quality"]
    assert {verdict == "pass" for value, verdict in rows if value >= calibration["threshold"]} == {True}
    assert {verdict == "pass" for value, verdict in rows if value < calibration["threshold"]} == {False}


def test_failed_items_without_labels_are_never_promised(assay: Assay) -> None:
    """No audit: what fails has no label, so no threshold can reach below the old one, however right the passed answers are."""
    scored(assay)
    assay("sample", "--labels", "200", "--audit", "0", "--seed", "1")
    names = open_ids(assay)
    rows = [{"item_id": name, "label": "right", "annotator": "ann"} for name in names]
    assay("labels", "import", assay.write("labels.jsonl", rows))
    calibration = assay.json(*THRESHOLD)

    assert calibration["threshold"] is not None
    assert sum(calibration["threshold"] <= value_of(n) <= 0.5 for n in range(400)) / 400 < 0.1
    assert calibration["thresholds"][-1]["window"] is calibration["thresholds"][-1]["long_run"] is None
    assert calibration["thresholds"][-1]["unseen"] > 0.1


def test_what_a_value_means(ready: Assay) -> None:
    """The table for people and machines: every scored label once, both maps, the map to read, and the other call."""
    page, calibration = ready.words("calibrate"), ready.json("calibrate")

    assert sum(band["right"]["n"] for band in calibration["bands"]) == calibration["labels"] == 240
    assert calibration["preferred"] in {"platt", "isotonic"}
    assert calibration["brier"]["platt"]["estimate"] < calibration["brier"]["base"]["estimate"]
    assert calibration["ece"]["if_perfect"] < calibration["ece"]["observed"]
    assert "Brier score, lower is better" in page
    assert page.endswith("assay calibrate --precision 0.9")
    assert calibration["value"] == RULE.partition(" ")[0]
    ready(*THRESHOLD)
    assert ready.json("calibrate")["labels"] == 240


def test_a_promise_of_all_or_nothing_is_refused(ready: Assay) -> None:
    """Precision 1 cannot be proved by any number of labels."""
    for args in (("--precision", "1"), ("--precision", "0"), ("--precision", "0.9", "--share", "0")):
        ready("calibrate", *args, status=2)
    assert json.loads(ready("rule", "list", "--json").stdout)["rules"][-1]["expression"] == RULE
    assert SIGNATURE in ready.words("rule", "list")
