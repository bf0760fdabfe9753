"""The verdict in every language: one answer a case, the same numbers, and no longer than a glance."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

from annotate.present.messages import LANGUAGES, text
from annotate.present.report import how_sure, verdict
from proxy.evaluation.agreement import AgreementReport, measure
from proxy.evaluation.annotator_agreement import Reading
from proxy.evaluation.domains import Evidence
from proxy.evaluation.evidence_ledger import Clusters, EvidenceLedger
from proxy.evaluation.trust import Case, judge_trust
from proxy.records import Judgement
from proxy.text.numbers import Kind, written
from support.agreement import FAIL, PASS, wave
from support.evidence import ledger

LONGEST_ANSWER = 25
NOTHING = measure(Evidence(totals=[], sample=[], drawings=[]))
ONE_SIDE = measure(wave(("passed", PASS, 1_000, 50, 0)))


def labelled(passed: tuple[int, int], failed: tuple[int, int] = (0, 0)) -> AgreementReport:
    """(right, wrong) labels on each side, of 100,000 passed and as many failed items."""
    return measure(wave(("passed", PASS, 100_000, *passed), ("failed", FAIL, 100_000, *failed)))


COINS = [
    Reading(item, name, Judgement.RIGHT if item & bit else Judgement.WRONG)
    for item in range(60)
    for name, bit in (("ann", 1), ("bob", 2))
]

VERDICTS: list[tuple[Case, AgreementReport, dict[str, Any]]] = [
    (Case.DOUBT, NOTHING, {"evidence": ledger(("p", PASS, 900, 40, 4), ("f", FAIL, 900, 4, 40), readings=COINS)}),
    (Case.UNMEASURED, NOTHING, {}),
    (Case.BELOW, labelled((700, 300), (20, 180)), {}),
    (Case.HALF_WAY, labelled((980, 20)), {}),
    (Case.KAPPA_UNKNOWN, labelled((25, 1)), {}),
    (Case.NO_BETTER, labelled((950, 50), (990, 10)), {}),
    (Case.ABOVE, labelled((980, 20), (20, 180)), {}),
    (Case.KAPPA_OPEN, labelled((970, 30), (7, 1)), {}),
    (Case.LIMIT_OPEN, labelled((86, 14), (10, 40)), {}),
    (Case.LIMIT_OPEN, labelled((86, 14), (10, 40)), {"left": 3}),
    (Case.LIMIT_OPEN, labelled((86, 14), (10, 40)), {"left": 0}),
    (Case.LIMIT_OPEN, labelled((86, 14), (40, 10)), {}),
    (Case.LIMIT_OPEN, labelled((900, 100), (20, 180)), {}),
]
ROWS = {
    Case.MISSING: (("passed", PASS, 50_000, 123, 0, 60, 17), ("failed", FAIL, 50_000, 10, 90)),
    Case.BELOW: (("passed", PASS, 50_000, 123, 77, 10, 0), ("failed", FAIL, 50_000, 10, 90)),
    Case.ABOVE: (("passed", PASS, 50_000, 1_960, 10, 30, 1), ("failed", FAIL, 50_000, 10, 90)),
    Case.MISSING_KAPPA: (("passed", PASS, 50_000, 980, 10), ("failed", FAIL, 50_000, 10, 2, 40, 0)),
    Case.LIMIT_OPEN: (("passed", PASS, 50_000, 60, 2, 1, 0), ("failed", FAIL, 50_000, 10, 90)),
}
UP = (("passed", PASS, 50_000, 150, 50, 0, 300), ("failed", FAIL, 50_000, 10, 90))
KAPPA_UP = (("passed", PASS, 50_000, 1_940, 60), ("failed", FAIL, 50_000, 98, 2, 100, 0))
TURNED = [
    *((case, ledger(*rows), 0.9) for case, rows in ROWS.items()),
    (Case.MISSING, ledger(*UP), 0.85),
    (Case.MISSING_KAPPA, ledger(*KAPPA_UP), 0.9),
    (
        Case.LIMIT_OPEN,
        ledger(
            ("p", PASS, 50_000, 93, 7),
            ("f", FAIL, 50_000, 10, 90),
            clusters=Clusters(groups=20, questions=20, effective=20.0, there=20.0, alike=0.4),
        ),
        0.9,
    ),
]


@pytest.mark.parametrize(
    ("left", "words"), [(0, "Every passed answer is labelled: bring in"), (7, "to label: 7. Label all")]
)
def test_with_no_answer_left_to_label_nobody_is_asked_to(left: int, words: str) -> None:
    """86 of 100 passed answers are right, so more labels are needed than the window has."""
    agreement = labelled((86, 14), (10, 40))
    trust = judge_trust(agreement, left=left)
    said_of_it = " ".join(text(line) for line in how_sure(shown_as(trust, agreement)))

    assert words in said_of_it


def numbers(sentence: str) -> list[str]:
    return sorted(re.findall(r"[+-]?\d[\d,.]*\d|[+-]?\d", sentence))


def said(report: Any, language: str) -> list[str]:
    """The answer and all that says how sure it is."""
    return [text(message, language) for message in (verdict(report), *how_sure(report))]


def shown_as(trust: Any, agreement: AgreementReport, among: AgreementReport | None = None) -> Any:
    """What a report shows of this verdict; `among` is what is measured without the missing answers, where some are."""
    return SimpleNamespace(trust=trust, agreement=agreement, evidence=SimpleNamespace(among=among or agreement))


def check(trust: Any, agreement: AgreementReport, among: AgreementReport | None = None) -> None:
    report = shown_as(trust, agreement, among)
    english = said(report, "en")
    assert len(english[0].split()) <= LONGEST_ANSWER
    for language in LANGUAGES:
        assert [numbers(sentence) for sentence in said(report, language)] == [numbers(sentence) for sentence in english]


@pytest.mark.parametrize(("case", "agreement", "known"), VERDICTS)
def test_the_verdict_says_the_same_in_every_language(
    case: Case, agreement: AgreementReport, known: dict[str, Any]
) -> None:
    """Each case has its sentence, with the evidence: where pass precision is known, its ends and its n stand in it."""
    trust = judge_trust(agreement, **known)
    precision = agreement.pass_precision

    assert trust.case is case
    check(trust, agreement)
    if case in {Case.BELOW, Case.ABOVE, Case.LIMIT_OPEN, Case.HALF_WAY, Case.KAPPA_UNKNOWN}:
        assert f"n = {precision.n:,}" in text(verdict(shown_as(trust, agreement)))


@pytest.mark.parametrize(
    ("left", "advice"),
    [(3, "Passed answers left to label: 3. Label all of them"), (0, "Every passed answer is labelled: bring in more")],
)
def test_only_what_is_left_is_to_be_labelled(left: int, advice: str) -> None:
    agreement = labelled((86, 14), (10, 40))
    report: Any = shown_as(judge_trust(agreement, left=left), agreement)

    sentences = [each for each in said(report, "en") if "Passed answers" in each or "Every passed answer" in each]

    assert [each.startswith(advice) for each in sentences] == [True]


@pytest.mark.parametrize(
    ("right", "labels", "words"),
    [
        (84, 100, "cannot be trusted: 84 % (75 to 89.99 %"),  # the upper end is .89986
        (347, 400, "cannot be trusted: 87 % (83 to 89.7 %"),  # .89737
        (372, 400, "can be trusted: 93 % (90.1 to 95.1 %"),  # the lower end is .90055
        (919, 1_000, "can be trusted: 91.9 % (90.04 to 93.4 %"),  # .90041
        (86, 100, "Not enough labels yet: an estimated 86 % (78 to 91.5 %"),
    ],
)
def test_an_end_beside_the_limit_is_not_written_like_it(right: int, labels: int, words: str) -> None:
    """The limit is 90 %; an end has as many decimals as it takes to tell it from that."""
    report = labelled((right, labels - right), (20, 180))
    shown = shown_as(judge_trust(report, 0.9), report)

    assert words in text(verdict(shown))


@pytest.mark.parametrize(
    ("value", "limit", "kind", "words"),
    [
        (0.9, 0.9, Kind.SHARE, "90 %"),
        (0.9 + 1e-12, 0.9, Kind.SHARE, "90 %"),
        (0.898, 0.9, Kind.SHARE, "89.8 %"),
        (0.898, 0.9, Kind.BARE_SHARE, "89.8"),
        (0.898, 0.8, Kind.SHARE, "90 %"),
        (0.89999, 0.9, Kind.SHARE, "89.999 %"),
        (-0.002, 0.0, Kind.COEFFICIENT, "-0.002"),
        (0.049, 0.05, Kind.COEFFICIENT, "0.049"),
        (None, 0.9, Kind.SHARE, "—"),
    ],
)
def test_a_number_is_told_from_its_limit(value: float | None, limit: float, kind: Kind, words: str) -> None:
    """By one decimal more, or as many as it takes; what equals the limit looks like it."""
    assert written(value, kind, limit=limit) == words


@pytest.mark.parametrize(("case", "evidence", "limit"), TURNED)
def test_what_is_missing_is_said_alike_in_every_language(case: Case, evidence: EvidenceLedger, limit: float) -> None:
    """Both ends of what unsure and open draws could turn, and too few questions."""
    trust = judge_trust(evidence.among, limit, evidence=evidence)

    assert trust.case is case
    check(trust, evidence.over_cases(), evidence.among)
    sentences = " ".join(said(shown_as(trust, evidence.over_cases(), evidence.among), "en"))
    if trust.missing:
        assert str(trust.missing) in sentences
