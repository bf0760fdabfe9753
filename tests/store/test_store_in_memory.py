"""A store in memory: everything that a store does, and no file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.domain.privacy import redaction
from annotate.store import Store
from proxy.errors import StoreError
from support.store import NOW, add, item


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A store in memory, in an empty folder that is empty still when it is closed."""
    monkeypatch.chdir(tmp_path)
    store = Store(":memory:")
    yield store
    store.close()
    assert list(tmp_path.iterdir()) == []


def test_it_keeps_what_it_is_given(memory: Store) -> None:
    """Items, an event, a total, a lock; it is sound, and another one knows nothing of it."""
    with memory.alone(), memory.only_one("judge"):
        add(memory, item())
        with memory.atomic(durable=True):
            memory.audit.events.append("ingest", {"n": 1}, who="ann", now=NOW)
    with memory.snapshot():
        assert memory.sampling.ledger.without_passages() == memory.sampling.ledger.without_passages() == (0, 0)
    assert memory.check() == []
    assert Store(":memory:").traffic.items.count() == 0


def test_a_path_is_the_same_as_its_text(memory: Store) -> None:
    """Both stand for memory, and each is a store of its own."""
    add(memory, item())
    from_path = Store(Path(":memory:"))
    assert from_path.traffic.items.count() == 0
    from_path.close()


def test_what_it_asks_to_be_masked_is_masked_while_it_is_open(memory: Store) -> None:
    """The record of a file is read beside the store; here it is read from the store itself."""
    assert not redaction.of_stores().is_on
    with memory.atomic():
        memory.audit.policies.set_masking(redaction.Redaction(is_on=True).as_json())
    assert redaction.of_stores().is_on
    memory.close()
    assert not redaction.of_stores().is_on


def test_forgetting_leaves_nothing_to_delete_elsewhere(memory: Store) -> None:
    """There is no copy, and nothing to rewrite."""
    add(memory, item())
    assert memory.audit.forgetting.forget_items(["a"], why=None, who="ann", now=NOW).left is None
    assert memory.audit.forgetting.remains_of_items(["a"]).copies == ()
    assert memory.check() == []


def test_it_cannot_be_copied(memory: Store) -> None:
    """An empty file would look like a backup."""
    with pytest.raises(StoreError, match="in memory"):
        memory.audit.backups.make(Path("copy.db"), keep=None, who="ann", now=NOW)
