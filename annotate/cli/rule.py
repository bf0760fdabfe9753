"""Commands that import and export scores, and set the rule that turns scores into a verdict."""

from __future__ import annotations

import click

from annotate.cli.context import Run, common, file_options, refused_data, refused_words


@click.group()
def scores() -> None:
    """Scores from other tools, in and out."""


@scores.command("import")
@click.argument("file")
@file_options("item_id, judge, value, reason, signature")
@common
def import_(run: Run, file: str, file_format: str, pairs: tuple[str, ...]) -> None:
    """Take scores in [0, 1] in; a judge's name becomes letters, digits and _."""
    from annotate.domain.field_mapping import parse_mapping
    from annotate.workflow.ingest.ingest import SCORE_FIELDS

    done = run.project.import_scores(file, fields=parse_mapping(pairs, SCORE_FIELDS), file_format=file_format)
    came = done.intake
    run.end(
        run.imported(
            came,
            f"{came.rows:,} rows: {done.new:,} new scores{refused_words(came)}",
            {"rows": came.rows, "new": done.new, **refused_data(came)},
        )
    )


@scores.command()
@click.argument("file")
@common
def export(run: Run, file: str) -> None:
    """Write every score and failure of the current items."""
    count = run.project.scores.export(file)
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
    from annotate.present.messages import text
    from proxy.records import Verdict

    chosen = dict(pair.partition("=")[::2] for pair in pairs)
    done = run.project.rules.set(expression, name=name, signatures=chosen)
    stored, verdicts, record = done.rule, done.counts, done.guarantee
    words = ", ".join(f"{count:,} {verdict}" for verdict, count in verdicts.items())
    if 0 in (verdicts[Verdict.PASS], verdicts[Verdict.FAIL]) and sum(verdicts.values()) > verdicts[Verdict.UNSCORED]:
        words += "; every scored item has the same verdict: does the cut lie on the scale of the scores?"
    run.say(
        f"in force: {stored.name} v{stored.version}: {stored.expression} ({stored.basis}), reading "
        f"{', '.join(stored.signatures.values())}; {words}{f'; {text(certified(record))}' if record else ''}",
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
    from annotate.present.messages import text
    from annotate.present.schemas import guarantee

    history = run.project.rules.history()
    if run.as_json:
        rows = []
        for version in history:
            row: dict[str, object] = {
                "name": version.rule.name,
                "version": version.rule.version,
                "expression": version.rule.expression,
                "basis": version.rule.basis,
                "at": version.at,
                "in_force": version.is_in_force,
            }
            if version.is_in_force:
                row["guarantee"] = (
                    guarantee.of(version.guarantee).model_dump(mode="json") if version.guarantee else None
                )
            rows.append(row)
        run.say("", {"rules": rows})
        return
    for version in history:
        rule, mark = version.rule, "*" if version.is_in_force else " "
        click.echo(f"{mark} {rule.name} v{rule.version}  {rule.expression}  ({rule.basis}; {version.at})")
        click.echo(f"    reading {', '.join(rule.signatures.values())}")
        if version.guarantee:
            click.echo(f"    {text(certified(version.guarantee))}")
    if not history:
        click.echo("no rule yet: `assay judge` puts the default in force")
