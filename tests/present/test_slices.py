"""What is said of slices: a claim only where a test adjusted for all shows it, alike in every language and medium."""

from __future__ import annotations

from dataclasses import replace

import pytest

from annotate.analysis.next_step.commands import FILES
from annotate.analysis.next_step.slices import after_slices
from annotate.analysis.slices.confirm import SliceConfirmation
from annotate.analysis.slices.find import Slices, Turnable
from annotate.domain.sampling.outcomes import ToLabel
from annotate.present import slices
from annotate.present.document import Status
from annotate.present.messages import text
from annotate.present.schemas import slices as schema
from annotate.present.terminal import render
from proxy.evaluation.evidence_ledger import Doubt, Objection
from proxy.evaluation.slices import Examined, Mistake, Share, Slice, SliceFinding, SlicePower, Untested
from proxy.records import Verdict
from proxy.stats.intervals import Interval
from proxy.stats.testing.paired import DifferenceInterval
from support.documents import check, check_model

HOSTILE = "ko\x1b[31m<i>|_*駅"


def part(value: str, field: str = "language") -> Slice:
    return Slice(field=field, value=value, is_searched=True, is_subject=True)


def finding(value: str, p: float, mistake: Mistake = Mistake.WRONG_PASS, twins: tuple[Slice, ...] = ()) -> SliceFinding:
    """Two of three here, a tenth elsewhere; adjusted, p is four times as large."""
    return SliceFinding(
        slice=part(value),
        mistake=mistake,
        here=Share(n=51, errors=34, estimate=0.667, interval=Interval(0.53, 0.78)),
        elsewhere=Share(n=99, errors=10, estimate=0.101, interval=Interval(0.056, 0.176)),
        difference=DifferenceInterval(0.566, 0.411, 0.688),
        p_value=p,
        adjusted_p=min(1.0, 4 * p),
        twins=twins,
    )


def searched(*tested: SliceFinding, left: int = 500) -> Slices:
    """A search with these tests, and one slice with too few labels."""
    few = Untested(slice=part("de"), mistake=Mistake.WRONG_PASS, n=4, missing=6, missing_elsewhere=0)
    power = (
        SlicePower(mistake=Mistake.WRONG_PASS, labels=150, base=0.29, part=0.2, tests=4, share=0.56),
        SlicePower(mistake=Mistake.RIGHT_FAIL, labels=50, base=0.66, part=0.2, tests=4, share=None),
    )
    return Slices(
        rule="custom v1: s > 0.5",
        items=700,
        labels={Verdict.PASS: 150, Verdict.FAIL: 50, Verdict.UNSCORED: 0},
        examined=Examined(tested=tested, untested=[few], level=0.05, power=power),
        confirmations=(),
        truths=("metadata.human_correct",),
        failed=None,
        left=ToLabel(undrawn=left, waiting=0),
    )


FOUND = searched(
    finding(HOSTILE, 0.0001, twins=(part("x", "system"),)), finding("en", 0.001, Mistake.RIGHT_FAIL), finding("zh", 0.4)
)
NONE = searched(finding("en", 0.02), finding("ko", 0.4))
WAVES = (
    SliceConfirmation(wave=2, slice="language: ko", mistake=Mistake.WRONG_PASS, open=9, fresh=None),
    SliceConfirmation(wave=3, slice="language: en", mistake=Mistake.WRONG_PASS, open=0, fresh=finding("en", 0.001)),
    SliceConfirmation(
        wave=4, slice="language: de", mistake=Mistake.WRONG_PASS, open=0, fresh=NONE.examined.untested[0]
    ),
)


