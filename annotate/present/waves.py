"""A wave that would be drawn or was drawn in, its lines for people and its object for machines out."""

from __future__ import annotations

from annotate.domain.sampling.outcomes import Proposed
from proxy.planning.allocation import StratumPlan
from proxy.planning.strata import Stratum
from proxy.text.language import displayable


def stratum_line(part: StratumPlan) -> str:
    """A stratum of a plan, for people."""
    chance = f"({part.inclusion_probability:.4g} each)" if part.is_fixed else "(each by its own chance)"
    why = ": supported by the model, not by the words" if part.kind is Stratum.DISPUTED else ""
    return f"  {part.stratum:<12}{part.drawn:>7,} of {part.size:>9,}  {chance}{why}"


def stratum_json(part: StratumPlan) -> dict[str, object]:
    """A stratum of a plan, for machines."""
    return {
        **{"stratum": part.stratum, "size": part.size, "drawn": part.drawn},
        "inclusion_probability": part.inclusion_probability if part.is_fixed else None,
    }


def summary(found: Proposed, *, dry_run: bool) -> str:
    """What was drawn, or would be, in one line."""
    drawn, request = found.drawn, found.request
    size = sum(part.size for part in drawn.strata)
    failed = sum(part.drawn for part in drawn.strata if part.kind is Stratum.FAILED)
    return (
        f"{'would draw' if dry_run else f'wave {drawn.number}: drew'} {drawn.draws:,} of {size:,} items "
        f"{f'of {displayable(request.part)!r} ' if request.part else ''}(seed {request.seed}, {failed:,} failed)"
    )


def as_json(found: Proposed, *, dry_run: bool) -> dict[str, object]:
    """The wave for machines."""
    drawn, request = found.drawn, found.request
    size = sum(part.size for part in drawn.strata)
    return {
        **{"wave": drawn.number, "dry_run": dry_run, "seed": request.seed, "drawn": drawn.draws, "size": size},
        "slice": request.part,
        **{"design": request.design.value, "notes": list(found.notes)},
        "size_by_chance": None if drawn.size is None else drawn.size._asdict(),
        "strata": [stratum_json(part) for part in drawn.strata],
    }
