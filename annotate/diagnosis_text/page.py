"""The whole page: what must be scored first, the sentence on all systems, each system, and how to see whether it helped."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote

from annotate.diagnosing import Diagnoses, Diagnosis
from annotate.diagnosis_text.findings import finding, misses, people, told
from annotate.diagnosis_text.tables import table
from annotate.diagnosis_text.words import INDENT, TITLES, hundred, is_exact
from annotate.report_text import one_line
from proxy.diagnosis import NAMES, NO_PASSAGES, Stage, look, too_few
from proxy.text import several

OFFLINE = "|offline|"
WORDS_ONLY = (
    "Note: these scores compare words: passages that are on the topic but cannot answer count as relevant, so some of the "
    "proxy's own misses may be retrieval's; a model as judge tells more (`assay judge --backend openai`)."
)
LABEL = "assay sample --labels 100"
RERUN = (
    "Change one thing, then re-run end to end on the same questions, with the new answers under a new system name, and label the "
    "pairs that the second command draws:"
)
AT_HAND = "Counts of the labels at hand, not of all traffic"


def page(found: Diagnoses) -> list[str]:
    """The whole answer."""
    lines = [*_needed(found)]
    if not found.each:
        return [*lines, *_unlabelled(found)]
    lines += [comparison(found.each), ""]
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


def comparison(each: Sequence[Diagnosis]) -> str:
    """One sentence on all systems: the bottleneck of each."""
    if not each:
        return "No answer has a label."
    sentence = "; ".join(map(_bottleneck, each)) + "."
    return sentence if sentence.startswith(name_of(each[0].system)) else sentence[0].upper() + sentence[1:]


def name_of(system: str | None) -> str:
    """A system in words."""
    return "answers that name no system" if system is None else one_line(system)


def _bottleneck(one: Diagnosis) -> str:
    name = name_of(one.system)
    if not one.wrong:
        return (
            f"{name} has no wrong answer among {several(one.right, 'label')}"
            if one.right
            else f"{name} has no label that decides"
        )
    if not one.has_passages:
        return f"which stage fails in {name} cannot be told: {NO_PASSAGES}"
    if one.first is None:
        if sum(one.counts.values()) > one.counts[Stage.UNTOLD]:
            return f"{name}: {too_few(one.counts)}"
        return f"{name} has {several(one.wrong, 'wrong answer')}, and no scores that tell why"
    wrong = one.finding(one.first).wrong
    if one.rival is not None:
        both = f"{NAMES[one.first]} or {NAMES[one.rival]}"
        counts = f"{wrong} and {one.finding(one.rival).wrong} of its {one.wrong} wrong answers"
        return f"it is open whether {both} is the bottleneck of {name}: {counts}"
    share = f"{wrong} of its {one.wrong} wrong answers"
    if one.first is Stage.PROXY:
        return f"the proxy's own misses come first for {name}: {share}"
    return f"{NAMES[one.first]} is the bottleneck of {name}: {share}"


def _needed(found: Diagnoses) -> list[str]:
    """What must be scored before the stages can be told apart."""
    if not found.missing:
        return []
    if found.each and all(sum(each.empty for each in one.findings) == one.wrong for one in found.each):
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
        *_first(one),
        "",
        *misses(one),
        *table(found, one),
        "",
        *(line for place, each in enumerate(told(one), start=1) for line in finding(one, each, place)),
        *people(one),
    ]


def _first(one: Diagnosis) -> list[str]:
    """Which stage to mend first, in one sentence, and what is open about it."""
    if one.first is None:
        return [_nothing_first(one)]
    finding = one.finding(one.first)
    lines = [look(one.first, finding.wrong, one.wrong)]
    if one.first is Stage.RETRIEVAL and finding.empty == finding.wrong:
        none = f"{finding.wrong} of {one.wrong} wrong answers came without any passage"
        ask = "A search, if the app has one, gave nothing; if it has none, look at the model"
        lines = [f"Look at retrieval first: {none}. {ask}."]
    if not one.is_weighted:
        lines.append(f"{AT_HAND} ({_why(one)}).")
    elif one.rival is not None:
        other = one.finding(one.rival).share
        more = f"more labels would tell them apart (`{LABEL}`)"
        if is_exact(other) and is_exact(finding.share):
            more = "then the earlier stage comes first, for mending it may mend what comes after"
        shares = f"{hundred(other)} against {hundred(finding.share)} of 100 answers"
        lines.append(f"{TITLES[one.rival]} may weigh as much ({shares}): {more}.")
    elif finding.wrong < max(each.wrong for each in one.findings):
        lines.append(
            "Another stage has more of the labels; weighted by how they were drawn, this one has more of the traffic."
        )
    return lines


def _nothing_first(one: Diagnosis) -> str:
    """Why no stage comes first."""
    if not one.has_passages:
        return f"It cannot be told which stage failed: {NO_PASSAGES}."
    if sum(one.counts.values()) > one.counts[Stage.UNTOLD]:
        words = too_few(one.counts)
        return f"{words[0].upper()}{words[1:]} (`{LABEL}`)."
    return f"It cannot be told which stage failed: none of the {one.wrong} wrong answers has the scores that tell."


def _why(one: Diagnosis) -> str:
    """Why the labels cannot be weighted."""
    open_to = [each for each in one.findings if each.share.estimate is None]
    reason = (open_to[0].share.reason if open_to else None) or "they were not drawn"
    return f"{TITLES[open_to[0].stage]}: {reason}" if one.framed and open_to else reason


def commands(found: Diagnoses) -> list[str]:
    """What to run next: label where nothing can be told, else mend one thing and hold the new answers against the old ones."""
    if not any(one.wrong for one in found.each):
        return [] if found.each else ["assay sample --labels 200"]
    if all(one.first is None for one in found.each if one.wrong):
        return [LABEL] if all(one.has_passages for one in found.each) else []
    old = next((one.system for one in found.each if one.first and one.system is not None), None) or "OLD"
    pair = f"assay compare {quote(one_line(old))} NEW"
    return ["assay ingest NEW.jsonl && assay judge", f"{pair} --draw 100", pair]


def _again(found: Diagnoses) -> list[str]:
    """How to see whether it helped."""
    if all(one.first is None for one in found.each):
        return [f"Next: `{one}`" for one in commands(found)]
    return [
        RERUN,
        *(f"{INDENT}{one}" for one in commands(found)),
    ]
