"""A real Label Studio for the live tests: one prepared folder and one server a session.

The environment is taken from ASSAY_HOME, where `assay up` installs it. Without one, live tests are skipped on a
developer's machine and fail in CI. ASSAY_LABEL_STUDIO_TEMPLATE saves preparing the folder.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from annotate.label_studio_local import TEMPLATE_VARIABLE, VERSION, LocalServer, start

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_configure(config: pytest.Config) -> None:
    """Name the marks of the tests that need more than Python."""
    config.addinivalue_line("markers", "live: needs a real Label Studio in its own environment under ASSAY_HOME")
    config.addinivalue_line("markers", "browser: needs Debian's chromium")


def missing(what: str) -> None:
    """Skip where a developer lacks something; fail where CI lacks it, or nobody would notice."""
    if os.environ.get("CI"):
        pytest.fail(what)
    pytest.skip(what)


@pytest.fixture(scope="session")
def label_studio_home() -> Path:
    """The folder with the Label Studio environment."""
    home = Path(os.environ.get("ASSAY_HOME", ""))
    if not os.environ.get("ASSAY_HOME") or not (home / f"label-studio-{VERSION}" / ".assay-complete").exists():
        missing(f"no Label Studio {VERSION} under ASSAY_HOME: run `make up` once, or set ASSAY_HOME")
    return home


@pytest.fixture(scope="session")
def label_studio_template(label_studio_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A prepared data folder that servers copy."""
    given = os.environ.get(TEMPLATE_VARIABLE)
    if given:
        return Path(given)
    template = tmp_path_factory.mktemp("label-studio-template")
    start(label_studio_home, template).stop()
    return template


@pytest.fixture(scope="session")
def label_studio_server(
    label_studio_home: Path, label_studio_template: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalServer]:
    """The one running server; each test makes its own project in it."""
    data = tmp_path_factory.mktemp("label-studio")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(TEMPLATE_VARIABLE, str(label_studio_template))
        server = start(label_studio_home, data)
    with server:
        yield server


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A headless browser."""
    path = shutil.which("chromium")
    if path is None:
        missing("no chromium: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()
