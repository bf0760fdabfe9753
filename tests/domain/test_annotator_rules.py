"""Who takes what, as the option says it."""

from __future__ import annotations

import pytest

from annotate.domain.annotator_rules import Taker, TakerRule, parsed, takers_by_draw
from annotate.domain.assignment import DrawPlace, Given, Outcome, assigned
from proxy.errors import UsageError

KOREAN, SYSTEM = TakerRule("language", "ko"), TakerRule("system", "b=2")


def test_options_name_annotators_and_their_rules() -> None:
    """A name may have several rules, and share the rest besides; a value may hold any sign, a name a colon."""
    assert parsed(["kim:language=ko", "ann", "kim: system = b=2", "ben", "ben:language=ko", "r:d"]) == [
        Taker("kim", (KOREAN, SYSTEM), shares_rest=False),
        Taker("ann"),
        Taker("ben", (KOREAN,), shares_rest=True),
        Taker("r:d"),
    ]
    assert parsed([]) == []
    with pytest.raises(UsageError, match="ann stands there twice"):
        parsed(["ann", " ann "])


def test_a_draw_goes_to_those_whose_rules_fit_and_the_rest_to_the_others() -> None:
    """Of the draws 1 to 4 the first is Korean, the second of system b, the third both."""
    fitting = {KOREAN: frozenset({10, 30}), SYSTEM: frozenset({20, 30})}
    items = {1: 10, 2: 20, 3: 30, 4: 40}
    kim, lee = Taker("kim", (KOREAN,), shares_rest=False), Taker("lee", (SYSTEM,), shares_rest=False)

    assert takers_by_draw([kim, lee, Taker("ann")], items, fitting) == {
        1: ("kim",),
        2: ("lee",),
        3: ("kim", "lee"),
        4: ("ann",),
    }
    assert takers_by_draw([kim, lee], items, fitting)[4] == ()


def test_nobody_else_gets_what_a_rule_gives_away() -> None:
    """A Korean answer stays kim's, also where two should read it; once kim hands it on nobody is left; ann's waiting task goes."""
    place = DrawPlace(1, 0, 1)
    may_take = {1: ("kim",)}
    given = {"waits": [Given("ann", Outcome.WAITING)], "handed on": [Given("kim", Outcome.HANDED_ON)]}

    assert assigned([place], {}, ("kim", "ann"), 1.0, takers=may_take) == {1: ("kim",)}
    assert assigned([place], {1: given["waits"]}, ("kim", "ann"), 0.0, takers=may_take) == {1: ("kim",)}
    assert assigned([place], {1: given["handed on"]}, ("kim", "ann"), 0.0, takers=may_take) == {1: ()}
    assert assigned([place], {1: given["handed on"]}, ("kim", "ann"), 0.0) == {1: ("ann",)}
