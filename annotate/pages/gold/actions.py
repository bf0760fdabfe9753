"""What users do on the gold page, each in a callback: it acts on what the user saw, and reports the result.

A callback gets its arguments from the run that drew the button. The rule: what has changed since is refused, never overwritten,
and what the person typed is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import streamlit as st

from annotate.domain.gold import GoldSource, GoldStatus, Overtaken
from annotate.domain.gold.outcomes import Edited
from annotate.domain.sign_in.roles import Act
from annotate.pages.gold import shown
from annotate.pages.kit import actor as kit_actor
from annotate.pages.kit import reruns
from annotate.pages.kit.messages import render, say
from annotate.pages.kit.privacy import escaped
from annotate.present.gold import actions as gold_actions
from annotate.store import Store
from annotate.workflow.gold import near_duplicates, review
from annotate.workflow.gold.near_duplicates import Seen
from annotate.workflow.gold.review import Actor
from proxy.errors import AssayError

REFUSED, CONFLICT = "gold-refused", "gold-conflict"


class Conflict(NamedTuple):
    """What a person wrote for an entry that somebody else has changed in the meantime, with the reason they gave.

    `item` is the row of the item that they have a draft for.
    """

    gold_id: str
    mine: str
    why: str | None = None
    item: int | None = None


def actor() -> Actor:
    """Who acts: the name that stands in the field now."""
    return Actor(kit_actor.who(), kit_actor.now())


def attempt(act: Callable[[], str | None], mine: Callable[[], Conflict] | None = None) -> bool:
    """Do something and keep its news for the page, or why it was refused; whether it was done.

    `mine` is what the person wrote: where someone else was quicker it is kept beside theirs until it is decided.
    """
    try:
        news = act()
    except AssayError as error:
        reruns.tell(REFUSED, str(error))
        if mine and isinstance(error, Overtaken):
            conflict = mine()
            conflicts()[conflict.gold_id or conflict.mine] = conflict
        return False
    if news:
        kit_actor.tell(news, instead_of=REFUSED)
    return True


def conflicts() -> dict[str, Conflict]:
    """The conflicts that this user has not decided yet, by entry."""
    by_entry: dict[str, Conflict] = st.session_state.setdefault(CONFLICT, {})
    return by_entry


def say_refusal() -> None:
    """Show why the last action was refused; also over the page, because who acts is far down and does not see its top."""
    if refused := reruns.pending_message(REFUSED):
        words = escaped(refused)
        st.error(words, title=say("gold.not_changed"))
        st.toast(words, icon=":material/block:")


@kit_actor.writes(Act.CURATE)
def set_status(store: Store, seen: Mapping[str, int | None], status: GoldStatus, why_key: str | None = None) -> None:
    """Accept or retire entries."""

    def act() -> str | None:
        changed = review.set_status(store, seen, status, actor(), why=typed(why_key))
        return say(f"gold.done_{status.value}", count=changed) if changed else None

    attempt(act)


@kit_actor.writes(Act.CURATE)
def keep(store: Store, gold_id: str, revision: int, why_key: str) -> None:
    """Take the flag off an entry that stays as it is."""

    def act() -> str:
        review.keep(store, gold_id, actor(), why=typed(why_key), expected=revision)
        return say("gold.done_kept", gold_id=gold_id)

    attempt(act)


@kit_actor.writes(Act.CURATE)
def edit(store: Store, gold_id: str, revision: int, text_key: str, why_key: str) -> None:
    """Replace the reference of an entry by what was typed."""
    text, why = typed(text_key) or "", typed(why_key)

    def act() -> str:
        before = store.gold.get(gold_id)
        meant = shown.meant(store, before, text) if before else text
        return _edit(store, Seen(gold_id, revision), meant, why)

    attempt(act, lambda: Conflict(gold_id, text, why))


def _edit(store: Store, seen: Seen, text: str, why: str | None) -> str:
    changed = review.edit(store, seen.gold_id, text, GoldSource.APP, actor(), why=why, expected=seen.revision)
    [entry] = review.known(store, [seen.gold_id])
    return render(gold_actions.edited(Edited(seen.gold_id, changed, entry.status)).answer)


@kit_actor.writes(Act.WRITE)
def mark(store: Store, gold_id: str, key: str) -> None:
    """Mark what the knowledge base lacks, or take the mark off."""

    def act() -> str | None:
        changed = review.mark(store, [gold_id], bool(st.session_state.get(key)), actor())
        return say("gold.done_marked") if changed else None

    attempt(act)


@kit_actor.writes(Act.CURATE)
def keep_both(store: Store, pair: Sequence[Seen], why_key: str) -> None:
    """Note that two near entries both stay."""

    def act() -> str:
        near_duplicates.keep_both(store, pair, actor(), why=typed(why_key))
        return say("gold.done_both")

    attempt(act)


@kit_actor.writes(Act.CURATE)
def keep_one(store: Store, pair: Sequence[Seen], why_key: str) -> None:
    """Retire the second of two near entries."""
    stays, goes = pair

    def act() -> str:
        why = typed(why_key) or say("gold.why_duplicate", gold_id=stays.gold_id)
        review.set_status(store, {goes.gold_id: goes.revision}, GoldStatus.RETIRED, actor(), why=why)
        return say("gold.done_one", stays=stays.gold_id, goes=goes.gold_id)

    attempt(act)


@kit_actor.writes(Act.CURATE)
def replace(store: Store, pair: Sequence[Seen], text: str, why_key: str) -> None:
    """Give the second of two near entries the reference of the first."""
    source, target = pair
    why = typed(why_key) or say("gold.why_replaced", gold_id=source.gold_id)
    attempt(lambda: _edit(store, target, text, why))


def typed(key: str | None) -> str | None:
    """What stands in a field, without the space around it; None if nothing does."""
    return str(st.session_state.get(key) or "").strip() or None if key else None
