"""Draws are random, reproducible, and have the probability they state."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from annotate.domain.sampling import designs
from proxy.planning.allocation import plan
from proxy.stats.sampling.permanent_random import drawing_number, permanent_random_number
from support.sampling import DOWN, FAILED, NOTHING, PASSED, UNSCORED, counts, draw, drawn, frame, ids


def test_a_wave_draws_by_the_first_hex_digits_of_a_hash() -> None:
    """By the standard library alone: anyone can check a draw years later."""
    for item in ("trace-000001", "trace-000002", "é 駅|x"):
        digest = hashlib.sha256(f"salt-2026w47|{item}".encode()).hexdigest()

        assert drawing_number(item, "salt-2026w47") == int(digest[:13], 16) / 16**13


def test_duckdb_computes_the_same_number() -> None:
    duckdb = pytest.importorskip("duckdb")
    query = "SELECT CAST('0x' || left(sha256($salt || '|' || $id), 13) AS BIGINT) / 16.0 ** 13"

    for n in range(200):
        (number,) = duckdb.execute(query, {"salt": f"salt {n}", "id": f"é {n * 7919}"}).fetchone()
        assert drawing_number(f"é {n * 7919}", f"salt {n}") == number


def test_salts_are_of_a_seed_and_a_wave() -> None:
    salts = {designs.salt_of(seed, run) for seed in (1, 2) for run in ("wave-1", "wave-2", "stream")}

    assert len(salts) == 6
    assert designs.salt_of(1, "wave-1") == designs.salt_of(1, "wave-1")
    assert len({designs.new_seed() for _ in range(20)}) == 20


def test_the_permanent_random_number_gives_the_vector() -> None:
    """blake2b, 8 bytes, big-endian, over 2^64: anyone can check a draw years later."""
    assert permanent_random_number("trace-000001", "salt-2026w47") == 0.08596085328193553
    assert permanent_random_number("trace-000002", "salt-2026w47") == 0.7711956848682521


def test_any_text_has_a_permanent_random_number() -> None:
    """Also ids that UTF-8 cannot hold."""
    assert 0 <= permanent_random_number("a\ud800", "s") < 1
    assert 0 <= drawing_number("a\ud800", "s") < 1


def test_draws_are_those_of_the_plan() -> None:
    """N_h distinct items of each stratum, each with the probability n_h / N_h."""
    sizes = {DOWN: 6, UNSCORED: 10, PASSED: 700, FAILED: 300}
    rows = frame(sizes)
    plans = plan(sizes, NOTHING, 100, 0.25)
    draws = draw(rows, plans, "salt")
    stratum = dict(enumerate(rows.kinds.tolist()))

    assert Counter(sampled.stratum for sampled in draws) == {
        stratum_plan.stratum: stratum_plan.drawn for stratum_plan in plans
    }
    assert len({sampled.item for sampled in draws}) == len(draws) == 100
    assert len({sampled.task_key for sampled in draws}) == 100
    assert all(stratum[sampled.item] == sampled.stratum for sampled in draws)
    share = {stratum_plan.stratum: stratum_plan.drawn / stratum_plan.size for stratum_plan in plans}
    assert all(sampled.inclusion_probability == share[sampled.stratum] for sampled in draws)


def test_draws_are_the_smallest_numbers_of_each_stratum() -> None:
    """Whoever has the salt can check that nobody chose."""
    sizes = {PASSED: 40, FAILED: 20}
    rows = frame(sizes)
    smallest: set[int] = set()
    for name, count in drawn(sizes, 20).items():
        members = np.flatnonzero(rows.kinds.among(name)).tolist()
        members.sort(key=lambda key: drawing_number(ids(rows)[key], "salt"))
        smallest |= set(members[:count])

    assert {drawn.item for drawn in draw(rows, plan(sizes, NOTHING, 20, 0.25), "salt")} == smallest


def test_the_same_salt_draws_the_same_whatever_the_order_of_the_rows() -> None:
    """And in the same order; another salt draws others."""
    sizes = {PASSED: 300, FAILED: 100}
    rows, plans = frame(sizes), plan(sizes, NOTHING, 60, 0.25)
    order = np.array(random.Random(1).sample(range(400), 400))
    shuffled = rows.only(order)

    assert draw(rows, plans, "salt") == draw(shuffled, plans, "salt")
    assert {drawn.item for drawn in draw(rows, plans, "salt")} != {drawn.item for drawn in draw(rows, plans, "salt2")}


def test_what_is_not_eligible_is_neither_counted_nor_drawn() -> None:
    """Items of earlier waves stay in the frame and out of the draw."""
    rows = frame({PASSED: 60, FAILED: 30})
    rows = replace(rows, is_eligible=rows.keys % 3 != 0)
    left = counts(rows)
    draws = draw(rows, plan(left, NOTHING, 10**6, 0.25), "salt")

    assert left == {PASSED: 40, FAILED: 20}
    assert {sampled.item for sampled in draws} == {key for key in range(90) if key % 3}


def test_a_task_key_neither_holds_nor_repeats_the_item() -> None:
    """The name outside is a hash with the salt: it differs by wave and shows no id; the order of the tasks is its own."""
    sizes = {PASSED: 20}
    first, second = (draw(frame(sizes), plan(sizes, NOTHING, 20, 0.25), salt) for salt in ("one", "two"))

    assert not {drawn.task_key for drawn in first} & {drawn.task_key for drawn in second}
    assert all("trace" not in drawn.task_key and len(drawn.task_key) == 24 for drawn in first)
    assert first == sorted(first, key=lambda drawn: drawn.task_key)
