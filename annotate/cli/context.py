"""The context of one run of a command: the project, --json, and what is printed of a result."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from annotate.settings import DEFAULT_STORE
from annotate.terminal import write
from proxy.errors import UsageError
from proxy.text.controls import as_json

if TYPE_CHECKING:
    from annotate.analysis.report.gate import Gate
    from annotate.domain.gold.outcomes import Exported
    from annotate.present.actions import WrittenFile
    from annotate.present.answer import Answer
    from annotate.project import Project

Result = TypeVar("Result")
GATE_FAILED, PARTIAL = 3, 4
LONGEST_REASON = 500
LONGEST_NOTE = 1000
# Options that are a whole command's, and not a stage's.
SHARED = ("db", "as_json", "full", "as_markdown", "junit")
# What SQLite keeps as a whole number.
LARGEST = 2**63 - 1


@dataclass(frozen=True)
class CommandRun:
    """One run of a command."""

    db: Path
    as_json: bool
    full: bool = False
    as_markdown: bool = False
    junit: str | None = None

    @property
    def project(self) -> Project:
        """The store of this run, with what can be done with it."""
        from annotate.project import Project

        return Project.open(self.db)

    def answer(self, answer: Answer[object]) -> None:
        """Print an answer: its lines for users, one JSON object with --json, and what --markdown and --junit ask for."""
        if self.junit is not None:
            _write_junit(answer, self.junit)
        if self.as_json:
            click.echo(_json(answer.to_dict()))
        elif self.as_markdown:
            click.echo(answer.to_markdown(), nl=False)
        else:
            write(answer.to_text(full=self.full), partial(answer.to_text, full=self.full, colour=True))

    def first(self, answer: Answer[object]) -> None:
        """Print what was done before the command's own answer; with --json on standard error, since one object comes out."""
        click.echo(answer.to_text(), err=self.as_json, nl=False)

    def done(self, answer: Answer[object], status: int | None = None) -> None:
        """Print what a command did, whole, with its notes on standard error; exit with 4 where it is not complete."""
        if self.as_json:
            click.echo(_json(answer.to_dict()))
        else:
            plain = replace(answer, document=answer.document._replace(notes=()))
            write(plain.to_text(full=True), partial(plain.to_text, full=True, colour=True))
            sys.stdout.flush()  # `assay up` goes on
        self.note(answer)
        if status := partial_status(answer.result) if status is None else status:
            sys.exit(status)

    def exit_if_partial(self, answer: Answer[object]) -> None:
        """Exit with 4 where the answer is not complete."""
        if status := partial_status(answer.result):
            sys.exit(status)

    def note(self, answer: Answer[object]) -> None:
        """Print what to know beside what was done, on standard error."""
        from annotate.present.messages import LeavingWriter

        writer = LeavingWriter(longest=LONGEST_NOTE)
        for note in answer.document.notes:
            click.echo(writer.write(note), err=True)

    def wrote(self, answer: Answer[WrittenFile] | Answer[Exported]) -> None:
        """Print what was exported, on standard error where the file is standard output."""
        if answer.result.file == "-":
            click.echo(answer.to_text(full=True), err=True, nl=False)
        else:
            self.done(answer)

    def warn(self, line: str) -> None:
        """Print a line on standard error, from any thread."""
        from annotate.present.commands import for_store, typed_within

        with for_store(self.db):
            click.echo(typed_within(line), err=True)

    def say(self, line: str, data: Mapping[str, object]) -> None:
        """The summary: one line for users, one JSON object with --json."""
        click.echo(_json(data) if self.as_json else line)


def _write_junit(answer: Answer[object], file: str) -> None:
    """Write the conditions of an answer's gate, in the name of the command."""
    from annotate.files.writing import write_whole

    suite = click.get_current_context().command_path
    write_whole(file, ".xml", lambda stream: stream.write(answer.to_junit(suite).encode()))


def _json(values: Mapping[str, object]) -> str:
    """Return one JSON object, with its texts as redaction lets them out."""
    from annotate.domain.privacy.redaction import printed

    return as_json(printed(values))


def partial_status(result: object) -> int:
    """Return 4 where some rows were refused or some items failed."""
    return 0 if getattr(result, "is_complete", True) else PARTIAL


def hold(gate: Gate) -> None:
    """Exit with 3 where the gate failed, and say on standard error why, or why it cannot be decided."""
    lines, status = gated(gate)
    for line in lines:
        click.echo(line, err=True)
    if status:
        sys.exit(status)


def gated(gate: Gate) -> tuple[list[str], int]:
    """Say why a gate failed, or why it cannot be decided, a line a reason; with 3 as the exit status where it failed."""
    from annotate.present.commands import typed_within
    from annotate.present.messages import one_line

    failed = [f"gate failed: {typed_within(one_line(reason, LONGEST_REASON))}" for reason in gate.reasons]
    undecided = [f"gate: not decidable: {typed_within(one_line(reason, LONGEST_REASON))}" for reason in gate.undecided]
    return failed + undecided, GATE_FAILED if gate.reasons else 0


