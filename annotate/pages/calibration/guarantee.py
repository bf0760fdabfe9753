"""The lowest threshold that is guaranteed to keep a precision: looked for without writing, then put in force by a person."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.calibration import certify
from annotate.analysis.calibration.certify import Calibrated, GuaranteeRequest
from annotate.analysis.next_step.calibration import after_calibration
from annotate.domain.sign_in.roles import Act
from annotate.pages.calibration import looking, using
from annotate.pages.kit import actor, cache, draw, following, url_state
from annotate.pages.kit.messages import marked, render
from annotate.present import calibration
from annotate.present.document import Detail, Section
from annotate.project.store_access import way_of
from annotate.store import Store
from annotate.workflow.judging import threshold
from annotate.workflow.judging.threshold import SeenRule

PRECISION, CONFIDENCE, USUAL = "precision", "confidence", 0.9


def show(store: Store, who: str) -> None:
    """What is asked, its result, and the button that puts it in force."""
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
    using.say_outcome(using.CERTIFIED)
    if result.guarantee and not result.stands:
        st.caption(marked("calibration.one_look"))
        st.button(
            marked("calibration.put_in_force"),
            type="primary",
            key="put-in-force",
            on_click=_put,
            args=(store, looking.seen(store), result),
            **actor.lock(Act.SET_THRESHOLD, disabled=not who, tip=None if who else marked("acting.name_needed")),
        )
    following.show(document.next)


def _section(section: Section) -> None:
    """A section; one that is not brief, on demand."""
    if section.detail is not Detail.FULL or section.title is None:
        draw.section(section)
        return
    part = st.expander(render(section.title), key="tested", on_change="rerun")
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


@actor.writes(Act.SET_THRESHOLD)
def _put(store: Store, seen: SeenRule, shown: Calibrated) -> None:
    using.attempt(using.CERTIFIED, lambda who: threshold.certify(store, seen, shown, who=who, now=actor.now()))
