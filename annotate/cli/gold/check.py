"""`assay gold check`: the gold set as a test of a system's new answers, with an exit status for CI."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from annotate.cli.context import PARTIAL, Run, common, hold
from proxy.errors import UsageError

if TYPE_CHECKING:
    from annotate.analysis.gold.regression import Judging
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
@click.option("--gate", is_flag=True, help="Exit with 3, and say why, where the system must not go out.")
@common
def check(run: Run, system: str, release: str | None, role: str, gate: bool, **who: Any) -> None:
    """Hold a system's new answers against the gold set: what broke, what was mended, and whether it is worse.

    Ingest the new answers first (`assay ingest`, with their `system`); an item answers the entry with the same question, or the
    one that its field `gold_id` names. Exit status 4: some questions have no answer or could not be judged; 3, with --gate:
    shown worse, nothing could be compared, a seriously harmful answer is wrong, or more broke than `allow_broken` in
    [gate.gold_check] of assay.toml. What is left to a judge that was not checked against people here is not decidable, and
    fails only with `require_checked_judge = true` there.
    """
    from annotate.analysis.gold import regression
    from annotate.domain import gate_limits
    from annotate.domain.gold.regression import DEFAULT_CUT
    from annotate.present import gold_check

    cut = DEFAULT_CUT if who["cut"] is None else who["cut"]
    limits = gate_limits.of_gold_check()
    with run.store(sends=who["backend"] == "openai") as store:
        judging, judge = _judging(run, store, who)
        request = regression.Request(system=system, judging=judging, cut=cut, role=role, release=release)
        checked = regression.run(store, request)
        result = checked.check
        detail = {"system": system, "release": release, "role": role, "judge": checked.signature or judge, "cut": cut}
        counts = {"entries": len(result.comparisons), **result.pairs._asdict(), "worse": result.is_worse}
        with store.atomic():
            store.events.append("gold check", {**detail, **counts}, who=run.who, now=run.now)
    if getattr(judging, "is_fooled", False):
        click.echo("the model was talked into a good verdict by an answer that tells it what to say", err=True)
    words = {"is_default": who["cut"] is None}
    gate_result, gaps = gold_check.gate(result, limits), gold_check.gaps(result)
    run.say(
        "\n".join(gold_check.lines(checked, system, judge, cut, **words)),
        {
            **gold_check.as_json(checked, system, judge, cut, **words),
            "gate": gate_result.as_json(),
            "gaps": gaps,
        },
    )
    for gap in gaps:
        click.echo(gap, err=True)
    if gate:
        hold(gate_result)
    if gaps:
        sys.exit(PARTIAL)


def _judging(run: Run, store: Store, who: Mapping[str, Any]) -> tuple[Judging, str]:
    """Return who judges, and the name to call it by where it was not asked."""
    from annotate.analysis.gold import regression

    if who["backend"] == "offline":
        if misplaced := [name for name in ("model", "max_tokens") if who[name] is not None]:
            raise UsageError(f"--{misplaced[0].replace('_', '-')} is for --backend openai")
        judge = _judge(who["name"])
        return regression.offline(judge), judge.signature
    from annotate.workflow.gold.judge_with_model import JUDGE, ModelJudging
    from annotate.workflow.judging.runs import Options
    from proxy.llm.openai_client import OpenAIEndpoint, usual_parameters

    if not who["model"] or who["name"] != JUDGE:
        raise UsageError(f"--backend openai needs --model M, and has the judge {JUDGE} alone")
    endpoint = OpenAIEndpoint(who["model"], url=who["base_url"])
    endpoint.check_key()
    options = Options(most_tokens=who["max_tokens"])
    return ModelJudging(store, endpoint, options, usual_parameters(endpoint.url), lambda: run.now), JUDGE


def _judge(name: str) -> Judge:
    """Return the judge of this name, of ours or of another package."""
    from annotate.plugins import from_entry_points
    from proxy import judges

    known = {judge.name: judge for judge in judges.reference_based()}
    if name not in known:
        known |= from_entry_points([name])
    if name not in known:
        raise UsageError(f"there is no judge {name} that reads references: there is {', '.join(known)}")
    return known[name]
