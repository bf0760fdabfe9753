"""The wheel: what is in it, and that a copy installed elsewhere is complete and works by itself."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import sysconfig
import time
import venv
import zipfile
from pathlib import Path

import httpx
import pytest

from support.store import ROOT, traffic_row

pytestmark = pytest.mark.slow

START_SECONDS = 60


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that this checkout makes."""
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    [made] = out.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of a fresh environment that holds the wheel, and beyond it what this environment depends on."""
    folder = tmp_path_factory.mktemp("installed") / "env"
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-index", "--no-deps", str(wheel)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    # After the folder's own packages on the path, and read as a path only: no .pth file in there is followed.
    own = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    (own / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "bin"


def run(*command: str | Path, folder: Path) -> str:
    """What a command says that must succeed, with nothing of the checkout on its path."""
    ended = subprocess.run(command, cwd=folder, env=outside(), capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def outside() -> dict[str, str]:
    """The environment without what would lead back to the checkout."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("ASSAY_", "PYTHON"))}


def test_the_wheel_holds_what_runs_and_nothing_else(wheel: Path) -> None:
    """Every module, the form, the demo's data and the app; no tests, no settings, no caches."""
    names = set(zipfile.ZipFile(wheel).namelist())
    info = f"{'-'.join(wheel.name.split('-')[:2])}.dist-info/"
    contents = {name for name in names if not name.startswith(info)}
    modules = {
        str(path.relative_to(ROOT)) for package in ("annotate", "proxy") for path in (ROOT / package).rglob("*.py")
    }
    data = {
        str(path.relative_to(ROOT))
        for folder in ("forms", "demo_data")
        for path in (ROOT / "annotate" / folder).iterdir()
    }

    assert {"annotate/forms/labelling.v3.xml", "annotate/forms/guide.ko.md", "annotate/demo_data/traffic.jsonl"} <= data
    steps = {str(path.relative_to(ROOT)) for path in (ROOT / "annotate" / "store").rglob("*.sql")}
    assert steps
    assert modules | data | steps | {"app.py"} <= contents
    assert {Path(name).parts[0] for name in contents} == {"annotate", "proxy", "app.py"}
    assert {Path(name).suffix for name in contents} <= {
        ".py",
        ".xml",
        ".toml",
        ".jsonl",
        ".md",
        ".txt",
        ".typed",
        ".css",
        ".js",
        ".svg",
        ".html",
        ".sql",
    }
    assert {f"{info}METADATA", f"{info}entry_points.txt", f"{info}licenses/LICENSE"} <= names


def test_the_installed_command_walks_the_demo(installed: Path, tmp_path: Path) -> None:
    """Outside the checkout the installed copies are imported, and the demo finds its data."""
    script = "import annotate, proxy; print(annotate.__file__, proxy.__file__)"
    for file in run(installed / "python", "-c", script, folder=tmp_path).split():
        assert Path(file).is_relative_to(installed.parent)

    assert run(installed / "assay", "--version", folder=tmp_path).startswith("assay, version ")
    report = json.loads(run(installed / "assay", "demo", "--json", folder=tmp_path))
    assert (report["items"], report["labels"]) == (16, 16)
    assert report["correctness"]["estimate"] is not None


def test_pytest_finds_the_fixture_of_the_installed_package(installed: Path, tmp_path: Path) -> None:
    """By its entry point, without a word from the user; the plugin is the one of the wheel."""
    fixtures = run(installed / "python", "-m", "pytest", "--fixtures", folder=tmp_path)

    assert "assay_gold [session scope]" in fixtures
    assert f"{installed.parent.name}/lib" in next(line for line in fixtures.splitlines() if "assay_gold" in line)


def test_the_installed_app_answers_and_ends(installed: Path, tmp_path: Path) -> None:
    """`assay app` serves the installed app.py without a browser, and SIGTERM ends it with all its processes."""
    run(installed / "assay", "demo", "--json", folder=tmp_path)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    app = subprocess.Popen(
        [installed / "assay", "app", "--db", "assay-demo.db", "--port", str(port)],
        cwd=tmp_path,
        env=outside(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        wait_for(f"http://127.0.0.1:{port}/_stcore/health", app)
        [child] = Path(f"/proc/{app.pid}/task/{app.pid}/children").read_text().split()
        command = Path(f"/proc/{child}/cmdline").read_bytes().decode().split("\0")
        assert Path(command[0]).is_relative_to(installed.parent)
        assert command[1:3] == ["-m", "annotate.pages.kit.asgi"]

        app.terminate()
        assert app.wait(20) == 0
        assert not Path(f"/proc/{child}").exists()
    finally:
        if app.poll() is None:
            os.killpg(app.pid, signal.SIGKILL)
            app.wait()
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"http://127.0.0.1:{port}/_stcore/health", trust_env=False, verify=False)


def wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    """Return once the address answers with 200."""
    end = time.monotonic() + START_SECONDS
    while True:
        assert process.poll() is None
        assert time.monotonic() < end
        try:
            if httpx.get(url, trust_env=False, verify=False).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.2)


@pytest.mark.long
def test_the_extra_of_the_lake_is_all_that_a_lake_needs(wheel: Path, tmp_path: Path) -> None:
    """In a fresh environment with nothing but the wheel and its extra, from the package index, a lake is made and counted."""
    folder = tmp_path / "env"
    venv.create(folder, symlinks=True)
    python, assay = folder / "bin" / "python", folder / "bin" / "assay"
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", f"{wheel}[lake]"]
    subprocess.run(command, check=True, capture_output=True, timeout=1_200)

    rows = [traffic_row(f"i{n}", timestamp=f"2026-11-{1 + n % 3:02}T08:00:00Z") for n in range(12)]
    (tmp_path / "traffic.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    scores = [{"item_id": f"i{n}", "judge": "s", "value": n / 12} for n in range(12)]
    (tmp_path / "scores.jsonl").write_text("".join(json.dumps(row) + "\n" for row in scores), encoding="utf-8")
    for words in (
        ("init", "--lake", "lake"),
        ("ingest", "traffic.jsonl"),
        ("scores", "import", "scores.jsonl"),
        ("rule", "set", "s > 0.5"),
    ):
        run(assay, *words, folder=tmp_path)
    report = json.loads(run(assay, "report", "--json", folder=tmp_path))
    assert (report["items"], report["judged"]) == (12, 12)
    assert report["pass_rate"]["estimate"] == sum(row["value"] > 0.5 for row in scores) / 12
    days = {path.parent.name for path in (tmp_path / "lake" / "items").rglob("*.parquet")}
    assert days == {f"date=2026-11-0{day}" for day in (1, 2, 3)}
