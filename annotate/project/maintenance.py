"""Look after the store of a project: check it, list its events, back it up, and forget items or people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from annotate.project.store_access import StoreAccess
from proxy.errors import StoreError

if TYPE_CHECKING:
    from annotate.domain.privacy.redaction import Redaction
    from annotate.store.audit.backups import Backup
    from annotate.store.audit.events import Event
    from annotate.store.engine.chain import Head
    from annotate.store.health import Health
    from annotate.workflow.forgetting import ForgottenAnnotator, ForgottenItems


class Maintenance:
    """What keeps the store of a project sound."""

    def __init__(self, access: StoreAccess) -> None:
        self._access = access

    def doctor(self, *, since: str | None = None) -> Health:
        """Check the file, the events and the rows they cover, the releases, and who on this machine can read it.

        Parameters
        ----------
        since
            The digest of the events at an earlier time: nothing from before it may have been written anew.

        Returns
        -------
        Health
            The problems in words, none for a sound store, and the digest of its events.
        """
        from annotate.label_studio.address import DATA_FOLDER
        from annotate.store.health import Health

        folders = sorted((self._access.path.resolve().parent / DATA_FOLDER).glob("label-studio-*/"))
        with self._access.reading() as store:
            problems = store.check(folders, since=since)
            head = None if problems else store.audit.events.head()
            return Health(problems=problems, head=head, covered_since=store.covered_since())

    def set_masking(self) -> Redaction:
        """Put [redaction] of assay.toml in force for this store, also where it masks less than before.

        Returns
        -------
        Redaction
            The masking that is in force now.

        Raises
        ------
        UsageError
            Where assay.toml has no table [redaction].
        """
        from annotate.workflow import masking_policy

        with self._access.writing() as store:
            return masking_policy.set_masking(store, who=self._access.who, now=self._access.now)

    def remove_keys(self) -> int:
        """Take what may be a key out of the addresses of endpoints; return how many addresses had one.

        Returns
        -------
        int
            The number of rows that had one.
        """
        with self._access.writing() as store, store.atomic(durable=True):
            count = store.scores.calls.remove_keys()
            if count:
                store.audit.events.append("keys removed", {"rows": count}, who=self._access.who, now=self._access.now)
        return count

    def events(self, *, last: int | None = None) -> list[Event]:
        """Return what was done, when and by whom: all of it, or the newest.

        Parameters
        ----------
        last
            How many of the newest; None: all.

        Returns
        -------
        list of Event
            Oldest first.
        """
        with self._access.reading() as store:
            return store.audit.events.all()[-(last or 0) :]

    def head(self) -> Head:
        """Return the digest of all events, to be kept elsewhere for `doctor`.

        Returns
        -------
        Head
            The number of events, and the hash of the last.

        Raises
        ------
        StoreError
            Where there are no events yet.
        """
        with self._access.reading() as store:
            head = store.audit.events.head()
        if not head.number:
            raise StoreError(f"{self._access.path} has no events yet")
        return head

    def backup(self, file: Path | None = None, *, keep: int | None = None) -> Backup:
        """Copy the store while it is in use, and read the copy back.

        Parameters
        ----------
        file
            The copy; None: a name with the time, beside the store.
        keep
            How many backups stay beside the store, this one included; older ones that it made itself are removed.

        Returns
        -------
        Backup
            The copy with its size in bytes, what is wrong with its events, and the backups that were removed.

        Raises
        ------
        StoreError
            Where `file` exists already, the store is damaged, or there is no space.
        """
        with self._access.writing() as store, store.only_one("backup"):
            return store.audit.backups.make(file, keep=keep, who=self._access.who, now=self._access.now)

    def forget_items(self, ids: Sequence[str], *, why: str | None = None, dry_run: bool = False) -> ForgottenItems:
        """Blank every text of these items; labels, scores and counts stay. Nothing brings the texts back.

        Parameters
        ----------
        ids
            The items.
        why
            The reason, kept with the tombstone; it names nobody.
        dry_run
            Count what would be blanked, and change nothing.

        Returns
        -------
        ForgottenItems
            Counts of what was blanked, and what still holds the texts elsewhere.

        Raises
        ------
        UsageError
            For an id that the store does not know.
        """
        from annotate.workflow import forgetting

        access, chosen = self._access, list(dict.fromkeys(ids))
        with access.writing() as store:
            return forgetting.forget_items(store, chosen, why=why, who=access.who, now=access.now, dry_run=dry_run)

    def forget_annotator(
        self, name: str, *, references: bool = False, why: str | None = None, dry_run: bool = False
    ) -> ForgottenAnnotator:
        """Replace a person's name by a pseudonym and blank the reasons they gave, with `references` what they wrote too.

        Parameters
        ----------
        name
            The person.
        references
            Also blank the references that they wrote.

        Returns
        -------
        ForgottenAnnotator
            The pseudonym, counts of what was blanked, and what still holds the name elsewhere.

        Raises
        ------
        UsageError
            For a name that the store does not know.

        See Also
        --------
        forget_items : for `why` and `dry_run`.
        """
        from annotate.workflow import forgetting

        access = self._access
        with access.writing() as store:
            return forgetting.forget_annotator(
                store, name, references=references, why=why, who=access.who, now=access.now, dry_run=dry_run
            )
