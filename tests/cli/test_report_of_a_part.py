"""`assay report --system A --since DAY --until DAY`: the part is named first, and one that holds nothing is refused with what there is."""

from __future__ import annotations

import re

import pytest

from support.store import Assay, kept, traffic_row


@kept
def systems(assay: Assay) -> Assay:
    """Thirty answers of `a` in January, all labelled, and five of `b` in March that came after the wave."""
    rows = [traffic_row(f"a{n}", system="a", timestamp=f"2026-01-{n + 1:02}T08:00:00Z") for n in range(30)]
    assay("ingest", assay.write("a.jsonl", rows))
    assay("judge")
    assay("sample", "--labels", "30")
    labels = [{"item_id": str(row["id"]), "label": "right", "annotator": "ann"} for row in rows]
    assay("labels", "import", assay.write("l.jsonl", labels))
    late = [traffic_row(f"b{n}", system="b", timestamp="2026-03-01T08:00:00Z") for n in range(5)]
    assay("ingest", assay.write("b.jsonl", late))
    assay("judge")
    return assay


@pytest.mark.slow
def test_the_first_sentence_names_the_part(systems: Assay) -> None:
    """On the terminal, in the JSON with the verdict, and in the printed report, which leaves out weeks of all traffic."""
    asked = ("--system", "a", "--since", "2026-01-05", "--until", "2026-01-25T08:00:00Z")
    named = "System a, from 2026-01-05, before 2026-01-25T08:00:00Z: "

    assert systems("report", *asked).stdout.startswith(named)
    said = systems.json("report", *asked)
    assert said["answer"].startswith(named)
    assert said["verdict"]["sentence"] == said["answer"]
    assert (said["items"], said["correctness"]["n"]) == (20, 20)
    assert "All systems, from 2026-01-05: " in systems("report", "--since", "2026-01-05").stdout

    systems("report", *asked, "--html", str(systems.folder / "part.html"))
    page = (systems.folder / "part.html").read_text(encoding="utf-8")
    assert named in re.sub("</?bdi>", "", page)
    assert "20 answers, 20 with a verdict" in page


def test_a_part_that_no_wave_reached_has_no_number(systems: Assay) -> None:
    """Its answers and verdicts are counted; what labels would tell has a reason, and the gate does not pass."""
    said = systems.json("report", "--system", "b")

    assert (said["items"], said["judged"], said["labels"]) == (5, 5, 0)
    assert said["correctness"]["estimate"] is None
    assert "none of the 30 drawn answers is in this part" in said["correctness"]["reason"]
    assert said["pass_precision"]["reason"] == said["correctness"]["reason"]
    assert {judge["kappa"]["reason"] for judge in said["judges"]} == {said["kappa"]["reason"]}
    assert "none of the 30 drawn answers is in this part" in systems(
        "report", "--system", "b", "--full"
    ).stdout.replace("\n", " ")
    systems("report", "--system", "b", "--gate", status=3)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("--system", "c"), "no answer is of the system c: the systems are a (30), b (5)"),
        (("--since", "2027-01-01"), "those with a timestamp run from 2026-01-01 to 2026-03-01"),
        (("--system", "b", "--until", "2026-02-01"), "those with a timestamp run from 2026-03-01 to 2026-03-01"),
        (("--since", "soon"), "soon is no date and no time"),
        (("--since", "2026-02-01", "--until", "2026-01-01"), "ends before it begins"),
    ],
)
def test_a_part_that_holds_nothing_is_refused(systems: Assay, asked: tuple[str, ...], words: str) -> None:
    """With the systems, or the days, that there are."""
    assert words in systems("report", *asked, status=2).stderr
