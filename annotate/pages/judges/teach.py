"""What experts teach a model's judge: what they corrected, its guidelines, and a version before and after, on other answers."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from annotate.analysis.aligned_judges import learning_curve, teaching, version_contrast
from annotate.analysis.aligned_judges.corrections import CorrectedAnswers
from annotate.analysis.aligned_judges.teaching import TaughtVersion, Teaching
from annotate.analysis.aligned_judges.version_contrast import DifferingAnswers
from annotate.domain.message import message
from annotate.domain.privacy import redaction
from annotate.pages.judges import teach_guidelines, teach_undo
from annotate.pages.kit import cache, draw, following, layout, texts, url_state
from annotate.pages.kit.messages import marked, render, say
from annotate.present import learning_curve as present_curve
from annotate.present import teaching as present
from annotate.store import Store

JUDGE, VERSION = "teach", "taught"
FIRST = "assay judge --backend openai --model M --judges overall"


def show(store: Store) -> None:
    """The part of the page."""
    layout.heading("teaching.heading")
    judges = cache.kept(store, "teachable", lambda: teaching.teachable(store))
    if not judges:
        draw.paragraph(message("teaching.no_judge"))
        layout.commands([FIRST])
        return
    choices = st.columns(2, gap="medium")
    with choices[0]:
        judge = _judge(judges)
    known = cache.kept(store, "teaching", lambda: teaching.teaching(store, judge), judge)
    with choices[1]:
        version = _version(known)
    document = present.document(known, texts.day)
    draw.answer(document)
    teach_undo.say_outcome()
    left, right = st.columns([3, 2], gap="medium")
    with left:
        _measured(store, known, version)
        following.show(document.next)
    with right:
        teach_guidelines.show(store, known, version)
    _corrected(known)
    if version:
        _differing(store, version)
    _curve(store, known, version)


def _judge(judges: list[str]) -> str:
    """The judge that is looked at, kept in the address."""
    words = {judge: texts.others(judge) for judge in judges}
    return url_state.select(marked("teaching.judge"), words, JUDGE, default=judges[0])


def _version(known: Teaching) -> TaughtVersion | None:
    """The version that is looked at, the one in force if there is no other choice; None where none was measured."""
    if not known.versions:
        return None
    versions = {str(version.alignment.key): version for version in known.versions}
    words = {key: render(present.name(version, known, texts.moment)) for key, version in versions.items()}
    first = known.in_force or known.versions[0].alignment
    return versions[url_state.select(marked("teaching.version"), words, VERSION, default=str(first.key))]


def _measured(store: Store, known: Teaching, version: TaughtVersion | None) -> None:
    """Before and after on the measuring labels, the bound, what it rests on and what it cost."""
    if version:
        draw.cards(present.figures(version.alignment), columns=3)
        draw.messages(present.basis(version.alignment))
    elif not known.has_few:
        layout.commands([present.command(known)])
        draw.messages([message("teaching.dry_run")])
    draw.messages([present.labels(known), present.labels_help(known), *present.cost(known)])
    if known.in_force:
        teach_undo.show(store, known.in_force)


def _corrected(known: Teaching) -> None:
    """The answers whose labels may teach, on which experts and judge differ."""
    texts.heading(say("teaching.corrected"))
    draw.messages(present.corrected_basis(known.judge, known.corrected))
    shown = _masked_corrections(known.corrected)
    if shown.shown:
        items = [answer.item.id for answer in shown.shown]
        draw.table(present.corrected_table(shown), message("teaching.corrected"), items=items)


def _differing(store: Store, version: TaughtVersion) -> None:
    """The measuring answers on which the version and the judge before it differ most."""
    alignment = version.alignment
    differing = cache.kept(
        store, "teaching-differing", lambda: version_contrast.differing_answers(store, alignment), alignment.key
    )
    texts.heading(say("teaching.differing"))
    draw.messages(present.differing_basis(differing))
    shown = _masked_differences(differing)
    if shown.shown:
        items = [answer.item.id for answer in shown.shown]
        draw.table(present.differing_table(shown), message("teaching.differing"), items=items)


def _curve(store: Store, known: Teaching, version: TaughtVersion | None) -> None:
    """The versions that were ever in force on common labels, and what more labels are expected to bring."""
    bare = version.alignment.bare if version else known.bare
    if bare is None:
        return
    curve = cache.kept(
        store, "teaching-curve", lambda: learning_curve.learning_curve(store, known.judge, bare), known.judge, bare
    )
    texts.heading(say("teaching.curve"))
    draw.table(present_curve.table(curve, texts.moment), message("teaching.curve"))
    draw.messages(present_curve.notes(curve))


def _masked_corrections(corrected: CorrectedAnswers) -> CorrectedAnswers:
    """What experts and judge say as it may reach the browser."""
    shown = tuple(
        replace(
            answer,
            rationale=texts.others(answer.rationale, "rationale"),
            reason=redaction.about(answer.item, answer.reason),
        )
        for answer in corrected.shown
    )
    return replace(corrected, shown=shown)


def _masked_differences(differing: DifferingAnswers) -> DifferingAnswers:
    """What both versions say as it may reach the browser."""
    shown = tuple(
        replace(
            answer,
            before_reason=redaction.about(answer.item, answer.before_reason),
            after_reason=redaction.about(answer.item, answer.after_reason),
        )
        for answer in differing.shown
    )
    return replace(differing, shown=shown)
