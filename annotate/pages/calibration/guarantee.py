"""The lowest cut that keeps a promised precision: found without writing anything, then put in force by a person."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.calibration import certify
from annotate.analysis.calibration.certify import Calibrated, Request
from annotate.pages.calibration import claims as claims_of
from annotate.pages.calibration import keeping
from annotate.pages.calibration.looking import View
from annotate.pages.kit import actor, cache, layout, quantities, texts, url_state
from annotate.pages.kit.layout import Tone
from annotate.pages.kit.messages import marked, say
from annotate.present import calibration, numbers
from annotate.store import Store
from annotate.workflow.judging import threshold
from annotate.workflow.judging.threshold import Seen
from proxy.evaluation.guarantee import Proof
from proxy.evaluation.threshold import value_of
from proxy.evaluation.trust import percent
from proxy.stats.calibration.threshold_tests import Claim

PRECISION, CONFIDENCE, USUAL = "precision", "confidence", 0.9
CERTIFIED = "certified"
LEFT_OUT = ("next: ", "at or above")  # the commands and the table, which stand below


def show(store: Store, view: View, who: str) -> None:
    """What is asked, what came of it, and the button that puts it in force."""
    layout.heading("calibration.promise")
    request = _asked()
    found = cache.kept(
        store,
        "calibrate",
        lambda: certify.calibrate(store, request, now=actor.now()),
        request.precision,
        request.confidence,
    )
    tone, sentence = _outcome(found)
    layout.answer(tone, sentence)
    st.markdown("\n".join(f"- {line}" for line in _told(found)))
    _how(found)
    keeping.say_outcome(CERTIFIED)
    if found.guarantee and not found.stands:
        st.caption(marked("calibration.one_look"))
        st.button(
            marked("calibration.put_in_force"),
            type="primary",
            key="put-in-force",
            disabled=not who,
            help=None if who else marked("acting.name_needed"),
            on_click=_put,
            args=(store, view.seen, found),
        )
    following = calibration.following(found)
    layout.commands(store, following)


def _asked() -> Request:
    """Precision and confidence, kept in the address."""
    left, right = st.columns(2)
    with left:
        precision = _share(PRECISION, 0.01)
    with right:
        confidence = _share(CONFIDENCE, 0.501)
    return Request(precision=precision, confidence=confidence)


def _share(name: str, least: float) -> float:
    """One of the two, by its name in the address."""
    return url_state.measured(
        st.number_input,
        marked(f"calibration.{name}"),
        name,
        url_state.Within(low=least, high=0.999),
        USUAL,
        step=0.01,
        format="%.3f",
        help=marked(f"calibration.{name}_help"),
    )


def _outcome(found: Calibrated) -> tuple[Tone, str]:
    """The answer: what may pass, or why nothing is certified."""
    choice, request = found.choice, found.request
    words = {"precision": percent(request.precision), "confidence": percent(request.confidence)}
    if found.objection:
        return Tone.BAD, say("calibration.refused", reason=found.objection.reason)
    if choice is None:
        return Tone.UNKNOWN, say("calibration.no_values")
    claims = claims_of.of_claims(choice.claims)
    if found.all_pass:
        return Tone.GOOD, say("calibration.all_pass", claims=claims, **words)
    if calibration.waits(found):
        return Tone.OPEN, say("calibration.waits", open=found.open)
    if found.guarantee is None and choice.undecided_test:
        step = choice.undecided_test
        return Tone.OPEN, say("calibration.settle", n=step.undecided_labels, cut=numbers.threshold(step.threshold))
    if found.guarantee is None:
        few = choice.need is not None
        need = calibration.more_draws(choice.need, found) if choice.need else 0
        key = "calibration.none_yet" if few else "calibration.none"
        return (Tone.OPEN if few else Tone.BAD), say(key, value=value_of(found.before), draws=need, **words)
    key = "calibration.stands" if found.stands else "calibration.would_cut"
    share = "—" if choice.coverage is None else percent(choice.coverage)
    return Tone.GOOD, say(
        key,
        value=value_of(found.before),
        cut=numbers.threshold(found.guarantee.threshold),
        share=share,
        claims=claims,
        **words,
    )


def _told(found: Calibrated) -> list[str]:
    """What was promised, which cut, on how many labels, what it costs, and which number to act on; as markdown."""
    choice, request, rule = found.choice, found.request, found.before
    if choice is None:
        return []
    asked = {"precision": percent(request.precision), "confidence": percent(request.confidence)}
    lines = [marked("calibration.told_promise", **asked)]
    if found.guarantee is None or found.all_pass:
        if choice.undecided_test:
            part = choice.undecided_test
            counts = {"wrong": part.wrong, "n": part.labels, "undecided": part.undecided_labels}
            lines.append(marked("calibration.told_unsettled", cut=numbers.threshold(part.threshold), **counts))
        elif choice.best is not None and not found.all_pass and not calibration.waits(found):
            best = choice.best
            where = {"cut": numbers.threshold(best.threshold), "right": best.right, "n": best.n}
            lines.append(marked("calibration.told_best", **where))
        lines.append(marked("calibration.told_nothing", chose=found.chose, labels=found.labels, rule=rule.expression))
        return lines
    one = found.guarantee
    share = "—" if choice.coverage is None else percent(choice.coverage)
    cut = {
        "value": value_of(rule),
        "cut": numbers.threshold(one.threshold),
        "share": share,
        "before": numbers.threshold(rule.threshold),
    }
    lines += [
        marked("calibration.told_cut", **cut),
        *(_shown_by(each) for each in one.claims),
        *([marked("calibration.told_undecided", n=found.undecided)] if found.undecided else []),
        marked("calibration.told_cost", chose=found.chose, labels=found.labels, left=found.scoring),
        marked("calibration.told_act", measure=quantities.PASS_PRECISION.words),
    ]
    return lines


def _shown_by(one: Proof) -> str:
    """The labels behind a claim."""
    if one.clusters is not None:
        return marked("calibration.told_clusters", n=one.n, errors=one.errors, clusters=f"{one.clusters:.3g}")
    key = "calibration.told_window" if one.claim is Claim.WINDOW else "calibration.told_long_run"
    return marked(key, n=one.n, errors=one.errors)


def _details(found: Calibrated) -> list[str]:
    """What the command says of it, without its first line, which stands above, and its last, which stands below."""
    lines = calibration.cut(found, is_dry=True)[1:]
    return [quantities.sentence(line.strip()) for line in lines if not line.strip().startswith(LEFT_OUT)]


def _how(found: Calibrated) -> None:
    """What the command says of it, and every threshold that was tested on labels, strictest first; on demand."""
    steps = [one for one in found.choice.steps if one.n] if found.choice else []
    if not steps:
        texts.small(_details(found))
        return
    part = st.expander(say("calibration.tested", n=len(steps)), key="tested", on_change="rerun")
    if not part.open:
        return
    with part:
        texts.small(_details(found))
    rows = [
        (numbers.threshold(one.threshold), one.n, one.right, one.errors - one.undecided, one.undecided) for one in steps
    ]
    names = ("threshold", "labels", "right", "wrong", "undecided")
    with part:
        layout.table(rows, [say(f"calibration.{name}") for name in names], alt=say("calibration.tested", n=len(steps)))


@actor.writes
def _put(store: Store, seen: Seen, found: Calibrated) -> None:
    keeping.attempt(CERTIFIED, lambda who: threshold.certify(store, seen, found, who=who, now=actor.now()))
