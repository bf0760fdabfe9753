"""Build the document of a diagnosis: the stage to look at first, where wrong answers lie, and likely causes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotate.analysis.diagnosis import Diagnoses, Diagnosis, Miss, StageFinding
from annotate.analysis.diagnosis.diagnose import ALWAYS, NOT_NAMED
from annotate.domain.annotation import SERIOUS
from annotate.domain.counted import counted
from annotate.domain.message import (
    Code,
    Command,
    Counted,
    Kind,
    Listing,
    Message,
    Name,
    Number,
    Quote,
    Step,
    Value,
    coefficient,
    message,
)
from annotate.domain.turns import in_one_line
from annotate.present import naming, retrieval_metrics
from annotate.present.document import Block, Column, Detail, Document, Excerpt, Section, Status, Table
from proxy.diagnosis import Naming, Obstacle, Stage
from proxy.evaluation.estimate import Estimate
from proxy.text import numbers

# Chosen: as many as a person reads at once, and what the brief answer of 25 lines has room for.
SHOWN_MISSES, SHOWN_PARTS = 10, 8
OFFLINE = "|offline|"
QUADRANTS = {
    "relevant, faithful": "high_faithful",
    "relevant, not faithful": "high_unfaithful",
    "not relevant, faithful": "low_faithful",
    "not relevant, not faithful": "low_unfaithful",
    "relevant, no score of faithfulness": "high_unscored",
    "not relevant, no score of faithfulness": "low_unscored",
    "no passages": "no_passages",
    "no score of relevance": "unscored",
}
DECIDABLE = (Obstacle.OBJECTION, Obstacle.TOO_FEW, Obstacle.NOT_SEPARATED, Obstacle.ELSEWHERE)


def document(result: Diagnoses, steps: Sequence[Step] = ()) -> Document:
    """Build the document of a diagnosis.

    Parameters
    ----------
    result : Diagnoses
        The diagnosis of each system.
    steps : sequence of Step
        What to do next.
    """
    first = naming.of_all([diagnosis.naming for diagnosis in result.each], result.whole if result.each else None)
    sections = [Section(None, tuple(_basis(result, first)))]
    if any(diagnosis.wrong for diagnosis in result.each):
        sections.append(Section(message("diagnosis.parts"), (_parts(result),)))
    for key, is_likely, detail in (("likely", True, Detail.BRIEF), ("possible", False, Detail.FULL)):
        if causes := tuple(_causes(result, is_likely=is_likely)):
            sections.append(Section(message(f"diagnosis.{key}"), causes, detail))
    if any(diagnosis.wrong for diagnosis in result.each):
        sections.append(retrieval_metrics.section(result.retrieval))
    for diagnosis in result.each:
        title = message("diagnosis.system", name=naming.name_of(diagnosis.system))
        sections.append(Section(title, tuple(_system(result, diagnosis)), Detail.FULL))
    return Document(naming.answer(first), _status(first), tuple(sections), tuple(_notes(result)), tuple(steps))


def _status(first: Naming | None) -> Status:
    if first is None:
        return Status.UNMEASURABLE
    if first.stage or first.obstacle is Obstacle.NO_WRONG:
        return Status.DONE
    return Status.OPEN if first.obstacle in DECIDABLE else Status.UNMEASURABLE


def _basis(result: Diagnoses, first: Naming | None) -> Iterator[Message]:
    """What must be scored first, what the answer rests on, each system, and what to try."""
    namings = [diagnosis.naming for diagnosis in result.each]
    yield from _needed(result)
    yield from naming.details(first)
    yield from _not_scorable(result)
    if namings:
        yield from naming.systems(namings)
        yield from naming.advices([*namings, *([first] if first else [])])
    if result.unlabelled and (result.each or len(result.unlabelled) > 1):
        yield message("diagnosis.unlabelled", names=Listing(tuple(map(naming.name_of, result.unlabelled))))


def _needed(result: Diagnoses) -> Iterator[Message]:
    """What must be scored before the stages can be distinguished."""
    areas = [(diagnosis.naming.areas[Stage.NO_PASSAGES].wrong, diagnosis.wrong) for diagnosis in result.each]
    is_empty = bool(areas) and all(without == wrong for without, wrong in areas)
    if not result.missing or is_empty or any(diagnosis.failed for diagnosis in result.each):
        return
    key = "needs_relevance" if "context_relevance" in result.missing else "needs_faithfulness"
    names = Listing(tuple(map(Code, result.missing)), "values.and")
    yield message(f"diagnosis.{key}", names=names, command=Command("assay judge"))
    if result.others:
        yield message("diagnosis.has_others", names=Listing(tuple(map(Code, result.others))))


def _not_scorable(result: Diagnoses) -> Iterator[Message]:
    """Why judges gave none of the scores that are missing."""
    for diagnosis in result.each:
        if failed := diagnosis.failed:
            why = Quote(failed.reason) if failed.reason.strip() else message("slices.no_reason")
            wrong = diagnosis.naming.areas[Stage.UNTOLD].wrong
            yield message("diagnosis.not_scorable", count=wrong, failed=failed.items, reason=why)


def _parts(result: Diagnoses) -> Table:
    """Each part that holds a labelled wrong answer; the share is of all the system's answers."""
    has_systems = len(result.each) > 1
    columns = (
        *([Column(message("diagnosis.system_column"), is_wide=True)] if has_systems else []),
        Column(message("diagnosis.part"), is_wide=True),
        *(Column(message(f"diagnosis.of_the_{name}"), is_number=True) for name in ("wrong", "right")),
        Column(message("diagnosis.share"), is_number=True, is_wide=True),
    )
    rows = tuple(
        (
            *([naming.name_of(diagnosis.system)] if has_systems else []),
            message(f"judges.stage_{finding.stage}"),
            message("judges.of", part=_at(diagnosis, finding, "wrong"), whole=diagnosis.wrong),
            # Of what reranking lost, right answers are not looked at.
            None
            if finding.stage is Stage.RERANK
            else message("judges.of", part=_at(diagnosis, finding, "right"), whole=diagnosis.right),
            _share(finding.share),
        )
        for diagnosis in result.each
        for finding in diagnosis.findings
        if finding.wrong
    )
    return Table(columns, rows, name="findings", most=SHOWN_PARTS)


