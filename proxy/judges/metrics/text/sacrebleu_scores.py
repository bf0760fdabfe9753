"""BLEU and chrF of a whole answer, computed by sacreBLEU and scaled to [0, 1]."""

from __future__ import annotations

from collections.abc import Sequence

from proxy.judges.metrics.text_overlap import TextMetric, compared
from proxy.text.language import script

# Japanese and Korean by characters, as sacreBLEU's own tokenisers for them need a dictionary.
_TOKENISERS = {"han": "zh", "kana": "char", "hangul": "char"}


def bleu(answer: str, references: Sequence[str]) -> float:
    """Return sentence BLEU: n-grams up to four or to the answer's length, exponential smoothing, brevity penalty."""
    from sacrebleu.metrics.bleu import BLEU

    tokeniser = _TOKENISERS.get(script(references[0]), "13a")
    metric = BLEU(tokenize=tokeniser, effective_order=True)
    return float(metric.sentence_score(answer, list(references)).score) / 100


def chrf(answer: str, references: Sequence[str]) -> float:
    """Return chrF2: character n-grams up to six, recall counted twice; the highest over the alternatives."""
    from sacrebleu.metrics.chrf import CHRF

    return float(CHRF().sentence_score(answer, list(references)).score) / 100


METRICS = (
    TextMetric(
        name="bleu",
        formula="sentence BLEU / 100: brevity penalty × geometric mean of 1- to 4-gram precisions, smoothed exponentially; "
        "the n-grams of all alternatives count. Corpus BLEU is not its mean",
        source="Papineni et al. 2002, by sacreBLEU (13a; zh for Chinese, characters for Japanese and Korean)",
        misses="other words for the same; short answers, for which it is noise",
        # Precisions 5/6, 3/5, 1/4 and 0 of 3, which is smoothed to 1 / (2 x 3); both have 6 tokens.
        examples=(
            compared("bleu", "the cat sat on the mat", "the cat is on the mat", (5 / 6 * 3 / 5 / 4 / 6) ** 0.25),
        ),
        measure=bleu,
        package="sacrebleu",
    ),
    TextMetric(
        name="chrf",
        formula="chrF2 / 100: F2 of character n-grams, n = 1 to 6, without white space",
        source="Popović 2015, by sacreBLEU; needs no tokens, so it is the same in every language",
        misses="whether a statement is true; unrelated texts of one language share many short n-grams",
        # Of the orders that both have, 1 and 2: precision 1, recall (2/3 + 1/2) / 2 = 7/12; F2 = 5 x 7/12 / (4 + 7/12).
        examples=(compared("chrf", "ab", "abc", 7 / 11),),
        measure=chrf,
        package="sacrebleu",
    ),
)
