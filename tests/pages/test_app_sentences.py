"""The first sentence of a page in every language: the same case and the same numbers as the command's English sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from annotate.analysis.drift.judge_changes import Change
from annotate.analysis.drift.windows import By, Supply
from annotate.charts.intervals import Bar
from annotate.pages.judges import drift_summary
from annotate.pages.kit import messages as words
from annotate.pages.kit import quantities
from annotate.present import drift as present_drift
from annotate.present.messages import whole_table
from proxy.drift.drift import Alarm, Kind
from proxy.drift.judge_changes import JudgeComparison, Moved
from proxy.evaluation.agreement import measure
from proxy.evaluation.domains import Evidence
from proxy.evaluation.estimate import Estimate
from support.agreement import FAIL, PASS, wave

OTHERS = ("zh", "ko")
NOTHING = measure(Evidence(totals=[], sample=[], drawings=[]))


@pytest.fixture
def speak(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Choose the reader's language."""

    def choose(language: str) -> None:
        for module in (words, drift_summary):
            monkeypatch.setattr(module, "language", lambda: language)

    return choose


def numbers(sentence: str) -> list[str]:
    return sorted(re.findall(r"[+-]?\d[\d,.]*\d|[+-]?\d", sentence))


def estimate(value: float, low: float, high: float) -> Estimate:
    return Estimate(estimate=value, low=low, high=high, n=80)


def alarm(kind: Kind) -> Alarm:
    return Alarm(kind, "2026-10-05", "2026-09-07", estimate(0.93, 0.88, 0.96), estimate(0.71, 0.62, 0.79))


def drift(*, quality: bool = False, charts: int = 0, changes: int = 0, **known: Any) -> Any:
    """A Drift with these alarms; `known` in place of what it says else."""
    did = JudgeComparison(
        n=117,
        shift=Moved(-0.12, -0.2, -0.05),
        passes_more=3,
        passes_less=1_234,
        agreement_before=0.915,
        agreement_after=0.823,
        agreement=Moved(-0.09, -0.15, -0.04),
        mid_p=0.0123,
    )
    facts: dict[str, Any] = {"before": "a", "after": "b", "is_read": True, "anchors": 117, "labels": 117, "found": did}
    changed = (
        Change(judge="faithfulness", at="2026-10-02T00:00:00.000Z", is_rule=False, **facts),
        Change(judge="", at=None, is_rule=True, **facts),
    )
    monitor = SimpleNamespace(alarm=alarm(Kind.QUALITY) if quality else None, reason=known.pop("reason", None))
    window = SimpleNamespace(name="2026-08-03", labels=40)
    return SimpleNamespace(
        **{
            "by": By.WEEK,
            "objection": None,
            "weeks": 26,
            "plan": SimpleNamespace(false_alarms=0.05),
            "windows": (window, SimpleNamespace(name="2026-08-10", labels=41)),
            "watched": SimpleNamespace(
                quality=monitor, judge_alarms=(alarm(Kind.PASSES_WRONG_MORE), alarm(Kind.PASSES_RIGHT_LESS))[:charts]
            ),
            "changes": changed[:changes] if changes < 3 else changed[1:],
            "labels": 1_081,
            "items": 9_000,
            "supply": Supply(has_new=True, open=0, is_sent=False, has_undrawn=True),
            "is_shorter_enough": False,
        }
        | known
    )


def window(name: str, labels: int) -> SimpleNamespace:
    return SimpleNamespace(name=name, labels=labels)


WHY = "not measurable: label 12 more"
DRIFTS: dict[str, dict[str, Any]] = {
    "quality": {"quality": True},
    "both": {"quality": True, "charts": 1},
    "charts": {"charts": 2},
    "changes": {"changes": 2},
    "the rule": {"changes": 3},
    "judge, quality unknown": {"charts": 1, "reason": WHY},
    "unknown": {"reason": WHY},
    "nothing": {},
    "other weeks": {"weeks": 13},
    "no traffic": {"items": 0},
    "no times": {"windows": ()},
    "one week": {"windows": (window("2026-08-03", 40),), "is_shorter_enough": True},
    "one week, too few by day": {"windows": (window("2026-08-03", 40),)},
    "one day": {"windows": (window("2026-08-03", 40),), "by": By.DAY},
    "labels of one month": {"windows": (window("2026-08-03", 1_040), window("2026-08-10", 0)), "by": By.MONTH},
    "labels of one week, draws open": {
        "windows": (window("2026-08-03", 40), window("2026-08-10", 0)),
        "supply": Supply(has_new=False, open=7, is_sent=False, has_undrawn=False),
    },
}


@pytest.mark.parametrize("kind", DRIFTS)
def test_drift_says_the_same_in_every_language(speak: Callable[[str], None], kind: str) -> None:
    """Headline and every alarm of the judge: English as the command has them, the others with the same numbers."""
    found = drift(**DRIFTS[kind])
    headline, alarms = present_drift.headline(found), present_drift.judge_sentences(found)

    speak("en")
    assert (drift_summary.headline(found), drift_summary.judge_sentences(found)) == (headline, alarms)
    for language in OTHERS:
        speak(language)

        assert numbers(drift_summary.headline(found)) == numbers(headline)
        assert [numbers(one) for one in drift_summary.judge_sentences(found)] == [numbers(one) for one in alarms]
        assert drift_summary.headline(found).isascii() is False


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_an_interval_without_width_is_called_exact_only_where_all_is_labelled(
    speak: Callable[[str], None], language: str
) -> None:
    """10 of 1,000 labelled and everything passes: sensitivity has no width. All labelled: exact. Never "x % to x %"."""
    speak(language)
    part = measure(wave(("passed", PASS, 1_000, 8, 2)))
    every = measure(wave(("passed", PASS, 8, 6, 2), ("failed", FAIL, 4, 1, 3)))
    exact, single = (whole_table()[f"measures.{name}"][language] for name in ("exact", "no_width"))

    assert (quantities.is_whole(part), quantities.is_whole(every), quantities.is_whole(NOTHING)) == (False, True, False)
    for agreement in (part, every):
        whole = quantities.is_whole(agreement)
        line = quantities.lines(quantities.SENSITIVITY, agreement.sensitivity, whole=whole)[0]
        assert line.endswith(exact if whole else single)
    line = quantities.lines(quantities.PASS_PRECISION, part.pass_precision)[0]
    assert exact not in line
    assert single not in line
    noise = (0.0625, 0.0625 + 1e-13)
    assert quantities.between(quantities.PASS_PRECISION, noise, whole=True) == exact
    assert single in quantities.in_words([Bar("q", "i", 0.0625, *noise)])
