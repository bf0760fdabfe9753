"""Define the command `assay`: one subcommand for each stage of the loop, in the loop's order.

Known errors are one line on standard error and exit status 1 (2 for wrong usage), a command that was stopped ends with 128 and
the number of the signal, a bug keeps its traceback. Options may stand in `assay.toml`, a table for each command (`[report]` with
`limit = 0.95`), or in ASSAY_… variables.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

from annotate.cli import (
    align,
    app,
    calibrate,
    compare,
    diagnose,
    drift,
    gold,
    ingest,
    judge,
    label_studio,
    labels,
    maintenance,
    mcp,
    metrics,
    next_step,
    nightly,
    plan,
    questions,
    report,
    rule,
    sample,
    serve,
    show,
    slices,
    up,
)
from annotate.cli.examples import add_examples
from annotate.cli.gold import check
from annotate.cli.typed_settings import checked
from annotate.progress.stopping import stopped_by, stops_like_ctrl_c
from annotate.settings import SETTINGS, TABLES, settings
from annotate.terminal import shown_safely
from proxy.errors import AssayError, UsageError

LONGEST_ERROR = 2000
# Records make few cycles: looking for them after every 700 took a twentieth of a report's time.
COLLECT_AFTER = 50_000


class StagedGroup(click.Group):
    """The group that keeps its commands in the loop's order and turns known errors into one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which they were added."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by what they are for."""
        width = formatter.width - 6 - max(map(len, self.commands))
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(str(command.name), command.get_short_help_str(width)) for command in commands])

    def main(self, *args: Any, **options: Any) -> Any:
        """Run the group; nothing that is written, also by click, may contain control sequences for the terminal."""
        gc.set_threshold(COLLECT_AFTER)
        with shown_safely():
            return super().main(*args, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; say what went wrong in one line."""
        try:
            with stops_like_ctrl_c():
                ctx.default_map = _options()
                return super().invoke(ctx)
        except KeyboardInterrupt as stop:
            click.echo("stopped; what was done so far is kept: run the same command again to go on", err=True)
            sys.exit(128 + stopped_by(stop))
        except AssayError as error:
            from annotate.present.messages import one_line

            click.echo(f"assay: {one_line(str(error), LONGEST_ERROR)}", err=True)
            sys.exit(2 if isinstance(error, UsageError) else 1)


def _options() -> dict[str, Any]:
    """Return the options that assay.toml gives; `db` at its top is every command's --db."""
    whole = settings()
    if odd := [name for name in TABLES if not isinstance(whole.get(name, {}), dict)]:
        raise UsageError(f"{SETTINGS}: {odd[0]} is a table, [{odd[0]}]")
    tables = {name: value for name, value in whole.items() if name not in TABLES}
    shared = {name: value for name, value in tables.items() if not isinstance(value, dict)}
    odd = [name for name in shared if name != "db"] + [
        name for name, value in tables.items() if isinstance(value, dict) and name not in main.commands
    ]
    if odd:
        raise UsageError(
            f"{SETTINGS} knows db, prices, gate, redaction, traffic, signin, draft and a table for each command, not "
            f"{', '.join(odd)}"
        )
    return _defaults(main, shared, tables)


def _defaults(group: click.Group, shared: dict[str, Any], tables: dict[str, Any]) -> dict[str, Any]:
    """Return click's defaults for each command from the table of its name, options written as on the command line."""
    defaults: dict[str, Any] = {}
    for name, command in group.commands.items():
        table = tables.get(name, {})
        if not isinstance(table, dict):
            raise UsageError(f"{SETTINGS}: {name} is a group of commands; write a table for each")
        if isinstance(command, click.Group):
            defaults[name] = _defaults(command, shared, table)
            continue
        options = {
            flag.lstrip("-"): option
            for option in command.params
            for flag in option.opts
            if isinstance(option, click.Option)
        }
        unknown = [key for key in table if key.replace("_", "-") not in options]
        if unknown:
            raise UsageError(f"{SETTINGS}: [{name}] knows {', '.join(sorted(options))}, not {', '.join(unknown)}")
        defaults[name] = {}
        for where, given in (("", shared), (f"[{name}] ", table)):
            for key, value in given.items():
                if option := options.get(key.replace("_", "-")):
                    defaults[name][str(option.name)] = checked(option, f"{SETTINGS}: {where}{key}", value)
    return defaults


@click.group(
    cls=StagedGroup,
    context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "ASSAY", "max_content_width": 120},
)
@click.version_option(package_name="assay", prog_name="assay")
def main() -> None:
    """How far can the automatic judges of your RAG or LLM app be trusted?

    The loop: ingest, judge, sample, push, pull, report, gold. `assay demo` walks it on synthetic data.
    """


gold.gold.add_command(check.check)
SECTIONS: Mapping[str, Sequence[click.Command]] = {
    "Bring in": (maintenance.init, ingest.ingest, ingest.feedback, rule.scores, ingest.quarantine, serve.serve),
    "Judge": (judge.judge, align.align, rule.rule, metrics.metrics),
    "Label": (
        plan.plan,
        plan.simulate,
        sample.sample,
        label_studio.push,
        label_studio.pull,
        label_studio.server,
        up.up,
        sample.draws,
        labels.labels,
    ),
    "Decide": (
        report.report,
        show.show,
        calibrate.calibrate,
        diagnose.diagnose,
        slices.slices,
        compare.compare,
        drift.drift,
    ),
    "Gold set": (gold.gold, questions.questions),
    "Look after": (
        next_step.next_step,
        nightly.nightly,
        app.app,
        mcp.mcp,
        maintenance.doctor,
        maintenance.backup,
        maintenance.forget,
        maintenance.events,
        next_step.schema,
        app.demo,
    ),
}
for _commands in SECTIONS.values():
    for _command in _commands:
        main.add_command(_command)
add_examples(main)
