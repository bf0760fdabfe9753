"""Two judges crossed at their cuts, coloured by what people say: where the wrong answers lie, and what to mend first."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.analysis.judges import quadrants as judges_quadrants
from annotate.analysis.judges.quadrants import Choice, Corner, Corners, Pair
from annotate.charts.quadrants import Dot, Words, quadrants
from annotate.pages.judges import diagnosis
from annotate.pages.kit import cache, layout, texts, url_state
from annotate.pages.kit.escaping import escaped
from annotate.pages.kit.messages import marked, say
from annotate.store import Store
from proxy.diagnosis import Place
from proxy.evaluation.trust import percent
from proxy.records import Judgement
from proxy.rule import Rule

PAIR, SYSTEM = "cross", "of"
EVERY, NO_SYSTEM = "*", "-"
LABELS = {Judgement.RIGHT: "right", Judgement.WRONG: "wrong", Judgement.UNSURE: "unsure"}


def show(store: Store, rule: Rule) -> None:
    """The section."""
    layout.heading("judges.corners")
    found = cache.kept(store, "corners choice", lambda: judges_quadrants.choice(store, rule), rule.expression)
    if not found.pairs:
        texts.small([say("judges.corners_none", reason=found.reason)])
        return
    pair, system, is_all = _choose(found)
    crossed = cache.kept(
        store,
        "corners",
        lambda: judges_quadrants.build(store, pair, system=system, is_all=is_all),
        *(pair, system, is_all),
    )
    picture, words = st.columns([1, 1], gap="medium")
    with picture:
        _picture(crossed)
    with words:
        for one in crossed.corners:
            if one.place is not None or one.answers or one.wrong:
                _corner(crossed, one)
    texts.small([say("judges.corners_basis", picked=f"{crossed.hand_picked:,}")])
    if pair.tells_stages:
        diagnosis.show(store, system, is_all=is_all)


def _choose(found: Choice) -> tuple[Pair, str | None, bool]:
    """The pair and the system that the reader wants, kept in the address."""
    pairs = {f"{one.across}-{one.up}": one for one in found.pairs}
    systems = {NO_SYSTEM if name is None else texts.others(name): name for name in found.systems}
    first, second = st.columns(2) if len(pairs) > 1 else (st.container(), st.columns(2)[0])
    pair, system = next(iter(pairs)), EVERY
    if len(pairs) > 1:
        with first:
            words = {code: crossing(one) for code, one in pairs.items()}
            pair = url_state.select(marked("judges.corners_pair"), words, PAIR, default=pair)
    if len(systems) > 1:
        with second:
            names = {code: system_name(one) for code, one in systems.items()}
            system = url_state.select(
                marked("judges.corners_system"), {EVERY: say("judges.all_systems")} | names, SYSTEM, default=EVERY
            )
    return pairs[pair], systems.get(system), system not in systems


def crossing(pair: Pair) -> str:
    """Both judges in words."""
    return say("judges.crossed", across=texts.others(pair.across), up=texts.others(pair.up))


def system_name(system: str | None) -> str:
    """A system as its people call it."""
    return say("judges.no_system") if system is None else texts.others(system)


def corner_name(pair: Pair, place: Place | None) -> str:
    """A corner by what lies below its cut."""
    names = {name: texts.others(judge).replace("_", " ") for name, judge in pair._asdict().items()}
    return say(f"judges.corner_{_code(place)}", **names)


def _code(place: Place | None) -> str:
    return "none" if place is None else f"{int(bool(place.is_relevant))}{int(bool(place.is_faithful))}"


def _picture(crossed: Corners) -> None:
    """The labelled answers."""
    if not crossed.points:
        texts.small([say("judges.corners_no_labels")])
        return
    names = {judgement: say(f"judges.{word}") for judgement, word in LABELS.items()}
    shown = [one for one in crossed.corners if one.place is not None]
    words = Words(
        across=texts.others(crossed.pair.across),
        up=texts.others(crossed.pair.up),
        labels=(names[Judgement.RIGHT], names[Judgement.WRONG], names[Judgement.UNSURE]),
        corners=_four([corner_name(crossed.pair, one.place) for one in shown]),
    )
    dots = [Dot(one.across, one.up, names[one.judgement]) for one in crossed.points]
    cuts = (crossed.cuts.relevance, crossed.cuts.faithfulness)
    st.altair_chart(quadrants(dots, cuts, words), width="stretch", alt=_alt(crossed, shown))
    lines = [say("judges.corners_picture", cut=f"{cuts[0]:g}")]
    if len(crossed.points) < crossed.labelled:
        lines.append(say("judges.corners_part", shown=f"{len(crossed.points):,}", labelled=f"{crossed.labelled:,}"))
    texts.small(lines)


def _four(names: Sequence[str]) -> tuple[str, str, str, str]:
    """Upper right, lower right, upper left, lower left: the order of the corners."""
    one, two, three, four = names
    return one, two, three, four


def _alt(crossed: Corners, shown: Sequence[Corner]) -> str:
    """The picture for those who do not see it."""
    parts = [
        say("judges.corners_part_alt", corner=corner_name(crossed.pair, one.place), right=one.right, wrong=one.wrong)
        for one in shown
    ]
    return say("judges.corners_alt", across=crossed.pair.across, up=crossed.pair.up, parts="; ".join(parts))


def _corner(crossed: Corners, one: Corner) -> None:
    """One corner: how much is there, what it holds of the wrong answers, what that means."""
    share = "—" if one.of_answers is None else percent(one.of_answers)
    with st.container(border=True, gap="xsmall"):
        st.markdown(f"**{escaped(corner_name(crossed.pair, one.place))}**")
        lines = [
            say(
                "judges.corner_answers",
                answers=f"{one.answers:,}",
                framed=f"{crossed.framed:,}",
                share=share,
                right=f"{one.right:,}",
                wrong=f"{one.wrong:,}",
            ),
            _of_wrong(one),
        ]
        texts.small([*lines, *_means(crossed, one)])


def _means(crossed: Corners, one: Corner) -> list[str]:
    """What a wrong answer here points to, and why scores are missing."""
    why = [] if one.place is not None else [say("judges.why_unscored", why=crossed.why_unscored or "—")]
    if not crossed.pair.tells_stages:
        return why or [say("judges.means_other")]
    told, untold = f"{one.to_retrieval:,}", f"{one.wrong - one.to_retrieval:,}"
    return [say(f"judges.means_{_code(one.place)}", told=told, untold=untold), *why]


def _of_wrong(one: Corner) -> str:
    found = one.of_wrong
    if found.estimate is None or found.low is None or found.high is None:
        return say("judges.corner_no_wrong", reason=found.reason)
    low, high = percent(found.low), percent(found.high)
    return say("judges.corner_wrong", value=percent(found.estimate), low=low, high=high, n=f"{found.n:,}")
