"""The picture of the README: Overview on a made-up store, as a browser shows it. `make picture` draws it anew."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from annotate.pages.kit import server
from support.large import fill

ITEMS, LABELS = 4_000, 500
WIDTH, HEIGHT = 1280, 760


def main(target: Path) -> None:
    """Make the store, serve the app, and keep what the browser shows."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        db = Path(folder) / "clinic.db"
        fill(db, items=ITEMS, labels=LABELS)
        process, port = server.start(db, None)
        try:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
            page.goto(f"http://127.0.0.1:{port}/")
            page.wait_for_selector(".st-key-head [data-testid=stMarkdown]", timeout=60_000)
            page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]", timeout=60_000)
            page.wait_for_timeout(1_000)  # charts fade in
            page.screenshot(path=str(target))
            browser.close()
        finally:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
