"""What came of a calibration in, lines for people and the dict for --json out: the answer first, the next command last."""

from __future__ import annotations

import math
import shlex

from annotate.analysis.calibration.certify import Calibrated, Request
from annotate.present.guarantee import WORDS, named
from annotate.present.next_commands import USUAL, in_words, to_label
from proxy.evaluation.guarantee import Guarantee
from proxy.evaluation.threshold import ThresholdChoice, value_of
from proxy.evaluation.trust import percent
from proxy.stats.calibration.threshold import CertifiedThreshold, Need, powers, wrong_words
from proxy.stats.calibration.threshold_tests import Claim, ThresholdTest, fewest_labels
from proxy.text.language import several

INDENT = "  "
SHOWN = 6
OPTION = {Claim.WINDOW: "window", Claim.LONG_RUN: "long-run"}
WIDE = 0.8  # the share of the labels to choose, where no more can be labelled


def cut(found: Calibrated, *, is_dry: bool) -> list[str]:
    """The threshold with its guarantee, or why there is none and what would bring one."""
    lines = list[str]()
    if found.choice and found.guarantee:
        lines = _found(found, found.choice, is_dry=is_dry)
    elif found.choice:
        lines = _proof(found, found.choice) if found.all_pass else _none(found, found.choice)
    return [sentence(found, is_dry=is_dry), *lines, *in_words(following(found))]


def sentence(found: Calibrated, *, is_dry: bool) -> str:
    """The answer."""
    choice, request = found.choice, found.request
    if found.objection:
        return f"No guarantee can be given: {found.objection.reason}."
    if choice is None:
        why = f": {found.unscored.reason}" if found.unscored else ""
        return f"No item has a value of the rule in force yet{why}."
    promise = f"at least {percent(request.precision)}"
    claims = named(choice.claims)
    if found.all_pass:
        kept = f"{claims}: {promise} of all scored answers are right, at {percent(request.confidence)} confidence"
        return f"Every scored answer may pass: no cut is needed for this precision ({kept}); nothing is saved."
    if found.guarantee is None:
        kept = f"right with {percent(request.confidence)} confidence in {promise}"
        part = f"no part of the value {value_of(found.before)} is shown to be {kept} of the answers that it passes"
        return f"No cut found{f' {WORDS[request.claim]}' if request.claim else ''}: {part}."
    what = "Would cut" if is_dry else "Cut" if found.is_new else "The cut stands"
    share = "" if choice.coverage is None else f"; {percent(choice.coverage)} of the scored answers pass"
    where = f"{what} where {value_of(found.before)} is at least {choice.certified.threshold:.6g}"
    kept = f"{promise} of what passes is right, at {percent(request.confidence)} confidence"
    return f"{where}, {claims}: {kept}{share}."


def _found(found: Calibrated, choice: ThresholdChoice, *, is_dry: bool) -> list[str]:
    rule = found.rule or found.before
    return [
        *_proof(found, choice),
        *_chose(found),
        *_looked(found),
        *_late(found),
        *([] if is_dry else [f"{INDENT}in force: {rule.name} v{rule.version}: {rule.expression}"]),
        *(_replaced(found, is_dry=is_dry) if found.is_new else []),
    ]


def _proof(found: Calibrated, choice: ThresholdChoice) -> list[str]:
    """The labels that prove it, claim by claim."""
    lines = list[str]()
    for claim, one in choice.by_claim.items():
        words = f"{INDENT}{WORDS[claim]}: "
        if claim not in choice.claims:
            lines.append(words + _not_shown(claim, one, choice))
        elif claim is Claim.LONG_RUN and choice.step().is_clustered:
            step = choice.step()
            worth = f"{several(step.labels, 'label')} worth {step.clusters:.3g} questions or groups"
            wrong = _counts_as_wrong(step.wrong, step.undecided_labels)
            lines.append(f"{words}{worth} at or above {step.threshold:.6g}, {wrong}")
        else:
            lines += [words + _counted(found, choice, one), *_parted(choice), *_left_out(choice.step())]
    return [*dict.fromkeys(lines), *_undecided(found)]


def _counted(found: Calibrated, choice: ThresholdChoice, one: CertifiedThreshold) -> str:
    """Labels that count one by one, at the cut."""
    step = choice.step()
    low = proved(found, one) if one.threshold == step.threshold else None
    proves = f", which alone prove at least {percent(low)}" if low is not None else ""
    wrong = _counts_as_wrong(step.errors, step.undecided)
    return f"{several(step.n, 'label')} at or above {step.threshold:.6g}, {wrong}{proves}"


