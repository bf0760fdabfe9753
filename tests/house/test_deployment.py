"""What examples/deployment holds: units that systemd takes, and names that the commands know."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from annotate.cli import main
from annotate.label_studio.local.environment import NEWEST

FOLDER = Path(__file__).parents[2] / "examples" / "deployment"
UNITS = sorted([*FOLDER.glob("*.service"), *FOLDER.glob("*.timer")])
PROGRAM = re.compile(r"(?<==)/opt/\S+")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze here")
def test_systemd_takes_the_units(tmp_path: Path) -> None:
    """All together, without an error or a warning; their programs are not installed here, so another stands for them."""
    for unit in UNITS:
        (tmp_path / unit.name).write_text(PROGRAM.sub("/bin/true", unit.read_text()))
    done = subprocess.run(
        ["systemd-analyze", "verify", *sorted(tmp_path.iterdir())], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_what_the_files_start_is_a_command() -> None:
    """Each line that starts Assay, in a unit or in the image, is understood; a made-up option is not."""
    lines = [
        line.partition("/opt/assay/bin/assay ")[2]
        for unit in UNITS
        for line in unit.read_text().splitlines()
        if line.startswith("ExecStart=/opt/assay")
    ]
    [started] = re.findall(r'^CMD \["assay", (.*)\]$', (FOLDER / "Dockerfile").read_text(), re.MULTILINE)
    lines.append(started.replace('"', "").replace(",", ""))

    assert len(lines) == 4
    for line in lines:
        assert CliRunner().invoke(main, [*shlex.split(line), "--help"]).exit_code == 0, line
    assert CliRunner().invoke(main, ["serve", "--no-such", "--help"]).exit_code == 2


def test_the_server_of_the_composition_is_the_newest_that_is_tested() -> None:
    """And no secret stands in the file."""
    content = (FOLDER / "compose.yaml").read_text()

    assert re.findall(r"heartexlabs/label-studio:(\S+)", content) == [NEWEST]
    assert re.findall(r"(?:PASSWORD|KEY|SECRET|TOKEN): (?!\$\{\w+:\?\}\n)", content) == []
