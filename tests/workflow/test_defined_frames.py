"""Frames that are definitions: they give what was drawn, whatever changes later, and say where that is not so any more.

The oracle of a frame is the frame as it was read right after the draw.
"""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from annotate.store import Store
from annotate.store.engine.defined_frames import DefinedFrames
from annotate.store.engine.frames import Frames
from annotate.store.scores import outdated
from support.store import Assay, label, traffic_row

COUNT = 300
Frame = dict[int, tuple[str, float | None]]


def rows(numbers: range) -> Iterator[dict[str, object]]:
    for n in numbers:
        yield traffic_row(f"i{n}", group=f"g{n // 4}", question=f"Where is room {n // 2}?")


def scores(numbers: range, judge: str = "s") -> list[dict[str, object]]:
    """Scores at random, none for a few: judges that tried nearly all predict."""
    known = {n: random.Random(f"{judge} {n}").random() for n in numbers if n % 17}
    return [{"item_id": f"i{n}", "judge": judge, "value": round(value, 3)} for n, value in known.items()]


def drawn_ids(assay: Assay) -> list[str]:
    return [row["item_id"] for row in map(json.loads, (assay.folder / "draws.jsonl").read_text().splitlines())]


def label_all(assay: Assay) -> None:
    """Label every open draw: right where the score of `s` is above a number of its own."""
    assay("draws", "export", "draws.jsonl")
    known = {row["item_id"]: float(str(row["value"])) for row in scores(range(2 * COUNT))}
    labels = [
        label(name, "right" if known.get(name, 0.5) > random.Random(name).random() else "wrong")
        for name in drawn_ids(assay)
    ]
    assay("labels", "import", assay.write("labels.jsonl", labels))


def begun(assay: Assay) -> None:
    assay("ingest", assay.write("traffic.jsonl", list(rows(range(COUNT)))))
    for judge in ("s", "t"):
        assay("scores", "import", assay.write("scores.jsonl", scores(range(COUNT), judge)))
    assay("rule", "set", "min(s, t) > 0.3")
    assay("feedback", assay.write("thumbs.jsonl", [{"item_id": f"i{n}", "value": -1} for n in range(0, COUNT, 29)]))
    assay("sample", "--labels", "80", "--seed", "1")
    label_all(assay)


@pytest.fixture(params=["ledger", "lake"])
def drawn(request: pytest.FixtureRequest, assay: Assay, tmp_path: Path) -> Assay:
    """Waves of three designs, the first two labelled; traffic in the ledger or in a lake."""
    if request.param == "lake":
        pytest.importorskip("duckdb")
        assay("init", "--lake", str(tmp_path / "lake"))
    begun(assay)
    assay("sample", "--labels", "40", "--seed", "2")
    assay("sample", "--labels", "40", "--seed", "3", "--active")
    label_all(assay)
    return assay


def frames(assay: Assay) -> dict[int, Frame]:
    """The frame of each wave: the stratum and the own chance of each item by its row."""
    with closing(Store(assay.db)) as store:
        keys = np.arange(1, store.traffic.items.last_key() + 1)
        frames: dict[int, Frame] = {wave: {} for wave in Frames(store._db).waves()}
        for row in Frames(store._db).rows(keys):
            frames[row.wave][row.item] = (row.stratum, row.chance)
        return frames


def defined(assay: Assay) -> list[int]:
    with closing(Store(assay.db)) as store:
        return DefinedFrames(store._db).waves()


def packed(assay: Assay) -> int:
    return int(assay.sql("SELECT count(*) FROM frame_blocks")[0][0])


@pytest.mark.slow
def test_a_frame_is_a_definition_that_gives_what_was_drawn(drawn: Assay) -> None:
    """Sizes are those of the plan, draws lie in their strata with their chances, and no row an item is kept."""
    known = frames(drawn)

    assert defined(drawn) == [1, 2, 3]
    assert packed(drawn) == 0
    assert [len(frame) for frame in known.values()] == [COUNT] * 3
    query = (
        "SELECT d.wave, d.item, d.stratum, d.inclusion_probability, s.is_fixed * 1.0 * s.drawn / s.size FROM draws d "
    )
    for wave, item, stratum, chance, planned in drawn.sql(query + "JOIN strata s USING (wave, stratum)"):
        assert known[wave][item][0] == stratum
        assert (known[wave][item][1] or planned) == chance
    assert {stratum for stratum, _ in known[2].values()} > {"thumbs_down", "unscored"}
    assert len({chance for _, chance in known[3].values()}) > 5


def late_scores(assay: Assay) -> None:
    """Scores of items that had none, and with them verdicts."""
    given = [{"item_id": f"i{n}", "judge": judge, "value": 0.9} for n in range(0, COUNT, 17) for judge in ("s", "t")]
    assay("scores", "import", assay.write("late.jsonl", given))
    assay("sample", "--labels", "8", "--seed", "9")


def thumbs(assay: Assay) -> None:
    assay("feedback", assay.write("more.jsonl", [{"item_id": f"i{n}", "value": -1} for n in range(1, COUNT, 13)]))


def wider_scale(assay: Assay) -> None:
    """Numbers that were up are down on the scale that a later one shows."""
    for value in (3, 10):
        stars = [{"item_id": f"i{n}", "value": value, "source": "stars"} for n in range(value, COUNT, 31)]
        assay("feedback", assay.write("stars.jsonl", [*stars, {"item_id": "i1", "value": 1, "source": "stars"}]))


