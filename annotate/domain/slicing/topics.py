"""Find a few topics in questions; they are named by their words and can place any other question.

Words and character pairs are weighed by TF-IDF and by how freely they stand, since the words of a set phrase tell how one asks
and not of what; latent dimensions bring the companions of a word together, and k-means cuts them, coarsely and finely. The
same questions always give the same topics.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proxy.text.controls import displayable
from proxy.text.tokens import content_words, phrases, words

MOST_QUESTIONS = 20_000
LEVELS = (3, 5, 8)
A_TOPIC = 25
DIMENSIONS = 10
MOST_TERMS = 5_000
STEM = 5
NAMED_BY = 3
SEED = 0
NONE = -1

Numbers = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, kw_only=True)
class Topics:
    """Topics at several levels, coarse ones first: the names of each level, no name twice.

    `place` gives the number of the topic of each question (columns) at each level (rows), NONE where no word of it is known.
    """

    names: Sequence[Sequence[str]]
    place: Callable[[Sequence[str]], Indices]


NOTHING = Topics(names=(), place=lambda questions: np.zeros((0, len(questions)), dtype=np.intp))


def topics_of(questions: Sequence[str]) -> Topics:
    """Return the topics of these questions, at each level of LEVELS for which there are A_TOPIC different questions a topic.

    Nobody knows how many topics there are, and a topic that is cut up or taken together with others is hard to tell from
    the rest. Salton and Buckley (1988) for TF-IDF; Deerwester et al. (1990) for the dimensions.
    """
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    distinct = list(dict.fromkeys(questions))
    counts = [count for count in LEVELS if count * A_TOPIC <= len(distinct)]
    vectors = TfidfVectorizer(
        analyzer=terms, min_df=2, max_df=0.5, sublinear_tf=True, max_features=MOST_TERMS, norm=None
    )
    try:
        weighed = vectors.fit_transform(distinct) if counts else None
    except ValueError:  # no word is left
        weighed = None
    if weighed is None or weighed.shape[1] <= counts[-1]:
        return NOTHING
    words_found = vectors.get_feature_names_out().tolist()
    weight = free(words_found, distinct)

    def rows(texts: Any) -> Any:
        return _unit(texts.multiply(weight).tocsr())

    weights = rows(weighed)
    is_known = np.asarray(weights.getnnz(axis=1) > 0)
    if is_known.sum() < counts[-1] * A_TOPIC:
        return NOTHING
    latent = TruncatedSVD(min(DIMENSIONS, weighed.shape[1] - 1), random_state=SEED).fit(weights)
    levels = _levels(_unit_rows(latent.transform(weights[is_known])), counts)

    def place(texts: Sequence[str]) -> Indices:
        if not len(texts):
            return np.zeros((len(levels), 0), dtype=np.intp)
        new_weights = rows(vectors.transform(texts))
        near = [means.predict(_unit_rows(latent.transform(new_weights))) for means in levels]
        return np.where(new_weights.getnnz(axis=1) > 0, near, NONE).astype(np.intp)

    names: list[list[str]] = []
    for means in levels:
        of_question = np.full(len(distinct), NONE, dtype=np.intp)
        of_question[is_known] = means.labels_
        names.append(_names(distinct, of_question, weights, words_found, {name for level in names for name in level}))
    return Topics(names=names, place=place)


def _levels(points: Numbers, counts: Sequence[int]) -> list[Any]:
    """Fit k-means at each level."""
    from sklearn.cluster import KMeans

    return [KMeans(count, n_init=4, random_state=SEED).fit(points) for count in counts]


def terms(question: str) -> list[str]:
    """Return the words of a question that may tell its topic, cut to their beginning so that the forms of a word are one."""
    return [
        word[:STEM]
        for word in content_words(question)
        if not word[0].isdigit() and not (len(word) < 2 and word.isascii())
    ]


def free(names: Sequence[str], questions: Sequence[str]) -> Numbers:
    """Return how freely each term stands: distinct neighbours over the root of its count, on the poorer side, at most 1.

    Words of a set phrase always have the same neighbours, and tell how one asks and not of what.
    """
    known_terms, count = set(names), Counter[str]()
    before: dict[str, set[str]] = {name: set() for name in names}
    after: dict[str, set[str]] = {name: set() for name in names}
    for question in questions:
        row = ["", *words(question), ""]
        for left, word, right in zip(row, row[1:], row[2:], strict=False):
            term = word[:STEM]
            if term in known_terms:
                count[term] += 1
                before[term].add(left)
                after[term].add(right)
    poorer = np.array([min(len(before[name]), len(after[name])) for name in names])
    return np.asarray(np.minimum(1.0, (poorer + 1) / np.sqrt([max(1, count[name]) for name in names])))


def _unit(rows: Any) -> Any:
    """Scale sparse rows to length 1, zero where they are zero."""
    from sklearn.preprocessing import normalize

    return normalize(rows)


def _unit_rows(rows: Numbers) -> Numbers:
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(length > 0, length, 1.0))


def _names(
    questions: Sequence[str], place: Indices, rows: Any, term_names: Sequence[str], taken: Collection[str]
) -> list[str]:
    """Return a name for each topic of the words that set it apart, of more words where fewer are taken; else with a number."""
    overall = np.asarray(rows.mean(axis=0)).ravel()
    names: list[str] = []
    for number in range(int(place.max()) + 1):
        members = np.flatnonzero(place == number)
        apart = np.asarray(rows[members].mean(axis=0)).ravel() - overall if len(members) else -overall
        best = [str(term_names[n]) for n in np.argsort(-apart, kind="stable")[: 4 * NAMED_BY] if apart[n] > 0]
        written = list(islice(_written([questions[n] for n in members[:2_000]], best), 2 * NAMED_BY))
        tried = [displayable(", ".join(written[:size])) or "other" for size in range(NAMED_BY, 2 * NAMED_BY + 1)]
        free_names = (name for name in tried if name not in taken and name not in names)
        names.append(next(free_names, f"{tried[0]} ({len(taken) + number + 1})"))
    return names


def _written(questions: Sequence[str], best: Sequence[str]) -> Iterator[str]:
    """Yield these terms as the questions write them most often: whole words, and character pairs joined."""
    forms: dict[str, Counter[str]] = {term: Counter() for term in best}
    pairs = {term for term in best if len(term) <= 2 and not term.isascii()}
    for question in questions:
        for word in content_words(question):
            if word[:STEM] in forms and word[:STEM] not in pairs:
                forms[word[:STEM]][word] += 1
        for phrase in dict.fromkeys(phrase.text for phrase in phrases(question, pairs)) if pairs else ():
            for term in pairs:
                if term in phrase:
                    forms[term][phrase] += 1
    written: set[str] = set()
    for term in best:
        word = min(forms[term], key=lambda form: (-forms[term][form], form), default=term)
        if not any(word in other or other in word for other in written):
            written.add(word)
            yield word
