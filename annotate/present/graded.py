"""Tell what a judge gave the answers of two systems; it is called a judge's word."""

from __future__ import annotations

from collections.abc import Iterator

from annotate.analysis.comparison.graded import LISTED, JudgesWord
from annotate.domain.message import Basis, Code, Evidence, Kind, Message, Name, Number, Quote, Value, message
from annotate.present.document import Block, Column, Detail, Section, Table
from proxy.evaluation.estimate import Estimate
from proxy.stats.testing.paired_power import MeanWithin


def sections(word: JudgesWord, names: tuple[str, str]) -> Iterator[Section]:
    """Tell the means of both and their difference, then what each question got."""
    grades = word.found
    difference = message(
        "systems.mean_difference",
        difference=mean(grades.difference, is_signed=True),
        method=message("systems.mean_paired" if grades.is_paired else "systems.mean_welch"),
    )
    yield Section(message("systems.grades"), (means(word, names), difference))
    blocks: list[Block] = [message("systems.grades_word", signature=Code(grades.signature))]
    if word.others:
        blocks.append(message("systems.grades_others", n=word.others))
    if grades.questions:
        blocks.append(_questions(word, names))
    yield Section(message("systems.grades_chart"), tuple(blocks), Detail.FULL)


def means(word: JudgesWord, names: tuple[str, str]) -> Message:
    """Say what a judge gave both on average."""
    grades = word.found
    return message(
        "systems.means",
        judge=Code(grades.judge.removesuffix("_vs_reference")),
        top=grades.scale.top or 1,
        first=Name(names[0]),
        second=Name(names[1]),
        first_mean=mean(grades.first),
        second_mean=mean(grades.second),
    )


def mean(within: MeanWithin, *, is_signed: bool = False) -> Evidence:
    """Give a mean of grades with its interval."""
    estimate = Estimate(estimate=within.mean, low=within.low, high=within.high, n=within.n)
    return Evidence(estimate, Kind.COEFFICIENT, Basis.WINDOW, is_signed)


def _questions(word: JudgesWord, names: tuple[str, str]) -> Table:
    columns = (
        *(Column(message("systems.grade_of", name=Name(name)), is_number=True) for name in names),
        Column(message("systems.question"), is_wide=True),
    )
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (
            Number(graded.first, Kind.COEFFICIENT),
            Number(graded.second, Kind.COEFFICIENT),
            Quote(word.questions.get(graded.question, graded.question)),
        )
        for graded in word.found.questions[:LISTED]
    )
    shown = message("systems.grades_shown", shown=len(rows), n=len(word.found.questions))
    return Table(columns, rows, shown if len(rows) < len(word.found.questions) else None)
