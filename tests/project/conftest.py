"""The project that the tests of this folder fill."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from annotate import Project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project without a store, in an empty working directory, with no setting from outside."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith(("ASSAY_", "LABEL_STUDIO_"))]:
        monkeypatch.delenv(name)
    return Project.open(tmp_path / "assay.db", who="tester")
