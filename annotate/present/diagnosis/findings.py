"""The parts of the page on answers: the proxy's own misses, each part with its counts, what people name."""

from __future__ import annotations

from collections.abc import Iterator

from annotate.analysis.diagnosis import Diagnosis, Finding, Miss
from annotate.analysis.diagnosis.diagnose import NOT_NAMED
from annotate.domain.annotation import SERIOUS
from annotate.domain.conversation import in_one_line
from annotate.present.diagnosis.words import INDENT, TITLES, hundred, is_exact, plain
from annotate.present.messages import one_line
from annotate.present.naming import span
from proxy.diagnosis import Stage
from proxy.text.language import several

SHOWN_MISSES = 10
COLUMNS = {**{stage: stage.value for stage in Stage}, Stage.PROXY: "own miss", Stage.UNTOLD: "not told"}
COLUMNS[Stage.NO_PASSAGES] = "no passages"
NO_PASSAGES = "no judge can say whether the search failed: bring what the app retrieved as `contexts`"


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
    yield f"{INDENT}{one_line(miss.item.id)}{mark}: {one_line(in_one_line(miss.item.question, miss.item.history))}"
    yield f"{INDENT * 2}said: {one_line(miss.item.answer)}"
    for judge, value, reason in miss.reasons:
        said = f": {words}" if (words := one_line(reason).strip()) else ""
        yield f"{INDENT * 2}{judge} {'—' if value is None else f'{value:.2f}'}{said}"
    if why := one_line(miss.label.rationale or "").strip():
        yield f"{INDENT * 2}why wrong: {why}"
    if miss.label.causes:
        yield f"{INDENT * 2}people name: {', '.join(plain(cause) for cause in miss.label.causes)}"


def told(one: Diagnosis) -> list[Finding]:
    """The parts that hold a labelled wrong answer, in their order."""
    return [each for each in one.findings if each.wrong]


def finding(one: Diagnosis, found: Finding) -> Iterator[str]:
    """One part: its counts, what share of all answers is wrong there, and, where its stage is named, causes and what to do."""
    yield f"{TITLES[found.stage]}: {found.wrong} of {several(one.wrong, 'labelled wrong answer')} ({beside(one, found)})"
    if found.share.estimate is not None:
        about = "" if is_exact(found.share) else "about "
        yield f"{INDENT}{about}{hundred(found.share)} per 100 answers of the traffic are wrong and lie here"
    if found.stage is Stage.UNTOLD:
        yield f"{INDENT}a score that tells is missing for {found.wrong}: {_why_missing(one)}"
    if found.stage is Stage.NO_PASSAGES:
        yield f"{INDENT}{NO_PASSAGES}"
    if found.also_unfaithful and found.stage in (Stage.RETRIEVAL, Stage.RERANK):
        leave = "leaves" if found.also_unfaithful == 1 else "leave"
        yield f"{INDENT}{found.also_unfaithful} of them also {leave} the passages"
    for cause in found.causes:
        if cause.is_likely:
            yield f"{INDENT}likely: {cause.name}, because {cause.evidence}"
            yield f"{INDENT}{INDENT}try: {cause.remedy}"
    for cause in found.causes:
        if not cause.is_likely:
            yield f"{INDENT}possible: {cause.name}{f'; at hand: {cause.evidence}' if cause.evidence else ''}; try: {cause.remedy}"
    yield ""


def beside(one: Diagnosis, found: Finding) -> str:
    """The right answers there, which a count of wrong ones must not be read without."""
    if found.stage is Stage.RERANK:
        return "relevant passages were retrieved and then dropped; right answers are not looked at"
    return f"and {found.right} of {one.right} right ones"


def _why_missing(one: Diagnosis) -> str:
    if one.failed is None:
        return "run `assay judge`"
    reason = one_line(one.failed.reason).strip() or "no reason is kept"
    return f"the judges have tried and cannot score these, {one.failed.items} of them because: {reason}"


def people(one: Diagnosis) -> Iterator[str]:
    """What people name as causes, beside the stages."""
    causes = sorted({cause for cause, _ in one.named if cause != NOT_NAMED})
    if not causes:
        yield "People named no cause of these wrong answers."
        return
    stages = [each.stage for each in told(one)]
    yield "What people name as causes of wrong answers (their word; an answer may have several)"
    for each in one.causes:
        yield f"{INDENT}{plain(each.cause)}: {each.wrong} of {one.wrong} labelled; of all wrong answers {span(each.share)}"
    yield "Counts by where the scores put these answers"
    yield f"{INDENT}{'':<24}" + "".join(f"{COLUMNS[stage]:>12}" for stage in stages)
    for cause in [*causes, *([NOT_NAMED] if any(name == NOT_NAMED for name, _ in one.named) else [])]:
        yield f"{INDENT}{plain(cause):<24}" + "".join(f"{one.named.get((cause, stage), 0):>12}" for stage in stages)
    yield from (f"{INDENT}{sentence}." for sentence in one.disagreements)
    if one.naming.is_one_sided:
        yield f"{INDENT}Whether people and the scores contradict each other shows only with answers on both sides of the cut."
    elif not one.disagreements:
        yield f"{INDENT}People and the scores do not contradict each other."
