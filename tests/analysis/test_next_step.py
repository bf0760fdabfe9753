"""The next step: the first stage of the loop with work waiting, then decisions; commands that lead somewhere from here."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from annotate.analysis.judges import table
from annotate.analysis.next_step.commands import EXPORT, FILES, IMPORT, LABEL_STUDIO, PULL, PUSH
from annotate.analysis.next_step.judges import after_judges
from annotate.analysis.next_step.labelling import label_more
from annotate.analysis.next_step.loop import StepState, gold_steps, next_step
from annotate.analysis.report.report import GoldState, ProjectReport, build
from annotate.domain.message import Step
from annotate.domain.sampling.outcomes import ToLabel
from annotate.label_studio.address import address_file
from annotate.present.messages import text
from annotate.project.store_access import way_of
from annotate.store import Store
from proxy.evaluation.discrimination import Separation
from proxy.evaluation.trust import Case, Needed, Trust
from proxy.records import Item
from support.app import walk
from support.store import NOW


@pytest.fixture(scope="module")
def report() -> ProjectReport:
    """The demo's report: every drawn answer is labelled."""
    with closing(Store(":memory:")) as store:
        walk(store)
        return build(store)


def steps(report: ProjectReport) -> tuple[Step, ...]:
    return next_step(StepState(report=report, way=LABEL_STUDIO))


def test_judges_that_do_not_separate_ask_for_another_and_the_rest_for_what_is_next() -> None:
    """Where more labels could not tell; while draws wait, these come first. One with one score for all ranks nothing."""
    with closing(Store(":memory:")) as store:
        walk(store)
        known = build(store)
        judges = table.build(store, known)
    flat = replace(judges, rows=[replace(row, separation=Separation.CONSTANT) for row in judges.rows])
    state = StepState(report=known, way=LABEL_STUDIO)
    waiting = replace(state, report=replace(known, progress=known.progress._replace(drawn=known.progress.drawn + 3)))

    assert after_judges(judges, state) == next_step(state)[0]
    assert after_judges(flat, state).commands == ("assay judge --judges NAMES",)
    assert after_judges(flat, waiting) == next_step(waiting)[0]


def test_decisions_stand_beside_the_stage(report: ProjectReport) -> None:
    """What waits for a person is named after the stage, with its count and its command."""
    stage = steps(report)
    next_steps = steps(replace(report, disputed=3, flagged=2))

    assert next_steps[: len(stage)] == stage
    assert [(step.commands, step.message.values["count"]) for step in next_steps[len(stage) :]] == [
        (("assay labels disagreements",), 3),
        (("assay gold review",), 2),
    ]


@pytest.mark.parametrize(
    ("status", "case", "needed", "command", "numbers"),
    [
        (Trust.NO, Case.BELOW, None, "assay calibrate --precision 0.85 --dry-run", ()),
        (Trust.NO, Case.NO_BETTER, None, "assay rule set EXPRESSION", ()),
        # 890 labels on passed answers; a quarter of a draw goes to failed ones: 890 / .75 = 1,186.7, in tens.
        (
            Trust.OPEN,
            Case.LIMIT_OPEN,
            Needed(890, None, kappa_open=False),
            "assay sample --labels 1190",
            ("890", "1,190"),
        ),
        # All 677 that are left, 677 / .75 + 10 for the other strata.
        (
            Trust.OPEN,
            Case.LIMIT_OPEN,
            Needed(890, 677, kappa_open=False),
            "assay sample --labels 920 --all-passed",
            ("677",),
        ),
        (Trust.OPEN, Case.LIMIT_OPEN, Needed(890, 0, kappa_open=False), "assay ingest FILE", ()),
    ],
)
def test_what_the_verdict_asks_for_is_what_comes_next(
    report: ProjectReport, status: Trust, case: Case, needed: Needed | None, command: str, numbers: tuple[str, ...]
) -> None:
    """Shown not good enough: a guaranteed threshold at the same limit; not known yet: as many draws as its labels take."""
    trust = replace(report.trust, status=status, case=case, needed=needed, limit=0.85)
    step = steps(replace(report, trust=trust, uncovered=0, items=9999))[0]

    assert step.commands[0] == command
    assert all(number in text(step.message) for number in numbers)


