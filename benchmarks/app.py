"""Each page of the app at 200,000 items and 2,000 labels: seconds until it answers, fresh and warm, and what it sends.

    python benchmarks/app.py [STORE]

A page answers when its first sentence stands in the browser; it is done when its script has ended. `fresh` is the first visit
after the app was started (its process answers nobody before it has imported what it needs), `warm` a later one by somebody else,
whose browser has nothing yet either; each is the median of three. Without STORE one is made, which takes a minute, and the report
is asked for once, as every night does. Exit status 1 above 3 seconds to the answer or 1 MB over the websocket.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from runpy import run_path
from typing import NamedTuple

# Another file of this folder has the name of a standard module, which a script's own folder would hide.
sys.path = [folder for folder in sys.path if not folder.endswith("benchmarks")]
sys.path += [str(Path(__file__).parent.parent / "tests")]

import numpy as np
from playwright.sync_api import Browser, Page, WebSocket, sync_playwright

from annotate.pages.kit import server

PAGES = tuple(run_path(str(server.app_file()))["PAGES"])
SECONDS, BYTES, TIMES = 3.0, 1_000_000, 3
ANSWER = ".st-key-head [data-testid=stMarkdown]"
ENDED = "[data-testid=stApp][data-test-script-state=notRunning]"


class Visit(NamedTuple):
    """Seconds until the answer stood there and until the script had ended, and the bytes that came."""

    answer: float
    done: float
    size: int


@contextmanager
def served(db: Path) -> Iterator[str]:
    """The app on this store, until it answers."""
    process, port = server.start(db, None)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(120):
            try:
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=60).close()
                break
            except OSError:
                time.sleep(0.25)
        yield address
    finally:
        process.terminate()
        process.wait(20)


def visit(browser: Browser, address: str) -> Visit:
    """One visit by somebody new."""
    size = [0]

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda data: size.__setitem__(0, size[0] + len(data)))

    page = browser.new_page(viewport={"width": 1280, "height": 800})
    try:
        page.on("websocket", listen)
        start = time.perf_counter()
        page.goto(address)
        page.locator(ANSWER).first.wait_for(timeout=120_000)
        answered = time.perf_counter() - start
        _until_ended(page)
        return Visit(answered, time.perf_counter() - start, size[0])
    finally:
        page.context.close()


def _until_ended(page: Page) -> None:
    """Until the script has ended and does not begin again."""
    for _ in range(2):
        page.locator(ENDED).wait_for(timeout=120_000)
        page.wait_for_timeout(200)


def measured(browser: Browser, db: Path, page: str) -> tuple[Visit, Visit]:
    """The medians of the first and of a later visit to a page, each time on a new process."""
    fresh, warm = [], []
    for _ in range(TIMES):
        with served(db) as address:
            fresh.append(visit(browser, f"{address}/{page}"))
            warm.append(visit(browser, f"{address}/{page}"))
    return _median(fresh), _median(warm)


def _median(visits: list[Visit]) -> Visit:
    answers, done, sizes = zip(*visits, strict=True)
    return Visit(float(np.median(answers)), float(np.median(done)), max(sizes))


def prepared(folder: Path, given: str | None) -> Path:
    """A store of our own, on which the report has been asked for."""
    db = folder / "assay.db"
    if given:
        shutil.copy(given, db)
    else:
        from support.large import fill

        fill(db)
    subprocess.run([sys.executable, "-m", "annotate", "report", "--db", str(db)], check=True, stdout=subprocess.DEVNULL)
    return db


def main() -> int:
    """Print the table; 1 if a bar is missed."""
    missed = False
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        db = prepared(Path(folder), sys.argv[1] if len(sys.argv) > 1 else None)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        print(f"{'page':14} {'fresh':>7} {'done':>7} {'warm':>7} {'done':>7} {'kB':>6}")
        for page in PAGES:
            fresh, warm = measured(browser, db, page)
            size = max(fresh.size, warm.size)
            missed |= fresh.answer > SECONDS or warm.answer > SECONDS or size > BYTES
            print(
                f"{page:14} {fresh.answer:7.2f} {fresh.done:7.2f} {warm.answer:7.2f} {warm.done:7.2f} {size / 1000:6.0f}",
                flush=True,
            )
        browser.close()
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
