"""Say what a judge gave the answers of two systems; it is named as the judge's opinion, not the annotators'."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from annotate.analysis.comparison.graded import LISTED, JudgeGrades
from annotate.domain.message import (
    Code,
    EvidenceText,
    IntervalBasis,
    Kind,
    Listing,
    Message,
    Name,
    Quote,
    Value,
    coefficient,
    message,
)
from annotate.present.document import Block, Column, Detail, Figure, Figures, Section, Table
from proxy.comparison.grade_pairs import GradeTally
from proxy.comparison.graded import OfQuestion
from proxy.evaluation.estimate import Estimate


def sections(judge_grades: JudgeGrades, names: tuple[str, str]) -> Iterator[Section]:
    """Return the means of both and their difference, then what each question got."""
    grades = judge_grades.grades
    difference = message(
        "systems.mean_difference",
        difference=_evidence(grades.difference, is_signed=True),
        method=message("systems.mean_paired" if grades.is_paired else "systems.mean_welch"),
    )
    yield Section(message("systems.grades"), (means(judge_grades, names), difference))
    blocks: list[Block] = list(basis(judge_grades))
    if grades.questions:
        shown = judge_grades.grades.questions[:LISTED]
        blocks.append(questions(shown, judge_grades.questions, names, len(judge_grades.grades.questions)))
    yield Section(message("systems.grades_chart"), tuple(blocks), Detail.FULL)


def basis(judge_grades: JudgeGrades) -> Iterator[Message]:
    """Say whose opinion it is, and what of it is not read."""
    yield message("systems.grades_word", signature=Code(judge_grades.grades.signature))
    if judge_grades.others:
        yield message("systems.grades_others", n=judge_grades.others)


def figures(judge_grades: JudgeGrades, names: tuple[str, str]) -> Figures:
    """Give the means of both and their difference."""
    grades = judge_grades.grades
    top = message("systems.mean_of", top=grades.scale.top or 1)
    method = message("systems.mean_paired" if grades.is_paired else "systems.mean_welch")
    means_of = (
        _figure(message("values.colon", label=Name(name), words=top), mean)
        for name, mean in zip(names, (grades.first, grades.second), strict=True)
    )
    gap = _figure(message("systems.difference"), grades.difference)
    return Figures((*means_of, gap._replace(is_signed=True, lines=(*gap.lines, method))))


def picture(shown: Sequence[OfQuestion], names: tuple[str, str]) -> Message:
    """Say what each question got."""
    parts = tuple(
        message("values.colon", label=place, words=Listing((coefficient(pair.first), coefficient(pair.second))))
        for place, pair in enumerate(shown, start=1)
    )
    grades = Listing(parts, "values.semicolon")
    return message("systems.grades_alt", first=Name(names[0]), second=Name(names[1]), grades=grades)


def tallied(counted: GradeTally) -> Message:
    """Say on how many questions which of the two was graded higher."""
    counts = {"higher": counted.higher, "lower": counted.lower, "equal": counted.equal}
    return message("systems.grades_tally", **counts)


def means(judge_grades: JudgeGrades, names: tuple[str, str]) -> Message:
    """Say what a judge gave both on average."""
    grades = judge_grades.grades
    return message(
        "systems.means",
        judge=Code(grades.judge.removesuffix("_vs_reference")),
        top=grades.scale.top or 1,
        first=Name(names[0]),
        second=Name(names[1]),
        first_mean=_evidence(grades.first),
        second_mean=_evidence(grades.second),
    )


def _evidence(mean: Estimate, *, is_signed: bool = False) -> EvidenceText:
    return EvidenceText(mean, Kind.COEFFICIENT, IntervalBasis.WINDOW, is_signed)


def _figure(label: Message, mean: Estimate) -> Figure:
    lines = (message("report.reason", reason=mean.reason),) if mean.reason else ()
    return Figure("mean", label, mean, Kind.COEFFICIENT, help=message("systems.mean_help"), lines=lines)


def questions(
    shown: Sequence[OfQuestion], texts: Mapping[str, str], names: tuple[str, str], of: int, *, has_link: bool = False
) -> Table:
    """List questions with both grades, of so many; with `has_link` the question stands first, where a row is chosen."""
    columns: tuple[Column, ...] = (
        *(Column(message("systems.grade_of", name=Name(name)), is_number=True) for name in names),
        Column(message("systems.question"), is_wide=True),
    )
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (
            coefficient(graded.first),
            coefficient(graded.second),
            Quote(texts.get(graded.question, graded.question)),
        )
        for graded in shown
    )
    if has_link:
        columns, rows = (columns[-1], *columns[:-1]), tuple((row[-1], *row[:-1]) for row in rows)
    caption = message("systems.grades_shown", shown=len(rows), n=of)
    return Table(columns, rows, caption if len(rows) < of else None)
