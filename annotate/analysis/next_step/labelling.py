"""Say what to do next with draws, labels and annotators."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from annotate.analysis.next_step.commands import DISAGREEMENTS, DRAW, IMPORT, INGEST, NEW_TRAFFIC, PUSH, SERVE, Way
from annotate.analysis.next_step.judging import give_verdicts
from annotate.analysis.rule_in_force import Unscored
from annotate.domain.label_studio_sync import Pulled
from annotate.domain.message import Step, message
from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.outcomes import DrawProgress, PairsDrawn, Proposed, StreamState, ToLabel
from annotate.domain.sampling.proposal import ProposalRequest
from proxy.evaluation.evidence_ledger import Doubt

USUAL = 200  # labels to begin with, when there is no estimate to size it from
ALL_LABELLED = Step(message("steps.all_labelled"), NEW_TRAFFIC)


def after_labels(disagreements: int) -> tuple[Step, ...]:
    """Ask an expert to decide what annotators disagree on."""
    return (Step(message("steps.disagreements", count=disagreements), (DISAGREEMENTS,)),) if disagreements else ()


def after_import(progress: DrawProgress, disagreements: int, hand_picked: int, way: Way) -> tuple[Step, ...]:
    """Ask an expert to decide; beside hand-picked labels have open draws labelled, or draw where nothing is drawn yet."""
    first = after_labels(disagreements)
    if hand_picked and progress.open:
        return (*first, Step(message("steps.label", count=progress.open), way.commands))
    if hand_picked and not progress.drawn:
        return (*first, Step(message("steps.draw"), (DRAW, way.send)))
    return first


def adjudicate_one(items: Sequence[str]) -> tuple[Step, ...]:
    """Look at the first of these items, and decide."""
    if not items:
        return ()
    item = shlex.quote(items[0])
    look, decide = f"assay labels history {item}", f"assay labels adjudicate {item} --label LABEL --why TEXT"
    return (Step(message("steps.adjudicate"), (look, decide)),)


def after_draws_export(written: int, *, can_draw: bool, has_items: bool) -> tuple[Step, ...]:
    """Have what was written labelled; where no draw was open, draw more, or bring in what can be drawn."""
    if written:
        return (Step(message("steps.bring_back"), (IMPORT,)),)
    if not has_items:
        return (Step(message("steps.ingest"), (INGEST,)),)
    return (Step(message("steps.draw"), (DRAW,)) if can_draw else ALL_LABELLED,)


def after_pull(back: Pulled) -> tuple[Step, ...]:
    """Send again what is gone."""
    return (Step(message("steps.send_again"), (PUSH,)),) if back.gone or back.lost else ()


def label_more(left: ToLabel, wanted: int, draw: str, way: Way, *, needed: int | None = None) -> Step:
    """Say how to label `wanted` more of a part of the traffic.

    Parameters
    ----------
    left : ToLabel
        What can still be labelled of this part.
    wanted : int
        How many labels are wanted.
    draw : str
        The command that draws of this part, up to its number of draws.
    way : Way
        How draws come to annotators.
    needed : int, optional
        How many labels an answer needs, where that is known: it is said where fewer wait.
    """
    if needed is not None and 0 < left.waiting < needed:
        had = left.waiting + left.undrawn
        return Step(message("steps.label_open_of", count=left.waiting, needed=needed, had=had), way.commands)
    if left.waiting:
        return Step(message("steps.label_open", count=left.waiting), way.commands)
    if not left.undrawn:
        return Step(message("steps.nothing_left"), (INGEST,))
    count = min(wanted, left.undrawn)
    key = "steps.draw_all" if count == left.undrawn else "steps.draw_some"
    return Step(message(key, count=count), (f"{draw} {count}", way.send))


def after_wave(wave: Proposed | PairsDrawn, way: Way, unscored: Unscored | None = None) -> tuple[Step, ...]:
    """Have what was drawn labelled, or draw what was proposed; first give answers a verdict where none has one.

    Parameters
    ----------
    wave : Proposed or PairsDrawn
        What was drawn, or would be.
    way : Way
        How draws come to annotators.
    unscored : Unscored or None
        Why no answer has a verdict; None where some have.
    """
    first = (give_verdicts(unscored),) if unscored else ()
    if isinstance(wave, PairsDrawn):
        draws, proposed = wave.draws, None
    else:
        draws, proposed = wave.drawn.draws, wave.request
    if not draws:
        return first
    if not wave.is_proposal:
        return (*first, Step(message("steps.label", count=draws), way.commands))
    return first or ((Step(message("steps.draw_proposed", count=draws), (_sample(proposed),)),) if proposed else ())


def after_stream(stream: StreamState, waiting: int, way: Way) -> tuple[Step, ...]:
    """Serve where the stream was opened; once it is closed have all that wait labelled, of whichever wave."""
    if stream.closed_at is None:
        return (Step(message("steps.serve_stream"), (SERVE,)),)
    return (Step(message("steps.label", count=waiting), way.commands),) if waiting else ()


def _sample(request: ProposalRequest) -> str:
    """Return the command that draws exactly this wave."""
    numbers: dict[str, float | None] = {
        "labels": request.labels or None,
        "rate": request.rate or None,
        "audit": request.audit,
    }
    if request.rate_failed != request.rate:
        numbers["rate-failed"] = request.rate_failed
    options = [f"--{name} {value}" for name, value in numbers.items() if value is not None]
    options += ["--all-passed"] if request.all_passed else []
    options += ["--active"] if request.design is WaveDesign.ACTIVE else []
    options += [f"--slice {shlex.quote(request.part)}"] if request.part is not None else []
    return " ".join(("assay sample", *options, f"--seed {request.seed}"))


def adjudicate_or_label(doubt: Doubt | None, waiting: int, way: Way) -> Step:
    """Remove the doubt that keeps a number from being firm: open draws first, else what annotators disagree on."""
    if doubt is Doubt.PENDING or (doubt is Doubt.MISSING and waiting):
        return Step(message("steps.label", count=waiting), way.commands)
    return Step(message("steps.annotators" if doubt is Doubt.ANNOTATORS else "steps.decide"), (DISAGREEMENTS,))
