"""Addresses of a lake: what can be opened, clear refusals, and credentials that appear nowhere."""

from __future__ import annotations

import logging
import stat
import traceback
from pathlib import Path
from urllib.parse import unquote

import pytest

from annotate.store.lake.address import read_address
from annotate.store.lake.parts import Lake
from proxy.errors import AssayError, StoreError, UsageError
from support.lake import DAY, S3Server, content, files, rows

USER, PASSWORD, TOKEN = "AKIAZQXUSER", "zqx55+w0rd/zqx", "t0ken-zqx"
ENCODED = "zqx55%2Bw0rd%2Fzqx"
CLOSED = "endpoint_override=127.0.0.1:9&scheme=http&region=us-east-1"


def forms(*texts: object) -> str:
    return "\n".join(form for text in texts for form in (str(text), repr(text)))


def assert_quiet(text: str) -> None:
    """No form of a credential, and no tail of one."""
    for secret in ("zqx", "w0rd", "t0ken"):
        assert secret not in text.lower()


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        (f"s3://{USER}:{ENCODED}@bucket/a/b", "s3://bucket/a/b"),
        (f"s3://{USER}:{ENCODED}@bucket/lake?{CLOSED}&token={TOKEN}", f"s3://bucket/lake?{CLOSED}&…"),
        (
            f"s3://bucket/lake?endpoint_override={USER}:{ENCODED}%40host:9000",
            "s3://bucket/lake?endpoint_override=host:9000",
        ),
        (f"sftp://{USER}:{TOKEN}@host:22/lake", "sftp://host:22/lake"),
        (f"abfs://box/lake?{TOKEN}", "abfs://box/lake?…"),
        (f"abfs://box/lake?sig={TOKEN}&{TOKEN}==&region=x", "abfs://box/lake?…&…&region=x"),
        (f"abfs://box/lake#{TOKEN}", "abfs://box/lake"),
        ("S3://bucket/lake", "s3://bucket/lake"),
        ("some/folder", "some/folder"),
    ],
)
def test_what_is_shown_has_no_credentials(address: str, shown: str) -> None:
    place = read_address(address)

    assert place.shown == shown
    assert_quiet(forms(place))
    known = [secret for secret in (USER, PASSWORD, ENCODED, TOKEN) if secret in f"{address} {unquote(address)}"]
    assert_quiet(place.without_secrets(f"GET {address} with {known}"))


@pytest.mark.parametrize(
    "address",
    [
        "",
        "  ",
        "a\0b",
        "s3:bucket/lake",
        "s3:/bucket/lake",
        f"cache::s3://{USER}:{TOKEN}@bucket",
        f"s3://{USER}:{PASSWORD}@bucket/lake",  # the slash would end the host
        f"s3://{USER}:zqx?w0rd@bucket/lake",
        f"s3://{USER}:zqx#w0rd@bucket/lake",
        f"s3://{USER}:zqx?w0rd",
        f"s3://{USER}:zq@xw0rd@bucket/lake",
        f"s3://{USER}:zq[xw0rd@bucket/lake",
        f"s3://bucket/lake?endpoint_override={USER}:zqx@host",
        f"s3://{USER}:{ENCODED}@/lake",
        f"s3://bucket/lake?token={TOKEN}&{CLOSED}",
        f"nosuch://{USER}:{TOKEN}@bucket",
        f"gs://bucket/lake?access_token={TOKEN}",
    ],
)
def test_an_address_that_cannot_be_read_is_refused_quietly(address: str) -> None:
    """In one line, without a network; the log of the whole error is quiet, too."""
    with pytest.raises(UsageError) as refused:
        Lake.open(address)

    assert "\n" not in str(refused.value)
    assert_quiet(forms(refused.value))
    assert_quiet("".join(traceback.format_exception(refused.value)))


def test_a_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    """Folders 0700 and files 0600; a folder that was there stays as it was."""
    there = tmp_path / "there"
    there.mkdir(mode=0o755)
    there.chmod(0o755)

    part = Lake.open(str(there / "new" / "lake")).write(rows(3), "items", DAY)

    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in [there, *there.rglob("*")]}
    assert modes.pop(there) == 0o755
    assert modes.pop(there / "new" / "lake" / part.path) == 0o600
    assert set(modes.values()) == {0o700}