@pytest.mark.parametrize(
    ("result", "status", "answer", "commands"),
    [
        (
            FOUND,
            Status.MISSED,
            f"Passed answers in language: {HOSTILE} are wrong more often: +57 points (+41 to +69, n = 150), adjusted p < .001.",
            3,
        ),
        (NONE, Status.OPEN, "No slice is shown to be worse than the rest.", 3),
        (searched(), Status.UNMEASURABLE, "No slice can be tested yet.", 2),
        (replace(NONE, confirmations=WAVES), Status.OPEN, "No slice is shown to be worse than the rest.", 3),
    ],
)
def test_slices_are_told_alike_in_every_language_and_medium(
    result: Slices, status: Status, answer: str, commands: int
) -> None:
    """A finding with what shows it, none, and no test; the JSON holds to its schema."""
    document = slices.document(result, after_slices(result, FILES))
    full = check(document)

    assert document.status is status
    assert text(document.answer).replace("\x1b", "") == answer.replace("\x1b", "")
    assert "\x1b" not in full
    assert "metadata.human_correct" in full
    assert sum(len(step.commands) for step in document.next) >= commands
    check_model(schema.MODEL.read(result, document))


def test_a_p_that_is_small_only_before_adjustment_names_no_slice() -> None:
    """Its own p is .02, that of four tests .08: shown as not worse, and what such labels can show is said."""
    document = slices.document(NONE)
    full = check(document)

    assert document.answer.key == "slices.none"
    assert "only if at least 56 % of it is wrong" in full
    assert schema.MODEL.read(NONE, document).worse == ()
    assert "yes" not in [line.split()[-1] for line in full.splitlines() if line]


def test_an_interval_that_holds_0_names_no_slice() -> None:
    """Its adjusted p is small, and the interval that is adjusted likewise is not above 0."""
    open_ = replace(finding("en", 0.002), difference=DifferenceInterval(0.2, -0.01, 0.4))

    document = slices.document(searched(open_))
    full = " ".join(check(document).split())

    assert document.answer.key == "slices.none"
    assert "language: en (passed, wrong): adjusted p is .008, up to 0.05, but the interval of the difference" in full
    assert "is not above 0 (+20 points (-1 to +40, n = 150)). Both must hold." in full
    assert "Both must hold" not in check(slices.document(NONE))


def test_a_finding_that_missing_answers_could_turn_is_open() -> None:
    """It looks worse, with how many have no right or wrong."""
    result = replace(FOUND, turnable=(Turnable(f"language: {HOSTILE}", Mistake.WRONG_PASS, 12, 63),))
    document = slices.document(result)

    assert document.status is Status.OPEN
    assert document.answer.key == "slices.open_wrong_pass"
    assert "12 of 63 such drawn answers" in check(document)


def test_an_objection_names_no_slice() -> None:
    """Whatever the tests are: no claim, no "worse" in the JSON, and the reason."""
    result = replace(FOUND, objections=(Objection(Doubt.ANNOTATORS, "annotators do not agree", "clear up the guide"),))
    document = slices.document(result, after_slices(result, FILES))

    assert text(document.answer) == "No slice can be named from these labels."
    assert "The reason: annotators do not agree; clear up the guide." in check(document)
    assert schema.MODEL.read(result, document).worse == ()
    assert document.next[0].commands == ("assay labels disagreements",)


def test_fresh_labels_confirm_or_are_awaited() -> None:
    """A wave's slice: open, confirmed, not testable; open draws are labelled first."""
    result = replace(FOUND, confirmations=WAVES)
    document = slices.document(result, after_slices(result, FILES))
    full = " ".join(check(document).split())

    assert [confirmation.status for confirmation in schema.MODEL.read(result, document).to_confirm] == [
        "open",
        "confirmed",
        "not_testable",
    ]
    assert "open: 9 to label" in full
    assert document.next[0].commands == (*FILES.commands, "assay slices")


def test_nothing_is_drawn_where_nothing_is_left() -> None:
    """A finding in a store without an undrawn answer asks for new traffic."""
    steps = after_slices(replace(FOUND, left=ToLabel(0, 0)), FILES)

    assert [step.commands for step in steps] == [("assay ingest FILE",)]


def test_shares_of_a_store_that_is_labelled_throughout_are_exact() -> None:
    """As everywhere else: no interval, n, and one line that says so; with answers left there are intervals."""
    whole = replace(NONE, items=sum(NONE.labels.values()))
    drawn, open_ones = render(slices.document(whole), width=80), render(slices.document(NONE))

    assert "67 % (n = 51)" in drawn
    assert "exact, all labelled" in drawn
    assert "language: en" in drawn
    assert "67 % (53 to 78 %, n = 51)" in open_ones
    assert "exact" not in open_ones