def common(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command --db and --json, and hand it a CommandRun."""
    return _on_store(function, DEFAULT_STORE, "The store (or ASSAY_DB).", envvar="ASSAY_DB")


def on_demo(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the same on a store of its own: the demo never touches the one that ASSAY_DB names."""
    return _on_store(function, "assay-demo.db", "The demo's store.", envvar=None)


def _on_store(function: Callable[..., None], default: str, what: str, *, envvar: str | None) -> Callable[..., None]:
    @click.option(
        "--db",
        envvar=envvar,
        default=default,
        show_default=True,
        type=click.Path(path_type=Path, dir_okay=False),
        help=what,
    )
    @click.option("--json", "as_json", is_flag=True, help="One JSON object for machines.")
    @functools.wraps(function)
    def command(*args: Any, db: Path, as_json: bool, **options: Any) -> None:
        from annotate.present.commands import for_store
        from annotate.project.masking import followed

        refuse_odd_numbers(click.get_current_context())
        with for_store(db), followed(db):
            function(CommandRun(db, as_json), *args, **options)

    return command


def answering(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command that answers a question --full beside the common options."""

    @click.option("--full", is_flag=True, help="Everything, not only the first 25 lines.")
    @functools.wraps(function)
    def command(run: CommandRun, *args: Any, full: bool, **options: Any) -> None:
        function(replace(run, full=full), *args, **options)

    return common(command)


def answering_in_ci(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command that has a gate --markdown and --junit beside the options of one that answers."""

    @click.option("--markdown", "as_markdown", is_flag=True, help="As Markdown, with the gate, for a pull request.")
    @click.option("--junit", metavar="FILE", help="Write each condition of the gate as a test case, to an .xml file.")
    @functools.wraps(function)
    def command(run: CommandRun, *args: Any, as_markdown: bool, junit: str | None, **options: Any) -> None:
        if as_markdown and run.as_json:
            raise UsageError("--markdown and --json both write to standard output: leave one out")
        function(replace(run, as_markdown=as_markdown, junit=junit), *args, **options)

    return answering(command)


def refuse_odd_numbers(context: click.Context) -> None:
    """A usage error for a number that nothing can be done with: nan, infinity, or one beyond 63 bits.

    click's ranges let nan through, since it is on neither side of a limit. Wherever a value comes from (the command line,
    assay.toml, a variable), it is a parameter of the context by now.
    """
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        is_odd = isinstance(value, (int, float)) and not abs(value) <= LARGEST  # nan is on no side
        if is_odd:
            raise click.BadParameter(f"{value} is no number that can be used", ctx=context, param=parameter)


def options_of(stage: str, *words: str) -> dict[str, Any]:
    """Return the options of a stage's command as if these words were typed, settings and environment included."""
    group = click.get_current_context().parent
    if group is None or not isinstance(group.command, click.Group):
        raise UsageError("this is a command of `assay`")
    with group.command.commands[stage].make_context(stage, list(words), parent=group) as context:
        refuse_odd_numbers(context)
        options = {name: value for name, value in context.params.items() if name not in SHARED}
    for name in ("dry_run", "preview"):
        if options.pop(name, False):
            raise UsageError(f"[{stage}] {name.replace('_', '-')}: a run changes the store, so leave it out")
    return options


# The tools whose rows `assay ingest` reads; a test holds them to `annotate.traffic.formats`, which is slow to import.
TOOLS = (
    "own",
    "otlp",
    "openinference",
    "genai",
    "trulens",
    "langfuse",
    "langsmith",
    "mlflow",
    "promptfoo",
    "ragas",
    "deepeval",
    "label_studio",
    "trulens_records",
    "open_webui",
    "calls",
    "chat",
    "qa",
)


def file_options(fields: str, *, has_tools: bool = False) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add --format and --map, for commands that read files; with `has_tools` --format takes the tool that wrote them too."""
    kinds = ["auto", "jsonl", "json", "csv", "parquet", "arrow", "excel", *(TOOLS if has_tools else ())]

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        function = click.option(
            "--map",
            "pairs",
            multiple=True,
            metavar="FIELD=PATH",
            help=f"Where a field lies in your file; fields: {fields}.",
        )(function)
        function = click.option(
            "--encoding",
            default="auto",
            show_default=True,
            metavar="NAME",
            help="Of a text, such as cp1252 or shift_jis; auto looks at the content.",
        )(function)
        return click.option(
            "--format",
            "file_format",
            type=click.Choice(kinds),
            default="auto",
            show_default=True,
            help="auto looks at the content.",
        )(function)

    return decorate


def scale_option(function: Callable[..., None]) -> Callable[..., None]:
    """Add --scale, for commands that read scores of other tools."""
    return click.option(
        "--scale",
        "scales",
        multiple=True,
        metavar="NAME=1..5",
        help="The scale of a tool's judge, worst first, where it is not 0 to 1; of words NAME=bad,fair,good.",
    )(function)


def parse_scales(pairs: tuple[str, ...]) -> dict[str, str]:
    """Parse --scale."""
    from proxy.errors import UsageError

    scales = dict(pair.partition("=")[::2] for pair in pairs)
    if odd := [name for name, scale in scales.items() if not name or not scale]:
        raise UsageError(f"--scale {odd[0]}: write NAME=1..5, or NAME=bad,fair,good")
    return scales