@pytest.mark.parametrize("prefix", ["", "file://"])
def test_a_folder_can_be_written_as_a_url_and_is_found_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prefix: str
) -> None:
    """A relative one is below the folder in which it was opened."""
    monkeypatch.chdir(tmp_path)
    lake = Lake.open(f"{prefix}{tmp_path}/lake" if prefix else "lake")
    part = lake.write(rows(3), "items", DAY)
    monkeypatch.chdir("/")

    assert lake.read(part).equals(rows(3))
    assert (tmp_path / "lake" / part.path).exists()


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lake").write_text("x")
    for name in ("lake", "lake/below"):
        with pytest.raises(StoreError, match="cannot be opened"):
            Lake.open(str(tmp_path / name))


def test_a_link_out_of_the_lake_is_not_followed(tmp_path: Path) -> None:
    """What lies behind it belongs to somebody else."""
    other = Lake.open(str(tmp_path / "other"))
    other.write(rows(3), "items", DAY)
    lake = Lake.open(str(tmp_path / "lake"))
    (tmp_path / "lake" / "items").mkdir()
    (tmp_path / "lake" / "items" / "date=2026-11-21").symlink_to(tmp_path / "other" / "items" / "date=2026-11-20")

    assert list(lake.others([], kinds=["items"])) == []


@pytest.fixture
def _fsspec() -> None:
    pytest.importorskip("fsspec", reason="fsspec is not installed")


@pytest.mark.usefixtures("_fsspec")
def test_a_scheme_of_fsspec() -> None:
    """Parts are read, listed and removed as anywhere else, and appear under their name when they are whole."""
    lake = Lake.open("memory://lake/below")

    part = lake.write(rows(10), "items", DAY)
    again = lake.write(rows(10), "items", DAY)

    assert part == again
    assert files(lake) == [part.path]
    assert len(content(lake, part.path)) == part.size
    assert lake.read(part).equals(rows(10))
    assert lake.dataset([part], rows(0).schema).count_rows() == 10
    assert list(lake.others([], kinds=["items"])) == [part.path]
    lake.remove(part)
    with pytest.raises(StoreError, match="missing"):
        lake.read(part)


@pytest.mark.usefixtures("_fsspec")
def test_errors_of_a_file_system_of_others_are_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """They may have the whole address in them."""
    from fsspec.implementations.memory import MemoryFileSystem

    lake = Lake.open(f"memory://{USER}:{ENCODED}@lake?token={TOKEN}")

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError(f"cannot reach https://{USER}:{ENCODED}@lake with {PASSWORD}\nand {TOKEN}")

    monkeypatch.setattr(MemoryFileSystem, "_open", fail)
    with pytest.raises(StoreError, match=r"cannot reach https://….* check that the lake can be reached") as refused:
        lake.write(rows(1), "items", DAY)

    assert_quiet(forms(refused.value, lake, lake._files))
    assert_quiet("".join(traceback.format_exception(refused.value)))


@pytest.mark.long
@pytest.mark.usefixtures("s3_keys")
def test_errors_of_s3_are_quiet(
    s3_server: S3Server, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """No server, no bucket, a bucket that went away: one line each, with keys in the address and nowhere else."""
    keys = f"{USER}:{ENCODED}"
    caplog.set_level(logging.DEBUG)
    errors: list[AssayError] = []
    for address in (f"s3://{keys}@bucket/lake?{CLOSED}", s3_server.address("no-such-bucket", keys=keys)):
        with pytest.raises(StoreError, match="cannot be opened") as refused:
            Lake.open(address)
        errors.append(refused.value)
    s3_server.make("short-lived")
    lake = Lake.open(s3_server.address("short-lived", keys=keys))
    part = lake.write(rows(1), "items", DAY)
    assert lake.read(part).equals(rows(1))
    lake._files.root = "no-such-bucket/lake"
    with pytest.raises(StoreError, match="check that the lake can be reached") as refused:
        lake.write(rows(1), "items", DAY)
    errors.append(refused.value)
    with pytest.raises(StoreError, match="missing") as refused:
        lake.read(part)
    errors.append(refused.value)

    assert "there is no bucket no-such-bucket" in str(errors[1])
    assert all("\n" not in str(error) for error in errors)
    traces = ["".join(traceback.format_exception(error)) for error in errors]
    out, err = capfd.readouterr()
    assert_quiet(forms(lake, *errors, *traces, caplog.text, out, err))