def proved(found: Calibrated, one: CertifiedThreshold) -> float | None:
    """What the labels would prove of endless traffic; None where that is less than what they prove of this window."""
    low = one.precision_low
    return low if low is not None and low >= found.request.precision else None


def _counts_as_wrong(wrong: int, undecided: int) -> str:
    if not undecided:
        return f"{wrong:,} wrong"
    return f"{wrong:,} of which count as wrong, {undecided:,} of them unsure or unanswered"


def _not_shown(claim: Claim, one: CertifiedThreshold, choice: ThresholdChoice) -> str:
    """Why a claim does not hold at the cut."""
    if one.needed is not None:
        advice = "label answers to other questions; more labels on the same questions do not help"
        return f"not shown, {one.reason}: {advice}"
    if one.threshold is not None:
        stricter = one.threshold > (choice.certified.threshold or one.threshold)
        other = f"a {'stricter' if stricter else 'looser'} cut, {one.threshold:.6g}, would do (`--for {OPTION[claim]}`)"
        return f"not shown at this cut; {other}"
    return f"not shown, {one.reason}"


def _undecided(found: Calibrated) -> list[str]:
    if not found.undecided:
        return []
    return [f"{INDENT}{several(found.undecided, 'draw')} unsure or without an answer among them count as wrong"]


def _replaced(found: Calibrated, *, is_dry: bool) -> list[str]:
    """The rule before, how to go back to it, and what is lost with it."""
    before, one, request = found.before, found.standing, found.request
    what = "it would replace" if is_dry else "it replaces"
    back = f"assay rule set {shlex.quote(before.expression)} --name {shlex.quote(before.name)}"
    lines = [
        f"{INDENT}{what} {before.name} v{before.version}: {before.expression}" + ("" if is_dry else f"; back: `{back}`")
    ]
    if one and (one.precision, one.confidence) > (request.precision, request.confidence):
        more = f"{percent(one.precision)} at {percent(one.confidence)} confidence"
        lines.append(f"{INDENT}this promises less: {before.name} v{before.version} is certified for {more}")
    return lines


def _parted(choice: ThresholdChoice) -> list[str]:
    """Labels of several classes, whose plain count says less than the test knows."""
    last = choice.step()
    if abs(last.effective - last.n) < 1e-6:
        return []
    words = f"worth {last.effective:.0f} of equal chance, weighed by the part of the answers that they stand for"
    return [f"{INDENT}they are {words}: {percent(last.rate)} wrong"]


def _left_out(step: ThresholdTest) -> list[str]:
    thinned = step.labels - step.n
    if not thinned:
        return []
    why = "their strata were labelled more densely, and the test asks for labels of equal chance"
    return [f"{INDENT}{thinned:,} more were left out by lot: {why}"]


def _chose(found: Calibrated) -> list[str]:
    """Who chose, and who is left to score."""
    scoring = (
        f"the other {found.scoring:,} score the rule in `assay report`"
        if found.scoring
        else "none is left to score the rule: `assay report` waits for a fresh wave"
    )
    return [f"{INDENT}{found.chose:,} of {found.labels:,} labels chose, by lot, and score nothing else; {scoring}"]


def _looked(found: Calibrated) -> list[str]:
    if not found.looks:
        return []
    tries = "try" if found.looks == 1 else "tries"
    why = (
        "the confidence of either guarantee is that of one look, so after several believe `assay report`, which scores "
        "the cut by other labels"
    )
    return [f"{INDENT}{found.looks} earlier {tries} with other labels found none: {why}"]


def _late(found: Calibrated) -> list[str]:
    """A value that somebody may have picked by its labels."""
    if not found.known_before:
        return []
    known = several(found.known_before, "label")
    why = "if they chose it, neither guarantee holds; labels of a later wave would show it"
    return [f"{INDENT}its value was set after {known} were known: {why}"]


def _none(found: Calibrated, choice: ThresholdChoice) -> list[str]:
    lines = [f"{INDENT}{WORDS[claim]}: {_not_shown(claim, one, choice)}" for claim, one in choice.by_claim.items()]
    lines += [*_undecided(found), *_lacks(found, choice)]
    return [*lines, *_power(found), *_table(choice), *_chose_none(found), *_standing(found), *_looked(found)]


