"""Open draws to Label Studio and labels back: which server, what waits, two buttons, and what came of them."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.labelling.status import HumanSide
from annotate.analysis.next_step.commands import EXPORT, IMPORT
from annotate.analysis.next_step.labelling import after_pull
from annotate.domain.sign_in.roles import Act
from annotate.label_studio import address
from annotate.label_studio.address import TOKEN_VARIABLE, URL_VARIABLE, Server
from annotate.pages.kit import actor, draw, layout, reruns, sign_in, texts
from annotate.pages.kit.messages import marked, render, say
from annotate.pages.kit.privacy import escaped
from annotate.pages.kit.store_commands import for_app
from annotate.pages.labelling import work
from annotate.pages.labelling.work import LabellingJob
from annotate.present import labelling
from annotate.present.commands import typed
from annotate.present.document import Document
from annotate.store import Store
from annotate.workflow.labelling import sync
from proxy.errors import AssayError

LOOK_EVERY = 0.3
OUTCOME = "exchange-outcome"


def show(store: Store, human_side: HumanSide, who: str) -> None:
    """The page's part."""
    try:
        server = address.server(store.path)
    except AssayError as error:
        _no_server(str(error))
        return
    st.markdown(
        marked("labelling.server_own" if server.is_own else "labelling.server", url=f"`{texts.others(server.url)}`")
    )
    _waiting(store, server)
    st.caption(say("labelling.send_basis"))
    if not who:
        st.caption(say("labelling.name_to_send"))
    running = work.newest(store.path)
    is_busy = running is not None and not running.ended.is_set()
    with st.container(horizontal=True):
        for kind in (address.PUSH, address.PULL):
            st.button(
                say(f"labelling.{kind}"),
                key=f"exchange-{kind}",
                type="primary" if kind == address.PUSH else "secondary",
                on_click=_begin,
                args=(store, kind),
                **actor.lock(Act.SEND, disabled=not who or is_busy),
            )
    if running is not None:
        _follow(running)


def _no_server(why: str) -> None:
    """How to start one, or to name one."""
    st.info(escaped(f"{draw.capital(render(why))}."), title=say("labelling.no_server"))
    st.markdown(say("labelling.start_one"))
    layout.commands(["assay up"])
    with st.expander(say("labelling.other_ways")):
        st.markdown(say("labelling.name_one"))
        with for_app():
            app = typed("assay app")
        st.code(f"export {URL_VARIABLE}=https://…\nexport {TOKEN_VARIABLE}=…\n{app}", language=None)
        st.markdown(say("labelling.by_file"))
        layout.commands([EXPORT, IMPORT])


def _waiting(store: Store, server: Server) -> None:
    """What is to be sent, and where it goes."""
    outgoing = sync.outgoing(store, server)
    st.markdown(say("labelling.outgoing", open=outgoing.open, there=outgoing.there, to_send=outgoing.to_send))


@actor.needs(Act.SEND)
def _begin(store: Store, kind: str) -> None:
    """Start it, unless another is under way, or the name was taken away."""
    if who := actor.who():
        work.begin(
            store.path, LabellingJob(kind, who, actor.now(), sign_in.person()), _push if kind == address.PUSH else _pull
        )


def _push(store: Store, running: LabellingJob) -> None:
    """Send, and keep what the command tells and where to label."""
    sent = sync.push(store, who=running.who, now=running.at)
    running.links = [(delivery.annotator, labelling.link(sent.url, delivery)) for delivery in sent.done.deliveries]
    running.document = labelling.pushed(sent)


def _pull(store: Store, running: LabellingJob) -> None:
    """Fetch, and keep what the command tells."""
    fetched = sync.pull(store, who=running.who, now=running.at)
    running.document = labelling.pulled(fetched, after_pull(fetched.done))


def _follow(running: LabellingJob) -> None:
    """How far it is until it ends; then the page anew, with its result."""
    if running.ended.is_set():
        if st.session_state.get(OUTCOME) != running.at:
            # It may have ended while this page was drawn: what stands above is from before.
            st.session_state[OUTCOME] = running.at
            st.rerun()
        _outcome(running)
        return
    bar = st.progress(0.0, text=_words(running))
    reruns.end()  # all else is drawn; how long the work takes, nobody knows
    while not running.ended.wait(LOOK_EVERY):
        bar.progress(running.share, text=_words(running))
    st.rerun()


def _words(running: LabellingJob) -> str:
    """What is under way, and how far."""
    of = say("labelling.of_total", total=running.total) if running.total else ""
    return say(f"labelling.{running.kind}_running", done=running.done, of=of)


def _outcome(running: LabellingJob) -> None:
    """What the command tells, or its error, and links to label at."""
    when = say("labelling.asked_by", at=texts.moment(running.at), who=texts.others(running.who))
    if running.error is not None:
        st.error(escaped(running.error), title=say(f"labelling.{running.kind}_failed"))
    else:
        st.success(say(f"labelling.{running.kind}_done"), icon=":material/check:")
        if running.document:
            _show_outcome(running.document)
        with st.container(horizontal=True):
            for place, (annotator, url) in enumerate(running.links):
                words = say("labelling.label_at", annotator=escaped(annotator) or say("labelling.everybody"))
                st.link_button(words, url, key=f"label-at-{place}")
    st.caption(escaped(when))


def _show_outcome(document: Document) -> None:
    """What was done, with what to know beside it and what to do next."""
    st.markdown(escaped(render(document.answer)))
    for section in document.sections:
        draw.section(section)
    draw.messages(document.notes)
    draw.steps(document.next)
