"""Read the answers of each system from a frame of labelled rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from proxy.comparison.given_answers import GivenAnswers, MissingAnswers, missing_answers
from proxy.errors import InputError, UsageError
from proxy.evaluation.domains import Evidence
from proxy.frames import checks
from proxy.frames.labelled_rows import Design, LabelledRows
from proxy.records import Judgement
from proxy.rule import VERDICTS, Rule

if TYPE_CHECKING:
    import pandas as pd

Mask = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, slots=True)
class SystemRows:
    """The rows of a frame by system, with the evidence on all of them; `masks` marks the rows of each of the `names`."""

    rows: LabelledRows
    names: tuple[str, ...]
    masks: tuple[Mask, ...]
    whole: Evidence

    def answers(self, number: int) -> GivenAnswers:
        """Return the answers of a system; its items are places of rows."""
        mask, rows = self.masks[number], self.rows
        speaks = {drawing.stratum for drawing in self.whole.drawings if drawing.returned}
        return GivenAnswers(
            items=np.flatnonzero(mask),
            questions=list(compress(rows.questions, mask)),
            groups=list(compress(rows.clusters, mask)),
            verdicts=np.array(
                [VERDICTS.index(verdict) for verdict in compress(rows.verdicts_of_rows, mask)], dtype=np.intp
            ),
            values=rows.rule_values[mask],
            is_reachable=np.array([stratum in speaks for stratum in compress(rows.strata, mask)], dtype=np.bool_),
        )

    def missing(self, number: int) -> MissingAnswers:
        """Return the drawn answers of a system without a right or wrong."""
        drawn = self.masks[number][self.rows.drawn]
        return missing_answers(compress(self.whole.sample, drawn))

    def labels(self) -> dict[int, Judgement | None]:
        """Return the label of each drawn row that came back, by its place."""
        places = np.flatnonzero(self.rows.drawn).tolist()
        return {
            place: item.judgement
            for place, item in zip(places, self.whole.sample, strict=True)
            if item.judgement is not None
        }


def system_rows(
    frame: pd.DataFrame,
    *,
    rule: str | Rule,
    system: str,
    systems: Sequence[str] | None,
    question: str | None,
    label: str,
    design: Design | None,
    what: str,
) -> SystemRows:
    """Read the frame by system; without `systems` all of them, in the order in which they first come.

    Raises
    ------
    InputError
        For a frame or a design that does not fit; the message names the column and the row.
    UsageError
        For fewer than two systems, one that is named twice, and one that no row is of.
    """
    checks.checked(frame)
    names = checks.names(frame, system, "the system")
    known = list(dict.fromkeys(names))
    if isinstance(systems, str):
        raise UsageError(f"systems is a list of names, not {checks.shown(systems)}")
    chosen = known if systems is None else [str(name) for name in systems]
    if len(set(chosen)) < len(chosen):
        raise UsageError("a system is named twice: name each once")
    if unknown := [name for name in chosen if name not in known]:
        raise UsageError(
            f"no row is of the system {checks.shown(unknown[0])}: column {system!r} has {', '.join(known)}"
        )
    if len(chosen) < 2:
        raise UsageError(f"there is nothing to compare with: column {system!r} has {', '.join(known)}")
    rows = LabelledRows.of(frame, rule, label, _asked(frame, label, question, design))
    rows.check_whole(what)
    by_row = np.array(names, dtype=object)
    return SystemRows(
        rows=rows,
        names=tuple(chosen),
        masks=tuple(np.asarray(by_row == name, dtype=np.bool_) for name in chosen),
        whole=rows.evidence(as_drawn=False),
    )


def _asked(frame: pd.DataFrame, label: str, question: str | None, design: Design | None) -> Design | None:
    """Return the design with the question: equal questions pair answers, and intervals count them once."""
    if question is None:
        return design
    if design is not None and design.question not in (None, question):
        raise InputError(
            f"the design's question is column {design.question!r}, and {question!r} is asked for: name one"
        )
    if design is None and None in checks.labels(frame, label):
        return None  # refused where the rows are read, with the row
    return replace(design or Design(), question=question)