def _share(estimate: Estimate) -> Value:
    return None if estimate.estimate is None else naming.share(estimate)


def _causes(result: Diagnoses, *, is_likely: bool) -> Iterator[Message]:
    """The causes of named stages that something speaks for, or the others."""
    for diagnosis in result.each:
        for finding in diagnosis.findings:
            for cause in finding.causes:
                if cause.is_likely is not is_likely:
                    continue
                stage: Value = message(f"judges.stage_{finding.stage}")
                where = Listing((naming.name_of(diagnosis.system), stage)) if len(result.each) > 1 else stage
                values: dict[str, Value] = {"where": where, "cause": cause.name, "remedy": cause.remedy}
                if cause.evidence:
                    key = "likely_cause" if is_likely else "hinted_cause"
                    yield message(f"diagnosis.{key}", evidence=cause.evidence, **values)
                else:
                    yield message("diagnosis.bare_cause", **values)


def _system(result: Diagnoses, diagnosis: Diagnosis) -> Iterator[Block]:
    """One system: its labels, what is named, where its answers lie, its own misses, what annotators name."""
    sizes = {name: getattr(diagnosis, name) for name in ("answers", "right", "wrong", "unsure")}
    yield message("diagnosis.labels", **sizes)
    if diagnosis.hand_picked:
        yield message("diagnosis.hand_picked", count=diagnosis.hand_picked)
    if len(result.each) > 1:
        yield naming.answer(diagnosis.naming)
        yield from naming.details(diagnosis.naming)
    if not diagnosis.wrong:
        return
    for finding in diagnosis.findings:
        if finding.also_unfaithful and finding.stage in (Stage.RETRIEVAL, Stage.RERANK):
            part = message(f"judges.stage_{finding.stage}")
            yield message("diagnosis.also_unfaithful", part=part, count=finding.also_unfaithful)
    yield _corners(result, diagnosis)
    if left_out := diagnosis.answers - diagnosis.framed:
        yield message("diagnosis.left_out", count=left_out)
    if diagnosis.misses:
        yield message("diagnosis.misses", count=len(diagnosis.misses))
    yield from map(_miss, diagnosis.misses[:SHOWN_MISSES])
    if (more := len(diagnosis.misses) - SHOWN_MISSES) > 0:
        yield message("systems.listed_more", count=more)
    yield from _annotators(diagnosis)


