"""Commands that settle what annotators disagree on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from annotate.cli.context import Run, common

if TYPE_CHECKING:
    from annotate.domain.adjudication import Case
    from annotate.domain.annotation import Annotation
    from annotate.store.labels.opposite_labels import LabelledItem


@click.command()
@common
def disputed(run: Run) -> None:
    """What waits for a person to settle it: serious harm first, then what readers disagree on. Names stay hidden."""
    from annotate.analysis.report.caveats import opposite as notes
    from annotate.domain.adjudication import name_of
    from annotate.domain.conversation import in_one_line
    from annotate.present.messages import one_line

    waiting = run.project.labels.disagreements()
    cases, items, second, groups = waiting.cases, waiting.items, waiting.second_readings, waiting.opposite
    if run.as_json:
        run.say("", {"disputed": [_as_json(case) for case in cases], "second_reader": second, "opposite": len(groups)})
        return
    for case in cases:
        mark = " (serious harm)" if case.is_serious else ""
        question = in_one_line(items[case.item].question, items[case.item].history)
        click.echo(f"{one_line(case.item_id)}{mark}: {case.why}: {one_line(question)}")
        click.echo(f"    said: {one_line(items[case.item].answer)}")
        for place, reading in enumerate(case.readings):
            texts = [text for text in (reading.rationale, reading.reference) if text]
            remarks = "; ".join([*reading.causes, *([f"harm {reading.harm}"] if reading.harm else []), *texts])
            click.echo(f"    {name_of(place)}: {reading.judgement}" + (f" ({one_line(remarks)})" if remarks else ""))
    for note in notes(groups):
        click.echo(f"Note: {note}.")
    click.echo(
        f"{len(cases):,} wait: `assay labels adjudicate ITEM --label right --why TEXT` settles one; {second:,} draws have no "
        "right or wrong yet and could go to a second reader (`assay push`)"
    )


@click.command()
@common
def opposite(run: Run) -> None:
    """List the same answer to the same question with opposite labels, with whose they are. The labels stay as they are."""
    from annotate.present.messages import one_line
    from proxy.text.language import several

    groups = run.project.labels.opposite()
    if run.as_json:
        run.say("", {"opposite": [[_labelled(item) for item in group] for group in groups]})
        return
    for group in groups:
        click.echo("the same question and answer:")
        for item in group:
            click.echo(f"    {one_line(item.item_id)}: {item.judgement} ({one_line(item.annotator)})")
    click.echo(
        f"{several(len(groups), 'answer')} with opposite labels, {sum(map(len, groups)):,} items; "
        "`assay labels history ITEM` shows each reading, `assay labels adjudicate ITEM` settles one"
    )


def _labelled(item: LabelledItem) -> dict[str, str]:
    return {"item_id": item.item_id, "label": item.judgement.value, "annotator": item.annotator}


def _as_json(case: Case) -> dict[str, object]:
    """Return a case without the names of its readers."""
    return {
        "item_id": case.item_id,
        "why": str(case.why),
        "serious": case.is_serious,
        "skips": case.skips,
        "readings": [_reading(place, reading) for place, reading in enumerate(case.readings)],
    }


def _reading(place: int, annotation: Annotation) -> dict[str, object]:
    from annotate.domain.adjudication import name_of

    return {
        "reader": name_of(place),
        "label": str(annotation.judgement),
        "reference": annotation.reference,
        "causes": list(annotation.causes),
        "harm": annotation.harm,
        "rationale": annotation.rationale,
    }


@click.command()
@click.argument("item_id", metavar="ITEM")
@click.option(
    "--label", "word", type=click.Choice(["right", "wrong", "unsure"]), help="What it is; unsure leaves it open."
)
@click.option("--why", required=True, help="The reason, kept with the label.")
@click.option("--reference", help="With wrong: what the system should have said.")
@click.option(
    "--reader", help="With wrong: take the reference of this reader, A, B …, as `assay labels disputed` names them."
)
@click.option("--cause", "causes", multiple=True, help="With wrong: a cause; may be given several times.")
@click.option("--harm", type=click.Choice(["none", "minor", "serious"]), help="With wrong: how harmful it could be.")
@click.option("--take-back", is_flag=True, help="Take back what was settled: the readers decide again.")
@common
def adjudicate(
    run: Run,
    item_id: str,
    word: str | None,
    why: str,
    reference: str | None,
    reader: str | None,
    causes: tuple[str, ...],
    harm: str | None,
    *,
    take_back: bool,
) -> None:
    """Settle an item in the name of ASSAY_USER, who must not be one of its readers. The label counts at once."""
    from annotate.domain.annotation import CAUSES
    from proxy.errors import UsageError

    unknown = [cause for cause in causes if cause not in CAUSES]
    if unknown:
        raise UsageError(f"--cause: expected {', '.join(CAUSES)}, found {', '.join(unknown)}")
    if take_back == bool(word):
        raise UsageError("give --label right, wrong or unsure; or --take-back")
    labels = run.project.labels
    if word is None:
        done = labels.take_back(item_id, why=why)
    else:
        done = labels.adjudicate(
            item_id, word, why=why, reference=reference, reference_of=reader, causes=causes, harm=harm
        )
    label = done.label
    now = label.judgement.value if label else "without a label"
    basis = label.basis.value if label and label.basis else None
    line = f"{item_id} is {now}" + (f" by {basis}" if basis else "") + ("" if done.is_new else ", as before")
    run.say(
        f"{line}; {done.waiting:,} more wait (`assay labels disputed`)",
        {
            "item_id": item_id,
            "label": label.judgement.value if label else None,
            "basis": basis,
            "added": done.is_new,
            "waiting": done.waiting,
        },
    )
