"""Gather the cases that a model writes guidelines from: answers on which a judge and people differ.

People are experts by their labels, and users by what they wrote in place of an answer. All cases ask questions that tune the
judge; a user's is of no group in which a label measures what is written from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from annotate.analysis.aligned_judges.alignment import AlignmentLabels, examples_of, in_fold, leaving_words, oriented
from annotate.analysis.aligned_judges.corrections import FAR_OFF, distance, reason_of, scores_of
from annotate.domain.privacy.redaction import for_model, in_force
from annotate.store import Store
from annotate.store.traffic.feedback_quarantine import UserCorrected
from proxy.evaluation.alignment import fold_of, tunes
from proxy.evaluation.candidates import JudgeKey
from proxy.judges.llm.guideline_writer import Correction, UserCorrection

# Chosen: as many answers as show a pattern, and no more than a prompt holds.
MOST_CASES, FEWEST_CASES = 12, 2
# Chosen: users are a hint beside what experts say.
MOST_OF_USERS = 4
# As a team names it among what is never sent.
CORRECTION = "correction"

Cases = Mapping[int, Correction | UserCorrection]


def guideline_cases(store: Store, base: JudgeKey, labels: AlignmentLabels, fold: int | None) -> Cases:
    """Return, by item, the answers on which judge and people differ most; none where the experts' are too few.

    Parameters
    ----------
    store
        Read only.
    base
        The judge.
    labels
        Those that tune it, and those that measure it.
    fold
        The half of the tuning questions that the cases ask; None: all of them.

    Returns
    -------
    mapping
        Experts' with a reason first, then users', then experts' without one.
    """
    draws = in_fold(labels.tuning, fold)
    values = scores_of(store, base, [draw.item for draw in draws])
    off = {draw.item: distance(base.judge, values[draw.item], draw) for draw in draws if draw.item in values}
    far = examples_of(store, [draw for draw in draws if off.get(draw.item, 0.0) > FAR_OFF])
    if len(far) < FEWEST_CASES:
        return {}
    order = sorted(far, key=lambda item: (-off[item], item))
    of_experts = {
        item: Correction(example=far[item], value=values[item], reason=reason_of(store, item, base.signature))
        for item in order
    }
    with_reason = {item: case for item, case in of_experts.items() if far[item].why}
    cases: Cases = {**with_reason, **_of_users(store, base, labels, fold), **of_experts}
    return dict(islice(cases.items(), MOST_CASES))


def likely_cases(store: Store, base: JudgeKey, labels: AlignmentLabels, fold: int | None) -> Cases:
    """Return these cases; before the judge has scored any of these answers, as many of them as a prompt holds."""
    draws = in_fold(labels.tuning, fold)
    if scores_of(store, base, [draw.item for draw in draws]):
        return guideline_cases(store, base, labels, fold)
    examples = examples_of(store, draws[:MOST_CASES])
    return {item: Correction(example=example, value=0.0, reason="") for item, example in examples.items()}


def _of_users(store: Store, base: JudgeKey, labels: AlignmentLabels, fold: int | None) -> dict[int, UserCorrection]:
    """Return the answers that the judge calls right and in whose place users wrote another, the highest scores first."""
    if in_force().hides(CORRECTION):
        return {}
    corrected = {known.item: known for known in _that_may_teach(store, labels, fold)}
    values = scores_of(store, base, list(corrected))
    passed = {item: oriented(base.judge, value) or 0.0 for item, value in values.items()}
    order = sorted((item for item in passed if passed[item] > FAR_OFF), key=lambda item: (-passed[item], item))
    items, hide = store.traffic.items.read(order[:MOST_OF_USERS]), leaving_words(store)
    return {
        item: UserCorrection(
            item=for_model(items[item]),
            correction=hide(corrected[item].correction),
            value=values[item],
            reason=reason_of(store, item, base.signature),
        )
        for item in order[:MOST_OF_USERS]
    }


def _that_may_teach(store: Store, labels: AlignmentLabels, fold: int | None) -> list[UserCorrected]:
    """Return users' corrections of answers without a label that counts, by tuning questions of this half.

    A correction of a group would tell of its other answers: none is taken where one of these measures what is written.
    """
    labelled = store.labels.that_count()
    own = {draw.item for draw in in_fold(labels.tuning, fold)}
    measuring = {draw.group for draw in (*labels.tuning, *labels.measuring) if draw.item not in own}
    return [
        known
        for known in store.traffic.feedback.corrections()
        if known.item not in labelled
        if known.group not in measuring
        if tunes(known.question, labels.share)
        if fold is None or fold_of(known.question) == fold
    ]
