"""Say what was drawn to compare systems, or would be: lines for people and a dict for machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from annotate.analysis.next_step import EXPORT, PUSH
from annotate.domain.sampling.designs import Design
from annotate.domain.sampling.outcomes import PairsDrawn
from proxy.planning.strata import Stratum
from proxy.text.language import points, several

SEND = f"`{PUSH}`, or `{EXPORT}`"


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


def _listed(names: Sequence[str]) -> str:
    """A, B and C."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
