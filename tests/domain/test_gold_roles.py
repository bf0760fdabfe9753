"""Roles by cluster of questions: nothing leaks from one role to another, however the gold set grows."""

from __future__ import annotations

import random

import pytest

from annotate.domain.gold import GoldRole
from annotate.domain.gold.similarity import classes, is_near
from annotate.domain.gold.splits import AssignedRole, Member, Shares, assign_roles, role_of
from proxy.errors import UsageError

TEST, CALIBRATION, EXAMPLES, BETWEEN, _ = GoldRole
SHARES = Shares()


def member(name: str, question: int, assigned: AssignedRole | None = None, group: str | None = None) -> Member:
    return Member(gold_id=name, question=question, group=group, assigned=assigned)


def test_near_questions_and_groups_share_a_role() -> None:
    """By one step or several: a and b ask the same, b and c nearly, c and d share a conversation; e is alone."""
    members = [member("a", 0), member("b", 0), member("c", 1, group="x"), member("d", 2, group="x"), member("e", 3)]
    roles = assign_roles(members, [(0, 1)], SHARES)

    assert {roles[name] for name in "abcd"} == {AssignedRole(role_of("a", SHARES), "a")}
    assert roles["e"] == AssignedRole(role_of("e", SHARES), "e")


def test_who_has_a_role_keeps_it_and_newcomers_join() -> None:
    """The newcomer takes the role and the cluster's name; what has a role is not spoken of."""
    given = AssignedRole(EXAMPLES, "old")

    assert assign_roles([member("a", 0, given), member("b", 1)], [(0, 1)], SHARES) == {"b": given}


@pytest.mark.parametrize(
    ("near", "roles"),
    [
        # x is near to both and gets none; y, which is near to x alone, is not dragged along.
        ([(0, 2), (1, 2), (2, 3)], {"x": AssignedRole(BETWEEN, "x"), "y": AssignedRole(role_of("y", SHARES), "y")}),
        # x is near to a test and y to an example, and they are near to each other: a chain between two roles.
        ([(0, 2), (2, 3), (1, 3)], {"x": AssignedRole(BETWEEN, "x"), "y": AssignedRole(BETWEEN, "y")}),
    ],
    ids=["one between", "a chain"],
)
def test_between_two_roles_is_no_role(near: list[tuple[int, int]], roles: dict[str, AssignedRole]) -> None:
    given = (AssignedRole(TEST, "a"), AssignedRole(EXAMPLES, "b"), None, None)
    members = [member(name, place, role) for place, (name, role) in enumerate(zip("abxy", given, strict=True))]

    assert assign_roles(members, near, SHARES) == roles


def test_shares_are_met_by_clusters() -> None:
    """Of 20,000 names 60, 30 and 10 percent, within four standard errors of 0.35 points."""
    roles = [role_of(f"gold-{n}", SHARES) for n in range(20_000)]

    for role, share in ((TEST, 0.6), (CALIBRATION, 0.3), (EXAMPLES, 0.1)):
        assert roles.count(role) / 20_000 == pytest.approx(share, abs=0.014)
    assert {role_of(f"gold-{n}", Shares(test=1, calibration=0, examples=0)) for n in range(500)} == {TEST}


@pytest.mark.parametrize("parts", [(0.6, 0.3, 0.2), (1.2, -0.2, 0.0), (0.5, 0.5, float("nan"))])
def test_shares_that_do_not_add_up_are_refused(parts: tuple[float, float, float]) -> None:
    """Nobody can get what is not there."""
    with pytest.raises(UsageError, match="sum to 1"):
        Shares(test=parts[0], calibration=parts[1], examples=parts[2])


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.long) for seed in (2, 3))])
def test_nothing_leaks_over_releases_with_growth(seed: int) -> None:
    """Questions from few words join over six releases: nobody moves, and no two of different roles are near-duplicates."""
    rng = random.Random(seed)
    words = ["".join(rng.choice("abcdefghijkl") for _ in range(7)) for _ in range(12)]
    questions: dict[str, str] = {}
    groups: dict[str, str | None] = {}
    kept: dict[str, AssignedRole] = {}
    for _ in range(6):
        for _ in range(30):
            name = f"gold-{rng.random()}"
            questions[name] = " ".join(rng.choice(words) for _ in range(rng.randint(4, 8)))
            groups[name] = rng.choice([None, None, None, f"group-{rng.randint(0, 20)}"])
        grouping = classes(list(questions.values()))
        members = [
            member(name, number, kept.get(name), groups[name])
            for name, number in zip(questions, grouping.of, strict=True)
        ]
        new = assign_roles(members, grouping.near, SHARES)
        assert new.keys() == questions.keys() - kept.keys()
        kept |= new
    used = [name for name in questions if kept[name].role is not BETWEEN]
    leaks = [
        (first, second)
        for place, first in enumerate(used)
        for second in used[place + 1 :]
        if kept[first].role is not kept[second].role
        and (is_near(questions[first], questions[second]) or (groups[first] and groups[first] == groups[second]))
    ]
    near = sum(is_near(a, b) for a in list(questions.values())[:60] for b in list(questions.values())[60:])

    assert leaks == []
    assert near > 5
    assert len({kept[name].role for name in used}) == 3
