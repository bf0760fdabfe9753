"""Forget the texts of items, or an annotator's name: what is blanked in the store, and what still holds it elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotate.store import Store
from annotate.store.audit.blanking import Blanked
from annotate.store.audit.forgetting import Remains
from annotate.store.audit.renaming import Renamed


@dataclass(frozen=True, kw_only=True, slots=True)
class ForgottenItems:
    """What was blanked of items, or would be, what still holds their texts elsewhere, and why the file could not be rewritten."""

    blanked: Blanked
    remains: Remains
    fault: str | None
    is_dry_run: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ForgottenAnnotator:
    """What was renamed and blanked of a person, or would be, what still holds it, and why the file could not be rewritten."""

    renamed: Renamed
    remains: Remains
    fault: str | None
    is_dry_run: bool = False


def forget_items(
    store: Store, ids: Sequence[str], *, why: str | None, who: str, now: str, dry_run: bool
) -> ForgottenItems:
    """Blank every text of these items; UsageError for an id that the store does not know."""
    forgetting = store.audit.forgetting
    blanked, fault = forgetting.forget_items(ids, why=why, who=who, now=now, dry_run=dry_run)
    return ForgottenItems(blanked=blanked, remains=forgetting.remains_of_items(ids), fault=fault, is_dry_run=dry_run)


def forget_annotator(
    store: Store, name: str, *, references: bool, why: str | None, who: str, now: str, dry_run: bool
) -> ForgottenAnnotator:
    """Replace a person's name by a pseudonym; UsageError for a name that the store does not know."""
    forgetting = store.audit.forgetting
    renamed, fault = forgetting.forget_annotator(
        name, references=references, why=why, who=who, now=now, dry_run=dry_run
    )
    remains = forgetting.remains_of_annotator(name if dry_run else renamed.pseudonym)
    return ForgottenAnnotator(renamed=renamed, remains=remains, fault=fault, is_dry_run=dry_run)
