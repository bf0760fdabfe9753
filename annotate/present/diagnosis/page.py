"""The whole page: what must be scored first, the sentence on all systems, each system, and how to see whether it helped."""

from __future__ import annotations

from shlex import quote

from annotate.analysis.diagnosis import Diagnoses, Diagnosis
from annotate.analysis.next_step import EXPORT, PUSH
from annotate.present.diagnosis.findings import finding, misses, people, told
from annotate.present.diagnosis.tables import table
from annotate.present.diagnosis.words import INDENT
from annotate.present.messages import one_line
from annotate.present.naming import RECUT, advice, claim, comparison, counts, labels_help, name_of
from proxy.diagnosis import CONTRASTED, Obstacle, Stage
from proxy.text.language import several

OFFLINE = "|offline|"
WORDS_ONLY = (
    "Note: these scores compare words: passages that are on the topic but cannot answer count as relevant, so some of the "
    "proxy's own misses may be retrieval's; a model as judge tells more (`assay judge --backend openai`)."
)
LABEL = "assay sample --labels 100"
LABELS_HELP = (Obstacle.TOO_FEW, Obstacle.NOT_SEPARATED, Obstacle.ELSEWHERE)
RERUN = (
    "Change one thing, then re-run end to end on the same questions, with the new answers under a new system name, and label the "
    "pairs that the second command draws:"
)


def page(found: Diagnoses) -> list[str]:
    """The whole answer."""
    lines = [*_needed(found)]
    if not found.each:
        return [*lines, *_unlabelled(found)]
    lines += [comparison([one.naming for one in found.each], found.whole), ""]
    for one in found.each:
        lines += [*_diagnosis(found, one), ""]
    if found.malformed:
        lines.append(
            f"Note: `retrieved` or `relevant_ids` of {several(found.malformed, 'wrong answer')} cannot be read and are ignored."
        )
    if any(one.misses for one in found.each) and all(OFFLINE in one for one in found.signatures.values()):
        lines.append(WORDS_ONLY)
    lines += _unlabelled(found)
    return [*lines, *(_again(found) if any(one.wrong for one in found.each) else ())]


def _needed(found: Diagnoses) -> list[str]:
    """What must be scored before the stages can be told apart."""
    if not found.missing:
        return []
    if found.each and all(one.naming.areas[Stage.NO_PASSAGES].wrong == one.wrong for one in found.each):
        return []
    if any(one.failed for one in found.each):
        return []
    names = " and ".join(f"`{name}`" for name in found.missing)
    others = f" (the store has {', '.join(found.others)})" if found.others else ""
    can = "the stages cannot be told apart" if "context_relevance" in found.missing else "only retrieval can be told"
    how = f"import scores under {'these names' if len(found.missing) > 1 else 'this name'} (`assay scores import`)"
    return [f"No answer has a score of {names}{others}, so {can}: run `assay judge`, or {how}.", ""]


def _unlabelled(found: Diagnoses) -> list[str]:
    """The systems of which nobody has judged an answer."""
    names = [name_of(one) for one in found.unlabelled]
    if not found.each and len(names) < 2:
        return [
            "There is nothing to diagnose yet: no answer has a label; draw and label some (`assay sample --labels 200`)."
        ]
    return [f"Without a label, so not diagnosed: {', '.join(names)}."] if names else []


def _diagnosis(found: Diagnoses, one: Diagnosis) -> list[str]:
    """One system."""
    picked = f", {one.hand_picked:,} of them hand-picked" if one.hand_picked else ""
    name = "Answers that name no system" if one.system is None else f"System {name_of(one.system)}"
    sizes = f"{several(one.answers, 'answer')}, {several(one.right + one.wrong + one.unsure, 'label')}"
    head = f"{name}: {sizes} ({one.right:,} right, {one.wrong:,} wrong, {one.unsure:,} unsure{picked})"
    if not one.wrong:
        words = "Nothing to mend among these labels: none says wrong"
        return [head, f"{words}." if one.right else f"{words} or right."]
    return [
        head,
        *_named(one),
        "",
        *misses(one),
        *table(found, one),
        "",
        *(line for each in told(one) for line in finding(one, each)),
        *people(one),
    ]


def _named(one: Diagnosis) -> list[str]:
    """The stage that is named, or why none is; what to try; the counts behind it."""
    sentence = claim(one.naming)
    lines = [f"{sentence[0].upper()}{sentence[1:]}.", advice(one.naming)]
    lines += [counts(one.naming, stage) for stage in CONTRASTED if one.naming.areas[stage].wrong]
    return [line for line in lines if line]


def commands(found: Diagnoses) -> list[str]:
    """What to run next: label where that could name a stage; else mend one thing, then compare the new answers."""
    if not any(one.wrong for one in found.each):
        return [] if found.each else ["assay sample --labels 200"]
    named = [one for one in found.each if one.naming.stage]
    if not named:
        return _for_a_name(found)
    old = next((one.system for one in named if one.system is not None), None) or "OLD"
    pair = f"assay compare {quote(one_line(old))} NEW"
    return ["assay ingest NEW.jsonl && assay judge", f"{pair} --draw 100", pair]


def _for_a_name(found: Diagnoses) -> list[str]:
    """What could bring a name where there is none: labels, another cut, or more traffic, as far as each can help."""
    namings = [one.naming for one in found.each]
    stuck = [one for one in namings if one.obstacle in LABELS_HELP]
    one_sided = [one for one in namings if one.obstacle is Obstacle.ONE_SIDED]
    lines = [RECUT.format(cut=one.reach.cut) for one in one_sided if one.reach and one.reach.cut is not None][:1]
    if any(labels_help(one) for one in stuck) and (found.has_undrawn or found.open):
        return [*([LABEL] if found.has_undrawn else [PUSH, EXPORT]), *lines]
    return lines or (["assay ingest FILE"] if stuck or one_sided else [])


def _again(found: Diagnoses) -> list[str]:
    """How to see whether it helped."""
    if not any(one.naming.stage for one in found.each):
        return [f"Next: `{one}`" for one in commands(found)]
    return [
        RERUN,
        *(f"{INDENT}{one}" for one in commands(found)),
    ]