@pytest.mark.slow
def test_new_traffic_asks_for_a_new_draw(store: Store) -> None:
    """Items that no wave knows are the next thing to do once all labels are in."""
    walk(store)
    with store.atomic():
        store.traffic.items.add([Item(id="new", question="q", answer="a")], now=NOW)
    step = steps(build(store))[0]

    assert step.message.values["count"] == 1
    assert step.commands[0].startswith("assay sample")


def test_no_draw_is_asked_for_that_is_not_left(report: ProjectReport) -> None:
    """15 answers are left: neither what the verdict asks for nor the usual draw is larger."""
    drawn = report.progress.drawn
    needed = Needed(170, 9, kappa_open=False)
    trust = replace(report.trust, status=Trust.OPEN, case=Case.LIMIT_OPEN, needed=needed)
    few = replace(report, trust=trust, uncovered=0, items=drawn + 15)

    assert steps(few)[0].commands[0] == "assay sample --labels 15 --all-passed"
    assert steps(replace(few, uncovered=15))[0].commands[0] == "assay sample --labels 15"


def test_what_waits_says_how_long_it_takes_once_labels_were_timed(report: ProjectReport) -> None:
    """Four draws of 100 seconds each are 6.7 minutes, so 7; before five labels were timed nothing is said of time."""
    waiting = replace(report, progress=report.progress._replace(drawn=report.progress.drawn + 4))

    assert "about 7 min of an annotator's time" in text(steps(replace(waiting, label_seconds=100.0))[0].message)
    assert "annotator" not in text(steps(replace(waiting, label_seconds=None))[0].message)


def test_a_trusted_proxy_gets_a_gold_set_beside_being_watched(report: ProjectReport) -> None:
    """First something is accepted, then released; neither holds up what comes first, nor does what stays for review."""
    trusted = replace(report, trust=replace(report.trust, status=Trust.YES), uncovered=0, items=9999)

    def commands(gold: GoldState) -> list[str]:
        known = replace(trusted, gold=gold)
        return [step.commands[0] for step in (*steps(known), *gold_steps(known))]

    assert commands(GoldState(candidates=3, accepted=0, unreleased=0)) == [
        "assay ingest FILE",
        "assay gold accept --all",
    ]
    assert commands(GoldState(candidates=1, accepted=2, unreleased=2)) == [
        "assay ingest FILE",
        "assay gold release NAME",
    ]
    assert commands(GoldState(candidates=1, accepted=2, unreleased=0)) == ["assay ingest FILE"]
    untrusted = replace(report, gold=GoldState(candidates=3, accepted=0, unreleased=0))
    assert list(gold_steps(untrusted)) == []


def test_open_draws_come_before_new_ones_and_nothing_is_asked_for_that_is_not_there() -> None:
    """Waiting draws first; else as many as are wanted and left; else new traffic."""
    draw = "assay compare a b --draw"

    assert label_more(ToLabel(undrawn=50, waiting=4), 100, draw, LABEL_STUDIO).commands == (PUSH, PULL)
    assert label_more(ToLabel(undrawn=50, waiting=0), 100, draw, LABEL_STUDIO).commands == (f"{draw} 50", PUSH)
    assert label_more(ToLabel(undrawn=500, waiting=0), 100, draw, FILES).commands == (f"{draw} 100", EXPORT)
    assert label_more(ToLabel(undrawn=0, waiting=0), 100, draw, FILES).commands == ("assay ingest FILE",)


def test_the_way_is_by_file_where_no_label_studio_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A push that would lead nowhere is not named."""
    for name in ("LABEL_STUDIO_URL", "LABEL_STUDIO_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    assert way_of(tmp_path / "assay.db").commands == (EXPORT, IMPORT)
    address_file(tmp_path / "assay.db").parent.mkdir(parents=True)  # as `assay up` leaves it when it ends
    assert way_of(tmp_path / "assay.db").commands == ("assay up",)
    address_file(tmp_path / "assay.db").write_text('{"url": "http://127.0.0.1:9", "token": "t"}', encoding="utf-8")
    assert way_of(tmp_path / "assay.db").commands == (PUSH, PULL)
    address_file(tmp_path / "assay.db").unlink()
    monkeypatch.setenv("LABEL_STUDIO_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", "secret")
    assert way_of(tmp_path / "assay.db").commands == (PUSH, PULL)
