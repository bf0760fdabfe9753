"""Put the threshold that is looked at in force, or the one before again: each act of a person is a version of the rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import streamlit as st

from annotate.domain.message import message, share
from annotate.domain.sign_in.roles import Act
from annotate.pages.calibration import looking
from annotate.pages.calibration.looking import THRESHOLD, View
from annotate.pages.kit import actor, cache, draw, reruns, url_state
from annotate.pages.kit.messages import marked, render, say
from annotate.pages.kit.privacy import escaped
from annotate.present import explore
from annotate.present.calibration import threshold as written
from annotate.store import Store
from annotate.workflow.judging import threshold
from annotate.workflow.judging.threshold import KeptRule, SeenRule
from proxy.errors import AssayError
from proxy.rule import DEFAULT_NAME, Rule

REFUSED, DONE = "threshold-refused-", "threshold-kept-"
BY_EYE, CERTIFIED = "by-eye", "certified"
BEFORE, TRIED = "threshold-before", "threshold-tried"
QUANTITIES = "calibration-quantities"


class ReplacedThreshold(NamedTuple):
    """The threshold that was in force before, and the version of the rule that took its place."""

    threshold: float
    name: str
    version: int


def is_tried() -> bool:
    """Whether a rule was to be put in force since this was last asked: then the whole page is another one."""
    return bool(st.session_state.pop(TRIED, False))


def show(store: Store, view: View, who: str) -> None:
    """The button that uses this threshold, the one that goes back, and all quantities behind a third."""
    seen = looking.seen(store)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _show_use(store, view, who)
        if before := _replaced(seen.rule):
            words = render(message("calibration.back", threshold=written(before.threshold)))
            _button(words, "threshold-back", who, on_click=_back, args=(store, seen, before.threshold))
        with st.popover(say("calibration.every_quantity"), key=QUANTITIES, on_change="rerun") as box:
            if box.open:
                draw.table(explore.quantities(view.here, view.in_force), message("calibration.every_quantity"))


def _show_use(store: Store, view: View, who: str) -> None:
    """The button that uses this threshold; it asks first where a guarantee would be lost."""
    guarantee, is_idle = cache.head(store).guarantee, view.here.is_in_force
    if is_idle or view.here.excluded_labels or guarantee is None or guarantee.is_void:
        _button(_words(view), "use-threshold", who, type="primary", is_idle=is_idle, **_using(store, view))
    elif _button(_words(view), "use-threshold", who, type="primary"):
        st.dialog(say("calibration.give_up"))(_ask)(store, view, guarantee.precision, who)


def _ask(store: Store, view: View, precision: float, who: str) -> None:
    """The dialog: what is lost, and both ways out."""
    values = {"precision": share(precision), "threshold": written(view.threshold)}
    st.markdown(escaped(render(message("calibration.leaves_guarantee", **values))))
    with st.container(horizontal=True, gap="small"):
        is_used = _button(_words(view), "use-anyway", who, type="primary", **_using(store, view))
        if st.button(say("calibration.keep_guarantee"), key="keep-guarantee") or is_used:
            st.rerun()


def _words(view: View) -> str:
    return render(message("calibration.use", threshold=written(view.threshold)))


def _using(store: Store, view: View) -> dict[str, Any]:
    """What the click on a button that uses this threshold does."""
    return {"on_click": _use, "args": (store, looking.seen(store), view.threshold)}


def _button(words: str, key: str, who: str, *, is_idle: bool = False, **options: Any) -> bool:
    """A button that changes the rule: it waits for a name, and says so."""
    why = None if who or is_idle else marked("acting.name_needed")
    lock = actor.lock(Act.SET_THRESHOLD, disabled=is_idle or not who, tip=why)
    return st.button(escaped(words), key=key, **lock, **options)


def _replaced(rule: Rule) -> ReplacedThreshold | None:
    """What this session replaced, while what took its place is in force."""
    replaced: ReplacedThreshold | None = st.session_state.get(BEFORE)
    return replaced if replaced and (rule.name, rule.version) == replaced[1:] else None


@actor.writes(Act.SET_THRESHOLD)
def _use(store: Store, seen: SeenRule, chosen: float) -> None:
    kept = _put(store, seen, chosen)
    if kept and kept.is_new:
        st.session_state[BEFORE] = ReplacedThreshold(seen.rule.threshold, kept.rule.name, kept.rule.version)


@actor.writes(Act.SET_THRESHOLD)
def _back(store: Store, seen: SeenRule, chosen: float) -> None:
    if _put(store, seen, chosen):
        st.session_state.pop(BEFORE, None)


def _put(store: Store, seen: SeenRule, chosen: float) -> KeptRule | None:
    """Under the rule's own name; but what follows the judges by itself keeps its name for itself."""
    name = say("calibration.rule_by_eye") if seen.rule.name == DEFAULT_NAME else seen.rule.name
    return attempt(BY_EYE, lambda who: threshold.keep(store, seen, chosen, name=name, who=who, now=actor.now()))


def attempt(place: str, act: Callable[[str], KeptRule]) -> KeptRule | None:
    """Put a rule in force in the name that stands in the field now, and keep the news for its place, or why it was refused."""
    st.session_state[TRIED] = True
    try:
        kept = act(actor.who())
    except AssayError as error:
        reruns.tell(REFUSED + place, str(error), instead_of=DONE + place)
        return None
    rule, done = kept.rule, DONE + place
    url_state.choose(THRESHOLD, "", "")  # what was put in force is what is looked at
    if kept.is_new or not reruns.is_unheard(done):  # the news of a first click outlive a second one
        key = "calibration.is_kept" if kept.is_new else "calibration.is_unchanged"
        words = say(key, name=rule.name, version=rule.version, expression=rule.expression)
        reruns.tell(done, words, instead_of=REFUSED + place)
    return kept


def say_outcome(place: str) -> None:
    """The result of the last action, where it was asked for."""
    if done := reruns.pending_message(DONE + place):
        st.success(escaped(done), icon=":material/check:")
    if refused := reruns.pending_message(REFUSED + place):
        st.error(escaped(refused), title=say("calibration.not_saved"))
