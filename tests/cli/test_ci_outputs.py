"""What CI reads of an answer with a gate: Markdown for the pull request and JUnit for the server, beside the exit status."""

from __future__ import annotations

from collections import Counter
from xml.etree.ElementTree import Element, parse

import pytest

from annotate import Project
from support.gold_check import RIGHT, WRONG, answers, entry, gold_set
from support.store import Assay, kept, label

# Of the demo's 16 labels correctness is 34 to 84 % in the long run, sensitivity 64 to 100 %, specificity 28 to 98.8 %.
LIMITS = "[gate.report]\ncorrectness = 0.2\nsensitivity = 0.9\nspecificity = 0.999\n"


@kept
def demo(assay: Assay) -> Assay:
    """The demo's store, held to one limit that is met, one that is open and one that is missed."""
    assay("demo")
    assay.write("assay.toml", LIMITS)
    return assay


def cases(assay: Assay, name: str = "gate.xml") -> dict[str, Element]:
    """The test cases of the file by their names."""
    elements = parse(assay.folder / name).getroot().iter("testcase")
    return {str(case.get("name")): case for case in elements}


def outcome(case: Element) -> str:
    """What CI shows of a test case."""
    return next((child.tag for child in case if child.tag in ("failure", "skipped")), "passed")


@pytest.mark.slow
def test_each_limit_of_the_report_is_a_test_case(demo: Assay) -> None:
    """Met is passed, missed is failed with what was measured, open is skipped with what would tell; the gate fails."""
    ended = demo("report", "--gate", "--junit", "gate.xml", status=3)
    by_name = {name.partition(":")[0]: case for name, case in cases(demo).items()}
    figures = demo.json("report")
    failure = by_name["Failed among the wrong"].find("failure")

    assert outcome(by_name["Answers that are right"]) == "passed"
    assert outcome(by_name["Passed among the right"]) == "skipped"
    assert "more labels would tell" in str(by_name["Passed among the right"][0].get("message"))
    assert failure is not None
    assert f"n = {figures['specificity']['n']}" in str(failure.get("message"))
    assert ended.stdout.startswith("Not enough labels yet")
    assert len(by_name) == 7  # these, the verdict's own, agreement beyond chance, annotators, harm


@pytest.mark.slow
def test_the_pull_request_gets_the_verdict_the_quantities_and_the_limits(demo: Assay) -> None:
    """The sentence of the terminal, each quantity with its n, each limit; Python gives the same text."""
    page = demo("report", "--markdown").stdout
    figures = demo.json("report")

    assert figures["answer"] in page.splitlines()[0]
    assert "| Answers that are right | 62 % | exact, all labelled | 34 to 84 % | 16 |" in page
    assert "### Gate: 2 of 7 conditions met" in page
    assert "| Failed among the wrong: at least 99.9 % | ✗ missed |" in page
    assert page == Project.open(demo.db).report(limit=0.9).to_markdown()


def test_two_forms_on_standard_output_are_refused(assay: Assay) -> None:
    """And a file that CI would not find by its name."""
    assert "--markdown and --json" in assay("report", "--markdown", "--json", status=2).stderr
    assert "--html - writes" in assay("report", "--markdown", "--html", "-", status=2).stderr


@pytest.mark.slow
def test_a_file_of_another_kind_is_refused(demo: Assay) -> None:
    """Servers look for .xml."""
    assert "ends in .xml" in demo("report", "--junit", "gate.txt", status=2).stderr


@pytest.mark.slow
def test_a_check_against_the_gold_set_has_its_conditions(assay: Assay) -> None:
    """Twelve right answers that annotators call wrong now: compared, shown worse, more broke than allowed, no harm marked."""
    names = [f"m{n}" for n in range(12)]
    gold_set(assay, answers("old", dict.fromkeys(names, RIGHT)), [label(f"old-{name}") for name in names])
    assay("ingest", assay.write("new.jsonl", answers("new", dict.fromkeys(names, WRONG))))
    assay("labels", "import", assay.write("more.jsonl", [label(f"new-{name}", "wrong") for name in names]))
    assay.write("assay.toml", "[gate.gold_check]\nallow_broken = 3\n")
    check = ("gold", "check", "--system", "new")

    page = assay(*check, "--markdown", "--junit", "gate.xml").stdout
    outcomes = Counter(map(outcome, cases(assay).values()))
    reasons = assay.json(*check)["gate"]["reasons"]

    assert outcomes == {"passed": 2, "failure": 2}
    assert [case[0].get("message") for case in cases(assay).values() if outcome(case) == "failure"] == reasons
    assert "### Gate: 2 of 4 conditions met" in page
    assert entry(assay, "old-m0") in page
