"""A ranking, or a drawing of answers to compare, in: lines for people and a dict for machines out.

The sentence first: who is best, or that nobody can be told apart from whom; the next command last.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from annotate.analysis.comparison.rank import Ranked
from annotate.domain.sampling.designs import Design
from annotate.domain.sampling.outcomes import PairsDrawn, ToLabel
from annotate.present.next_commands import EXPORT, PUSH
from annotate.present.next_steps import SEND, TELLING_MOST, Next, labelling
from proxy.comparison.ranking import Against, SystemStanding
from proxy.evaluation.estimate import Estimate, has_width
from proxy.evaluation.trust import percent
from proxy.planning.strata import Stratum
from proxy.text.language import points, several

SHOWN = 10
FEWEST_DRAWN, MOST_DRAWN = 30, 200


def lines(found: Ranked) -> list[str]:
    """Everything, most important first."""
    blocks = (
        [sentence(found), *_basis(found)],
        _table(found),
        _told_apart(found),
        [f"Note: {note}." for note in notes(found)],
        [next_step(found).line],
    )
    return [line for number, block in enumerate(filter(None, blocks)) for line in ([""] if number else []) + block]


def sentence(found: Ranked) -> str:
    """Who is best, or who cannot be told apart."""
    ranks, count = found.standings, len(found.names)
    measured, leaders = ranks.measured, ranks.leaders
    if not measured:
        return f"None of these {count} systems can be ranked yet: too few of their drawn answers have a label."
    if found.objections:
        return f"No system can be called better than another: {found.objections[0].words}."
    among = f"the {count} systems" if len(measured) == count else f"the {len(measured)} of {count} that can be measured"
    if len(measured) == 1:
        return f"{_name(found, measured[0])} has nothing to be ranked against: the others have too few labels."
    if len(leaders) == 1:
        first = leaders[0]
        if first.worst == 1:
            return f"{_name(found, first)} is the best of {among}: clearly better than every other on these questions."
        tied = [one for one in measured if (one.best or 0) <= (first.worst or 0) and one is not first]
        return (
            f"{_name(found, first)} leads {among}, but cannot be told apart from {_listed([_name(found, t) for t in tied])} "
            "on these questions."
        )
    names = _listed([_name(found, one) for one in leaders])
    if not ranks.clear:
        return f"No system is clearly better than another on these questions: {names} cannot be told apart."
    return f"{names} cannot be told apart: any of these {len(leaders)} may be the best of {among} on these questions."


def _basis(found: Ranked) -> list[str]:
    """What the numbers speak of."""
    ranks = found.standings
    labels = sum(one.labels for one in ranks.systems)
    kind = "every answer has a label" if found.is_census else several(labels, "label")
    shared = f"{found.questions:,} questions, {found.shared:,} of them answered by all {len(found.names)}"
    said = [f"{shared}; {kind}; rule {found.rule.name} v{found.rule.version}."]
    lasting = sum(one.is_lasting for one in ranks.pairs)
    pairs = len(ranks.pairs)
    if not pairs:
        return said
    if ranks.clear:
        told = f"{len(ranks.clear):,} of {several(pairs, 'pair')} told apart on these answers"
        said.append(f"{told}, {lasting:,} of them also in the long run, of questions like these.")
    if open_ := sum(one.is_open for one in ranks.pairs) if not found.objections else 0:
        counts = ", ".join(
            f"{missing:,} of {name}" for missing, name in zip(found.missing, found.names, strict=True) if missing
        )
        turned = f"Drawn answers without a right or wrong could turn {several(open_, 'pair')} ({counts})"
        said.append(f"{turned}: intervals hold whatever they are.")
    every = f"All {pairs:,} pairs are" if pairs > 1 else "The pair is"
    said.append(
        f"{every} asked at once (95 %), each system by its own labels; `assay compare A B` asks one pair alone, question by "
        "question, and may tell more of the long run."
    )
    return said


def _table(found: Ranked) -> list[str]:
    """A row a system, the best rate first."""
    width = max(len("system"), *(len(name) for name in found.names))
    head = f"{'rank':<8}{'system':<{width}}{'answers':>10}{'labels':>8}  {'right':>7}  {'these answers, 95 %':<21}long run, 95 %"
    return [head, *(_row(found, one, width) for one in found.standings.systems)]


def _row(found: Ranked, one: SystemStanding, width: int) -> str:
    side, rate = found.sides[one.number], one.correctness
    row = f"{ranks(one):<8}{side.name:<{width}}{side.answers:>10,}{one.labels:>8,}  "
    if rate.estimate is None or rate.low is None or rate.high is None:
        return f"{row}{'—':>7}  {_reason(found, one)}"
    return f"{row}{percent(rate.estimate):>7}  {_ends(rate):<21}{_ends(one.long_run)}"


def _ends(rate: Estimate) -> str:
    if rate.low is None or rate.high is None:
        return "—"
    return f"{percent(rate.low)} to {percent(rate.high)}" if has_width(rate) else "exact"


def _reason(found: Ranked, one: SystemStanding) -> str:
    side = found.sides[one.number]
    if side.answers and side.out_of_reach == side.answers:
        return f"not measurable: no drawing reached its {several(side.answers, 'answer')}; draw some of them"
    if side.answers and not sum(side.left):
        return "not measurable: none of its answers is left to label"
    return one.correctness.reason or "not measurable"


def ranks(one: SystemStanding) -> str:
    """The ranks that a system may have."""
    if one.best is None:
        return "—"
    return str(one.best) if one.best == one.worst else f"{one.best} to {one.worst}"


def _told_apart(found: Ranked) -> list[str]:
    """The pairs that are clearly different: each by itself while they are few, else by the better one."""
    clear = found.standings.clear
    if not clear:
        return []
    if len(clear) <= SHOWN:
        return ["Clearly different on these questions:", *(f"  {_pair(found, one)}" for one in clear)]
    said = ["Clearly different on these questions:"]
    for one in found.standings.measured:
        worse = [found.names[pair.worse] for pair in clear if pair.better == one.number]
        if worse:
            said.append(f"  {_name(found, one)} is better than {_listed(worse)}")
    return said


def _pair(found: Ranked, one: Against) -> str:
    gap = one.difference
    ends = f", {_gap(gap)}" if gap.low is not None and gap.high is not None else ""
    lasting = "; in the long run, too" if one.is_lasting else ""
    better, worse = found.names[one.better], found.names[one.worse]
    amount = several(_points(gap.estimate), "point")
    return f"{better} is better than {worse} by {amount} ({several(gap.n, 'label')}{ends}){lasting}"


def _gap(gap: Estimate) -> str:
    """The interval of a difference; a census has none on its own answers."""
    if not has_width(gap):
        return "exact on these answers"
    return f"95 % {_points(gap.low)} to {_points(gap.high)}"


def _points(value: float | None) -> int:
    return round(100 * (value or 0.0))


def notes(found: Ranked) -> list[str]:
    """What a reader must know of what could not be taken into account."""
    said = list(found.notes)
    if not found.is_census:
        said += [
            f"{one.out_of_reach:,} of the {one.answers:,} answers of {one.name} could not have been drawn by a wave that "
            "has labels: its rate does not speak of them"
            for one in found.sides
            if 0 < one.out_of_reach < one.answers
        ]
    if found.hand_picked:
        picked = f"{several(found.hand_picked, 'label')} of answers that no wave drew"
        said.append(f"{picked} {'was' if found.hand_picked == 1 else 'were'} picked by hand: nothing here counts them")
    if found.shared < found.questions / 2:
        said.append(
            f"only {found.shared:,} of {found.questions:,} questions were answered by all: the order may be that of the questions"
        )
    return said


def next_step(found: Ranked) -> Next:
    """What to do next: label, or draw, among those that may be the best."""
    leaders = {one.number for one in found.standings.leaders}
    unmeasured = [one.number for one in found.standings.systems if one.best is None]
    wanted = sorted(leaders | set(unmeasured)) if leaders and unmeasured else unmeasured or sorted(leaders)
    if len(leaders) == 1 and not unmeasured:
        wanted = sorted(one.number for one in found.standings.measured if (one.best or 0) <= _worst_of_leader(found))
    if len(wanted) < 2:
        words = "`assay report`, or `assay diagnose` for where the best still fails"
        return Next(words, ("assay report", "assay diagnose"))
    lefts = [found.sides[number].left for number in wanted]
    left = ToLabel(sum(one.undrawn for one in lefts), sum(one.waiting for one in lefts))
    names = " ".join(shlex.quote(found.names[number]) for number in wanted)
    count = min(MOST_DRAWN, max(FEWEST_DRAWN, 20 * len(wanted)))
    return labelling(left, f"assay compare {names} --draw", count, TELLING_MOST)


def _worst_of_leader(found: Ranked) -> int:
    return max((one.worst or 0) for one in found.standings.leaders)


def as_json(found: Ranked) -> dict[str, object]:
    """The same for machines."""
    return {
        "sentence": sentence(found),
        "rule": f"{found.rule.name} v{found.rule.version}",
        "questions": found.questions,
        "shared_questions": found.shared,
        "is_census": found.is_census,
        "missing": dict(zip(found.names, found.missing, strict=True)),
        "objections": [{"doubt": one.doubt.value, "reason": one.reason} for one in found.objections],
        "systems": [_system(found, one) for one in found.standings.systems],
        "pairs": [
            {
                **{"better": found.names[one.better], "worse": found.names[one.worse]},
                "difference": _estimate(one.difference),
                **{"p_value": one.p_value, "p_value_long_run": one.p_long_run},
                **{"is_clear": one.is_clear, "is_clear_long_run": one.is_lasting, "is_open": one.is_open},
            }
            for one in found.standings.pairs
        ],
        "notes": notes(found),
        "next": list(next_step(found).commands),
    }


def _system(found: Ranked, one: SystemStanding) -> dict[str, object]:
    side = found.sides[one.number]
    reason = None if one.correctness.estimate is not None else _reason(found, one)
    return {
        **{"system": side.name, "answers": side.answers, "labels": one.labels},
        "correctness": {**_estimate(one.correctness), "reason": reason},
        "correctness_long_run": {**_estimate(one.long_run), "reason": reason or one.long_run.reason},
        **{"best_rank": one.best, "worst_rank": one.worst, "out_of_reach": side.out_of_reach},
    }


def _estimate(one: Estimate) -> dict[str, object]:
    return {name: value for name, value in asdict(one).items() if name != "long_run"}


def drawn_lines(found: PairsDrawn, *, dry_run: bool) -> list[str]:
    """What was drawn to compare, or would be."""
    if found.design is Design.PAIRS:
        pairs = f"{several(found.pairs, 'question')} {'has' if found.pairs == 1 else 'have'}"
        how = f"both answers to a question go out together; {pairs} both drawn, earlier waves among them"
    else:
        how = "each answer by its own chance, higher where it is less sure; about as many of each system"
    tail = " — nothing was drawn" if dry_run else f"; next: {SEND}"
    said = [f"{_drawn(found, dry_run=dry_run)}{tail}", f"  {how}"]
    if found.detectable is not None:
        said.append(f"  {_detectable(found)}")
    if fewer := _fewer(found):
        said.append(f"  {fewer}")
    if found.waiting:
        waits = f"{several(found.waiting, 'open draw')} of these {'waits' if found.waiting == 1 else 'wait'}"
        said.append(
            f"  {waits} from earlier waves, and {'comes' if found.waiting == 1 else 'come'} first: label them too"
        )
    return said


def _detectable(found: PairsDrawn) -> str:
    """What the draws can show, before any is labelled."""
    if found.detectable is None or found.detectable >= 1:
        return "power: too few to show any difference in 8 of 10 cases"
    return f"power: labelled, they show a difference of {points(found.detectable)} points or more in 8 of 10 cases"


def _drawn(found: PairsDrawn, *, dry_run: bool) -> str:
    """How many of which answers."""
    what = f"{several(found.answers, 'answer')} of {_listed(found.names)}"
    if found.design is Design.PAIRS:
        what += f" to {several(found.questions, 'question')} that both answered"
    head = "would draw" if dry_run else f"wave {found.number}: drew"
    return f"{head} {found.draws:,} of the {what} (seed {found.seed})"


def _fewer(found: PairsDrawn) -> str | None:
    """Why fewer were drawn than asked for; None where they were not."""
    if found.draws >= found.asked:
        return None
    head = f"fewer than the {found.asked:,} asked for: "
    if found.draws == found.left:
        return head + (
            "no other was left to draw" if found.draws == 1 else f"these {found.draws:,} are all that were left"
        )
    return head + "lots decide, and both answers to a question go out together"


def drawn_json(found: PairsDrawn, *, dry_run: bool) -> dict[str, object]:
    """The same for machines."""
    failed = sum(part.drawn for part in found.strata if part.kind is Stratum.FAILED)
    return {
        **{"sentence": _drawn(found, dry_run=dry_run), "next": [] if dry_run else [PUSH, EXPORT]},
        **{"asked": found.asked, "left": found.left, "waiting": found.waiting},
        **{"wave": found.number, "dry_run": dry_run, "seed": found.seed, "systems": list(found.names)},
        **{"design": found.design.value, "questions": found.questions, "answers": found.answers},
        "detectable": found.detectable,
        **{"drawn": found.draws, "failed": failed, "complete_pairs": found.pairs},
        "strata": [_stratum(part.stratum, part.size, part.drawn) for part in found.strata],
    }


def _stratum(name: str, size: int, drawn: int) -> Mapping[str, object]:
    return {"stratum": name, "size": size, "drawn": drawn}


def _name(found: Ranked, one: SystemStanding) -> str:
    return found.names[one.number]


def _listed(names: Sequence[str]) -> str:
    """A, B and C."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
