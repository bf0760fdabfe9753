"""Say what experts taught a model's judge: the version in force, what was measured, what was corrected, and what it cost."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator

from annotate.analysis.aligned_judges.corrections import CorrectedAnswers
from annotate.analysis.aligned_judges.teaching import TaughtState, TaughtVersion, Teaching
from annotate.analysis.aligned_judges.version_contrast import DifferingAnswers
from annotate.analysis.next_step.commands import DRAW
from annotate.analysis.signatures import model_of
from annotate.domain.alignment import Alignment
from annotate.domain.message import Code, Kind, Listing, Message, Name, Number, Quote, Step, Value, message
from annotate.present.document import Column, Document, Figure, Figures, Status, Table
from annotate.present.naming import cause
from proxy.evaluation.alignment import FEWEST_MEASURING, FEWEST_TUNING
from proxy.evaluation.estimate import Estimate
from proxy.records import Judgement

FILE, MODEL = "FILE", "M"
Shown = Callable[[str | None], str]


def document(known: Teaching, day: Shown) -> Document:
    """Build the document of a judge: whether a version is in force, and what to do where none was measured.

    Parameters
    ----------
    known : Teaching
        What is known of the judge.
    day
        Writes the day of a moment where the reader is.
    """
    if not known.versions:
        return _unmeasured(known)
    newest = known.versions[0]
    judge = Code(known.judge)
    if known.in_force is not None:
        return Document(message("teaching.in_force", judge=judge, day=Code(day(known.in_force.at))), Status.MET)
    if newest.state is TaughtState.UNDONE:
        return Document(message("teaching.undone", judge=judge, day=Code(day(newest.alignment.at))), Status.DONE)
    return Document(message("teaching.not_in_force", judge=judge), Status.OPEN)


def _unmeasured(known: Teaching) -> Document:
    judge = Code(known.judge)
    if known.has_few:
        few = message("teaching.few", judge=judge, least_tuning=FEWEST_TUNING, least_measuring=FEWEST_MEASURING)
        return Document(few, Status.OPEN, next=(Step(message("steps.label_to_align"), (DRAW,)),))
    return Document(message("teaching.nothing", judge=judge), Status.OPEN)


def command(known: Teaching, file: str | None = None) -> str:
    """Return the command that measures guidelines of a model, or those in a file."""
    from proxy.llm.openai_client import OPENAI_URL

    words = ["assay", "align", shlex.quote(known.judge), "--model", shlex.quote(known.model or MODEL)]
    if known.url and known.url != OPENAI_URL:
        words += ["--base-url", shlex.quote(known.url)]
    if file:
        words += ["--guidelines", shlex.quote(file)]
    return " ".join(words)


def name(version: TaughtVersion, known: Teaching, moment: Shown) -> Message:
    """Name a version by when it was measured, what guides it, and what became of it; its model where there are several."""
    alignment = version.alignment
    values: dict[str, Value] = {
        "at": Code(moment(alignment.at)),
        "kind": message(f"alignment.kind_{alignment.kind.value}"),
        "state": message(f"teaching.state_{version.state.value}"),
    }
    if len({other.alignment.bare for other in known.versions}) > 1:
        return message("teaching.version_of_model", **values, model=Name(model_of(alignment.bare) or alignment.bare))
    return message("teaching.version_name", **values)


def figures(alignment: Alignment) -> Figures:
    """Give the AUROC before and after, and the difference."""
    measured = alignment.figures
    return Figures(
        (
            _figure("base", "before", measured.base),
            _figure("aligned", "after", measured.aligned),
            _figure("difference", "difference", measured.difference, is_signed=True),
        )
    )


def basis(alignment: Alignment) -> Iterator[Message]:
    """Say the bound that holds at all looks together, and the examples that a version is shown."""
    lowest = alignment.figures.lowest
    if lowest is not None:
        key = "lowest" if lowest > 0 else "lowest_below"
        yield message(f"alignment.{key}", lowest=Number(lowest, Kind.COEFFICIENT, is_signed=True))
    if alignment.examples:
        yield message("alignment.given_examples", examples=len(alignment.examples))


def labels(known: Teaching) -> Message:
    """Say how many labels tune the judge, and how many measure it."""
    return message(
        "teaching.labels",
        tuning=sum(known.tuning),
        tuning_right=known.tuning.right,
        tuning_wrong=known.tuning.wrong,
        measuring=sum(known.measuring),
        measuring_right=known.measuring.right,
        measuring_wrong=known.measuring.wrong,
    )


def labels_help(known: Teaching) -> Message:
    """Say what the labels are for."""
    return message("teaching.labels_help", share=Number(known.share, Kind.SHARE))


def cost(known: Teaching) -> Iterator[Message]:
    """Say what requests of the judge have taken; nothing where none is known."""
    taken, judge = known.taken, Code(known.judge)
    unpriced = taken.unpriced.prompt + taken.unpriced.completion
    money = Number(taken.money, Kind.MONEY)
    if not taken.tokens:
        return
    if unpriced >= taken.tokens:
        yield message("teaching.tokens", judge=judge, tokens=taken.tokens)
    elif unpriced:
        yield message("teaching.cost_partly", judge=judge, tokens=taken.tokens, money=money, unpriced=unpriced)
    else:
        yield message("teaching.cost", judge=judge, tokens=taken.tokens, money=money)


def corrected_basis(judge: str, corrected: CorrectedAnswers) -> Iterator[Message]:
    """Say on how many answers judge and experts differ, and whose scores these are."""
    if corrected.signature is None:
        yield message("teaching.corrected_unscored", judge=Code(judge))
        return
    values: dict[str, Value] = {"count": corrected.count, "scored": corrected.scored}
    if not corrected.count:
        yield message("teaching.corrected_none", scored=corrected.scored)
    elif corrected.count > len(corrected.shown):
        yield message("teaching.corrected_first", **values, shown=len(corrected.shown))
    else:
        yield message("teaching.corrected_count", **values)
    yield message("teaching.corrected_by", signature=Code(corrected.signature))


def corrected_table(corrected: CorrectedAnswers) -> Table:
    """List the answers that experts corrected."""
    columns = (
        Column(message("teaching.item")),
        Column(message("teaching.question"), is_wide=True),
        Column(message("teaching.score"), is_number=True),
        Column(message("teaching.experts")),
        Column(message("teaching.why"), is_wide=True),
        Column(message("teaching.reason"), is_wide=True),
    )
    rows = tuple(
        (
            Name(answer.item.id),
            Quote(answer.item.question),
            Number(answer.value, Kind.SCORE),
            _judgement(answer.judgement),
            _why(answer.rationale, answer.causes),
            Quote(answer.reason),
        )
        for answer in corrected.shown
    )
    return Table(columns, rows, name="corrected")


def differing_basis(differing: DifferingAnswers) -> Iterator[Message]:
    """Say on how many answers a version is nearer to the experts, and what these answers are for."""
    if not differing.shown:
        yield message("teaching.differing_none", scored=differing.scored)
        return
    yield message(
        "teaching.differing_count",
        scored=differing.scored,
        gained=differing.gained,
        lost=differing.lost,
    )
    yield message("teaching.differing_hands_off")


def differing_table(differing: DifferingAnswers) -> Table:
    """List the answers on which two versions differ most."""
    columns = (
        Column(message("teaching.item")),
        Column(message("teaching.question"), is_wide=True),
        Column(message("teaching.experts")),
        Column(message("teaching.score_before"), is_number=True),
        Column(message("teaching.score_after"), is_number=True),
        Column(message("teaching.reason_before"), is_wide=True),
        Column(message("teaching.reason_after"), is_wide=True),
    )
    rows = tuple(
        (
            Name(answer.item.id),
            Quote(answer.item.question),
            _judgement(answer.judgement),
            Number(answer.before, Kind.SCORE),
            Number(answer.after, Kind.SCORE),
            Quote(answer.before_reason),
            Quote(answer.after_reason),
        )
        for answer in differing.shown
    )
    return Table(columns, rows, name="differing")


def _figure(quantity: str, label: str, estimate: Estimate, *, is_signed: bool = False) -> Figure:
    help_words = message("teaching.auroc_help")
    words = message(f"teaching.{label}")
    return Figure(quantity, words, estimate, Kind.COEFFICIENT, is_signed=is_signed, help=help_words)


def _judgement(judgement: Judgement) -> Message:
    return message(f"teaching.{'right' if judgement is Judgement.RIGHT else 'wrong'}")


def _why(rationale: str, causes: tuple[str, ...]) -> Value:
    """Give the experts' words, else the causes that they named."""
    if rationale or not causes:
        return Quote(rationale)
    return Listing(tuple(map(cause, causes)))
