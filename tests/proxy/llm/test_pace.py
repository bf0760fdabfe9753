"""The pace: halves once a burst, recovers one by one, and climbs only while more in flight means more answers."""

from __future__ import annotations

import itertools

from proxy.llm.concurrency import START, RequestLimit


def rounds(pace: RequestLimit, count: int, now: float, rate: float) -> float:
    """Let `count` answers come, `rate` a second; the time after them."""
    for _ in range(count):
        now += 1 / rate
        pace.answered(now, 1 / rate)
    return now


def test_a_burst_of_pushback_halves_the_limit_once() -> None:
    """Sixteen requests in flight together are turned away together: 16 becomes 8, not 0; a second later, 4."""
    pace = RequestLimit(16)

    for place in range(16):
        pace.pushed_back(10 + place / 100, 0.2)
    assert pace.limit == 8

    pace.pushed_back(11.5, 0.2)
    assert pace.limit == 4


def test_requests_sent_before_the_halving_do_not_halve_again() -> None:
    """A timeout of 60 seconds tells of requests that began 60 seconds ago: those of the next 60 are of the same burst."""
    pace = RequestLimit(16)

    pace.pushed_back(100, 60)
    pace.pushed_back(159, 60)

    assert pace.limit == 8


def test_the_limit_never_falls_below_one() -> None:
    """However often it is pushed back."""
    pace = RequestLimit(3)
    for second in range(0, 100, 10):
        pace.pushed_back(second, 0.1)
    assert pace.limit == 1


def test_calm_brings_the_limit_back_by_one_a_round() -> None:
    """From 8 to 16 after a round of 8, of 9, … of 15 answers: 8 + 9 + … + 15 = 92 in all, and never beyond the most."""
    pace = RequestLimit(16)
    pace.pushed_back(0, 0.1)

    now = rounds(pace, 91, 1, 100)
    assert pace.limit == 15
    now = rounds(pace, 1, now, 100)
    assert pace.limit == 16
    rounds(pace, 1_000, now, 100)
    assert pace.limit == 16


def test_it_starts_at_64_and_climbs_while_answers_come_faster() -> None:
    """An endpoint whose rate grows with what is in flight: 64, 97, 146, … up to the most."""
    pace, now, seen = RequestLimit(400), 0.0, [START]
    for _ in range(10):
        now = rounds(pace, 4 * pace.limit, now, 10 * pace.limit)
        seen.append(pace.limit)

    assert seen[:4] == [64, 97, 146, 220]
    assert pace.limit == 400


def test_it_stops_climbing_when_throughput_does_not_rise() -> None:
    """An endpoint that answers 500 a second at most: the first step that brings nothing is taken back, and no other tried."""
    pace, now, seen = RequestLimit(1024), 0.0, list[int]()
    for _ in range(20):
        now = rounds(pace, 4 * pace.limit, now, 500)
        seen.append(pace.limit)

    assert max(seen) == 97
    assert seen[1:] == [64] * 19
    assert all(limit >= 1 for limit in itertools.chain([pace.limit], seen))