def _lacks(found: Calibrated, choice: ThresholdChoice) -> list[str]:
    """What would bring a cut: answers that wait, unsure ones settled, more labels, or another rule."""
    request = found.request
    if waits(found):
        return [f"{INDENT}label the {several(found.open, 'draw')} that wait first, and look again"]
    if choice.undecided_test:
        return [f"{INDENT}{_settle(choice.undecided_test)}"]
    if choice.need:
        return [f"{INDENT}{_needed(choice.need, found)}", *_capped(more_draws(choice.need, found), found)]
    if _is_few(choice, request):
        least = 2 * fewest_labels(1 - request.precision, 1 - request.confidence)
        return [f"{INDENT}too few labels to say more: a cut needs {least:,} at or above it that choose, all but clean"]
    return [f"{INDENT}{_no_use(choice.best, found)}"] if choice.best else []


def _settle(step: ThresholdTest) -> str:
    """What comes before anything is said of the judge."""
    return (
        f"settle the {several(step.undecided_labels, 'draw')} at or above {step.threshold:.6g} that are unsure or unanswered "
        "first (`assay labels disputed`), and look again: as long as they count as wrong, this says nothing of the judge"
    )


def _power(found: Calibrated) -> list[str]:
    """What a number of labels can show, said before anyone labels."""
    return [
        f"{INDENT}with {one.n:,} labels at or above a cut, each of another question, {one.allowed:,} may be wrong: it is found "
        f"{percent(one.chance)} of the time if {percent(one.precision)} of what passes is right"
        for one in powers(1 - found.request.precision, 1 - found.request.confidence)
    ]


def _needed(need: Need, found: Calibrated) -> str:
    draws = more_draws(need, found)
    part = (
        f"about {draws:,} drawn as before, of which {percent(found.request.share)} choose"
        if found.request.share < 1
        else f"about {draws:,} drawn as before"
    )
    return (
        f"label about {need.more:,} more at or above {need.threshold:.6g}, where "
        f"{wrong_words(need.errors, need.n, need.undecided)}: if "
        f"that stays so, it is found; that is {part} (the rest lie below or are left out by lot)"
    )


def _capped(draws: int, found: Calibrated) -> list[str]:
    """Where there is less to label than is asked for."""
    have = found.open + found.left
    if draws <= have:
        return []
    much = f"label all {have:,} that are left" if have else "none is left to label here"
    return [f"{INDENT}{much}; beyond that, bring in more traffic, or let more labels choose (`--share`)"]


def _no_use(best: ThresholdTest, found: Calibrated) -> str:
    wanted = percent(found.request.precision)
    if best.right >= found.request.precision * best.n or _right(best) == wanted:  # as it is read
        return (
            f"at or above {best.threshold:.6g}, {best.right:,} of {best.n:,} are right ({_right(best)}), which is too close to "
            f"{wanted} to be shown by labels: ask for less, or try another rule"
        )
    return (
        f"this judge's value does not separate well enough for {wanted}: the best part seen is at or "
        f"above {best.threshold:.6g}, where {best.n - best.errors:,} of {best.n:,} are right "
        f"({_right(best)}); ask for less, or try another rule (`assay report` compares them)"
    )


def _reason(found: Calibrated) -> str | None:
    """Why nothing was looked for."""
    if found.objection:
        return found.objection.reason
    return found.unscored.reason if found.unscored else None


def _is_few(choice: ThresholdChoice, request: Request) -> bool:
    """Whether the labels could not have shown a bad value to be one."""
    least = fewest_labels(1 - request.precision, 1 - request.confidence)
    return max((one.n for one in choice.steps), default=0) < least


def _table(choice: ThresholdChoice) -> list[str]:
    """The thresholds with labels, strictest first, a few of many."""
    steps = [one for one in choice.steps if one.n]
    every = max(1, math.ceil(len(steps) / SHOWN))
    return [
        f"{INDENT}at or above {one.threshold:<9.4g}{one.right:>5,} of {one.n:,} right ({_right(one)})"
        + (f", {one.undecided:,} unsure or unanswered" if one.undecided else "")
        for one in steps[every - 1 :: every]
    ]


def _right(one: ThresholdTest) -> str:
    return percent(1 - one.errors / one.n)


def _chose_none(found: Calibrated) -> list[str]:
    return [f"{INDENT}{found.chose:,} of {found.labels:,} labels were asked, by lot; nothing is saved"]


def _standing(found: Calibrated) -> list[str]:
    """What becomes of a cut that was certified before."""
    one, rule = found.standing, found.before
    if one is None:
        return []
    claims = f", {named([each.claim for each in one.claims])}," if one.claims else ""
    promise = f"certified{claims} for {percent(one.precision)} at {percent(one.confidence)} confidence"
    is_less = found.request.precision <= one.precision and found.request.confidence <= one.confidence
    doubt = "; the labels as they are now no longer prove it: believe `assay report`" if is_less else ""
    stays = f"in force stays {rule.name} v{rule.version}: {rule.expression}"
    return [f"{INDENT}{stays}, {promise} by labels of waves up to {one.last_wave}{doubt}"]


