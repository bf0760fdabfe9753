"""Find the labelled answers that a number counts: a cell, a bin, a corner or a week of a picture or table.

The rule: they are found by what counted them, so that a list has as many rows as the number said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from annotate.analysis.calibration.curves import labelled_in_strip
from annotate.analysis.calibration.explore import labelled_at
from annotate.analysis.calibration.reliability import values_of_bands
from annotate.analysis.diagnosis.diagnose import CORNERS, NOT_NAMED
from annotate.analysis.diagnosis.inputs import LabelledAnswer, Thresholds, answers, stage_judges
from annotate.analysis.judges import quadrants
from annotate.analysis.judges.score_agreement import matched_labels, period
from annotate.analysis.labelled_draws import ground
from annotate.analysis.report.feedback import labels_behind
from annotate.analysis.rule_in_force import rule_in_force
from annotate.analysis.slices.find import labelled_in
from annotate.domain.counted import BETWEEN, HARMFUL
from annotate.store import Store
from proxy.diagnosis.stages import quadrant_row
from proxy.evaluation.ledger import DECIDED, SampledItem
from proxy.evaluation.slices import Mistake
from proxy.records import Judgement, Verdict

CELLS = {
    "right_pass": (Judgement.RIGHT, Verdict.PASS),
    "wrong_pass": (Judgement.WRONG, Verdict.PASS),
    "right_fail": (Judgement.RIGHT, Verdict.FAIL),
    "wrong_fail": (Judgement.WRONG, Verdict.FAIL),
}
OF_ANSWERS = frozenset({"correctness", "serious_harm"})
# The cells of the labels that each quantity of the proxy rests on.
CELLS_OF = {
    "pass_precision": ("right_pass", "wrong_pass"),
    "npv": ("right_fail", "wrong_fail"),
    "sensitivity": ("right_pass", "right_fail"),
    "specificity": ("wrong_pass", "wrong_fail"),
    **dict.fromkeys(("accuracy", "f1", "kappa", "mcc", "ac1", "auroc"), tuple(CELLS)),
}
# What annotators call an answer, and whether it points to retrieval.
OUTCOMES = {
    "right": (Judgement.RIGHT, (True, False)),
    "wrong": (Judgement.WRONG, (True, False)),
    "from_retrieval": (Judgement.WRONG, (True,)),
    "unattributed": (Judgement.WRONG, (False,)),
}
OF_WINDOWS = {"correctness": frozenset(Verdict), "pass_precision": frozenset({Verdict.PASS})}


def counted_answers(store: Store, code: str) -> tuple[int, ...] | None:
    """Return the rows of the items that the count with this code counts, in order; None where nothing is counted so."""
    kind, *parts = code.split(BETWEEN)
    if kind not in KINDS:
        return None
    count, find = KINDS[kind]
    known = [*parts[: count - 1], BETWEEN.join(parts[count - 1 :])] if len(parts) >= count > 0 else parts
    try:
        return tuple(sorted(find(store, *known)))
    except (KeyError, ValueError, TypeError):
        return None


def _cell(store: Store, name: str) -> Iterator[int]:
    judgement, verdict = CELLS[name]
    sample = _sample(store, scores_rule=True)
    return (item for item, drawn in sample if (drawn.judgement, drawn.verdict) == (judgement, verdict))


def _quantity(store: Store, name: str) -> Iterator[int]:
    """The labels that a quantity of the report rests on; of the answers, whatever the proxy says of them, all labels speak."""
    if name in OF_ANSWERS:
        return (item for item, drawn in _sample(store, scores_rule=False) if drawn.judgement in DECIDED)
    wanted = {CELLS[cell] for cell in CELLS_OF[name]}
    return (item for item, drawn in _sample(store, scores_rule=True) if (drawn.judgement, drawn.verdict) in wanted)


def _stratum(store: Store, judgement: str, stratum: str) -> Iterator[int]:
    wanted = Judgement(judgement)
    sample = _sample(store, scores_rule=False)
    return (item for item, drawn in sample if (drawn.judgement, drawn.stratum) == (wanted, stratum))


def _sample(store: Store, *, scores_rule: bool) -> Iterator[tuple[int, SampledItem]]:
    """The draws that the report measures the rule in force on (`scores_rule`), or the answers."""
    with store.snapshot():
        traffic = ground(store, *rule_in_force(store), scores_itself=scores_rule).traffic
    sample = traffic.evidence(traffic.rules[0]).sample
    return ((drawn.item, item) for drawn, item in zip(traffic.drawn, sample, strict=True))


def _window(store: Store, by: str, quantity: str, name: str) -> Iterator[int]:
    """Those of correctness are all labels of the window, those of pass precision the passed among them."""
    verdicts = OF_WINDOWS[quantity]
    with store.snapshot():
        rows = ground(store, *rule_in_force(store)).labelled.rows
    return (row.about.item for row in rows if row.verdict in verdicts and period(row.about.timestamp, by) == name)


def _judge_cell(store: Store, threshold: str, place: str, signature: str, judge: str) -> list[int]:
    return matched_labels(store, judge, signature).in_cell(float(threshold), int(place))


def _judge_square(store: Store, first: str, second: str, signature: str, judge: str) -> list[int]:
    return matched_labels(store, judge, signature).in_square(int(first), int(second))


def _judge_tenth(store: Store, number: str, signature: str, judge: str) -> list[int]:
    return matched_labels(store, judge, signature).in_tenth(int(number))


def _judge_period(store: Store, by: str, name: str, signature: str, judge: str) -> list[int]:
    return matched_labels(store, judge, signature).in_period(by, name)


def _judge_bin(store: Store, number: str, signature: str, judge: str) -> list[int]:
    return matched_labels(store, judge, signature).in_bin(int(number))


def _band(store: Store, least: str, most: str) -> Iterator[int]:
    low, high = float(least), float(most)
    return (item for item, value in values_of_bands(store) if low <= value <= high)


def _strip(store: Store, judgement: str, number: str) -> list[int]:
    return labelled_in_strip(store, Judgement(judgement), int(number))


def _wave(store: Store, judgement: str, wave: str) -> list[int]:
    return store.sampling.wave_ledger.labelled(int(wave), Judgement(judgement))


def _wave_stratum(store: Store, judgement: str, wave: str, stratum: str) -> list[int]:
    return store.sampling.wave_ledger.labelled(int(wave), Judgement(judgement), stratum)


def _corner(store: Store, judgement: str, name: str, system: str) -> Iterator[int]:
    """What has no system is asked for by an empty name."""
    holds, wanted = CORNERS[name], Judgement(judgement)
    return (answer.row for answer in _of(store, system) if holds(answer.place) and answer.label.judgement is wanted)


def _stage(store: Store, judgement: str, stage: str, system: str) -> Iterator[int]:
    wanted = Judgement(judgement)
    return (answer.row for answer in _of(store, system) if answer.stage == stage and answer.label.judgement is wanted)


def _cause(store: Store, cause: str, system: str) -> Iterator[int]:
    named = (answer for answer in _of(store, system) if answer.is_wrong)
    return (answer.row for answer in named if cause in (answer.label.causes or (NOT_NAMED,)))


def _cause_at(store: Store, stage: str, cause: str, system: str) -> Iterator[int]:
    named = (answer for answer in _of(store, system) if answer.is_wrong and answer.stage == stage)
    return (answer.row for answer in named if cause in (answer.label.causes or (NOT_NAMED,)))


def _slice(store: Store, mistake: str, name: str) -> list[int]:
    return labelled_in(store, name, Mistake(mistake))


def _quadrant(store: Store, judgement: str, relevance: str, faithfulness: str, passages: str) -> Iterator[int]:
    """Each of the three as the record has it: True, False or None."""
    wanted, place = Judgement(judgement), (relevance, faithfulness, passages)
    for answer in _labelled(store):
        if answer.label.judgement is wanted and tuple(map(str, quadrant_row(answer.place))) == place:
            yield answer.row


def _crossed(store: Store, outcome: str, position: str, names: str) -> list[int]:
    """Where two judges cross; `names` are both, as the code joins them."""
    _, rule = rule_in_force(store)
    pairs = {BETWEEN.join(pair): pair for pair in quadrants.choice(store, rule).pairs}
    judgement, blames = OUTCOMES[outcome]
    return quadrants.labelled_in(store, pairs[names], quadrants.POSITIONS[position], judgement, blames=blames)


def _threshold_cell(store: Store, name: str, threshold: str) -> Iterator[int]:
    """The 2x2 table of the rule in force, had it this threshold."""
    return (row for row, *cell in labelled_at(store, float(threshold)) if tuple(cell) == CELLS[name])


def _thumb(store: Store, quantity: str) -> list[int]:
    """The labels that a quantity of feedback rests on."""
    with store.snapshot():
        traffic = ground(store, *rule_in_force(store), scores_itself=False).traffic
    return labels_behind(store, traffic, quantity)


def _harmful(store: Store) -> list[int]:
    return store.labels.harmful()


def _of(store: Store, system: str) -> Iterator[LabelledAnswer]:
    return (answer for answer in _labelled(store) if (answer.standing.system or "") == system)


def _labelled(store: Store) -> list[LabelledAnswer]:
    with store.snapshot():
        _, rule = rule_in_force(store)
        return answers(store, stage_judges(store, rule, Thresholds()))


# How many parts a kind has, and what finds its answers.
KINDS: Mapping[str, tuple[int, Callable[..., Iterable[int]]]] = {
    "cell": (1, _cell),
    "quantity": (1, _quantity),
    "stratum": (2, _stratum),
    "window": (3, _window),
    "judge-cell": (4, _judge_cell),
    "judge-square": (4, _judge_square),
    "judge-bin": (3, _judge_bin),
    "judge-tenth": (3, _judge_tenth),
    "judge-period": (4, _judge_period),
    "strip": (2, _strip),
    "wave": (2, _wave),
    "wave-stratum": (3, _wave_stratum),
    "band": (2, _band),
    "corner": (3, _corner),
    "stage": (3, _stage),
    "cause": (2, _cause),
    "cause-at": (3, _cause_at),
    "slice": (2, _slice),
    "quadrant": (4, _quadrant),
    "crossed": (3, _crossed),
    "cell-at": (2, _threshold_cell),
    "thumb": (1, _thumb),
    HARMFUL: (0, _harmful),
}
