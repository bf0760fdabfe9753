"""`assay gold check`: the gold set as a test of a system's new answers, with an exit status for CI."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from annotate.commands.run import GATE_FAILED, PARTIAL, Run, common
from proxy.errors import UsageError

if TYPE_CHECKING:
    from annotate.gold.check import Check
    from annotate.gold_checking import Judging
    from annotate.store import Store
    from proxy.judges.base import Judge


@click.command("check")
@click.option("--system", required=True, help="The system whose answers to the gold questions are in the store.")
@click.option("--release", help="The entries of this release; without it, all that are accepted now.")
@click.option(
    "--role",
    type=click.Choice(["test", "calibration", "examples", "all"]),
    default="test",
    show_default=True,
    help="Entries of this role.",
)
@click.option(
    "--judge", "name", default="correctness_vs_reference", show_default=True, help="Who judges against the reference."
)
@click.option(
    "--backend", type=click.Choice(["offline", "openai"]), default="offline", show_default=True, help="Who judges."
)
@click.option("--model", metavar="M", help="With --backend openai: the model's name at the endpoint.")
@click.option("--base-url", metavar="URL", envvar="OPENAI_BASE_URL", help="The endpoint; without it, OpenAI's own.")
@click.option("--max-tokens", type=click.IntRange(0), metavar="N", help="Tokens that the model may use.")
@click.option("--cut", type=click.FloatRange(0, 1), help="An answer is right above this score; 0.5 if left out.")
@click.option(
    "--allow-broken", type=click.IntRange(min=0), metavar="N", help="Fail where more than N right answers broke."
)
@common
def check(run: Run, system: str, release: str | None, role: str, allow_broken: int | None, **who: Any) -> None:
    """Hold a system's new answers against the gold set: what broke, what was mended, and whether it is worse.

    Ingest the new answers first (`assay ingest`, with their `system`); an item answers the entry with the same question, or the
    one that its field `gold_id` names. Exit status 3: shown worse, or worse by a judge that was not checked, more broke than
    allowed, or a seriously harmful answer is wrong; 4: some questions have no answer or could not be judged.
    """
    from annotate import gold_check_text, gold_checking
    from annotate.gold.check import DEFAULT_CUT

    cut = DEFAULT_CUT if who["cut"] is None else who["cut"]
    with run.store() as store:
        judging, judge = _judging(run, store, who)
        request = gold_checking.Request(system=system, judging=judging, cut=cut, role=role, release=release)
        checked = gold_checking.run(store, request)
        found = checked.check
        detail = {"system": system, "release": release, "role": role, "judge": checked.signature or judge, "cut": cut}
        counts = {"entries": len(found.comparisons), **found.pairs._asdict(), "worse": found.is_worse}
        with store.atomic():
            store.events.append("gold check", {**detail, **counts}, who=run.who, now=run.now)
    if getattr(judging, "is_fooled", False):
        click.echo("the model was talked into a good verdict by an answer that tells it what to say", err=True)
    words = {"is_default": who["cut"] is None}
    status, reasons = _status(found, allow_broken)
    run.say(
        "\n".join(gold_check_text.lines(checked, system, judge, cut, **words)),
        {**gold_check_text.as_json(checked, system, judge, cut, **words), "failed": reasons},
    )
    for reason in reasons:
        click.echo(reason, err=True)
    if status:
        sys.exit(status)


def _judging(run: Run, store: Store, who: Mapping[str, Any]) -> tuple[Judging, str]:
    """Who judges, and the name to call it by where it was not asked."""
    from annotate import gold_checking

    if who["backend"] == "offline":
        if given := [name for name in ("model", "max_tokens") if who[name] is not None]:
            raise UsageError(f"--{given[0].replace('_', '-')} is for --backend openai")
        judge = _judge(who["name"])
        return gold_checking.offline(judge), judge.signature
    from annotate.gold_model import JUDGE, ModelJudging
    from annotate.model_runs import Options
    from proxy.openai_client import OpenAIEndpoint, usual_parameters

    if not who["model"] or who["name"] != JUDGE:
        raise UsageError(f"--backend openai needs --model M, and has the judge {JUDGE} alone")
    endpoint = OpenAIEndpoint(who["model"], url=who["base_url"])
    endpoint.check_key()
    options = Options(most_tokens=who["max_tokens"])
    return ModelJudging(store, endpoint, options, usual_parameters(endpoint.url), lambda: run.now), JUDGE


def _judge(name: str) -> Judge:
    """The judge of this name, of ours or of another package."""
    from annotate.plugins import from_entry_points
    from proxy import judges

    found = {one.name: one for one in judges.reference_based()}
    if name not in found:
        found |= from_entry_points([name])
    if name not in found:
        raise UsageError(f"there is no judge {name} that reads references: there is {', '.join(found)}")
    return found[name]


def _status(found: Check, allow_broken: int | None) -> tuple[int, list[str]]:
    """The exit status, and why it is not 0."""
    from annotate.gold.check import Fate
    from annotate.gold_check_text import JUDGES_WORD

    broke = len(found.of(Fate.BROKE))
    words = f"it looks worse {JUDGES_WORD}" if found.takes_judges_word else "shown worse than before"
    failed = [f"the gate failed: {words}"] if found.is_worse else []
    if allow_broken is not None and broke > allow_broken:
        failed.append(f"the gate failed: {broke:,} right answers broke, {allow_broken:,} are allowed")
    if found.serious:
        names = ", ".join(one.entry.gold_id for one in found.serious)
        failed.append(f"the gate failed: wrong where a wrong answer was called seriously harmful: {names}")
    if failed:
        return GATE_FAILED, failed
    partial = [
        f"{len(each):,} gold questions {words}"
        for fate, words in ((Fate.NO_ANSWER, "have no answer"), (Fate.NOT_JUDGED, "could not be judged"))
        if (each := found.of(fate))
    ]
    if untold := [one for one in found.of(Fate.CANNOT_TELL) if one.is_serious]:
        partial.append(f"{len(untold):,} seriously harmful answers that the judge cannot tell: label the new ones")
    return (PARTIAL, partial) if partial else (0, [])
