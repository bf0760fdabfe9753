"""Where the proxy errs more than elsewhere: on demand where the store is large, as a picture and tables, with what to do next."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate import slices_text, slicing
from annotate.charts.slices import Spot, slices
from annotate.confirming import Confirmation
from annotate.pages import counting, digits, figures, frame, texts
from annotate.pages.frame import Tone
from annotate.pages.measures import span
from annotate.pages.say import language, marked, say
from annotate.slicing import Slices
from annotate.store import Store
from proxy.records import Verdict
from proxy.slices import Finding, Share, Untested
from proxy.stats.paired import Difference
from proxy.trust import percent

LOOK = "slices"
QUICK = 5_000
CHARTED = 10


def show(store: Store) -> None:
    """At once in a small store, else when it is asked for."""
    frame.heading("systems.slices")
    items = figures.kept(store, "items", store.items.count)
    wanted = items <= QUICK or st.toggle(
        say("systems.slices_look"), key=LOOK, bind="query-params", help=say("systems.slices_help")
    )
    if not wanted:
        return
    with st.spinner(say("systems.slices_working")):
        found = counting.awaited(store, "slices", slicing.build)
    examined = found.examined
    is_named = bool(examined.worse) and not found.objections
    tone = Tone.BAD if is_named else Tone.OPEN if examined.tested else Tone.UNKNOWN
    frame.answer(tone, _sentence(found))
    counts = {"tested": len(examined.tested), "untested": len(examined.untested), "level": f"{examined.level:g}"}
    st.caption(marked("systems.slices_counts", **counts))
    if examined.tested:
        _picture(examined.tested[:CHARTED])
        _tested(found)
    _missing(examined.untested)
    _confirmations(found.confirmations, examined.level)
    if found.truths:
        st.caption(marked("systems.truths", fields=", ".join(texts.others(one) for one in found.truths)))
    if any(one.slice.is_searched for one in examined.tested):
        st.caption(say("systems.slices_searched"))
    texts.small(slices_text.power_lines(found))
    frame.commands(store, slices_text.commands(found))


def _sentence(found: Slices) -> str:
    examined = found.examined
    if language() == "en":
        return slices_text.text(found)[0]
    if not examined.tested or not found.labels[Verdict.PASS] + found.labels[Verdict.FAIL]:
        return say("systems.slices_untested")
    if found.objections:
        return say("systems.slices_objection", reason=found.objections[0].reason)
    if not examined.worse:
        return say("systems.slices_none")
    first = examined.worse[0]
    doubt = next((one for one in found.turnable if (one.slice, one.mistake) == (first.slice.name, first.mistake)), None)
    words = say("systems.slices_turnable", missing=doubt.missing, drawn=doubt.drawn) if doubt else ""
    return say("systems.slices_worse", n=len(examined.worse), first=_name(first)) + words


def _name(one: Finding | Untested) -> str:
    return f"{texts.others(one.slice.name)} ({say(f'systems.{one.mistake.value}')})"


def _picture(tested: Sequence[Finding]) -> None:
    """The slices with the smallest adjusted p: the share of mistakes in each, and elsewhere."""
    words = say("systems.here"), say("systems.elsewhere")
    spots = [
        Spot(_name(one), where, share.estimate, *share.interval, share.n, f"p {digits.p_value(one.adjusted_p)}")
        for one in tested
        for where, share in zip(words, (one.here, one.elsewhere), strict=True)
    ]
    told = "; ".join(
        f"{_name(one)}: {_share(one.here)} {words[0]}, {_share(one.elsewhere)} {words[1]}, "
        f"{say('systems.adjusted_p')} {digits.p_value(one.adjusted_p)}"
        for one in tested
    )
    st.altair_chart(slices(spots, here=words[0]), width="stretch", alt=say("systems.slices_alt", spots=told))


def _share(one: Share) -> str:
    return f"{percent(one.estimate)} ({span(one.interval, percent)})"


def _difference(one: Difference) -> str:
    """In points, signed, with its ends."""
    ends = {"low": digits.points(one.low, "+"), "high": digits.points(one.high, "+")}
    return f"{digits.points(one.estimate, '+')} ({say('measures.span', **ends)})"


def _tested(found: Slices) -> None:
    """Every test that was made, the smallest adjusted p first."""
    examined = found.examined
    words = say("systems.no"), say("systems.yes")
    rows = [
        (
            texts.others(one.slice.name),
            say(f"systems.{one.mistake.value}"),
            _share(one.here),
            one.here.n,
            _share(one.elsewhere),
            one.elsewhere.n,
            _difference(one.difference),
            digits.p_value(one.p_value),
            digits.p_value(one.adjusted_p),
            words[one.adjusted_p <= examined.level],
        )
        for one in examined.tested
    ]
    columns = (
        *("slice", "mistake", "here", "n_here", "elsewhere", "n_elsewhere", "difference_points"),
        *("p_value", "adjusted_p", "shown_worse"),
    )
    frame.table(rows, [say(f"systems.{name}") for name in columns], alt=say("systems.slices"))


def _missing(untested: Sequence[Untested]) -> None:
    """What has too few labels, the nearest to a test first."""
    if not untested:
        return
    with st.expander(say("systems.slices_missing"), on_change="rerun", key="systems-untested") as part:
        if not part.open:
            return
        order = sorted(untested, key=lambda one: (one.missing + one.missing_elsewhere, one.mistake, one.slice.name))
        rows = [
            (
                texts.others(one.slice.name),
                say(f"systems.{one.mistake.value}"),
                one.n,
                one.missing,
                one.missing_elsewhere,
            )
            for one in order
        ]
        columns = ("slice", "mistake", "labels_column", "missing", "missing_elsewhere")
        frame.table(rows, [say(f"systems.{name}") for name in columns], alt=say("systems.slices_missing"))


def _confirmations(found: Sequence[Confirmation], level: float) -> None:
    """The waves that were drawn of a slice, and what their labels say."""
    if not found:
        return
    texts.heading(say("systems.confirmations"))
    rows = [
        (
            one.wave,
            texts.others(one.slice),
            say(f"systems.{one.mistake.value}"),
            say(f"systems.status_{_status(one, level)}"),
            one.open,
            _share(one.found.here) if isinstance(one.found, Finding) else "—",
            _share(one.found.elsewhere) if isinstance(one.found, Finding) else "—",
            digits.p_value(one.found.adjusted_p) if isinstance(one.found, Finding) else "—",
        )
        for one in found
    ]
    columns = ("wave", "slice", "mistake", "status", "waiting", "here", "elsewhere", "p_value")
    frame.table(rows, [say(f"systems.{name}") for name in columns], alt=say("systems.confirmations"))


def _status(one: Confirmation, level: float) -> str:
    match one.found:
        case None:
            return "open"
        case Untested():
            return "not_testable"
        case Finding():
            return "confirmed" if one.found.adjusted_p <= level else "not_confirmed"
