"""Read what a judge can be aligned with: labels of questions that tune it, and labels of the others, that measure it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from annotate.analysis.evidence import labels_alone
from annotate.analysis.signatures import model_of
from annotate.domain.alignment import Alignment, ChosenExample
from annotate.domain.privacy.people import pseudonyms, without_people
from annotate.domain.privacy.redaction import for_model, in_force
from annotate.domain.question_key import question_key
from annotate.store import Store
from proxy.errors import UsageError
from proxy.evaluation.alignment import FEWEST_MEASURING, FEWEST_TUNING, MOST_SHARE, SHARE, fold_of, tunes
from proxy.evaluation.candidates import JudgeKey, is_lower_better, single
from proxy.evaluation.discrimination import Valued, valued
from proxy.evaluation.ledger import DECIDED
from proxy.judges.llm.guidance import ExampleLibrary, Guidance, LabelledExample
from proxy.records import Item, Judgement, Label

HIDDEN_NAME = "…"
FOLDS = (0, 1)
# The signature of a version that is still to be made.
NEW = ""
# As a team names it among what is never sent.
RATIONALE = "rationale"


class DecidedDraw(NamedTuple):
    """A drawn answer with a label that says right or wrong; `draw` and `item` are rows of the store."""

    draw: int
    item: int
    question: str
    group: str
    judgement: Judgement


@dataclass(frozen=True, kw_only=True, slots=True)
class AlignmentLabels:
    """The labels that tune a judge, and those that measure it; of a question all are one or the other."""

    share: float
    tuning: tuple[DecidedDraw, ...]
    measuring: tuple[DecidedDraw, ...]


class Kinds(NamedTuple):
    """How many labels say right, and how many wrong."""

    right: int
    wrong: int

    @property
    def rarer(self) -> int:
        """The number of the kind that there are fewer of."""
        return min(self)

    @classmethod
    def of(cls, draws: Collection[DecidedDraw]) -> Kinds:
        """Count them."""
        right = sum(draw.judgement is Judgement.RIGHT for draw in draws)
        return cls(right, len(draws) - right)


def are_few(tuning: Kinds, measuring: Kinds) -> bool:
    """Return whether there are too few labels to choose a version, or to measure one."""
    return tuning.rarer < FEWEST_TUNING or measuring.rarer < FEWEST_MEASURING


def attempt_of(store: Store, judge: str, signature: str = NEW) -> int:
    """Return the place of a version among all of its judge that were ever measured: its bound holds at every look."""
    order = list(dict.fromkeys([*(version.signature for version in store.scores.alignments.every(judge)), signature]))
    return 1 + order.index(signature)


def out_of_force(store: Store, asked: Mapping[str, str]) -> list[Alignment]:
    """Return the versions in force that judges are not asked as, which now have another model, address, prompt or masking.

    Parameters
    ----------
    store
        Read only.
    asked
        The signature of each judge that is asked, by its name.

    Returns
    -------
    list of Alignment
        One for each judge that is asked without guidance: the newest, those of its model first.
    """
    lost = list[Alignment]()
    for judge, signature in asked.items():
        current = [version for version in store.scores.alignments.every(judge) if version.is_in_force]
        if current and all(version.signature != signature for version in current):
            model = model_of(signature)
            lost.append(max(current, key=lambda version: (model_of(version.bare) == model, version.key)))
    return lost


def decided_share(store: Store, judge: str, share: float | None) -> float:
    """Return the share of questions that tune this judge; UsageError where another was decided, or one beyond a half."""
    decided = store.scores.alignments.share(judge)
    if share is not None and not 0 < share <= MOST_SHARE:
        raise UsageError(f"--tune is above 0 and at most {MOST_SHARE:g}: the other questions measure the judge")
    if decided is not None and share is not None and share != decided:
        raise UsageError(
            f"{decided:g} of the questions tune {judge}, for ever: a label that tuned it can never measure it; "
            "leave --tune out"
        )
    return decided or share or SHARE


def alignment_labels(store: Store, share: float) -> AlignmentLabels:
    """Return the labels of drawn answers that say right or wrong, apart by what their question is for."""
    traffic = labels_alone(store, [], frozenset())
    described = store.traffic.partitions.described(traffic.last)
    forgotten = store.traffic.items.forgotten_among([about.item for about in described])
    draws = [
        DecidedDraw(about.draw, about.item, about.question, about.group, drawn.judgement)
        for about, drawn in zip(described, traffic.drawn, strict=True)
        if drawn.judgement is not None and drawn.judgement in DECIDED
        if about.item not in forgotten
    ]
    return AlignmentLabels(
        share=share,
        tuning=tuple(draw for draw in draws if tunes(draw.question, share)),
        measuring=tuple(draw for draw in draws if not tunes(draw.question, share)),
    )


def in_fold(draws: Sequence[DecidedDraw], fold: int | None) -> list[DecidedDraw]:
    """Return the draws whose question is in this half of those that tune; all where it is None."""
    return [draw for draw in draws if fold is None or fold_of(draw.question) == fold]


def side_by_side(
    store: Store, base: JudgeKey, values: Mapping[int, float], *, tuning: bool, share: float
) -> tuple[Valued, Valued]:
    """Return the scores of a version and of the judge in force on the same labels, tuning or measuring ones.

    Parameters
    ----------
    store
        Read only.
    base
        The judge in force, whose scores are those of the store.
    values
        The scores of the version, by item; where low is good, they are turned round as those of the judge in force are.
    tuning
        Whether on the tuning labels; else on the measuring ones.
    share
        The share of questions that tune.
    """
    described = store.traffic.partitions.described(store.sampling.ledger.last_counted())
    excluded = frozenset(about.draw for about in described if tunes(about.question, share) is not tuning)
    traffic = labels_alone(store, [single(base)], excluded)
    rule = traffic.rules[0]
    own = [oriented(base.judge, values.get(draw.item)) for draw in traffic.drawn]
    first, second = valued(traffic.evidence(rule), own, rule.values)
    return first, second


def oriented(judge: str, value: float | None) -> float | None:
    """Return a score so that high is good."""
    return 1 - value if value is not None and is_lower_better(judge) else value


def examples_of(store: Store, draws: Sequence[DecidedDraw]) -> dict[int, LabelledExample]:
    """Return labelled answers, by item, as judges of other questions may be shown them."""
    labels, items = store.labels.that_count(), store.traffic.items.read([draw.item for draw in draws])
    hide = leaving_words(store)
    return {draw.item: _example(items[draw.item], draw, labels.get(draw.item), hide) for draw in draws}


def guidance_of(store: Store, alignment: Alignment) -> Guidance:
    """Return what guides this version; an example whose label has changed or that was forgotten is left out."""
    wanted = dict(alignment.examples)
    if not wanted:
        return Guidance(guidelines=alignment.guidelines)
    share = store.scores.alignments.share(alignment.judge) or 0.0
    draws = [draw for draw in alignment_labels(store, share).tuning if draw.item in wanted]
    examples = [example for item, example in examples_of(store, draws).items() if example.name == wanted[item]]
    return Guidance(guidelines=alignment.guidelines, library=ExampleLibrary(examples, asks) if examples else None)


def guidance_in_force(store: Store, base: JudgeKey) -> Guidance:
    """Return what guides the judge with this signature; nothing where it is asked without guidance."""
    versions = store.scores.alignments.every(base.judge)
    current = next((version for version in versions if version.signature == base.signature), None)
    return Guidance() if current is None else guidance_of(store, current)


def chosen_examples(
    store: Store, draws: Sequence[DecidedDraw], library: ExampleLibrary | None
) -> tuple[ChosenExample, ...]:
    """Return the examples of a library with the rows that they are of."""
    if library is None:
        return ()
    names = {example.name for example in library.examples}
    every = examples_of(store, draws).items()
    return tuple(ChosenExample(item, example.name) for item, example in every if example.name in names)


def library_of(store: Store, draws: Sequence[DecidedDraw]) -> ExampleLibrary:
    """Return the examples to choose from."""
    return ExampleLibrary(list(examples_of(store, draws).values()), asks)


def asks(item: Item) -> str:
    """Return the key of the question that an item asks."""
    return question_key(item.question, item.history)


def _example(item: Item, draw: DecidedDraw, label: Label | None, hide: Callable[[str], str]) -> LabelledExample:
    shown = for_model(item)
    rationale = "" if label is None or in_force().hides(RATIONALE) else label.rationale or ""
    words = [rationale, *(cause.replace("_", " ") for cause in label.causes)] if label else []
    return LabelledExample(
        item=shown,
        question=asks(shown),
        group=draw.group,
        judgement=draw.judgement,
        why=hide("; ".join(filter(None, words))),
    )


def leaving_words(store: Store) -> Callable[[str], str]:
    """Return what masks a text of the team's: names of annotators, and what redaction masks in all that leaves."""
    people = dict.fromkeys(pseudonyms(store.audit.events.everybody()), HIDDEN_NAME)
    return lambda text: in_force().text(without_people(text, people))
