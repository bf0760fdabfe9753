"""Summarise a run of LLM judges, in words and as data for machines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from proxy.records import FailureKind

if TYPE_CHECKING:
    from annotate.store.scores.calls import Used
    from annotate.workflow.judging.cost_estimate import CallEstimate
    from annotate.workflow.judging.one_call_check import OneCallCheck
    from annotate.workflow.judging.runs import ModelJudged

ABSTAINED = FailureKind.NOT_APPLICABLE
LLAMAINDEX_READS = ("context_relevance", "faithfulness_yes_no")
LLAMAINDEX = f"min({', '.join(LLAMAINDEX_READS)}) > 0.5"


def estimate_line(estimate: CallEstimate) -> str:
    """Say in one line what a run would take."""
    cost = "" if estimate.cost is None else f", about {estimate.cost:,.2f} in money"
    tokens = f"{_thousands(estimate.prompt_tokens)} prompt and {_thousands(estimate.completion_tokens)} reply tokens"
    return f"{estimate.items:,} items to judge: about {estimate.calls:,} calls, {tokens}{cost}"


def summary(judged: ModelJudged) -> str:
    """Summarise a run in one line."""
    kinds = {kind: count for kind, count in judged.failures.items() if kind != ABSTAINED}
    named = f" ({', '.join(f'{count:,} {kind}' for kind, count in kinds.items())})" if kinds else ""
    tokens = sum((used.prompt_tokens or 0) + (used.completion_tokens or 0) for used in judged.used)
    costs = [used.cost for used in judged.used if used.cost is not None]
    money = f", {sum(costs):,.4f} in money" if costs else ""
    return (
        f"{judged.items:,} items judged: {judged.scores:,} scores, {judged.failures.get(ABSTAINED, 0):,} abstentions, "
        f"{judged.failed:,} failures{named}; {sum(judged.attempts.values()):,} requests, {tokens:,} tokens{money}"
    )


def data(judged: ModelJudged) -> dict[str, object]:
    """Return everything as data for JSON."""
    return {
        "items": judged.items,
        "scores": judged.scores,
        "abstentions": judged.failures.get(ABSTAINED, 0),
        "errors": judged.failed,
        "failures": {str(kind): count for kind, count in judged.failures.items()},
        "judges": [_used(used) for used in judged.used],
        "attempts": dict(judged.attempts),
        "canaries": [
            {
                "judge": canary.judge,
                "signature": canary.signature,
                "value": canary.value,
                "fooled": canary.is_fooled,
                "reason": canary.reason,
            }
            for canary in judged.canaries
        ],
        "stopped": judged.stopped,
    }


def _used(requests: Used) -> Mapping[str, object]:
    """Return what some judges' requests took; `judge` says which, or that they were a probe or canaries."""
    signatures = requests.judges.split(" + ")
    names = "+".join(signature.split("|")[0] for signature in signatures)
    used = requests._asdict()
    del used["judges"]
    return {"judge": names, "signatures": signatures, **used}


def warnings(judged: ModelJudged, rule: str, reading: Mapping[str, object]) -> list[str]:
    """Warn of what a user should know beside the summary; `reading` are the signatures that the rule in force reads."""
    words = [
        f"{canary.judge} was talked into {canary.value:.2f} by an answer that tells it what to say: its scores can be "
        "steered, so label what words do not support first (`assay sample` does)"
        for canary in judged.canaries
        if canary.is_fooled
    ]
    signatures = {name: signature for judge in judged.judges for name, signature in judge.judges}
    suggestion = (
        rule if set(reading) <= set(signatures) else LLAMAINDEX if set(LLAMAINDEX_READS) <= set(signatures) else None
    )
    names = LLAMAINDEX_READS if suggestion == LLAMAINDEX else tuple(reading)
    if suggestion and any(reading.get(name) != signatures[name] for name in names):
        pairs = " ".join(f"--signature '{name}={signatures[name]}'" for name in names)
        words.append(f"the rule in force reads other scores; to read these: assay rule set '{suggestion}' {pairs}")
    if judged.reasons:
        reason, count = judged.reasons.most_common(1)[0]
        again = (
            ""
            if judged.failures.get(FailureKind.UNANSWERED) == judged.failed
            else "; --retry-failed asks again for them"
        )
        words.append(f"most failures ({count:,}): {reason}; `assay scores export` has the replies{again}")
    if any(dict(judge.settings).get("mode") == "last_line" for judge in judged.judges):
        words.append("the model keeps to no JSON form: it is asked for a last line, and gives no quotes to check")
    if judged.failures.get(FailureKind.UNANSWERED):
        words.append("what the endpoint did not answer is asked again by the next run")
    return words


def check_lines(check: OneCallCheck | None) -> list[str]:
    """Compare one call with two, a line a judge; and what the check used."""
    if check is None:
        return []
    lines = [
        f"{agreement.judge}: one call agrees with two on {agreement.same} of {agreement.items} items (same side of 0.5; "
        f"{agreement.interval.low:.0%} to {agreement.interval.high:.0%}, 95 % interval), "
        f"mean distance {agreement.distance:.2f}"
        for agreement in check.agreements
    ]
    stopped = [f"the check was stopped: {check.run.stopped}"] if check.run.stopped else []
    return [*lines, *stopped, f"the check: {summary(check.run)}"]


def check_data(check: OneCallCheck | None) -> dict[str, object] | None:
    """Return the same as data for JSON, with all that the check used; None without one."""
    if check is None:
        return None
    agreements = [
        {**asdict(agreement), "interval": {"low": agreement.interval.low, "high": agreement.interval.high}}
        for agreement in check.agreements
    ]
    return {"agreements": agreements, "run": data(check.run)}


def _thousands(count: int) -> str:
    return f"{count / 1_000_000:,.1f} million" if count >= 1_000_000 else f"{count:,}"
