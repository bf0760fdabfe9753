"""What is said of drift: the same numbers in every language and medium, each claim with what shows it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from annotate.analysis.drift.judge_changes import JudgeChange
from annotate.analysis.drift.windows import By, Drift, Supply, Thin
from annotate.analysis.next_step.commands import FILES
from annotate.analysis.next_step.drift import after_drift
from annotate.present import drift as present_drift
from annotate.present.document import Status
from annotate.present.messages import text
from annotate.present.schemas import drift as schema
from proxy.drift.drift import Alarm, Monitor, PassRate, Plan, Watched, WatchedRate, Window
from proxy.drift.judge_changes import JudgeComparison
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.evidence_ledger import Doubt, Objection
from proxy.rule import Rule
from proxy.stats.testing.cusum import CusumChart
from support.documents import check, check_model

WHY = "not measurable: label 12 more"
HOSTILE = "fäith\x1b[31m<b>|_*駅"
UNKNOWN = Estimate(estimate=None, reason="no feedback")


def estimate(value: float, low: float, high: float) -> Estimate:
    return Estimate(estimate=value, low=low, high=high, n=80, method="Wilson")


def alarm(kind: WatchedRate) -> Alarm:
    return Alarm(kind, "2026-10-05", "2026-09-07", estimate(0.93, 0.88, 0.96), estimate(0.71, 0.62, 0.79))


def window(name: str, labels: int) -> Window:
    rates = {"correctness": estimate(0.8, 0.7, 0.9), "agreement": estimate(0.85, 0.75, 0.92)}
    return Window(
        name=name, items=41, scored=41, passed=31, labels=labels, pass_precision=UNKNOWN, thumbs_down=UNKNOWN, **rates
    )


def monitor(kind: WatchedRate, *, raised: bool, reason: str | None = None) -> Monitor:
    chart = CusumChart(peaks=np.array([1.5]), limits=np.array([np.inf]), starts=(0,), alarm=None)
    return Monitor(
        kind=kind,
        before=estimate(0.93, 0.88, 0.96),
        windows=("2026-10-05",),
        cusum=None if reason else chart,
        alarm=alarm(kind) if raised else None,
        reason=reason,
    )


DID = JudgeComparison(
    n=117,
    shift=Estimate(estimate=-0.12, low=-0.2, high=-0.05, n=117),
    passes_more=3,
    passes_less=1_234,
    agreement_before=0.915,
    agreement_after=0.823,
    agreement=Estimate(estimate=-0.09, low=-0.15, high=-0.04, n=117),
    mid_p=0.0123,
)
FACTS: dict[str, Any] = {"before": "a", "after": "b", "anchors": 7, "labels": 117}
CHANGES = (
    JudgeChange(judge=HOSTILE, at="2026-10-02T00:00:00.000Z", is_rule=False, is_read=True, comparison=DID, **FACTS),
    JudgeChange(judge="", at=None, is_rule=True, is_read=True, comparison=DID, **FACTS),
    JudgeChange(judge="other", at=None, is_rule=False, is_read=False, comparison=None, **FACTS),
)


def drift(
    *, quality: bool = False, charts: int = 0, changes: int = 0, reason: str | None = None, **known: Any
) -> Drift:
    """A result with these alarms; `known` in place of what it says else."""
    kinds = [kind for kind in WatchedRate if kind is not WatchedRate.QUALITY]
    judge = tuple(monitor(kind, raised=place < charts) for place, kind in enumerate(kinds))
    facts: dict[str, Any] = {
        "by": By.WEEK,
        "weeks": 26,
        "plan": Plan(),
        "rule": Rule(name="r", version=1, expression="s > 0.5", signatures={}),
        "windows": (window("2026-08-03", 40), window("2026-09-07", 41)),
        "watched": Watched(
            quality=monitor(WatchedRate.QUALITY, raised=quality, reason=reason),
            judge=judge,
            pass_rate=PassRate(
                before=Estimate(estimate=0.61, low=0.61, high=0.61, n=800),
                difference=Estimate(estimate=0.24, low=0.19, high=0.29, n=1_200),
                is_moved=True,
            ),
        ),
        "changes": CHANGES[:changes],
        "labels": 1_081,
        "kept": 977,
        "items": 9_000,
        "without_time": 13,
        "supply": Supply(has_new=True, open=0, has_undrawn=True),
        "is_shorter_enough": False,
    }
    return Drift(**facts | known)


ONE = (window("2026-08-03", 40),)
LABELLED_ONCE = (window("2026-08-03", 1_040), window("2026-08-10", 0))
OBJECTION = Objection(Doubt.MISSING, "7 of 12 drawn answers could turn it", "label them")
DRIFTS: dict[str, tuple[Status, dict[str, Any]]] = {
    "quality": (Status.MISSED, {"quality": True}),
    "quality, open": (Status.OPEN, {"quality": True, "objection": OBJECTION}),
    "both": (Status.MISSED, {"quality": True, "charts": 1}),
    "charts": (Status.MISSED, {"charts": 2}),
    "changes": (Status.MISSED, {"changes": 3}),
    "judge, quality unknown": (Status.MISSED, {"charts": 1, "reason": WHY}),
    "unknown": (Status.UNMEASURABLE, {"reason": WHY}),
    "nothing": (Status.DONE, {}),
    "nothing, open": (Status.OPEN, {"objection": OBJECTION}),
    "other weeks": (Status.DONE, {"weeks": 13}),
    "no traffic": (Status.UNMEASURABLE, {"items": 0, "windows": ()}),
    "no times": (Status.UNMEASURABLE, {"windows": ()}),
    "one week": (Status.UNMEASURABLE, {"windows": ONE, "is_shorter_enough": True, "reason": WHY}),
    "one day": (Status.UNMEASURABLE, {"windows": ONE, "by": By.DAY, "reason": WHY}),
    "labels of one month": (
        Status.UNMEASURABLE,
        {"windows": LABELLED_ONCE, "by": By.MONTH, "plan": Plan(baseline=1), "reason": WHY},
    ),
}


@pytest.mark.parametrize("case", DRIFTS)
def test_drift_is_told_alike_in_every_language_and_medium(case: str) -> None:
    """Every number of the English text is in the others; the JSON holds to its schema."""
    status, known = DRIFTS[case]
    result = drift(**known)
    document = present_drift.document(result, after_drift(result, FILES))

    assert document.status is status
    full = check(document)
    assert "\x1b" not in full
    check_model(schema.MODEL.read(result, document))


def test_a_drop_is_said_with_its_interval_and_the_rate_before() -> None:
    """71 % (62 to 79 %) since, 93 % (88 to 96 %) before: the claim stands with what shows it."""
    result = drift(quality=True)
    full = check(present_drift.document(result, after_drift(result, FILES)))

    assert full.startswith(
        "Quality has dropped: 71 % (62 to 79 %, n = 80) of answers are right since about 2026-09-07."
    )
    assert "Before, it was 93 % (88 to 96 %, n = 80). The alarm came in the week of 2026-10-05." in full
    assert "    assay slices\n    assay diagnose\n" in full
    assert "assay compare '@..2026-09-07' '@2026-09-07..'" in full


def test_a_drop_since_the_first_window_has_no_before_to_compare() -> None:
    """`assay compare` would find nothing on one side, so it is not named."""
    result = drift(quality=True, windows=(window("2026-09-07", 41), window("2026-10-05", 41)))

    assert "assay compare" not in check(present_drift.document(result, after_drift(result, FILES)))


def test_a_change_of_a_judge_is_said_with_what_it_did() -> None:
    """Scores, flips and agreement with intervals on the same answers; what cannot be measured asks for what is missing."""
    result = drift(changes=3)
    full = " ".join(check(present_drift.document(result)).split())

    assert "moved by -0.120 (-0.200 to -0.050, n = 117) on the same labelled answers" in full
    assert "3 verdicts flip to pass, 1,234 to fail" in full
    assert "on 82 %, before on 91.5 %: -9 points (-15 to -4, n = 117) (McNemar mid-p .012)" in full
    assert "7 of 117 labelled answers have both scores, 20 are needed. Run `assay judge --judges other`" in full
    assert "does not read other" in full


@pytest.mark.parametrize(
    ("by", "items", "has_new", "waiting", "has_undrawn", "words"),
    [
        (By.WEEK, 2, True, 9, True, "this week has 2 answers; longer windows have more (`--by month`)"),
        (By.DAY, 4, True, 0, True, "this day has 4 answers; longer windows have more (`--by week`)"),
        (By.MONTH, 1, True, 0, True, "5 labels are needed, and this month has 1 answer"),
        (By.WEEK, 5, True, 9, True, "label 4 more items of this window; `assay sample --rate R`"),
        (By.WEEK, 5, False, 9, False, "label 4 more items of this window; drawn and without"),
        (By.WEEK, 5, False, 0, True, "this window; `assay sample --labels N` draws from"),
        (By.WEEK, 5, False, 0, False, "this window; every answer has been drawn, so only new traffic"),
    ],
)
def test_a_thin_window_is_asked_for_what_there_is(
    by: By, items: int, has_new: bool, waiting: int, has_undrawn: bool, words: str
) -> None:
    """Never for more labels than it has answers, nor for a stream where every answer has had its chance."""
    supply = Supply(has_new=has_new, open=waiting, has_undrawn=has_undrawn)

    assert words in Thin(by, items, supply).reason(1)


@pytest.mark.parametrize(
    ("supply", "words", "command"),
    [
        (Supply(has_new=True, open=3, has_undrawn=True), "a share of the new traffic", "assay sample --rate 0.02"),
        (Supply(has_new=False, open=3, has_undrawn=True), "3 drawn answers that wait", "assay draws export"),
        (
            Supply(has_new=False, open=3, has_undrawn=False),
            "the 3 that wait labelled, or bring in",
            "assay draws export",
        ),
        (Supply(has_new=False, open=0, has_undrawn=True), "Draw more answers", "assay sample --labels 100"),
        (Supply(has_new=False, open=0, has_undrawn=False), "more labels need new traffic", "assay ingest FILE"),
    ],
)
def test_new_traffic_is_asked_for_only_where_nothing_is_left_to_draw(supply: Supply, words: str, command: str) -> None:
    """Labels come from new traffic, else from open draws, else from a new draw."""
    weeks = tuple(window(f"2026-{month:02}-05", 41) for month in range(5, 10))
    [step] = after_drift(drift(supply=supply, windows=weeks), FILES)

    assert words in text(step.message)
    assert step.commands[0].startswith(command)
    assert step.commands[-1] == "assay drift"


def test_with_too_few_windows_only_time_helps() -> None:
    """Four windows to learn from and a later one: traffic of days to come, whatever could be labelled."""
    supply = Supply(has_new=True, open=3, has_undrawn=True)
    weeks = tuple(window(f"2026-{month:02}-05", 41) for month in range(5, 9))
    [step] = after_drift(drift(supply=supply, windows=weeks), FILES)

    assert "It takes 5 windows" in text(step.message)
    assert step.commands == ("assay ingest FILE", "assay judge", "assay drift")


def test_a_dash_has_its_own_reason() -> None:
    """By figure and window; figures that lack the same in the same windows share a line."""
    known, no, unknown = (
        estimate(0.5, 0.4, 0.6),
        Estimate(estimate=None, reason="no"),
        Estimate(estimate=None, reason="other"),
    )
    both = {"pass_precision": known, "thumbs_down": known, "pass_rate": known}
    windows = (
        Window(name="a", correctness=no, agreement=no, **both),
        Window(name="b", correctness=known, agreement=unknown, **both),
    )

    assert [text(words) for words in present_drift.dashes(drift(windows=windows))] == [
        "— Right, Agreement, a: no",
        "— Agreement, b: other",
    ]
