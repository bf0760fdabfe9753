"""Log-probabilities as the probability of each verdict: by hand-made tokens, each expectation worked out beside it."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest

from proxy.judges.llm.asking import Reply
from proxy.judges.llm.probability import Token, probabilities
from support.llm import built, drive, item, score

ONE = "The tower is 330 metres tall."
HALVES = ("0", "0.5", "1", "1.5", "2")
Pieces = list[tuple[str, Mapping[str, float]]]
SURE: Pieces = [("supported", {"supported": 0.7, "not": 0.2, "unsure": 0.1})]


def token(text: str, alternatives: Mapping[str, float] | None = None) -> Token:
    """A token whose alternatives have these probabilities; itself alone without any."""
    shares = {text: 1.0} if alternatives is None else alternatives
    return Token(
        text, tuple((alternative, math.log(share) if share else -math.inf) for alternative, share in shares.items())
    )


def entry(key: str, note: str, pieces: Pieces) -> list[Token]:
    """The tokens of one entry of a reply."""
    return [
        token(f'"{key}": {{'),
        *map(token, note),
        token(', "verdict": "'),
        *(token(*piece) for piece in pieces),
        token('"'),
        token("}"),
    ]


def reply(*entries: list[Token], end: str = "") -> Reply:
    """The reply that these tokens make up; `end` is a token that is no part of the text."""
    tokens = [token("{")]
    for number, gold_entry in enumerate(entries):
        tokens += [token(", ")] * (number > 0) + gold_entry
    tokens.append(token("}"))
    text = "".join(piece.text for piece in tokens)
    return Reply(text=text, tokens=(*tokens, *([token(end)] if end else ())))


def sentence(pieces: Pieces, note: str = '"quote": "330 metres"') -> Reply:
    """A reply on the only sentence."""
    return reply(entry("s1", note, pieces))


def relevance(subject: Pieces, answerable: Pieces) -> Reply:
    """A reply on the passages."""
    return reply(
        *(entry(key, '"reason": "r"', verdict) for key, verdict in (("subject", subject), ("answerable", answerable)))
    )


@pytest.mark.parametrize(
    ("pieces", "value"),
    [
        # P(supported) + P(unsure)/2 = 0.7 + 0.1/2; "not" begins not_found alone.
        (SURE, 0.75),
        # "no" begins not_found and no_claim: 0.2 each. (0.6 + 0) / (1 - 0.2)
        ([("supported", {"supported": 0.6, "no": 0.4})], 0.75),
        # "no" 0.6, then "t_found" 3 : 1 "_claim": 0.45 and 0.15. (0.3 + 0.1/2) / (1 - 0.15)
        (
            [
                ("no", {"no": 0.6, "supported": 0.3, "unsure": 0.1}),
                ("t_found", {"t_found": 0.75, "_claim": 0.25}),
            ],
            0.35 / 0.85,
        ),
        # Written in three tokens; 0.1 goes to no choice: 0.54/0.9.
        (
            [("sup", {"sup": 0.54, "contr": 0.36, "maybe": 0.1}), ("port", {"port": 1.0}), ("ed", {"ed": 1.0})],
            0.6,
        ),
        # Without a claim half of the mass, and the verdict still holds a claim: 0.4/0.5.
        ([("supported", {"supported": 0.4, "no_claim": 0.5, "contradicted": 0.1})], 0.8),
        ([("unsure", {"unsure": 1.0})], 0.5),
        ([("contradicted", {"contradicted": 0.9, "supported": 0.1})], 0.1),
        # NaN-free: an impossible token counts nothing.
        ([("supported", {"supported": 0.8, "not_found": 0.2, "unsure": 0.0})], 0.8),
    ],
)
def test_a_sentence_is_worth_what_the_model_believes(pieces: Pieces, value: float) -> None:
    """(P(supported) + P(unsure)/2) / (1 - P(no_claim)), whichever tokens spell the verdict."""
    detail = score(drive(built(), item(ONE), [sentence(pieces)]))

    assert detail.value == pytest.approx(value)
    assert detail.sentences[0].value == pytest.approx(value)


def test_believing_helps_no_support_whose_quote_is_not_there() -> None:
    """0.99 for supported, and nothing to show for it: 0."""
    pieces: Pieces = [("supported", {"supported": 0.99, "not_found": 0.01})]

    assert score(drive(built(), item(ONE), [sentence(pieces, '"quote": "930 metres"')])).value == 0.0


@pytest.mark.parametrize("doubt", [0.0, 0.2, 0.45])
def test_points_are_what_was_given_whatever_was_nearly_given(doubt: float) -> None:
    """On the subject, cannot answer is 2/4 exactly, so it never passes a cut of 0.5 by a shade of doubt."""
    said = relevance([("2", {"2": 1 - doubt, "1.5": doubt})], [("0", {"0": 1 - doubt, "1": doubt})])

    assert score(drive(built("context_relevance"), item(), [said])).value == 0.5


def test_a_grade_is_what_was_given() -> None:
    """5 beside a 4 half as likely is 5: 1."""
    said = reply(entry("grade", '"reason": "r"', [("5", {"5": 0.6, "4": 0.4})]))

    assert score(drive(built("correctness"), item(), [said])).value == 1.0


def test_a_yes_is_worth_its_probability() -> None:
    """P(yes), normalised: 0.6 / (0.6 + 0.2)."""
    said = reply(entry("faithful", '"reason": "r"', [("yes", {"yes": 0.6, "no": 0.2, "Yes": 0.1})]))

    assert score(drive(built("faithfulness_yes_no"), item(), [said])).value == pytest.approx(0.75)


@pytest.mark.parametrize(
    "pieces",
    [
        [("supported", {"supported": 0.3, "Supported": 0.3, "the": 0.4})],
        [("supported", {"not_found": 0.4})],
        [("supported", {})],
        [("supported", {"supported": 0.0})],
        [("Supported", {"Supported": 1.0})],
    ],
)
def test_without_most_of_the_mass_there_is_no_probability(pieces: Pieces) -> None:
    """The verdict as written counts then: 1."""
    assert score(drive(built(), item(ONE), [sentence(pieces)])).value == 1.0


def test_odd_logarithms_are_no_probabilities() -> None:
    """NaN counts nothing, and nothing is likelier than certain."""
    odd = Token("yes", (("yes", 5.0), ("no", math.nan), ("no", -math.inf)))

    assert probabilities([odd], 0, ("yes", "no")) == {"yes": 1.0, "no": 0.0}
    assert probabilities([Token("yes", (("yes", math.nan),))], 0, ("yes", "no")) == {}


def test_a_token_may_reach_over_both_ends_of_a_verdict() -> None:
    """What stands before the verdict in its token has to be the same in an alternative; what follows its mark is left out."""
    tokens = [token("x"), token(' "0"}', {' "0"}': 0.5, ' "0.5"}': 0.25, ' "2': 0.25, '"1"': 0.5, ' "': 0.1})]

    assert probabilities(tokens, 3, HALVES) == {"0": 0.5, "0.5": 0.25, "1": 0.0, "1.5": 0.0, "2": 0.25}


@pytest.mark.parametrize("start", [-1, 3, 99])
def test_a_verdict_outside_the_tokens_has_no_probability(start: int) -> None:
    """The endpoint told too little."""
    assert probabilities([token("yes")], start, ("yes", "no")) == {}
    assert probabilities([], start, ("yes", "no")) == {}


def test_tokens_that_spell_no_choice_give_no_probability() -> None:
    """They belong to another place of the text."""
    assert probabilities([token("yes"), token("terday")], 0, ("yes", "no")) == {}


def test_tokens_that_are_not_the_text_are_ignored() -> None:
    """An endpoint that tells of other tokens than it sent is believed by its words alone."""
    said = sentence(SURE)
    shifted = Reply(text=f" {said.text}", tokens=said.tokens)
    shorter = Reply(text=said.text, tokens=said.tokens[:-1])

    assert [score(drive(built(), item(ONE), [answer])).value for answer in (shifted, shorter)] == [1.0, 1.0]
    ended = reply(entry("s1", '"quote": "330 metres"', SURE), end="<|im_end|>")
    assert score(drive(built(), item(ONE), [ended])).value == pytest.approx(0.75)


def test_a_verdict_in_a_note_or_in_thinking_is_not_taken_for_the_verdict() -> None:
    """Inside a note its quotation marks are escaped; thinking is passed over."""
    note = '"quote": "330 metres", "x": "\\"verdict\\": \\"not_found\\""'
    thought = [token("<think>"), *map(token, '"verdict": "unsure"'), token("</think>")]
    said = sentence(SURE, note)
    after = Reply(
        text="".join(part.text for part in (*thought, *said.tokens)),
        tokens=(*thought, *said.tokens),
    )

    assert score(drive(built(), item(ONE), [said])).value == pytest.approx(0.75)
    assert score(drive(built(), item(ONE), [after])).value == pytest.approx(0.75)
