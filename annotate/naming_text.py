"""Say which stage is named, or why none can be: the sentences that command, report, pages and demo share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from proxy.diagnosis import MATTERS, Area, Contrast, Naming, Obstacle, Reach, Stage
from proxy.domains import FEWEST_LABELS
from proxy.estimate import Estimate
from proxy.evidence_ledger import USELESS
from proxy.text import displayable, several, two_decimals
from proxy.trust import percent

LONGEST_NAME = 160
BAD = {
    Stage.RETRIEVAL: "passages that score at most {cut}",
    Stage.SYNTHESIS: "faithfulness of at most {cut} to better passages",
}
GOOD = {
    Stage.RETRIEVAL: "passages that score above {cut}",
    Stage.SYNTHESIS: "faithfulness above {cut} to better passages",
}
AREAS = {
    Stage.RETRIEVAL: "those with low-scored passages",
    Stage.SYNTHESIS: "those that leave high-scored passages",
    Stage.PROXY: "those that score high on both judges",
    Stage.NO_PASSAGES: "those without passages logged",
    Stage.UNTOLD: "those without the scores that tell",
}
ADVICE = {
    Stage.RETRIEVAL: "Try a larger k, smaller chunks, another embedder, or fill the gap in the knowledge base",
    Stage.SYNTHESIS: "Try a stricter prompt (only from the passages), fewer passages, or another model",
}
RECUT = "assay diagnose --relevance-cut {cut}"
RERUN = "then run end to end again"


def name_of(system: str | None) -> str:
    """A system in words."""
    if system is None:
        return "answers that name no system"
    return displayable("".join(c if c.isprintable() else " " for c in system))[:LONGEST_NAME]


def comparison(each: Sequence[Naming], whole: Naming | None = None) -> str:
    """What can be said of all systems together and of each."""
    if not each:
        return "No answer has a label."
    if len(each) == 1:
        name = name_of(each[0].system)
        words = claim(each[0], is_short=True)
        return _sentence(words if each[0].system is None else f"{name}: {words}", name)
    parts = [] if whole is None else [f"All systems together: {claim(whole, is_short=True)}"]
    named = [one for one in each if one.stage]
    parts += [f"{name_of(one.system)}: {claim(one, is_short=True)}" for one in named]
    if rest := len(each) - len(named):
        parts.append(f"no stage can be named for {several(rest, 'other system' if named else 'system')} alone")
    return _sentence("; ".join(parts), name_of(each[0].system) if whole is None else "")


def _sentence(words: str, name: str) -> str:
    """Words as a sentence; a system's name keeps its letters."""
    return f"{words if name and words.startswith(name) else words[0].upper() + words[1:]}."


def claim(one: Naming, *, is_short: bool = False) -> str:
    """The stage with what shows it, or why none can be named, without what to label if `is_short`; no full stop."""
    if one.stage is not None:
        share = one.areas[one.stage].share
        estimated = f"an estimated {span(share)} of the wrong answers"
        return f"look at {one.stage} first: {_shown(one, one.stage)}, and they are {estimated}"
    more = "" if is_short else _more(one)
    return f"no stage can be named: {_reason(one, more)}"


def advice(one: Naming) -> str:
    """What to try; nothing without a named stage."""
    return f"{ADVICE[one.stage]}; {RERUN}." if one.stage else ""


def advices(each: Iterable[Naming]) -> list[str]:
    """What to try, once for each stage that is named for some system."""
    return list(dict.fromkeys(words for one in each if (words := advice(one))))


def counts(one: Naming, stage: Stage) -> str:
    """How many labelled wrong answers are on the bad side, and how many right ones: counts, and called so."""
    area = one.areas[stage]
    verb = "have" if stage is Stage.RETRIEVAL else "show"
    words = f"{area.wrong} of {several(one.wrong, 'labelled wrong answer')} {verb} {bad_words(one, stage)}"
    return f"Counts, not evidence: {words}; so do {area.right} of {one.right} right ones."


def bad_words(one: Naming, stage: Stage) -> str:
    """The bad side of a stage in words."""
    return BAD[stage].format(cut=f"{_cut(one, stage):g}")


def span(found: Estimate) -> str:
    """A share with its interval."""
    if found.estimate is None:
        return f"share that is {found.reason or 'not measurable'}"
    low, high = found.low or 0.0, 1.0 if found.high is None else found.high
    return percent(found.estimate) + ("" if low == high else f" ({percent(low)} to {percent(high)})")


def _shown(one: Naming, stage: Stage) -> str:
    found = one.tested[stage].contrast
    against = ""
    if found.bad is not None and found.good is not None:
        against = f"{percent(found.bad)} against {percent(found.good)}; "
    return f"answers with {bad_words(one, stage)} are wrong more often ({against}difference {points(found)})"


def points(found: Contrast) -> str:
    """The difference in points with its interval."""
    one = found.difference
    if one.estimate is None or one.low is None or one.high is None:
        return "not measurable"
    return f"{100 * one.estimate:+.0f} points, {100 * one.low:+.0f} to {100 * one.high:+.0f}"


