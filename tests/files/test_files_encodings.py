"""Which encoding a text is of, where nothing says so: Western Windows where its letters show it, else it is not guessed."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest

from annotate.files import FileRow, Rejected, guessed_encoding, read_rows
from annotate.files.encodings import guess_encoding
from proxy.errors import FileError

PIECE = 1 << 16  # files are looked through in pieces of this size
WESTERN = {
    "German": "Wie heiß ist es? Die Größe der Tür: „müde“ – schön, Übermut",
    "French": "L’été, ça coûte 5 € à l’hôtel « Créée » où œuvre naïve",
    "Spanish": "¿Cuándo llegó el niño? ¡Mañana!",
    "Portuguese": "Não há informação: você também está aí? É ótimo, às três horas não será possível",
    "Italian": "Perché è così, però più o meno in città",
    "Swedish": "Åtta små ägg på ön, får jag säga det här för er",
    "Danish": "Blåbærgrød på øen",
    "Dutch": "Eén geïnformeerde coördinatie",
    "English": "It’s a “quoted” naïve café — 20°",
}
OTHERS = {
    "Polish": ("Zażółć gęślą jaźń, która się śmieje", "cp1250"),
    "Czech": ("Příliš žluťoučký kůň úpěl ďábelské ódy", "cp1250"),
    "Slovak": ("Ľudia môžu ísť ďalej, ťažké", "cp1250"),
    "Croatian": ("Čovjek i kuća, đak, šuma, žaba", "cp1250"),
    "Hungarian": ("Árvíztűrő tükörfúrógép, őszi öröm, hogyan lehet ezt megoldani, kérem szépen", "cp1250"),
    "Lithuanian": ("Ąžuolas, šiandien, ačiū, žmonės", "cp1257"),
    "Turkish": ("Yağmurlu bir gün, ışık söndü, şoför çıktı", "cp1254"),
    "Russian": ("Привет, как дела", "cp1251"),
    "Russian, KOI8": ("Привет, как дела", "koi8-r"),
    "Greek": ("Καλημέρα σας", "cp1253"),
    "Hebrew": ("שלום לכם", "cp1255"),
    "Thai": ("สวัสดี", "tis_620"),
    "Japanese": ("病棟3はいつ移動しましたか", "shift_jis"),
    "Japanese, EUC": ("病棟3はいつ移動しましたか", "euc_jp"),
    "Chinese": ("病房什么时候搬迁", "gb18030"),
    "Chinese, Big5": ("病房什麼時候搬遷", "big5"),
    "Korean": ("병동은 언제 옮겼나요", "cp949"),
    "Polish, two letters": ("Kto dzisiaj się tutaj śmieje?", "cp1250"),
    "Croatian, one letter": ("Gdje je riječ?", "cp1250"),
    "Latvian, one letter": ("Kur ir māja?", "cp1257"),
    "Romanian": ("Bună ziua, casă, fată", "cp1250"),
    "German, DOS": ("Wie heiß ist die Größe", "cp850"),
    "French, Mac": ("L'été ça va à l’hôtel", "mac_roman"),
    "German, UTF-8": ("Wie heiß ist die Größe", "utf-8"),
}


def stream(data: bytes) -> io.BufferedReader:
    return io.BufferedReader(io.BytesIO(data))  # type: ignore[arg-type] # a raw stream in memory


@pytest.mark.parametrize("text", WESTERN.values(), ids=WESTERN)
@pytest.mark.parametrize("least", [1, PIECE + 1], ids=["short", "long"])
def test_western_text_is_read_as_it_was_written(text: str, least: int) -> None:
    """The rows are those that were written, letter by letter, also in a second piece of the file."""
    repeated = -(-least // len(text))
    data = ("question,answer\n" + f'"{text}",Ja.\n' * repeated).encode("cp1252")

    guessed = guess_encoding(stream(data))

    assert guessed is not None
    assert guessed.name == "cp1252"
    rows = list(read_rows("t.csv", stream=stream(data), encoding=guessed.name))
    assert [row.fields["question"] for row in rows if isinstance(row, FileRow)] == [text] * repeated


@pytest.mark.parametrize(("text", "encoding"), OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("least", [1, PIECE + 1], ids=["short", "long"])
def test_no_other_encoding_is_taken_for_western(text: str, encoding: str, least: int) -> None:
    """Each of these decodes as cp1252 or nearly, as other words; named, it is read right."""
    repeated = -(-least // len(text))
    data = ("question,answer\n" + f'"{text}",Ja.\n' * repeated).encode(encoding)

    assert guess_encoding(stream(data)) is None
    rows = list(read_rows("t.csv", stream=stream(data), encoding=encoding))
    assert [row.fields["question"] for row in rows if isinstance(row, FileRow)] == [text] * repeated


@pytest.mark.parametrize(
    "data",
    [
        "größer ".encode() * 500 + b"\xc3\n",
        "größer ".encode() * 3 + b"caf\xe9\n",
        b"plain\n",
        b"",
        b"\xef\xbb\xbfa,b\n1,caf\xe9\n",
    ],
    ids=["cut off", "one bad byte among UTF-8", "ASCII", "empty", "a byte order mark"],
)
def test_what_is_utf8_but_for_a_fault_stays_so(data: bytes) -> None:
    """A fault costs its row; it does not make other words of all the rest."""
    assert guess_encoding(stream(data)) is None


@pytest.mark.parametrize("before", [PIECE, PIECE - 3, PIECE + 3])
def test_words_at_the_end_of_a_piece_are_seen_whole(before: int) -> None:
    """Files are looked through in pieces of 64 KB: a word that one ends within is none that begins with its letter."""
    data = (b"x" * (before - 4) + " größer\n".encode("cp1252")) * 30

    guessed = guess_encoding(stream(data))

    assert guessed is not None
    assert (guessed.name, guessed.example.strip("x")) == ("cp1252", "größer")


def test_a_packed_file_is_looked_into(tmp_path: Path) -> None:
    """Also a table of bytes is no text of an encoding."""
    packed = tmp_path / "t.jsonl.gz"
    packed.write_bytes(gzip.compress('{"question": "Größe?"}\n'.encode("latin-1")))

    guessed = guessed_encoding(str(packed))

    assert guessed == ("cp1252", "Größe")
    (row,) = read_rows(str(packed), encoding="cp1252")
    assert isinstance(row, FileRow)
    assert row.fields == {"question": "Größe?"}


def test_a_byte_that_the_named_encoding_lacks_costs_its_row() -> None:
    """0x81 is nothing in cp1252: the rows around it are read."""
    data = b'{"a": "gr\xf6\xdfer"}\n{"a": "\x81"}\n{"a": "b"}\n'

    rows = list(read_rows("t.jsonl", stream=stream(data), encoding="cp1252"))

    assert [row.fields["a"] for row in rows if isinstance(row, FileRow)] == ["größer", "b"]
    (refused,) = [row for row in rows if isinstance(row, Rejected)]
    assert (refused.line, "--encoding" in refused.reason) == (2, True)


def test_utf16_without_a_mark_is_told_and_read_by_name() -> None:
    """Byte order and all; a table has no encoding to be named."""
    for encoding in ("utf-16-le", "utf-16-be"):
        data = "question,answer\nWas?,Größe.\n".encode(encoding)
        with pytest.raises(FileError, match=f"--encoding {encoding}"):
            list(read_rows("t.csv", stream=stream(data)))
        (row,) = read_rows("t.csv", stream=stream(data), encoding=encoding)
        assert isinstance(row, FileRow)
        assert row.fields["answer"] == "Größe."
    with pytest.raises(FileError, match="leave it out"):
        list(read_rows("t.parquet", stream=stream(b"PAR1" + bytes(100)), encoding="cp1252"))
