"""Say which stage is named, or why none can be: the sentences that command, report, pages and demo share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from proxy.diagnosis import MATTERS, Area, Contrast, Naming, Obstacle, Reach, Stage
from proxy.evaluation.domains import FEWEST_LABELS
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.evidence_ledger import USELESS
from proxy.evaluation.trust import percent
from proxy.text.language import displayable, several, two_decimals

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


def comparison(namings: Sequence[Naming], whole: Naming | None = None) -> str:
    """What can be said of all systems together and of each."""
    if not namings:
        return "No answer has a label."
    if len(namings) == 1:
        name = name_of(namings[0].system)
        words = claim(namings[0], is_short=True)
        return _sentence(words if namings[0].system is None else f"{name}: {words}", name)
    parts = [] if whole is None else [f"All systems together: {claim(whole, is_short=True)}"]
    named = [naming for naming in namings if naming.stage]
    parts += [f"{name_of(naming.system)}: {claim(naming, is_short=True)}" for naming in named]
    if rest := len(namings) - len(named):
        parts.append(f"no stage can be named for {several(rest, 'other system' if named else 'system')} alone")
    return _sentence("; ".join(parts), name_of(namings[0].system) if whole is None else "")


def _sentence(words: str, name: str) -> str:
    """Words as a sentence; a system's name keeps its letters."""
    return f"{words if name and words.startswith(name) else words[0].upper() + words[1:]}."


def claim(naming: Naming, *, is_short: bool = False) -> str:
    """The stage with what shows it, or why none can be named, without what to label if `is_short`; no full stop."""
    if naming.stage is not None:
        share = naming.areas[naming.stage].share
        estimated = f"an estimated {span(share)} of the wrong answers"
        return f"look at {naming.stage} first: {_shown(naming, naming.stage)}, and they are {estimated}"
    more = "" if is_short else _more(naming)
    return f"no stage can be named: {_reason(naming, more)}"


def advice(naming: Naming) -> str:
    """What to try; nothing without a named stage."""
    return f"{ADVICE[naming.stage]}; {RERUN}." if naming.stage else ""


def advices(namings: Iterable[Naming]) -> list[str]:
    """What to try, once for each stage that is named for some system."""
    return list(dict.fromkeys(words for naming in namings if (words := advice(naming))))


def counts(naming: Naming, stage: Stage) -> str:
    """How many labelled wrong answers are on the bad side, and how many right ones: counts, and called so."""
    area = naming.areas[stage]
    verb = "have" if stage is Stage.RETRIEVAL else "show"
    words = f"{area.wrong} of {several(naming.wrong, 'labelled wrong answer')} {verb} {bad_words(naming, stage)}"
    return f"Counts, not evidence: {words}; so do {area.right} of {naming.right} right ones."


def bad_words(naming: Naming, stage: Stage) -> str:
    """The bad side of a stage in words."""
    return BAD[stage].format(cut=f"{_cut(naming, stage):g}")


def span(share: Estimate) -> str:
    """A share with its interval."""
    if share.estimate is None:
        return f"share that is {share.reason or 'not measurable'}"
    low, high = share.low or 0.0, 1.0 if share.high is None else share.high
    return percent(share.estimate) + ("" if low == high else f" ({percent(low)} to {percent(high)})")


def _shown(naming: Naming, stage: Stage) -> str:
    contrast = naming.tested[stage].contrast
    against = ""
    if contrast.bad is not None and contrast.good is not None:
        against = f"{percent(contrast.bad)} against {percent(contrast.good)}; "
    return f"answers with {bad_words(naming, stage)} are wrong more often ({against}difference {points(contrast)})"


def points(contrast: Contrast) -> str:
    """The difference in points with its interval."""
    difference = contrast.difference
    if difference.estimate is None or difference.low is None or difference.high is None:
        return "not measurable"
    return f"{100 * difference.estimate:+.0f} points, {100 * difference.low:+.0f} to {100 * difference.high:+.0f}"


def _reason(naming: Naming, more: str) -> str:
    match naming.obstacle:
        case Obstacle.NO_LABELS:
            return "no label says right or wrong"
        case Obstacle.NO_WRONG:
            return f"nobody labelled a wrong answer ({naming.right} right)"
        case Obstacle.OBJECTION:
            return "; ".join(naming.objections)
        case Obstacle.NO_PASSAGES:
            return (
                f"{_of_wrong(naming, naming.areas[Stage.NO_PASSAGES])} have no passages logged; "
                "bring what the app retrieved as `contexts`"
            )
        case Obstacle.UNSCORED:
            return f"{_of_wrong(naming, naming.areas[Stage.UNTOLD])} lack a score that would tell"
        case Obstacle.NOT_SEPARATED:
            return _not_separated(naming, more)
        case Obstacle.ELSEWHERE:
            return _elsewhere(naming)
        case Obstacle.ONE_SIDED if naming.reach is not None:
            return _one_sided(naming, naming.reach)
    return _too_few(naming, more)


