"""Say what to do next once answers are judged."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping

from annotate.analysis.next_step.commands import INGEST, JUDGE, SET_RULE
from annotate.analysis.rule_in_force import Unscored, is_model
from annotate.analysis.verdicts import Verdicts
from annotate.domain.message import Name, Step, message
from proxy.evaluation.candidates import FLAGS, is_lower_better, is_reference_based
from proxy.rule import Rule, with_judge

LLAMAINDEX_READS = ("context_relevance", "faithfulness_yes_no")
LLAMAINDEX = f"min({', '.join(LLAMAINDEX_READS)}) > 0.5"


def after_judging(
    verdicts: Verdicts, signatures: Mapping[str, str], *, named: Mapping[str, str] | None = None
) -> tuple[Step, ...]:
    """Say what would let answers pass where none does, and how the rule reads what was just judged.

    Parameters
    ----------
    verdicts : Verdicts
        Those of the rule in force.
    signatures : mapping
        The signature of each judge of a model that ran, by its name.
    named : mapping, optional
        The signature of each offline judge that was asked for by name.
    """
    steps, shortfall, rule = list[Step](), verdicts.shortfall, verdicts.rule
    if shortfall and shortfall.next:
        key = "steps.judge_by_reference" if shortfall.references else "steps.bring_passages"
        steps.append(Step(message(key), shortfall.next))
    reads = dict(rule.signatures)
    if not steps:
        steps += _read_named(named or {}, verdicts)
    if reads.keys() <= signatures.keys():
        expression, names = rule.expression, tuple(reads)
    else:
        expression, names = LLAMAINDEX, LLAMAINDEX_READS
    if signatures.keys() >= set(names) and any(reads.get(name) != signatures[name] for name in names):
        chosen = " ".join(f"--signature '{name}={signatures[name]}'" for name in names)
        steps.append(Step(message("steps.read_these"), (f"assay rule set '{expression}' {chosen}",)))
    return tuple(steps)


def _read_named(named: Mapping[str, str], verdicts: Verdicts) -> Iterator[Step]:
    """Say how a rule reads what offline judges that were asked for have scored, where the rule in force does not."""
    rule, reads = verdicts.rule, verdicts.rule.signatures
    # A metric that needs references is no proxy: it is read by a rule only where somebody has set such a rule.
    candidates = {
        name: signature for name, signature in named.items() if name not in FLAGS and not is_lower_better(name)
    }
    asked = {name: signature for name, signature in candidates.items() if name in reads or not is_reference_based(name)}
    if asked and not asked.keys() & reads.keys():
        judge = next(iter(asked))
        yield Step(
            message("steps.read_judge", judge=Name(judge)), (f"assay rule set '{_reading_also(verdicts, judge)}'",)
        )
    changed = [name for name in asked if name in reads and reads[name] != asked[name] and not is_model(reads[name])]
    if changed:
        yield Step(message("steps.read_these"), (reading(rule, {name: asked[name] for name in changed}),))


def _reading_also(verdicts: Verdicts, judge: str) -> str:
    """Return the rule in force with this judge added where it takes the lowest score and has all others, else the judge alone."""
    has_scores = all(scores.scored for scores in verdicts.scores)
    return (with_judge(verdicts.rule.expression, judge) if has_scores else None) or f"{judge} > 0.5"


def after_import(rule: Rule | None, unread: Mapping[str, str]) -> tuple[Step, ...]:
    """Say how the rule in force would read the scores that came in under other signatures."""
    if rule is None or not unread:
        return ()
    return (Step(message("steps.read_imported"), (reading(rule, unread),)),)


def reading(rule: Rule, signatures: Mapping[str, str]) -> str:
    """Return the command that sets the same rule on the scores of these signatures."""
    chosen = " ".join(f"--signature {shlex.quote(f'{name}={signature}')}" for name, signature in signatures.items())
    return f"assay rule set {shlex.quote(rule.expression)} {chosen}"


def after_rule(verdicts: Verdicts) -> tuple[Step, ...]:
    """Have the judges score that the rule reads and that have scored nothing."""
    commands = dict.fromkeys(scores.command for scores in verdicts.scores if scores.command)
    return (Step(message("steps.judge"), tuple(commands)),) if commands and sum(verdicts.counts.values()) else ()


def give_verdicts(unscored: Unscored | None) -> Step:
    """Say what gives the answers a verdict of the rule in force."""
    command = unscored.command if unscored else JUDGE
    key = {INGEST: "steps.ingest", SET_RULE: "steps.other_judge"}.get(command, "steps.judge")
    return Step(message(key), (command,))
