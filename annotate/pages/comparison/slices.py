"""Where the proxy errs more than elsewhere: on demand where the store is large, as a picture and tables, with what to do next."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.analysis.slices import find
from annotate.analysis.slices.confirm import Confirmation
from annotate.analysis.slices.find import Slices
from annotate.charts.slices import Spot, slices
from annotate.pages.kit import background, cache, layout, texts
from annotate.pages.kit.layout import Tone
from annotate.pages.kit.messages import language, marked, say
from annotate.pages.kit.quantities import span
from annotate.present import numbers
from annotate.present import slices as present_slices
from annotate.store import Store
from proxy.evaluation.slices import Finding, Share, Untested
from proxy.evaluation.trust import percent
from proxy.records import Verdict
from proxy.stats.testing.paired import Difference

LOOK = "slices"
QUICK = 5_000
CHARTED = 10


def show(store: Store) -> None:
    """At once in a small store, else when it is asked for."""
    layout.heading("systems.slices")
    items = cache.kept(store, "items", store.traffic.items.count)
    wanted = items <= QUICK or st.toggle(
        say("systems.slices_look"), key=LOOK, bind="query-params", help=say("systems.slices_help")
    )
    if not wanted:
        return
    with st.spinner(say("systems.slices_working")):
        found = background.awaited(store, "slices", find.build)
    examined = found.examined
    is_named = bool(examined.worse) and not found.objections
    tone = Tone.BAD if is_named else Tone.OPEN if examined.tested else Tone.UNKNOWN
    layout.answer(tone, _sentence(found))
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
    texts.small(present_slices.power_lines(found))
    layout.commands(store, present_slices.commands(found))


def _sentence(found: Slices) -> str:
    examined = found.examined
    if language() == "en":
        return present_slices.text(found)[0]
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
        Spot(_name(one), where, share.estimate, *share.interval, share.n, f"p {numbers.p_value(one.adjusted_p)}")
        for one in tested
        for where, share in zip(words, (one.here, one.elsewhere), strict=True)
    ]
    told = "; ".join(
        f"{_name(one)}: {_share(one.here)} {words[0]}, {_share(one.elsewhere)} {words[1]}, "
        f"{say('systems.adjusted_p')} {numbers.p_value(one.adjusted_p)}"
        for one in tested
    )
    st.altair_chart(slices(spots, here=words[0]), width="stretch", alt=say("systems.slices_alt", spots=told))


def _share(one: Share) -> str:
    return f"{percent(one.estimate)} ({span(one.interval, percent)})"


def _difference(one: Difference) -> str:
    """In points, signed, with its ends."""
    ends = {"low": numbers.points(one.low, "+"), "high": numbers.points(one.high, "+")}
    return f"{numbers.points(one.estimate, '+')} ({say('measures.span', **ends)})"


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
            numbers.p_value(one.p_value),
            numbers.p_value(one.adjusted_p),
            words[one.adjusted_p <= examined.level],
        )
        for one in examined.tested
    ]
    columns = (
        *("slice", "mistake", "here", "n_here", "elsewhere", "n_elsewhere", "difference_points"),
        *("p_value", "adjusted_p", "shown_worse"),
    )
    layout.table(rows, [say(f"systems.{name}") for name in columns], alt=say("systems.slices"))


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
        layout.table(rows, [say(f"systems.{name}") for name in columns], alt=say("systems.slices_missing"))


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
            numbers.p_value(one.found.adjusted_p) if isinstance(one.found, Finding) else "—",
        )
        for one in found
    ]
    columns = ("wave", "slice", "mistake", "status", "waiting", "here", "elsewhere", "p_value")
    layout.table(rows, [say(f"systems.{name}") for name in columns], alt=say("systems.confirmations"))


def _status(one: Confirmation, level: float) -> str:
    match one.found:
        case None:
            return "open"
        case Untested():
            return "not_testable"
        case Finding():
            return "confirmed" if one.found.adjusted_p <= level else "not_confirmed"
