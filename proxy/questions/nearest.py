"""Find the passages that are nearest to a question, by BM25 over words and, for scripts without spaces, pairs of characters."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from proxy.questions.marking import all_hold
from proxy.questions.records import Expected, Passage
from proxy.text.tokens import content_words

_K1, _B = 1.2, 0.75


class PassageIndex:
    """An index of passages, in their order.

    BM25 with k1 = 1.2 and b = 0.75 (Robertson and Zaragoza 2009), with log(1 + (N - n + 1/2) / (n + 1/2)) for the rarity of a
    word, which is never negative.
    """

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.passages = tuple(passages)
        self._place = {passage.id: place for place, passage in enumerate(self.passages)}
        counts = [Counter(content_words(passage.text)) for passage in self.passages]
        lengths = [count.total() for count in counts]
        mean = sum(lengths) / len(lengths) if lengths else 0.0
        self._by_word: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for place, (count, length) in enumerate(zip(counts, lengths, strict=True)):
            norm = _K1 * (1 - _B + _B * length / mean) if mean else _K1
            for word, times in count.items():
                self._by_word[word].append((place, times * (_K1 + 1) / (times + norm)))

    def scores(self, text: str) -> dict[int, float]:
        """Return the score of each passage that shares a word with the text, by its place."""
        scores: dict[int, float] = defaultdict(float)
        for word in sorted(set(content_words(text))):
            rows = self._by_word.get(word, ())
            rarity = math.log1p((len(self.passages) - len(rows) + 0.5) / (len(rows) + 0.5))
            for place, weight in rows:
                scores[place] += rarity * weight
        return scores

    def ranked(self, text: str) -> list[Passage]:
        """Return the passages that share a word with the text, the nearest first."""
        scores = self.scores(text)
        return [self.passages[place] for place in sorted(scores, key=lambda place: (-scores[place], place))]

    def is_nearest(self, question: str, sources: Sequence[Passage], expected: Expected) -> bool:
        """Return whether the sources are nearer to a question than every other passage that does not hold its answer as well.

        An equal score is not nearer.
        """
        scores, own = self.scores(question), {self._place[source.id] for source in sources}
        least = min(scores.get(place, 0.0) for place in own)
        rivals = [place for place, score in scores.items() if score >= least and place not in own]
        return least > 0 and all(all_hold([self.passages[place].text], expected) for place in rivals)
