"""The parts of the page on answers and stages: the proxy's own misses, each stage with its causes, what people name."""

from __future__ import annotations

from collections.abc import Iterator

from annotate.diagnosing import Diagnosis, Finding, Miss
from annotate.diagnosing.diagnoses import NOT_NAMED
from annotate.diagnosis_text.words import INDENT, TITLES, hundred, is_exact, plain
from annotate.labels import SERIOUS
from annotate.report_text import one_line
from proxy.diagnosis import Stage
from proxy.text import several

SHOWN_MISSES = 10
COLUMNS = {**{stage: stage.value for stage in Stage}, Stage.PROXY: "own miss", Stage.UNTOLD: "not told"}


def misses(one: Diagnosis) -> Iterator[str]:
    """The most valuable answers: what the proxy cannot see."""
    if not one.misses:
        return
    yield f"The proxy's own misses: relevant and faithful, yet wrong ({len(one.misses):,}). Read these first"
    for miss in one.misses[:SHOWN_MISSES]:
        yield from _miss(miss)
    if len(one.misses) > SHOWN_MISSES:
        yield f"{INDENT}and {len(one.misses) - SHOWN_MISSES:,} more: `assay diagnose --json` names them all"
    yield ""


def _miss(miss: Miss) -> Iterator[str]:
    mark = " (serious harm)" if miss.label.harm == SERIOUS else ""
    yield f"{INDENT}{one_line(miss.item.id)}{mark}: {one_line(miss.item.question)}"
    yield f"{INDENT * 2}said: {one_line(miss.item.answer)}"
    for judge, value, reason in miss.reasons:
        said = f": {words}" if (words := one_line(reason).strip()) else ""
        yield f"{INDENT * 2}{judge} {'—' if value is None else f'{value:.2f}'}{said}"
    if why := one_line(miss.label.rationale or "").strip():
        yield f"{INDENT * 2}why wrong: {why}"
    if miss.label.causes:
        yield f"{INDENT * 2}people name: {', '.join(plain(cause) for cause in miss.label.causes)}"


def told(one: Diagnosis) -> list[Finding]:
    """The stages that a labelled wrong answer points to, in their order."""
    return [each for each in one.findings if each.wrong]


def finding(one: Diagnosis, found: Finding, place: int) -> Iterator[str]:
    """One stage: how much it would mend, its causes and what to do."""
    yield f"{place}. {TITLES[found.stage]}: {found.wrong} of {one.wrong} wrong answers"
    if found.stage is Stage.UNTOLD:
        yield f"{INDENT}a score that tells is missing for {found.wrong}: {_why_missing(one)}"
        yield ""
        return
    verb = "a better judge would catch" if found.stage is Stage.PROXY else "would mend"
    yield f"{INDENT}{verb} at most {several(found.wrong, 'labelled wrong answer')}{_of_traffic(one, found)}"
    if found.also_unfaithful and found.stage in (Stage.RETRIEVAL, Stage.RERANK):
        leave = "leaves" if found.also_unfaithful == 1 else "leave"
        yield f"{INDENT}{found.also_unfaithful} of them also {leave} the passages: look there again once the passages fit"
    if found.empty:
        yield f"{INDENT}{found.empty} of them came without any passage"
    for cause in found.causes:
        if cause.is_likely:
            yield f"{INDENT}likely: {cause.name}, because {cause.evidence}"
            yield f"{INDENT}{INDENT}try: {cause.remedy}"
    for cause in found.causes:
        if not cause.is_likely:
            yield f"{INDENT}possible: {cause.name}{f'; at hand: {cause.evidence}' if cause.evidence else ''}; try: {cause.remedy}"
    yield ""


def _why_missing(one: Diagnosis) -> str:
    if one.failed is None:
        return "run `assay judge`"
    reason = one_line(one.failed.reason).strip() or "no reason is kept"
    return f"the judges have tried and cannot score these, {one.failed.items} of them because: {reason}"


def _of_traffic(one: Diagnosis, found: Finding) -> str:
    """The same for all traffic."""
    if found.share.estimate is None:
        return "; of all traffic: not measurable"
    about = "" if is_exact(found.share) else "about "
    return f", {about}{hundred(found.share)} per 100 answers of the traffic"


def people(one: Diagnosis) -> Iterator[str]:
    """What people name as causes, beside the stages."""
    causes = sorted({cause for cause, _ in one.named if cause != NOT_NAMED})
    if not causes:
        yield "People named no cause of these wrong answers, so there is none to hold beside the machine's."
        return
    stages = [each.stage for each in told(one)]
    yield "What people name, by the stage that the scores point to (an answer may have several causes)"
    yield f"{INDENT}{'':<24}" + "".join(f"{COLUMNS[stage]:>11}" for stage in stages)
    for cause in [*causes, *([NOT_NAMED] if any(name == NOT_NAMED for name, _ in one.named) else [])]:
        yield f"{INDENT}{plain(cause):<24}" + "".join(f"{one.named.get((cause, stage), 0):>11}" for stage in stages)
    yield from (f"{INDENT}{sentence}." for sentence in one.disagreements)
    if not one.disagreements:
        yield f"{INDENT}People and the scores do not contradict each other."
