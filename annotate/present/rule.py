"""Build the document of the rule that was put in force, and the history of rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from annotate.analysis.verdicts import RuleVersion, Verdicts
from annotate.domain.message import Code, Listing, Message, Name, Step, Value, message
from annotate.present.document import Block, Column, Detail, Document, Section, Status, Table
from annotate.present.guarantee import certified
from proxy.evaluation.candidates import misread
from proxy.records import Verdict
from proxy.rule import Rule

COUNTS = {"passed": Verdict.PASS, "failed": Verdict.FAIL, "unscored": Verdict.UNSCORED}


def document(verdicts: Verdicts, steps: Sequence[Step] = ()) -> Document:
    """Build the document of the rule in force, how many answers have each verdict, and what its threshold is guaranteed to keep.

    Parameters
    ----------
    verdicts : Verdicts
        The rule, and the verdicts and scores that there are.
    steps : sequence of Step
        What to do next.
    """
    rule, counts = verdicts.rule, verdicts.counts
    blocks: list[Block] = [counted(verdicts)]
    if verdicts.scores:
        scored = (
            message("rule.judge_scores", judge=Name(scores.judge), count=scores.scored) for scores in verdicts.scores
        )
        blocks.append(message("rule.scores", judges=Listing(tuple(scored))))
    blocks.append(message("rule.reads", basis=rule.basis, signatures=_signatures(rule)))
    if verdicts.guarantee:
        blocks.append(certified(verdicts.guarantee))
    notes = [message("rule.lower_better", judge=Code(judge)) for judge in misread(rule)]
    if _has_one_verdict(counts):
        notes.append(message("rule.one_verdict"))
    if sum(counts.values()):
        lacking = (scores for scores in verdicts.scores if not scores.scored)
        notes += [message("rule.no_scores", judge=Name(scores.judge)) for scores in lacking]
    return Document(in_force(rule), Status.DONE, (Section(None, tuple(blocks)),), tuple(notes), tuple(steps))


def history(versions: Sequence[RuleVersion]) -> Document:
    """Return every rule and version, the one in force first."""
    current = next((version for version in versions if version.is_in_force), None)
    sections = list[Section]()
    if current and current.guarantee:
        sections.append(Section(None, (certified(current.guarantee),)))
    if versions:
        sections.append(Section(message("rule.versions"), tuple(_versions(versions))))
        sections.append(Section(message("rule.signatures"), tuple(_all_signatures(versions)), Detail.FULL))
    return Document(in_force(current.rule) if current else message("rule.none"), Status.DONE, tuple(sections))


def in_force(rule: Rule) -> Message:
    """Say which rule is in force."""
    return message("rule.set", name=Name(rule.name), version=rule.version, expression=Code(rule.expression))


def counted(verdicts: Verdicts) -> Message:
    """Say how many answers have each verdict."""
    return message("rule.counts", **{name: verdicts.counts[verdict] for name, verdict in COUNTS.items()})


def _signatures(rule: Rule) -> Value:
    return Listing(tuple(map(Code, rule.signatures.values())))


def _has_one_verdict(counts: Mapping[Verdict, int]) -> bool:
    """Whether answers are scored, and all pass or all fail."""
    passed, failed = counts[Verdict.PASS], counts[Verdict.FAIL]
    return (passed == 0) != (failed == 0)


def _versions(versions: Sequence[RuleVersion]) -> Iterator[Table]:
    columns = tuple(
        Column(message(f"rule.{name}"), is_number=name == "version", is_wide=name in {"expression", "basis"})
        for name in ("in_force", "name", "version", "expression", "basis", "at")
    )
    rows = tuple(
        (
            "*" if version.is_in_force else "",
            Name(version.rule.name),
            version.rule.version,
            Code(version.rule.expression),
            version.rule.basis,
            Name(version.at),
        )
        for version in versions
    )
    yield Table(columns, rows, name="rules")


def _all_signatures(versions: Sequence[RuleVersion]) -> Iterator[Message]:
    for version in versions:
        yield message("values.colon", label=Code(version.rule.expression), words=_signatures(version.rule))
