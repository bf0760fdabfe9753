"""Waves: which items people are asked about, with known probabilities."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import click

from annotate.commands.run import Run, common

if TYPE_CHECKING:
    from annotate.allocation import StratumPlan
    from annotate.drawing import Request, WaveDrawn
    from annotate.store import Store

DRAW_COLUMNS = (
    *("wave", "item_id", "stratum", "inclusion_probability", "question", "contexts", "answer"),
    *("system", "timestamp", "language"),
)
BLIND_COLUMNS = ("item_id", "question", "contexts", "answer")
TO_FILL_IN = ("label", "annotator", "reference", "rationale")


@click.command()
@click.option("--labels", type=click.IntRange(min=1), help="How many items to draw.")
@click.option(
    "--audit",
    type=click.FloatRange(0, 1),
    default=0.25,
    show_default=True,
    help="Least share of the labels from failed items; 0 draws none of them.",
)
@click.option("--all-passed", is_flag=True, help="Take every passed item.")
@click.option("--active", is_flag=True, help="Favour items of which earlier labels leave us unsure.")
@click.option(
    "--rate",
    type=click.FloatRange(0, 1, min_open=True),
    help="A stream: the chance of each item that no wave has framed yet.",
)
@click.option(
    "--rate-failed",
    type=click.FloatRange(0, 1, min_open=True),
    help="With --rate: the chance of a failed, disputed or thumbed-down item; as --rate if left out.",
)
@click.option(
    "--seed", type=int, help="The same seed on the same store draws the same items; chosen and shown if left out."
)
@click.option("--dry-run", is_flag=True, help="Show the plan and draw nothing.")
@common
def sample(
    run: Run,
    labels: int | None,
    audit: float,
    all_passed: bool,
    active: bool,
    rate: float | None,
    rate_failed: float | None,
    seed: int | None,
    dry_run: bool,
) -> None:
    """Draw a wave of items for labelling; never one that was drawn before."""
    from annotate import disputes
    from annotate.drawing import Request, draw_wave
    from annotate.sampling import Design

    _refuse(labels=labels, rate=rate, rate_failed=rate_failed, active=active, all_passed=all_passed)
    with run.store() as store:
        request = Request(
            labels=labels or 0,
            audit=audit,
            all_passed=all_passed,
            seed=_seed(store, seed, is_stream=rate is not None),
            design=Design.STREAM if rate else Design.ACTIVE if active else Design.STRATIFIED,
            rate=rate or 0.0,
            rate_failed=rate_failed or rate or 0.0,
        )
        disputes.read_again(store, now=run.now)
        drawn = draw_wave(store, request, now=run.now, dry_run=dry_run)
        if not dry_run:
            detail = {"wave": drawn.number, "labels": drawn.draws, "audit": audit, "seed": request.seed}
            with store.atomic():
                store.events.append("sample", detail | {"design": request.design.value}, who=run.who, now=run.now)
    _say_plan(run, drawn, request, dry_run=dry_run)


def _refuse(
    *, labels: int | None, rate: float | None, rate_failed: float | None, active: bool, all_passed: bool
) -> None:
    """UsageError for what does not go together."""
    if (labels is None) == (rate is None):
        raise click.UsageError("give either --labels N for a wave, or --rate R for a stream")
    if rate is not None and (active or all_passed):
        raise click.UsageError("--rate draws each new item at one rate: leave out --active and --all-passed")
    if active and all_passed:
        raise click.UsageError("--active gives each item its own chance: leave out --all-passed")
    if rate_failed is not None and rate is None:
        raise click.UsageError("--rate-failed goes with --rate")


def _seed(store: Store, seed: int | None, *, is_stream: bool) -> int:
    """The seed that was given; else a stream's own of before, else a new one."""
    from annotate.sampling import Design

    if seed is not None:
        return seed
    before = [wave.seed for wave in store.waves.all() if wave.design is Design.STREAM] if is_stream else []
    return before[-1] if before else secrets.randbelow(1_000_000)


def _say_plan(run: Run, drawn: WaveDrawn, request: Request, *, dry_run: bool) -> None:
    """The plan by stratum, and what it leaves unknown."""
    from annotate.strata import Stratum

    size = sum(part.size for part in drawn.strata)
    notes = _notes(drawn.strata, request)
    if not run.as_json:
        for part in drawn.strata:
            click.echo(stratum_line(part))
        for note in notes:
            click.echo(f"Note: {note}.")
    failed = sum(part.drawn for part in drawn.strata if part.kind is Stratum.FAILED)
    run.say(
        f"{'would draw' if dry_run else f'wave {drawn.number}: drew'} {drawn.draws:,} of {size:,} items "
        f"(seed {request.seed}, {failed:,} failed)"
        + (" — nothing was drawn" if dry_run else "; next: `assay push`, or `assay draws export FILE --blind`"),
        {
            **{"wave": drawn.number, "dry_run": dry_run, "seed": request.seed, "drawn": drawn.draws, "size": size},
            **{"design": request.design.value, "notes": notes},
            "strata": [stratum_json(part) for part in drawn.strata],
        },
    )


