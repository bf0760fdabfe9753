"""The lowest threshold that is guaranteed to keep a precision: looked for without writing, then put in force by a person."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from annotate.analysis.calibration import certify
from annotate.analysis.calibration.certify import Calibrated, GuaranteeRequest
from annotate.analysis.next_step.calibration import after_calibration
from annotate.domain.message import Kind, Number, message
from annotate.pages.calibration.looking import THRESHOLD, View
from annotate.pages.kit import actor, cache, draw, layout, reruns, url_state
from annotate.pages.kit.messages import marked, say, told
from annotate.pages.kit.privacy import escaped
from annotate.present import calibration
from annotate.present.document import Detail, Section
from annotate.project.store_access import way_of
from annotate.store import Store
from annotate.workflow.judging import threshold
from annotate.workflow.judging.threshold import KeptRule, SeenRule
from proxy.errors import AssayError
from proxy.rule import DEFAULT_NAME

PRECISION, CONFIDENCE, USUAL = "precision", "confidence", 0.9
CERTIFIED = "certified"
REFUSED, DONE, NAME = "threshold-refused-", "threshold-kept-", "rule-name"
BY_EYE = "by-eye"
LONGEST_NAME = 60


def show(store: Store, view: View, who: str) -> None:
    """What is asked, its result, and the button that puts it in force."""
    layout.heading("calibration.guaranteed")
    request = _asked()
    result = cache.kept(
        store,
        "calibrate",
        lambda: certify.calibrate(store, request, now=actor.now()),
        request.precision,
        request.confidence,
    )
    document = calibration.document(result, after_calibration(result, way_of(store.path)))
    draw.answer(document)
    for section in document.sections:
        _section(section)
    draw.messages(document.notes)
    say_outcome(CERTIFIED)
    if result.guarantee and not result.stands:
        st.caption(marked("calibration.one_look"))
        st.button(
            marked("calibration.put_in_force"),
            type="primary",
            key="put-in-force",
            disabled=not who,
            help=None if who else marked("acting.name_needed"),
            on_click=_put,
            args=(store, view.seen, result),
        )
    draw.steps(store, document.next)


def _section(section: Section) -> None:
    """A section; one that is not brief, on demand."""
    if section.detail is Detail.BRIEF or section.title is None:
        draw.section(section)
        return
    part = st.expander(told(section.title), key="tested", on_change="rerun")
    if part.open:
        with part:
            draw.section(section._replace(title=None))


def _asked() -> GuaranteeRequest:
    """Precision and confidence, kept in the address."""
    left, right = st.columns(2)
    with left:
        precision = _share(PRECISION, 0.01)
    with right:
        confidence = _share(CONFIDENCE, 0.501)
    return GuaranteeRequest(precision=precision, confidence=confidence)


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


@actor.writes
def _put(store: Store, seen: SeenRule, shown: Calibrated) -> None:
    attempt(CERTIFIED, lambda who: threshold.certify(store, seen, shown, who=who, now=actor.now()))


def show_keeping(store: Store, view: View, who: str) -> None:
    """The caution, and the form; its button waits for a name."""
    say_outcome(BY_EYE)
    if view.here.is_in_force:
        st.caption(marked("calibration.move_first"))
        return
    key = "calibration.by_eye_certified" if view.here.silent else "calibration.by_eye"
    st.warning(marked(key, n=view.here.silent), icon=":material/visibility:")
    if view.report.guarantee and not view.report.guarantee.is_void and not view.here.silent:
        st.caption(marked("calibration.leaves_guarantee", n=view.in_force.silent))
    with st.form("keep-threshold"):
        st.text_input(
            marked("calibration.rule_name"),
            value=_name_to_begin(view),
            max_chars=LONGEST_NAME,
            key=NAME,
            help=marked("calibration.rule_name_help"),
        )
        st.form_submit_button(
            escaped(told(message("calibration.save", threshold=Number(view.threshold, Kind.THRESHOLD)))),
            type="primary",
            key="save-threshold",
            disabled=not who,
            help=None if who else marked("acting.name_needed"),
            on_click=_keep,
            args=(store, view.seen, view.threshold),
        )


def _name_to_begin(view: View) -> str:
    """A name to begin with: the rule's own, but what follows the judges by itself keeps its name for itself."""
    name = view.whole.rule.name
    return say("calibration.rule_by_eye") if name == DEFAULT_NAME else name


@actor.writes
def _keep(store: Store, seen: SeenRule, chosen: float) -> None:
    name = str(st.session_state.get(NAME) or "")
    attempt(BY_EYE, lambda who: threshold.keep(store, seen, chosen, name=name, who=who, now=actor.now()))


def attempt(place: str, act: Callable[[str], KeptRule]) -> None:
    """Put a rule in force in the name that stands in the field now, and keep the news for its place, or why it was refused."""
    try:
        kept = act(actor.who())
    except AssayError as error:
        reruns.tell(REFUSED + place, str(error), instead_of=DONE + place)
        return
    rule = kept.rule
    url_state.choose(THRESHOLD, "", "")  # what was put in force is what is looked at
    key = "calibration.is_kept" if kept.is_new else "calibration.is_unchanged"
    words = say(key, name=rule.name, version=rule.version, expression=rule.expression)
    reruns.tell(DONE + place, words, instead_of=REFUSED + place)


def say_outcome(place: str) -> None:
    """The result of the last action: beside its button, for the page is long."""
    if done := reruns.told(DONE + place):
        st.success(escaped(done), icon=":material/check:")
    if refused := reruns.told(REFUSED + place):
        st.error(escaped(refused), title=say("calibration.not_saved"))
