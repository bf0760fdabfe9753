"""Draw a wave of the answers that tell most about the difference between systems, and write it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from annotate.analysis.comparison.selections import Names, selection_of, shown
from annotate.analysis.predictor import foreseen
from annotate.analysis.rule_in_force import rule_in_force
from annotate.domain.sampling import designs
from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.outcomes import PairsDrawn
from annotate.domain.sampling.pair_power import power
from annotate.domain.sampling.pairs import TWO, Pool, proposal
from annotate.store import Store
from annotate.store.sampling.waves import Wave
from annotate.workflow.judging.rules import follow_scores
from annotate.workflow.sampling.draw import check_token, draws_of, framed, numbers, token_of
from proxy.comparison.comparison import TELLING
from proxy.comparison.given_answers import GivenAnswers
from proxy.errors import UsageError
from proxy.planning.allocation import NothingToDraw
from proxy.planning.strata import SamplingFrame
from proxy.text.numbers import several

VERSUS = " vs "


def draw(
    store: Store,
    names: Sequence[str],
    labels: int,
    *,
    seed: int,
    now: str,
    who: str,
    difference: float = TELLING,
    dry_run: bool = False,
    token: str | None = None,
) -> PairsDrawn:
    """Draw about `labels` answers of these systems under the rule in force; `dry_run` writes nothing.

    `difference` is the one whose power is told. With the `token` of a dry run exactly what that showed is drawn, once;
    StaleProposal where it would be anything else by now.

    UsageError for a name that the store does not have, NothingToDraw where no question is shared, all was drawn,
    or so few are asked for that nothing might be.
    """
    known = Names.of(store)
    selections = [selection_of(name, known) for name in names]
    names = [shown(name) for name in names]
    if len(selections) < TWO or labels < 1:
        raise UsageError("name two systems at least, and draw one label at least: `assay compare A B --draw 60`")
    if not 0 < difference <= 1:
        raise UsageError(f"--difference is a share above 0, such as 0.05, not {difference:g}")
    key, rule = rule_in_force(store) if dry_run else follow_scores(store, now=now)
    with store.snapshot() if dry_run else store.atomic():
        number = store.sampling.waves.next_number()
        salt = designs.salt_of(seed, f"wave-{number}")
        design = WaveDesign.PAIRS if len(selections) == TWO else WaveDesign.ANSWERS
        texts = dict[str, str]()
        given = [store.traffic.selections.given(key, selection, 0, (), texts) for selection in selections]
        waiting = store.traffic.selections.to_label(selections).waiting
        pool = _comparable(_pool(foreseen(store, rule, store.sampling.waves.frame(key)), given), names, design, waiting)
        lots = numbers(store, pool.frame, design, salt) if design is WaveDesign.ANSWERS else None
        proposed = proposal(pool, labels, salt, lots)
        own = token_of(number, key, pool.frame, proposed)
        check_token(token, own, number)
        if not dry_run:
            part = VERSUS.join(names)
            wave = Wave(
                number, f"{rule.name} v{rule.version}", seed, labels, 0.0, now, proposed.plans, design=design, part=part
            )
            draws = draws_of(store, pool.frame, proposed, salt)
            store.sampling.waves.write(wave, key, salt, framed(pool.frame, proposed), draws)
            detail = {"wave": number, "labels": len(draws), "seed": seed, "design": design.value, "part": part}
            store.audit.events.append("sample", detail, who=who, now=now)
    return PairsDrawn(
        number=number,
        names=tuple(names),
        design=design,
        seed=seed,
        questions=len(pool.keys),
        answers=len(pool.system),
        draws=len(proposed.rows),
        pairs=pool.complete_with(proposed.rows),
        strata=proposed.plans,
        asked=labels,
        left=int(pool.frame.is_eligible.sum()),
        waiting=waiting,
        power=power(pool, proposed, design, difference),
        is_proposal=dry_run,
        token=own,
    )


def _pool(frame: SamplingFrame, given: Sequence[GivenAnswers]) -> Pool:
    """Return the answers of all sides, in the order of the frame; UsageError where an answer is of two sides."""
    items = np.concatenate([answers.items for answers in given])
    keys = [key for answers in given for key in answers.questions]
    if len(np.unique(items)) < len(items):
        raise UsageError(
            "some answers belong to more than one of the named systems: name systems or windows that do not overlap"
        )
    number = {key: place for place, key in enumerate(sorted(set(keys)))}
    rows = np.searchsorted(frame.keys, items)
    order = np.argsort(rows)
    system = np.repeat(np.arange(len(given)), [len(answers.items) for answers in given])
    question = np.array([number[key] for key in keys], dtype=np.intp)
    return Pool(frame=frame.only(rows[order]), system=system[order], question=question[order], keys=tuple(number))


def _comparable(pool: Pool, names: Sequence[str], design: WaveDesign, waiting: int) -> Pool:
    """Return what may be drawn, of pairs only questions that both answered; NothingToDraw where there is none, or none left."""
    comparable = pool
    if design is WaveDesign.PAIRS:
        answered = [
            np.bincount(pool.question[pool.system == system], minlength=len(pool.keys)) for system in range(TWO)
        ]
        comparable = pool.only(np.minimum(*answered)[pool.question] > 0)
        if not comparable.keys:
            raise NothingToDraw(
                f"{' and '.join(names)} share no question: ingest their answers to the same questions, or draw with "
                "`assay sample`"
            )
    if not comparable.frame.is_eligible.any():
        label = f": label the {several(waiting, 'open draw')} of these" if waiting else ""
        raise NothingToDraw(f"every answer of {', '.join(names)} that could be drawn has been drawn already{label}")
    return comparable