def _reason(one: Naming, more: str) -> str:
    match one.obstacle:
        case Obstacle.NO_LABELS:
            return "no label says right or wrong"
        case Obstacle.NO_WRONG:
            return f"nobody labelled a wrong answer ({one.right} right)"
        case Obstacle.OBJECTION:
            return "; ".join(one.objections)
        case Obstacle.NO_PASSAGES:
            return (
                f"{_of_wrong(one, one.areas[Stage.NO_PASSAGES])} have no passages logged; "
                "bring what the app retrieved as `contexts`"
            )
        case Obstacle.UNSCORED:
            return f"{_of_wrong(one, one.areas[Stage.UNTOLD])} lack a score that would tell"
        case Obstacle.NOT_SEPARATED:
            return _not_separated(one, more)
        case Obstacle.ELSEWHERE:
            return _elsewhere(one)
        case Obstacle.ONE_SIDED if one.reach is not None:
            return _one_sided(one, one.reach)
    return _too_few(one, more)


def _of_wrong(one: Naming, area: Area) -> str:
    return f"{area.wrong} of {several(one.wrong, 'labelled wrong answer')}"


def _one_sided(one: Naming, found: Reach) -> str:
    """Which side has no answers, or too few, and a cut that has some on both."""
    bad, good = found.answers
    cut = f"{_cut(one, Stage.RETRIEVAL):g}"
    if min(bad, good) >= FEWEST_LABELS:
        words = f"no system has answers enough on both sides of {cut}, and each is compared with itself"
    else:
        side = (BAD if bad < good else GOOD)[Stage.RETRIEVAL].format(cut=cut)
        extreme = (
            f"the lowest is {two_decimals(found.lowest)}"
            if bad < good
            else f"the highest is {two_decimals(found.highest)}"
        )
        who = f"only {several(min(bad, good), 'answer')} has" if min(bad, good) else "no answer has"
        words = f"{who} {side} ({extreme}), so both sides cannot be compared"
    return words if found.cut is None else f"{words}; try `{RECUT.format(cut=found.cut)}`"


def labels_help(one: Naming) -> bool:
    """Whether there are answers enough for labels to show a difference that matters."""
    return one.obstacle is Obstacle.ELSEWHERE or one.tested[Stage.RETRIEVAL].contrast.is_possible


def _not_separated(one: Naming, more: str) -> str:
    found = one.tested[Stage.RETRIEVAL].auroc
    low, high = found.long_run or (found.low or 0.0, 1.0 if found.high is None else found.high)
    verb = "does not separate" if high < USELESS else "is not shown to separate"
    auroc = f"AUROC {two_decimals(found.estimate or 0.0)}, {two_decimals(low)} to {two_decimals(high)}"
    return f"context relevance {verb} right from wrong answers here ({auroc}, {several(found.n, 'label')}){more}"


def _elsewhere(one: Naming) -> str:
    stage = next(stage for stage, each in one.tested.items() if each.contrast.is_shown)
    words = f"{_shown(one, stage)}, but they are {_estimated(one.areas[stage].share)} of the wrong answers"
    largest = one.largest
    if largest is None:
        return f"{words}, and which part holds most is not measurable"
    return f"{words}; {AREAS[largest]} are {_estimated(one.areas[largest].share)}"


def _estimated(share: Estimate) -> str:
    return "a share that is not measurable" if share.estimate is None else f"an estimated {span(share)}"


def _too_few(one: Naming, more: str) -> str:
    stage = Stage.RETRIEVAL
    found = one.tested[stage].contrast
    labels = f"{one.wrong} wrong, {one.right} right"
    if found.difference.estimate is None:
        return f"too few drawn labels to compare both sides of the cut ({labels}){more}"
    start = "too few labels to tell" if any(found.needed) else "the labels show no difference"
    return f"{start} ({labels}; wrong with {bad_words(one, stage)} against above: {points(found)}){more}"


def _more(one: Naming) -> str:
    """How many more labels would show a difference that matters, and of what; nothing where that is ruled out."""
    difference = one.tested[Stage.RETRIEVAL].contrast.difference
    parts = [
        f"{count:,} more with {words[Stage.RETRIEVAL].format(cut=f'{_cut(one, Stage.RETRIEVAL):g}')}"
        for count, words in zip(one.tested[Stage.RETRIEVAL].contrast.needed, (BAD, GOOD), strict=True)
        if count
    ]
    if not parts or (difference.high is not None and difference.high < MATTERS):
        return ""
    if not one.tested[Stage.RETRIEVAL].contrast.is_possible:
        return f"; there are too few answers to show a difference of {100 * MATTERS:.0f} points"
    return f"; to show a difference of {100 * MATTERS:.0f} points, label about {' and '.join(parts)}"


def _cut(one: Naming, stage: Stage) -> float:
    return one.cuts[0 if stage is Stage.RETRIEVAL else 1]
