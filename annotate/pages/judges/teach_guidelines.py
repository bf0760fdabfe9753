"""Edit the guidelines of a judge, and save them to be measured by the command: a model that is paid for is asked there alone."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from annotate.analysis.aligned_judges.teaching import TaughtVersion, Teaching
from annotate.domain.message import Name, message
from annotate.domain.sign_in.roles import Act
from annotate.pages.kit import actor, draw, layout, reruns, stand_ins, texts
from annotate.pages.kit.messages import marked, say
from annotate.pages.kit.privacy import escaped
from annotate.present import teaching
from annotate.store import Store
from annotate.workflow.judging import guidelines_file
from proxy.errors import AssayError

SAVED, REFUSED = "teach-guidelines-saved", "teach-guidelines-refused"
HEIGHT = 170


def show(store: Store, known: Teaching, version: TaughtVersion | None) -> None:
    """The guidelines of the version that is looked at, to be edited, and the command that measures what was saved."""
    lines = version.alignment.guidelines if version else ()
    key = f"teach-guidelines-{known.judge}-{version.alignment.key if version else 0}"
    lock = _lock()
    with st.form(f"{key}-form", border=False):
        st.text_area(
            say("teaching.editor"),
            value=texts.others("\n".join(lines)),
            height=HEIGHT,
            key=key,
            help=say("teaching.editor_help"),
            placeholder=say("teaching.editor_empty"),
            disabled=lock["disabled"],
        )
        st.form_submit_button(
            say("teaching.save"),
            key=f"{key}-save",
            on_click=_save,
            args=(store, known.judge, key, lines),
            **lock,
        )
    if refused := reruns.pending_message(REFUSED):
        st.error(escaped(refused), title=say("teaching.not_saved"))
    if saved := reruns.pending_message(SAVED):
        st.success(escaped(saved), icon=":material/check:")
    _show_command(store, known)


def _show_command(store: Store, known: Teaching) -> None:
    """The command that measures what was saved last, or would."""
    saved = known.saved
    if saved is None:
        draw.messages([message("teaching.measure")])
        layout.commands([teaching.command(known, teaching.FILE)])
        return
    waiting = message("teaching.waiting", count=saved.lines, who=Name(saved.who), at=texts.moment(saved.at))
    draw.messages([waiting])
    layout.commands([teaching.command(known, _typed(store, saved.file))])


def _typed(store: Store, file: str) -> str:
    """The path of the file as it must be typed where the app was started."""
    folder = store.path.absolute().parent
    return file if folder == Path.cwd() else str(folder / file)


def _lock() -> actor.Lock:
    """Whoever may not do it sees why; others give their name first."""
    is_nameless = not actor.name_given()
    return actor.lock(Act.TEACH, disabled=is_nameless, tip=marked("acting.name_needed") if is_nameless else None)


@actor.writes(Act.TEACH)
def _save(store: Store, judge: str, key: str, lines: tuple[str, ...]) -> None:
    """Save what stands in the box, with what is hidden in a line that was not changed."""
    typed = str(st.session_state.get(key) or "")
    known = [(line, ()) for line in lines]
    try:
        meant = [
            stand_ins.behind(line, known) or stand_ins.checked(line, lines)
            for line in typed.splitlines()
            if line.strip()
        ]
        path = guidelines_file.save(store, judge, "\n".join(meant), who=actor.who(), now=actor.now())
    except AssayError as error:
        reruns.tell(REFUSED, str(error), instead_of=SAVED)
        return
    reruns.tell(SAVED, say("teaching.saved", file=path.name), instead_of=REFUSED)