def _corners(result: Diagnoses, diagnosis: Diagnosis) -> Table:
    """Where the labels lie, and the wrong answers there as a share of all the system's answers."""
    columns = (
        Column(message("report.scored_as"), is_wide=True),
        *(Column(message(f"diagnosis.{name}"), is_number=True) for name in ("right", "wrong", "answers")),
        Column(message("diagnosis.share"), is_number=True, is_wide=True),
    )
    rows = tuple(
        (
            message(f"report.quadrant_{QUADRANTS[corner.name]}"),
            *(
                counted(getattr(corner, label), "corner", label, corner.name, _system_of(diagnosis))
                for label in ("right", "wrong")
            ),
            corner.answers,
            _share(corner.share),
        )
        for place, corner in enumerate(diagnosis.corners)
        if place < ALWAYS or corner.answers or corner.right or corner.wrong
    )
    relevance, faithfulness = (Number(threshold, Kind.THRESHOLD) for threshold in result.thresholds)
    return Table(columns, rows, message("diagnosis.corners", relevance=relevance, faithfulness=faithfulness))


def _miss(miss: Miss) -> Excerpt:
    """An answer that passed and is wrong, with what the judges said of it."""
    question = Quote(in_one_line(miss.item.question, miss.item.history))
    key = "diagnosis.harmful_miss" if miss.label.harm == SERIOUS else "diagnosis.miss"
    texts = [(message("report.answered"), Quote(miss.item.answer))]
    for judge, value, reason in miss.reasons:
        label = message("diagnosis.judge", judge=Name(judge), value=coefficient(value))
        texts.append((label, Quote(reason if reason.strip() else numbers.NONE)))
    if miss.label.rationale:
        texts.append((message("report.rationale"), Quote(miss.label.rationale)))
    return Excerpt(message(key, id=Name(miss.item.id), question=question), tuple(texts))


def _annotators(diagnosis: Diagnosis) -> Iterator[Block]:
    """What annotators name as causes, and by where the scores put these answers."""
    if not diagnosis.causes:
        yield message("diagnosis.no_cause_named")
        return
    columns = (
        Column(message("diagnosis.cause_column"), is_wide=True),
        Column(message("diagnosis.wrong"), is_number=True),
        Column(message("diagnosis.of_wrong"), is_number=True, is_wide=True),
    )
    system = _system_of(diagnosis)
    rows = tuple(
        (_cause_name(cause.cause), counted(cause.wrong, "cause", cause.cause, system), _share(cause.share))
        for cause in diagnosis.causes
    )
    yield Table(columns, rows, message("diagnosis.named_causes"))
    yield _by_stage(diagnosis)
    if diagnosis.naming.is_one_sided:
        yield message("diagnosis.contradiction_unknown")
    elif not diagnosis.disagreements:
        yield message("diagnosis.no_contradiction")
    yield from (message("diagnosis.contradiction", words=words) for words in diagnosis.disagreements)


def _by_stage(diagnosis: Diagnosis) -> Table:
    stages = [finding.stage for finding in diagnosis.findings if finding.wrong]
    columns = (
        Column(message("diagnosis.cause_column"), is_wide=True),
        *(Column(message(f"diagnosis.stage_{stage}"), is_number=True) for stage in stages),
    )
    causes = sorted({cause for cause, _ in diagnosis.named}, key=lambda cause: (cause == NOT_NAMED, cause))
    rows = tuple((_cause_name(cause), *(_named_at(diagnosis, cause, stage) for stage in stages)) for cause in causes)
    return Table(columns, rows, message("diagnosis.by_stage"))


def _named_at(diagnosis: Diagnosis, cause: str, stage: Stage) -> Counted:
    return counted(diagnosis.named.get((cause, stage), 0), "cause-at", stage, cause, _system_of(diagnosis))


def _at(diagnosis: Diagnosis, finding: StageFinding, judgement: str) -> Counted:
    return counted(getattr(finding, judgement), "stage", judgement, finding.stage, _system_of(diagnosis))


def _system_of(diagnosis: Diagnosis) -> str:
    return diagnosis.system or ""


def _cause_name(cause: str) -> Value:
    return message("disagreements.not_given") if cause == NOT_NAMED else naming.cause(cause)


def _notes(result: Diagnoses) -> Iterator[Message]:
    if result.malformed:
        yield message("diagnosis.malformed", count=result.malformed)
    is_offline = all(OFFLINE in signature for signature in result.signatures.values())
    if is_offline and any(diagnosis.misses for diagnosis in result.each):
        yield message("diagnosis.words_only", command=Command("assay judge --backend openai"))
