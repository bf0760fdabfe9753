"""A calibration and a reliability in every medium and language: the same numbers, short enough, and the JSON as its schema says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from annotate.analysis.calibration.certify import Calibrated, GuaranteeRequest
from annotate.analysis.calibration.choosers import LabelUse
from annotate.analysis.calibration.reliability import RuleReliability
from annotate.analysis.next_step.calibration import after_calibration, after_reliability
from annotate.analysis.next_step.commands import EXPORT, FILES
from annotate.analysis.rule_in_force import Unscored
from annotate.present import calibration, guarantee, reliability
from annotate.present.document import Document, Status
from annotate.present.messages import LANGUAGES, text
from annotate.present.schemas import calibration as calibration_schema
from annotate.present.schemas import reliability as reliability_schema
from annotate.present.terminal import render
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.evidence_ledger import Doubt, Objection
from proxy.evaluation.guarantee import Guarantee, Proof
from proxy.evaluation.reliability_curve import of_a_part, reliability_curve
from proxy.evaluation.threshold import Choosers, ScoredTraffic, choose
from proxy.rule import Rule
from proxy.stats.calibration.threshold_tests import Claim
from proxy.text.numbers import percent
from support.documents import check, check_model, numbers
from support.draws import one_drawing
from support.learned_rule import ready_to_learn
from support.scored import open_ids
from support.store import Assay, label

RULE = Rule(name="<b>mine</b>", version=1, expression="quality > 0.5", signatures={"quality": "q|v1"}, percentiles={})
VALUES = np.round(np.linspace(0.01, 1, 400), 3)
GUARANTEE = Guarantee(
    precision=0.9,
    confidence=0.8,
    threshold=0.61,
    n=60,
    errors=1,
    p_value=0.02,
    labels=120,
    last_wave=3,
    at="2026-11-21T08:00:00.000Z",
    claims=(
        Proof(claim=Claim.WINDOW, n=60, errors=1, p_value=0.02),
        Proof(claim=Claim.LONG_RUN, n=64, errors=2, p_value=0.03, clusters=51.4),
    ),
)


def looked(
    right_above: float, request: GuaranteeRequest, *, every: int = 2, undecided: int = 0, groups: int = 400
) -> Calibrated:
    """What choosing among every so-many-th of 400 answers comes to, which are right above a value."""
    rows = np.arange(0, 400, every)
    values = VALUES[rows]
    unsure = np.arange(len(rows)) % undecided == 0 if undecided else np.zeros(len(rows), dtype=bool)
    labels = Choosers(
        values=values,
        right=((values > right_above) & ~unsure).astype(np.float64),
        weights=np.full(len(rows), float(every)),
        lots=np.linspace(0, 0.99, len(rows)),
        chances=np.full(len(rows), 1 / every),
        ways=(rows % groups, rows % groups),
        undecided=unsure,
    )
    traffic = ScoredTraffic(
        values=VALUES, chances=np.full(400, 1 / every), is_framed=np.ones(400, bool), is_reachable=np.ones(400, bool)
    )
    choice = choose(labels, traffic, precision=request.precision, confidence=request.confidence, asked=request.claim)
    decided = int((~unsure).sum())
    result = Calibrated(
        request=request,
        before=RULE,
        choice=choice,
        labels=2 * decided,
        chose=decided,
        undecided=int(unsure.sum()),
        open=0,
        left=2000,
        looks=0,
    )
    if choice.certified.threshold is None or result.all_pass:
        return result
    rule = replace(RULE, version=2, expression=f"quality > {choice.certified.threshold}")
    claims = tuple(proof for proof in GUARANTEE.claims if proof.claim in choice.claims)
    return replace(result, rule=rule, guarantee=replace(GUARANTEE, threshold=choice.certified.threshold, claims=claims))


ASKED = GuaranteeRequest(precision=0.9)
SHOWN = looked(0.4, ASKED)
OPEN = looked(0.4, ASKED, every=12)
USE = LabelUse(answered=SHOWN.labels + 10, unvalued=1, unsure=2, taught=3, later=4)
CASES: dict[str, tuple[Calibrated, Status]] = {
    "would": (SHOWN, Status.MET),
    "saved": (replace(SHOWN, is_saved=True, known_before=7, looks=3), Status.MET),
    "weaker": (replace(SHOWN, standing=replace(GUARANTEE, precision=0.95)), Status.MET),
    "stands": (replace(SHOWN, before=SHOWN.rule or RULE, standing=SHOWN.guarantee), Status.MET),
    "some are not used": (replace(SHOWN, use=USE), Status.MET),
    "none left to score": (replace(SHOWN, labels=SHOWN.chose), Status.MET),
    "window alone": (looked(0.4, ASKED, groups=12), Status.MET),
    "all pass": (looked(0.0, GuaranteeRequest(precision=0.8)), Status.MET),
    "needs labels": (OPEN, Status.OPEN),
    "fewer are left": (replace(OPEN, left=3), Status.OPEN),
    "none is left": (replace(OPEN, left=0), Status.OPEN),
    "too few": (looked(0.4, ASKED, every=100), Status.OPEN),
    "waits": (replace(OPEN, open=12, undecided=4), Status.OPEN),
    "exact here": (replace(OPEN, left=0, exact=Estimate(estimate=0.93, low=0.93, high=0.93, n=37)), Status.OPEN),
    "exact and too low": (replace(OPEN, left=0, exact=Estimate(estimate=0.8, low=0.8, high=0.8, n=37)), Status.OPEN),
    "undecided": (looked(0.0, ASKED, undecided=4), Status.OPEN),
    "no good part": (looked(1.0, ASKED), Status.MISSED),
    "asked for the long run": (looked(1.0, replace(ASKED, claim=Claim.LONG_RUN)), Status.MISSED),
    "no longer shown": (replace(looked(1.0, ASKED), standing=GUARANTEE), Status.MISSED),
    "no value": (replace(SHOWN, choice=None, guarantee=None, rule=None), Status.UNMEASURABLE),
    "objection": (
        replace(
            SHOWN,
            choice=None,
            guarantee=None,
            rule=None,
            objection=Objection(Doubt.ANNOTATORS, "they disagree", "clear up the guide"),
        ),
        Status.UNMEASURABLE,
    ),
}


def told(result: Calibrated) -> Document:
    return calibration.document(result, after_calibration(result, FILES))


@pytest.mark.parametrize("case", CASES)
def test_every_outcome_is_told_alike_in_every_medium(case: str) -> None:
    """The answer is a glance long, markup in a name is text, and the JSON has the numbers of the result."""
    result, status = CASES[case]
    document = told(result)
    full = check(document)
    model = calibration_schema.MODEL.read(result, document)
    check_model(model)

    assert document.status is status
    assert document.next
    content = model.to_dict()
    if result.choice:
        certificate = result.choice.certified
        assert (content["threshold"], content["p_value"]) == (certificate.threshold, certificate.p_value)
        assert [step["n"] for step in content["thresholds"]] == [step.n for step in result.choice.steps]  # type: ignore[attr-defined]
    if result.guarantee and result.choice:
        assert f"{result.choice.certified.threshold:.3g}" in full
        assert f"{result.chose} of {result.labels} labels chose" in full
    assert content["saved"] is result.is_saved


def test_a_window_that_is_labelled_throughout_is_told_apart_from_the_long_run() -> None:
    """93 % are right, which is known: only the long run is open; 80 % where 90 % are asked: neither is shown."""
    kept, missed = (render(told(CASES[case][0]), full=True) for case in ("exact here", "exact and too low"))

    assert "In this window 93 % of the answers that pass now are right (exact, all labelled; n = 37)." in kept
    assert "for this window" not in kept
    assert "In this window 80 %" in missed
    assert "Not shown for this window" in missed


def test_what_is_left_to_label_caps_what_is_asked_for() -> None:
    """All that are left where fewer are left; where none is, more of the labels choose, or more traffic."""
    wanted = OPEN.draws_needed or 0
    commands = [step.commands for step in after_calibration(OPEN, FILES)]
    assert commands == [(f"assay sample --labels {wanted}", EXPORT)]
    assert after_calibration(replace(OPEN, left=3), FILES)[0].commands[0] == "assay sample --labels 3"
    assert [step.commands for step in after_calibration(replace(OPEN, left=0), FILES)] == [
        ("assay calibrate --precision 0.9 --confidence 0.9 --share 0.8",),
        ("assay ingest FILE",),
    ]


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (GUARANTEE, "for this window and for the long run"),
        (replace(GUARANTEE, claims=GUARANTEE.claims[:1]), "for this window, not for the long run"),
        (replace(GUARANTEE, claims=()), "drawn one by one"),
        (replace(GUARANTEE, claims=(), repeats=True), "withdrawn"),
    ],
)
def test_a_guarantee_says_what_it_is_for_and_by_which_labels(record: Guarantee, words: str) -> None:
    """Each claim by its labels; a record of an earlier version for what it was."""
    english = text(guarantee.certified(record))

    assert words in english
    assert "120 labels" in english
    for proof in record.claims:
        assert f"{proof.n} labels" in english
    for language in LANGUAGES:
        assert numbers(text(guarantee.certified(record), language)) == numbers(english)


def explained(n: int = 200) -> RuleReliability:
    """What values from 0 to 1 mean: labels right with the chance .2 + .7 value."""
    rng = np.random.default_rng(3)
    values = rng.random(n)
    right = (rng.random(n) < 0.2 + 0.7 * values).astype(np.float64)
    known = reliability_curve(values, one_drawing(right, np.full(n, 50.0)), np.arange(n) % 5)
    return RuleReliability(rule=RULE, curve=known, open=4, left=10, drawn=n + 9, unsure=5)


KNOWN = explained()
BOTH_SIDES = "what a value above the threshold means is not measurable"
RELIABILITIES = {
    "tells": (KNOWN, Status.DONE, "assay calibrate --precision 0.9"),
    "says nothing": (replace(KNOWN, curve=replace(KNOWN.curve, tells=False)), Status.OPEN, "assay report"),
    "one side": (replace(KNOWN, curve=of_a_part(KNOWN.curve, BOTH_SIDES)), Status.DONE, "assay calibrate"),
    "few labels": (explained(12), Status.UNMEASURABLE, EXPORT),
    "unscored": (
        replace(explained(0), unscored=Unscored("run `assay judge`", "assay judge")),
        Status.UNMEASURABLE,
        "assay judge",
    ),
    "objection": (
        replace(KNOWN, objection=Objection(Doubt.ANNOTATORS, "they disagree", "clear up the guide")),
        Status.UNMEASURABLE,
        "assay report",
    ),
}


@pytest.mark.parametrize("case", RELIABILITIES)
def test_what_a_value_means_is_told_alike_in_every_medium(case: str) -> None:
    """Each band with its labels and interval; where nothing can be said, why, and what brings it."""
    result, status, command = RELIABILITIES[case]
    document = reliability.document(result, after_reliability(result, FILES))
    full = check(document)
    model = reliability_schema.MODEL.read(result, document)
    check_model(model)

    assert document.status is status
    assert document.next[0].commands[0].startswith(command)
    assert [band["right"]["n"] for band in model.to_dict()["bands"]] == [band.right.n for band in result.curve.bands]  # type: ignore[attr-defined]
    for band in result.curve.bands:
        assert f"{percent(band.right.low or 0).removesuffix(' %')} to {percent(band.right.high or 0)}" in full
    if case in {"few labels", "unscored", "objection"}:
        assert "The reason: " in full
        assert model.preferred is None or case == "objection"
    if case == "one side":
        assert BOTH_SIDES in full
        assert "Brier" not in full
    if case == "tells":
        first, last = result.curve.bands[0], result.curve.bands[-1]
        assert f"n = {first.right.n}" in text(document.answer)
        assert f"n = {last.right.n}" in text(document.answer)
        assert "9 of 209 drawn answers are left out (5 unsure, 4 open)" in " ".join(full.split())


def test_a_band_of_one_value_is_no_range() -> None:
    """A single number, never from 0 to 0."""
    values = (np.arange(240) % 3) / 2
    right = ((values == 1) | (np.arange(240) % 7 > 2)).astype(np.float64)
    known = reliability_curve(values, one_drawing(right, np.full(240, 50.0)), np.arange(240) % 5)

    assert [text(row[0]) for row in reliability.bands(known).rows] == ["0.000", "0.500", "1.000"]


def test_labels_that_are_not_used_are_counted_by_their_reason() -> None:
    """1 + 2 + 3 + 4 of them, and no reason that nothing fell to."""
    full = " ".join(check(told(replace(SHOWN, use=USE))).split())
    few = " ".join(check(told(replace(SHOWN, use=USE._replace(unsure=0, taught=0, later=0)))).split())

    assert USE.usable == SHOWN.labels
    assert f"{SHOWN.labels} of {USE.answered} labels of drawn answers can be asked; the others: 1 of an answer" in full
    assert "2 unsure or disagreed on, 3 that taught the rule, 4 of a wave that does not count yet." in full
    assert "the others: 1 of an answer that the rule gives no value." in few


@pytest.mark.slow
def test_the_counts_of_labels_add_up_to_those_of_the_report(assay: Assay) -> None:
    """200 labels of which some lack a score, some are unsure; a second wave counts once half of it is labelled."""
    ready_to_learn(assay)
    names = [row["item_id"] for row in labels_of(assay)]
    assay("labels", "import", assay.write("unsure.jsonl", [label(name, "unsure") for name in names[:6]]))
    assay("sample", "--labels", "100", "--seed", "4")
    assay("labels", "import", assay.write("more.jsonl", [label(name, "right") for name in open_ids(assay)[:20]]))
    calibrated, report = assay.json("calibrate", "--precision", "0.8", "--dry-run"), assay.json("report")
    use = calibrated["label_use"]

    assert use["answered"] == report["labels"] == 220
    assert (use["unsure"], use["later"], use["taught"]) == (6, 20, 0)
    assert use["unvalued"] > 0
    assert calibrated["labels"] == 220 - sum(use[name] for name in ("unvalued", "unsure", "taught", "later"))
    assert 0 < calibrated["chose"] < calibrated["labels"]


def labels_of(assay: Assay) -> list[dict[str, object]]:
    rows = assay.sql("SELECT i.id FROM draws d JOIN items i ON i.key = d.item JOIN labels l ON l.draw = d.key")
    return [{"item_id": row[0]} for row in rows]
