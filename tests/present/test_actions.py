"""What commands tell of what they did: the same numbers in every language and medium, and JSON that holds to its schema."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from annotate.analysis.comparison.compare import Alone
from annotate.analysis.labelling.rows import WaitingCases
from annotate.analysis.next_step.commands import FILES
from annotate.analysis.next_step.comparison import after_one_system
from annotate.analysis.next_step.judging import after_judging
from annotate.analysis.next_step.labelling import adjudicate_one, after_pull, after_wave
from annotate.analysis.verdicts import JudgeFailures, Shortfall, Verdicts
from annotate.domain.label_studio_sync import Delivery, Pulled, Pushed
from annotate.domain.privacy.redaction import Redaction
from annotate.domain.quarantine import QuarantinedRow, QuarantineState
from annotate.domain.reasons import RefusalReason
from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.outcomes import DifferencePower, DrawProgress, PairsDrawn
from annotate.domain.timestamps import Dropped
from annotate.present import schemas
from annotate.present.actions import WrittenFile
from annotate.present.answer import Answer
from annotate.present.judging import ModelVerdicts, OfflineRun
from annotate.present.labelling import Started
from annotate.present.messages import text
from annotate.project import Project
from annotate.store.audit.backups import Backup
from annotate.store.audit.blanking import Blanked
from annotate.store.audit.events import Event
from annotate.store.audit.forgetting import Remains, RemoteTask
from annotate.store.audit.renaming import Renamed
from annotate.store.engine.chain import ChainFault, Head
from annotate.store.health import Health
from annotate.store.labels.opposite_labels import LabelledItem
from annotate.store.labels.resolution import KeptAnnotations
from annotate.store.scores.calls import KeysRemoved, Used
from annotate.store.traffic.items import Added
from annotate.traffic.feedback_rows import NoFeedback
from annotate.workflow.dismiss import Dismissed
from annotate.workflow.forgetting import ForgottenAnnotator, ForgottenItems
from annotate.workflow.ingest.batches import Intake
from annotate.workflow.ingest.ingest import Imported
from annotate.workflow.ingest.receive import ImportedFeedback, ImportedLabels, ImportedScores, Ingested
from annotate.workflow.judging.cost_estimate import CallEstimate
from annotate.workflow.judging.model_request import ModelRun
from annotate.workflow.judging.offline import JudgeRunStats, JudgingResult
from annotate.workflow.judging.one_call_check import OneCallAgreement, OneCallCheck
from annotate.workflow.judging.runs import CanaryResult, ModelJudged
from annotate.workflow.labelling.adjudicate import Adjudicated
from annotate.workflow.labelling.sync import PullResult, PushResult
from proxy.evaluation.estimate import Estimate
from proxy.records import FailureKind, Judgement, Verdict
from proxy.rule import Rule
from support.documents import answer_of, check, check_model
from support.store import Assay, draw, label

HOSTILE = "b\x1b[31m<i>|_*駅"
INTAKE = Intake(1_234, 7, 2, 1, (RefusalReason(f"no {HOSTILE}", 7),), (Dropped("impossible", 3, "'9999-12-31'"),))
MANY = Intake(9, 9, reasons=tuple(RefusalReason(f"reason {n}", 1) for n in range(9)))
PROGRESS = DrawProgress(40, 20, 5, 1)
RULE = Rule(name="default", version=1, expression="s > 0.5", signatures={"s": "s|1"})
NONE_PASSES = Shortfall(
    4, 0, None, (JudgeFailures("s", (RefusalReason("no passages", 4),)),), None, 3, ("assay judge", "assay rule")
)
VERDICTS = Verdicts(
    rule=RULE, counts={Verdict.PASS: 5, Verdict.FAIL: 3, Verdict.UNSCORED: 0}, guarantee=None, shortfall=None
)
FAILING = Verdicts(
    rule=RULE,
    counts={Verdict.PASS: 0, Verdict.FAIL: 0, Verdict.UNSCORED: 4},
    guarantee=None,
    shortfall=NONE_PASSES,
    scored={("s", "s|2"): 4},
)
USED = Used("s|1 + t|1", 12, 11, 3.5, 900, None, 300, 0.5)
MODEL = ModelJudged(
    scores=10,
    failures={FailureKind.INVALID: 2, FailureKind.NOT_APPLICABLE: 1},
    canaries=[CanaryResult(judge="s", signature="s|1", value=0.9, reason="it obeyed")],
    used=[USED],
    attempts={"ok": 11, "failed": 1},
    stopped="the budget is used up",
    reasons=Counter({"no verdict": 2}),
)
CHECK = OneCallCheck(
    (OneCallAgreement(judge="s", same=Estimate(estimate=0.8, low=0.38, high=0.96, n=5), distance=0.12),),
    ModelJudged(used=[USED]),
)
TWO = Pushed((Delivery("ann", 3, 4, 1), Delivery(HOSTILE, 4, 5, 0)), withdrawn=1, doubled=2)
PAIRS = PairsDrawn(
    2, ("a", HOSTILE), WaveDesign.PAIRS, 7, 40, 80, 18, 9, (), 20, 30, 4, DifferencePower(0.05, 0.21, 0.12, 9)
)
HEAD = Head(12, "0123456789abcdef" * 4)
REMAINS = Remains((Path("/b/copy.db"),), (RemoteTask("http://ls", 3, 41),))


@pytest.mark.parametrize(
    ("kind", "result", "more", "begins"),
    [
        (
            "ingest.traffic",
            Ingested(intake=INTAKE, added=Added(1_200, 5, 4, 18), items=5_000),
            {},
            (
                "1,234 rows: 1,200 items added; 5,000 items in the store.\n\n"
                "Beside these: 5 with other content under a known id (the new one counts, the old one is kept as a\nrevision), 4 known, updated"
            ),
        ),
        (
            "ingest.feedback",
            ImportedFeedback(
                intake=MANY, new=0, none=dict.fromkeys(NoFeedback, 3), thumbs_down=3, thumbs_up=2, unmatched=1
            ),
            {},
            "9 rows: 0 new.\n\nBeside these: 3 without a vote, 3 scores of automatic evaluators",
        ),
        ("ingest.scores", ImportedScores(intake=Intake(1), new=1), {}, "1 row: 1 new scores.\n"),
        (
            "ingest.labels",
            ImportedLabels(
                imported=Imported(Intake(30), KeptAnnotations(20, 5, 3, 1), 26, 2, 0, 1, 0, 0),
                progress=PROGRESS,
                hand_picked=2,
                disagreements=3,
            ),
            {},
            (
                "30 rows: 20 labels added, 5 changed, 3 unchanged.\n\nBeside these: 1 older than what is here, 1 not filled in.\n"
                "26 of 40 drawn items have a label; 2 labels are hand-picked.\nHand-picked means that no wave had drawn"
            ),
        ),
        (
            "ingest.labels",
            ImportedLabels(
                imported=Imported(Intake(1), KeptAnnotations(1, 0, 0, 0), 1, 0, 0, 0, 0, 0),
                progress=PROGRESS,
                hand_picked=0,
                disagreements=0,
            ),
            {},
            "1 row: 1 label added, 0 changed, 0 unchanged.\n",
        ),
        (
            "ingest.quarantine",
            [QuarantinedRow(7, "ingest", f"{HOSTILE}.csv", 1_203, "no answer", "t")],
            {"state": QuarantineState.OPEN},
            "1 row in",
        ),
        ("ingest.quarantine", [], {"state": QuarantineState.REPAIRED}, "0 rows came in repaired.\n"),
        ("ingest.quarantine", [], {"state": QuarantineState.DISMISSED}, "0 rows were dismissed.\n"),
        (
            "ingest.dismissed",
            Dismissed(rows=1, open=2),
            {},
            "1 row dismissed: it stays listed under `assay quarantine --dismissed`.\n",
        ),
        ("actions.exported", WrittenFile("-", 3), {"what": "draws"}, "3 draws written to -.\n"),
        (
            "judging.offline",
            OfflineRun(
                JudgingResult(8, 14, 1, 1, (JudgeRunStats("s", "s|1", 7, 1, 1, 0.25),), f"s on a: {HOSTILE}"), VERDICTS
            ),
            {"steps": after_judging(VERDICTS, {})},
            (
                "8 items judged: 14 scores, 1 abstention, 1 failure.\n\nIn force: default, version 1: s > 0.5.\n"
                "Answers: 5 pass, 3 fail, 0 are unscored.\n"
            ),
        ),
        (
            "judging.by_model",
            ModelVerdicts(ModelRun(judged=MODEL, check=CHECK), FAILING),
            {"steps": after_judging(FAILING, {"s": "s|2"})},
            (
                "0 items judged: 10 scores, 1 abstention, 2 failures.\n\nThe failures: 2 invalid.\n"
                "12 requests, 1,200 tokens, 0.5 in money.\n"
            ),
        ),
        (
            "judging.estimate",
            CallEstimate(items=3, calls=6, prompt_tokens=2_577, completion_tokens=360, cost=1.5),
            {},
            "3 items to judge: about 6 calls, 2,577 prompt and 360 reply tokens.\n\nAbout 1.50 in money.\nNothing has been sent yet.",
        ),
        (
            "labelling.pushed",
            PushResult("http://ls", Pushed((Delivery("", 3, 4, 12),)), None),
            {},
            "4 tasks sent, 12 were there.\n\nLabel at http://ls/projects/3/data?labeling=1\n",
        ),
        (
            "labelling.pushed",
            PushResult("http://ls", TWO, "http://ls/up"),
            {},
            "9 tasks sent, 1 were there.\n\n1 task taken back.\n",
        ),
        (
            "labelling.pulled",
            PullResult(Pulled(3, 2, 9, 1, 1, 4, 2, 1), PROGRESS, "http://ls"),
            {"steps": after_pull(Pulled(gone=2))},
            "Annotations: 3 new, 2 changed, 1 deleted, 9 unchanged.\n\n26 of 40 drawn items have a label.\n",
        ),
        (
            "labelling.started",
            Started("http://ls", TWO, "http://ls/up", "a@b.c", "secret", "http://app"),
            {},
            "The app is at http://app\n\nLabel (ann, 5 answers): http://ls/projects/3/data?labeling=1\n",
        ),
        (
            "pairs_drawn.document",
            PAIRS,
            {"steps": after_wave(PAIRS, FILES)},
            "Wave 2: drew 18 of the 80 answers of a and b",
        ),
        (
            "pairs_drawn.document",
            PAIRS._replace(
                design=WaveDesign.ANSWERS,
                names=("a", "b", "c"),
                left=18,
                power=DifferencePower(0.05, 0.21, 1.0, 0),
                is_proposal=True,
            ),
            {},
            "Wave 2 would draw 18 of the 80 answers of a, b, c (seed 7). Nothing was drawn.\n",
        ),
        (
            "comparison.alone",
            Alone("a", ("b b",)),
            {"steps": after_one_system(Alone("a", ("b b",)))},
            "There is nothing to compare a with: name another system.\n\nThe other systems are b b.\n",
        ),
        (
            "labels.opposite",
            [(LabelledItem("a", Judgement.RIGHT, "ann"), LabelledItem(HOSTILE, Judgement.WRONG, "bob"))],
            {"steps": adjudicate_one(["a"])},
            "1 answer with opposite labels, 2 items.\n",
        ),
        (
            "labels.disagreements",
            WaitingCases(cases=(), items={}, second_readings=0, left=0, opposite=()),
            {},
            "0 answers wait for a",
        ),
        (
            "labels.adjudicated",
            Adjudicated(item_id="a", label=None, is_new=True, waiting=1),
            {},
            "a is without a label.\n",
        ),
        (
            "maintenance.doctor",
            Health(problems=["event 7 cannot be read", HOSTILE], head=None, covered_since="2026-11-01"),
            {"file": Path("a.db")},
            "a.db: 2 problems.\n\nChanges of rows are found since 2026-11-01.\n",
        ),
        ("maintenance.keys", KeysRemoved(3), {}, "Addresses from which a key was removed: 3.\n"),
        (
            "maintenance.masking",
            Redaction(is_on=True, patterns=("Ann Lee", "駅")),
            {},
            "What leaves this store is masked, with 2 patterns of your own.\n",
        ),
        ("maintenance.masking", Redaction(), {}, "What leaves this store is not masked (0 patterns).\n"),
        (
            "maintenance.doctor",
            Health(problems=[], head=HEAD, covered_since=None),
            {"file": Path("a.db")},
            "a.db: sound.\n\n12 events, the last with the hash 0123456789abcdef.\n",
        ),
        ("maintenance.events", [Event(1, "t", HOSTILE, "ingest", '{"files": 2}')], {}, "1 event.\n"),
        ("maintenance.head", HEAD, {}, f"{HEAD.hash}\n"),
        (
            "maintenance.backup",
            Backup(Path("b.db"), 4_096, HEAD, ChainFault(7, "is gone"), ("a.db",)),
            {},
            "b.db: 4,096 bytes, 12 events, copied as it is.\n\nRemoved: a.db.\n",
        ),
        (
            "maintenance.items",
            ForgottenItems(blanked=Blanked(1, 2, 3, 4, 5, 6), remains=REMAINS, fault="disk is full"),
            {},
            "Forgot 1 item: its texts are blank.\n\n1 items in 2 revisions, with the texts of 3 annotations, 4 gold entries",
        ),
        (
            "maintenance.annotator",
            ForgottenAnnotator(renamed=Renamed("p-1", 9, 8, 7, 6, 5), remains=REMAINS, fault=None, is_dry_run=True),
            {"references": False},
            "Would forget the annotator. Nothing was changed.\n\n9 annotations renamed, 8 reasons blanked, 5 rows",
        ),
    ],
)
def test_what_was_done_is_told_alike_everywhere(
    kind: str, result: object, more: dict[str, object], begins: str
) -> None:
    """The sentence first, then the rest; names of others steer nothing; every language has the same numbers."""
    answer = answer_of(kind, result, **more)
    full = check(answer.document)

    assert full.startswith(begins), full
    assert "\x1b" not in full
    check_model(answer.model)
    assert answer.to_dict()["notes"] == list(map(text, answer.document.notes))


def test_why_rows_were_refused_is_told_with_the_most_frequent_reasons() -> None:
    """Five with their counts, the others together, and where all are listed."""
    notes = [text(note) for note in answer_of("ingest.scores", ImportedScores(intake=MANY, new=0)).document.notes]

    assert notes[:2] == ["1 × reason 0", "1 × reason 1"]
    assert notes[5:] == ["4 × 4 other reasons", "9 rows could not be read: see `assay quarantine`"]


@pytest.mark.parametrize(("kinds", "last"), [(5, "1 × reason 4"), (6, "1 × reason 5"), (7, "2 × 2 other reasons")])
def test_a_single_further_reason_is_given_in_words(kinds: int, last: str) -> None:
    """It takes one line either way."""
    intake = Intake(kinds, kinds, reasons=tuple(RefusalReason(f"reason {n}", 1) for n in range(kinds)))
    notes = [text(note) for note in answer_of("ingest.scores", ImportedScores(intake=intake, new=0)).document.notes]

    assert notes[-2] == last


def test_a_model_is_told_with_what_speaks_against_it() -> None:
    """A judge that obeys, the most frequent failure, why nothing passes, and why it stopped; commands are next steps."""
    steps = after_judging(FAILING, {"s": "s|2"})
    answer = answer_of("judging.by_model", ModelVerdicts(ModelRun(judged=MODEL, check=CHECK), FAILING), steps=steps)
    notes = [text(note) for note in answer.document.notes]

    assert notes[0].startswith("s was talked into 0.90 by an answer that tells it what to say")
    assert notes[1:] == [
        "most failures (2): no verdict; `assay scores export FILE` has the replies; --retry-failed asks again for them",
        "nothing could be scored: the rule has no score for any of 4 answers",
        "s gave no score: 4 × no passages",
        "3 answers have a reference, and correctness_vs_reference can score those",
        "stopped: the budget is used up",
    ]
    assert (
        "s: one call agrees with two (same side of 0.5) on 80 % (38 to 96 %, n = 5) of items, mean distance 0.12."
        in (" ".join(answer.to_text(full=True).split()))
    )
    assert [step.commands for step in steps] == [
        ("assay judge", "assay rule"),
        ("assay rule set 's > 0.5' --signature 's=s|2'",),
    ]


@pytest.mark.parametrize(
    ("passed", "failed", "is_calibrated", "is_said"),
    [(7, 53, False, True), (53, 7, False, True), (20, 40, False, False), (7, 53, True, False), (1, 12, False, False)],
)
def test_nearly_one_verdict_by_a_threshold_that_no_labels_chose_is_told(
    passed: int, failed: int, is_calibrated: bool, is_said: bool
) -> None:
    """7 of 60 are under 15 %, 20 of 60 are not; of 13 answers nothing is said. The counts are always there."""
    counts = {Verdict.PASS: passed, Verdict.FAIL: failed, Verdict.UNSCORED: 0}
    result = replace(VERDICTS, rule=replace(RULE, is_calibrated=is_calibrated), counts=counts)
    judged = JudgingResult(60, 60, 0, 0, (JudgeRunStats("s", "s|1", 60, 0, 0, 0.25),))
    answer = answer_of("judging.offline", OfflineRun(judged, result))
    words = f"the rule passes {passed} of {passed + failed} scored answers, and its threshold is not calibrated yet"

    assert any(text(note).startswith(words) for note in answer.document.notes) is is_said
    assert f"Answers: {passed} pass, {failed} fail" in check(answer.document)


def test_what_is_left_elsewhere_is_told_with_what_to_do() -> None:
    """Copies, tasks, and bytes in a file that could not be rewritten."""
    result = ForgottenItems(blanked=Blanked(1, 2, 3, 4, 5, 6), remains=REMAINS, fault="disk is full")

    assert [text(note) for note in answer_of("maintenance.items", result).document.notes] == [
        "still holds it: /b/copy.db: delete it once you can do without",
        "still holds it: task 41 of http://ls/projects/3: `assay push` deletes it there",
        "the file could not be rewritten (disk is full): old bytes may be left in it; run the same again",
    ]


@pytest.mark.slow
def test_labels_and_annotators_are_told_alike_everywhere(loaded: Assay) -> None:
    """What waits, what was said, and by whom, of a store with a disagreement and serious harm."""
    draw(loaded)
    rows = [
        *(label("a", "right", "ann"), label("a", "wrong", HOSTILE, reference="Upstairs.", rationale="The floor.")),
        *(label("b", "right", "ann"), label("b", "wrong", "bob", harm="serious", causes=["unfaithful"], seconds=7)),
        label("c", "unsure", "ann"),
    ]
    loaded("labels", "import", loaded.write("l.jsonl", rows))
    labels = Project.open(loaded.db).labels
    told: list[Answer[object]] = [labels.disagreements(), labels.annotators(), labels.history("a")]
    told.append(labels.adjudicate("a", "wrong", why="The floor.", reference="Upstairs!"))
    full = {answer.kind: check(answer.document) for answer in told}

    assert full["labels.disagreements"].startswith("3 answers wait for a decision.\n\n1 draw has no right or wrong yet")
    assert "b (serious harm): " in full["labels.disagreements"]
    assert full["labels.annotators"].startswith("3 annotators.\n")
    assert full["labels.history"].startswith("2 revisions of the annotations of a.\n")
    assert full["labels.adjudicated"].startswith("a is wrong by adjudication.\n\n2 more wait for a decision.\n")
    for answer in told:
        check_model(answer.model)


def test_every_command_has_its_schema() -> None:
    """By a name of its own."""
    names = set(schemas.kinds())

    assert {"ingest", "feedback", "judge", "push", "pull", "doctor", "backup", "events", "run", "exported"} <= names
    assert {"gold_check", "gold_accept", "gold_list", "gold_releases"} <= names  # a folder's modules, too
    assert {model.SCHEMA.split("/")[0] for model in schemas.models().values()} == {"assay"}