def more_draws(need: Need, found: Calibrated) -> int:
    """How many draws bring so many labels of equal chance at or above the threshold, at the rate of those so far; tens."""
    return 10 * math.ceil(need.more * found.labels / need.n / 10)


def waits(found: Calibrated) -> bool:
    """Whether draws without an answer, which count as wrong, may be why nothing was found."""
    return bool(found.open and found.undecided) and found.guarantee is None


def following(found: Calibrated) -> list[str]:
    """The commands to run next."""
    if found.objection:
        return ["assay labels disputed"]
    if found.choice is None:
        return [found.unscored.command] if found.unscored else ["assay judge"]
    if found.all_pass or (found.guarantee and found.scoring):
        return ["assay report"]
    if waits(found):
        return to_label(USUAL, found.open, found.left)
    if found.guarantee:
        return to_label(USUAL, found.open, found.left)
    if found.choice.undecided_test:
        return ["assay labels disputed"]
    if found.choice.need:
        asked, wider = to_label(more_draws(found.choice.need, found), found.open, found.left), _wider(found)
        return asked if found.open or found.left else [*wider, *asked]
    return to_label(USUAL, found.open, found.left) if _is_few(found.choice, found.request) else ["assay report"]


def _wider(found: Calibrated) -> list[str]:
    """The same with more of the labels choosing, where that is possible."""
    request = found.request
    if request.share >= WIDE:
        return []
    return [f"assay calibrate --precision {request.precision:g} --confidence {request.confidence:g} --share {WIDE:g}"]


def cut_json(found: Calibrated, *, is_dry: bool) -> dict[str, object]:
    """The same for machines; `threshold` null with a `reason` where none was found."""
    request, choice, guarantee = found.request, found.choice, found.guarantee
    one = choice.certified if choice else None
    need = choice.need if choice else None
    rule, old = found.rule if guarantee else None, found.before
    before = {"name": old.name, "version": old.version, "expression": old.expression}
    return {
        "sentence": sentence(found, is_dry=is_dry),
        **{
            "precision": request.precision,
            "confidence": request.confidence,
            "share": request.share,
            "seed": request.seed,
        },
        **{"value": value_of(found.before), "labels": found.labels, "chose": found.chose, "undecided": found.undecided},
        **{"earlier_looks": found.looks, "known_before_value": found.known_before},
        "threshold": one.threshold if one else None,
        **({"n": one.n, "errors": one.errors, "thinned": one.thinned, "p_value": one.p_value} if one else {}),
        "precision_low": proved(found, one) if one else None,
        "reason": one.reason if one else _reason(found),
        "coverage": choice.coverage if choice else None,
        "claims": _claims_json(choice) if choice else {},
        "power": [one._asdict() for one in powers(1 - request.precision, 1 - request.confidence)],
        "guarantee": _guarantee_json(guarantee) if guarantee else None,
        "rule": {"name": rule.name, "version": rule.version, "expression": rule.expression} if rule else None,
        "replaces": before if guarantee and found.is_new else None,
        "all_pass": found.all_pass,
        "saved": bool(guarantee) and found.is_new and not is_dry,
        "need": {**need._asdict(), "draws": more_draws(need, found)} if need else None,
        "settle_first": _settle_json(choice.undecided_test) if choice and choice.undecided_test else None,
        "thresholds": [one._asdict() for one in choice.steps] if choice else [],
        "next": following(found),
    }


def _settle_json(step: ThresholdTest) -> dict[str, object]:
    """The draws that keep the failing part from being judged."""
    return {"threshold": step.threshold, "undecided": step.undecided_labels, "wrong": step.wrong, "labels": step.labels}


def _claims_json(choice: ThresholdChoice) -> dict[str, object]:
    """Each claim: whether it holds at the cut, the lowest cut that it would allow, or why there is none."""
    return {
        claim.value: {
            "holds": claim in choice.claims,
            "threshold": one.threshold,
            "p_value": one.p_value,
            "n": one.n,
            "errors": one.errors,
            "clusters": one.clusters,
            "clusters_needed": one.needed,
            "reason": one.reason,
        }
        for claim, one in choice.by_claim.items()
    }


def _guarantee_json(guarantee: Guarantee) -> dict[str, object]:
    from annotate.present.schemas import guarantee as schema

    return schema.of(guarantee).model_dump(mode="json")
