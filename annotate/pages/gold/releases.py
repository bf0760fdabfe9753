"""Releases: versions of the gold set that never change, each with its hash; checked, compared, and the next one made."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.gold.release import verify
from annotate.domain.gold.release import Release, difference
from annotate.domain.gold.splits import Shares
from annotate.domain.sign_in.roles import Act
from annotate.pages.gold import actions
from annotate.pages.gold.entries import part
from annotate.pages.kit import actor as kit_actor
from annotate.pages.kit import layout, reruns, texts
from annotate.pages.kit.messages import marked, render, say
from annotate.pages.kit.privacy import escaped
from annotate.present.gold import actions as gold_actions
from annotate.present.gold import lists as gold_lists
from annotate.store import Store
from annotate.workflow.gold import release

NAME, DOUBTS = "release-name", "release-doubts"
MOST_LISTED = 200


def show(store: Store, accepted: int, flagged: int) -> None:
    """The releases, newest first; what two of them differ in; how to make the next."""
    releases = store.gold.releases.all()[::-1]
    if not releases:
        st.caption(say("gold.releases_none"))
    for shown in part(releases, "page-releases"):
        _release(store, shown)
    if len(releases) > 1:
        layout.heading("gold.compare_releases")
        _compare(store, [release.name for release in releases])
    if accepted:
        layout.heading("gold.release_next")
        _next(store, accepted, flagged)


def _release(store: Store, listed: Release) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"**{escaped(listed.name)}**  \n:small[{texts.moment(listed.at)} · "
            f"{marked('gold.release_by', count=listed.entries, who=listed.who)}]  \n:small[`{listed.hash}`]"
        )
        st.button(
            say("gold.verify"),
            key=f"verify-{listed.name}",
            on_click=_verify,
            args=(store, listed.name),
            help=say("gold.verify_help"),
        )


@reruns.whole
def _verify(store: Store, name: str) -> None:
    """Read the release and compare it with its hash."""

    def act() -> str:
        checked = verify(store, name)
        return say("gold.verified", name=name, entries=checked.entries, hash=checked.hash, forgotten=checked.forgotten)

    actions.attempt(act)


def _compare(store: Store, names: list[str]) -> None:
    """What a release has that another has not."""
    left, right = st.columns(2)
    before = left.selectbox(say("gold.compare_from"), names, index=1, format_func=texts.others, key="release-from")
    after = right.selectbox(say("gold.compare_to"), names, index=0, format_func=texts.others, key="release-to")
    if before is None or after is None:
        return
    changes = difference(store.gold.releases.entries(before), store.gold.releases.entries(after))
    counts = render(gold_lists.difference(changes, before, after).answer)
    st.markdown(escaped(counts))
    listed = [(name, gold_id) for name, ids in changes._asdict().items() for gold_id in ids]
    if not listed:
        return
    questions = store.gold.statistics.asked([gold_id for _, gold_id in listed[:MOST_LISTED]])
    rows = [(say(f"gold.change_{name}"), gold_id, questions.get(gold_id, "")) for name, gold_id in listed[:MOST_LISTED]]
    layout.table(rows, [say("gold.change"), say("gold.entry"), say("gold.question")], alt=counts)
    if len(listed) > MOST_LISTED:
        st.caption(marked("gold.change_more", count=len(listed) - MOST_LISTED))


def _next(store: Store, accepted: int, flagged: int) -> None:
    """A form that makes a release of what is accepted, with the command that does the same."""
    st.caption(marked("gold.release_holds", accepted=accepted, flagged=flagged))
    with st.form("release", border=False):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input(say("gold.release_name"), key=NAME, help=say("gold.release_name_help"), width=300)
            st.form_submit_button(
                say("gold.release_make"),
                key="release-make",
                on_click=_make,
                args=(store,),
                **kit_actor.lock(Act.RELEASE),
            )
        st.checkbox(say("gold.release_doubts"), key=DOUBTS)
    layout.commands(("assay gold release NAME",))


@kit_actor.writes(Act.RELEASE)
def _make(store: Store) -> None:
    """Make the release, under the usual shares of roles."""

    def act() -> str:
        actor = actions.actor().checked()
        made = release.release(
            store,
            actions.typed(NAME) or "",
            Shares(),
            with_doubts=bool(st.session_state.get(DOUBTS)),
            who=actor.who,
            now=actor.now,
        )
        words = render(gold_actions.released(made).answer)
        return f"{words} {say('gold.released_same', name=made.same_as)}" if made.same_as else words

    if actions.attempt(act):
        st.session_state[NAME] = ""
