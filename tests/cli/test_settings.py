"""assay.toml: read or refused with its place."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from annotate.settings import ModelPrices, prices, settings
from proxy.errors import UsageError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_without_a_file_nothing_is_set() -> None:
    """No table, no prices."""
    assert settings() == {}
    assert prices("m") is None


def test_prices_of_a_model(folder: Path) -> None:
    """Whole numbers and fractions, cached where it is given; another model has none."""
    (folder / "assay.toml").write_text(
        '[prices."a/b-1.5"]\ninput = 2\noutput = 8.5\n[prices.c]\ninput=1\noutput=1\ncached=0\n'
    )

    assert prices("a/b-1.5") == ModelPrices(input=2.0, output=8.5)
    assert prices("c") == ModelPrices(input=1.0, output=1.0, cached=0.0)
    assert prices("d") is None


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("input = 1", "lacks output: output is money per million tokens"),
        ("input = 1\noutput = 2\nreply = 3", "knows input, output, cached, not reply"),
        ("input = -1\noutput = 2", "input is money per million tokens, not -1"),
        ("input = 1\noutput = nan", "output is money per million tokens, not nan"),
        ("input = inf\noutput = 2", "input is money per million tokens, not inf"),
        ("input = 1\noutput = '2'", "output is money per million tokens, not '2'"),
        ("input = 1\noutput = true", "output is money per million tokens, not True"),
    ],
)
def test_what_is_no_price_is_said_with_its_place(folder: Path, table: str, words: str) -> None:
    """The file, the table, the entry."""
    (folder / "assay.toml").write_text(f"[prices.m]\n{table}\n")

    with pytest.raises(UsageError, match=words) as raised:
        prices("m")
    assert str(raised.value).startswith('assay.toml: [prices."m"]')


@pytest.mark.parametrize("content", [b"[judge", b"\xff\xfe", b"a = 1\na = 2\n"])
def test_a_file_that_is_no_toml_is_one_line(folder: Path, content: bytes) -> None:
    """Broken syntax, no UTF-8, a key said twice."""
    (folder / "assay.toml").write_bytes(content)

    with pytest.raises(UsageError, match=r"^assay.toml cannot be read: ") as raised:
        settings()
    assert "\n" not in str(raised.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_one_line(folder: Path) -> None:
    """Without the permission."""
    (folder / "assay.toml").write_text("")
    (folder / "assay.toml").chmod(0)
    with pytest.raises(UsageError, match="cannot be read"):
        settings()


@pytest.mark.parametrize("text", ["prices = 3", "[prices]\nm = 3"])
def test_prices_that_are_no_table(folder: Path, text: str) -> None:
    """Not a table of models, or a model that is a number."""
    (folder / "assay.toml").write_text(text)
    with pytest.raises(UsageError, match=r"assay\.toml"):
        prices("m")
