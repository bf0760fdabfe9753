"""Remember what was computed of the same arrays: a report asks the same of one part of the labels for many rules."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import fields, is_dataclass
from functools import wraps
from hashlib import blake2b
from threading import Lock
from typing import ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


def remembered(most: int) -> Callable[[Callable[Arguments, Answer]], Callable[Arguments, Answer]]:
    """Let a function of arrays, records and numbers keep its answers.

    Parameters
    ----------
    most : int
        How many answers are kept: those that were asked for last.

    Returns
    -------
    Callable
        A decorator, for a function that does nothing but compute and whose answer nobody changes.
    """

    def decorate(function: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
        answers, turn = OrderedDict[Hashable, Answer](), Lock()

        @wraps(function)
        def remember(*args: Arguments.args, **options: Arguments.kwargs) -> Answer:
            key = (fingerprint(args), fingerprint(tuple(sorted(options.items()))))
            with turn:
                if key in answers:
                    answers.move_to_end(key)
                    return answers[key]
            answer = function(*args, **options)
            with turn:
                answers[key] = answer
                if len(answers) > most:
                    answers.popitem(last=False)
            return answer

        return remember

    return decorate


def fingerprint(value: object) -> Hashable:
    """Return what equals that of another value where all arrays in both hold the same bytes, which are not kept.

    Parameters
    ----------
    value : object
        An array, a frozen record or a tuple of such values, or anything that can be hashed.

    Returns
    -------
    Hashable
    """
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, blake2b(value.tobytes(), digest_size=16).digest()
    if is_dataclass(value):
        return (type(value), *(fingerprint(getattr(value, field.name)) for field in fields(value)))
    if isinstance(value, tuple):
        return (type(value), *map(fingerprint, value))
    return type(value), value  # what cannot be hashed fails where the answer is looked up
