"""Maintain the store of a project: health check, events, backups, and deletion of texts and names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from annotate.present.answer import Answer, answer_of
from annotate.project.store_access import StoreAccess
from proxy.errors import StoreError

if TYPE_CHECKING:
    from annotate.domain.privacy.redaction import Redaction
    from annotate.store import Store
    from annotate.store.audit.backups import Backup
    from annotate.store.audit.events import Event
    from annotate.store.engine.chain import Head
    from annotate.store.health import Health
    from annotate.store.lake.attached import MadeStore
    from annotate.store.scores.calls import KeysRemoved
    from annotate.workflow.forgetting import ForgottenAnnotator, ForgottenItems
    from annotate.workflow.labelling.server_moves import JoinedServers


class Maintenance:
    """The maintenance methods of a project."""

    def __init__(self, access: StoreAccess) -> None:
        self._access = access

    def make(self, *, lake: str | None = None) -> Answer[MadeStore]:
        """Make a store, whose traffic may lie in a lake.

        Parameters
        ----------
        lake
            A folder or a URL (`s3://bucket/prefix`) for the traffic, with scores and verdicts; None: the store itself. It holds
            no key: those come from the environment.

        Returns
        -------
        Answer of MadeStore
            Where the traffic is to lie.

        Raises
        ------
        UsageError
            Where the store has traffic, or lies in a lake already; where the address cannot be used or holds a key.
        StoreError
            Where the lake cannot be reached, or DuckDB is not installed.
        """
        from annotate.store.lake.attached import MadeStore, checked_lake

        shown = None if lake is None else checked_lake(lake)
        with self._access.writing(make=True) as store, store.atomic(durable=True):
            if shown is not None:
                store.found_lake(shown)
                # Where it lies may name somebody, and is kept beside the traffic, not in the chain of events.
                scheme = shown.partition("://")[0] if "://" in shown else "folder"
                store.audit.events.append("lake", {"scheme": scheme}, who=self._access.who, now=self._access.now)
        return answer_of("maintenance.made", self._access.path, MadeStore(shown), file=self._access.path)

    def doctor(self, *, since: str | None = None) -> Answer[Health]:
        """Check the file, the chain of events, the releases, the permissions of the file, and servers that are kept twice.

        Parameters
        ----------
        since
            A digest of the events that was kept earlier: the check fails if events before it were rewritten.

        Returns
        -------
        Answer of Health
            The problems, none for a healthy store, the digest of its events, and judges that are there under several spellings.
        """
        from annotate.analysis.judges.spellings import other_spellings
        from annotate.analysis.labelling.doubled_servers import doubled_servers
        from annotate.label_studio.address import DATA_FOLDER
        from annotate.store.health import Health
        from annotate.workflow import masking_policy

        folders = sorted((self._access.path.resolve().parent / DATA_FOLDER).glob("label-studio-*/"))
        with self._access.reading() as store:
            problems = store.check(folders, since=since)
            if not problems and (key := masking_policy.key_problem(store)):
                problems.append(key)
            if not problems:
                problems += [doubled.problem for doubled in doubled_servers(store)]
            head = None if problems else store.audit.events.head()
            spellings = [] if problems else other_spellings(store)
            health = Health(problems=problems, head=head, covered_since=store.covered_since(), spellings=spellings)
        return answer_of("maintenance.doctor", self._access.path, health, file=self._access.path)

    def set_masking(self) -> Answer[Redaction]:
        """Apply [redaction] of assay.toml to this store, also where it masks less than before.

        Returns
        -------
        Answer of Redaction
            The masking that is in force now.

        Raises
        ------
        UsageError
            Where assay.toml has no table [redaction].
        """
        from annotate.workflow import masking_policy

        return self._mask(masking_policy.set_masking)

    def renew_key(self) -> Answer[Redaction]:
        """Go on with a new key of pseudonyms, made where none is there; those that left before match none from now on.

        Returns
        -------
        Answer of Redaction
            The masking that is in force now.

        Raises
        ------
        UsageError
            Where the store has no pseudonyms.
        """
        from annotate.workflow import masking_policy

        return self._mask(masking_policy.renew_key)

    def _mask(self, change: Callable[..., Redaction]) -> Answer[Redaction]:
        with self._access.writing() as store:
            masking = change(store, who=self._access.who, now=self._access.now)
        return answer_of("maintenance.masking", self._access.path, masking)

    def join_servers(self) -> Answer[JoinedServers]:
        """Keep each Label Studio once that this store knows under two addresses; every revision stays in the log.

        Returns
        -------
        Answer of JoinedServers
            The servers with the annotations of each project that stood twice, and those whose labels went.
        """
        from annotate.workflow.labelling import server_moves

        with self._access.writing() as store:
            joined = server_moves.join_doubled(store, who=self._access.who, now=self._access.now)
        return answer_of("maintenance.joined", self._access.path, joined)

    def remove_keys(self) -> Answer[KeysRemoved]:
        """Remove possible API keys from the stored addresses of endpoints.

        Returns
        -------
        Answer of KeysRemoved
            How many addresses were changed.
        """
        from annotate.store.scores.calls import KeysRemoved

        with self._access.writing() as store, store.atomic(durable=True):
            count = store.scores.calls.remove_keys()
            if count:
                store.audit.events.append("keys removed", {"rows": count}, who=self._access.who, now=self._access.now)
        return answer_of("maintenance.keys", self._access.path, KeysRemoved(count))

    def events(self, *, last: int | None = None) -> Answer[list[Event]]:
        """Return the events of the store: what was done, when and by whom.

        Parameters
        ----------
        last
            Return only this many of the newest events; None: all.

        Returns
        -------
        Answer of list of Event
            Oldest first.
        """
        with self._access.reading() as store:
            return answer_of("maintenance.events", self._access.path, store.audit.events.all()[-(last or 0) :])

    def head(self) -> Answer[Head]:
        """Return the digest of all events, to be kept elsewhere and passed to `doctor`.

        Returns
        -------
        Answer of Head
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
        return answer_of("maintenance.head", self._access.path, head)

    def backup(self, file: Path | None = None, *, keep: int | None = None) -> Answer[Backup]:
        """Back up the store while it is in use, and verify the copy.

        Parameters
        ----------
        file
            The copy; None: a name with the time, beside the store.
        keep
            How many backups stay beside the store, this one included; older ones that it made itself are removed.

        Returns
        -------
        Answer of Backup
            The copy with its size in bytes, what is wrong with its events, and the backups that were removed.

        Raises
        ------
        StoreError
            Where `file` exists already, the store is damaged, or there is no space.
        """
        with self._access.writing() as store:
            if not store.is_writable:
                return answer_of("maintenance.backup", self._access.path, self._copy_read_only(store, file, keep))
            with store.only_one("backup"):
                made = store.audit.backups.make(file, keep=keep, who=self._access.who, now=self._access.now)
        return answer_of("maintenance.backup", self._access.path, made)

    def _copy_read_only(self, store: Store, file: Path | None, keep: int | None) -> Backup:
        """Copy a store that cannot be written: nothing is logged, and no older backup is removed."""
        if keep is not None:
            raise StoreError(f"{self._access.path} is read-only: leave --keep out, which removes backups beside it")
        return store.audit.backups.make(file, keep=None, who=self._access.who, now=self._access.now, is_logged=False)

    def forget_items(
        self, ids: Sequence[str], *, why: str | None = None, dry_run: bool = False
    ) -> Answer[ForgottenItems]:
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
        Answer of ForgottenItems
            Counts of what was blanked, and what still holds the texts elsewhere.

        Raises
        ------
        UsageError
            For an id that the store does not know.
        """
        from annotate.workflow import forgetting

        access, chosen = self._access, list(dict.fromkeys(ids))
        with access.reading() if dry_run else access.writing() as store:
            done = forgetting.forget_items(store, chosen, why=why, who=access.who, now=access.now, dry_run=dry_run)
        return answer_of("maintenance.items", self._access.path, done)

    def forget_annotator(
        self, name: str, *, references: bool = False, why: str | None = None, dry_run: bool = False
    ) -> Answer[ForgottenAnnotator]:
        """Replace a person's name by a pseudonym and blank the reasons they gave, with `references` what they wrote too.

        Parameters
        ----------
        name
            The person.
        references
            Also blank the references that they wrote.

        Returns
        -------
        Answer of ForgottenAnnotator
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
        with access.reading() if dry_run else access.writing() as store:
            done = forgetting.forget_annotator(
                store, name, references=references, why=why, who=access.who, now=access.now, dry_run=dry_run
            )
        return answer_of("maintenance.annotator", self._access.path, done, references=references)
