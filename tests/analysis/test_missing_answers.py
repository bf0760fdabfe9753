"""What unsure, unanswered and waiting answers, and annotators at chance, keep anyone from claiming: through the command."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from typing import Any

import pytest

from annotate.analysis.report.limits import HARM, LimitStatus, check_limits
from annotate.analysis.report.report import build
from annotate.domain.gate_limits import ReportLimits
from annotate.present.messages import LANGUAGES, text
from annotate.present.report.limits import checklist, title
from annotate.present.report.tiles import tiles
from annotate.store import Store
from proxy.text.numbers import points
from support.gate import judged
from support.missing_answers import passes, says, traffic
from support.scored import open_ids
from support.store import Assay, once

pytestmark = pytest.mark.slow

NOT_YET = "No verdict yet: "
LIMITED = ("correctness", "npv", "sensitivity", "specificity", "accuracy", "f1", "kappa", "mcc", "ac1", "auroc")


def drawn(assay: Assay) -> list[str]:
    """260 of 300 answers, in the order in which annotators see them."""

    def make() -> None:
        traffic(assay)
        assay("sample", "--labels", "260", "--seed", "3")

    return open_ids(once(assay, "missing-drawn", make))


def half_unsure(assay: Assay) -> list[str]:
    """Every answered pass is right; two passes in five are unsure."""

    def make() -> None:
        names = drawn(assay)
        unsure = two_in_five(names)
        says(assay, [name for name in names if name not in unsure], unsure=unsure)
        assay.write("unsure.json", json.dumps(unsure))

    return list(json.loads((once(assay, "missing-unsure", make).folder / "unsure.json").read_text()))


def two_in_five(names: list[str]) -> list[str]:
    """Two in five of those that pass."""
    return [name for k, name in enumerate(filter(passes, names)) if k % 5 < 2]


@pytest.mark.parametrize("kind", ["unsure", "open", "both"])
def test_no_yes_while_the_missing_answers_could_turn_it(assay: Assay, kind: str) -> None:
    """The reason comes in the first sentence, the same in text, JSON, page and gate; the estimate stays beside it."""
    names = drawn(assay)
    some = two_in_five(names)
    unsure = {"unsure": some, "open": [], "both": some[::2]}[kind]
    says(assay, [name for name in names if name not in some], unsure=unsure)
    report = assay.json("report")
    sentence, evidence = report["verdict"]["sentence"], report["evidence"]

    assert report["verdict"]["status"] == "open"
    assert sentence.startswith(NOT_YET + f"{len(some)} of ")
    page = " ".join(assay("report").stdout.split())
    assert page.startswith(sentence)
    assert "If all of them were wrong, 60 %" in page
    assert report["pass_precision"]["estimate"] == 1.0
    assert evidence["worst_case"]["pass_precision"]["estimate"] == pytest.approx(0.6, abs=0.02)
    assert evidence["best_case"]["pass_precision"]["estimate"] == 1.0
    assert (evidence["passed_unsure"], evidence["passed_pending"]) == (len(unsure), len(some) - len(unsure))
    failed = assay("report", "--gate", status=3)
    assert failed.stderr.startswith(
        "gate failed: the proxy is not shown to be trusted: 100 % of passed answers are right ("
    )
    html = assay.folder / "report.html"
    assay("report", "--html", str(html))
    assert "If all of them were wrong, " in html.read_text(encoding="utf-8")


def test_a_limit_that_the_worst_case_reaches_is_a_yes(assay: Assay) -> None:
    """.6 of the passes are right even if every unsure one is wrong: .5 is reached, .9 is not."""
    half_unsure(assay)

    assert assay.json("report", "--limit", "0.5")["verdict"]["status"] == "yes"
    assert "The interval allows for any outcome of the " in " ".join(assay("report", "--limit", "0.5").stdout.split())
    assert assay.json("report", "--limit", "0.5", "--gate")["gate"]["passed"]


def test_every_figure_beside_the_verdict_allows_for_what_is_missing(assay: Assay) -> None:
    """Each card ends where the JSON says, and that holds both the worst and the best case of the missing labels."""
    half_unsure(assay)
    with closing(Store(assay.db)) as store:
        cards = {tile.name: tile for tile in tiles(build(store))}
    report = assay.json("report")
    cases = report["evidence"]

    for name, card, times in (
        ("pass_precision", "pass_precision", 1),
        ("correctness", "correctness", 1),
        ("false_passes", "let_through", 1000),
    ):
        bar, ends = cards[card].bar, report[name]["long_run"]
        assert bar is not None
        assert (bar.low, bar.high) == pytest.approx((times * ends["low"], times * ends["high"]))
        for case in ("worst_case", "best_case"):
            corner = cases[case][name]["long_run"]
            lower_is_worse = (case == "worst_case") != (name == "false_passes")
            end = "low" if lower_is_worse else "high"
            assert ends["low"] <= corner[end] <= ends["high"]
        assert ends["low"] <= cases["worst_case"][name]["estimate"] <= ends["high"]
        assert ends["low"] <= cases["best_case"][name]["estimate"] <= ends["high"]


def test_false_passes_and_right_among_the_passed_agree_at_both_ends(assay: Assay) -> None:
    """Of this window the share that passes is counted: in either case of what is missing one end follows from the other."""
    half_unsure(assay)
    cases = assay.json("report")["evidence"]

    for case in ("worst_case", "best_case"):
        precision, wrong = cases[case]["pass_precision"], cases[case]["false_passes"]
        passed = wrong["estimate"] / (1 - precision["estimate"]) if precision["estimate"] < 1 else None
        assert wrong["n"] == precision["n"]
        if passed is None:
            assert wrong["estimate"] == 0
            continue
        assert (wrong["low"], wrong["high"]) == pytest.approx(
            (passed * (1 - precision["high"]), passed * (1 - precision["low"])), abs=1e-9
        )
    report = assay.json("report")
    passed = report["pass_rate"]["estimate"]
    # The long run leaves the share that passes open too: the interval is wider than the counted one by that alone.
    low, high = (passed * (1 - report["pass_precision"]["long_run"][end]) for end in ("high", "low"))
    ends = report["false_passes"]["long_run"]
    assert ends["low"] <= low + 0.01
    assert ends["high"] >= high - 0.02


def test_no_is_said_only_where_the_best_case_misses_the_limit(assay: Assay) -> None:
    """Half of the answered passes are wrong; with a third waiting .75 may still be right, .95 not."""
    names = drawn(assay)
    mine = list(filter(passes, names))
    waiting = mine[: len(mine) // 2]
    rows = [
        {"item_id": name, "label": "wrong" if k % 2 or not passes(name) else "right", "annotator": "ann"}
        for k, name in enumerate(name for name in names if name not in waiting)
    ]
    assay("labels", "import", assay.write("half.jsonl", rows))

    assert assay.json("report", "--limit", "0.95")["verdict"]["status"] == "no"
    verdict = assay.json("report", "--limit", "0.7")["verdict"]
    assert verdict["status"] == "open"
    assert "If all of them were right, " in " ".join(assay("report", "--limit", "0.7").stdout.split())


def reported(assay: Assay) -> dict[str, Any]:
    """The report on draws of which a fourth is unsure."""

    def make() -> None:
        names = drawn(assay)
        missing = names[::4]
        says(assay, [name for name in names if name not in missing], unsure=missing)
        assay.write("report.json", json.dumps(assay.json("report", "--limit", "0.1")))

    report: dict[str, Any] = json.loads((once(assay, "missing-fourth", make).folder / "report.json").read_text())
    return report


def test_every_limit_of_the_gate_asks_the_worst_case(assay: Assay) -> None:
    """Without the missing answers a quantity reaches its limit, whatever they are it does not: the gate says how many."""
    report = reported(assay)
    own, worst = (
        {name: found[name]["long_run"]["low"] for name in LIMITED}
        for found in (report["evidence"]["among_judged"], report["evidence"]["worst_case"])
    )
    assert [name for name in LIMITED if not worst[name] < own[name]] == []
    limit(assay, {name: (own[name] + worst[name]) / 2 for name in LIMITED})

    reasons = assay.json("report", "--gate", status=3)["gate"]["reasons"]
    assert len(set(reasons)) == len(LIMITED)
    assert all("have no right or wrong" in reason for reason in reasons)
    limit(assay, {name: worst[name] - 1e-6 for name in LIMITED})
    assert assay.json("report", "--gate")["gate"]["passed"]


def limit(assay: Assay, limits: Mapping[str, float]) -> None:
    """Write these limits of the gate into the settings."""
    rows = "".join(f"{name} = {value}\n" for name, value in limits.items())
    (assay.folder / "assay.toml").write_text(f"[report]\nlimit = 0.1\n[gate.report]\n{rows}")


def coins(assay: Assay, names: list[str]) -> None:
    """Two annotators who toss coins over all of these."""
    for who, bit in (("ann", 1), ("bob", 2)):
        rows = [
            {"item_id": name, "label": "right" if k & bit else "wrong", "annotator": who}
            for k, name in enumerate(names)
        ]
        assay("labels", "import", assay.write(f"{who}.jsonl", rows))


def test_annotators_at_chance_allow_no_claim(assay: Assay) -> None:
    """No yes and no no, no guarantee, no "enough labels", no slice: each says why."""
    names = drawn(assay)
    coins(assay, names)
    why = "the labels are unreliable: two annotators agree no better than chance"

    assert assay("report").stdout.startswith(f"{NOT_YET}the annotators do not agree with each other.")
    assert why in " ".join(assay("report").stdout.split())
    assert assay.json("report")["evidence"]["objections"][0]["doubt"] == "annotators"
    assay("report", "--gate", status=3)
    for limit in ("0.01", "0.99"):
        assert assay.json("report", "--limit", limit)["verdict"]["status"] == "unknown"
    given = assay.json("calibrate", "--precision", "0.05")
    assert given["answer"] == "No guarantee can be given from these labels."
    assert given["reason"].startswith(why)
    assert (given["threshold"], given["guarantee"], given["all_pass"], given["saved"]) == (None, None, False, False)
    enough = assay("plan", "--width", "0.9").stdout
    assert "No further label is needed" not in enough
    assert enough.startswith("More labels alone will not do ")
    assert f"The reason: {why}" in " ".join(enough.split())
    assert assay.json("slices")["answer"] == "No slice can be named from these labels."
    assert f"The reason: {why}" in " ".join(assay("slices").stdout.split())
    planned = assay.json("plan", "--width", "0.9")["next"][0]["commands"]
    for command in (given["next"][0]["commands"], planned):
        assay(*(command[0] if isinstance(command, list) else command).removeprefix("assay ").split())


def test_enough_labels_is_not_said_while_the_missing_ones_widen_the_interval(assay: Assay) -> None:
    """The interval among what was judged is narrow enough; over all cases it is not."""
    half_unsure(assay)
    stdout = assay("plan", "--width", "0.2", "--quantity", "pass_precision").stdout

    assert stdout.startswith("More labels alone will not do ")
    assert "have no right or wrong" in stdout
    assert assay("plan", "--width", "0.6", "--quantity", "pass_precision").stdout.startswith(
        "No further label is needed"
    )


@pytest.mark.parametrize("width", ["0.05", "0.2", "0.6"])
def test_a_plan_says_what_its_width_leaves_out(assay: Assay, width: str) -> None:
    """Unsure draws widen the interval whatever else is labelled: said wherever the wanted width is not met with them."""
    unsure = half_unsure(assay)
    asked = ("plan", "--width", width, "--quantity", "pass_precision")
    page, plan, evidence = " ".join(assay(*asked).stdout.split()), assay.json(*asked), assay.json("report")["evidence"]
    missing, passed = plan["missing"], evidence["worst_case"]["pass_precision"]

    assert (missing["unsure"], missing["pending"]) == (len(unsure), 0)
    assert missing["wider_by"] == pytest.approx(plan["present"]["low"] - passed["low"], abs=1e-9)
    if width == "0.6":
        assert plan["needed"] == "met"
        assert missing["words"] is None
        return
    assert page.count("The width is that among answers that annotators can judge.") == 1
    assert page.count(f"{len(unsure)} of ") == 1
    assert missing["words"] in page
    assert f"it is {points(missing['wider_by'])} points wider" in page
    if plan["expected_width"] is not None:
        assert f"expect about {points(plan['expected_width'] + missing['wider_by'])} points" in page


def test_nothing_missing_says_yes_as_before(assay: Assay) -> None:
    """Every drawn answer has a right or wrong."""
    judged(assay)
    report = assay.json("report", "--gate")

    assert report["verdict"]["status"] == "yes"
    assert " whatever " not in report["verdict"]["sentence"]
    assert report["evidence"]["worst_case"]["pass_precision"] == report["pass_precision"]
    assert assay.json("plan")["missing"] is None
    assert len(LANGUAGES) == 3


def test_a_slice_that_missing_answers_could_turn_is_named_with_that(assay: Assay) -> None:
    """One system is wrong where it passes; where many of its answers are unsure the finding says so."""
    ids = [f"t{k:03}" for k in range(400)]
    systems = {item_id: "old" if k % 2 else "new" for k, item_id in enumerate(ids)}
    from support.store import traffic_row

    assay("ingest", assay.write("traffic.jsonl", [traffic_row(item_id, system=systems[item_id]) for item_id in ids]))
    scores = [{"item_id": item_id, "judge": "s", "value": 0.1 if k % 8 < 2 else 0.9} for k, item_id in enumerate(ids)]
    assay("scores", "import", assay.write("scores.jsonl", scores))
    assay("rule", "set", "s > 0.5")
    assay("sample", "--labels", "400", "--seed", "3")

    def label(name: str, *, unsure: int) -> str:
        k = int(name[1:])
        if k % 8 < 2:
            return "wrong"
        return "unsure" if k % 20 < unsure else "wrong" if systems[name] == "new" and k % 3 == 0 else "right"

    def told(unsure: int) -> str:
        rows = [{"item_id": item_id, "label": label(item_id, unsure=unsure), "annotator": "ann"} for item_id in ids]
        assay("labels", "import", assay.write(f"labels-{unsure}.jsonl", rows))
        answer: str = assay.json("slices")["answer"]
        return answer

    clear, open_ = told(0), told(8)
    assert "new are wrong more often" in clear
    assert "that is open" not in clear
    assert "but that is open: " in open_
    assert assay.json("slices")["could_turn"][0]["missing"] > 0


def test_no_audit_says_what_earlier_waves_tell(assay: Assay) -> None:
    """The first wave without failed items leaves them unknown; after a wave with them nothing is lost but for new ones."""
    traffic(assay)
    [first] = assay.json("sample", "--labels", "60", "--audit", "0", "--dry-run")["notes"]
    assert "sensitivity, specificity, accuracy and kappa cannot be measured" in first
    assay("sample", "--labels", "60", "--seed", "3")
    says(assay, open_ids(assay))
    [second] = assay.json("sample", "--labels", "60", "--audit", "0", "--seed", "4")["notes"]
    assert "of earlier waves speak for failed items, and nothing there gets narrower" in second
    assert "cannot be measured" not in second
    says(assay, open_ids(assay))
    assert assay.json("report")["specificity"]["estimate"] is not None
    traffic(assay, 100, first=300)
    third = assay.json("sample", "--labels", "30", "--audit", "0", "--dry-run")["notes"]
    assert any("25 failed items came since" in note for note in third)


def test_no_mark_of_harm_on_few_labels_leaves_the_share_open(assay: Assay) -> None:
    """One label says that there is no harm: the count is 0 and meets its limit, and the share has n, an upper end, and room for the missing."""
    half_unsure(assay)
    none_harmful = {"item_id": "t002", "label": "right", "annotator": "ann", "harm": "none"}
    assay("labels", "import", assay.write("harm.jsonl", [none_harmful]))
    with closing(Store(assay.db)) as store:
        report = build(store)
    checks = check_limits(report, ReportLimits())
    [harm] = [check for check in checks if check.name == HARM]
    [line] = [said for said in (text(line.measured) for line in checklist(checks)) if "of all answers" in said]
    share = assay.json("report")["marked_harmful"]

    assert (harm.count, harm.standing) == (0, LimitStatus.MET)
    assert (share["estimate"], share["n"]) == (0.0, report.evidence.draws.answered)
    assert share["long_run"]["high"] > report.evidence.draws.missing_share
    assert f"n = {share['n']}" in line
    assert text(title(checks)) == "Limits: 2 of 4 met, 1 open, 1 not examined"