def _of_wrong(naming: Naming, area: Area) -> str:
    return f"{area.wrong} of {several(naming.wrong, 'labelled wrong answer')}"


def _one_sided(naming: Naming, reach: Reach) -> str:
    """Which side has no answers, or too few, and a cut that has some on both."""
    bad, good = reach.answers
    cut = f"{_cut(naming, Stage.RETRIEVAL):g}"
    if min(bad, good) >= FEWEST_LABELS:
        words = f"no system has answers enough on both sides of {cut}, and each is compared with itself"
    else:
        side = (BAD if bad < good else GOOD)[Stage.RETRIEVAL].format(cut=cut)
        extreme = (
            f"the lowest is {two_decimals(reach.lowest)}"
            if bad < good
            else f"the highest is {two_decimals(reach.highest)}"
        )
        who = f"only {several(min(bad, good), 'answer')} has" if min(bad, good) else "no answer has"
        words = f"{who} {side} ({extreme}), so both sides cannot be compared"
    return words if reach.cut is None else f"{words}; try `{RECUT.format(cut=reach.cut)}`"


def labels_help(naming: Naming) -> bool:
    """Whether there are answers enough for labels to show a difference that matters."""
    return naming.obstacle is Obstacle.ELSEWHERE or naming.tested[Stage.RETRIEVAL].contrast.is_possible


def _not_separated(naming: Naming, more: str) -> str:
    auroc = naming.tested[Stage.RETRIEVAL].auroc
    low, high = auroc.long_run or (auroc.low or 0.0, 1.0 if auroc.high is None else auroc.high)
    verb = "does not separate" if high < USELESS else "is not shown to separate"
    measured = f"AUROC {two_decimals(auroc.estimate or 0.0)}, {two_decimals(low)} to {two_decimals(high)}"
    return f"context relevance {verb} right from wrong answers here ({measured}, {several(auroc.n, 'label')}){more}"


def _elsewhere(naming: Naming) -> str:
    stage = next(stage for stage, tested in naming.tested.items() if tested.contrast.is_shown)
    words = f"{_shown(naming, stage)}, but they are {_estimated(naming.areas[stage].share)} of the wrong answers"
    largest = naming.largest
    if largest is None:
        return f"{words}, and which part holds most is not measurable"
    return f"{words}; {AREAS[largest]} are {_estimated(naming.areas[largest].share)}"


def _estimated(share: Estimate) -> str:
    return "a share that is not measurable" if share.estimate is None else f"an estimated {span(share)}"


def _too_few(naming: Naming, more: str) -> str:
    stage = Stage.RETRIEVAL
    contrast = naming.tested[stage].contrast
    labels = f"{naming.wrong} wrong, {naming.right} right"
    if contrast.difference.estimate is None:
        return f"too few drawn labels to compare both sides of the cut ({labels}){more}"
    start = "too few labels to tell" if any(contrast.needed) else "the labels show no difference"
    return f"{start} ({labels}; wrong with {bad_words(naming, stage)} against above: {points(contrast)}){more}"


def _more(naming: Naming) -> str:
    """How many more labels would show a difference that matters, and of what; nothing where that is ruled out."""
    contrast = naming.tested[Stage.RETRIEVAL].contrast
    cut = f"{_cut(naming, Stage.RETRIEVAL):g}"
    parts = [
        f"{count:,} more with {sides[Stage.RETRIEVAL].format(cut=cut)}"
        for count, sides in zip(contrast.needed, (BAD, GOOD), strict=True)
        if count
    ]
    high = contrast.difference.high
    if not parts or (high is not None and high < MATTERS):
        return ""
    if not contrast.is_possible:
        return f"; there are too few answers to show a difference of {100 * MATTERS:.0f} points"
    return f"; to show a difference of {100 * MATTERS:.0f} points, label about {' and '.join(parts)}"


def _cut(naming: Naming, stage: Stage) -> float:
    return naming.cuts[0 if stage is Stage.RETRIEVAL else 1]
