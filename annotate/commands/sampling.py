"""Waves: which items people are asked about, with known probabilities."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import click

from annotate.commands.run import Run, common

if TYPE_CHECKING:
    from annotate.sampling import StratumPlan
    from annotate.store import Store

DRAW_COLUMNS = (
    *("wave", "item_id", "stratum", "inclusion_probability", "question", "contexts", "answer"),
    *("system", "timestamp", "language"),
)
BLIND_COLUMNS = ("item_id", "question", "contexts", "answer")
TO_FILL_IN = ("label", "annotator", "reference", "rationale")


@click.command()
@click.option("--labels", type=click.IntRange(min=1), required=True, help="How many items to draw.")
@click.option(
    "--audit",
    type=click.FloatRange(0, 1),
    default=0.25,
    show_default=True,
    help="Least share of the labels from failed items; 0 draws none of them.",
)
@click.option("--all-passed", is_flag=True, help="Take every passed item.")
@click.option(
    "--seed", type=int, help="The same seed on the same store draws the same items; chosen and shown if left out."
)
@click.option("--dry-run", is_flag=True, help="Show the plan and draw nothing.")
@common
def sample(run: Run, labels: int, audit: float, all_passed: bool, seed: int | None, dry_run: bool) -> None:
    """Draw a wave of items for labelling; never one that was drawn before."""
    from annotate import judging, sampling
    from annotate.store.waves import Wave

    chosen = secrets.randbelow(1_000_000) if seed is None else seed
    with run.store() as store:
        key, rule = judging.rule_in_force(store, now=run.now)
        with store.atomic():
            number = store.waves.next_number()
            frame = store.waves.frame(key)
            plans = sampling.plan(sampling.count_strata(frame), labels, audit, all_passed=all_passed)
            if not dry_run:
                salt = f"seed-{chosen}-wave-{number}"
                words = f"{rule.name} v{rule.version}"
                wave = Wave(number, words, chosen, labels, audit, run.now, plans)
                store.waves.write(wave, key, salt, frame, sampling.draw(frame, plans, salt))
                detail = {"wave": number, "labels": labels, "audit": audit, "seed": chosen}
                store.events.append("sample", detail, who=run.who, now=run.now)
    _say_plan(run, plans, number, chosen, dry_run=dry_run, asked=(labels, audit))


def _say_plan(
    run: Run, plans: tuple[StratumPlan, ...], number: int, seed: int, *, dry_run: bool, asked: tuple[int, float]
) -> None:
    """The plan by stratum, and what it leaves unknown."""
    from annotate.sampling import Stratum

    drawn, size = sum(part.drawn for part in plans), sum(part.size for part in plans)
    notes = _notes(plans, *asked)
    if not run.as_json:
        for part in plans:
            click.echo(
                f"  {part.stratum:<12}{part.drawn:>7,} of {part.size:>9,}  ({part.inclusion_probability:.4g} each)"
            )
        for note in notes:
            click.echo(f"Note: {note}.")
    failed = next((part.drawn for part in plans if part.stratum is Stratum.FAILED), 0)
    run.say(
        f"{'would draw' if dry_run else f'wave {number}: drew'} {drawn:,} of {size:,} items (seed {seed}, {failed:,} failed)"
        + (" — nothing was written" if dry_run else "; next: `assay push`, or `assay draws export FILE --blind`"),
        {
            **{"wave": number, "dry_run": dry_run, "seed": seed, "drawn": drawn, "size": size, "notes": notes},
            "strata": [
                {
                    **{"stratum": part.stratum.value, "size": part.size, "drawn": part.drawn},
                    "inclusion_probability": part.inclusion_probability,
                }
                for part in plans
            ],
        },
    )


def _notes(plans: tuple[StratumPlan, ...], labels: int, audit: float) -> list[str]:
    from annotate.sampling import Stratum

    by_name = {part.stratum: part for part in plans}
    failed, notes = by_name.get(Stratum.FAILED), []
    if failed and not failed.drawn:
        notes.append(
            "no failed item is drawn: sensitivity, specificity, accuracy and kappa cannot be measured, and correctness only "
            f"within bounds at least {100 * failed.size / sum(part.size for part in plans):.0f} % wide"
        )
    elif failed and failed.drawn < min(audit * labels, failed.size):
        notes.append(f"only {failed.drawn} of the {labels} labels go to failed items: the other strata take the rest")
    unscored = by_name.get(Stratum.UNSCORED)
    if unscored and (Stratum.PASSED in by_name or Stratum.FAILED in by_name):
        notes.append(f"{unscored.size:,} items are unscored: if they came since the last `assay judge`, run it first")
    if Stratum.PASSED not in by_name and Stratum.FAILED not in by_name:
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
            store.events.append("draws export", {"file": file, "draws": count}, who=run.who, now=run.now)
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
