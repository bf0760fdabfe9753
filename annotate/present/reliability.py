"""What a rule's value means in, lines for people and the dict for --json out: the sentence first, the next command last."""

from __future__ import annotations

from annotate.analysis.calibration.reliability import Explained
from annotate.present.next_commands import USUAL, in_words, to_label
from proxy.evaluation.reliability_curve import Band, Meaning
from proxy.evaluation.threshold import value_of
from proxy.evaluation.trust import percent

INDENT = "  "


def meaning(explained: Explained) -> list[str]:
    """The reliability table with both maps, and which to read."""
    found = explained.meaning
    if found.reason:
        return [_sentence(explained), *in_words(_next(explained))]
    return [
        _sentence(explained),
        f"{INDENT}{'value':<18}{'labels':>7}{'mean':>8}{'right':>8}  {'95 % interval':<20}{'Platt':>7}{'isotonic':>10}",
        *(_band(one) for one in found.bands),
        *_briers(found),
        *_gap(found),
        *([f"{INDENT}{found.unseen}"] if found.unseen else []),
        f"{INDENT}both maps are tested on questions that they were not fitted to; {found.n:,} labels, weighted by design",
        *_left_out(explained),
        *in_words(_next(explained)),
    ]


def _left_out(explained: Explained) -> list[str]:
    """The draws of which no share in the table speaks."""
    kinds = ((explained.unsure, "unsure"), (explained.open, "open"))
    parts = [f"{count:,} {kind}" for count, kind in kinds if count]
    if not parts:
        return []
    count = f"{explained.unsure + explained.open:,} of {explained.drawn:,} drawn answers ({', '.join(parts)})"
    return [f"{INDENT}left out: {count}; the shares are of those that people called right or wrong"]


def _next(explained: Explained) -> list[str]:
    """The commands to run next."""
    if explained.unscored:
        return [explained.unscored.command]
    if explained.meaning.reason:
        return to_label(USUAL, explained.open, explained.left)
    can_ask = explained.meaning.tells and explained.objection is None
    return ["assay calibrate --precision 0.9"] if can_ask else ["assay report"]


def _sentence(explained: Explained) -> str:
    """What the value means, or why nobody can say."""
    found, value = explained.meaning, value_of(explained.rule)
    if explained.unscored:
        return f"What a value of {value} means cannot be said yet: no item has one; {explained.unscored.reason}."
    if found.reason:
        return f"What a value of {value} means cannot be said yet: {found.reason}."
    if explained.objection:
        return f"What a value of {value} means cannot be said: {explained.objection.words}."
    if not found.tells:
        return (
            f"On these labels {value} tells nothing about P(right): neither map predicts unseen questions better than saying "
            f"{percent(found.right or 0.0)} of every answer."
        )
    return _answer(found, value)


def _answer(found: Meaning, value: str) -> str:
    first, last = found.bands[0], found.bands[-1]
    which = "isotonic" if found.prefers_isotonic else "Platt"
    if first is last:
        return f"There are labels for one band only: {percent(first.share)} of the answers are right ({which} map preferred)."
    return (
        f"Of answers with {value} {_span(first, 'from ', 'at ')} {percent(first.share)} are right, "
        f"{_span(last, 'from ', 'at ')} {percent(last.share)}; read it by the {which} map."
    )


def _span(one: Band, between: str = "", at: str = "") -> str:
    """The values of a band, with the word that goes before."""
    return f"{between}{one.low:.3g} to {one.high:.3g}" if one.low < one.high else f"{at}{one.low:.3g}"


def _band(one: Band) -> str:
    interval = f"{percent(one.interval.low)} to {percent(one.interval.high)}"
    return (
        f"{INDENT}{_span(one):<18}{one.n:>7,}{one.mean:>8.2f}{percent(one.share):>8}  {interval:<20}{percent(one.platt):>7}"
        f"{percent(one.isotonic):>10}"
    )


def _briers(found: Meaning) -> list[str]:
    if found.briers is None:
        return []
    one = found.briers
    raw = "—, as it is no number in [0, 1]" if one.raw is None else f"{one.raw:.3f}"
    maps = f"Platt {one.platt:.3f}, isotonic {one.isotonic:.3f}"
    base = f"saying {percent(found.right or 0.0)} of every answer {one.base:.3f}"
    return [f"{INDENT}Brier score, lower is better: the value itself {raw}, {maps}; {base}"]


def _gap(found: Meaning) -> list[str]:
    if found.gap is None:
        return []
    perfect = f"a perfectly calibrated one would show {found.gap.if_perfect:.3f} on as many labels"
    return [f"{INDENT}read as a probability, the value has a calibration error of {found.gap.ece:.3f} ({perfect})"]


def meaning_json(explained: Explained) -> dict[str, object]:
    """The same for machines."""
    found = explained.meaning
    return {
        "sentence": _sentence(explained),
        **{"value": value_of(explained.rule), "labels": found.n, "right": found.right, "reason": found.reason},
        "unseen": found.unseen,
        "bands": [_band_json(one) for one in found.bands],
        "brier": {name: getattr(found.briers, name) for name in found.briers.__slots__} if found.briers else None,
        "ece": {"estimate": found.gap.ece, "if_perfect": found.gap.if_perfect} if found.gap else None,
        "preferred": None if found.reason or not found.tells else "isotonic" if found.prefers_isotonic else "platt",
        "left_out": {"drawn": explained.drawn, "unsure": explained.unsure, "open": explained.open},
        "next": _next(explained),
    }


def _band_json(one: Band) -> dict[str, object]:
    return {name: getattr(one, name) for name in one.__slots__} | {"interval": one.interval._asdict()}
