"""Commands that import and export scores, and set the rule that turns scores into a verdict."""

from __future__ import annotations

import click

from annotate.cli.context import Run, common, file_options, refused_data, refused_words, source


@click.group()
def scores() -> None:
    """Scores from other tools, in and out."""


@scores.command("import")
@click.argument("file")
@file_options("item_id, judge, value, reason, signature")
@common
def import_(run: Run, file: str, file_format: str, pairs: tuple[str, ...]) -> None:
    """Take scores in [0, 1] in; a judge's name becomes letters, digits and _."""
    from annotate.workflow.ingest import receive
    from annotate.workflow.ingest.ingest import SCORE_FIELDS

    each = source(file, file_format, pairs, SCORE_FIELDS)
    with run.store() as store:
        came, new = receive.scores(store, each, who=run.who, now=run.now)
    run.say(
        f"{came.rows:,} rows: {new:,} new scores{refused_words(came)}",
        {"rows": came.rows, "new": new, **refused_data(came)},
    )
    run.finish(came)


@scores.command()
@click.argument("file")
@common
def export(run: Run, file: str) -> None:
    """Write every score and failure of the current items."""
    from annotate.files import write_rows

    columns = ("item_id", "judge", "value", "reason", "signature", "reply")
    with run.reading() as store:
        count = write_rows(file, columns, store.scores.rows())
    run.exported(file, count, f"{count:,} rows written to {file}")


@click.group()
def rule() -> None:
    """The rule that turns scores into pass or fail."""


@rule.command("set")
@click.argument("expression")
@click.option("--name", default="custom", show_default=True, help="A new expression under a name is its next version.")
@click.option("--signature", "pairs", multiple=True, metavar="JUDGE=SIGNATURE", help="Which scores of a judge to read.")
@common
def set_(run: Run, expression: str, name: str, pairs: tuple[str, ...]) -> None:
    """Put a rule in force, like 'min(context_relevance, faithfulness) > 0.5'; pct(judge) is a percentile."""
    from annotate.present.guarantee import certified
    from annotate.workflow.judging import rules
    from proxy.records import Verdict

    chosen = dict(pair.partition("=")[::2] for pair in pairs)
    with run.store() as store:
        key, stored = rules.set_rule(store, name, expression, chosen, who=run.who, now=run.now)
        verdicts, record = store.rules.counts(key), store.guarantees.of(key)
    words = ", ".join(f"{count:,} {verdict}" for verdict, count in verdicts.items())
    if 0 in (verdicts[Verdict.PASS], verdicts[Verdict.FAIL]) and sum(verdicts.values()) > verdicts[Verdict.UNSCORED]:
        words += "; every scored item has the same verdict: does the cut lie on the scale of the scores?"
    run.say(
        f"in force: {stored.name} v{stored.version}: {stored.expression} ({stored.basis}), reading "
        f"{', '.join(stored.signatures.values())}; {words}{f'; {certified(record)}' if record else ''}",
        {
            "name": stored.name,
            "version": stored.version,
            "expression": stored.expression,
            "signatures": dict(stored.signatures),
            "verdicts": {str(word): n for word, n in verdicts.items()},
        },
    )


@rule.command("list")
@common
def list_(run: Run) -> None:
    """Every rule and version, the one in force marked, with what its cut is guaranteed to keep."""
    from annotate.present.guarantee import certified
    from annotate.present.schemas import guarantee

    with run.reading() as store:
        history, current = store.rules.history(), store.rules.in_force()
        record = store.guarantees.of(current[0]) if current else None
    if run.as_json:
        rows = []
        for stored, at, in_force in history:
            row: dict[str, object] = {
                "name": stored.name,
                "version": stored.version,
                "expression": stored.expression,
                "basis": stored.basis,
                "at": at,
                "in_force": in_force,
            }
            if in_force:
                row["guarantee"] = guarantee.of(record).model_dump(mode="json") if record else None
            rows.append(row)
        run.say("", {"rules": rows})
        return
    for one, at, in_force in history:
        click.echo(f"{'*' if in_force else ' '} {one.name} v{one.version}  {one.expression}  ({one.basis}; {at})")
        click.echo(f"    reading {', '.join(one.signatures.values())}")
        if in_force and record:
            click.echo(f"    {certified(record)}")
    if not history:
        click.echo("no rule yet: `assay judge` puts the default in force")