def revisions(assay: Assay) -> None:
    revised = [row | {"answer": "It moved."} for row in rows(range(0, COUNT, 5))]
    assay("ingest", assay.write("again.jsonl", revised))


def groups(assay: Assay) -> None:
    edited = [row | {"group": f"other {row['id']}"} for row in rows(range(0, COUNT, 4))]
    assay("ingest", assay.write("edited.jsonl", edited))


def lost_scores(assay: Assay) -> None:
    """As those of a judge whose reference changed are, with the verdicts that rest on them."""
    with closing(Store(assay.db)) as store, store.atomic():
        (judge,) = store._db.conn.execute("SELECT key FROM judges WHERE judge = 't'").fetchone()
        outdated.forget(store._db, [(judge, item) for item in range(5, COUNT, 6)])


def more_traffic(assay: Assay) -> None:
    later = range(COUNT, 2 * COUNT)
    assay("ingest", assay.write("later.jsonl", list(rows(later))))
    assay("scores", "import", assay.write("later-scores.jsonl", scores(later)))


def other_rule(assay: Assay) -> None:
    assay("rule", "set", "s > 0.6")


def forgotten(assay: Assay) -> None:
    for n in (2, 3, 7):
        assay("forget", "--item", f"i{n}", "--yes")


CHANGES = (
    late_scores,
    thumbs,
    wider_scale,
    revisions,
    groups,
    lost_scores,
    more_traffic,
    other_rule,
    forgotten,
)


@pytest.mark.slow
def test_whatever_comes_later_a_frame_stays_what_it_was(drawn: Assay) -> None:
    """One change after the other; the doctor proves it after each."""
    before = frames(drawn)
    for change in CHANGES:
        change(drawn)
        after = frames(drawn)

        assert {wave: after[wave] for wave in before} == before, change.__name__
        assert "frame" not in drawn("doctor").output, change.__name__
    assert packed(drawn) > 0


@pytest.mark.slow
def test_a_second_wave_frames_what_came_since(drawn: Assay) -> None:
    for change in (revisions, more_traffic):
        change(drawn)
    drawn("sample", "--labels", "30", "--seed", "4")
    superseded = len(range(0, COUNT, 5))

    assert defined(drawn) == [1, 2, 3, 4]
    known = frames(drawn)
    assert len(known[4]) == 2 * COUNT
    assert min(set(known[4]) - set(known[3])) == COUNT + 1
    assert len(set(known[3]) - set(known[4])) == superseded


@pytest.mark.slow
def test_the_doctor_names_what_changed_behind_a_frame(drawn: Assay) -> None:
    """Somebody writes to the tables: the stretch is named by its ends, in a lake with the files that it rests on."""
    is_lake = bool(drawn.sql("SELECT count(*) FROM lake")[0][0])
    drawn.sql(
        "DELETE FROM lake_parts WHERE kind = 'verdicts'"
        if is_lake
        else "UPDATE verdicts SET verdict = 'fail' WHERE item BETWEEN 50 AND 60"
    )
    said = " ".join(drawn("doctor", status=1).output.split())

    assert "wave 1: the frame that it was drawn from cannot be computed again" in said
    assert f"answers from i0 to i{COUNT - 1}" in said
    assert ("(in items/" in said) is is_lake


@pytest.mark.slow
def test_a_definition_that_was_changed_is_found(drawn: Assay) -> None:
    """It is sealed with its wave."""
    ((content,),) = drawn.sql("SELECT content FROM frame_definitions WHERE wave = 2")
    known = json.loads(zlib.decompress(content))
    known["digests"] = ["0" * 32 for _ in known["digests"]]
    drawn.sql("UPDATE frame_definitions SET content = ? WHERE wave = 2", (zlib.compress(json.dumps(known).encode()),))
    said = " ".join(drawn("doctor", status=1).output.split())

    assert "wave 2: the frame that it was drawn from is not as Assay wrote it" in said
    drawn.sql("UPDATE frame_definitions SET content = X'00' WHERE wave = 2")
    assert "definition of the frame of wave 2 is damaged" in " ".join(drawn("doctor", status=1).output.split())


@pytest.mark.slow
def test_a_lake_draws_and_defines_the_same(assay: Assay, tmp_path: Path) -> None:
    """Same seeds, same draws, same frames, and the same definitions but for the digest of the lake's files."""
    pytest.importorskip("duckdb")
    stores = [Assay(assay.folder, assay.folder / f"{name}.db") for name in ("plain", "laked")]
    stores[1]("init", "--lake", str(tmp_path / "lake"))
    kept = []
    for store in stores:
        begun(store)
        store("sample", "--labels", "40", "--seed", "3", "--active")
        draws = store.sql("SELECT wave, item, stratum, inclusion_probability, task_key FROM draws ORDER BY key")
        contents = [content for (content,) in store.sql("SELECT content FROM frame_definitions ORDER BY wave")]
        known = [json.loads(zlib.decompress(content)) for content in contents]
        manifests = [definition.pop("manifest") for definition in known]
        kept.append((draws, known, frames(store)))
        assert [manifest is None for manifest in manifests] == [store is stores[0]] * 2

    assert kept[0] == kept[1]