def stratum_line(part: StratumPlan) -> str:
    """A stratum of a plan, for people."""
    from annotate.strata import Stratum

    chance = f"({part.inclusion_probability:.4g} each)" if part.is_fixed else "(each by its own chance)"
    why = ": supported by the model, not by the words" if part.kind is Stratum.DISPUTED else ""
    return f"  {part.stratum:<12}{part.drawn:>7,} of {part.size:>9,}  {chance}{why}"


def stratum_json(part: StratumPlan) -> dict[str, object]:
    """A stratum of a plan, for machines."""
    return {
        **{"stratum": part.stratum, "size": part.size, "drawn": part.drawn},
        "inclusion_probability": part.inclusion_probability if part.is_fixed else None,
    }


def _notes(plans: tuple[StratumPlan, ...], request: Request) -> list[str]:
    from annotate.strata import Stratum

    sizes, drawn = Counter[Stratum](), Counter[Stratum]()
    for part in plans:
        sizes[part.kind] += part.size
        drawn[part.kind] += part.drawn
    failed, notes = sizes[Stratum.FAILED], list[str]()
    if failed and request.audit == 0 and not drawn[Stratum.FAILED]:
        notes.append(
            "no failed item is drawn: sensitivity, specificity, accuracy and kappa cannot be measured, and correctness only "
            f"within bounds at least {100 * failed / sizes.total():.0f} % wide"
        )
    elif failed and request.labels and drawn[Stratum.FAILED] < min(request.audit * request.labels, failed) - 1e-9:
        notes.append(
            f"only {drawn[Stratum.FAILED]} of the {request.labels} labels go to failed items: the other strata take the rest"
        )
    scored = sizes[Stratum.PASSED] + sizes[Stratum.DISPUTED] + failed
    if sizes[Stratum.UNSCORED] and scored:
        notes.append(
            f"{sizes[Stratum.UNSCORED]:,} items are unscored: if they came since the last `assay judge`, run it first"
        )
    if sizes.total() and not scored:
        notes.append(
            "no item to draw has a verdict: run `assay judge` first to draw passed and failed items at their own rates"
        )
    return notes


@click.group()
def draws() -> None:
    """The drawn items, for labelling elsewhere."""


@draws.command()
@click.argument("file")
@click.option("--all", "every", is_flag=True, help="Also the draws that have a label.")
@click.option("--blind", is_flag=True, help="Only what an expert may see; item_id becomes a key.")
@common
def export(run: Run, file: str, every: bool, blind: bool) -> None:
    """Write the open draws with their items (.jsonl or .csv; - is standard output)."""
    from annotate.files import write_rows

    with run.store() as store:
        count = write_rows(
            file, (*BLIND_COLUMNS, *TO_FILL_IN) if blind else DRAW_COLUMNS, _rows(store, every=every, blind=blind)
        )
        with store.atomic():
            store.events.append("draws export", {"draws": count}, who=run.who, now=run.now)
    run.exported(file, count, f"{count:,} draws written to {file}; bring the labels back with `assay labels import`")


def _rows(store: Store, *, every: bool, blind: bool) -> Iterator[dict[str, object]]:
    """A row for each draw; the text goes out through the one seam."""
    from annotate.redaction import outgoing

    chosen = store.waves.all_draws() if every else store.waves.open_draws()
    for start in range(0, len(chosen), 500):
        items = store.items.read([draw.item for draw in chosen[start : start + 500]])
        for draw in chosen[start : start + 500]:
            item = items[draw.item]
            text = outgoing(item)
            row: dict[str, object] = {
                **{"wave": draw.wave, "item_id": draw.item_id, "stratum": draw.stratum},
                "inclusion_probability": draw.inclusion_probability,
                **{"question": text.question, "contexts": list(text.contexts), "answer": text.answer},
                **{"system": item.system, "timestamp": item.timestamp, "language": item.language},
            }
            # The caller's id may tell the system; the draw's key tells nothing, and `labels import` knows it.
            yield _blind(row, draw.task_key) if blind else row


def _blind(row: Mapping[str, object], key: str) -> dict[str, object]:
    """What an expert may see, and the columns to fill in."""
    return {name: row[name] for name in BLIND_COLUMNS} | {"item_id": key} | dict.fromkeys(TO_FILL_IN)
